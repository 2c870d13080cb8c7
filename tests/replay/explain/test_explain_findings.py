"""What is worth knowing beside the cause, and the raw timeline."""

from scenario import CLOSED, MAIN, Story, at, ns

from app.domain.replay_words import CauseKind, FindingKind
from worker.replay.explain.explain import explain
from worker.replay.explain.timeline import MOST_LINES
from worker.replay.facts import Init, Process, Seen, TrialFacts
from worker.replay.limits import Usage


def found(story: Story, **options: object) -> dict[FindingKind, list[str]]:
    kinds: dict[FindingKind, list[str]] = {}
    for one in explain(story.facts(**options)).findings:
        kinds.setdefault(one.kind, []).append(one.text)
    return kinds


def handoff(*, digests: bool = True) -> Story:
    """Incident 1's shape: both ranks report, the parent takes one item."""
    story = Story()
    story.together(1, count=3)
    story.put(0, 2, "{'ok': True}", digest="d0" if digests else None)
    story.raised(1, 2, "RuntimeError", "digest differs", seen=Seen.REPORTED, frames=(at(16, "_verify"),))
    story.put(1, 2.1, "RuntimeError: digest differs", traceback=True, digest="d1" if digests else None)
    story.exit(1, 2.3, 1)
    story.exit(0, 2.3, 0)
    return story


def test_traceback_that_nobody_took_is_named_with_what_was_read_instead() -> None:
    for digests in (True, False):
        story = handoff(digests=digests)
        story.took(2.2, 0, digest="d0" if digests else None)
        story.failed(3, "assert False")
        texts = found(story)[FindingKind.UNREAD_REPORT]
        assert len(texts) == 1
        assert texts[0].startswith("rank 1's traceback was put on a queue and never read")
        assert "1 of 2 items were read: of rank 0" in texts[0]


def test_traceback_that_was_taken_and_not_shown() -> None:
    story = handoff()
    story.took(2.2, 1, "RuntimeError: digest differs", traceback=True, digest="d1")
    story.failed(3, "assert False")
    kinds = found(story)
    assert FindingKind.UNREAD_REPORT not in kinds
    assert kinds[FindingKind.REPORT_NOT_SHOWN][0].startswith(
        "rank 1's traceback was read at tests/test_x.py:70"
    )


def test_report_that_the_assertion_shows_is_no_finding() -> None:
    story = handoff()
    story.took(2.2, 1, "RuntimeError: digest differs", traceback=True, digest="d1")
    story.failed(3, "assert not ['RuntimeError: digest differs']")
    assert FindingKind.REPORT_NOT_SHOWN not in found(story)


def test_report_of_a_mere_consequence_need_not_be_shown() -> None:
    story = Story()
    story.put(0, 2, f"RuntimeError: {CLOSED}", traceback=True, digest="d")
    story.took(2.1, 0, f"RuntimeError: {CLOSED}", traceback=True, digest="d")
    story.failed(3, "assert False")
    assert FindingKind.REPORT_NOT_SHOWN not in found(story)


def outside(story: Story, *, group: str = "WORLD", error: int | None = None) -> None:
    story.add(
        "inits", Init(story.pid(1), ns(0.5), ns(0.6), group, site=at(9, "_worker"), in_try=False, error=error)
    )


def test_init_outside_the_try_matters_where_the_test_reports_exceptions() -> None:
    story = handoff()
    outside(story)
    story.failed(3, "assert False")
    assert (
        "init_process_group at tests/test_x.py:9 in _worker" in found(story)[FindingKind.INIT_OUTSIDE_TRY][0]
    )


def test_init_outside_the_try_does_not_matter_where_nothing_reports() -> None:
    story = Story()
    outside(story)
    outside(story, group="pair", error=7)
    story.failed(3, "assert False")
    assert FindingKind.INIT_OUTSIDE_TRY not in found(story)


def test_init_that_failed_outside_the_try_matters() -> None:
    story = Story()
    outside(story, error=7)
    story.failed(3, "assert False")
    assert FindingKind.INIT_OUTSIDE_TRY in found(story)


def test_survivors_and_their_ports_are_named_also_where_the_test_passed() -> None:
    story = Story()
    story.survivor(77, "sleep", "600")
    story.survivor(78, "python", "server.py", ports=(40001, 40000))
    story.survivor(79, "python", "-c", "from multiprocessing.resource_tracker import main")
    story.passed()
    kinds = found(story)
    assert len(kinds[FindingKind.LEAKED_PROCESS]) == 2
    assert "sleep 600" in kinds[FindingKind.LEAKED_PROCESS][0]
    assert "port 40000 and 40001" in kinds[FindingKind.LEAKED_PORT][0]


def test_python_that_the_probe_did_not_reach_is_named() -> None:
    for bare in (True, False):
        story = Story(0, bare=bare)
        story.add("processes", Process(77, MAIN, ("python", "-I", "child.py"), ns(1)))
        story.add("processes", Process(78, MAIN, ("git", "status"), ns(1), is_python=False))
        story.passed()
        texts = found(story).get(FindingKind.NOT_OBSERVED, [])
        assert texts == ([] if bare else ["the probe did not reach process 77: python -I child.py"])


def test_throttling_is_a_finding_of_failures_only() -> None:
    usage = Usage(periods=77, throttled_periods=75, throttled_ns=5_200_000_000)
    story = Story()
    story.failed(3)
    assert found(story, usage=usage) == {
        FindingKind.THROTTLED: ["the tree was throttled in 75 of 77 periods (5.2 s in sum)"]
    }
    passed = Story()
    passed.passed()
    assert found(passed, usage=usage) == {}


def test_passing_trial_has_no_cause_and_keeps_its_counts() -> None:
    """Handled, slept, and went on: nothing may be said of it."""
    story = Story()
    story.together(1, count=2)
    story.raised(0, 2, "ValueError", "no packing fits", seen=Seen.HANDLED)
    story.call(1, 2, 5.1)
    story.call(0, 5, 5.1)
    story.put(0, 5.2, "ValueError", traceback=True)
    story.exit(0, 6, 0)
    story.exit(1, 6, 0)
    story.passed(7)
    explanation = explain(story.facts())
    assert explanation.cause.kind is CauseKind.NONE
    assert explanation.cause.sentence == ""
    assert explanation.findings == ()
    assert explanation.matched == {"WORLD": 3}
    assert explanation.timeline == ()


def test_what_ran_nothing_has_no_cause() -> None:
    story = Story(0)
    story.exit(None, 1, 5)
    assert explain(story.facts()).cause.kind is CauseKind.NONE


def test_process_that_left_before_pytest_could_say_anything_has_failed() -> None:
    story = Story(0)
    story.failed(3)
    phases = story.said["phases"][:1]
    story.said = {"processes": story.said["processes"], "phases": phases}
    story.exit(None, 4, 0)
    assert explain(story.facts()).cause.kind is CauseKind.NOT_EXPLAINED


def test_timeline_is_one_order_of_all_processes_within_a_bound() -> None:
    story = Story()
    story.together(1, count=1000)
    facts: TrialFacts = story.facts(timed_out=True, ended=20.0)
    lines = explain(facts).timeline
    assert len(lines) == MOST_LINES + 1
    assert any("events left out" in line for line in lines)
    times = [float(line[1:].split(" ", 1)[0]) for line in lines if line.startswith("+")]
    assert times == sorted(times)
