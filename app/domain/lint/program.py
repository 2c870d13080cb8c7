"""A file as something that runs: where its code is entered, what is then done, and what runs as ranks."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from app.domain.lint.collected import CollectedTest, collected_tests, is_autouse
from app.domain.lint.frames import Frame
from app.domain.lint.source import Function, SourceFile
from app.domain.lint.steps import Step, is_yield, walk
from app.domain.lint.values import Values
from app.domain.lint.workers import How, Start, Worker, starts_in

MOST_STEPS_OF_A_FILE = 150_000  # torch's longest test files have a fifth of this
_SET_UP = ("setUpClass", "setup_class", "setUp", "setup_method", "asyncSetUp")
_TEAR_DOWN = ("asyncTearDown", "tearDown", "teardown_method", "tearDownClass", "teardown_class")


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """One way into the file's code: a test with its fixtures around it, or a function that no test reaches.

    `steps` is all that it does in the parent's process; `starts` the processes that it starts, in order.
    """

    function: Function
    tests: tuple[CollectedTest, ...]
    steps: tuple[Step, ...]
    starts: tuple[Start, ...]
    workers: tuple[Worker, ...]

    @property
    def test_ids(self) -> tuple[str, ...]:
        return tuple(test.node_id for test in self.tests)


class Program:
    """What rules are asked about. Everything is computed once, on first use."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.values = Values(file)
        self.tests = collected_tests(file)
        self._walked: dict[Frame, tuple[Step, ...]] = {}
        self._left = MOST_STEPS_OF_A_FILE

    def steps(self, frame: Frame) -> tuple[Step, ...]:
        """What one activation does, with all that it calls; empty once the file's share is used up."""
        if frame not in self._walked:
            found = walk(self.file, self.values, frame) if self._left > 0 else ()
            self._left -= len(found)
            self._walked[frame] = found
        return self._walked[frame]

    @cached_property
    def roots(self) -> tuple[Root, ...]:
        """Tests in order, then the module's own code, then functions that none of these reach."""
        found = [self._root(test.function, (test,), self._steps_of_test(test)) for test in self.tests]
        reached = {step.frame.function for root in found for step in root.steps}
        reached |= {worker.function for root in found for worker in root.workers}
        rest = [f for f in self.file.functions if f not in reached]
        called = {name for function in rest for name in _mentioned(self.file, function)}
        for function in sorted(rest, key=lambda f: f.name in called):
            if function in reached or function.name == "<lambda>":
                continue
            root = self._root(function, (), self.steps(self.values.frame(function)))
            reached |= {step.frame.function for step in root.steps} | {w.function for w in root.workers}
            found.append(root)
        return tuple(found)

    def _root(self, function: Function, tests: tuple[CollectedTest, ...], steps: tuple[Step, ...]) -> Root:
        pairs = list(starts_in(self.file, self.values, steps))
        starts = tuple(start for start, _ in pairs)
        workers = tuple(worker for _, started in pairs for worker in started)
        return Root(function, tests, steps, starts, workers)

    @cached_property
    def workers(self) -> tuple[tuple[Worker, tuple[str, ...]], ...]:
        """Everything that runs as a rank, once per function, with the ids of the tests that start it."""
        first: dict[Function, Worker] = {}
        tests: dict[Function, list[str]] = {}
        for worker, ids in self._all_workers():
            first.setdefault(worker.function, worker)
            tests.setdefault(worker.function, []).extend(ids)
        return tuple((worker, tuple(dict.fromkeys(tests[function]))) for function, worker in first.items())

    def _all_workers(self) -> Iterator[tuple[Worker, tuple[str, ...]]]:
        for root in self.roots:
            for worker in root.workers:
                yield worker, root.test_ids
            for test in root.tests:
                if test.in_rank_case:
                    frame = self.values.frame(test.function)
                    yield (
                        Worker(test.function, frame, Start(How.CASE, None, (), None, several=True)),
                        root.test_ids,
                    )
        if self._is_script():
            start = Start(How.SCRIPT, None, (), None, several=True)
            yield Worker(self.file.module, self.values.module, start), self._tests_that_run_it()
        yield from self._handed_on()

    def _is_script(self) -> bool:
        """Whether the file's own code joins a group or reads its rank, as a program under torchrun does."""
        steps = self.steps(self.values.module)
        return any(_joins(self.file, step) for step in steps)

    def _tests_that_run_it(self) -> tuple[str, ...]:
        return tuple(
            test_id
            for root in self.roots
            if any(start.how is How.PROGRAM for start in root.starts)
            for test_id in root.test_ids
        )

    def _handed_on(self) -> Iterator[tuple[Worker, tuple[str, ...]]]:
        """Functions that join a group and that are handed to something imported: it runs them as ranks."""
        for root in self.roots:
            for step in root.steps:
                if not isinstance(step.node, ast.Call) or self.values.callees(step.node.func, step.frame):
                    continue
                if self.file.dotted(step.node.func).endswith("Thread"):
                    continue  # of the parent's own process
                start = Start(How.UNKNOWN, step, (), None, several=True)
                for frame in self._handed(step.node, step.frame):
                    if any(_joins(self.file, inner) for inner in self.steps(frame)):
                        yield Worker(frame.function, frame, start), root.test_ids

    def _handed(self, call: ast.Call, frame: Frame) -> Iterator[Frame]:
        for argument in (*call.args, *(k.value for k in call.keywords)):
            if self._may_be_function(argument):
                for callee in self.values.callees(argument, frame):
                    yield callee.called_with((), {})

    def _may_be_function(self, node: ast.expr) -> bool:
        """A cheap look, since nearly all arguments are something else."""
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name in self._names
            case ast.Call(func=ast.Name(id="partial") | ast.Attribute(attr="partial")):
                return True
        return isinstance(node, ast.Lambda)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(function.name for function in self.file.functions)

    def _steps_of_test(self, test: CollectedTest) -> tuple[Step, ...]:
        before: list[Step] = []
        after: list[Step] = []
        for frame in self._around_test(test):
            up, down = _split(self.steps(frame))
            before += up
            after = [*down, *after]
        body = self.steps(self._body(test.function))
        down = [step for name in _TEAR_DOWN for step in self._method_steps(test, name)]
        return (*before, *body, *down, *after)

    def _body(self, function: Function) -> Frame:
        outer = self.values.frame(function).outer or self.values.module
        return self.values.decorated(function, outer).called_with((), {})

    def _around_test(self, test: CollectedTest) -> Iterator[Frame]:
        """The fixtures that the test asks for, those they ask for first; then unittest's set-up methods."""
        waiting = [f.name for f in self.file.functions if is_autouse(f)] + list(test.function.parameters)
        seen: dict[str, Function] = {}
        while waiting:
            name = waiting.pop(0)
            fixture = self.values.fixture(name)
            if fixture is not None and name not in seen:
                seen[name] = fixture
                waiting += fixture.parameters
        for fixture in reversed(seen.values()):
            yield self.values.frame(fixture)
        for name in _SET_UP:
            method = self.file.method(test.owner, name) if test.owner is not None else None
            if method is not None:
                yield self.values.frame(method)

    def _method_steps(self, test: CollectedTest, name: str) -> tuple[Step, ...]:
        method = self.file.method(test.owner, name) if test.owner is not None else None
        return self.steps(self.values.frame(method)) if method is not None else ()


def _split(steps: tuple[Step, ...]) -> tuple[list[Step], list[Step]]:
    """A fixture's steps before its yield, and those after it."""
    for place, step in enumerate(steps):
        if is_yield(step.node):
            return list(steps[: place + 1]), list(steps[place + 1 :])
    return list(steps), []


def _joins(file: SourceFile, step: Step) -> bool:
    """Whether a call makes the process a rank of a group."""
    if not isinstance(step.node, ast.Call):
        return False
    last = file.dotted(step.node.func).rpartition(".")[2]
    return last in {"init_process_group", "init_device_mesh", "init_distributed", "setup_distributed"}


def _mentioned(file: SourceFile, function: Function) -> Iterator[str]:
    for node in file.own_nodes(function):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name != function.name:
                yield name
