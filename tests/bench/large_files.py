"""Large results files, written piece by piece: many tests, one giant text, many small files."""

from collections.abc import Iterator
from pathlib import Path

from junit_files import FAILURE

_OUTPUT = (
    "step {0} of the batch took 0.{0} s on rank 1, queue holds 12 messages and nothing is late &amp; lost\n"
)
_HEAD = '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="{0}">'
_END = "</testsuite></testsuites>"


def write_many(path: Path, tests: int, *, size_bytes: int, red_every: int = 20) -> None:
    """About that many bytes: one test in twenty is red with pytest's text, as long as the size asks for."""
    bare_bytes = 130
    a_red_bytes = max(600, (size_bytes - tests * bare_bytes) * red_every // tests)
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEAD.format(tests))
        file.writelines(_case(number, red_every, a_red_bytes) for number in range(tests))
        file.write(_END)


def write_printing(path: Path, tests: int, *, size_bytes: int) -> None:
    """About that many bytes: every test has printed something, and passed."""
    lines = max(1, (size_bytes // tests - 180) // len(_OUTPUT))
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEAD.format(tests))
        for number in range(tests):
            output = _OUTPUT.format(number % 1000) * lines
            file.write(f"{_start(number)}><system-out>{output}</system-out></testcase>")
        file.write(_END)


def write_giant(path: Path, size_bytes: int) -> None:
    """One CDATA section of that size beside a red test."""
    with path.open("w", encoding="utf-8") as file:
        file.write(
            f"{_HEAD.format(1)}{_start(1)}><failure>{FAILURE.format(number=1, seen=2, line=3)}</failure>"
        )
        file.write("<system-out><![CDATA[")
        line = _OUTPUT.format(1)
        for _ in range(size_bytes // len(line)):
            file.write(line)
        file.write(f"]]></system-out></testcase>{_END}")


def _case(number: int, red_every: int, a_red_bytes: int) -> str:
    if number % red_every:
        return f"{_start(number)} />\n"
    text = FAILURE.format(number=number, seen=0, line=10 + number)
    text *= max(1, a_red_bytes // len(text))
    return f'{_start(number)}><failure message="assert 0 == {number}">{text}</failure></testcase>\n'


def _start(number: int) -> str:
    place = f"tests.package_{number // 500}.test_module_{number // 50}.TestThing"
    name = f"test_behaves_{number}[{number % 5}-cpu]"
    return f'<testcase classname="{place}" name="{name}" time="0.{number % 1000:03}"'


def small_files(folder: Path, count: int) -> Iterator[Path]:
    """Each of a suite of ten tests, one of them red."""
    for number in range(count):
        path = folder / f"TEST-{number}.xml"
        write_many(path, 10, size_bytes=0, red_every=10)
        yield path
