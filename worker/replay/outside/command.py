"""What a trial starts: the supervisor, pytest as its child, and the variables by which a probe rides in."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from worker.replay import inside
from worker.replay.probe.ways_in import lay_out
from worker.replay.regular_file import read_bounded
from worker.replay.trial import TrialSpec

_CONFIGURED_IN: Final = ("pytest.ini", ".pytest.ini", "pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")
_CONFIG_BYTES: Final = 1 << 20
_OF_THE_CACHE: Final = re.compile(
    rb"--(?:lf|last-failed|ff|failed-first|nf|new-first|cache-clear|sw|stepwise|last-failed-no-failures|lfnf)\b"
)
SUPERVISOR: Final = "flake_triage_inside"
_START: Final = """
import sys
sys.path.insert(0, {tools!r})
from flake_triage_inside.__main__ import main
sys.exit(main())
"""


def supervisor_command(python: Path, tools: Path, channel: int) -> list[str]:
    """Isolated from the environment and from `site`: no probe, and nothing of the project's, runs in it."""
    return [str(python), "-I", "-S", "-c", _START.format(tools=str(tools)), str(channel)]


def pytest_command(python: Path, test: str, results: Path, cache: Sequence[str]) -> list[str]:
    """Pytest as the project configures it, for one test, whose name is never taken for an option."""
    name = f"./{test}" if test.startswith("-") else test
    return [str(python), "-m", "pytest", name, *cache, f"--junitxml={results}"]


def without_old_cache(project: Path, tmp: Path) -> tuple[str, str]:
    """What keeps pytest's cache from telling it of other runs: none at all, or, where the project's own
    options need one, a new one in the trial's own `tmp`.
    """
    for name in _CONFIGURED_IN:
        if _OF_THE_CACHE.search(read_bounded(project / name, _CONFIG_BYTES)):
            return "-o", f"cache_dir={tmp}/pytest-cache"
    return "-p", "no:cacheprovider"


def probe_variables(spec: TrialSpec, journal: Path, project: Path) -> dict[str, str]:
    """What the probe reads; all as the suspect sees it."""
    wanted = spec.perturbation
    variables = {"FLAKE_TRIAGE_JOURNAL": str(journal), "FLAKE_TRIAGE_PROJECT": str(project)}
    if wanted.store_delay_s or wanted.skew_s:
        delays = {
            "store_delay_s": wanted.store_delay_s,
            "skew_s": wanted.skew_s,
            "most_delay_s": wanted.most_delay_s,
            "seed": spec.seed,
        }
        variables["FLAKE_TRIAGE_DELAYS"] = json.dumps(delays)
    if spec.inject is not None:
        variables["FLAKE_TRIAGE_INJECT"] = spec.inject
    return variables


def lay_out_tools(tools: Path, seen_as: Path, probe: Mapping[str, str] | None) -> None:
    """The supervisor's package, and for a probed trial the probe's with both its ways in."""
    target = tools / SUPERVISOR
    target.mkdir()
    for file in sorted(Path(inside.__file__).parent.glob("*.py")):
        shutil.copyfile(file, target / file.name)
    if probe is not None:
        lay_out(tools, str(seen_as), probe)
