"""Sources with the lines marked where a rule must find something: `# <-` at their end."""

import ast
from textwrap import dedent

from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.linted import lint

HEAD = """\
import json, multiprocessing, os, pathlib, queue, random, signal
import socket, subprocess, sys, threading, time, unittest
import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
"""


def found(rule: Rule, body: str) -> list[LintFinding]:
    """What the rule finds in this body, below the usual imports; each mend parses as Python."""
    findings = [one for one in lint(HEAD + dedent(body), "test_x.py") if one.rule is rule]
    for one in findings:
        ast.parse(one.mend)
    return findings


def marked_lines(body: str) -> list[int]:
    lines = (HEAD + dedent(body)).split("\n")
    return [number for number, line in enumerate(lines, 1) if line.rstrip().endswith("# <-")]


def assert_marked(rule: Rule, body: str) -> None:
    """The rule finds the marked lines and no other."""
    lines = sorted({one.line for one in found(rule, body)})
    assert lines == marked_lines(body)
