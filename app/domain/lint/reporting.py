"""What a worker tells its parent, and which of its steps stand under a `try` that tells what was raised."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from app.domain.lint.channels import Medium, Told, told
from app.domain.lint.program import Program
from app.domain.lint.steps import Part, Step, Within
from app.domain.lint.workers import How, Worker

# RuntimeError is what torch raises where a group fails, AssertionError what the worker itself does.
_BROAD = {"Exception", "BaseException", "RuntimeError", "AssertionError"}
_OF_ANYTHING = {"Exception", "BaseException"}
# By such a name a worker keeps how it went, to tell it later.
_OUTCOME = re.compile(
    r"(?:^|_)(?:status|outcome|result|report|ok|success|succeeded|passed|failed|failure|err|errors?"
    r"|exc|exception|tb|trace|traceback|msg|message|rc|code)(?:_|$)",
    re.IGNORECASE,
)
_FAILED = re.compile(r"err|fail|traceback|exception", re.IGNORECASE)
_RECORDS = (
    "torch.distributed.elastic.multiprocessing.errors.record",
    "torch.distributed.elastic.multiprocessing.record",
)


class Reporting:
    """One worker's reports. All of its steps are those of the worker's own process."""

    def __init__(self, program: Program, worker: Worker) -> None:
        self._program = program
        self.worker = worker
        self.steps = program.steps(worker.frame)

    @cached_property
    def told(self) -> tuple[Told, ...]:
        """What it tells, without what only lands in a file of its own making."""
        found = list(told(self._program, self.steps))
        if self.worker.start.how is How.POOL:
            found += self._answers()
        return tuple(found)

    def _answers(self) -> Iterator[Told]:
        for step in self.steps:
            if (
                isinstance(step.node, ast.Return)
                and step.node.value is not None
                and step.frame is self.worker.frame
            ):
                channel = self._program.values.origin(step.node.value, step.frame)
                yield Told(step, Medium.ANSWER, channel, step.node.value, (step.node.value,))

    @cached_property
    def telling_handlers(self) -> dict[ast.ExceptHandler, Told]:
        """The except clauses that tell what was raised, each with what it tells by."""
        found: dict[ast.ExceptHandler, Told] = {}
        for one in self.told:
            for within in one.step.within:
                if within.part is Part.HANDLER and within.handler is not None:
                    found.setdefault(within.handler, one)
        for handler, names in self._kept().items():
            for one in self.told:
                if any(isinstance(n, ast.Name) and n.id in names for c in one.content for n in ast.walk(c)):
                    found.setdefault(handler, one)
        return found

    @cached_property
    def reporting_handlers(self) -> dict[ast.ExceptHandler, Told]:
        """Those of them that catch whatever the work may raise."""
        return {
            handler: one
            for handler, one in self.telling_handlers.items()
            if self.is_broad(handler) and not self._is_expected(handler, one)
        }

    def _is_expected(self, handler: ast.ExceptHandler, told: Told) -> bool:
        """Whether it catches what the test wants to see: one kind, told without a word of failure."""
        if handler.type is None or any(name in _OF_ANYTHING for name in self._caught(handler)):
            return False
        words = [n.value for part in told.content for n in ast.walk(part) if isinstance(n, ast.Constant)]
        is_failure = any(_FAILED.search(word) for word in words if isinstance(word, str))
        formats = any(_holds_exception(part, None) for part in handler.body)
        return not (is_failure or formats or _raises_again(handler))

    @cached_property
    def swallows(self) -> bool:
        """Whether a broad handler of it goes on after what it has caught, so that the process ends well."""
        handlers = {h for step in self.steps for w in step.within for h in _handlers(w) if self.is_broad(h)}
        return any(not _raises_again(handler) for handler in handlers)

    def _kept(self) -> dict[ast.ExceptHandler, set[str]]:
        """The names in which a handler keeps what was raised, to be told later."""
        found: dict[ast.ExceptHandler, set[str]] = {}
        for step in self.steps:
            handlers = [w.handler for w in step.within if w.part is Part.HANDLER and w.handler is not None]
            if handlers and isinstance(step.node, ast.Assign):
                names = [n for target in step.node.targets for n in _base_names(target)]
                raised = _holds_exception(step.node.value, handlers[-1].name)
                found.setdefault(handlers[-1], set()).update(
                    name for name in names if raised or _OUTCOME.search(name)
                )
        return found

    def is_broad(self, handler: ast.ExceptHandler) -> bool:
        """Whether it catches whatever the work may raise."""
        return handler.type is None or any(name in _BROAD for name in self._caught(handler))

    def _caught(self, handler: ast.ExceptHandler) -> list[str]:
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return [self._program.file.dotted(one) for one in types if one is not None]

    def reporting_try(self, step: Step) -> Within | None:
        """The innermost try, with or decorator around a step by which what it raises is told."""
        for within in reversed(step.within):
            if within.part is not Part.BODY:
                continue
            if isinstance(within.node, ast.Try | ast.TryStar):
                if any(handler in self.reporting_handlers for handler in within.node.handlers):
                    return within
            elif isinstance(within.node, ast.With | ast.AsyncWith) and within.node in self.reporting_withs:
                return within
        return None

    @cached_property
    def reporting_withs(self) -> frozenset[ast.AST]:
        """The with statements whose context manager, of the file, tells what was raised."""
        found: set[ast.AST] = set()
        for step in self.steps:
            if isinstance(step.node, ast.With | ast.AsyncWith):
                calls = {item.context_expr for item in step.node.items}
                if any(self._tells(call, step) for call in calls):
                    found.add(step.node)
        return frozenset(found)

    def _tells(self, call: ast.expr, step: Step) -> bool:
        if self._exits_telling(call, step):
            return True
        for inner in self.steps:
            led_in = any(w.part is Part.CALL and w.node is call for w in inner.within)
            if led_in and isinstance(inner.node, ast.Expr) and isinstance(inner.node.value, ast.Yield):
                return any(h in self.reporting_handlers for w in inner.tries() for h in _handlers(w))
        return False

    def _exits_telling(self, call: ast.expr, step: Step) -> bool:
        made = self._program.values.origin(call, step.frame)
        if not isinstance(made.node, ast.Call) or not isinstance(made.node.func, ast.Name):
            return False
        owner = self._program.file.class_named(made.node.func.id)
        method = self._program.file.method(owner, "__exit__") if owner is not None else None
        if method is None:
            return False
        return any(told(self._program, self._program.steps(self._program.values.frame(method))))

    @cached_property
    def is_recorded(self) -> bool:
        """Whether torchrun's `record` wraps something of it: it writes what was raised to an error file."""
        functions = {step.frame.function for step in self.steps}
        decorators = (d for f in functions for d in getattr(f.node, "decorator_list", ()))
        return any(self._program.file.dotted(d).removesuffix("()") in _RECORDS for d in decorators)


def _handlers(within: Within) -> list[ast.ExceptHandler]:
    return within.node.handlers if isinstance(within.node, ast.Try | ast.TryStar) else []


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether it fails the process after all, by raise or by an exit code."""
    for node in ast.walk(handler):
        match node:
            case (
                ast.Raise()
                | ast.Call(func=ast.Attribute(attr="exit" | "_exit"))
                | ast.Call(func=ast.Name(id="exit"))
            ):
                return True
    return False


def _holds_exception(value: ast.AST, name: str | None) -> bool:
    """Whether an expression tells of the exception being handled."""
    for node in ast.walk(value):
        if isinstance(node, ast.Name) and name is not None and node.id == name:
            return True
        if isinstance(node, ast.Attribute | ast.Name):
            word = node.attr if isinstance(node, ast.Attribute) else node.id
            if word in {
                "format_exc",
                "exc_info",
                "format_exception",
                "format_exception_only",
                "ExceptionWrapper",
            }:
                return True
    return False


def _base_names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _base_names(element)
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    if isinstance(target, ast.Name):
        yield target.id
