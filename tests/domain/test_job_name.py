"""Job names: base, matrix values and shard."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.job_name import parse_job_name


@pytest.mark.parametrize(
    ("full", "base", "values", "shard", "variant"),
    [
        ("test", "test", (), None, "test"),
        ("test (3.12)", "test", ("3.12",), None, "test (3.12)"),
        ("test (3.12, linux, )", "test", ("3.12", "linux"), None, "test (3.12, linux)"),
        ("caller / test (3.12)", "caller / test", ("3.12",), None, "caller / test (3.12)"),
        ("caller (cpu) / test (3.12)", "caller / test", ("cpu", "3.12"), None, "caller / test (cpu, 3.12)"),
        ("test (3.12, 1/4)", "test", ("3.12",), "1/4", "test (3.12)"),
        ("test (Shard 2 of 4)", "test", (), "Shard 2 of 4", "test"),
        ("test (1 / 4)", "test", (), "1 / 4", "test"),
        ("call (a / b, 3.12) / test", "call / test", ("a / b", "3.12"), None, "call / test (a / b, 3.12)"),
        ("test (a (b))", "test (a (b))", (), None, "test (a (b))"),
        ("test (", "test (", (), None, "test ("),
        ("test )", "test )", (), None, "test )"),
        ("", "", (), None, ""),
    ],
)
def test_parts_of_a_name(
    full: str, base: str, values: tuple[str, ...], shard: str | None, variant: str
) -> None:
    name = parse_job_name(full)
    assert (name.full, name.base, name.values, name.shard, name.variant) == (
        full,
        base,
        values,
        shard,
        variant,
    )


@given(st.text(alphabet="ab(),/ 1of", max_size=60))
def test_any_name_is_read_and_its_variant_names_no_shard(full: str) -> None:
    name = parse_job_name(full)
    assert name.full == full
    assert name.shard is None or name.shard not in name.values


def test_shards_of_one_job_are_one_variant() -> None:
    assert len({parse_job_name(f"test (3.12, {n}/3)").variant for n in (1, 2, 3)}) == 1
