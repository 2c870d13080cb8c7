"""Every threshold of a verdict, as a named field with its unit, its source and why that value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VerdictPolicy:
    """`version` rises whenever a field or a rule changes, and is stored with each verdict.

    Sources: `reference/signatures-and-statistics`, table 3.3, and CONTRACTS 1.
    """

    version: str = "4"
    infra_share: float = 0.8
    """Share (0..1) of a job's tests that are red from which the job, not a test, is the matter."""
    infra_min_tests: int = 20
    """Below this many tests a share says nothing."""
    known_flake_commits: int = 2
    """Commits without this change that must have shown a known flake's signature to call it likely."""
    broken_main_streak: int = 3
    """Consecutive tested commits of main that failed alike, with no pass between, make main broken."""
    clean_base_runs: int = 20
    """Passes of the base without a failure that prove it good."""
    regression_fails: int = 3
    """Failures on one tree, without a pass, that make a regression likely."""
    regression_confirmed_fails: int = 5
    window_days: int = 14
    """How far back evidence is looked for."""
