"""Exceptions, frames and chains are read out of every style that Python and pytest print."""

import pytest
from failure_texts import CONTEXT, DIRECT_CAUSE, SEPARATOR, lines, long_text, native_text, short_text
from hypothesis import given
from hypothesis import strategies as st

from app.domain.raised import Frame, Raised
from app.domain.traceback_text import read_bare, read_exceptions, read_message


def read(text: str) -> list[Raised]:
    return read_exceptions(text.split("\n"))


def only(text: str) -> Raised:
    (raised,) = read(text)
    return raised


def test_long_style_names_type_message_function_and_statement() -> None:
    raised = only(long_text("assert a == 3", "AssertionError: they differ", "assert 4 == 3"))
    assert (raised.type, raised.message) == ("AssertionError", ("they differ", "assert 4 == 3"))
    assert raised.frames == (Frame("tests/test_load.py", "test_load", "assert a == 3"),)


def test_long_style_statement_of_many_lines_is_one() -> None:
    text = lines(
        "    def test_load():",
        ">       assert (",
        "            1 ==",
        "            2",
        "        )",
        "           ^^^",
        "E       assert 1 == 2",
        "",
        "t.py:3: AssertionError",
    )
    assert only(text).frames == (Frame("t.py", "test_load", "assert ( 1 == 2 )"),)


def test_long_style_function_on_the_failing_line_itself() -> None:
    text = ">   def bad(): raise RuntimeError('x')\nE   RuntimeError: x\n\nt.py:3: RuntimeError"
    assert only(text).frames[0].function == "bad"


def test_first_line_may_have_lost_its_indentation_in_a_results_file() -> None:
    assert only(long_text("assert a", "assert 0").strip()).frames[0].function == "test_load"


def test_short_frames_stand_between_long_ones() -> None:
    text = lines(
        "    def test_load():",
        ">       load(2)",
        "",
        "tests/test_load.py:11: ",
        SEPARATOR,
        "src/loader.py:9: in load",
        "    return load(n - 1)",
        "           ^^^^^^^^^^^",
        SEPARATOR,
        "",
        "n = 0",
        "",
        "    def load(n):",
        '>       raise RuntimeError("bottom")',
        "E       RuntimeError: bottom",
        "E       second line",
        "",
        "src/loader.py:8: RuntimeError",
    )
    raised = only(text)
    assert raised.message == ("bottom", "second line")
    assert raised.frames == (
        Frame("tests/test_load.py", "test_load", "load(2)"),
        Frame("src/loader.py", "load", "return load(n - 1)"),
        Frame("src/loader.py", "load", 'raise RuntimeError("bottom")'),
    )


def test_short_style_chain() -> None:
    text = (
        f"{short_text('{}[x]', 'KeyError: 3')}\n\n{DIRECT_CAUSE}\n{short_text('raise E', 'ValueError: bad')}"
    )
    cause, outer = read(text)
    assert (cause.type, outer.type) == ("KeyError", "ValueError")
    assert cause.chain == outer.chain


def test_short_style_exceptions_without_a_link_are_two_chains() -> None:
    first, second = read(f"{short_text('a()', 'KeyError: 3')}\n{short_text('b()', 'ValueError: bad')}")
    assert first.chain != second.chain


def test_errors_that_follow_each_other_are_two() -> None:
    first, second = read("E   KeyError: 3\nx\nE   ValueError: bad")
    assert (first.type, second.type) == ("KeyError", "ValueError")


def test_a_short_frame_at_the_end_has_no_source() -> None:
    assert only("E   KeyError: 3\nt.py:3: in f").type == "KeyError"
    assert read("t.py:3: in f") == []
    assert read("t.py:3: in f\nnot indented") == []
    assert read("t.py:3: note") == []


def test_line_style() -> None:
    raised = only("E   assert 3 == 4\n     + more\n/srv/a/tests/t.py:21: assert 3 == 4")
    assert (raised.type, raised.frames) == ("AssertionError", (Frame("/srv/a/tests/t.py", ""),))


def test_native_style() -> None:
    raised = only(native_text())
    assert raised.type == "ValueError"
    assert [(frame.function, frame.source) for frame in raised.frames] == [
        ("test_load", "load(path)"),
        ("load", "return json.loads(text)"),
        ("loads", "return _default_decoder.decode(s)"),
    ]


def test_native_chain_by_context() -> None:
    first, second = read(f"{native_text(error='KeyError: 1')}\n\n{CONTEXT}\n\n{native_text(error='OSError')}")
    assert (first.type, second.type, second.message) == ("KeyError", "OSError", ("",))
    assert first.chain == second.chain


def test_native_traceback_cut_before_its_exception_is_none() -> None:
    assert read("\n".join(native_text().split("\n")[:-1])) == []
    assert read("Traceback (most recent call last):") == []
    assert read("Traceback (most recent call last):\n  ...\n") == []


def test_native_recursion_and_syntax_errors() -> None:
    text = lines(
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        "    f()",
        "  [Previous line repeated 970 more times]",
        '  File "b.py", line 3',
        "    x = = 1",
        "        ^",
        "SyntaxError: invalid syntax",
    )
    raised = only(text)
    assert [frame.function for frame in raised.frames] == ["f", ""]
    assert raised.headline == "invalid syntax"


def test_message_of_many_lines_and_notes_stay_behind_the_headline() -> None:
    raised = only(native_text(error="ValueError: first\nsecond\na note"))
    assert raised.message == ("first", "second", "a note")
    assert raised.headline == "first"


@pytest.mark.parametrize(
    ("message", "headline"),
    [
        (("", "  ", "real"), "real"),
        (("Error(s) in loading:", "missing key"), "Error(s) in loading: missing key"),
        (("2 validation errors for A", "name", "x"), "2 validation errors for A name"),
        ((), ""),
    ],
)
def test_a_headline_names_the_failure(message: tuple[str, ...], headline: str) -> None:
    assert Raised("E", message).headline == headline


def test_exception_group_is_flattened_to_its_leaves() -> None:
    text = lines(
        "  + Exception Group Traceback (most recent call last):",
        '  |   File "/srv/a/tests/t.py", line 23, in test_group',
        "  |     raise group",
        "  | ExceptionGroup: eg (2 sub-exceptions)",
        "  +-+---------------- 1 ----------------",
        "    | Traceback (most recent call last):",
        '    |   File "/srv/a/tests/t.py", line 3, in inner',
        "    |     a()",
        "    | ValueError: a",
        "    +---------------- 2 ----------------",
        "    | Exception Group Traceback (most recent call last):",
        '    |   File "/srv/a/tests/t.py", line 4, in other',
        "    |     raise",
        "    | ExceptionGroup: in (1 sub-exception)",
        "    +-+---------------- 1 ----------------",
        "      | KeyError: 'z'",
        "      +------------------------------------",
        "after",
    )
    raised = only(text)
    assert raised.type == "ExceptionGroup"
    assert [frame.function for frame in raised.frames] == ["test_group"]
    assert [(leaf.type, leaf.headline) for leaf in raised.leaves] == [
        ("ValueError", "a"),
        ("KeyError", "'z'"),
    ]


def test_exception_group_without_a_head_is_none() -> None:
    assert read("  + Exception Group Traceback (most recent call last):\n  | ...") == []


def test_remote_traceback_is_read_before_what_it_caused() -> None:
    remote = lines("concurrent.futures.process._RemoteTraceback: ", '"""', native_text(), '"""')
    text = lines(remote, "", DIRECT_CAUSE, "", native_text())
    worker, parent = read(text)
    assert worker.chain == parent.chain
    assert not worker.carrier


def test_spawn_s_error_carries_the_worker_s() -> None:
    carried = "\n".join(f"E       {line}" for line in native_text().split("\n"))
    text = f"""    def test_load():
>       mp.spawn(run)
E       torch.multiprocessing.spawn.ProcessRaisedException:
E
E       -- Process 1 terminated with the following error:
{carried}

tests/test_load.py:7: ProcessRaisedException"""
    carrier, worker = read(text)
    assert (carrier.carrier, worker.carrier) == (True, False)
    assert worker.type == "ValueError"
    assert worker.frames[0].function == "test_load"


def test_native_error_carries_another_traceback() -> None:
    carrier, carried = read(f"{native_text(error='RuntimeError: Process 0 exited with:')}\n{native_text()}")
    assert (carrier.type, carrier.carrier, carried.type) == ("RuntimeError", True, "ValueError")
    assert carrier.chain == carried.chain


def test_traceback_inside_a_repr_is_read() -> None:
    escaped = native_text().replace("\n", "\\n")
    carrier, carried = read(long_text("assert not errors", f"assert not ['{escaped}\\n']"))
    assert (carrier.carrier, carried.type) == (True, "ValueError")


def test_missing_fixture_has_a_type_of_its_own() -> None:
    text = lines(
        "file t.py, line 2",
        "  def test_x(nofix): pass",
        "E       fixture 'nofix' not found",
        ">       available fixtures: a, b",
        "",
        "t.py:2",
    )
    assert only(text).type == "FixtureLookupError"


def test_syntax_error_is_named_after_its_place() -> None:
    shown = ['  File "<string>", line 1', "    x = = 1", "        ^", "SyntaxError: invalid syntax"]
    raised = only(long_text("exec(text)", *shown, kind="SyntaxError"))
    assert (raised.type, raised.headline) == ("SyntaxError", "invalid syntax")
    assert only(long_text("exec(text)", *shown[:-1], kind="SyntaxError")).type == "SyntaxError"


def test_type_on_the_last_line_overrules_a_message_with_a_colon() -> None:
    raised = only(long_text("raise Odd", "Reason: the message only", kind="Odd"))
    assert (raised.type, raised.headline) == ("Odd", "Reason: the message only")


def test_fatal_error_takes_the_current_thread_outermost_first() -> None:
    text = lines(
        "Fatal Python error: Segmentation fault",
        "",
        "Thread 0x00007fea367f96c0 (most recent call first):",
        '  File "/srv/x.py", line 534 in read',
        "",
        "Current thread 0x00007fea37a34b80 (most recent call first):",
        '  File "tests/t.py", line 4 in inner',
        '  File "tests/t.py", line 9 in test_segv',
        "Extension modules: numpy",
    )
    raised = only(text)
    assert (raised.type, raised.headline) == ("Fatal Python error", "Segmentation fault")
    assert [frame.function for frame in raised.frames] == ["test_segv", "inner"]
    assert only("Fatal Python error: Aborted").frames == ()


def test_timeout_dump_takes_the_main_thread() -> None:
    text = lines(
        "+++++ Timeout +++++",
        "~~~~~ Stack of Thread-1 (140245037618880) ~~~~~",
        '  File "/srv/x.py", line 1, in accept',
        "    fd = accept()",
        "~~~~~ Stack of MainThread (140245071330176) ~~~~~",
        '  File "tests/t.py", line 5, in test_hangs',
        "    helper()",
        '  File "tests/t.py", line 3, in helper',
    )
    assert only(text).frames == (
        Frame("tests/t.py", "test_hangs", "helper()"),
        Frame("tests/t.py", "helper"),
    )


def test_bare_lines_are_a_last_resort() -> None:
    found = read_bare(["RuntimeError: a", "note", "x: y", "_queue.Empty", *["OSError: b"] * 100])
    assert [raised.type for raised in found][:3] == ["RuntimeError", "_queue.Empty", "OSError"]
    assert len(found) < 30


@pytest.mark.parametrize(
    ("message", "type_name"),
    [
        ("ValueError: x", "ValueError"),
        ("assert 1 == 2", "AssertionError"),
        ("\nassert", "AssertionError"),
        ("Expected: 3", None),
        ("", None),
        ("word", None),
    ],
)
def test_a_message_names_a_type_or_none(message: str, type_name: str | None) -> None:
    raised = read_message(message.split("\n"))
    assert (raised and raised.type) == type_name


PIECES = st.sampled_from(
    [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        "    x",
        "ValueError: y",
        "E   A: b",
        "E",
        ">   z",
        "a.py:1: in f",
        "a.py:1: A",
        DIRECT_CAUSE,
        "  + Exception Group Traceback (most recent call last):",
        "  | A: b",
        "  +-+---------------- 1 ----------------",
        '"""',
        "Fatal Python error: x",
        "_ _ _ ",
        "    def f():",
        "~~~ Stack of MainThread 1 ~~~",
        "",
    ]
)


@given(st.lists(PIECES | st.text(max_size=20).filter(lambda text: "\n" not in text), max_size=25))
def test_reading_is_total(told: list[str]) -> None:
    for raised in read_exceptions(told):
        assert isinstance(raised.headline, str)
