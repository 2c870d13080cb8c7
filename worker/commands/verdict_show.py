"""`flake-triage verdict show`: one verdict with the failure it is about, its reasons and its gaps."""

from typing import Annotated

import typer
from sqlalchemy.orm import Session

from app.domain.errors import Gone
from app.domain.judge import judge
from app.domain.policy import VerdictPolicy
from app.domain.verdict import Verdict
from app.store import blobs, evidence_json, failures, verdict_list
from app.store import verdicts as verdict_store
from app.store.verdict_list import ListedVerdict
from worker import says
from worker.commands.database import reading
from worker.commands.verdict_records import listed_record, verdict_record
from worker.says import JsonFlag

LAST_LINES = 40
"""Of a failure's text: its end names the error."""

PAST_ITS_TIME = "(its text was removed, since it was past its time)"

commands = typer.Typer(
    no_args_is_help=True, help="Look at one verdict.", epilog="Example: flake-triage verdict show 17"
)


@commands.callback()
def _group() -> None:
    """Look at one verdict."""


@commands.command("show", epilog="Example: flake-triage verdict show 17 --recompute")
def show(
    verdict: Annotated[int, typer.Argument(help="The verdict's id, as `verdicts` shows it.")],
    *,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Judge again from the stored facts, by today's rules.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show a verdict with its reasons and gaps. With --recompute, exit 1 if it would be another one today.

    It rests on what was known at the time it names: history that `ingest` brings in is judged as of the time
    its jobs began. The version of the rules rises when the same facts would be judged otherwise.
    """
    with reading("verdict show") as session:
        found = verdict_list.one(session, verdict)
        if found is None:
            raise Gone(f"verdict {verdict}", "there is none of this number")
        message, text, is_kept = _failure(session, found.failure)
        again = _judged_again(session, verdict) if recompute else None
    if as_json:
        told = {} if again is None else {"recomputed": verdict_record(again), "same": again == found.verdict}
        policy = {"policy": found.verdict.policy_version}
        says.line(
            listed_record(found) | policy | told | {"message": message, "text": text if is_kept else None}
        )
    else:
        _print_verdict(found, message, text if is_kept else PAST_ITS_TIME)
        if again is not None:
            _print_comparison(found.verdict, again)
    if again is not None and again != found.verdict:
        raise typer.Exit(says.CHECKED_BAD)


def _failure(session: Session, key: int) -> tuple[str, str, bool]:
    """Its message, its whole text, and whether that is still kept."""
    failure = failures.by_id(session, key)
    assert failure is not None
    text = blobs.texts(session, {failure.text_blob})[failure.text_blob]
    return failure.message, text, failure.text_blob != blobs.REMOVED


def _judged_again(session: Session, verdict: int) -> Verdict:
    found = verdict_store.by_id(session, verdict)
    assert found is not None
    try:
        evidence = evidence_json.from_json(found[1])
    except ValueError as error:
        subject = f"verdict {verdict}"
        raise Gone(subject, "its facts were stored by a version that kept others") from error
    return judge(evidence, VerdictPolicy())


def _print_verdict(one: ListedVerdict, message: str, text: str) -> None:
    verdict = one.verdict
    says.text(f"Verdict {one.id} on {one.test or 'a job that failed without naming a test'}")
    says.text(f"  {_answers(verdict)}")
    says.text(f"  {one.repo}, run {one.run}, attempt {one.attempt}, job {one.job}")
    says.text(
        f"  judged on what was known at {one.at:%Y-%m-%d %H:%M} UTC, by version {verdict.policy_version} "
        "of the rules"
    )
    says.text(f"Failure: {message or '(without a message)'}")
    lines = text.splitlines()
    if len(lines) > LAST_LINES:
        says.text(f"  ({len(lines) - LAST_LINES:,} lines before these; --json has all)")
    for line in lines[-LAST_LINES:]:
        says.text(f"  | {line}")
    says.text("Reasons:" if verdict.reasons else "Reasons: none")
    for reason in verdict.reasons:
        noun = "run" if len(reason.runs) == 1 else "runs"
        runs = f" [{noun} {', '.join(map(str, reason.runs))}]" if reason.runs else ""
        says.text(f"  {reason.strength.value:8}{reason.text}{runs}")
    says.text("Missing evidence:" if verdict.gaps else "Missing evidence: none known")
    for gap in verdict.gaps:
        says.text(f"  {gap.kind.value}: {gap.subject}: {gap.detail}")


def _print_comparison(stored: Verdict, again: Verdict) -> None:
    if stored == again:
        says.text("Judged again from the stored facts: the same.")
        return
    says.text(f"Judged again from the stored facts: {_answers(again)}")
    for reason in again.reasons:
        if reason not in stored.reasons:
            says.text(f"  now also: {reason.text}")
    for reason in stored.reasons:
        if reason not in again.reasons:
            says.text(f"  no longer: {reason.text}")


def _answers(verdict: Verdict) -> str:
    """The four answers, in the words that scripts read."""
    answers = (verdict.kind.value, verdict.strength.value, verdict.whose.value, verdict.cause or "not known")
    return ", ".join(
        f"{name}: {answer}"
        for name, answer in zip(("kind", "strength", "whose", "cause"), answers, strict=True)
    )


def register(cli: typer.Typer) -> None:
    cli.add_typer(commands, name="verdict")
