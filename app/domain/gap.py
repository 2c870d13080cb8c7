"""A gap is evidence that we know is missing; it is shown beside a verdict and never read as good news."""

from dataclasses import dataclass
from enum import StrEnum


class GapKind(StrEnum):
    ARTIFACT_EXPIRED = "artifact-expired"
    ARTIFACT_GONE = "artifact-gone"
    ARTIFACT_OF_OTHER_ATTEMPT = "artifact-of-other-attempt"  # made before the attempt began
    ARTIFACT_REFUSED = "artifact-refused"  # traversal, link, bomb, digest mismatch, too large
    BUNDLE_REFUSED = "bundle-refused"  # a replay bundle that is damaged, or does not bear out what it says
    NO_RESULTS_FILE = "no-results-file"
    FILE_REFUSED = "file-refused"  # a results file of which nothing was taken
    FILE_PARTIAL = "file-partial"  # a results file that was cut, repaired or skipped in part
    RESULTS_INCOMPLETE = "results-incomplete"  # tests that were counted or claimed, and are listed nowhere
    RESULTS_UNATTRIBUTED = "results-unattributed"  # results that belong to no known job
    RESULTS_CONTRADICT_JOB = "results-contradict-job"  # red job without a failure, or the reverse
    TEST_COLLISION = "test-collision"  # one id with different outcomes in two files of one job
    LOG_GONE = "log-gone"
    LOG_REFUSED = "log-refused"  # GitHub gives it to nobody without a token, and not to every token
    ANNOTATIONS_UNREAD = "annotations-unread"  # of a job whose log names no cause
    LOG_CUT = "log-cut"
    TREE_UNKNOWN = "tree-unknown"
    HISTORY_UNKNOWN = "history-unknown"  # how two commits relate could not be found out
    ID_UNSTABLE = "id-unstable"  # the test may bear another name in the next run
    RESULTS_REMOVED = "results-removed"  # they were past their time
    RUNS_UNREAD = "runs-unread"  # listed at the first look at a repository, and left
    DELIVERY_UNREADABLE = "delivery-unreadable"


HIDES_RESULTS = frozenset(
    {
        GapKind.ARTIFACT_EXPIRED,
        GapKind.ARTIFACT_GONE,
        GapKind.ARTIFACT_OF_OTHER_ATTEMPT,
        GapKind.ARTIFACT_REFUSED,
        GapKind.NO_RESULTS_FILE,
        GapKind.FILE_REFUSED,
        GapKind.FILE_PARTIAL,
        GapKind.RESULTS_INCOMPLETE,
        GapKind.RESULTS_UNATTRIBUTED,
    }
)
"""Where a job has one of these, a test that is not among its results may have run, and passed."""


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """`subject` names the thing (an artifact, a job, a file), `detail` says what happened to it."""

    kind: GapKind
    subject: str
    detail: str
