"""HTML and SVG written by hand: every text is escaped unless it is markup already."""

from html import escape

from app.logs import redact


class Markup(str):
    """Text that may stand in a page as it is. Only this module makes it."""

    __slots__ = ()


def words(text: str) -> Markup:
    """Escape a text; control and direction characters are spelled out, since XML holds none of them."""
    return Markup(escape(redact(text), quote=True))


def tag(name: str, /, *inside: str, **attributes: str | float | None) -> Markup:
    """An element. `class_` is written `class`, `aria_label` with a dash; an attribute of None is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{joined(*inside)}</{name}>")


def void(name: str, /, **attributes: str) -> Markup:
    """An HTML element that has no end."""
    return Markup(tag(name, **attributes).removesuffix(f"</{name}>"))


def joined(*parts: str) -> Markup:
    return Markup("".join(part if isinstance(part, Markup) else words(part) for part in parts))


def verbatim(text: str) -> Markup:
    """Our own text, such as a style sheet. Never anything that a test wrote."""
    return Markup(text)


def _value(value: str | float) -> str:
    return words(value) if isinstance(value, str) else f"{value:g}"
