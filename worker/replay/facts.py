"""What one trial left behind, as facts: read from journals and from outside, judged by nobody yet.

Times are nanoseconds of the machine's monotonic clock, which all processes of one host share, so that they
order across ranks. Process ids are those inside the trial's own namespace.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from worker.replay.limits import Usage

WORLD = "WORLD"
_LIFE = re.compile(r"(.+)~([1-9][0-9]{0,6})", re.DOTALL)


def name_and_life(group: str) -> tuple[str, int]:
    """A group's name, and which of its process's worlds it belongs to: `WORLD~2` is of the second.

    Each process counts its own worlds: a rank that was started anew is in its first while its peers are in
    their second, so that names with a count are not compared between processes.
    """
    found = _LIFE.fullmatch(group) if "~" in group else None
    return (found[1], int(found[2])) if found else (group, 1)


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a stack. `file` is relative to the project where `in_project`, else as Python had it."""

    file: str
    line: int
    function: str
    source: str | None = None  # the source line, stripped
    in_project: bool = False


@dataclass(frozen=True, slots=True)
class Linked:
    """An exception behind another, its `__cause__` or `__context__`, with what stood behind it in turn."""

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    cause: "Linked | None" = None
    context: "Linked | None" = None


class Seen(StrEnum):
    """Where the probe met an exception."""

    UNCAUGHT = "uncaught"  # left the worker's function, its thread, or the interpreter
    REPORTED = "reported"  # was being formatted, put on a queue or pipe, or cleaned up after
    HANDLED = "handled"  # was seen in a handler; only a difference from passing trials is evidence
    TEST = "test"  # what pytest says of the test's own phase


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception at one moment of one process. The same object met again is the same `identity`."""

    t: int
    pid: int
    thread: str
    seen: Seen
    type: str  # "ValueError"; with its module where that is not builtins
    message: str
    identity: int
    frames: tuple[Frame, ...] = ()  # outer to inner
    cause: Linked | None = None
    context: Linked | None = None
    counters: Mapping[str, int] = field(default_factory=dict)  # group -> collectives entered by then
    errno: int | None = None


class Source(StrEnum):
    """Who saw a collective. The two number differently and are never mixed in one count."""

    WRAPPER = "wrapper"  # the call that the test's code made
    FLIGHT_RECORDER = "flight-recorder"  # torch's own ring: also DTensor, FSDP2, DDP, functional


@dataclass(frozen=True, slots=True)
class Collective:
    """One collective of one process; `number` counts from 1 per process, group and source, outermost only."""

    pid: int
    group: str  # WORLD, or the name that every member knows the group by
    number: int
    op: str  # "all_reduce", "barrier", ...
    t_in: int
    t_out: int | None  # None: still inside when the record ends
    reduce_op: str | None = None
    shapes: tuple[tuple[int, ...], ...] = ()
    dtypes: tuple[str, ...] = ()
    root: int | None = None  # global rank of src or dst
    site: Frame | None = None  # innermost project frame of the call
    is_async: bool = False
    error: int | None = None  # identity of the exception that it ended with; 0 where only the fact is known
    thread: str = "MainThread"
    source: Source = Source.WRAPPER
    waiting_since: int | None = None  # an async one: when its wait() began, None if never
    peer: int | None = None  # of send and recv: the other rank


@dataclass(frozen=True, slots=True)
class Group:
    """A process group as one process knows it."""

    pid: int
    name: str
    ranks: tuple[int, ...]
    t: int
    timeout_s: float | None = None
    destroyed_at: int | None = None


@dataclass(frozen=True, slots=True)
class Init:
    """A call of init_process_group (or new_group, where `group` is not WORLD)."""

    pid: int
    t_in: int
    t_out: int | None
    group: str = WORLD
    backend: str | None = None
    address: str | None = None  # host:port, file or env, as given
    rank: int | None = None
    world: int | None = None
    timeout_s: float | None = None
    error: int | None = None
    site: Frame | None = None
    in_try: bool | None = None  # a handler or finally of the calling function covers the call


@dataclass(frozen=True, slots=True)
class Teardown:
    """A call of destroy_process_group."""

    pid: int
    t_in: int
    t_out: int | None
    group: str = WORLD
    error: int | None = None


@dataclass(frozen=True, slots=True)
class StoreCall:
    """One operation on a c10d store."""

    pid: int
    op: str
    key: str
    t_in: int
    t_out: int | None
    error: int | None = None
    site: Frame | None = None


@dataclass(frozen=True, slots=True)
class QueueItem:
    """Something put on, or taken off, a queue or pipe between processes."""

    t: int
    pid: int
    is_put: bool
    channel: str  # the same text on both sides
    digest: (
        str | None
    )  # of the content, equal on both sides; None where it could not be had without side effects
    holds_traceback: bool
    rank: int | None = None  # as the item itself says, or the putting process's
    text: str = ""  # the traceback's last line, or a short form of the item
    site: Frame | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A signal that one process of the tree sent to another, as the sender's side saw it."""

    t: int
    sender: int
    target: int
    signal: int
    site: Frame | None = None
    how: str = "kill"  # "terminate", "kill", "send_signal", "os.kill"
    target_state: str | None = None  # R, S, D, T, Z of /proc at that moment
    target_cpu_grew: bool | None = None  # its CPU time grew while it was looked at
    target_stacks: tuple["Stack", ...] = ()


class Ending(StrEnum):
    """How a process left, as far as its own journal tells."""

    RETURNED = "returned"  # its function returned and the interpreter began to exit
    OS_EXIT = "os._exit"
    SYS_EXIT = "sys.exit"
    UNCAUGHT = "uncaught"


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a process as its parent or the kernel saw it; `code` is negative for a signal."""

    pid: int
    t: int
    code: int
    source: str  # "proc-connector", "pidfd", "ptrace", "wait", "parent", "journal"
    core_dumped: bool = False
    by_us: bool = False  # killed by the end of the trial: says nothing of the test

    @property
    def signal(self) -> int | None:
        return -self.code if self.code < 0 else None


@dataclass(frozen=True, slots=True)
class Stack:
    """The stack of one thread at one moment, innermost frame first (as faulthandler writes it)."""

    t: int
    pid: int
    thread: str
    frames: tuple[Frame, ...]
    is_current: bool = False  # the thread that died, or the main one
    reason: str = "asked"  # "asked", "fatal", "terminate"
    fatal: str | None = None  # faulthandler's own line: "Segmentation fault", "Aborted"


@dataclass(frozen=True, slots=True)
class LockWait:
    """A thread that waited for a lock, and who held it, where that could be seen."""

    t: int
    pid: int
    thread: str
    lock: int
    holder: str | None
    site: Frame | None = None


@dataclass(frozen=True, slots=True)
class Process:
    """One process of the tree. `observed` is False where the probe, riding in others, did not reach it."""

    pid: int
    parent: int | None
    argv: tuple[str, ...]
    started: int
    began: str = "exec"  # "exec" or "fork"
    name: str | None = None  # multiprocessing's
    python: str | None = None
    torch: str | None = None
    rank: int | None = None
    world: int | None = None
    rank_source: str | None = None  # "init", "env", "argument", "thread"
    observed: bool = False
    is_python: bool = True
    exiting_at: int | None = None  # the interpreter began to exit
    work_done_at: int | None = None  # its target function returned, or its group was destroyed
    ending: Ending | None = None
    exit_code_said: int | None = None  # of os._exit and sys.exit
    last_words: tuple[str, ...] = ()  # last lines of its stderr that name an abort


@dataclass(frozen=True, slots=True)
class Phase:
    """A pytest phase of the test under replay."""

    t: int
    pid: int
    test: str
    when: str  # "setup", "call", "teardown", "collect"
    outcome: str  # "passed", "failed", "skipped"
    crash: str = ""  # pytest's one line: what failed where
    file: str | None = None
    line: int | None = None
    frames: tuple[Frame, ...] = ()  # outer to inner, as the results file of a bare trial has them
    behind: tuple[str, ...] = ()  # there too: such lines of what it was raised from, the first one first
    opaque: bool = False  # there too: its signature holds no cause


@dataclass(frozen=True, slots=True)
class Pause:
    """A rank that the arm stopped and continued."""

    pid: int
    t_in: int
    t_out: int


@dataclass(frozen=True, slots=True)
class Throttling:
    """Between two looks at the quota's counter the whole tree stood still for `stood_ns` in sum."""

    t_in: int
    t_out: int
    stood_ns: int


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process still alive when the test's main process had ended."""

    pid: int
    argv: tuple[str, ...]
    state: str
    ports: tuple[int, ...] = ()  # local ports that it listened on


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """Everything known of one trial, each tuple in order of time."""

    bare: bool
    began: int
    ended: int
    main: int  # pid of pytest's process
    processes: tuple[Process, ...] = ()
    exits: tuple[Exit, ...] = ()
    inits: tuple[Init, ...] = ()
    teardowns: tuple[Teardown, ...] = ()
    groups: tuple[Group, ...] = ()
    collectives: tuple[Collective, ...] = ()
    store_calls: tuple[StoreCall, ...] = ()
    raised: tuple[Raised, ...] = ()
    items: tuple[QueueItem, ...] = ()
    sent: tuple[Sent, ...] = ()
    stacks: tuple[Stack, ...] = ()
    lock_waits: tuple[LockWait, ...] = ()
    phases: tuple[Phase, ...] = ()
    pauses: tuple[Pause, ...] = ()
    survivors: tuple[Survivor, ...] = ()
    usage: Usage = field(default_factory=Usage)
    stderr_tail: str = ""
    timed_out: bool = False  # ended by the trial's own wall time
    ended_early_at: int | None = None  # ended by us, with proof
    throttling: tuple[Throttling, ...] = ()  # of looks a fraction of a second apart, where there was a quota
    torn: tuple[str, ...] = ()  # journals that end in the middle of a record, or could not be read
