"""Keeps trouble of ours out of a job's result: `replay --from-junit` ends with 0 there, and says what broke.

Wrong use is told as everywhere, with exit code 2: it stands in the workflow's text, and shows the first time.
"""

import traceback
from collections.abc import Callable
from functools import wraps

import typer

from app.domain.workflow_command import Annotation, Level
from app.settings import StepOfJob
from worker import says
from worker.commands.in_job.prose import prose
from worker.commands.in_job.step import Step
from worker.replay.sandbox.refused import Refused
from worker.trouble import Expected

HEAD = "## flake-triage: the replay did not run"


def guarded(replay: Callable[..., None]) -> Callable[..., None]:
    """The command itself outside of a job, and where tests are named by hand."""

    @wraps(replay)
    def run(**options: object) -> None:
        known = StepOfJob()
        if not (known.is_in_job and options.get("from_junit")):
            replay(**options)
            return
        step = Step(known, as_json=bool(options.get("as_json")))
        try:
            replay(**options)
        except typer.BadParameter:
            raise
        except typer.Exit:
            return
        except (SystemExit, KeyboardInterrupt):  # what was known by then stands in the summary already
            says.progress("flake-triage: the replay was ended before it was done")
        except (*Expected, Refused) as error:
            _tell(step, str(error))
        except Exception as error:  # noqa: BLE001 - a bug of ours is told, and is not the job's failure
            says.progress(traceback.format_exc())
            _tell(step, f"flake-triage broke: {type(error).__name__}: {error}")

    return run


def step_here(*, as_json: bool) -> Step | None:
    """The step of a job that we run in, if we do."""
    known = StepOfJob()
    return Step(known, as_json=as_json) if known.is_in_job else None


def _tell(step: Step, why: str) -> None:
    says.progress(f"flake-triage: {why}")
    step.tell_summary(f"{HEAD}\n\n{prose(why)}\n\nThe job's own result is not changed by it.\n")
    step.annotate([Annotation(Level.WARNING, "flake-triage: the replay did not run", why)])
