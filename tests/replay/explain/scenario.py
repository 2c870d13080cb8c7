"""A readable builder of a trial's facts: seconds since its beginning, ranks instead of pids, no files."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from worker.replay.facts import (
    WORLD,
    Collective,
    Exit,
    Frame,
    Group,
    Init,
    Linked,
    LockWait,
    Phase,
    Process,
    QueueItem,
    Raised,
    Seen,
    Sent,
    Source,
    Stack,
    StoreCall,
    Survivor,
    Teardown,
    TrialFacts,
)

MAIN = 10
NS = 1_000_000_000

TIMED_OUT = "[unbound_buffer.cc:78] Timed out waiting 3000ms for recv operation to complete"
CLOSED = (
    "[pair.cc:553] Connection closed by peer [127.0.0.1]:31872. This is typically caused by a remote worker"
)
STORE_CLOSED = (
    "Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?"
)
CLIENTS = "Timed out after 3 seconds waiting for clients. 1/2 clients joined."
IN_USE = "The server socket has failed to listen. port: 38247, code: -98, name: EADDRINUSE, message: in use"


def ns(t: float) -> int:
    return round(t * NS)


def at(line: int, function: str, file: str = "tests/test_x.py", source: str | None = None) -> Frame:
    return Frame(file, line, function, source, in_project=True)


def library(function: str = "wait", file: str = "threading.py", line: int = 300) -> Frame:
    return Frame(file, line, function)


def linked(type_: str, message: str, **more: Any) -> Linked:
    return Linked(type_, message, **more)


class Story:
    """Collects facts; each method tells one thing that happened and returns nothing unless it says so."""

    def __init__(
        self, ranks: int = 2, *, world: int | None = None, bare: bool = False, inits: bool = True
    ) -> None:
        self.bare = bare
        self.world = ranks if world is None else world
        self.said: dict[str, list[Any]] = {}
        self.counts: dict[tuple[int, str, Source], int] = {}
        self.identities = 100
        self.options: dict[str, Any] = {}
        self.add("processes", Process(MAIN, 1, ("python", "-m", "pytest"), 0, observed=not bare))
        for rank in range(ranks):
            self.start(rank)
            if inits and not bare:
                self.init(rank, 0.5, 0.6)

    def add(self, kind: str, fact: Any) -> None:
        self.said.setdefault(kind, []).append(fact)

    @staticmethod
    def pid(rank: int | None) -> int:
        return MAIN if rank is None else 100 + rank

    def start(self, rank: int, t: float = 0.1, **more: Any) -> None:
        known = {"rank": rank, "world": self.world, "rank_source": "order" if self.bare else "init"}
        facts = {"observed": not self.bare, "name": f"SpawnProcess-{rank + 1}", **known, **more}
        argv = ("python", "-c", "from multiprocessing.spawn import spawn_main", "--multiprocessing-fork")
        self.add("processes", Process(self.pid(rank), MAIN, argv, ns(t) + rank, **facts))

    def process(self, rank: int, **changes: Any) -> None:
        """Change what is known of a process."""
        processes = self.said["processes"]
        for n, one in enumerate(processes):
            if one.pid == self.pid(rank):
                processes[n] = replace(one, **changes)

    def init(
        self, rank: int, t_in: float, t_out: float | None, error: str | None = None, **more: Any
    ) -> None:
        address = more.pop("address", "tcp://127.0.0.1:29500")
        seen = more.pop("seen", Seen.UNCAUGHT)
        type_ = more.pop("type", "torch.distributed.DistStoreError")
        identity = None
        if error is not None and t_out is not None:
            identity = self.raised(rank, t_out, type_, error, seen=seen, frames=(at(12, "_init"),))
        self.add(
            "inits",
            Init(
                self.pid(rank),
                ns(t_in),
                None if t_out is None else ns(t_out),
                address=address,
                rank=rank,
                world=self.world,
                error=identity,
                site=at(12, "_init"),
                **more,
            ),
        )

    def group(self, name: str, ranks: Sequence[int], t: float = 0.7) -> None:
        for rank in ranks:
            self.add("groups", Group(self.pid(rank), name, tuple(ranks), ns(t)))

    def destroy(self, rank: int, t: float) -> None:
        self.add("teardowns", Teardown(self.pid(rank), ns(t), ns(t + 0.01)))

    def call(
        self,
        rank: int,
        t_in: float,
        t_out: float | None,
        op: str = "all_reduce",
        *,
        group: str = WORLD,
        error: str | None = None,
        source: Source = Source.WRAPPER,
        line: int = 20,
        seen: Seen = Seen.UNCAUGHT,
        type_: str = "RuntimeError",
        **more: Any,
    ) -> None:
        """A collective of a rank; with `error` it ends by an exception of that message."""
        key = (rank, group, source)
        self.counts[key] = self.counts.get(key, 0) + 1
        identity = None
        site = at(line, "_step")
        if error is not None and t_out is not None:
            identity = self.raised(rank, t_out, type_, error, seen=seen, frames=(at(30, "_worker"), site))
        facts = {"shapes": ((4,),), "dtypes": ("float32",), **more}
        if op == "all_reduce":
            facts.setdefault("reduce_op", "SUM")
        number = facts.pop("number", self.counts[key])
        out = None if t_out is None else ns(t_out)
        self.add(
            "collectives",
            Collective(
                self.pid(rank),
                group,
                number,
                op,
                ns(t_in),
                out,
                site=site,
                error=identity,
                source=source,
                **facts,
            ),
        )

    def together(
        self, t: float, op: str = "all_reduce", ranks: Sequence[int] = (0, 1), count: int = 1, **more: Any
    ) -> None:
        """The same collective on these ranks, matched."""
        for n in range(count):
            for rank in ranks:
                self.call(rank, t + n * 0.01, t + n * 0.01 + 0.005, op, **more)

    def raised(
        self,
        rank: int | None,
        t: float,
        type_: str,
        message: str,
        *,
        seen: Seen = Seen.UNCAUGHT,
        frames: Sequence[Frame] = (),
        **more: Any,
    ) -> int:
        """Returns the identity of the exception, so that it can be seen again."""
        self.identities += 1
        identity = more.pop("identity", self.identities)
        thread = more.pop("thread", "MainThread")
        self.add(
            "raised",
            Raised(ns(t), self.pid(rank), thread, seen, type_, message, identity, tuple(frames), **more),
        )
        return identity

    def store(
        self, rank: int, op: str, key: str, t_in: float, t_out: float | None, error: str | None = None
    ) -> None:
        identity = None
        if error is not None and t_out is not None:
            identity = self.raised(
                rank, t_out, "torch.distributed.DistStoreError", error, frames=(at(40, "_read"),)
            )
        out = None if t_out is None else ns(t_out)
        self.add("store_calls", StoreCall(self.pid(rank), op, key, ns(t_in), out, identity, at(40, "_read")))

    def exit(self, rank: int | None, t: float, code: int, **more: Any) -> None:
        self.add("exits", Exit(self.pid(rank), ns(t), code, more.pop("source", "pidfd"), **more))

    def sent(self, sender: int | None, target: int, t: float, number: int = 15, **more: Any) -> None:
        site = more.pop("site", at(50, "_run"))
        self.add("sent", Sent(ns(t), self.pid(sender), self.pid(target), number, site, "terminate", **more))

    def stack(self, rank: int, t: float, *frames: Frame, thread: str = "MainThread", **more: Any) -> Stack:
        """Innermost frame first. Returns it too, for what a signal's sender saw."""
        stack = Stack(ns(t), self.pid(rank), thread, frames, **more)
        self.add("stacks", stack)
        return stack

    def lock(self, rank: int, t: float, thread: str, holder: str | None, line: int) -> None:
        self.add("lock_waits", LockWait(ns(t), self.pid(rank), thread, line, holder, at(line, f"_{thread}")))

    def put(
        self, rank: int, t: float, text: str = "", *, traceback: bool = False, digest: str | None = None
    ) -> None:
        self.add(
            "items",
            QueueItem(
                ns(t),
                self.pid(rank),
                is_put=True,
                channel="q",
                digest=digest,
                holds_traceback=traceback,
                rank=rank,
                text=text,
                site=at(60, "_worker"),
            ),
        )

    def took(self, t: float, rank: int | None = None, text: str = "", **more: Any) -> None:
        more = {"traceback": False, "digest": None, **more}
        self.add(
            "items",
            QueueItem(
                ns(t),
                MAIN,
                is_put=False,
                channel="q",
                digest=more["digest"],
                holds_traceback=more["traceback"],
                rank=rank,
                text=text,
                site=at(70, "test_x"),
            ),
        )

    def survivor(self, pid: int, *argv: str, ports: Sequence[int] = ()) -> None:
        self.add("survivors", Survivor(pid, argv, "S", tuple(ports)))

    def failed(
        self, t: float = 9.0, crash: str = "assert [1, 0] == [0, 0]", *, assertion: bool = True
    ) -> None:
        """What pytest says of it, and its exit."""
        type_ = "AssertionError" if assertion else crash.split(":", maxsplit=1)[0]
        if not self.bare:
            self.add("phases", Phase(ns(t), MAIN, "tests/test_x.py::test_x", "setup", "passed"))
            self.add("phases", Phase(ns(t), MAIN, "tests/test_x.py::test_x", "call", "failed", crash))
            message = crash if assertion else crash.partition(": ")[2]
            self.raised(None, t, type_, message, seen=Seen.TEST, frames=(at(80, "test_x"),))
        self.exit(None, t + 0.2, 1)

    def passed(self, t: float = 9.0) -> None:
        if not self.bare:
            self.add("phases", Phase(ns(t), MAIN, "tests/test_x.py::test_x", "call", "passed"))
        self.exit(None, t + 0.2, 0)

    def facts(self, **options: Any) -> TrialFacts:
        ended = options.pop("ended", 10.0)
        merged = {**self.options, **options}
        if "ended_early_at" in merged and merged["ended_early_at"] is not None:
            merged["ended_early_at"] = ns(merged["ended_early_at"])
        return TrialFacts(
            self.bare,
            0,
            ns(ended),
            MAIN,
            **{kind: tuple(facts) for kind, facts in self.said.items()},
            **merged,
        )
