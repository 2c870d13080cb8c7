"""Two texts are one group when they tell of one failure mode of one test, on any machine and any Python."""

import json
import re
import unicodedata

import pytest
from failure_texts import (
    DIRECT_CAUSE,
    HANDOFF,
    SIMPLE,
    group_of,
    handoff_text,
    long_text,
    native_text,
    short_text,
    signed,
)
from hypothesis import given
from hypothesis import strategies as st

from app.domain.category import Category
from app.domain.failure_record import ChainLink, Framework, Phase, RepoFrame
from app.domain.failure_text import HEAD_CHARS, TAIL_CHARS
from app.domain.outcome import TestId
from app.domain.signature import SIGNATURE_VERSION, TITLE_CHARS, Signature, sign

KEY = re.compile(r"v(\d+):(exact|group|frame|cluster|job):[0-9a-f]{32}")


def handoff(text: str, message: str = "") -> Signature:
    return signed(text, message=message, test=HANDOFF)


def renamed(name: str, classname: str = SIMPLE.classname) -> TestId:
    return TestId(file="", suite="", classname=classname, name=name)


# The first incident


def test_the_first_incident_is_one_group_on_both_pythons() -> None:
    old, new = handoff(handoff_text()), handoff(handoff_text(line=431, address="0x7fa1", marker=True))
    assert old.group == new.group
    assert (old.frame, old.category, old.opaque) == (new.frame, Category.ASSERTION, True)
    assert old.cluster is None
    assert old.exact != new.exact


def test_the_first_incident_is_one_group_from_a_log_and_from_a_results_file() -> None:
    log, file = handoff_text(), handoff_text(junit=True)
    elided = "\n".join(
        ["        rank_checks = result_queue.get(timeout=180)", "        ...", *log.split("\n")[5:]]
    )
    timed = "\n".join(f"2026-07-16T21:14:02.0131{at:03}Z {line}" for at, line in enumerate(log.split("\n")))
    assert {handoff(text).group for text in (log, file, elided, timed)} == {handoff(log).group}


def test_the_first_incident_s_title_is_the_statement() -> None:
    assert handoff(handoff_text()).title == "assert all(process.exitcode == 0 for process in processes)"


def test_another_assert_of_the_same_test_is_another_group() -> None:
    other = 'assert rank_checks is not None, "distributed checkpoint workers timed out"'
    assert handoff(handoff_text()).group != handoff(handoff_text(failing=other)).group


def test_the_mended_test_names_the_worker_s_exception() -> None:
    carried = "\n".join(f"E       {line}" for line in native_text(error="RuntimeError: INJECTED").split("\n"))
    text = f"""    def test_load():
>       raise AssertionError(f"worker rank {{rank}} failed:\\n{{text}}")
E       AssertionError: worker rank 1 failed:
{carried}

tests/test_load.py:44: AssertionError"""
    mended = signed(text)
    assert (mended.title, mended.opaque, mended.generic) == ("RuntimeError: INJECTED", False, False)


# What never splits a group


def test_machine_python_line_and_markers_do_not_matter() -> None:
    replayed = native_text(root="/srv/replay/1", library="/usr/lib/python3.12", line=99, marker=False)
    assert group_of(native_text()) == group_of(replayed)


def test_values_of_a_message_do_not_matter() -> None:
    assert group_of(native_text()) == group_of(native_text(error="ValueError: bad magic 0x1 in block 40"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["assert 4 == 3"], ["assert 5 == 3"]),
        (["assert 'a' == 'b'"], ["assert 'x y z' == 'b'", "  - b", "  + x y z"]),
        (["assert None == 3"], ["assert [1, 2] == 3"]),
    ],
)
def test_values_of_an_assertion_do_not_matter(one: list[str], other: list[str]) -> None:
    assert group_of(long_text("assert a == b", *one)) == group_of(long_text("assert a == b", *other))


def test_values_of_a_written_out_message_do_not_matter() -> None:
    statement = 'assert ok, f"rank {rank} got {names}"'
    one = long_text(statement, "AssertionError: rank 0 got ['a']", "assert False")
    other = long_text(statement, "AssertionError: rank 3 got ['b', 'c']", "assert False")
    assert group_of(one) == group_of(other)


def test_a_message_passed_by_name_is_compared_by_its_words() -> None:
    statement = "assert ok, why"
    texts = [
        long_text(statement, f"AssertionError: {why}", "assert False")
        for why in ("late by 3 s", "late by 4 s", "lost")
    ]
    assert group_of(texts[0]) == group_of(texts[1]) != group_of(texts[2])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3 != 4", "7 != 4"),
        ("'a' != 'b'", "'c' != 'b'"),
        ("Lists differ: [1] != [2]", "Lists differ: [1, 5] != [2]"),
        ("expected:<x> but was:<y>", "expected:<x> but was:<z>"),
    ],
)
def test_values_of_an_assertion_method_do_not_matter(one: str, other: str) -> None:
    texts = [native_text(error=f"AssertionError: {said}") for said in (one, other)]
    assert group_of(texts[0]) == group_of(texts[1])


def test_style_of_pytest_does_not_matter() -> None:
    native = native_text(error="AssertionError: assert 4 == 3").split("\n")
    texts = [
        long_text("assert a == 3", "assert 4 == 3"),
        short_text("assert a == 3", "assert 4 == 3"),
        "\n".join([*native[:2], "    assert a == 3", native[-1]]),
    ]
    assert len({group_of(text) for text in texts}) == 1


def test_parameters_are_folded_into_the_test() -> None:
    one, other = (
        signed(native_text(), test=renamed("test_a[1]")),
        signed(native_text(), test=renamed("test_a[2]")),
    )
    assert one.group == other.group
    assert (one.record.attributes.param, one.record.test_base) == ("[1]", "tests.test_load::test_a")


def test_notes_of_an_exception_do_not_matter() -> None:
    assert group_of(native_text()) == group_of(f"{native_text()}\nseen on host 7\nsecond note")


def test_depth_of_a_recursion_does_not_matter() -> None:
    frame = '  File "src/a.py", line {}, in {}\n    again()\n'
    head, tail = "Traceback (most recent call last):\n", "RecursionError: maximum recursion depth exceeded"
    ends = [
        head + "".join(frame.format(at, "ab"[at % 2]) for at in range(depth)) + tail for depth in (10, 13)
    ]
    assert group_of(ends[0]) == group_of(ends[1])


def test_where_a_cause_was_checked_out_is_learnt_from_what_it_became() -> None:
    def chained(root: str) -> str:
        inner = native_text(root=root, error="KeyError: 1").split("\n")
        return "\n".join([inner[0], *inner[4:], "", DIRECT_CAUSE, "", native_text(root=root)])

    assert group_of(chained("/srv/one")) == group_of(chained("/srv/two/deeper"))
    assert signed(chained("/srv/one")).record.frames == (RepoFrame("src/loader.py", "load"),)


def test_frames_that_newer_pythons_inline_do_not_matter() -> None:
    lines = native_text().split("\n")
    comprehension = [
        '  File "/home/runner/work/app/app/src/loader.py", line 40, in <listcomp>',
        "    load(x)",
    ]
    assert group_of("\n".join(lines)) == group_of("\n".join([*lines[:7], *comprehension, *lines[7:]]))


def test_order_and_number_of_a_group_s_members_do_not_matter() -> None:
    head = "  + Exception Group Traceback (most recent call last):\n  | {}ExceptionGroup: eg ({} members)\n"
    member = "  +-+---------------- {} ----------------\n    | {}\n"
    one = head.format("", 2) + member.format(1, "ValueError: a 1") + member.format(2, "KeyError: 'b'")
    other = head.format("exceptiongroup.", 3) + "".join(
        member.format(at, error)
        for at, error in enumerate(["KeyError: 'b'", "ValueError: a 2", "ValueError: a 3"])
    )
    assert group_of(one) == group_of(other)
    assert group_of(one) != group_of(head.format("", 1) + member.format(1, "ValueError: a 1"))
    assert signed(one).category is Category.EXCEPTION


@given(st.integers(1, 10**6), st.integers(0, 2**47))
def test_line_numbers_and_addresses_never_matter(line: int, address: int) -> None:
    error = f"ValueError: <Foo at {address:#x}> broken at x.py:{line}"
    same = "ValueError: <Foo at 0x7f> broken at x.py:1"
    assert group_of(native_text(line=line, error=error)) == group_of(native_text(error=same))
    assert handoff(handoff_text(line=line, address=hex(address))).group == handoff(handoff_text()).group


# What always splits one

STATEMENTS = st.from_regex(r"assert [a-z]{1,8} (==|!=|<|in|is not) [a-z0-9\"\[\]]{1,8}", fullmatch=True)


@given(STATEMENTS, STATEMENTS)
def test_different_assert_statements_are_different_groups(one: str, other: str) -> None:
    for text in (long_text, short_text):
        same = group_of(text(one, "assert 1 == 2")) == group_of(text(other, "assert 1 == 2"))
        assert same is (one == other)


@pytest.mark.parametrize(
    "other",
    [
        native_text(error="KeyError: 'a'"),
        native_text(error="ValueError: bad length in block 3"),
        native_text().replace("in load\n", "in load_all\n"),
        native_text().replace("loader.py", "reader.py"),
        f"{native_text()}\n\n{DIRECT_CAUSE}\n\n{native_text(error='OSError: x')}",
        f"ERROR at setup of test_load\n{native_text()}",
    ],
)
def test_type_words_place_chain_and_phase_matter(other: str) -> None:
    assert group_of(native_text()) != group_of(other)


def test_names_in_a_message_matter() -> None:
    assert group_of(native_text(error="KeyError: 'a'")) != group_of(native_text(error="KeyError: 'b'"))


def test_the_test_matters() -> None:
    assert (
        signed(native_text(), test=renamed("test_a")).group
        != signed(native_text(), test=renamed("test_b")).group
    )
    assert (
        signed(native_text(), test=renamed("test_a", "x")).group
        != signed(native_text(), test=renamed("test_a", "y")).group
    )


def test_signals_matter() -> None:
    texts = [
        f"E   ProcessExitedException: process 1 terminated with signal {name}"
        for name in ("SIGSEGV", "SIGABRT")
    ]
    assert group_of(texts[0]) != group_of(texts[1])


# Keys by level


def test_keys_say_their_version_and_level() -> None:
    each = sign(test=None, message="", text=native_text(), job="test (3.12)", workflow="ci")
    for level in ("exact", "group", "frame", "cluster", "job"):
        key = getattr(each, level)
        match = KEY.fullmatch(key)
        assert match is not None, key
        assert (int(match[1]), match[2]) == (SIGNATURE_VERSION, level)


def test_frame_key_tolerates_other_words_and_needs_a_place() -> None:
    one, other = signed(native_text()), signed(native_text(error="ValueError: something else"))
    assert one.frame == other.frame
    assert one.group != other.group
    assert signed("ValueError: no place").frame is None


def test_cluster_key_links_tests_and_job_key_needs_a_failure_without_a_test() -> None:
    one, other = (
        signed(native_text(), test=renamed("test_a")),
        signed(native_text(), test=renamed("test_b", "other.test_y")),
    )
    assert one.cluster == other.cluster is not None
    assert one.job is None
    assert signed(long_text("assert a == 3", "assert 4 == 3")).cluster is None


def test_job_key_leaves_out_the_matrix() -> None:
    text = "src/shapes.c:12:5: error: unknown type name 'shape_t'"
    signs = [
        sign(test=None, message="", text=text, job=job, workflow="ci")
        for job in ("t (3.11)", "t (3.12)", "u")
    ]
    assert signs[0].job == signs[1].job != signs[2].job
    assert signs[0].group == signs[1].group != signs[2].group
    assert sign(test=None, message="", text=text).job is None


def test_cluster_frame_is_the_innermost_outside_the_test_s_own_file() -> None:
    inside = native_text(error="OSError: x").split("\n")
    only_test = "\n".join([*inside[:2], "    go()", inside[-1]])
    assert signed(only_test).cluster is not None
    assert signed(only_test).cluster != signed("\n".join(inside)).cluster


# The record


def test_record_is_what_the_keys_are_made_of() -> None:
    record = signed(native_text()).record
    assert record.framework is Framework.PYTHON
    assert record.chain == (ChainLink("ValueError", "bad magic <addr> in block <num>"),)
    assert record.frames == (RepoFrame("tests/test_load.py", "test_load"), RepoFrame("src/loader.py", "load"))
    assert record.statement == "return json.loads(text)"
    assert record.attributes.message == "bad magic 0x7f00aa in block 3"
    assert json.loads(json.dumps(record.to_json())) == record.to_json()


def test_a_cause_without_a_place_borrows_that_of_what_it_became() -> None:
    where = '  File "/usr/lib/python3.12/socket.py", line 1, in connect'
    library = f"Traceback (most recent call last):\n{where}\nOSError: x"
    record = signed(f"{library}\n\n{DIRECT_CAUSE}\n\n{native_text()}").record
    assert record.chain[0].type == "OSError"
    assert record.frames[-1] == RepoFrame("src/loader.py", "load")


@pytest.mark.parametrize(
    ("message", "text", "phase"),
    [
        ('failed on setup with "OSError: x"', "", Phase.SETUP),
        ('failed on teardown with "OSError: x"', native_text(), Phase.TEARDOWN),
        ("collection failure", native_text(), Phase.COLLECT),
        ("", f"____ ERROR at teardown of test_load ____\n{native_text()}", Phase.TEARDOWN),
        ("", "E       fixture 'nofix' not found\n", Phase.SETUP),
        ("", "ImportError while importing test module 'x.py'.", Phase.COLLECT),
        ("", native_text(), Phase.CALL),
    ],
)
def test_phase(message: str, text: str, phase: Phase) -> None:
    assert signed(text, message=message).record.phase is phase


def test_without_a_test_the_phase_is_the_process() -> None:
    assert signed(native_text(), test=None).record.phase is Phase.PROCESS


def test_the_message_serves_where_the_text_names_nothing() -> None:
    assert signed("", message='failed on setup with "OSError: disk"').title == "OSError: disk"
    assert signed("explicit", message="Failed: explicit").record.chain[0].type == "Failed"
    assert signed("", message="assert 3 == 4").category is Category.ASSERTION


def test_a_text_without_an_exception_is_compared_whole() -> None:
    lines = [f"step {at} read token {'abcdefgh'[at % 8]}" for at in range(20)]
    one, moved = "\n".join(lines), "\n".join(lines).replace("step 3", "step 33")
    assert group_of(one) == group_of(moved) != group_of(one.replace("token c", "token z"))
    assert signed(one).cluster is None


def test_values_of_other_frameworks_assertions_do_not_matter() -> None:
    rust = "thread 't' panicked at src/lib.rs:{}:5:\nassertion `left == right` failed\n  left: {}\n right: 4"
    assert group_of(rust.format(12, '"a"')) == group_of(rust.format(31, '"b c"'))
    assert group_of(rust.format(12, 3)) != group_of(rust.format(12, 3).replace("==", "!="))


def test_a_summary_line_is_read_like_the_message_it_shows() -> None:
    line = "FAILED tests/test_load.py::test_load - KeyError: 'a'"
    assert signed(line).record.chain == signed("KeyError: 'a'").record.chain
    assert group_of(line) == group_of("KeyError: 'a'")


def test_a_long_text_without_an_exception_is_compared_by_its_ends() -> None:
    lines = [f"read token {'abcdefgh'[at % 8]}" for at in range(200)]
    assert group_of("\n".join(lines)) == group_of("\n".join([*lines[:100], "noise", *lines[101:]]))
    killed = signed("\n".join([*lines, "x.sh: line 1:  1950 Killed    pytest -v"]))
    assert (killed.category, killed.title.partition(" (text ")[0]) == (
        Category.OOM,
        "x.sh: line <line>: <num> Killed pytest -v",
    )


@pytest.mark.parametrize(
    ("text", "crash"),
    [
        ("Fatal Python error: Segmentation fault", "SIGSEGV"),
        ("Fatal Python error: Aborted", "SIGABRT"),
        ("E   ProcessExitedException: process 1 terminated with signal SIGTERM", "SIGTERM"),
        ("worker 'gw1' crashed while running 'x'", None),
        ("subprocess 4 died: core dumped\nBus error", "SIGBUS"),
        ("E   ValueError: SIGSEGV handler", "SIGSEGV"),
        ("E   ValueError: x", None),
    ],
)
def test_crash_names_the_signal(text: str, crash: str | None) -> None:
    assert signed(text).record.crash == crash


def test_a_huge_text_is_read_at_both_ends() -> None:
    text = f"{'x' * 100}\n" + "noise\n" * ((HEAD_CHARS + TAIL_CHARS) // 4) + native_text()
    huge = signed(text)
    assert huge.record.attributes.truncated
    assert huge.group == group_of(native_text())


# Hostile input


@pytest.mark.parametrize(
    "error",
    [
        "ValueError: \x1b]8;;http://x\x07\u202egnp.exe",
        "ValueError: " + "word " * 200,
        "ValueError: \ud800\u2028x",
        "\ud7a4",
    ],
)
def test_a_title_is_one_short_visible_line(error: str) -> None:
    title = signed(native_text(error=error)).title
    assert 0 < len(title) <= TITLE_CHARS
    assert not [each for each in title if unicodedata.category(each)[0] == "C" or each in "\n\u2028\u2029"]


@given(st.text(max_size=400), st.text(max_size=400))
def test_signing_is_total_and_repeatable(message: str, text: str) -> None:
    for test in (None, SIMPLE):
        one = sign(test=test, message=message, text=text, job="a / b (3.12, 1/2)", workflow=None)
        assert one == sign(test=test, message=message, text=text, job="a / b (3.12, 1/2)", workflow=None)
        assert one.title
        assert (one.group is None) is (one.generic and test is None)
        json.dumps(one.record.to_json())


@pytest.mark.parametrize(
    "piece",
    ["Traceback (most recent call last):\n", "AError: x\n", "E   A: b\n", "a" * 9, ":1: \n", "[", "-1 "],
)
def test_repeated_pieces_are_read(piece: str) -> None:
    assert signed(piece * 2_000).title
