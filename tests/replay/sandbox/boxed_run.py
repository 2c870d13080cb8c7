"""One command in one sandbox, told as JSON: nobody's interpreter runs this as a script, without pytest."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from worker.replay.limits import Limits
from worker.replay.sandbox.limiting import ORDER
from worker.replay.sandbox.open import open_sandbox
from worker.replay.sandbox.refused import Refused
from worker.replay.suspect import Suspect


@dataclass
class Ran:
    """One command in one sandbox."""

    held: dict[str, Any] = field(default_factory=dict)
    status: int = -1
    out: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    cleanup: dict[str, Any] = field(default_factory=dict)
    refused: str = ""

    @property
    def said(self) -> Any:
        """The JSON of the last line."""
        return json.loads(self.out.splitlines()[-1])


def run_boxed(request: dict[str, Any]) -> Ran:
    place = Path(request["place"])
    suspect = Suspect("t", place / "project", Path(request["python"]), isolated=request["isolated"])
    try:
        box = open_sandbox(
            Limits(**request["limits"]),
            suspect,
            place / "scratch",
            tools=place / "tools",
            journal=place / "journal",
            walls=request["walls"],
            backends=request["backends"] or ORDER,
        )
    except Refused as error:
        return Ran(refused=str(error))
    with box:
        process = box.launch(
            [str(box.view.python), "-c", request["code"]],
            {},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        out = process.communicate(timeout=90)[0].decode()
    return Ran(asdict(box.held), process.returncode, out, asdict(box.usage()), asdict(box.destroy()))


if __name__ == "__main__":
    json.dump(asdict(run_boxed(json.load(sys.stdin))), sys.stdout)
