"""Every request to GitHub meets every trouble that passes: the end is as if nothing had happened.

The requests are those of an undisturbed play, each kind in its first and in its last place. Here the service
runs in one thread with a clock that only the tests move, so that waits of minutes take no time.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from fixtures_github import ManualClock
from pipeline import Pipeline, open_pipeline
from sharing import Share
from short_story import ShortStory
from stage_play import queue_facts
from stored_facts import Facts, differences, github_facts, stored_facts, whatever_came_first
from structlog.testing import capture_logs

from app.settings import Settings
from app.standin.faults import (
    BAD_GATEWAY,
    EXPIRED_LINK,
    LOST_ANSWER,
    RESET,
    SECONDARY_LIMIT,
    SERVER_ERROR,
    Fault,
    answer,
    store_answer,
    too_many_requests,
)
from app.standin.server import StandIn

PASSES = Fault()
EVERYWHERE = {
    "answers that break off": (LOST_ANSWER,) * 4,
    "connections that break": (RESET,) * 4,
}
OF_THE_API = EVERYWHERE | {
    "errors of its own": (BAD_GATEWAY, SERVER_ERROR, BAD_GATEWAY, SERVER_ERROR),
    "a secondary limit": (SECONDARY_LIMIT, SECONDARY_LIMIT),
    "a secondary limit that names a time": (
        answer(403, "You have exceeded a secondary rate limit.", retry_after="90"),
    ),
    "too many requests": (too_many_requests(120),),
}
OF_THE_STORE = EVERYWHERE | {
    "a store that is busy": (store_answer(503, "ServerBusy"),) * 4,
    "links that have expired": (EXPIRED_LINK, EXPIRED_LINK),
}
"""Of the place that artifacts and logs are downloaded from."""

PARTS, SPREAD = 8, 6

_ASKED_LATER = re.compile(r":(?:later|lint) \w+ done$")
"""Verdicts do not wait for a test's source: where GitHub is away it is asked for later, and told again."""
_ID = re.compile(r"/(?:\d+|[0-9a-f]{40}(?:\.\.\.[0-9a-f]{40})?)(?=/|$)")


@dataclass(frozen=True, slots=True)
class Trouble:
    """What happens to the request for `path` after `earlier` of them went well."""

    method: str
    path: str
    earlier: int
    name: str

    @property
    def faults(self) -> tuple[Fault, ...]:
        return (PASSES,) * self.earlier + (OF_THE_API | OF_THE_STORE)[self.name]

    def __str__(self) -> str:
        return f"{self.method} {self.path}, {self.earlier} before: {self.name}"


def troubles_of(requests: Sequence[str]) -> list[Trouble]:
    """All troubles of each kind of request, where it is made first and where last."""
    kinds: dict[str, list[int]] = {}
    for place, request in enumerate(requests):
        kinds.setdefault(_ID.sub("/*", request), []).append(place)
    places = sorted({place for found in kinds.values() for place in (found[0], found[-1])})
    return [
        Trouble(*requests[place].split(" ", 1), earlier=requests[:place].count(requests[place]), name=name)
        for place in places
        for name in (
            OF_THE_API if "/repos/" in requests[place] or "/user" in requests[place] else OF_THE_STORE
        )
    ]


@contextmanager
def played(migrated: Path, folder: Path, trouble: Trouble | None = None) -> Iterator[Pipeline]:
    shutil.copytree(migrated, folder)
    clock = ManualClock()
    with (
        StandIn.start(clock=clock) as standin,
        open_pipeline(Settings(data_dir=folder, keep_failures_days=36_500), standin, clock) as made,
    ):
        if trouble is not None:
            standin.state.faults.inject(trouble.path, *trouble.faults, method=trouble.method)
        for chapter in ShortStory(standin.state, made.mailbox).chapters:
            for letter in chapter():
                assert made.send(letter) in {200, 202}
            made.drain()
        yield made


def facts_of(made: Pipeline) -> Facts:
    facts = stored_facts(made.deps.store) | github_facts(made.stand_in)
    queue = queue_facts(made.deps.store, made.deps.inbox)
    queue["tasks"] = [one for one in queue["tasks"] if not _ASKED_LATER.search(one)]
    return whatever_came_first(facts) | queue


@pytest.fixture(scope="module")
def quiet(
    share: Share, migrated: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Facts, list[Trouble]]:
    def once() -> tuple[Facts, list[str]]:
        folder = tmp_path_factory.mktemp("quiet") / "data"
        with capture_logs(), played(migrated, folder) as made:
            return facts_of(made), made.stand_in.requests

    facts, requests = share("troubles", "quiet", once)
    return facts, troubles_of(requests)


def meet(troubles: Sequence[Trouble], expected: Facts, migrated: Path, folder: Path) -> None:
    """Prints how many there were; fails with all that ended otherwise."""
    wrong: list[str] = []
    for number, trouble in enumerate(troubles):
        with capture_logs(), played(migrated, folder / str(number), trouble) as made:
            found = [*differences(facts_of(made), expected), *(f"dead: {error}" for error in made.dead())]
            if made.stand_in.duplicate_effects:
                found.append(f"{made.stand_in.duplicate_effects} effects were doubled")
            wrong += [f"{trouble}: {one}" for one in found]
        shutil.rmtree(folder / str(number))
    print(f"{len(troubles)} troubles met")  # noqa: T201 - the figures
    assert wrong == [], "\n".join(wrong)


def test_every_kind_of_write_is_among_the_requests(quiet: tuple[Facts, list[Trouble]]) -> None:
    asked = {f"{one.method} {_ID.sub('/*', one.path)}" for one in quiet[1]}
    assert {one for one in asked if not one.startswith("GET ")} == {
        "POST /repos/acme/gefen/issues",
        "POST /repos/acme/gefen/issues/*/comments",
        "PATCH /repos/acme/gefen/issues/*",
        "PATCH /repos/acme/gefen/issues/comments/*",
    }
    assert {"GET /logs/*", "GET /artifacts/*"} < asked


@pytest.mark.timeout(300)
def test_spread_of_troubles_changes_nothing(
    quiet: tuple[Facts, list[Trouble]], migrated: Path, tmp_path: Path
) -> None:
    facts, troubles = quiet
    meet(troubles[:: len(troubles) // SPREAD], facts, migrated, tmp_path)


@pytest.mark.accept
@pytest.mark.parametrize("part", range(PARTS))
def test_every_trouble_at_every_request_changes_nothing(
    part: int, quiet: tuple[Facts, list[Trouble]], migrated: Path, tmp_path: Path
) -> None:
    facts, troubles = quiet
    meet(troubles[part::PARTS], facts, migrated, tmp_path)
