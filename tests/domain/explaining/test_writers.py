"""The labels of launchers are taken off a line, and a rank is known only by a label that names one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.explaining.writers import split_writer


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ValueError: x", (None, None, "ValueError: x")),
        ("[rank3]: ValueError: x", (3, None, "ValueError: x")),
        ("[default1]:[rank1]: x", (1, None, "x")),
        ("[2]: x", (2, None, "x")),
        ("[gw1] node down", (None, "gw1", "node down")),
        ("[gw12] [rank0]: x", (0, "gw12", "x")),
        ("(Worker pid=41) x", (None, None, "x")),
        ("(pid=41, ip=10.0.0.1) x", (None, None, "x")),
        ("E0730 10:12:17.911000 80638 torch/a.py:1133] x", (None, None, "x")),
        ("[rank1]:[E730 10:12:17.911000 a.cpp:61] x", (1, None, "x")),
        ("[W socket.cpp:464] x", (None, None, "x")),
        ("[2026-05-11 09:14:02,013] x", (None, None, "x")),
        ("[0]: [0]: [0]: [0]: [0]: [0]: [0]: x", (0, None, "[0]: x")),
        ("[1, 2, 3]", (None, None, "[1, 2, 3]")),
        ("E   assert 1 == 2", (None, None, "E   assert 1 == 2")),
        ("(not a label) x", (None, None, "(not a label) x")),
    ],
)
def test_a_line_is_split(text: str, written: tuple[int | None, str | None, str]) -> None:
    assert tuple(split_writer(text)) == written


@given(st.text("[]():rank01gwpid=EI.py \t", max_size=60))
def test_what_is_said_has_no_label_left(text: str) -> None:
    said = split_writer(text).said
    assert text.endswith(said)
    if text.count("[") + text.count("(") <= 3:
        assert split_writer(said).said == said
