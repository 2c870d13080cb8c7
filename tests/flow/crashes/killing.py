"""Play the story once for each point, on a fresh store, and compare each end with the undisturbed one."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from fixtures_postgres import Server
from nursery import Nursery
from points import Point, points_of
from pydantic import SecretStr
from stage_play import play
from stored_facts import Facts, differences

from app.settings import Settings

Ground = Callable[[Path], AbstractContextManager[Settings]]
"""Makes a migrated store for one play; the folder, which is not there yet, is for all that is not in it."""


def on_sqlite(migrated: Path) -> Ground:
    @contextmanager
    def ground(folder: Path) -> Iterator[Settings]:
        shutil.copytree(migrated, folder)
        yield Settings(data_dir=folder)
        shutil.rmtree(folder)

    return ground


def on_postgres(server: Server) -> Ground:
    @contextmanager
    def ground(folder: Path) -> Iterator[Settings]:
        folder.mkdir()
        url = server.new_database()
        yield Settings(data_dir=folder, database_url=SecretStr(url))
        server.drop(url)

    return ground


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """What is known after a play in which nobody dies, and the points that it passed."""

    facts: Facts
    points: Sequence[Point]


def undisturbed(nursery: Nursery, ground: Ground, folder: Path) -> tuple[Facts, list[list[str]]]:
    """In JSON's types, to be shared."""
    with ground(folder) as settings, play(nursery, settings) as quiet:
        told = quiet.run()
        assert quiet.standin.duplicate_effects == 0
    return told


def as_undisturbed(told: tuple[Facts, list[list[str]]]) -> Undisturbed:
    facts, chapters = told
    return Undisturbed(facts, points_of(chapters))


def kill_at(points: Sequence[Point], expected: Facts, nursery: Nursery, ground: Ground, folder: Path) -> None:
    """Prints how each went; fails with all that ended otherwise."""
    wrong: list[str] = []
    for number, point in enumerate(points):
        began_s = time.monotonic()
        try:
            troubles = _troubles(point, expected, nursery, ground, folder / str(number))
        except AssertionError as error:
            troubles = [str(error)]
        wrong += [f"{point}: {trouble}" for trouble in troubles]
        print(f"{'DIFFERENT' if troubles else 'equal'} {time.monotonic() - began_s:5.1f} s  {point}")  # noqa: T201 - the figures
    print(f"{len(points)} points killed at")  # noqa: T201 - the same
    assert wrong == [], "\n".join(wrong)


def _troubles(point: Point, expected: Facts, nursery: Nursery, ground: Ground, folder: Path) -> list[str]:
    with ground(folder) as settings, play(nursery, settings) as disturbed:

        def order(chapter: int) -> None:
            if chapter == point.chapter:
                disturbed.service.order_kill(point.moment)

        found, _ = disturbed.run(order, until=lambda: disturbed.service.is_struck)
        troubles = differences(found, expected)
        if disturbed.standin.duplicate_effects:
            troubles.append(f"{disturbed.standin.duplicate_effects} effects were doubled")
        if not disturbed.service.is_struck:
            troubles.append("the moment never came")
    return troubles
