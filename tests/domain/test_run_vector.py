"""Packed outcomes: nothing is lost, and what was not run stays not run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.outcome import OutcomeKind
from app.domain.run_vector import Cell, pack, unpack

KEYS = st.integers(min_value=0, max_value=2**63 - 1)
DURATIONS = st.none() | st.integers(min_value=0, max_value=10**11)
CELLS = st.lists(st.builds(Cell, KEYS, st.sampled_from(OutcomeKind), DURATIONS), unique_by=lambda c: c.test)


@given(CELLS)
def test_unpacking_gives_what_was_packed_in_the_order_of_tests(cells: list[Cell]) -> None:
    assert unpack(pack(cells)).cells() == tuple(sorted(cells, key=lambda cell: cell.test))


@given(CELLS, KEYS)
def test_only_tests_of_the_vector_have_an_outcome(cells: list[Cell], other: int) -> None:
    vector = unpack(pack(cells))
    outcomes = {cell.test: cell.outcome for cell in cells}
    assert {test: vector.outcome_of(test) for test in outcomes} == outcomes
    assert vector.outcome_of(other) is outcomes.get(other)


@given(CELLS)
def test_the_order_of_packing_changes_nothing(cells: list[Cell]) -> None:
    assert pack(cells) == pack(reversed(cells))


def test_a_test_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="test 5 stands twice"):
        pack([Cell(5, OutcomeKind.PASSED), Cell(5, OutcomeKind.FAILED)])


def test_negative_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        pack([Cell(-1, OutcomeKind.PASSED)])
    with pytest.raises(ValueError, match="negative"):
        pack([Cell(1, OutcomeKind.PASSED, -2)])


def test_five_thousand_results_take_a_few_bytes_each() -> None:
    cells = [Cell(test, OutcomeKind.PASSED, test % 90) for test in range(1, 5001)]
    packed = pack(cells)
    assert len(packed) < 3 * len(cells)
    assert unpack(packed).cells() == tuple(cells)
