"""A panic's words and place, in the spellings of old and new Rust, and what the harness says of it."""

import pytest

from app.domain.joblog.rust_failure import RustFailure


def shown(*lines: str) -> RustFailure:
    failure = RustFailure(1)
    for line in lines:
        failure.add(line)
    return failure


@pytest.mark.parametrize(
    ("lines", "message", "place"),
    [
        (["thread 'a' panicked at src/a.rs:3:9:", "", "no", "more"], "no", ("src/a.rs", 3)),
        (["out", "thread 'a' (77) panicked at src/a.rs:3:9:", "no"], "no", ("src/a.rs", 3)),
        (["thread 'a' panicked at C:\\w\\src\\a.rs:3:9:", "no"], "no", ("C:\\w\\src\\a.rs", 3)),
        (["thread 'a' panicked at 'it's, no', src/a.rs:3:9"], "it's, no", ("src/a.rs", 3)),
        (
            ["thread 'a' panicked at 'assertion failed: `(left == right)`", "  left: `1`", "', src/a.rs:3:9"],
            "assertion failed: `(left == right)`",
            ("src/a.rs", 3),
        ),
        (
            [
                "thread 'w' panicked at src/w.rs:1:2:",
                "in w",
                "thread 'a' panicked at src/a.rs:3:9:",
                "joined",
            ],
            "in w",
            ("src/w.rs", 1),
        ),
        (
            ["note: test did not panic as expected at src/a.rs:27:32"],
            "test did not panic as expected",
            ("src/a.rs", 27),
        ),
        (
            ["thread 'a' panicked at src/a.rs:3:9:", "bang", "note: panic did not contain expected string"],
            "panic did not contain expected string",
            ("src/a.rs", 3),
        ),
        (['Error: "went wrong"'], 'Error: "went wrong"', (None, None)),
        (
            ["running 1 test", "(test failed with exit code 3)", "(test timed out)"],
            "test failed with exit code 3",
            (None, None),
        ),
        (["running 1 test", "Error: no", "Error: of another"], "Error: no", (None, None)),
        (["do not panic", "(test of mine)"], "do not panic", (None, None)),
        ([], "", (None, None)),
    ],
)
def test_the_message_is_what_the_panic_says(
    lines: list[str], message: str, place: tuple[str | None, int | None]
) -> None:
    failure = shown(*lines)
    assert (failure.message, (failure.path, failure.line)) == (message, place)
    assert failure.text == "\n".join(lines)
    assert not failure.cut


def test_what_a_test_only_printed_is_told_by_nobody() -> None:
    assert shown("hello").told == ""
    assert shown("(test timed out)").told == "test timed out"
