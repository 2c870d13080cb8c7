"""Mends that are pasted as they are told bring no other finding, in whatever order they are followed."""

import ast
from pathlib import Path
from textwrap import dedent, indent

import pytest

from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.linted import lint

BUCKETS = """\
import torch
import torch.distributed as dist


def make_buckets(grads, limit):
    for grad in grads:
        if grad.numel() > limit:
            raise ValueError("does not fit")
    return grads


def average(grads, rank):
    for _ in range(3):
        flag = torch.ones(1)
        dist.all_reduce(flag)
    buckets = make_buckets(grads, limit_of(rank))
    for bucket in buckets:
        dist.all_reduce(bucket)
    return buckets
"""
ROUNDS = """\
import torch.distributed as dist


def run(rank, x):
    for _ in range(rank + 1):
        dist.all_reduce(x)
"""
TURNS = """\
import torch.distributed as dist


def run(rank, left):
    while left > rank * 2:
        dist.all_reduce(left)
"""


def pasted(source: str, first: int, last: int, mend: str) -> str:
    """The mend in place of these lines, as far in as they are."""
    lines = source.splitlines()
    margin = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    text = "\n".join([*lines[: first - 1], *indent(mend, margin).splitlines(), *lines[last:]]) + "\n"
    ast.parse(text)
    return text


def line_of(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


def test_mend_of_work_before_a_bucket_loop_keeps_the_loop_and_stands_before_it() -> None:
    (finding,) = lint(BUCKETS, "buckets.py")
    loop = line_of(BUCKETS, "for bucket in buckets")
    assert finding.window is not None
    assert (finding.window.before_line, finding.window.before) == (loop, "for bucket in buckets")
    assert finding.mend.endswith("for bucket in buckets:\n    dist.all_reduce(bucket)\n")
    mended = pasted(BUCKETS, loop - 1, loop + 1, finding.mend)
    assert lint(mended, "buckets.py") == ()


@pytest.mark.parametrize("head", ["if flag.sum() > 1:", "with torch.no_grad():", "while flag.sum() > 1:"])
def test_mend_of_work_keeps_what_leads_to_the_collective(head: str) -> None:
    source = BUCKETS.replace("for bucket in buckets:", head).replace("(bucket)", "(flag)")
    [finding] = [one for one in lint(source, "x.py") if one.rule is Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE]
    assert finding.mend.endswith(f"{head}\n    dist.all_reduce(flag)\n")


@pytest.mark.parametrize("tail", ["    if not flag:\n        pass\n    else:\n", "    try:\n"])
def test_mend_of_work_names_the_collective_alone_where_the_way_to_it_is_no_plain_block(tail: str) -> None:
    source = BUCKETS.replace("    for bucket in buckets:\n", tail).replace("(bucket)", "(flag)")
    if "try" in tail:
        source = source.replace("    return buckets", "    finally:\n        pass\n    return buckets")
    [finding] = [one for one in lint(source, "x.py") if one.rule is Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE]
    assert finding.mend.endswith("\ndist.all_reduce(flag)\n")


@pytest.mark.parametrize("source", [ROUNDS, TURNS], ids=["for", "while"])
def test_mend_of_a_loop_that_the_rank_counts_lets_all_go_alike(source: str) -> None:
    (finding,) = lint(source, "x.py")
    mended = pasted(source, 5, 6, finding.mend)
    assert lint(mended, "x.py") == ()


REPORT_OF_ONE = """\
import multiprocessing as mp
import os

import torch.distributed as dist
from averages import average

WORLD = 2


def worker(rank, world, port, queue):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=world)
    result = average(rank)
    if rank == 0:
        queue.put(result.tolist())
    dist.barrier()
    dist.destroy_process_group()


def test_average(free_port):
    ctx = mp.get_context("spawn")
    queue = ctx.Queue()
    processes = [ctx.Process(target=worker, args=(rank, WORLD, free_port, queue)) for rank in range(WORLD)]
    for p in processes:
        p.start()
    for p in processes:
        p.join(timeout=30)
    for p in processes:
        if p.is_alive():
            p.terminate()
            p.join()
    assert all(p.exitcode == 0 for p in processes)
    assert queue.get(timeout=5) == [0.5]
"""
DRAINED = """\
    told, dead, end = [], {}, time.monotonic() + 60
    while len(told) < len(processes) and not dead and time.monotonic() < end:
        try:
            told.append(queue.get(timeout=0.5))
        except Empty:
            dead = {f"process {n}": process.exitcode for n, process in enumerate(processes) if process.exitcode}
    for process in processes if len(told) < len(processes) else []:
        process.kill()
    failed = [f"rank {rank}: {text}" for rank, text in told if "Traceback" in str(text)]
    silent = sorted(set(range(len(processes))) - {rank for rank, _ in told})
    said = [f"no report of ranks {silent}, exit codes {dead}"] if silent else []
    assert not failed and not silent, "\\n".join([*said, *failed])
    assert dict(told)[0] == [0.5]
"""  # noqa: E501  # each line as the mend has it
ENDED = """\
    slow = {n: process for n, process in enumerate(processes) if process.is_alive()}
    for process in slow.values():
        process.terminate()
        process.join()
    assert not slow, f"terminated because slow, not crashed: processes {[*slow]}"
    codes = {f"process {n}": process.exitcode for n, process in enumerate(processes)}
    assert set(codes.values()) == {0}, f"exit codes, negative for a signal: {codes}"
"""
WORKED = """\
    try:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        dist.init_process_group("gloo", rank=rank, world_size=world)
        result = average(rank)
        queue.put((rank, result.tolist()))
        dist.barrier()
        dist.destroy_process_group()
    except BaseException:
        queue.put((rank, traceback.format_exc()))
        raise
"""


def replaced(source: str, first: str, last: str, new: str) -> str:
    """New lines in place of those from one to another, both named by what they hold."""
    lines = source.splitlines(keepends=True)
    start = line_of(source, first) - 1
    end = next(n for n, line in enumerate(lines[start:], start + 1) if last in line)
    return "".join([*lines[:start], new, *lines[end:]])


def assert_holds(mended: str, finding: LintFinding) -> None:
    """Every line of the mend that is code stands in the file, in its order."""
    codes = [line.partition("  # ")[0].strip() for line in finding.mend.splitlines()]
    left = iter([line.strip() for line in mended.splitlines()])
    for code in codes:
        if code and code != "..." and not code.startswith("#"):
            assert any(line == code for line in left), f"{finding.rule}: {code}"


def of_rule(findings: tuple[LintFinding, ...], rule: Rule) -> LintFinding:
    return next(one for one in findings if one.rule is rule)


def test_mends_of_a_report_of_one_rank_leave_nothing_whichever_is_followed_first() -> None:
    findings = lint(REPORT_OF_ONE, "test_x.py")
    assert {one.rule for one in findings} == {
        Rule.RANK_0_ONLY_REPORT,
        Rule.TERMINATE_COUNTS_AS_CRASH,
        Rule.BARE_EXIT_CODE_ASSERTION,
    }
    joins = "    for p in processes:\n        p.join(timeout=30)\n"
    killed = replaced(REPORT_OF_ONE, "    if p.is_alive()", "assert all(", "")
    ended = killed.replace(joins + "    for p in processes:\n", joins + ENDED)
    (left,) = lint(ended, "test_x.py")
    assert left.rule is Rule.RANK_0_ONLY_REPORT
    told = replaced(ended, "    os.environ", "destroy_process_group", WORKED)
    told = replaced(told, "assert queue.get", "assert queue.get", "").replace(joins, DRAINED + joins)
    whole = "import time\nimport traceback\nfrom queue import Empty\n" + told
    assert_holds(whole, left)
    ast.parse(whole)
    for one in findings:
        assert_holds(whole, one)
    assert lint(whole, "test_x.py") == ()


INCIDENT = Path(__file__).parent / "incident" / "weak_checkpoint.py"


def test_mends_of_the_incident_leave_nothing() -> None:
    source = INCIDENT.read_text()
    findings = lint(source, "test_x.py")
    drained = DRAINED.replace("queue.", "result_queue.").replace("+ 60", "+ 180")
    drained = drained.replace("assert dict(told)[0] == [0.5]", "rank_checks = dict(told)[0]")
    looked = '    assert "traceback" not in rank_checks, rank_checks["traceback"]\n'
    mended = "import time\nfrom queue import Empty\n" + source.replace(looked, "")
    work = indent(dedent(source.partition("    try:\n")[2].partition("    except")[0]), "        ")
    work = work.replace(
        "        if rank == 0:\n            result_queue.put({", "        result_queue.put((rank, {"
    )
    work = work.replace("())})", "())}))")
    tried = f"    try:\n        _join(rank, port)\n{work}    except BaseException:\n"
    tried += "        result_queue.put((rank, traceback.format_exc()))\n        raise\n    finally:\n"
    tried += "        if dist.is_initialized():\n            dist.destroy_process_group()\n"
    mended = replaced(mended, "    _join(rank, port)", "destroy_process_group", tried)
    mended = replaced(mended, "rank_checks = result_queue", "rank_checks = result_queue", drained + looked)
    joins = "    for process in processes:\n        process.join(timeout=60)\n"
    mended = replaced(
        mended,
        "        process.join(timeout=60)",
        "assert all(",
        "        process.join(timeout=60)\n" + ENDED,
    )
    ast.parse(mended)
    assert joins in mended
    for one in findings:
        assert_holds(mended, one)
    assert lint(mended, "test_x.py") == ()


def test_both_rules_of_one_read_show_one_mend_with_the_workers_side() -> None:
    findings = lint(INCIDENT.read_text(), "test_x.py")
    few = of_rule(findings, Rule.ONE_ITEM_DRAINED)
    assert of_rule(findings, Rule.NO_EARLY_EXIT_CHECK).mend == few.mend
    assert "Let every rank put exactly one item" in few.text
    assert "only one rank does where all is well (line 24)" in few.text
    assert "every rank puts exactly one item" in few.mend
    assert 'result_queue.put((rank, {"rank": 0, "sum": float(state.sum())}))' in few.mend


def with_put(put: str, use: str) -> str:
    source = REPORT_OF_ONE.replace("queue.put(result.tolist())", put)
    return source.replace("assert queue.get(timeout=5) == [0.5]", use)


@pytest.mark.parametrize(
    ("put", "use", "lines"),
    [
        (
            "queue.put((0, result))",
            "rank, loss = queue.get(timeout=WORLD)",
            [
                "    queue.put((rank, result))  #",
                "told, dead, end = [], {}, time.monotonic() + WORLD",
                "rank, loss = next(one for one in told if one[0] == 0)",
            ],
        ),
        (
            "queue.put((rank, result))",
            "return queue.get()",
            ["    queue.put((rank, result))  #", "return next(one for one in told if one[0] == 0)"],
        ),
        (
            "queue.put((result, 1))",
            "loss, one = queue.get()",
            ["    queue.put((rank, (result, 1)))  #", "loss, one = dict(told)[0]"],
        ),
        (
            f"queue.put({'result + ' * 12}result)",
            f"assert queue.get() == {'7 + ' * 30}1",
            [
                "    queue.put((rank, result))  #",
                'assert not failed and not silent, "\\n".join([*said, *failed])',
            ],
        ),
        (
            "queue.put(result)",
            "while True:\n        loss = queue.get()\n        break",
            [
                "    queue.put((rank, result))  #",
                'assert not failed and not silent, "\\n".join([*said, *failed])',
            ],
        ),
    ],
)
def test_mend_of_a_report_of_one_rank_keeps_what_is_told_and_how_it_is_used(
    put: str, use: str, lines: list[str]
) -> None:
    finding = of_rule(lint(with_put(put, use), "test_x.py"), Rule.RANK_0_ONLY_REPORT)
    told = finding.mend.splitlines()
    assert all(any(one.startswith(line) for one in told) for line in lines), finding.mend
    assert told[-1].startswith(lines[-1])


CAUGHT = REPORT_OF_ONE.replace(
    "    result = average(rank)\n    if rank == 0:\n        queue.put(result.tolist())\n",
    "    try:\n        queue.put(average(rank))\n"
    "    except BaseException:\n        queue.put(traceback.format_exc())\n        raise\n",
)
WHOLE = "    assert all(p.exitcode == 0 for p in processes)\n"


def late(codes: str, look: str) -> list[str]:
    """The mend of a report that is asserted too late."""
    source = CAUGHT.replace(WHOLE, codes).replace("    assert queue.get(timeout=5) == [0.5]\n", look)
    return of_rule(lint(source, "test_x.py"), Rule.REPORT_ASSERTED_TOO_LATE).mend.splitlines()


def test_mend_of_a_look_that_takes_the_report_takes_all_of_them_first() -> None:
    told = late(WHOLE, "    assert queue.get(timeout=5) == [0.5]\n")
    assert told[0].startswith("told, dead, end = []")
    assert "assert told[0] == [0.5]" in told
    assert told[-2:] == [line.strip() for line in ENDED.splitlines()[-2:]]


def test_mend_of_a_late_look_keeps_the_files_own_words() -> None:
    taken = "    reports = [queue.get(timeout=5) for _ in processes]\n"
    codes = '    assert all(p.exitcode == 0 for p in processes), "failed"\n'
    assert late(taken + codes, '    assert "Traceback" not in reports[0]\n') == [
        'assert "Traceback" not in reports[0]  # first what was reported',
        f"{codes.strip()}  # then how they ended",
    ]
    long = f"    assert reports[0] == {'7 + ' * 30}1\n"
    judged = "    if any(p.exitcode for p in processes):\n        pytest.fail('failed')\n"
    told = late(taken + judged, long)
    assert told[0] == 'failed = [report for report in reports if "Traceback" in str(report)]'
    assert told[-1] == "...  # then how they ended"
