"""How a replay speaks while it runs and when it has ended: lines in a pipe, a table on a terminal."""

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from app.domain.replay_words import Arm, CauseKind, Outcome, ReplayVerdict
from worker.commands.replay_live import ReplayLive
from worker.commands.telling import tell
from worker.replay.bundle.story import Line, Tone, story
from worker.replay.engine import Progress
from worker.replay.facts import WORLD, Frame, Linked
from worker.replay.limits import Held, Hold, Limits
from worker.replay.observed import Absent, Naming
from worker.replay.report import ArmCount, Bound, Replay
from worker.replay.trial import Cleanup, Explained, Explanation, Position, Thrown, Trial, TrialSpec
from worker.replay.watching.words import naming_lines

SPEC = TrialSpec(4, "a.py::t", Arm.CPU_HALF, bare=False, seed=1, limits=Limits(9.0))
HELD = Held("affinity", Hold.APPROXIMATED, Hold.ABSENT, Hold.ENFORCED, "unshare", ("Only whole cores.",))
ARMS = (ArmCount(Arm.CPU_HALF, 1, 2, 3, 4, 5, 6.0),)
NAMING = Naming(0, "proven", 7, 1, "WORLD", 15, "all_reduce", 0, (0, 2), "rank 0 has exited")


def failed(cause: Explained) -> Trial:
    return Trial(
        SPEC, Outcome.FAILED, Path(), 1.5, HELD, explanation=Explanation(cause, timeline=("+0.1 s it began",))
    )


def replay_of(cause: Explained, **changes: object) -> Replay:
    trial = failed(cause)
    whole = Replay(
        test="a.py::t",
        verdict=ReplayVerdict.REPRODUCED_ONCE,
        sentence="it failed once",
        explanation=trial.explanation,
        findings=(),
        trials=(trial,),
        arms=ARMS,
        bound=Bound(1, 1, 0.05, 1.0),
        sensitivity=(),
        limits={},
    )
    return replace(whole, **changes)  # type: ignore[arg-type]  # fields by name, as the caller needs


def lines(replay: Replay) -> list[str]:
    return [line.words for line in story(replay)]


def news(**what: object) -> Progress:
    return Progress("down the ladder", ARMS, 12.0, 60.0, **what)  # type: ignore[arg-type]  # one of three


def test_a_pipe_gets_a_line_for_each_trial_and_each_naming(capsys: pytest.CaptureFixture[str]) -> None:
    with ReplayLive("a.py::t\x1b[2J") as live:
        live.follow(news(started=SPEC))
        live.follow(news(named=NAMING))
        live.follow(news(finished=failed(Explained(CauseKind.LATE_RANK, "rank 1 was late", rank=1))))
    waits = "rank 1 waits in all_reduce number 15 on WORLD, where ranks 0, 2 are missing"
    assert capsys.readouterr().err.splitlines() == [
        "replaying a.py::t\\u001b[2J ...",
        f"  proven: rank 0 has exited: {waits}",
        "  trial 4, cpu-0.5, probed: failed in 1.5 s; late-rank: rank 1 was late [12 of 60 s]",
    ]


def test_a_terminal_gets_a_table_of_arms_with_what_runs_below(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with ReplayLive("a.py::t") as live:
        live.follow(news(finished=failed(Explained(CauseKind.NONE))))
        live.follow(news(started=SPEC))
        live.follow(news(named=replace(NAMING, rank=None, missing=(), proof="")))
        told = io.StringIO()
        Console(file=told, width=110).print(live.shown())
    shown = told.getvalue()
    assert "cpu-0.5" in shown
    assert shown.split("cpu-0.5", 1)[1].split()[:4] == ["1/2", "3/4", "5", "6"]
    assert "trial 4, cpu-0.5, probed: failed in 1.5 s" in shown
    assert "trial 4, cpu-0.5, probed: running" in shown
    assert "a process waits in all_reduce" in shown
    assert "down the ladder [12 of 60 s]" in shown
    assert "cpu-0.5" in screen.getvalue()


def test_a_naming_tells_what_the_missing_rank_raised_after_which_collective_and_where_all_are() -> None:
    wait = Frame("plan.py", 30, "agree", in_project=True)
    raised = Thrown(
        "ValueError",
        "no packing",
        Linked("OverflowError", "8 tokens", cause=Linked("OSError", "disk")),
        Linked("StopIteration", ""),
        (Frame("plan.py", 42, "estimate", in_project=True), Frame("/lib/x.py", 9, "call")),
    )
    last = Position(WORLD, 14, "all_reduce", "MIN", "plan.py:30 in agree", 0)
    naming = replace(
        NAMING,
        what="provisional",
        missing=(0,),
        proof="",
        reduce_op="MIN",
        call_site="plan.py:30 in agree",
        stack=(Frame("/lib/c10d.py", 7, "all_reduce"), wait),
        absent=(
            Absent(
                0,
                last,
                is_matched=True,
                raised=raised,
                stack=(Frame("plan.py", 50, "stay", in_project=True),),
            ),
        ),
    )
    assert list(naming_lines(naming)) == [
        (
            "provisional: rank 1 waits in all_reduce(MIN) number 15 on WORLD at plan.py:30 in agree, "
            "where rank 0 is missing"
        ),
        (
            "rank 0 raised ValueError: no packing at plan.py:42 in estimate, "
            "after matched all_reduce(MIN) number 14 on WORLD at plan.py:30 in agree"
        ),
        "  its cause: OverflowError: 8 tokens",
        "  its context: StopIteration",
        "  behind that, its cause: OSError: disk",
        "rank 0 is at plan.py:50 in stay",
        "rank 1 is at /lib/c10d.py:7 in all_reduce, called from plan.py:30 in agree",
    ]


def test_a_missing_rank_that_raised_nothing_is_told_by_where_it_was_last_seen() -> None:
    last = Position(WORLD, 15, "broadcast")
    unknown = replace(NAMING, absent=(Absent(0, last, is_inside=True), Absent(2)))
    assert list(naming_lines(unknown))[1:] == ["rank 0 was last seen inside broadcast number 15 on WORLD"]


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("withdrawn", "withdrawn, it went on after all: rank 1 waited in all_reduce number 15 on WORLD"),
        ("borne-out", "borne out, the wait has failed: rank 1 waited in all_reduce number 15 on WORLD"),
    ],
)
def test_the_end_of_a_naming_is_told_on_one_line(what: str, told: str) -> None:
    ended = replace(NAMING, what=what, proof="", absent=(Absent(0, raised=Thrown("E", "", None, None, ())),))
    assert list(naming_lines(ended)) == [f"{told}, where ranks 0, 2 were missing"]


def test_the_chain_of_an_exception_is_told_to_its_end_and_no_further() -> None:
    link = Linked("OSError", "disk")
    for number in range(20):
        link = Linked("KeyError", str(number), cause=link)
    told = lines(
        replay_of(
            Explained(CauseKind.RANK_EXCEPTION, "it raised", 1, Thrown("ValueError", "a\nb", link, None, ()))
        )
    )
    assert "  ValueError: a" in told
    assert "    b" in told
    assert sum(one.startswith("  its cause: KeyError") for one in told) == 6


def test_of_a_stack_the_projects_frames_and_the_innermost_are_told() -> None:
    own, other = Frame("a.py", 3, "t", "f()", in_project=True), Frame("/lib/x.py", 9, "call")
    thrown = Thrown("ValueError", "", None, None, (other, other, own, other, other))
    told = lines(replay_of(Explained(CauseKind.RANK_EXCEPTION, "it raised", 1, thrown)))
    at = told.index("  ValueError")
    assert told[at + 1 : at + 4] == [
        "      3 other frames not shown",
        "      a.py:3 in t: f()",
        "      /lib/x.py:9 in call",
    ]


def test_what_is_not_explained_shows_the_raw_timeline() -> None:
    told = lines(replay_of(Explained(CauseKind.NOT_EXPLAINED, "nothing fits")))
    assert "  +0.1 s it began" in told


def test_the_story_says_what_limits_were_worth_and_what_was_left() -> None:
    told = lines(replay_of(Explained(CauseKind.NONE)))
    assert (
        "Limits by affinity: CPU approximated, memory absent, processes enforced; isolated by unshare" in told
    )
    assert "  Only whole cores." in told
    assert told[-1] == "Nothing was left behind by 1 trial."
    unclean = replace(failed(Explained(CauseKind.NONE)), cleanup=Cleanup(processes=1))
    assert lines(replay_of(Explained(CauseKind.NONE), trials=(unclean,)))[-1].startswith(
        "Something was left behind"
    )


def test_the_story_of_what_never_ran_says_why_and_tells_no_rate() -> None:
    idle = [
        replace(failed(Explained(CauseKind.NONE)), outcome=Outcome.NO_TRIAL, reason=f"reason {number // 2}")
        for number in range(10)
    ]
    told = lines(replay_of(Explained(CauseKind.NONE), trials=tuple(idle), bound=Bound(0, 0, 0.0, 1.0)))
    assert told[2:6] == ["  reason 0", "  reason 1", "  reason 2", "  and 2 other reasons"]
    assert not any("a rate between" in one for one in told)


def test_an_arm_tells_only_of_the_kinds_of_trials_that_it_had() -> None:
    arms = (ArmCount(Arm.PLAIN, 1, 3, 0, 0, 0, 9.0), ArmCount(Arm.PAUSE, voids=2))
    told = lines(replay_of(Explained(CauseKind.NONE), arms=arms))
    assert "  plain        bare 1 of 3, 9.0 s" in told
    assert "  pause        none that counts, 2 void, 0.0 s" in told
    assert "  together 1 of 1: a rate between 5.0 % and 100.0 % (95 % confidence)" in told


def test_the_story_says_why_there_was_no_further_trial() -> None:
    decisions = ("opening: plain and bare, 1 of 3", "interrupted: what is known so far")
    told = lines(replay_of(Explained(CauseKind.NONE), decisions=decisions))
    assert "No further trial: it was interrupted" in told
    assert decisions[0] not in told


def test_no_line_is_markup_and_none_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tell([Line("[red]a[/red] :smile: \x1b[31m\u202e", Tone.BAD), Line("x" * 500)])
    out = capsys.readouterr().out.splitlines()
    assert out == ["[red]a[/red] :smile: \\u001b[31m\\u202e", "x" * 500]
