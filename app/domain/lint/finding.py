"""The twelve rules, and what one of them has found."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """The words that suppressions, SARIF and people's scripts hold."""

    INIT_OUTSIDE_TRY = "init-outside-try"
    ONE_ITEM_DRAINED = "one-item-drained"
    RANK_0_ONLY_REPORT = "rank-0-only-report"
    REPORT_ASSERTED_TOO_LATE = "report-asserted-too-late"
    TERMINATE_COUNTS_AS_CRASH = "terminate-counts-as-crash"
    NO_EARLY_EXIT_CHECK = "no-early-exit-check"
    BARE_EXIT_CODE_ASSERTION = "bare-exit-code-assertion"
    PORT_FOUND_THEN_RELEASED = "port-found-then-released"
    EXIT_WITHOUT_BARRIER = "exit-without-barrier"
    RANK_LOCAL_RAISE_BEFORE_COLLECTIVE = "rank-local-raise-before-collective"
    COLLECTIVE_UNDER_RANK_CONDITION = "collective-under-rank-condition"
    FIXED_SLEEP_AS_SYNCHRONISATION = "fixed-sleep-as-synchronisation"


@dataclass(frozen=True, slots=True)
class Window:
    """Where a mend must stand: lines from 1 on, calls as the file writes them."""

    after_line: int
    after: str
    before_line: int
    before: str


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One weakness at one place. Lines and columns count from 1, as editors and SARIF do.

    `test` is the first test of the file whose failure it makes impossible to diagnose, as pytest names it
    (`path::Class::name`, without parameters), None where the file holds no such test; `sisters` are the other
    tests of the file with the same weakness, at this place or at one of their own.
    """

    rule: Rule
    path: str
    line: int
    column: int
    end_line: int
    test: str | None
    text: str
    mend: str
    sisters: tuple[str, ...] = ()
    window: Window | None = None

    def as_json(self) -> Mapping[str, object]:
        """The object of the command line's contract."""
        return {
            "path": self.path,
            "line": self.line,
            "rule": self.rule.value,
            "test": self.test,
            "text": self.text,
            "mend": self.mend,
            "sisters": list(self.sisters),
            "column": self.column,
            "end_line": self.end_line,
            "window": _window(self.window) if self.window else None,
        }


def _window(window: Window) -> dict[str, object]:
    return {
        "after": {"line": window.after_line, "call": window.after},
        "before": {"line": window.before_line, "call": window.before},
    }
