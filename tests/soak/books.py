"""What the service's databases say after a part of the soak, held against what was told and acknowledged."""

from collections import Counter
from collections.abc import Set as AbstractSet

from sqlalchemy import func, select
from traffic import REPO, Told

from app.standin.server import StandIn
from app.store import tasks
from app.store.inbox import DeliveryRow, DeliveryState
from app.store.results import DailyCountRow
from app.store.runs import AttemptRow, RunRow
from app.store.session import read_only
from app.store.tasks import TaskState
from worker.quiet import Quiet


def faults(quiet: Quiet, standin: StandIn, told: Told, acknowledged: AbstractSet[str]) -> list[str]:
    """In words, all that is not as it should be; empty if nothing is lost and nothing happened twice."""
    return [*_of_inbox(quiet, acknowledged), *_of_store(quiet, told), *_of_github(standin, told)]


def _of_inbox(quiet: Quiet, acknowledged: AbstractSet[str]) -> list[str]:
    with read_only(quiet.inbox) as session:
        states = {row.guid: row.state for row in session.execute(select(DeliveryRow.guid, DeliveryRow.state))}
    lost = acknowledged - states.keys()
    waiting = [guid for guid, state in states.items() if state == DeliveryState.WAITING.value]
    unread = [guid for guid, state in states.items() if state == DeliveryState.UNREADABLE.value]
    return _told("acknowledged deliveries are not in the inbox", lost) + _told(
        "deliveries were not processed", [*waiting, *unread]
    )


def _of_store(quiet: Quiet, told: Told) -> list[str]:
    with read_only(quiet.store) as session:
        states = tasks.counts(session)
        judged = {
            (run, number): judged_at is not None
            for run, number, judged_at in session.execute(
                select(RunRow.github_id, AttemptRow.number, AttemptRow.judged_at).join(
                    RunRow, RunRow.id == AttemptRow.run_id
                )
            )
        }
        counted = session.execute(select(func.sum(DailyCountRow.ran), func.sum(DailyCountRow.red))).one()
    expected = (told.results, told.red)
    return [
        *_told("attempts are not recorded", told.attempts - judged.keys()),
        *_told("attempts are recorded that nobody told", judged.keys() - told.attempts),
        *_told("attempts are not judged", [key for key, is_judged in judged.items() if not is_judged]),
        *(f"{count} tasks are {state}" for state, count in states.items() if state is not TaskState.DONE),
        *([f"counted {tuple(counted)} results, told were {expected}"] if tuple(counted) != expected else []),
    ]


def _of_github(standin: StandIn, told: Told) -> list[str]:
    talk, repository = standin.state.talk, standin.state.repository(REPO)
    comments = Counter(one.number for one in talk.comments.values())
    is_open = [issue for issue in talk.issues_of(repository) if issue.state == "open"]
    doubled = standin.duplicate_effects
    return [
        *_told("red pull requests have no comment", told.red_now - comments.keys()),
        *_told("pull requests that were never red have one", comments.keys() - told.ever_red),
        *_told("pull requests have several", [pull for pull, count in comments.items() if count > 1]),
        *([f"{len(is_open)} alerts are open"] if len(is_open) > 1 else []),
        *([f"{doubled} effects were doubled"] if doubled else []),
    ]


def _told(what: str, which: object) -> list[str]:
    found = sorted(which, key=str)  # type: ignore[call-overload]
    return [f"{len(found)} {what}: {found[:3]}"] if found else []
