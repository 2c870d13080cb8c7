"""Markdown as GitHub's own parser reads it, for tests of what people will see."""

import cmarkgfm
from cmarkgfm.cmark import Options
from selectolax.lexbor import LexborHTMLParser

from app.domain.markdown import BREAK


def rendered(markdown: str) -> LexborHTMLParser:
    """Raw HTML is let through, as GitHub does before it sanitises: nothing is hidden from the test."""
    return LexborHTMLParser(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))


def tags(page: LexborHTMLParser) -> set[str]:
    return {node.tag for node in page.css("body *")}


def text_of(page: LexborHTMLParser, selector: str) -> str:
    """The text of the first match, without the breaks that only part what GitHub would link."""
    node = page.css_first(selector)
    assert node is not None
    return node.text().replace(BREAK, "")
