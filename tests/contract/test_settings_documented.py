"""Every setting stands in the README with its default, and the README names no other."""

import re
from pathlib import Path

from pydantic_core import PydanticUndefined

from app.settings import Settings

README = (Path(__file__).parents[2] / "README.md").read_text()
ROW = re.compile(r"^\| `(FLAKE_TRIAGE_\w+)` \| (.+?) \|", re.MULTILINE)


def test_every_setting_is_documented_and_no_other() -> None:
    documented = {name for name, _ in ROW.findall(README)}
    assert documented == {f"FLAKE_TRIAGE_{name.upper()}" for name in Settings.model_fields}


def test_documented_defaults_are_the_true_ones() -> None:
    told = dict(ROW.findall(README))
    wrong = {}
    for name, field in Settings.model_fields.items():
        shown = told[f"FLAKE_TRIAGE_{name.upper()}"].strip("`")
        assert field.default is not PydanticUndefined, f"{name} has no default"
        default = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
        if field.default not in {None, ""} and shown != default:
            wrong[name] = (shown, default)
    assert wrong == {}
