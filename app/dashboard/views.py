"""What the store says, as the parts of pages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from app.dashboard import contexts, links, marks, parts
from app.dashboard.links import GitHubLinks
from app.domain.gap import Gap
from app.domain.tested_tree import TestedTree, TreeSource
from app.domain.verdict import Reason
from app.domain.wording import short
from app.store.artifacts import FileKind
from app.store.screens import failure_lines
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.failure_lines import FailureLine
from app.store.screens.one_test import FileLine
from app.store.verdicts import StoredVerdict

SHORT_TITLE: Final = 160


def attempt(line: AttemptLine, github: GitHubLinks) -> parts.Attempt:
    return parts.Attempt(
        href=links.to_run(line.key),
        mark=marks.of_conclusion(line.conclusion),
        name=run_name(line),
        workflow=line.workflow,
        event=line.event,
        repo=line.repo_name,
        branch=line.branch or "",
        pull=None
        if line.pull is None
        else parts.Link(f"#{line.pull}", links.to_pull(line.repo_name, line.pull)),
        commit=github.commit(line.repo_name, line.head_sha),
        github=links.outside("on GitHub", line.url),
        completed_at=line.completed_at,
    )


def run_name(line: AttemptLine) -> str:
    return f"run {line.run}" if line.number == 1 else f"run {line.run}, attempt {line.number}"


def gaps(found: Iterable[Gap]) -> tuple[parts.Gap, ...]:
    """Each once, in a fixed order."""
    return tuple(
        parts.Gap(gap.kind.value.replace("-", " "), gap.subject, gap.detail) for gap in sorted(set(found))
    )


def ruling(
    stored: StoredVerdict, runs: Mapping[int, AttemptLine], *, with_whose: bool = True
) -> parts.Ruling:
    """A verdict in full; `runs` are the runs its reasons may name, by GitHub's id."""
    verdict = stored.verdict
    short_form = failure_lines.Ruling(stored.id, verdict.kind, verdict.strength, verdict.whose)
    return parts.Ruling(
        badge=marks.badge(short_form, opaque=verdict.opaque, with_whose=with_whose),
        reasons=tuple(_reason(one, runs) for one in verdict.reasons),
        gaps=gaps(verdict.gaps),
        judged_at=stored.judged_at,
    )


def _reason(reason: Reason, runs: Mapping[int, AttemptLine]) -> parts.Reason:
    named = tuple(
        parts.Link(f"run {run}", links.to_run(runs[run].key) if run in runs else None) for run in reason.runs
    )
    return parts.Reason(reason.text, reason.strength.value, named)


def runs_named(verdicts: Iterable[StoredVerdict]) -> set[int]:
    """GitHub's ids of all runs that these verdicts stand on."""
    return {run for stored in verdicts for reason in stored.verdict.reasons for run in reason.runs}


def failure_name(line: FailureLine) -> parts.Link:
    """The test, or the job where no test was named."""
    return parts.Link(line.label, None if line.test is None else links.to_test(line.test))


def failure_title(line: FailureLine) -> parts.Link:
    title = line.title if len(line.title) <= SHORT_TITLE else line.title[: SHORT_TITLE - 1] + "…"
    return parts.Link(title or "a failure without a text", links.to_failure(line.key))


def tree(tested: TestedTree) -> str:
    """Which code was tested, as far as known."""
    if tested.source is TreeSource.UNKNOWN:
        return "not known"
    what = "merge commit" if tested.source is TreeSource.MERGE_COMMIT else "head"
    named = [what if tested.commit is None else f"{what} {short(tested.commit)}"]
    if tested.tree is not None:
        named.append(f"tree {tested.tree[:7]}")
    return ", ".join(named)


PAST_ITS_TIME: Final = "The text was removed, since it was past its time."


def excerpt(text: str, *, cut: bool, head: int, tail: int, removed: bool = False) -> parts.Text:
    """The beginning and the end of a text, in characters; the note counts what stands between."""
    if removed:
        return parts.Text("", PAST_ITS_TIME)
    note = "the report itself was cut before it reached us" if cut else ""
    if len(text) <= head + tail:
        return parts.Text(text, note)
    left_out = len(text) - head - tail
    body = f"{text[:head]}\n\n[… {left_out:,} characters not shown here …]\n\n{text[len(text) - tail :]}"
    return parts.Text(body, "; ".join(filter(None, [f"{left_out:,} characters are not shown here", note])))


def listed_jobs(lines: Sequence[FailureLine], *, most: int = 3) -> str:
    names = sorted({line.job_name for line in lines})
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def file(line: FileLine) -> contexts.File:
    """What it is and where it was, said once: a job's log is from the job's log anyway."""
    kind = line.kind.value.replace("-", " ")
    origin = "the job's log" if line.origin == "log" else f"artifact {line.origin}"
    return contexts.File(
        link=parts.Link(line.path, links.to_file(line.key)),
        what=kind if line.kind in {FileKind.JOB_LOG, FileKind.ANNOTATIONS} else f"{kind} from {origin}",
        job="",
        note="cut" if line.cut else "",
    )
