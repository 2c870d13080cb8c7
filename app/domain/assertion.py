"""What an assertion says apart from its values: values never split a group, another statement always does."""

import re

from app.domain.masking import mask

ASSERTION_TYPES = (
    "AssertionError",
    "AssertionFailedError",
    "ComparisonFailure",
    "Failed",
    "FailureException",
)
_INTROSPECTED = re.compile(r" (?P<operator>==|!=|<=|>=|<|>|not in|in|is not|is) ")
_NAMED_MESSAGE = re.compile(r",\s{0,8}[A-Za-z_][\w.]{0,100}\)?$")
_QUOTED = re.compile(r"'[^']{0,500}'|\"[^\"]{0,500}\"")
_OPERATOR = re.compile(
    r" (?P<operator>==|!=|<=|>=|<|>|not found in|unexpectedly found in|not less than|not greater than"
    r"|is not(?= (?:true|false|None)\b)|unexpectedly identical) "
)
_EXPECTED = re.compile(r"expected: ?<.{0,400}> but (?:was|got): ?<", re.IGNORECASE)
_CONTENT_CHARS = 1_000


def is_assertion(type_name: str) -> bool:
    return type_name.rpartition(".")[2] in ASSERTION_TYPES


def assertion_template(headline: str, statement: str) -> str:
    """The part of an assertion's message that is not in its statement and does not hold values.

    A statement that writes its message out says it already; only a message passed in by name adds something.
    Where the statement is not shown, or cut at its first line, the comparison's shape has to serve.
    """
    if statement.startswith("assert") and not statement.endswith(("(", "[", "{", ",", "\\")):
        if headline.startswith("assert") or _NAMED_MESSAGE.search(statement) is None:
            return ""
        return _without_values(headline)
    if headline.startswith("assert "):
        return "assert " + _shape(headline.removeprefix("assert "), _INTROSPECTED)
    return _without_values(headline)


def _without_values(message: str) -> str:
    if _EXPECTED.search(message[:_CONTENT_CHARS]):
        return "expected <value> but was <value>"
    return _shape(message, _OPERATOR)


def _shape(message: str, operators: re.Pattern[str]) -> str:
    """Both sides of a comparison are values: how they were compared is all that stays."""
    match = operators.search(message[:_CONTENT_CHARS])
    return mask_values(message) if match is None else f"<value> {match['operator']} <value>"


def mask_values(message: str) -> str:
    """Mask quoted strings too: in an assertion they are values, not names."""
    return mask(_QUOTED.sub("<str>", message[:_CONTENT_CHARS]))
