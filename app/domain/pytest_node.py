"""pytest's node ids (`tests/test_a.py::TestB::test_x[p]`) as the test ids that its JUnit file has."""

import re
from typing import Final

from app.domain.outcome import TestId

PYTEST_SUITE: Final = "pytest"
"""The suite's default name (option junit_suite_name); it identifies what has no class: a file."""

_MESSAGE_MARK: Final = " - "
_MAX_MARKS: Final = 50
_DESCRIPTION: Final = re.compile(r"(?:\[[^\]]{0,300}\] )?(?:\([^)]{0,300}\) )?")


def to_test_id(node: str) -> TestId:
    """Name the test as junitxml does: dotted path and classes, then the function with its parameters.

    A node without `::` is a file (it could not be collected); it is named as a module of its own.
    """
    path, _, rest = node.partition("::")
    module = path.removesuffix(".py").replace("/", ".")
    if not rest:
        return TestId(file="", suite=PYTEST_SUITE, classname="", name=module)
    plain, bracket, parameters = rest.partition("[")
    *classes, function = plain.split("::")
    return TestId(
        file="",
        suite="",
        classname=".".join(part for part in [module, *classes] if part),
        name=function + bracket + parameters,
    )


def to_node(test: TestId, path: str | None) -> str:
    """The node id that pytest prints of a test whose file is known to be `path`; else the test's label."""
    module = path.removesuffix(".py").replace("/", ".") if path and path.endswith(".py") else None
    if module is None:
        return test.label
    if not test.classname:
        return path if path and test.name == module else test.label
    if test.classname != module and not test.classname.startswith(f"{module}."):
        return test.label
    classes = [part for part in test.classname[len(module) :].split(".") if part]
    return "::".join([str(path), *classes, test.name])


def domain_of(node: str) -> str:
    """The name in the header of the node's failure section: classes and function, joined by dots."""
    rest = node.partition("::")[2]
    plain, bracket, parameters = rest.partition("[")
    return plain.replace("::", ".") + bracket + parameters


def split_summary(text: str) -> tuple[str, str]:
    """Split `node - message` of a summary line; parameters may hold the same dash, so brackets decide."""
    position = -len(_MESSAGE_MARK)
    for _ in range(_MAX_MARKS):
        position = text.find(_MESSAGE_MARK, position + len(_MESSAGE_MARK))
        if position < 0:
            break
        node = text[:position]
        if "[" not in node or node.endswith("]"):
            return node, text[position + len(_MESSAGE_MARK) :]
    return text, ""


def split_description(text: str) -> tuple[str, str]:
    """Split what stands before the node id, such as a subtest's `[msg] (i=1) `, from the rest."""
    prefix = _DESCRIPTION.match(text)
    end = prefix.end() if prefix else 0
    return text[:end].strip(), text[end:]


def guess_node(path: str | None, domain: str) -> str:
    """Make a node id of a section's header and the first file its traceback names, if any."""
    plain, bracket, parameters = domain.partition("[")
    return "::".join([path or "", *plain.split(".")]) + bracket + parameters
