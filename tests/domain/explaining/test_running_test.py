"""The test that ran when a log ends: named last without a result, or by the frame of a stack dump."""

import pytest

from app.domain.explaining.running_test import RunningTest


def running(*lines: str) -> RunningTest:
    reader = RunningTest()
    for number, line in enumerate(lines, 1):
        reader.feed(number, line)
    return reader


@pytest.mark.parametrize(
    ("lines", "node"),
    [
        (("t/test_a.py::test_a PASSED", "t/test_a.py::test_b "), "t/test_a.py::test_b"),
        (("t/test_a.py::test_b[a b] ",), "t/test_a.py::test_b[a b]"),
        (("t/test_a.py::test_b ", "printed", "PASSED [ 40%]"), None),
        (("t/test_a.py::test_b FAILED   [ 40%]",), None),
        (("t/test_a.py::test_b ", "printed by it"), "t/test_a.py::test_b"),
        (("PASSED",), None),
        (("t/test_a.py ..F  [ 40%]",), None),
        (("import t.py",), None),
    ],
)
def test_a_test_runs_from_its_name_to_its_result(lines: tuple[str, ...], node: str | None) -> None:
    assert running(*lines).node == node


DUMP = "~~~~~~ Stack of MainThread (1402) ~~~~~~"
THREAD = "Current thread 0x00007fea37a34b80 (most recent call first):"


@pytest.mark.parametrize("stack", [DUMP, THREAD])
def test_a_stack_names_the_test_by_its_frame(stack: str) -> None:
    reader = running("t/test_a.py .", stack, '  File "/w/t/test_a.py", line 5, in test_hangs', "    go()")
    assert (reader.node, reader.frame_line) == ("t/test_a.py::test_hangs", 4)


def test_a_frame_of_another_file_names_nothing() -> None:
    reader = running("t/test_a.py .", DUMP, '  File "/w/t/test_b.py", line 5, in test_hangs')
    assert (reader.node, reader.frame_line) == (None, None)


def test_a_frame_outside_of_a_stack_dump_names_nothing() -> None:
    assert running("t/test_a.py .", '  File "/w/t/test_a.py", line 5, in test_hangs').node is None


def test_a_named_test_keeps_its_parameters() -> None:
    reader = running("t/test_a.py::test_x[1] ", DUMP, '  File "/w/t/test_a.py", line 5, in test_x')
    assert reader.node == "t/test_a.py::test_x[1]"


def test_without_a_file_a_frame_names_nothing() -> None:
    assert running(DUMP, '  File "/w/t/test_a.py", line 5, in test_x').node is None
