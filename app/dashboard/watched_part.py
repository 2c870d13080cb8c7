"""Repositories whose lists of runs are looked at, each with what the last look came to."""

from typing import Final

from sqlalchemy.orm import Session

from app.dashboard.parts import Mark
from app.dashboard.problem_parts import WatchedRepo
from app.domain.look_trouble import renamed_told, trouble_told
from app.domain.wording import counted
from app.store import watch
from app.store.watch import Watched

BAD: Final = Mark("problem", "bang", "bad")
WAITS: Final = Mark("waits", "question", "open")
GOOD: Final = Mark("read", "check", "good")


def watched_views(session: Session) -> tuple[WatchedRepo, ...]:
    """By name; those that somebody has to mend bear the bad mark."""
    return tuple(_view(one) for one in watch.listed(session))


def _view(one: Watched) -> WatchedRepo:
    mark, said = _state(one)
    return WatchedRepo(one.name, mark, said, one.looked_at)


def _state(one: Watched) -> tuple[Mark, str]:
    if one.trouble is not None:
        mark = BAD if one.trouble.needs_somebody else WAITS
        return mark, trouble_told(one.trouble, one.trouble_told)
    seen = one.seen
    if seen.renamed_to is not None:
        return BAD, renamed_told(seen.renamed_to)
    if one.looked_at is None:
        return WAITS, "not looked at yet"
    said = (
        f"{counted(seen.ordered, 'run')} found that no webhook had told of"
        if seen.ordered
        else "none missing"
    )
    if seen.left_unread:
        said += f"; {seen.left_unread} from before the first look stay unread"
    return GOOD, said
