"""Where a parent asserts that its processes have ended with code 0, and what it then shows."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.lint.derived import Derived
from app.domain.lint.frames import Frame
from app.domain.lint.program import Program
from app.domain.lint.steps import Part, Step
from app.domain.lint.workers import How, how_started, runs_python

_COLLECTING = {"list", "sorted", "tuple", "dict", "set", "frozenset"}
_OPERATORS: dict[str, ast.cmpop] = {
    **dict.fromkeys(
        ("Equal", "Equals", "Is", "ListEqual", "SequenceEqual", "TupleEqual", "DictEqual"), ast.Eq()
    ),
    **dict.fromkeys(("SetEqual", "CountEqual", "In", "MultiLineEqual"), ast.Eq()),
    **dict.fromkeys(("NotEqual", "IsNot", "NotIn"), ast.NotEq()),
    **dict.fromkeys(("Less", "LessEqual"), ast.Lt()),
    **dict.fromkeys(("Greater", "GreaterEqual"), ast.Gt()),
}
_FAILS = {"fail", "exit", "_exit", "skip"}


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """Something that fails the test: an assert, an assertion method, or a raise or fail under an `if`.

    `holds` is what `test` must be for the test to go on; `message` is what a reader of the failure is shown.
    """

    step: Step
    test: ast.expr
    message: tuple[ast.expr, ...]
    holds: bool

    @property
    def frame(self) -> Frame:
        return self.step.frame


def checks(steps: tuple[Step, ...]) -> Iterator[Check]:
    """All that may fail a test in these steps, in order."""
    for step in steps:
        match step.node:
            case ast.Assert(test=test, msg=message):
                yield Check(step, test, (message,) if message is not None else (), holds=True)
            case ast.Call(func=ast.Attribute(attr=attr)) if attr.startswith("assert"):
                found = _method(step, step.node, attr)
                if found is not None:
                    yield found
            case ast.If(test=test, body=body):
                shown = _raised(body)
                if shown is not None:
                    yield Check(step, test, shown, holds=False)


def decided_at(steps: tuple[Step, ...], check: Check) -> int:
    """The place of the last step that is done before the check is decided, what it calls included."""
    return done_at(steps, steps.index(check.step), (check.test, *check.message))


def done_at(steps: tuple[Step, ...], first: int, parts: tuple[ast.expr, ...]) -> int:
    """The place of the last step that is done for these expressions, from `first` on."""
    calls = {node for part in parts for node in ast.walk(part) if isinstance(node, ast.Call)}
    last = first
    for place in range(first, len(steps) if calls else first):
        step = steps[place]
        if step.node in calls or any(w.node in calls and w.part is Part.CALL for w in step.within):
            last = place
    return last


def _method(step: Step, call: ast.Call, attr: str) -> Check | None:
    count = 1 if attr in {"assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone"} else 2
    if len(call.args) < count:
        return None
    named = [k.value for k in call.keywords if k.arg == "msg"]
    message = tuple(call.args[count : count + 1]) or tuple(named)
    if count == 1:
        return Check(step, call.args[0], message, holds=attr != "assertFalse")
    operator = _OPERATORS.get(attr.removeprefix("assert"))
    if operator is None:
        return None
    compared = ast.Compare(left=call.args[0], ops=[operator], comparators=[call.args[1]])
    return Check(step, ast.copy_location(compared, call), message, holds=True)


def _raised(body: list[ast.stmt]) -> tuple[ast.expr, ...] | None:
    """What is shown by a branch that ends in failing; None if it does not."""
    shown: list[ast.expr] = []
    for statement in body:
        match statement:
            case ast.Raise(exc=raised):
                made = raised.args if isinstance(raised, ast.Call) else [raised] if raised is not None else []
                return (*shown, *made)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr)) as call) if attr in _FAILS:
                return (*shown, *call.args, *(k.value for k in call.keywords))
            case ast.Expr(value=ast.Call(args=arguments)):
                shown += arguments
            case ast.Assign(value=value) | ast.AugAssign(value=value):
                shown.append(value)
            case ast.Assert():
                return None
    return None


class ExitCodes:
    """Answers about exit codes in one file.

    Those of other interpreters count where they are ranks, with `of_programs` those of any.
    """

    def __init__(self, program: Program, *, of_programs: bool = False) -> None:
        self._program = program
        self._of_programs = of_programs
        self.derived = Derived(program.values, self.is_code)

    def is_code(self, node: ast.AST, frame: Frame) -> bool:
        """Whether it is the exit code of a process of Python that the file starts."""
        match node:
            case ast.Attribute(attr="exitcode", value=owner):
                return not self._is_of_test(owner, frame)
            case ast.Attribute(attr="returncode", value=owner):
                return self._is_rank_program(owner, frame)
            case ast.Call(func=ast.Attribute(attr="wait" | "poll", value=owner)):
                return self._is_rank_program(owner, frame)
            case ast.Call() if self._program.file.dotted(node.func) == "subprocess.call":
                return self._is_rank_program(node, frame)
        return False

    def _is_of_test(self, owner: ast.expr, frame: Frame) -> bool:
        """Whether it is an attribute that a test keeps for itself, which is no process."""
        inside = frame.function
        return inside.is_bound_method and isinstance(owner, ast.Name) and owner.id in inside.parameters[:1]

    def made(self, process: ast.expr, frame: Frame) -> ast.AST | None:
        """The call that makes a process, where the file shows it."""
        origin = self._program.values.origin(process, frame)
        return origin.node if isinstance(origin.node, ast.Call) else None

    def _is_rank_program(self, owner: ast.expr, frame: Frame) -> bool:
        made = self._program.values.origin(owner, frame)
        if not isinstance(made.node, ast.Call):
            return False
        if self._of_programs and runs_python(self._program.file, self._program.values, made.node, made.frame):
            return True
        step = Step(made.node, made.frame, ())
        return how_started(self._program.file, self._program.values, step) is How.PROGRAM

    def zero_checks(self, steps: tuple[Step, ...]) -> Iterator[Check]:
        """The checks that fail where a process has not ended with 0."""
        if "exitcode" not in self._program.file.source and "subprocess" not in self._program.file.source:
            return
        for check in checks(steps):
            if self.derived.holds(check.test, check.frame) and self.wants_zero(
                check.test, check.frame, holds=check.holds
            ):
                yield check

    def wants_zero(  # noqa: PLR0911 - a kind each
        self, test: ast.expr, frame: Frame, *, holds: bool, hops: int = 8
    ) -> bool:
        """Whether the condition, where it is what it must be, says that codes are 0."""
        if hops <= 0:
            return False
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return self.wants_zero(inner, frame, holds=not holds, hops=hops - 1)
            case ast.BoolOp(values=parts):
                telling = [p for p in parts if self.derived.holds(p, frame)]
                return any(self.wants_zero(p, frame, holds=holds, hops=hops - 1) for p in telling)
            case ast.Call(
                func=ast.Name(id="all" | "any" | "bool" | "int" | "len" | "list" | "sum"), args=[inner]
            ):
                return self.wants_zero(inner, frame, holds=holds, hops=hops - 1)
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
                return self._of_comprehension(test, frame, holds=holds, hops=hops)
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return self._compared(left, operator, right, frame, holds=holds)
            case ast.Name() | ast.Attribute() if not self.is_code(test, frame):
                return self._of_name(test, frame, holds=holds, hops=hops)
            case ast.Call(func=ast.Name(id="map" | "filter"), args=[ast.Lambda(body=inner), *_]):
                return self.wants_zero(inner, frame, holds=holds, hops=hops - 1)
            case ast.Call():
                return self._of_call(test, frame, holds=holds, hops=hops)
        return not holds and self.derived.holds(test, frame)

    def _of_comprehension(
        self,
        test: ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp,
        frame: Frame,
        *,
        holds: bool,
        hops: int,
    ) -> bool:
        filters = [c for generator in test.generators for c in generator.ifs]
        telling = [c for c in filters if self.derived.holds(c, frame)]
        if telling:
            return any(self.wants_zero(c, frame, holds=holds, hops=hops - 1) for c in telling)
        inner = test.value if isinstance(test, ast.DictComp) else test.elt
        return self.wants_zero(inner, frame, holds=holds, hops=hops - 1)

    def _of_name(self, test: ast.expr, frame: Frame, *, holds: bool, hops: int) -> bool:
        if isinstance(test, ast.Name):
            for flag in self._program.file.bindings_at(frame.function, test.id, test):
                if self.derived.holds(flag.value, frame):
                    return self.wants_zero(flag.value, frame, holds=holds, hops=hops - 1)
                if isinstance(flag.value, ast.Constant) and (set_by := self._set_under(flag.value, frame)):
                    return self.wants_zero(
                        set_by, frame, holds=holds is bool(flag.value.value), hops=hops - 1
                    )
            for verdict in self._verdicts(test.id, frame):
                return self.wants_zero(verdict, frame, holds=holds, hops=hops - 1)
        origin = self._program.values.origin(test, frame)
        if origin.node is test or not isinstance(origin.node, ast.expr) or _is_empty(origin.node):
            return not holds  # a list that is filled with those that failed, or a code by another name
        return self.wants_zero(origin.node, origin.frame, holds=holds, hops=hops - 1)

    def _verdicts(self, name: str, frame: Frame) -> Iterator[ast.expr]:
        """What is put into a list, or worked into a flag, that is true or false of a code."""
        for value in self._program.file.fills(frame.function).get(name, ()):
            match value:
                case (
                    ast.Compare()
                    | ast.BoolOp()
                    | ast.UnaryOp(op=ast.Not())
                    | ast.Call(func=ast.Name(id="bool" | "int"))
                ) if self.derived.holds(value, frame):
                    yield value

    def _set_under(self, value: ast.expr, frame: Frame) -> ast.expr | None:
        """The condition about codes under which a flag is set."""
        for node in self._program.file.around(value):
            if isinstance(node, ast.If) and self.derived.holds(node.test, frame):
                return node.test
        return None

    def _of_call(self, test: ast.Call, frame: Frame, *, holds: bool, hops: int) -> bool:
        origin = self._program.values.origin(test, frame)
        if origin.node is test or not isinstance(origin.node, ast.expr):
            return not holds and self.derived.holds(test, frame)
        return self.wants_zero(origin.node, origin.frame, holds=holds, hops=hops - 1)

    def _compared(
        self, left: ast.expr, operator: ast.cmpop, right: ast.expr, frame: Frame, *, holds: bool
    ) -> bool:
        other = right if self.derived.holds(left, frame) else left
        if isinstance(other, ast.Constant) and other.value is None:
            return False
        if _is_empty(other):  # `failed == []` is `not failed`
            told = left if other is right else right
            return self.wants_zero(told, frame, holds=holds is not isinstance(operator, ast.Eq))
        match operator:
            case ast.Eq() | ast.In() | ast.Is():
                return holds and self._is_zero(other, frame)
            case ast.NotEq() | ast.NotIn() | ast.IsNot():
                return not holds and self._is_zero(other, frame)
            case ast.Gt() | ast.Lt():
                return not holds
        return holds

    def _is_zero(self, other: ast.expr, frame: Frame) -> bool:
        """Whether a code is compared with 0, alone or many times, and not with what else is expected."""
        origin = self._program.values.origin(other, frame).node
        zeros = (n for n in ast.walk(origin) if isinstance(n, ast.Constant) and n.value == 0)
        return any(zeros) and not _names_failure(origin)

    def shows_codes(self, test: ast.expr, frame: Frame) -> bool:
        """Whether the failing condition itself is printed with each code: a list, not a truth."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return self.shows_codes(inner, frame)
            case ast.Compare(left=left, comparators=[right]):
                return any(self._collects(side, frame) for side in (left, right))
        return self._collects(test, frame)

    def _collects(self, node: ast.expr, frame: Frame) -> bool:
        made = self._program.values.origin(node, frame).node
        match made:
            case ast.List() | ast.ListComp() | ast.Dict() | ast.DictComp() | ast.SetComp() | ast.Set():
                return True
            case ast.Tuple() | ast.BinOp(left=ast.List()) | ast.BinOp(right=ast.List()):
                return True
            case ast.Call(func=ast.Name(id=name)):
                return name in _COLLECTING
        return False


def _is_empty(node: ast.expr) -> bool:
    match node:
        case (
            ast.List(elts=[])
            | ast.Dict(keys=[])
            | ast.Call(func=ast.Name(id="set" | "dict" | "list"), args=[])
        ):
            return True
    return False


def _names_failure(other: ast.AST) -> bool:
    """Whether a code is compared with one that is not 0, or with a signal's."""
    for node in ast.walk(other):
        match node:
            case ast.UnaryOp(op=ast.USub()):
                return True
            case ast.Constant(value=int(told)) if told != 0 and not isinstance(told, bool):
                return not _is_repeated_zero(other)
            case ast.Attribute(attr=attr) if attr.startswith("SIG"):
                return True
    return False


def _is_repeated_zero(other: ast.AST) -> bool:
    match other:
        case ast.BinOp(left=ast.List(elts=[ast.Constant(value=0)]), op=ast.Mult()):
            return True
        case ast.BinOp(right=ast.List(elts=[ast.Constant(value=0)]), op=ast.Mult()):
            return True
    return False
