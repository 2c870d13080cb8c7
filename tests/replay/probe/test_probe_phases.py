"""Phases of pytest, told by a plugin that pytest was given no word of."""

import re
import sys

from probed import Ran, Tools

from worker.replay.facts import Seen

SUITE = """
    import pytest

    def test_passes(): pass

    def test_fails():
        try:
            {}["x"]
        except KeyError as error:
            raise ValueError("from a key") from error

    def test_skips(): pytest.skip("not today")

    @pytest.fixture
    def broken(): raise OSError("no fixture")

    def test_errors(broken): pass

    def test_exits_within():
        with pytest.raises(SystemExit):
            raise SystemExit(3)
"""


def pytest_on(tools: Tools, *args: str) -> Ran:
    tools.write(SUITE, "test_suite.py")
    return tools.ran([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args, "test_suite.py"])


def test_every_phase_is_told_with_its_outcome_and_crash_line(tools: Tools) -> None:
    ran = pytest_on(tools, "-q")

    told = {(one.test.split("::")[-1], one.when): one for one in ran.journals.phases}
    assert told["test_passes", "call"].outcome == "passed"
    failed = told["test_fails", "call"]
    assert (failed.outcome, failed.crash, failed.file) == (
        "failed",
        "ValueError: from a key",
        "test_suite.py",
    )
    assert failed.line == 10
    assert (told["test_skips", "call"].outcome, told["test_skips", "call"].crash) == (
        "skipped",
        "Skipped: not today",
    )
    assert (told["test_errors", "setup"].outcome, told["test_errors", "setup"].crash) == (
        "failed",
        "OSError: no fixture",
    )
    assert ("test_errors", "call") not in told
    assert told["test_errors", "teardown"].outcome == "passed"
    assert {one.pid for one in ran.journals.phases} == {ran.main.pid}


def test_the_failure_itself_is_told_with_its_chain(tools: Tools) -> None:
    ran = pytest_on(tools, "-q")

    failed = next(one for one in ran.journals.raised if one.seen is Seen.TEST and one.type == "ValueError")
    assert failed.cause is not None
    assert failed.cause.type == "KeyError"
    assert failed.frames[-1].function == "test_fails"


def test_a_collection_that_fails_is_told(tools: Tools) -> None:
    (tools.project / "test_broken.py").write_text("import no_such_module_at_all", encoding="utf-8")

    ran = tools.ran([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"])

    (phase,) = ran.journals.phases
    assert (phase.when, phase.outcome) == ("collect", "failed")
    assert "no_such_module_at_all" in phase.crash


def test_what_pytest_prints_is_the_same_with_and_without_it(tools: Tools) -> None:
    probed = pytest_on(tools, "-v", "--durations=0", "--durations-min=9")
    (tools.folder / "address.json").unlink()
    bare = {name: value for name, value in tools.environment().items() if name not in tools.address}
    unprobed = tools.ran(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-v",
            "--durations=0",
            "--durations-min=9",
            "test_suite.py",
        ],
        env=bare,
    )

    assert without_times(probed.stdout) == without_times(unprobed.stdout)
    assert probed.code == unprobed.code == 1


def without_times(text: str) -> str:
    return re.sub(r"=* ([^=]*) in [0-9.]+s =*", r"\1", text)
