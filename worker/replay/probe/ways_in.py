"""Lays the probe out in a trial's tools folder, with both ways in: `sitecustomize.py` and a `.pth` line."""

import json
import shutil
from pathlib import Path
from typing import Mapping

from . import address

PACKAGE = "flake_triage_probe"
PTH = "flake_triage_probe.pth"


def lay_out(tools: Path, seen_as: str, known: Mapping[str, str]) -> None:
    """Writes the package, `sitecustomize.py`, `address.json` and the `.pth` file into `tools`.

    `seen_as` is the folder's path in the trial; `known` the probe's variables, as a process gets them whose
    environment was cleared. The `.pth` works in any folder that the interpreter searches for such files.
    """
    source = Path(address.PACKAGE)
    target = tools / PACKAGE
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted(source.glob("*.py")):
        shutil.copyfile(file, (tools if file.name == "sitecustomize.py" else target) / file.name)
    (tools / address.FILE).write_text(json.dumps(dict(known)), encoding="utf-8")
    (tools / PTH).write_text(pth_line(seen_as), encoding="utf-8")


def pth_line(seen_as: str) -> str:
    """One line, as `site` executes it: it starts the probe where no environment variable could."""
    code = (
        "import sys; p=%r; sys.path.append(p) if p not in sys.path else None; "
        "exec('try:\\n from flake_triage_probe.install import begin\\n begin()\\n"
        "except Exception:\\n pass')\n"
    )
    return code % seen_as
