"""Lists of the API: pages are followed by the `Link` header alone, never counted from `total_count`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from app.domain.errors import Rejected
from app.github.transport import Answer, Request, Transport

PER_PAGE = 100
MAX_PAGES = 300
"""30,000 entries; more is a list that we should not have asked for."""

_NEXT = re.compile(r'<([^<>]{1,4000})>\s{0,8};\s{0,8}rel="?next"?')

_PAGE = re.compile(r"[1-9][0-9]{0,5}")


def next_link(link_header: str | None) -> str | None:
    """The address of the next page, or None on the last."""
    match = _NEXT.search(link_header or "")
    return match[1] if match else None


def next_page(link_header: str | None) -> int | None:
    """The number of the next page, for lists whose pages are numbered; None on the last."""
    link = next_link(link_header)
    try:
        numbers = parse_qs(urlsplit(link or "").query).get("page", [])
    except ValueError:
        return None
    return int(numbers[0]) if numbers and _PAGE.fullmatch(numbers[0]) else None


def pages(transport: Transport, request: Request) -> Iterator[Answer]:
    """Each page in turn. An error on any page is raised: half a list is never taken for a whole one."""
    request = replace(request, params={**(request.params or {}), "per_page": PER_PAGE})
    answer = transport.ask(request)
    for _ in range(MAX_PAGES):
        yield answer
        link = next_link(answer.headers.get("link"))
        if link is None:
            return
        answer = transport.ask_next(request, link)
    raise Rejected(request.subject, f"the list has more than {MAX_PAGES} pages")
