"""Code whose values are made of themselves is followed to an end, and the rest of its file is linted."""

import time
from collections.abc import Callable

import pytest

from app.domain.lint.finding import Rule
from app.domain.lint.linted import lint

WEAK = """

def work(rank):
    print(rank)


def test_ranks():
    processes = [Process(target=work, args=(rank,)) for rank in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert all(process.exitcode == 0 for process in processes)
"""
ARGUMENTS = """
from multiprocessing import Process


class Transformed:
    def _wrapped(self, *args):
        return args[0], *args[2:]

    def update(self, *args):
        args = self._wrapped(*args)
        start(*args)


def start(*processes):
    processes[0].start()


def test_update():
    Transformed().update(Process(target=work), 2)
"""
DECORATORS = """
import functools
from multiprocessing import Process


class Metric:
    def __init__(self):
        self.update = self._wrapped(self.update)

    def update(self, rank):
        Process(target=work, args=(rank,)).start()

    def _wrapped(self, update):
        @functools.wraps(update)
        def counted(rank):
            update(rank)

        return counted


def test_update():
    metric = Metric()
    metric.update(1)
"""


@pytest.mark.parametrize("endless", [ARGUMENTS, DECORATORS])
def test_the_rest_of_a_file_with_values_made_of_themselves_is_linted(endless: str) -> None:
    found = lint(endless + WEAK, "test_x.py")
    assert [one.rule for one in found if one.test == "test_x.py::test_ranks"] == [
        Rule.BARE_EXIT_CODE_ASSERTION
    ]


def processor_time(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def test_small_file_of_functions_that_call_one_another_without_end_takes_seconds() -> None:
    count = 50
    calls = {i: [f"    f{(i * 7 + j * 13) % count}(rank, q)\n" for j in range(5)] for i in range(count)}
    functions = [
        f"def f{i}(rank, q):\n{''.join(called)}    dist.barrier()\n    q.put(rank)\n"
        for i, called in calls.items()
    ]
    source = (
        "import torch.distributed as dist\nimport torch.multiprocessing as mp\n"
        + "".join(functions)
        + "def test_x():\n    mp.spawn(f0, args=(mp.Queue(),), nprocs=2)\n"
    )
    lasted = processor_time(lambda: lint(source, "x.py"))
    measure = processor_time(lambda: sum(number * number for number in range(10_000_000)))
    assert lasted < 12 * measure  # three times the measure on any machine; twenty-five without the bound
