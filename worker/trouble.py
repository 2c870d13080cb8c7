"""What is expected to go wrong, as a sentence on stderr and an exit code; a traceback is a bug of ours."""

import re
from collections.abc import Iterator

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from sqlalchemy.exc import DBAPIError

from app.domain.errors import TriageError
from app.settings import PREFIX, WrongSettings
from worker import says

Expected = (ValidationError, TriageError, DBAPIError, OSError)

_WORDS = {
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number",
    "bool_parsing": "must be true or false",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
}
"""By the type of pydantic's error; its own sentences speak of inputs and types."""

_REMEDIES = (
    (re.compile(r'database "[^"]*" does not exist'), "make it with `createdb`, or name another one"),
    (re.compile(r'role "[^"]*" does not exist'), "make it with `createuser`, or name another user"),
    (re.compile(r"password authentication failed|no password supplied"), "mend its user or password"),
)
"""What PostgreSQL says before there is a connection, in English only, and what to do about it."""


def tell(error: BaseException) -> int:
    """Say what is wrong and return the exit code: 2 for settings, which only the user can mend, else 3."""
    for words in _sentences(error):
        says.progress(f"flake-triage: {words}")
    return says.WRONG_USE if isinstance(error, ValidationError | WrongSettings) else says.NOTHING_DONE


def _sentences(error: BaseException) -> Iterator[str]:
    if isinstance(error, ValidationError):
        yield from map(_setting, error.errors(include_url=False, include_input=False))
    elif isinstance(error, DBAPIError):
        is_postgres = type(error.orig).__module__.startswith("psycopg")
        place = f"of {PREFIX}DATABASE_URL" if is_postgres else f"in {PREFIX}DATA_DIR"
        yield f"the database {place} cannot be used: {database_words(error)}"
    elif isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        yield f"{place}{error.strerror.lower()}"
    else:
        yield str(error)


def database_words(error: DBAPIError) -> str:
    """What the database says, on one line, and what to do where that is plain."""
    said = " ".join(str(error.orig).split())
    return "; ".join([said, *(remedy for pattern, remedy in _REMEDIES if pattern.search(said))])


def _setting(problem: ErrorDetails) -> str:
    """The value stays unsaid: it may be a secret."""
    variable = PREFIX + "_".join(str(part) for part in problem["loc"]).upper()
    facts = problem.get("ctx", {})
    if problem["type"] == "value_error":
        return f"{variable}: {facts['error']}"
    known = _WORDS.get(problem["type"])
    return f"{variable}: {known.format(**facts) if known else problem['msg'].lower()}"
