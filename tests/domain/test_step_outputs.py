"""Outputs of a step: what is read back is what was written, whatever lines it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.step_outputs import LONGEST, as_file


def read(text: str) -> dict[str, str]:
    """As the runner reads its file: by lines, until the delimiter stands alone."""
    lines = iter(text.split("\n"))
    found: dict[str, str] = {}
    for line in lines:
        if not line:
            continue
        name, _, delimiter = line.partition("<<")
        value: list[str] = []
        while (one := next(lines)) != delimiter:
            value.append(one)
        found[name] = "\n".join(value)
    return found


@given(st.dictionaries(st.sampled_from(["verdict", "rank", "bundle"]), st.text(alphabet="ab<=\n:% ")))
def test_values_are_read_back(outputs: dict[str, str]) -> None:
    assert read(as_file(outputs, "end-12")) == outputs


def test_a_value_cannot_add_an_output() -> None:
    assert read(as_file({"rank": "1\nend-13\nverdict=none\nverdict<<x\nnone\nx"}, "end-12")).keys() == {
        "rank"
    }


@pytest.mark.parametrize(("name", "value"), [("rank", "a\nend-12\nb"), ("a b", ""), ("", ""), ("a\nb", "")])
def test_what_could_be_read_otherwise_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match="cannot be written so"):
        as_file({name: value}, "end-12")


def test_a_long_value_is_cut() -> None:
    assert len(as_file({"tests": "x" * (3 * LONGEST)}, "end-12")) < LONGEST + 200
