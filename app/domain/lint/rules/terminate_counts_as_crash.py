"""A worker that is merely slow is terminated, and then fails the same assertion as one that crashed.

After `join(timeout)` the parent terminates what is still alive; its exit code becomes -15, and the
assertion on exit codes cannot tell a loaded machine from a defect. In the incident behind this rule that
was one of three explanations that the log left open; telling "terminated because slow" from "crashed" was
part of the mend.
"""

import ast
from collections.abc import Iterator

from app.domain.lint.derived import Derived
from app.domain.lint.exit_checks import Check, ExitCodes, checks, decided_at, done_at
from app.domain.lint.finding import Rule
from app.domain.lint.frames import Frame
from app.domain.lint.mending import mend, of_processes, one_name, processes_name
from app.domain.lint.program import Program, Root
from app.domain.lint.source import own_nodes
from app.domain.lint.steps import Part, Step, Within
from app.domain.lint.weakness import Weakness

_LATE = ("TimeoutExpired", "TimeoutError", "Timeout")
_MARKS = {"append", "add", "put", "set", "update", "extend", "fail", "warn", "print", "write"}


_ENDINGS = {"communicate", "wait", "join", "poll"}  # what they give is no word about being late


def find(program: Program) -> Iterator[Weakness]:
    codes = ExitCodes(program)
    alive = Derived(program.values, is_alive)
    for root in program.roots:
        for place, step in enumerate(root.steps):
            if not is_kill(step.node):
                continue
            branch = _branch(alive, root, step, place)
            check = _check_after(codes, root, place)
            if branch is None or check is None or _is_told(codes, alive, root, step, branch, check):
                continue
            yield _weakness(program, root, step, check)


def is_alive(node: ast.AST, _frame: Frame) -> bool:
    """Whether it is a look at which processes still run."""
    match node:
        case ast.Attribute(attr="is_alive"):
            return True
        case ast.Compare(
            left=ast.Attribute(attr="exitcode" | "returncode"), comparators=[ast.Constant(value=None)]
        ):
            return True
        case ast.Compare(
            left=ast.Call(func=ast.Attribute(attr="poll")), comparators=[ast.Constant(value=None)]
        ):
            return True
    return False


def is_kill(node: ast.AST) -> bool:
    """Whether a call ends another process."""
    match node:
        case ast.Call(func=ast.Attribute(attr="terminate" | "kill" | "killpg" | "send_signal")):
            return True
    return False


def _branch(alive: Derived, root: Root, step: Step, place: int) -> Within | None:
    """What makes the parent terminate: a look at who is alive, a timeout that ran out, or a join."""
    for within in reversed(step.within):
        if within.part is Part.HANDLER and within.handler is not None:
            return within if _is_late(within.handler) else None
        tested = within.part is Part.BODY and _condition(within.node)
        if tested and alive.holds(tested, within.frame):
            return within
    joined = any(_is_join(earlier.node) or _waits(alive, earlier) for earlier in root.steps[:place])
    return Within(step.node, Part.CALL, step.frame) if joined else None


def _condition(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.If(test=condition) | ast.IfExp(test=condition) | ast.For(iter=condition):
            return condition
    return None


def _waits(alive: Derived, step: Step) -> bool:
    """Whether it is a loop that goes on while processes run, until a deadline for instance."""
    return isinstance(step.node, ast.While) and alive.holds(step.node.test, step.frame)


def _is_late(handler: ast.ExceptHandler) -> bool:
    names = ast.walk(handler.type) if handler.type is not None else ()
    return any(getattr(n, "attr", getattr(n, "id", "")).endswith(_LATE) for n in names)


def _is_join(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "join"
        and bool(node.keywords or node.args)
    )


def _check_after(codes: ExitCodes, root: Root, place: int) -> Check | None:
    """The assertion on exit codes that also judges what was terminated."""
    for check in codes.zero_checks(root.steps):
        late = decided_at(root.steps, check) > place and _reads_after(codes, root, place, check)
        if late and _is_of_same(codes, root.steps[place], check):
            return check
    return None


def _is_of_same(codes: ExitCodes, kill: Step, check: Check) -> bool:
    """Whether the check may judge what is terminated, rather than other processes of the test."""
    assert isinstance(kill.node, ast.Call)
    assert isinstance(kill.node.func, ast.Attribute)
    ended = codes.made(kill.node.func.value, kill.frame)
    judged = {
        codes.made(node.value, check.frame)
        for node in ast.walk(check.test)
        if isinstance(node, ast.Attribute) and codes.is_code(node, check.frame)
    }
    return ended is None or not judged or not judged.isdisjoint({ended, None})


def _reads_after(codes: ExitCodes, root: Root, place: int, check: Check) -> bool:
    """Whether the codes that it judges were read after the termination."""
    if any(codes.is_code(node, check.frame) for node in ast.walk(check.test)):
        return True
    names = {n.id for n in ast.walk(check.test) if isinstance(n, ast.Name)}
    written = [
        done_at(root.steps, index, (step.node.value,))
        for index, step in enumerate(root.steps)
        if isinstance(step.node, ast.Assign)
        and step.frame is check.frame
        and any(isinstance(n, ast.Name) and n.id in names for t in step.node.targets for n in ast.walk(t))
        and codes.derived.holds(step.node.value, step.frame)
    ]
    return not written or max(written) > place


def _is_told(codes: ExitCodes, alive: Derived, root: Root, step: Step, branch: Within, check: Check) -> bool:
    """Whether anything tells slow from crashed: a mark, an own failure, a message, a look at the signal."""
    if any(_marks(inner.node) for inner in root.steps if _is_beside(inner, step, branch)):
        return True
    if any(alive.holds(part, check.frame) for part in check.message):
        return True
    for other in checks(root.steps):
        looks = other.step is not check.step and alive.holds(other.test, other.frame)
        if looks and not any(is_kill(n) for n in ast.walk(other.step.node)):
            return True
    return _knows_signals(codes, root)


def _is_beside(inner: Step, step: Step, branch: Within) -> bool:
    if inner is step:
        return False
    around = (branch.node, branch.part, branch.frame, branch.handler)
    return any((w.node, w.part, w.frame, w.handler) == around for w in inner.within)


def _marks(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.Assert() | ast.AugAssign():
            return True
        case ast.Assign(value=value):
            return not any(isinstance(n, ast.Attribute) and n.attr in _ENDINGS for n in ast.walk(value))
        case ast.Return(value=ast.expr()):
            return True
        case ast.Call(func=ast.Attribute(attr=attr)) | ast.Call(func=ast.Name(id=attr)):
            return attr in _MARKS
    return False


def _knows_signals(codes: ExitCodes, root: Root) -> bool:
    """Whether some function of the way compares a code with a signal's."""
    frames = {step.frame.function: step.frame for step in root.steps}
    for function, frame in frames.items():
        for node in own_nodes(function):
            compared = (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()
            if any(_is_signal(side) for side in compared) and codes.derived.holds(node, frame):
                return True
    return False


def _is_signal(node: ast.expr) -> bool:
    return any(
        isinstance(n, ast.USub | ast.Lt) or (isinstance(n, ast.Attribute) and n.attr.startswith("SIG"))
        for n in ast.walk(node)
    )


def _weakness(program: Program, root: Root, step: Step, check: Check) -> Weakness:
    processes = processes_name(program, root)
    one = one_name(processes)
    text = (
        f"`{program.file.text(step.node, longest=60)}` ends a worker that is only slow, and line "
        f"{check.step.node.lineno} then judges its exit code like that of one that crashed"
    )
    return Weakness(
        Rule.TERMINATE_COUNTS_AS_CRASH,
        step.node,
        root.test_ids,
        text,
        mend(
            f"slow = {{n: {one} for n, {one} in enumerate({processes}) if {one}.is_alive()}}",
            f"for {one} in slow.values():",
            f"    {one}.terminate()",
            f"    {one}.join()",
            'assert not slow, f"terminated because slow, not crashed: processes {[*slow]}"',
            *of_processes(processes),
        ),
    )
