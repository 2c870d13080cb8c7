"""What is written of a trial is read as the same value; what is damaged is refused with a reason."""

import json
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.replay_words import Arm, Outcome
from worker.replay.facts import Pause, Survivor, Throttling
from worker.replay.limits import Held, Hold, Limits, Usage
from worker.replay.observed import Naming, Observed, Waited
from worker.replay.outside.output import Output
from worker.replay.plain_json import NotThatShape, from_plain, to_plain
from worker.replay.regular_file import read_bounded, read_tail, size_below
from worker.replay.trial import Cleanup, Perturbation, Trial, TrialSpec
from worker.replay.trial_folder import read_observed, read_trial, write_observed, write_trial

SPEC = TrialSpec(
    3,
    "test_a.py::test_b[p/1]",
    Arm.PAUSE,
    bare=True,
    seed=99,
    limits=Limits(timeout_s=60, cpus=0.5, memory_bytes=1 << 30),
    perturbation=Perturbation(pause_ms=(1, 30.5)),
    inject="rank=1",
)
HELD = Held("cgroup-v1", Hold.ENFORCED, Hold.APPROXIMATED, Hold.ABSENT, "bubblewrap", ("a note",))


def trial(folder: Path) -> Trial:
    return Trial(
        SPEC,
        Outcome.TIMED_OUT,
        folder,
        60.25,
        HELD,
        Usage(cpu_ns=5, oom_kills=0),
        Cleanup(processes=1, notes=("left",)),
        exit_code=-9,
        failure_message="a \ud800 lone surrogate, \x00 and \x1b[31m",
        reason="it ran longer than 60 s",
    )


def test_trial_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_trial(trial(tmp_path))
    assert read_trial(tmp_path) == trial(tmp_path)


def test_moved_folder_is_read_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    write_trial(trial(tmp_path / "a"))
    (tmp_path / "a").rename(tmp_path / "b")
    assert read_trial(tmp_path / "b") == trial(tmp_path / "b")


def test_observed_is_read_as_it_was_written(tmp_path: Path) -> None:
    observed = Observed(
        1,
        9,
        main=3,
        supervisor=2,
        waits=(Waited(3, 8, 256),),
        survivors=(Survivor(7, ("sleep", "9"), "S", (80,)),),
        pauses=(Pause(5, 2, 3),),
        throttling=(Throttling(2, 3, 1),),
        namings=(Naming(4, "proven", 5, 1, "WORLD", 15, "all_reduce", 3, (0,), "it ended"),),
        error_tails={5: "text"},
    )
    write_observed(tmp_path, observed)
    assert read_observed(tmp_path) == observed


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "{",
        "[]",
        '{"spec": 1}',
        '{"outcome": "no such word"}',
        '{"seconds": "fast"}',
        '{"held": {"by": 5}}',
    ],
)
def test_damaged_record_is_refused(tmp_path: Path, damaged: str) -> None:
    (tmp_path / "trial.json").write_text(damaged)
    with pytest.raises(NotThatShape):
        read_trial(tmp_path)


def test_record_of_a_later_version_may_hold_more_and_an_earlier_one_less() -> None:
    plain = json.loads(json.dumps(to_plain(Limits(timeout_s=5))))
    assert from_plain(Limits, {**plain, "later": [1]}) == Limits(timeout_s=5)
    assert from_plain(Limits, {"timeout_s": 5}) == Limits(timeout_s=5)


@given(
    st.builds(
        Naming,
        *[st.integers(), st.text(), st.integers(), st.none() | st.integers(), st.text(), st.integers()],
        *[st.text(), st.integers(), st.lists(st.integers()).map(tuple), st.text()],
    )
)
def test_any_naming_survives_json(naming: Naming) -> None:
    assert from_plain(Naming, json.loads(json.dumps(to_plain(naming)))) == naming


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda one: st.lists(one) | st.dictionaries(st.text() | st.sampled_from(["began", "waits"]), one),
)


@given(ANY_JSON)
def test_any_json_is_a_value_or_refused(plain: object) -> None:
    with suppress(NotThatShape):
        assert isinstance(from_plain(Observed, plain), Observed)


def test_pipe_and_link_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "absent"):
        assert read_bounded(tmp_path / name, 10) == read_tail(tmp_path / name, 10) == b""
    assert read_bounded(tmp_path / "real", 3) == b"sec"
    assert read_tail(tmp_path / "real", 3) == b"ret"


def test_size_of_a_folder_is_counted_until_it_is_enough(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}").write_bytes(b"x" * 100)
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert size_below(tmp_path, 1000) == 300
    assert size_below(tmp_path, 150) == 200


def _print(tmp_path: Path, parts: list[bytes], most: int) -> tuple[bytes, int]:
    output = Output(tmp_path / "out", tmp_path / "err", most)
    ours = os.dup(output.ends[0])
    output.start()
    for part in parts:
        os.write(ours, part)
    os.close(ours)
    output.finish()
    return (tmp_path / "out").read_bytes(), output.dropped


@pytest.mark.parametrize("size", [0, 1, 700, 800])
def test_output_within_its_limit_is_kept_whole(tmp_path: Path, size: int) -> None:
    printed = bytes(number % 251 for number in range(size))
    assert _print(tmp_path, [printed], 800) == (printed, 0)


def test_output_beyond_its_limit_keeps_beginning_and_end_and_counts_what_fell(tmp_path: Path) -> None:
    parts = [bytes([number]) * 50 for number in range(100)]
    kept, dropped = _print(tmp_path, parts, 800)
    whole = b"".join(parts)
    head, _, tail = kept.partition(f"\n[{dropped} bytes left out here]\n".encode())
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(head) == 700
    assert len(head) + dropped + len(tail) == len(whole)


def test_trial_equals_itself_only(tmp_path: Path) -> None:
    write_trial(trial(tmp_path))
    assert read_trial(tmp_path) != replace(trial(tmp_path), seconds=1.0)
