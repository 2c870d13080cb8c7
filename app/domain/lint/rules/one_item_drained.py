"""The parent reads fewer items than its processes put, so a report stays unread.

In the incident behind this rule every rank had an `except` that put its traceback on one queue, and the
parent took one item: the success of rank 0. The traceback of rank 1 was written, sent, received, and thrown
away.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.lint.channels import Medium, Taken, Told, is_handed_on, is_same, taken
from app.domain.lint.draining import ONE_OF_EACH, Alone, drain, put_of_each, result_of_one
from app.domain.lint.finding import Rule
from app.domain.lint.frames import Value
from app.domain.lint.mending import mend, name_of, processes_name
from app.domain.lint.program import Program, Root
from app.domain.lint.rank_guards import rank_guard
from app.domain.lint.reporting import Reporting
from app.domain.lint.steps import Part, Step, Within, is_loop
from app.domain.lint.weakness import Weakness
from app.domain.lint.workers import How, Worker, repetitions


@dataclass(frozen=True, slots=True, eq=False)
class _Channel:
    """One queue or pipe with the processes that put on it, of one way into the file.

    `is_of_failures`: nothing is put on it but where something was raised, so the first item tells enough.
    """

    made: Value
    workers: tuple[Worker, ...]
    is_of_failures: bool


@dataclass(frozen=True, slots=True, eq=False)
class TooFew:
    """The first read of a channel on which more is put; `put` is None where it is not told how much."""

    read: Taken
    put: int | None
    taken: int
    workers: tuple[Worker, ...]

    def result_of_one(self, program: Program) -> Alone | None:
        """What one rank alone puts where all is well."""
        found = (result_of_one(program, worker, self.read) for worker in self.workers)
        return next((result for result in found if result is not None), None)


def find(program: Program) -> Iterator[Weakness]:
    for root in program.roots:
        for few in too_few(program, root):
            yield _weakness(program, root, few)


def too_few(program: Program, root: Root) -> Iterator[TooFew]:
    """The channels of which the parent reads fewer items than its processes put."""
    reads = list(taken(program, root.steps))
    for channel in _channels(program, root):
        mine = [read for read in reads if is_same(read.channel, channel.made)]
        if mine and not channel.is_of_failures and not _is_read_elsewhere(program, root, channel):
            put, several = _put_count(program, channel, mine[0].step)
            count = _read_count(program, channel, mine)
            if several and count is not None and count < (put if put is not None else 2):
                yield TooFew(mine[0], put, count, channel.workers)


def _channels(program: Program, root: Root) -> list[_Channel]:
    """The queues and pipes on which more than one rank may put."""
    found: dict[ast.AST, list[tuple[Worker, Told]]] = {}
    for worker in root.workers:
        if worker.start.how in {How.PROCESS, How.SPAWN}:
            for one in Reporting(program, worker).told:
                if one.medium is Medium.QUEUE:
                    found.setdefault(one.channel.node, []).append((worker, one))
    channels = [_channel(program, told) for made, told in found.items() if isinstance(made, ast.Call)]
    return [channel for channel in channels if channel.workers]


def _channel(program: Program, told: list[tuple[Worker, Told]]) -> _Channel:
    in_handlers = (any(w.part is Part.HANDLER for w in one.step.within) for _, one in told)
    open_to_all = (worker for worker, one in told if rank_guard(program, one.step) is None)
    workers = tuple(dict.fromkeys(open_to_all))
    return _Channel(told[0][1].channel, workers, is_of_failures=all(in_handlers))


def _is_read_elsewhere(program: Program, root: Root, channel: _Channel) -> bool:
    """Whether another process, or code that the file does not show, may read it too."""
    starts: set[ast.AST] = {start.step.node for start in root.starts if start.step is not None}
    if is_handed_on(program, root.steps, channel.made, starts):
        return True
    for worker in root.workers:
        steps = program.steps(worker.frame)
        if any(is_same(read.channel, channel.made) for read in taken(program, steps)):
            return True
    return False


def _put_count(program: Program, channel: _Channel, read: Step) -> tuple[int | None, bool]:
    """How many processes put, None if it is not told; and whether they are several."""
    total: int | None = 0
    several = len(channel.workers) > 1
    for worker in channel.workers:
        step = worker.start.step
        assert step is not None
        count = worker.start.count
        if worker.start.how is How.PROCESS:
            count = _times(program, _beyond(step, read))
        several = several or count != 1
        total = None if count is None or total is None else total + count
    return total, several


def _beyond(step: Step, other: Step) -> list[Within]:
    """The loops around a step that are not around the other one too."""
    shared = {within.node for within in other.within}
    return [within for within in step.within if is_loop(within) and within.node not in shared]


def _times(program: Program, loops: list[Within]) -> int | None:
    product = 1
    for loop in loops:
        times = repetitions(program.values, loop.node, loop.frame)
        if times is None:
            return None
        product *= times
    return product


def _read_count(program: Program, channel: _Channel, reads: list[Taken]) -> int | None:
    """How many items are taken at most; None where that is not told, or as many as there are."""
    total = 0
    start = channel.workers[0].start.step
    assert start is not None
    for read in reads:
        loops = [w for w in _beyond(read.step, start) if not _is_left_after(program, read.call, w.node)]
        times = _times(program, loops)
        if times is None:
            return None
        total += times
    return total


def _is_left_after(program: Program, call: ast.AST, loop: ast.AST) -> bool:
    """Whether the loop ends with the first item that it reads: it tries again, it does not drain.

    A `return` behind the read leaves the loops of its own function only, not those around the call of it.
    """
    around = list(program.file.around(call))
    if loop not in around:
        return False
    innermost = next((node for node in around if isinstance(node, ast.For | ast.While)), None)
    leaving: tuple[type[ast.stmt], ...] = (ast.Break, ast.Return) if loop is innermost else (ast.Return,)
    inside = around[: around.index(loop) + 1]
    conditional = next((place for place, node in enumerate(inside) if isinstance(node, ast.If)), len(inside))
    steps = zip((call, *inside), inside[: conditional + 1], strict=False)
    return any(
        isinstance(below, ast.Return) or _is_followed_by(leaving, node, below) for below, node in steps
    )


def _is_followed_by(leaving: tuple[type[ast.stmt], ...], block: ast.AST, statement: ast.AST) -> bool:
    body = getattr(block, "body", None)
    if not isinstance(body, list) or statement not in body:
        return False
    after = body[body.index(statement) + 1 :]
    if isinstance(block, ast.Try):
        after += block.orelse
    return any(isinstance(one, leaving) for one in after)


def _weakness(program: Program, root: Root, few: TooFew) -> Weakness:
    read, put, count = few.read, few.put, few.taken
    receiver = name_of(program, read.receiver, "reports")
    processes = processes_name(program, root)
    many = f"all {put} of" if put is not None else "every one of"
    items = "one item" if count == 1 else f"{count} items"
    result = few.result_of_one(program)
    alone = (
        f", and only one rank does where all is well (line {_line(result.told)})"
        if result is not None
        else ""
    )
    text = (
        f"{items} read from `{receiver}`, on which {many} `{processes}` may put{alone}: what the others "
        "report, a traceback for instance, stays unread. Let every rank put exactly one item, "
        "and read one of each"
    )
    return Weakness(Rule.ONE_ITEM_DRAINED, read.call, root.test_ids, text, mend_of_few(program, root, few))


def _line(told: Told) -> int:
    return int(getattr(told.step.node, "lineno", 1))


def mend_of_few(program: Program, root: Root, few: TooFew) -> str:
    """The parent's side, and the worker's too where only one rank puts when all is well."""
    result = few.result_of_one(program)
    parent = drain(program, root, few.read, result)
    if result is None:
        return mend(*parent)
    return mend(
        f"# in the worker, under no condition of the rank: {ONE_OF_EACH}",
        put_of_each(program, result),
        "# in the parent:",
        *parent,
    )
