"""Templates to answers: autoescape always, undefined names are errors, invisible characters are shown."""

import hashlib
from dataclasses import fields
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from app.dashboard.contexts import Page
from app.dashboard.filters import FILTERS, visible

TEMPLATES: Final = Path(__file__).resolve().parent.parent / "templates"
STATIC: Final = TEMPLATES.parent / "static"


class Pages:
    """The environment of all templates; made once, safe to share between threads."""

    def __init__(self) -> None:
        self.environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_shown,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self.environment.filters |= FILTERS
        self.environment.globals |= {"assets": _digest_of(STATIC)}

    def render(self, page: Page, *, status_code: int = 200) -> HTMLResponse:
        template = self.environment.get_template(page.template)
        context = {field.name: getattr(page, field.name) for field in fields(page)}
        return HTMLResponse(template.render(context), status_code=status_code)


def _shown(value: object) -> object:
    """Runs on every expression of every template, so none can forget it; markup of ours is left alone."""
    return visible(value) if type(value) is str else value


def _digest_of(folder: Path) -> str:
    """Part of the address of static files, so that a new version is never taken from a cache."""
    digest = hashlib.blake2b(digest_size=6)
    for file in sorted(folder.iterdir()):
        digest.update(file.read_bytes())
    return digest.hexdigest()
