"""Bad: the fixture's runner hands back one of the two answers.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing
import traceback

import pytest
import torch
import torch.distributed as dist


def _main(rank, size, answers, init):
    try:
        dist.init_process_group("gloo", init_method=init, rank=rank, world_size=size)
        x = torch.tensor([rank + 1.0])
        dist.all_reduce(x)
        answers.put(("ok", x.item()))
    except Exception:
        answers.put(("error", traceback.format_exc()))


@pytest.fixture
def answer(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    answers = spawn.Queue()
    args = (2, answers, f"file://{tmp_path}/i")
    children = [spawn.Process(target=_main, args=(rank, *args)) for rank in (0, 1)]
    for child in children:
        child.start()
    yield answers.get(timeout=60)  # <- one-item-drained
    for child in children:
        child.join(10)


def test_answer(answer):
    kind, value = answer
    assert kind == "ok", value
    assert value == 3.0
