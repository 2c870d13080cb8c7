"""What `explain --json` prints: an object a file, in the order of CONTRACTS 5."""

from app.domain.explaining.explanation import Explanation, FailureTold, Quoted
from worker.commands.explain_content import FileExplained

Record = dict[str, object]


def record(one: FileExplained) -> Record:
    """Of a file that could not be read, `root_cause` is the reason and `category` null."""
    told = one.explanation
    if told is None:
        return {"file": one.name, "category": None, "root_cause": one.reason, **_key(None), **_rest(None)}
    return {
        "file": one.name,
        "category": told.category.value,
        "root_cause": told.root_cause,
        **_key(told.key),
        **_rest(told),
    }


def _key(key: Quoted | None) -> Record:
    return {"key_line": None if key is None else key.text, "line": None if key is None else key.line}


def _rest(told: Explanation | None) -> Record:
    if told is None:
        return {"test": None, "consequences": [], "failures": []}
    return {
        "test": told.test,
        "consequences": [{"line": one.line, "text": one.text} for one in told.consequences],
        "failures": [_failure(one) for one in told.failures],
    }


def _failure(one: FailureTold) -> Record:
    return {"test": one.test, "category": one.category.value, **_key(one.key)}
