"""Missing evidence told to people, so that silence is not read as a pass."""

from collections.abc import Iterable

from app.domain import markdown
from app.domain.gap import Gap
from app.domain.wording import counted

_LEAD = "**Missing evidence**, which is not a pass:"


def gaps_told(gaps: Iterable[Gap], *, limit_bytes: int) -> str:
    """A list of the gaps, each once; those that do not fit are counted. Empty if there are none."""
    rows = [_row(gap) for gap in sorted(set(gaps))]
    if not rows:
        return ""
    shown: list[str] = []
    room = limit_bytes - len(_LEAD) - 50
    for row in rows:
        room -= len(row.encode()) + 1
        if room < 0:
            break
        shown.append(row)
    left = len(rows) - len(shown)
    more = [f"- {counted(left, 'more gap' if shown else 'gap')}, shown on the dashboard"] if left else []
    return "\n".join([_LEAD, "", *shown, *more])


def _row(gap: Gap) -> str:
    said = f": {markdown.inline(gap.detail, 300)}" if gap.detail else ""
    return f"- {markdown.code(gap.subject)} ({gap.kind.replace('-', ' ')}){said}"
