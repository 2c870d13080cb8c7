"""A page's context holds what its template reads, and nothing that it does not."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest
from jinja2 import nodes

from app.dashboard import contexts
from app.dashboard.contexts import Page
from app.dashboard.rendering import TEMPLATES, Pages

PAGES = [
    one
    for one in vars(contexts).values()
    if isinstance(one, type) and issubclass(one, Page) and one is not Page
]


def sources(name: str) -> dict[str, nodes.Template]:
    """A template with all that it extends, includes and imports, by name."""
    found: dict[str, nodes.Template] = {}
    wanted = [name]
    environment = Pages().environment
    while wanted:
        current = wanted.pop()
        if current not in found:
            found[current] = environment.parse((TEMPLATES / current).read_text())
            for kind in (nodes.Extends, nodes.Include, nodes.Import):
                wanted += [node.template.value for node in found[current].find_all(kind)]
    return found


def read_by(name: str) -> tuple[set[str], set[str]]:
    """Names that a template reads from its context, and attributes that it reads of anything."""
    trees = sources(name).values()
    names = {node.name for tree in trees for node in tree.find_all(nodes.Name) if node.ctx == "load"}
    attributes = {node.attr for tree in trees for node in tree.find_all(nodes.Getattr)}
    return names, attributes


def parts_of(kind: Any) -> Iterator[type]:
    """The dataclasses in a type, at any depth."""
    if isinstance(kind, type) and is_dataclass(kind):
        yield kind
        for hint in get_type_hints(kind).values():
            yield from parts_of(hint)
    for argument in get_args(kind):
        yield from parts_of(argument)


def test_every_page_has_a_template_of_its_own() -> None:
    assert len(PAGES) == len({page.template for page in PAGES}) >= 8
    used = {name for page in PAGES for name in sources(page.template)}
    assert used == {path.name for path in TEMPLATES.iterdir()}


@pytest.mark.parametrize("page", PAGES)
def test_each_field_of_a_context_is_read_by_its_template(page: type[Page]) -> None:
    names, _attributes = read_by(page.template)
    assert {field.name for field in fields(page)} - names == set()


@pytest.mark.parametrize("page", PAGES)
def test_each_field_of_a_part_is_read_by_some_template(page: type[Page]) -> None:
    read = {attribute for one in PAGES for attribute in read_by(one.template)[1]}
    hints = [
        hint for name, hint in get_type_hints(page).items() if name in {field.name for field in fields(page)}
    ]
    unread = {
        f"{part.__name__}.{field.name}"
        for hint in hints
        for part in parts_of(hint)
        for field in fields(part)
        if field.name not in read
    }
    assert unread == set()


def test_no_template_turns_escaping_off_or_computes() -> None:
    for path in TEMPLATES.iterdir():
        tree = Pages().environment.parse(path.read_text())
        used = {node.name for node in tree.find_all(nodes.Filter)}
        assert "safe" not in used, path.name
        assert (
            list(tree.find_all((nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.ScopedEvalContextModifier)))
            == []
        )
