"""What the lint found in a red test's sources, as Markdown: why its message was no help, and the mends."""

import shlex
from collections.abc import Iterator
from typing import Final

from app.domain.lint.finding import LintFinding
from app.domain.markdown import code
from app.domain.replay_words import CauseKind
from app.domain.wording import counted
from worker.commands.in_job.prose import prose
from worker.commands.in_job.told import Replayed

MOST: Final = 4
_SENTENCE: Final = 300


def hidden(one: Replayed) -> Iterator[str]:
    """Of a test whose message in the job names no cause: that, and the first weaknesses that hide it."""
    if not one.sources.is_opaque:
        return
    said = "The message in the job names no cause"
    found, command = one.sources.hiding, _lint(one.replay.test.partition("::")[0])
    if found is None:
        yield f"{said}: {command} looks for what hides it in the test's file"
    elif not found:
        yield f"{said}; the lint knows no weakness of the test's file that hides it"
    else:
        weak = counted(len(found), "weakness", "weaknesses")
        hides = "hides" if len(found) == 1 else "hide"
        lines = [f"  - line {it.line}, {code(it.rule)}: {prose(it.text, _SENTENCE)}" for it in found[:MOST]]
        lines += [f"  - and {len(found) - MOST} more"] if len(found) > MOST else []
        yield "\n".join(
            [f"{said}: {weak} of the test {hides} it, and {command} shows the mend of each", *lines]
        )


def mend(one: Replayed) -> Iterator[str]:
    """Where the lint knows how one rank could raise alone."""
    found = one.sources.mend
    if found is None:
        return
    if one.replay.explanation.cause.kind is CauseKind.RANK_EXCEPTION:
        yield "Have all ranks agree on the outcome of what may raise before the next collective."
    yield f"{code(found.rule)} at {code(f'{found.path}:{found.line}', 300)}: {_lint(found.path)} shows a mend"


def window_in(found: LintFinding) -> str:
    """Empty where it has none."""
    window = found.window
    if window is None:
        return ""
    return (
        f"A mend must stand, by the source of {code(found.path, 300)},\n\n"
        f"- after line {window.after_line}: {code(window.after)}\n"
        f"- before line {window.before_line}: {code(window.before)}"
    )


def _lint(file: str) -> str:
    return code(f"flake-triage lint {shlex.quote(file)}", 500)
