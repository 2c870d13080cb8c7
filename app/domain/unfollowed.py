"""Whether a failed test can be followed by its id: where it differs in each run, never seen says nothing."""

from app.domain.evidence import Evidence
from app.domain.unstable_ids import why_unstable


def why_unfollowed(evidence: Evidence) -> str | None:
    """What in the test's name may differ from run to run; None where the id is stable or was met elsewhere.

    A day or a UUID in a name may be a constant: an id that other runs have too is followed by it.
    """
    why = why_unstable(evidence.test)
    if why is None or (evidence.base is not None and evidence.base.outcomes):
        return None
    met_here = any(one.job_id != evidence.failure.job_id for one in evidence.same_code)
    return None if met_here or any(one.same_test for one in evidence.recurrences) else why
