"""The README's section on the lint: its example is what the command prints, and it names every rule."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.domain.lint.finding import Rule
from app.domain.lint.meanings import MEANINGS
from worker import cli

README = (Path(__file__).parents[2] / "README.md").read_text()
LINT = README.partition("\n## Lint\n")[2].partition("\n## ")[0]
EXAMPLE = """\
import traceback

import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank, results):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29501", rank=rank, world_size=2)
    try:
        results.put({"rank": rank, "loaded": save_and_load(rank)})
    except BaseException:
        results.put({"rank": rank, "traceback": traceback.format_exc()})
        raise
    finally:
        dist.destroy_process_group()


def hand_off():
    context = mp.get_context("spawn")
    result_queue = context.Queue()
    processes = [context.Process(target=worker, args=(rank, result_queue)) for rank in range(2)]
    for process in processes:
        process.start()
    rank_checks = result_queue.get(timeout=180)
    for process in processes:
        process.join(timeout=30)
        if process.is_alive():
            process.terminate()
            process.join()
    assert rank_checks is not None, "distributed checkpoint workers timed out"
    assert all(process.exitcode == 0 for process in processes)


def test_full_hand_off():
    hand_off()


def test_resharded_hand_off():
    hand_off()
"""
"""Of incident 1's shape."""


def test_the_example_is_what_the_command_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_checkpoint.py").write_text(EXAMPLE)
    monkeypatch.chdir(tmp_path)
    [command] = re.findall(r"```sh\nflake-triage (lint .*)\n```", LINT)
    printed = CliRunner().invoke(cli.cli, command.split()).stdout
    shown = LINT.partition("<!-- lint: begin")[2].partition("```\n")[2].partition("```\n<!-- lint: end")[0]
    assert shown == printed.rstrip("\n") + "\n"


def test_every_rule_is_named_with_what_it_finds() -> None:
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", LINT, re.MULTILINE))
    assert rows == {
        rule.value: f"{MEANINGS[rule].short[0].lower()}{MEANINGS[rule].short[1:]}" for rule in Rule
    }
