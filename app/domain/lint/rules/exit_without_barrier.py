"""A rank leaves while others may still need it.

Rank 0 usually hosts the store through which all ranks find each other, a message that is under way needs its
sender, and a connection ends with its process. Who is still at work then fails with "connection reset by
peer", which names no cause, since there is none but time. Even joining a group and leaving it at once fails
now and then.

Silent where the last thing that all ranks do is a collective, where the host waits for a word of the others,
and where the store lives in a file or in the parent.
"""

import ast
from collections.abc import Iterator

from app.domain.lint.finding import Rule
from app.domain.lint.flow.graph import FORWARD, Kind, Point, reached
from app.domain.lint.flow.runs import Run, runs
from app.domain.lint.leaving import Leaver
from app.domain.lint.mending import mend
from app.domain.lint.program import Program
from app.domain.lint.sameness import Sameness
from app.domain.lint.weakness import Weakness
from app.domain.lint.words_of_ranks import distributed, quoted, written


def find(program: Program) -> Iterator[Weakness]:
    followed = runs(program)
    shared = [Leaver(program, run) for run in followed if run.is_worker and not run.is_alone]
    for leaver in shared:
        others = [other for other in shared if other is not leaver]
        found = (
            _unwaited(leaver)
            or _host_leaves(leaver, others)
            or _leaves_others_at_work(leaver)
            or _last_message(leaver)
            or _work_of_one(leaver)
            or _joined_and_left(leaver)
        )
        if found is not None:
            yield _weakness(program, leaver.run, *found)


def _unwaited(leaver: Leaver) -> tuple[Point, str] | None:
    """Work that was started and never waited for."""
    for point in leaver.run.of_kind(Kind.POINT, Kind.COLLECTIVE):
        if leaver.is_unwaited(point) and leaver.leaves_after(point):
            return point, "is started and not waited for before the rank leaves"
    return None


def _host_leaves(leaver: Leaver, others: list[Leaver]) -> tuple[Point, str] | None:
    """The process of the store ends, whatever the others still want of it."""
    if not leaver.hosts_store:
        return None
    last = leaver.last_of_host(others)
    if last is None:
        return None
    if leaver.is_of_host(last):
        return (
            last,
            "is the last that the store's host does, and others may still need the store when it has left",
        )
    return last, "asks a store whose host may have left by then"


def _leaves_others_at_work(leaver: Leaver) -> tuple[Point, str] | None:
    """Some ranks leave by a condition, and the others go on talking."""
    for fork in leaver.run.of_kind(Kind.BRANCH):
        if not fork.flags & Sameness.RANK or not leaver.is_joined_before(fork):
            continue
        ways = [way for way, edge in fork.after if edge & FORWARD]
        for one, rest in ((a, b) for a in ways for b in ways if a is not b):
            left = leaver.leaves_at_once(one, fork)
            if left is not None and leaver.goes_on_talking(rest, fork) and not leaver.ends_together(rest):
                return left, "ends some ranks while the others go on with work that needs them"
    return None


def _last_message(leaver: Leaver) -> tuple[Point, str] | None:
    for point in leaver.run.of_kind(Kind.POINT):
        if "recv" not in point.name and leaver.leaves_after(point):
            return (
                point,
                "is the last that the sender does, and it leaves without knowing that the message came",
            )
    return None


def _work_of_one(leaver: Leaver) -> tuple[Point, str] | None:
    for point in leaver.run.of_kind(Kind.WORK):
        if leaver.is_work_of_some(point) and leaver.leaves_after(point):
            return point, "keeps some ranks at work while the others leave the group"
    return None


def _joined_and_left(leaver: Leaver) -> tuple[Point, str] | None:
    for point in leaver.run.of_kind(Kind.JOINS):
        if leaver.does_nothing_together(point):
            return (
                point,
                "is all that the ranks do together, and joining does not wait until the others have joined",
            )
    return None


def _weakness(program: Program, run: Run, point: Point, why: str) -> Weakness:
    assert point.node is not None
    function = program.file.function_of(point.node).name
    text = f"in `{function}`, `{quoted(program, point.node)}` {why}; no barrier stands before the end"
    return Weakness(Rule.EXIT_WITHOUT_BARRIER, point.node, run.tests, text, _mend(program, run, point))


def _mend(program: Program, run: Run, point: Point) -> str:
    assert point.node is not None
    dist = distributed(program)
    joins = any(p.kind is Kind.JOINS for p in run.points)
    if not joins:
        return mend(
            'store.set(f"done{rank}", "1")',
            "if rank == 0:",
            '    store.wait([f"done{peer}" for peer in range(world_size)])  # the host leaves last',
        )
    leaving = any(p.kind is Kind.LEAVES for p in reached(point, FORWARD))
    work = (
        []
        if isinstance(point.node, ast.Return) or point.kind in {Kind.LEAVES, Kind.EXIT}
        else _done(program, point)
    )
    return mend(
        *work,
        f"{dist}.barrier()  # nobody leaves before all are done",
        *([f"{dist}.destroy_process_group()"] if leaving else []),
    )


def _done(program: Program, point: Point) -> list[str]:
    assert point.node is not None
    call = written(program, point.node)[0].replace("...  # the next collective", "...  # the work")
    return (
        [f"work = {call}", "work.wait()"]
        if point.name.startswith("i") and not call.startswith("...")
        else [call]
    )
