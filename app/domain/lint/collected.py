"""Which functions of a file are tests, as pytest and unittest collect them, and which are fixtures."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.lint.source import Function, SourceFile

# Their tests run once per rank, in processes that the base class starts and judges.
RANK_TEST_CASES = (
    "MultiProcessTestCase",
    "MultiProcContinuousTest",
    "MultiProcContinousTest",
    "MultiThreadedTestCase",
    "DistributedTestBase",
    "DTensorTestBase",
    "DTensorContinuousTestBase",
    "FSDPTest",
    "FSDPTestMultiThread",
    "ShardedTensorTestBase",
    "PipelineStageTest",
    "DistributedTest",
)


@dataclass(frozen=True, slots=True, eq=False)
class CollectedTest:
    """`node_id` is pytest's name without parameters; `owner` the class that it is collected in.

    `in_rank_case`: the body itself runs once per rank, in processes that the base class starts.
    """

    node_id: str
    function: Function
    owner: ast.ClassDef | None
    in_rank_case: bool = False


def collected_tests(file: SourceFile) -> tuple[CollectedTest, ...]:
    """All tests of the file in the order of the text."""
    found = [
        CollectedTest(f"{file.path}::{f.name}", f, None)
        for f in file.functions
        if f.outer is file.module and f.owner is None and _is_test_name(f.name)
    ]
    for owner in file.classes:
        found += _tests_of_class(file, owner)
    return tuple(sorted(found, key=lambda test: getattr(test.function.node, "lineno", 0)))


def _is_test_name(name: str) -> bool:
    return name.startswith("test")


def _tests_of_class(file: SourceFile, owner: ast.ClassDef) -> Iterator[CollectedTest]:
    if not is_test_class(file, owner):
        return
    outer = [node.name for node in file.around(owner) if isinstance(node, ast.ClassDef)]
    address = "::".join((file.path, *reversed(outer), owner.name))
    in_rank_case = is_rank_test_case(file, owner)
    for method in file.methods(owner):
        if _is_test_name(method.name):
            yield CollectedTest(f"{address}::{method.name}", method, owner, in_rank_case=in_rank_case)


def is_test_class(file: SourceFile, owner: ast.ClassDef) -> bool:
    """A TestCase of any making, or a class named Test... that pytest can make an instance of."""
    if any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in file.around(owner)):
        return False
    if any(_says_no_test(statement) for statement in owner.body):
        return False
    if any(_is_case_name(base.rpartition(".")[2]) for base in file.base_names(owner)):
        return True
    return owner.name.startswith("Test") and file.method(owner, "__init__") is None


def is_rank_test_case(file: SourceFile, owner: ast.ClassDef) -> bool:
    return any(base.rpartition(".")[2] in RANK_TEST_CASES for base in file.base_names(owner))


def _is_case_name(base: str) -> bool:
    return "TestCase" in base or base.endswith(("TestBase", *RANK_TEST_CASES))


def _says_no_test(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id="__test__")], value=ast.Constant(value=False)):
            return True
    return False


def decorator_names(file: SourceFile, function: Function) -> tuple[str, ...]:
    """Dotted names of its decorators, a call's without the brackets."""
    return tuple(file.dotted(d).removesuffix("()") for d in getattr(function.node, "decorator_list", ()))


def fixture_name(file: SourceFile, function: Function) -> str | None:
    """The name under which tests ask for it; None if it is no fixture."""
    if isinstance(function.node, ast.Module | ast.Lambda):
        return None
    for decorator in function.node.decorator_list:
        if file.dotted(decorator).removesuffix("()").rpartition(".")[2] not in {"fixture", "yield_fixture"}:
            continue
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
        return function.name
    return None


def is_autouse(function: Function) -> bool:
    """Whether a fixture runs for tests that do not ask for it."""
    return not isinstance(function.node, ast.Module | ast.Lambda) and any(
        keyword.arg == "autouse" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for decorator in function.node.decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
    )
