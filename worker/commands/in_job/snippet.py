"""The workflow that replays a failed job's tests in that job, as text to paste.

Its steps run only after a failure, may fail themselves without any effect, and hold no right but to read.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

ROOM_MINUTES: Final = 5
"""Beside the budget: for the start, and for writing the evidence."""
STEPS_BEGIN: Final = "      # From here on: what happens after a failure only. A passing job skips it all."

_ARTIFACT: Final = "flake-triage-${{ github.job }}-${{ strategy.job-index }}-${{ github.run_attempt }}"
"""No two jobs of a run may keep an artifact of one name."""

_WORKFLOW: Final = """\
name: tests
on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v6
        with:
          persist-credentials: false
      - uses: actions/setup-python@v6
        with:
          python-version: "{python_version}"
      # Your own steps stand here. What counts is that pytest writes a results file.
      - run: {install}
      - run: {test}

{steps_begin}
      - name: Install flake-triage beside the job's own packages
        id: flake-triage
        if: failure()
        continue-on-error: true
        timeout-minutes: 5
        run: |
          for python in python python3 /usr/bin/python3; do
            if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then break; fi
          done
          "$python" -m venv "$RUNNER_TEMP/flake-triage"
          "$RUNNER_TEMP/flake-triage/bin/python" -m pip install --quiet {package}
      - name: Replay the failed tests
        id: replay
        if: failure() && steps.flake-triage.outcome == 'success'
        continue-on-error: true
        timeout-minutes: {minutes}
        env:
          REPLAY_ARTIFACT: {artifact}
        run: |
          exec "$RUNNER_TEMP/flake-triage/bin/flake-triage" replay \\
            --from-junit {results} \\
            {project}--python {python} --budget {budget} --out "$RUNNER_TEMP/replay"
      - name: Keep the evidence
        if: failure() && steps.replay.outputs.bundle != ''
        continue-on-error: true
        timeout-minutes: 5
        uses: actions/upload-artifact@v7
        with:
          name: {artifact}
          path: ${{{{ steps.replay.outputs.bundle }}}}
          if-no-files-found: ignore
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What differs from project to project. `python` is what runs the tests, `package` what pip installs.

    `project` is the folder that the tests run in, empty for the repository's own.
    """

    python_version: str
    results: Sequence[str]
    python: str
    package: str
    budget_s: int
    project: str = ""


def workflow(asked: Asked) -> str:
    return _WORKFLOW.format(
        python_version=asked.python_version,
        install="python -m pip install pytest -r requirements.txt",
        test=f"python -m pytest --junitxml={shlex.quote(_fitting(asked.results[0]))}",
        steps_begin=STEPS_BEGIN,
        artifact=_ARTIFACT,
        package=shlex.quote(asked.package),
        minutes=ceil(asked.budget_s / 60) + ROOM_MINUTES,
        results=" ".join(map(shlex.quote, asked.results)),
        project=f"--project {shlex.quote(asked.project)} " if asked.project else "",
        python=shlex.quote(asked.python),
        budget=asked.budget_s,
    )


def _fitting(pattern: str) -> str:
    """A file that the pattern, or the folder, holds."""
    told = pattern.replace("**/", "")
    return f"{told}results.xml" if not told or told.endswith("/") else told.replace("*", "results")
