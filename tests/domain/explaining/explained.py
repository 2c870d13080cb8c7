"""Logs written as runners and tools write them, and what is said of them."""

import io

from app.domain.explaining.explanation import Explanation
from app.domain.explaining.log_explanation import explain_log

STAMP = "2026-05-11T09:14:02.0131000Z "
START = f"{'=' * 29} test session starts {'=' * 30}"
FAILURES = f"{'=' * 35} FAILURES {'=' * 35}"
SUMMARY = f"{'=' * 27} short test summary info {'=' * 28}"
EXIT_1 = "##[error]Process completed with exit code 1."


def title(name: str) -> str:
    return f" {name} ".center(80, "_")


def log(*lines: str) -> str:
    """A job's log: what the runner says first, then a step with these lines."""
    return "".join(
        f"{STAMP}{line}\n" for line in ("Current runner version: '2.325.0'", "##[group]Run x", *lines)
    )


def pytest_log(test: str, *section: str, before: tuple[str, ...] = (), message: str = "") -> str:
    """A session in which one test of t/test_a.py fails; `before` is printed while it runs."""
    node = f"t/test_a.py::{test}"
    said = f" - {message}" if message else ""
    shown = (FAILURES, title(test), *section) if section else ()
    end = (SUMMARY, f"FAILED {node}{said}", f"{'=' * 20} 1 failed, 3 passed in 3.21s {'=' * 20}", EXIT_1)
    return log(START, "collected 4 items", "", *before, *shown, *end)


def explained(text: str) -> Explanation:
    return explain_log(io.BytesIO(text.encode()))


def key_of(told: Explanation) -> str:
    return "" if told.key is None else told.key.text.strip()
