"""How numbers, times and hostile text are written on pages."""

import math
import re
from datetime import date, datetime
from typing import Final

from markupsafe import Markup, escape

from app.logs import hide

MINUTE_S: Final = 60
HOUR_S: Final = 60 * MINUTE_S
DAY_S: Final = 24 * HOUR_S

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and line feed, DEL, C1
    "\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028\u2029"  # soft hyphen, marks, separators
    "\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # embeddings, overrides, isolates, invisible operators
    "\ud800-\udfff\U000e0000-\U000e007f]"  # lone surrogates, tags
)
"""Characters that change how a reader sees the others. The joiner of emoji is not among them."""


_JOINT = re.compile(r"([_.:/](?=[^_.:/;&]))")


def visible(text: str) -> str:
    """Hide secrets, and show what would be invisible or turn the text around, as in `[U+202E]`."""
    text = hide(text)
    return _UNSEEN.sub(_picture, text) if _UNSEEN.search(text) else text


def _picture(match: re.Match[str]) -> str:
    """A code point in ASCII: the pictures that Unicode has for controls are missing from many fonts."""
    return f"[U+{ord(match[0]):04X}]"


def scope_of(label: str) -> str:
    """What stands before a test's own name, with its `::`; a `::` among parameters parts nothing."""
    place = label.partition("[")[0].rfind("::")
    return label[: place + 2] if 0 <= place < len(label) - 2 else ""


def name_in(label: str) -> str:
    """A test's own name: `test_a[cpu]` of `tests.test_x::test_a[cpu]`."""
    return label[len(scope_of(label)) :]


def breakable(text: str) -> Markup:
    """Escaped text that may break after `_`, `.`, `:` and `/`, so that long names do not tear words."""
    return Markup(_JOINT.sub(r"\1<wbr>", str(escape(visible(text)))))  # noqa: S704 - escaped in this very line


def count(number: int) -> str:
    """Thousands apart, by a thin space."""
    return f"{number:,}".replace(",", "\u2009")


def results(number: int) -> str:
    """A result is one test in one job; a run with five variants gives five."""
    return f"{count(number)} {'result' if number == 1 else 'results'}"


def percent(red: int, ran: int) -> str:
    """A share as percent, never rounded to a certainty that is not there."""
    if ran <= 0:
        return "no results"
    if red == 0 or red >= ran:
        return "0 %" if red == 0 else "100 %"
    share = 100 * red / ran
    if share < 0.1:  # noqa: PLR2004 - one decimal cannot show less
        return "< 0.1 %"
    return f"{min(share, 99.9):.1f} %" if share < 10 or share > 99 else f"{share:.0f} %"  # noqa: PLR2004 - digits


def iso(moment: datetime | date) -> str:
    """For the `datetime` attribute."""
    return moment.isoformat()


def instant(moment: datetime) -> str:
    """The full time, for the tooltip."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def ago(moment: datetime, now: datetime) -> str:
    """How long ago in one unit; older than 30 days is a date. A clock ahead of ours reads as just now."""
    seconds = (now - moment).total_seconds()
    if seconds < MINUTE_S:
        return "just now"
    if seconds < HOUR_S:
        return f"{int(seconds // MINUTE_S)} min ago"
    if seconds < DAY_S:
        return f"{int(seconds // HOUR_S)} h ago"
    days = int(seconds // DAY_S)
    if days <= 30:  # noqa: PLR2004 - a month of days is still readable as days
        return "yesterday" if days == 1 else f"{days} days ago"
    return f"{moment:%Y-%m-%d}"


def ahead(moment: datetime, now: datetime) -> str:
    """How long until then, rounded up to one unit; what is overdue is due now."""
    seconds = (moment - now).total_seconds()
    if seconds <= 0:
        return "now"
    if seconds <= MINUTE_S:
        return f"in {math.ceil(seconds)} s"
    if seconds <= HOUR_S:
        return f"in {math.ceil(seconds / MINUTE_S)} min"
    return f"in {math.ceil(seconds / HOUR_S)} h"


FILTERS: Final = {
    "count": count,
    "results": results,
    "percent": percent,
    "iso": iso,
    "instant": instant,
    "ago": ago,
    "ahead": ahead,
    "scope_of": scope_of,
    "name_in": name_in,
    "breakable": breakable,
}
