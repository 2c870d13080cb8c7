"""What a comparison shows is told apart where the group is one, and noise is not."""

import pytest
from failure_texts import long_text, native_text, signed


def values_of(text: str, message: str = "") -> str | None:
    return signed(text, message=message).record.attributes.values


def go(got: int, took: str = "0.03") -> str:
    return f"--- FAIL: TestSum ({took}s)\n    sum_test.go:12: got {got}, want 4"


def jest(received: int) -> str:
    return (
        "Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 404\n"
        f"Received: {received}\n    at Object.<anonymous> (/__w/a/a/a.test.js:3:5)"
    )


def junit(was: str) -> str:
    return f"org.opentest4j.AssertionFailedError: expected: <200> but was: <{was}>\n\tat org.a.B.c(B.java:12)"


def mocha(was: str) -> str:
    said = "AssertionError: it differs\n    at Context.<anonymous> (a.js:3:5)"
    return f"{said}\n  + expected - actual\n\n  -{was}\n  +4"


def rust(left: int) -> str:
    return (
        f"thread 'a' panicked at src/a.rs:3:5:\nassertion `left == right` failed\n  left: {left}\n right: 4"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (go(3), go(99)),
        (jest(500), jest(200)),
        (junit("500"), junit("404")),
        (mocha("500"), mocha("404")),
        (rust(3), rust(99)),
        (
            long_text("assert not problems", "assert not ['a is missing']"),
            long_text("assert not problems", "assert not ['totally different b']"),
        ),
        (
            long_text("assert name == 'pear'", "AssertionError: assert 'apple' == 'pear'"),
            long_text("assert name == 'pear'", "AssertionError: assert 'Traceback: lost' == 'pear'"),
        ),
        (long_text("assert a == 4", "assert 3 == 4"), long_text("assert a == 4", "assert 99 == 4")),
        (long_text("assert a == 4", "assert 3.25 == 4"), long_text("assert a == 4", "assert 3.5 == 4")),
        (native_text(error="AssertionError: 3 != 4"), native_text(error="AssertionError: 5 != 4")),
        (
            native_text(error="ValueError: expected 3, got 4"),
            native_text(error="ValueError: expected 3, got 5"),
        ),
    ],
)
def test_one_group_with_other_operands_has_other_values(one: str, other: str) -> None:
    assert signed(one).group == signed(other).group is not None
    assert None is not values_of(one) != values_of(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (go(3), go(3, took="1.70")),
        (
            long_text("assert a == b", "assert <A at 0x7f01> == 4"),
            long_text("assert a == b", "assert <A at 0x7f99> == 4"),
        ),
        (
            long_text("assert a == 0.3", "assert 0.30000000000000004 == 0.5"),
            long_text("assert a == 0.3", "assert 0.30000000000000010 == 0.5"),
        ),
        (native_text(error="AssertionError: 3 != 4"), native_text(error="AssertionError: 3 != 4", line=99)),
        (junit("500"), junit("500").replace(":12", ":99")),
    ],
)
def test_noise_leaves_the_values_equal(one: str, other: str) -> None:
    assert values_of(one) == values_of(other) is not None


@pytest.mark.parametrize(
    "text", ["", native_text(), "Segmentation fault", native_text(error="AssertionError")]
)
def test_a_text_that_compares_nothing_has_no_values(text: str) -> None:
    assert values_of(text) is None


def test_values_are_in_the_record_and_in_no_key() -> None:
    one, other = signed(go(3)), signed(go(99))
    assert one.record.to_json()["attributes"] != other.record.to_json()["attributes"]
    assert (one.group, one.frame, one.cluster) == (other.group, other.frame, other.cluster)
