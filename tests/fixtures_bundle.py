"""A replay bundle as a job uploads it: the files that the service reads of one, under a true manifest."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

TEST = "tests/test_combine.py::test_total_is_right"
SENTENCE = "rank 1 raised RuntimeError: lost the lease at tests/test_combine.py:9 in worker"
TRIAL_JUNIT = (
    b'<?xml version="1.0"?><testsuite name="pytest" tests="1"><testcase classname="tests.test_combine" '
    b'name="test_only_in_a_trial" time="1"><failure message="boom">boom</failure></testcase></testsuite>'
)
SOURCE = b"def test_total_is_right():\n    assert False\n"


def report(
    test: str = TEST,
    *,
    verdict: str = "confirmed-flake",
    failed: int = 3,
    passed: int = 10,
    cause: Mapping[str, Any] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """What `replay --json` prints of a test that failed and passed so often in the plain arm."""
    told = {
        "kind": "rank-exception",
        "rank": 1,
        "sentence": SENTENCE,
        "exception": {
            "type": "RuntimeError",
            "message": "lost the lease",
            "cause": None,
            "context": None,
            "frames": [],
        },
        "collective": None,
        "window": None,
        "consequences": [],
    }
    outcomes = ["failed"] * failed + ["passed"] * passed
    held = {"by": "cgroup-v2", "cpus": "enforced", "memory": "not-asked", "isolation": "none", "notes": []}
    return {
        "test": test,
        "verdict": verdict,
        "sentence": f"it failed {failed} of {failed + passed} trials in the same way, and passed {passed}",
        "cause": told if cause is None else dict(cause),
        "findings": [],
        "trials": [{"arm": "plain", "bare": False, "outcome": one, "seconds": 1.0} for one in outcomes],
        "bound": {
            "failures": failed,
            "trials": failed + passed,
            "rate_low_95": 0.05,
            "rate_high_95": 0.54,
        },
        "sensitivity": [],
        "limits": {"arms": {"plain": {"held": held}}},
        "bundle": None,
    } | changes


def bundle(
    told: Mapping[str, Any] | None = None, *, folder: str = "", more: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    """Its files by their names in the artifact, sealed; `folder` with its last slash."""
    told = report() if told is None else told
    files = {
        "report.json": json.dumps(told).encode(),
        "plan.json": b"{}",
        "suspect.json": b"{}",
        "001/junit.xml": TRIAL_JUNIT,
        "001/rank1.log": b"RuntimeError: of a trial\n",
        "source/tests/test_combine.py": SOURCE,
        **(more or {}),
    }
    return {folder + name: content for name, content in sealed(files, str(told["test"])).items()}


def sealed(files: Mapping[str, bytes], test: str, **changes: Any) -> dict[str, bytes]:
    """With the manifest over them."""
    told = {
        "format": 1,
        "made_by": "flake-triage 0.1.0",
        "test": test,
        "files": {
            name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
            for name, content in files.items()
        },
    } | changes
    return {**files, "manifest.json": json.dumps(told, indent=1).encode()}
