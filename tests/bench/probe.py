"""What the probe costs the suspect: loops of collectives and a plain suite, with and without it in turn."""

import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from measured import Goal, Row, at_most, row_of_rounds

from worker.replay.probe import address, ways_in

LOOP = Path(__file__).parent / "probed_loop.py"
MOST_OF_BARE = Goal("at most", 1.03, of_floor=True)
TESTS, RAISING = 1500, 100
SUITE = """
import pytest
@pytest.mark.parametrize("number", range({tests}))
def test_sum(number):
    assert sum(range(number)) == number * (number - 1) // 2
@pytest.mark.parametrize("number", range({raising}))
def test_raises(number):
    with pytest.raises(ZeroDivisionError):
        1 / (number - number)
"""


def measure(*, long: bool) -> list[Row]:
    rounds = 200 if long else 60
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_suite.py").write_text(SUITE.format(tests=TESTS, raising=RAISING))
        rows = [_suite(folder, 7 if long else 3)]
        if importlib.util.find_spec("torch") is None:
            sys.stderr.write("probe: without torch no loop of collectives is measured\n")
            return rows
        bare, probed = _rounds(folder, "reductions", 1000, rounds)
        rows.append(_each_collective(bare, probed, 1000))
        for kind, what in (("steps", "steps of 1 ms, each with a reduction"), ("ddp", "steps of DDP")):
            bare, probed = _rounds(folder, kind, 40, rounds)
            rows.append(_loop(what, bare, probed, 40))
        return rows


def _each_collective(bare: Sequence[float], probed: Sequence[float], times: int) -> Row:
    """The middle of the differences of rounds that ran one after the other."""
    added = [(ours - floor) / times * 1e6 for ours, floor in zip(probed, bare, strict=True)]
    base = statistics.median(bare) / times * 1e6
    note = f"CPU time, a world of one rank; without the probe an all_reduce takes {base:.1f} us"
    middle = statistics.median(added)
    return Row(
        "probe", "added to a collective", middle, "us", min(added), max(added), None, at_most(10), note
    )


def _loop(what: str, bare: Sequence[float], probed: Sequence[float], times: int) -> Row:
    """The middle of the ratios of neighbouring rounds, over the middle of those without the probe."""
    floor = statistics.median(bare) / times * 1e3
    ratios = [ours / other for ours, other in zip(probed, bare, strict=True)]
    ours, least, most = (floor * one for one in (statistics.median(ratios), min(ratios), max(ratios)))
    note = "CPU time; floor: without the probe"
    return Row("probe", what, ours, "ms", least, most, floor, MOST_OF_BARE, note)


def _suite(folder: Path, rounds: int) -> Row:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder / "test_suite.py")]

    def cpu_s(environment: dict[str, str]) -> float:
        before = _of_children()
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        return _of_children() - before

    bare, probed = _bare(), _probed(folder, "suite")
    found = [(cpu_s(bare), cpu_s(probed)) for _ in range(rounds + 1)][1:]
    note = f"CPU time; {TESTS} tests that do little and {RAISING} that raise; floor: without the probe"
    ours, floor = [one for _, one in found], [one for one, _ in found]
    return row_of_rounds("probe", "a plain suite", "s", ours, floor, None, note)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _rounds(folder: Path, kind: str, times: int, rounds: int) -> tuple[list[float], list[float]]:
    """Bare and probed process in turn, in short rounds that meet one machine; the first is not counted."""
    with _loop_process(kind, _bare()) as bare, _loop_process(kind, _probed(folder, kind)) as probed:
        found = [(_ask(bare, times), _ask(probed, times)) for _ in range(rounds + 1)][1:]
    return [one for one, _ in found], [one for _, one in found]


@contextmanager
def _loop_process(kind: str, environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", str(LOOP), kind],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        yield started
        assert started.stdin is not None
        started.stdin.close()


def _ask(process: "subprocess.Popen[str]", times: int) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{times}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def _bare() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}  # noqa: TID251 -- a child's


def _probed(folder: Path, kind: str) -> dict[str, str]:
    tools, journal = folder / f"tools-{kind}", folder / f"journal-{kind}"
    journal.mkdir()
    known = {address.JOURNAL: str(journal), address.PROJECT: str(LOOP.parent if kind != "suite" else folder)}
    tools.mkdir()
    ways_in.lay_out(tools, str(tools), known)
    return {**_bare(), **known, "PYTHONPATH": str(tools)}
