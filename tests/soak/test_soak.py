"""Twenty minutes at 20 deliveries/s under kills, in three parts over one store; `make accept ONLY=soak-1` ...

Each part carries on where the last one ended, in the folder `.soak`; part 1 begins anew. `SECONDS=` makes a
part shorter, `SEED=` another one.
"""

import os
import pickle
import random
import shutil
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import pytest
from books import faults
from post import Post
from pydantic import SecretStr
from soak_crew import Crew, Member, Sample
from sqlalchemy import func, select
from traffic import Told, Traffic

from app.clock import SystemClock
from app.settings import Settings
from app.standin.server import StandIn
from app.standin.webhooks import Mailbox
from app.store import tasks
from app.store.inbox import DeliveryRow, DeliveryState
from app.store.session import read_only
from app.store.tasks import TaskState
from worker.quiet import Quiet
from worker.upgrade import upgrade

FOLDER = Path(__file__).parents[2] / ".soak"
SECONDS = float(os.environ.get("SECONDS") or 420)  # noqa: TID251 - a switch of this test alone
SEED = int(os.environ.get("SEED") or 1)  # noqa: TID251 - the same
CLOCK = SystemClock()
SECRET = "the soak's webhook secret"
KILLS_END = 0.6
"""Of a part; then both processes live on to its end, so that growth of memory has time to show."""
KILL_EVERY_S = (5.0, 20.0)
RUN_EVERY_S = 1.0
DRAIN_WITHIN_S = float(os.environ.get("DRAIN") or 110)  # noqa: TID251 - the same
GROWTH = 1.25
"""Median memory of the last third of the calm time over that of the first; the store grows all the while."""
WARM_S = 30.0
"""From the start of a process; what it needs anyway is in memory by then."""
CALM_S = 90.0
"""A shorter time says nothing of growth."""


@dataclass(slots=True)
class Watched:
    """Looked at once a second."""

    unfinished: list[int] = field(default_factory=list)
    oldest_s: list[float] = field(default_factory=list)


class Soak:
    """One part: everything that runs, and what was seen of it."""

    def __init__(self, standin: StandIn, settings: Settings, told: Told) -> None:
        self.standin, self.told = standin, told
        url = f"http://127.0.0.1:{settings.port}/webhooks/github"
        self.mailbox = Mailbox(standin, url=url, secret=SECRET)
        self.mailbox._written = len(told.attempts) * 100
        self.traffic = Traffic(standin.state, self.mailbox, told, seed=SEED)
        self.post = Post(url, SECRET)
        self.crew = Crew(settings, FOLDER / "service.log")
        self.quiet = Quiet.of(settings)
        self.watched = Watched()
        self.drain_s = 0.0
        self._known = len(told.attempts)

    def run(self) -> None:
        began_s = time.monotonic()
        with ExitStack() as stack:
            stack.callback(self.crew.end)
            for name in self.crew.members:
                self.crew.start(name, now_s=began_s)
            stack.enter_context(self.post.open())
            self._live(began_s)
            ended_s = time.monotonic()
            self._drain(ended_s)
            self.drain_s = time.monotonic() - ended_s

    def _live(self, began_s: float) -> None:
        kills = random.Random(f"kills {SEED} {self.told.runs}")
        next_run_s, next_look_s = began_s, began_s + 1
        next_kill_s = began_s + kills.uniform(*KILL_EVERY_S)
        while (now_s := time.monotonic()) < began_s + SECONDS:
            if now_s >= next_run_s:
                self.post.accept(self.traffic.next_run(CLOCK.now()), now_s=now_s)
                next_run_s += RUN_EVERY_S
            if now_s >= next_kill_s and now_s < began_s + KILLS_END * SECONDS:
                victim = kills.choice(("web", "worker"))
                self.crew.kill(victim, now_s=now_s)
                next_kill_s = now_s + kills.uniform(*KILL_EVERY_S)
            if now_s >= next_look_s:
                self._look(now_s)
                next_look_s = now_s + 1
            time.sleep(max(0.0, min(next_run_s, next_look_s) - time.monotonic()))

    def _drain(self, ended_s: float) -> None:
        """Until nothing is left to do, though not for ever: what is left then is told as a fault."""
        deadline_s = ended_s + DRAIN_WITHIN_S
        while time.monotonic() < deadline_s and not (self.post.is_empty and self.quiet.is_quiet()):
            time.sleep(0.2)
        for name in self.crew.members:
            self.crew.sample(name, now_s=time.monotonic())

    def _look(self, now_s: float) -> None:
        for name in self.crew.members:
            self.crew.sample(name, now_s=now_s)
        with read_only(self.quiet.store) as session:
            counts = tasks.counts(session)
        waiting = DeliveryRow.state == DeliveryState.WAITING.value
        with read_only(self.quiet.inbox) as session:
            oldest = session.scalars(select(func.min(DeliveryRow.received_at)).where(waiting)).one()
        self.watched.unfinished.append(sum(counts.values()) - counts.get(TaskState.DONE, 0))
        age_s = (CLOCK.now() - oldest).total_seconds() if oldest else 0.0
        self.watched.oldest_s.append(age_s)

    def growth(self, name: str) -> tuple[float, float] | None:
        """Median MB of the first and of the last third of the time since the last kill; None if too short."""
        calm = [one for one in self._since_last_start(name) if one.age_s > WARM_S]
        third = len(calm) // 3
        if not third or calm[-1].age_s < WARM_S + CALM_S:
            return None
        return median(one.rss_mb for one in calm[:third]), median(one.rss_mb for one in calm[-third:])

    def _since_last_start(self, name: str) -> list[Sample]:
        samples = self.crew.members[name].samples
        started_s = samples[-1].at_s - samples[-1].age_s
        return [one for one in samples if one.at_s > started_s]

    def _cpu(self, member: Member) -> str:
        return f"{member.cpu_s:.1f} s, {1000 * member.cpu_s / self.new:.0f} ms an attempt"

    def _memory(self, name: str) -> str:
        most = max(one.rss_mb for one in self.crew.members[name].samples)
        grown = self.growth(name)
        return f"most {most:.0f} MB" + ("" if grown is None else "; {:.0f} MB, then {:.0f} MB".format(*grown))

    @property
    def new(self) -> int:
        """Attempts of this part."""
        return len(self.told.attempts) - self._known

    def table(self) -> str:
        post, members = self.post, self.crew.members
        sizes = {file.name: file.stat().st_size / 1e6 for file in (FOLDER / "data").glob("*.db")}
        rows = [
            ("deliveries acknowledged", f"{post.answers}, {len(post.acknowledged)} different"),
            ("a second", f"{post.answers / SECONDS:.1f}"),
            ("not acknowledged, sent again", str(post.refused)),
            ("acknowledgement", _spread(post.latencies_s, unit="ms", times=1000)),
            ("oldest delivery not relayed", _spread(self.watched.oldest_s, unit="s")),
            ("tasks unfinished", _spread([float(one) for one in self.watched.unfinished], unit="")),
            ("drained after", f"{self.drain_s:.1f} s"),
            ("attempts", f"{self.new}; in all parts {len(self.told.attempts)}, {self.told.red} of them red"),
            (
                "comments, alerts",
                f"{len(self.standin.state.talk.comments)}, {len(self.standin.state.talk.issues)}",
            ),
            ("effects doubled", str(self.standin.duplicate_effects)),
            *((f"kills of {name}", str(one.kills)) for name, one in members.items()),
            *((f"CPU of {name}", self._cpu(one)) for name, one in members.items()),
            *((f"memory of {name}", self._memory(name)) for name in members),
            ("load of the machine", "{:.1f}, {:.1f}, {:.1f}".format(*os.getloadavg())),
            ("store", ", ".join(f"{name} {mb:.1f} MB" for name, mb in sorted(sizes.items()))),
        ]
        return "\n".join(f"{name:<30} {value}" for name, value in rows)


def _spread(values: Sequence[float], *, unit: str, times: float = 1) -> str:
    cuts = quantiles(values, n=100)
    return f"p50 {cuts[49] * times:.1f}, p99 {cuts[98] * times:.1f}, most {max(values) * times:.1f} {unit}"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _settings(standin: StandIn) -> Settings:
    return Settings(
        data_dir=FOLDER / "data",
        port=_free_port(),
        webhook_secret=SecretStr(SECRET),
        github_api_url=standin.api_url,
        github_token=SecretStr(standin.state.token),
        allow_private_downloads=True,
    )


@pytest.mark.accept
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", [1, 2, 3], ids=["soak_1", "soak_2", "soak_3"])
def test_nothing_is_lost_or_doubled_or_grows(part: int) -> None:
    kept = FOLDER / f"world-{part - 1}.pickle"
    if part == 1:
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir()
    elif not kept.exists():
        pytest.skip(f"part {part - 1} has not been run")
    with StandIn.start() as standin:
        told = Told() if part == 1 else _wake(kept, standin)
        settings = _settings(standin)
        upgrade(settings)
        soak = Soak(standin, settings, told)
        if part == 1:
            soak.traffic.begin(CLOCK.now())
        soak.run()
        print(f"\npart {part}: {SECONDS:.0f} s, seed {SEED}\n{soak.table()}")  # noqa: T201 - the figures
        found = faults(soak.quiet, standin, told, soak.post.acknowledged)
        if not soak.post.is_empty:
            found.append("letters were never acknowledged")
        soak.quiet.close()
        (FOLDER / f"world-{part}.pickle").write_bytes(pickle.dumps((told, vars(standin.state))))
    assert found == []
    for name in soak.crew.members:
        first_mb, last_mb = soak.growth(name) or (1.0, 1.0)
        assert last_mb <= GROWTH * first_mb, f"{name} grew from {first_mb:.0f} to {last_mb:.0f} MB"


def _wake(kept: Path, standin: StandIn) -> Told:
    """Have the stand-in know again what it knew at the end of the part before."""
    told, state = pickle.loads(kept.read_bytes())
    vars(standin.state).update(state)
    assert isinstance(told, Told)
    return told
