"""Mends that are pasted as they are told bring no other finding, in whatever order they are followed."""

import ast
from textwrap import indent

import pytest

from app.domain.lint.finding import Rule
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
