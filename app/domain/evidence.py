"""The facts for one verdict, gathered from the store: what was seen where, and what is missing."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.category import Category
from app.domain.gap import Gap
from app.domain.ids import Sha
from app.domain.outcome import OutcomeKind
from app.domain.replay_words import CauseKind, ReplayVerdict
from app.domain.tested_tree import TestedTree


@dataclass(frozen=True, slots=True)
class Observation:
    """One test's outcome in one job of one attempt, with the code it ran on."""

    run: int
    attempt: int
    job_id: int
    job: str
    variant: str
    event: str
    sha: Sha
    branch: str | None
    pull: int | None
    outcome: OutcomeKind
    tested: TestedTree
    at: datetime
    url: str


class ChangeKind(StrEnum):
    PULL = "pull"  # the verdict is about a pull request
    MAIN = "main"  # the run tested the default branch
    BRANCH = "branch"  # a pushed branch without a pull request, or a scheduled run elsewhere


@dataclass(frozen=True, slots=True)
class Change:
    """The change under test. On main, `candidates` are the commits since the last green run, newest first."""

    kind: ChangeKind
    pull: int | None = None
    candidates: tuple[Sha, ...] = ()


class Relation(StrEnum):
    """How another commit stands to the change under test."""

    WITHOUT_CHANGE = "without-change"  # it is known not to contain it
    WITH_CHANGE = "with-change"  # it contains it, or is the change itself
    UNKNOWN = "unknown"  # nobody could tell: proves nothing


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The same (test, signature) failed at another commit; `how` says how the relation is known.

    A signature folds parameters and values: `same_test` says that the very parameters failed, `same_values`
    that the values compared were equal (None where the text compares none), `same_variant` that it was this
    job. `from_fork` marks a run whose files anybody can have made up.
    """

    observation: Observation
    relation: Relation
    how: str
    same_test: bool = True
    same_variant: bool = True
    same_values: bool | None = None
    from_fork: bool = False


@dataclass(frozen=True, slots=True)
class Flip:
    """A pass and a fail of one test and variant at one head SHA, `failed` having the signature judged."""

    failed: Observation
    passed: Observation


@dataclass(frozen=True, slots=True)
class JobTally:
    """How many tests of the failed job ran and were red: a mass failure is not about one test."""

    ran: int
    red: int


@dataclass(frozen=True, slots=True)
class Unseen:
    """Runs that happened, and whose results nobody can look at: at most `runs`, none later than `until`.

    They may have passed, so their silence is no evidence of anything.
    """

    runs: int
    until: datetime
    gap: Gap


@dataclass(frozen=True, slots=True)
class BaseState:
    """The base branch, for this test and variant, before this run: newest first, passes and fails only.

    `unseen` is what it is known to have done beside that.
    """

    branch: str
    outcomes: tuple[Observation, ...] = ()
    unseen: tuple[Unseen, ...] = ()


@dataclass(frozen=True, slots=True)
class MainStreak:
    """Commits of the default branch, tested one after the other, that all failed with one group key.

    `failures` are one a commit, oldest first, with no pass of that variant at any of them. `base` is None
    where the failure judged is one of them. For a pull request it is the commit of the base side that the
    tested code holds, known to lie inside, so that everything that failed up to it lacks the change.
    `same_values` says whether any of them compared the same values (None where the texts compare none).
    """

    failures: tuple[Observation, ...]
    base: Sha | None = None
    same_values: bool | None = None


@dataclass(frozen=True, slots=True)
class SignatureFacts:
    """What the judge may know of a signature. `key` is None where the text forms no group."""

    key: str | None
    title: str
    category: Category
    generic: bool
    opaque: bool


@dataclass(frozen=True, slots=True)
class SeenReplay:
    """A replay of the failed test inside the failed job, as its bundle tells it.

    `own_word`: a stranger's code may have written it, so that it proves nothing.
    """

    verdict: ReplayVerdict
    sentence: str
    cause: CauseKind
    sentence_of_cause: str
    artifact: str
    own_word: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything one verdict rests on, for one failed result.

    `test` is empty for a job that failed without naming one: the job then stands for a test, so that what is
    said of a test's outcomes holds of the job's. `same_code` are the other results of this test and variant
    at this head SHA or on this tree, in any run, attempt or event. `siblings` are its results in other
    variants of the same attempt. `flips_elsewhere` are flips of this group at other SHAs. `recurrences` hold
    no observation of the failure's own head SHA. `main_streak` is the broken stretch of main that this
    failure is part of, or was tested on. `failed_before` counts earlier failures of this (test, signature) at
    other SHAs; `test_flipped_before` is true if the test flipped with any other signature. `related` are
    texts from rank logs found beside the failure, already one line each. `replays` are the run's own claims.
    """

    test: str
    failure: Observation
    signature: SignatureFacts
    change: Change
    same_code: tuple[Observation, ...] = ()
    siblings: tuple[Observation, ...] = ()
    recurrences: tuple[Recurrence, ...] = ()
    flips_elsewhere: tuple[Flip, ...] = ()
    base: BaseState | None = None
    tally: JobTally = JobTally(0, 0)
    main_streak: MainStreak | None = None
    failed_before: int = 0
    test_flipped_before: bool = False
    related: tuple[str, ...] = ()
    replays: tuple[SeenReplay, ...] = ()
    gaps: tuple[Gap, ...] = ()
