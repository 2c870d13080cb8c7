"""Stories for people: lines with a tone, coloured on a terminal, harmless on any."""

import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from app.domain.workflow_command import defused
from app.logs import redact
from worker.replay.bundle.story import Line


def tell(lines: Iterable[Line]) -> None:
    """Print on stdout. No line is markup, and control characters are spelled out."""
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        console.print(Text(defused(redact(line.words)), style=line.tone.value))
