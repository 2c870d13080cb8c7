"""Delays that an arm asks for: the same again for a seed and a rank, and never more than their cap."""

import json
import time

import pytest

from worker.replay.probe import delays


def asked(**changed: object) -> delays.Delays:
    told = {"store_delay_s": 0.01, "skew_s": 0.02, "most_delay_s": 5.0, "seed": 3, **changed}
    found = delays.read(json.dumps(told))
    assert found is not None
    return found


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(delays, "_sleep", found.append)
    return found


def test_a_seed_and_a_rank_give_the_same_delays_again(slept: list[float]) -> None:
    def drawn(rank: int, seed: int) -> list[float]:
        slept.clear()
        one = asked(seed=seed)
        for _ in range(5):
            one.before_collective(rank)
            one.before_store(rank)
        return list(slept)

    assert drawn(0, 3) == drawn(0, 3)
    assert drawn(0, 3) != drawn(1, 3)
    assert drawn(0, 3) != drawn(0, 4)
    assert all(0 <= one <= 0.02 for one in slept)


def test_all_delays_of_a_process_stay_under_the_cap(slept: list[float]) -> None:
    one = asked(skew_s=1.0, most_delay_s=2.0)

    for _ in range(100):
        one.before_collective(0)

    assert sum(slept) == pytest.approx(2.0)


def test_a_forked_process_has_a_cap_of_its_own(slept: list[float]) -> None:
    one = asked(skew_s=9.0, most_delay_s=1.0)
    for _ in range(9):
        one.before_collective(0)
    one.in_child()
    for _ in range(9):
        one.before_collective(1)

    assert sum(slept) == pytest.approx(2.0)


def test_only_what_was_asked_for_is_delayed(slept: list[float]) -> None:
    one = asked(store_delay_s=0.0)

    one.before_store(0)
    assert slept == []
    one.before_collective(None)
    assert len(slept) == 1


def test_a_delay_is_slept() -> None:
    start = time.monotonic()
    one = asked(skew_s=0.2)
    one.before_collective(0)

    assert one.left_s < 5.0
    assert time.monotonic() - start >= 5.0 - one.left_s - 0.001


@pytest.mark.parametrize(
    "text", [None, "", "null", "[]", "{", '{"skew_s": "x"}', "{}", '{"skew_s": 1.0}', "3"]
)
def test_what_we_do_not_write_delays_nothing(text: str | None) -> None:
    assert delays.read(text) is None
