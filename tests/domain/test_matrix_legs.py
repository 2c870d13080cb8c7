"""A matrix leg without a results file is a gap that names its siblings, where all of those have one."""

from dataclasses import replace

import pytest

from app.domain.gap import Gap, GapKind
from app.domain.job_name import parse_job_name
from app.domain.matrix_legs import Leg, siblings_with_results, told_by_siblings
from app.domain.run import Conclusion


def leg(name: str, *, has_results: bool = True, conclusion: Conclusion | None = Conclusion.SUCCESS) -> Leg:
    parsed = parse_job_name(name)
    return Leg(name, parsed.variant, parsed.shard, conclusion, has_results)


LINUX, MAC = leg("test (linux, 3.12)"), leg("test (mac, 3.12)")
SILENT = leg("test (windows, 3.12)", has_results=False)


def test_all_siblings_have_a_file_and_this_leg_has_none() -> None:
    assert siblings_with_results(SILENT, [LINUX, MAC, SILENT]) == (LINUX.name, MAC.name)
    assert siblings_with_results(replace(SILENT, conclusion=Conclusion.FAILURE), [LINUX]) == (LINUX.name,)


def test_a_shard_is_a_leg_as_well() -> None:
    third = leg("caller / test (3 / 3)", has_results=False)
    shards = [leg("caller / test (1 / 3)"), leg("caller / test (2 / 3)"), third]
    assert siblings_with_results(third, shards) == ("caller / test (1 / 3)", "caller / test (2 / 3)")


def test_a_variant_that_a_manifest_tells_makes_a_leg_and_is_named() -> None:
    here = Leg("tests", "py312", None, Conclusion.SUCCESS, has_results=False)
    there = Leg("tests", "py311", None, Conclusion.SUCCESS, has_results=True)
    assert siblings_with_results(here, [here, there]) == ("tests [py311]",)


@pytest.mark.parametrize(
    "others",
    [
        [],
        [replace(LINUX, has_results=False), MAC],
        [leg("lint (linux)"), leg("caller / test (linux, 3.12)")],
        [leg("test (linux, 3.12)", conclusion=Conclusion.CANCELLED)],
        [leg("test (windows, 3.12)")],
    ],
    ids=["alone", "one has none", "other jobs", "one that was cut off", "a second job of its name"],
)
def test_nothing_is_missed_without_siblings_that_all_have_files(others: list[Leg]) -> None:
    assert siblings_with_results(SILENT, [*others, SILENT]) == ()


def test_a_cancelled_sibling_is_left_out_of_the_count() -> None:
    cancelled = leg("test (bsd)", has_results=False, conclusion=Conclusion.CANCELLED)
    assert siblings_with_results(SILENT, [LINUX, cancelled, SILENT]) == (LINUX.name,)


@pytest.mark.parametrize(
    "one",
    [LINUX, replace(SILENT, conclusion=Conclusion.CANCELLED), replace(SILENT, conclusion=Conclusion.SKIPPED)],
    ids=["it has results", "it was cancelled", "it was skipped"],
)
def test_a_leg_that_has_results_or_did_not_end_misses_none(one: Leg) -> None:
    assert siblings_with_results(one, [MAC, one]) == ()


def test_the_siblings_are_told_in_the_one_gap_of_the_missing_file() -> None:
    other = Gap(GapKind.LOG_GONE, "test (w)", "404")
    own = Gap(GapKind.NO_RESULTS_FILE, "test (w)", "no results file came from this job")
    assert told_by_siblings("test (w)", (own, other), ()) == (own, other)
    assert told_by_siblings("test (w)", (own, other), ("test (a)", "test (b)")) == (
        other,
        replace(own, detail=f"{own.detail}; test (a) and test (b), of the same workflow job, had one"),
    )
    assert told_by_siblings("test (w)", (), ("test (a)",)) == (
        Gap(
            GapKind.NO_RESULTS_FILE,
            "test (w)",
            "no results file of this job could be read; test (a), of the same workflow job, had one",
        ),
    )
