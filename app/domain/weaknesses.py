"""Which findings of the lint are about one test: those that keep its failures from saying more."""

from collections.abc import Sequence

from app.domain.lint.finding import LintFinding
from app.domain.outcome import TestId


def weaknesses_of(test: TestId, path: str, findings: Sequence[LintFinding]) -> tuple[LintFinding, ...]:
    """In their order: the test's own, those shared with it where it has none of that rule, the file's own.

    `path` is where the test's file stands. A finding names the first test that it is about, and as sisters
    also those whose weakness of the rule stands elsewhere.
    """
    name = _name_in(test, path)
    own = {one.rule for one in findings if one.test is not None and _name(one.test) == name}
    return tuple(
        one
        for one in findings
        if one.test is None
        or _name(one.test) == name
        or (one.rule not in own and any(_name(sister) == name for sister in one.sisters))
    )


def _name(node: str) -> str:
    """A node id without its file: `TestHandoff::test_exact`."""
    return node.partition("::")[2]


def _name_in(test: TestId, path: str) -> str:
    """As above, without parameters; the classes are what stands behind the module in the dotted name."""
    dotted = "." + path.removesuffix(".py").replace("/", ".")
    parts = test.classname.split(".") if test.classname else []
    length = next((n for n in range(len(parts), 0, -1) if dotted.endswith("." + ".".join(parts[:n]))), 0)
    return "::".join([*parts[length:], test.base_name])
