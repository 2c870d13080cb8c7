"""One failure told in Markdown: what, where, what to do next, and the evidence folded under it.

Failures of one cause and one verdict share an entry.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain import markdown
from app.domain.evidence import Observation
from app.domain.generic import is_placeholder
from app.domain.ids import RepoName, Sha
from app.domain.next_step import next_step
from app.domain.verdict import EvidenceKind, Kind, Reason, Verdict, Whose
from app.domain.verdict_words import WHOSE_WORDS, kind_words
from app.domain.wording import counted, listed, short

EXCERPT_BYTES = 3000
NAMED_TESTS = 10
NAMED_JOBS = 6
NAMED_RUNS = 3
LINKED_RUNS = 8
NAMED_CAUSES = 3
CAUSE_CHARS = 400


@dataclass(frozen=True, slots=True)
class WeakTest:
    """How many weaknesses of its source keep a failure from saying more; `failure` is our key of it."""

    path: str
    count: int
    failure: int


@dataclass(frozen=True, slots=True)
class FailureLine:
    """One judged failure; `title` is its signature's heading, `excerpt` its raw text, cut or not.

    `test` is empty where a job failed without one. `group` and `cluster` are the keys of its signature, by
    which failures of one cause are told together.
    """

    test: str
    title: str
    excerpt: str
    verdict: Verdict
    seen: Observation
    group: str | None = None
    cluster: str | None = None
    weak: WeakTest | None = None


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses on GitHub, or on an installation of one's own, and of our pages; without a slash at the end.

    Without `pages_url` our pages are named without a link.
    """

    repo: RepoName
    github_url: str = "https://github.com"
    pages_url: str | None = None

    def run(self, run: int, word: str = "run") -> str:
        return markdown.link(f"{word} {run}", f"{self.github_url}/{self.repo}/actions/runs/{run}")

    def commit(self, sha: Sha) -> str:
        return markdown.link(markdown.code(short(sha)), f"{self.github_url}/{self.repo}/commit/{sha}")

    def weaknesses(self, label: str, failure: int) -> str:
        page = None if self.pages_url is None else f"{self.pages_url}/failures/{failure}#weaknesses"
        return markdown.link(label, page)


Entry = tuple[FailureLine, ...]
"""At least one failure; the first, oldest one speaks for the rest."""

_URGENCY = (
    Kind.REGRESSION,
    Kind.BROKEN_MAIN,
    Kind.NEW_FAILURE,
    Kind.UNDECIDED,
    Kind.ORDER_DEPENDENT,
    Kind.INFRASTRUCTURE,
    Kind.FLAKY,
)
_WHOSE_FIRST = (Whose.YOURS, Whose.UNKNOWN, Whose.NOT_YOURS)


def entries_of(lines: Sequence[FailureLine]) -> tuple[Entry, ...]:
    """What needs a person first, failures of one cause and one verdict together; input order is no matter."""
    by_cause: dict[tuple[object, ...], list[FailureLine]] = {}
    for line in sorted(lines, key=_order):
        verdict = line.verdict
        cause = line.cluster or line.group or (line.test, line.title, line.seen.job)
        call = (verdict.kind, verdict.strength, verdict.whose, verdict.cause)
        by_cause.setdefault((*call, cause), []).append(line)
    return tuple(tuple(same) for same in by_cause.values())


def _order(line: FailureLine) -> tuple[int, int, str, int, str, str]:
    verdict = line.verdict
    whose, urgency = _WHOSE_FIRST.index(verdict.whose), _URGENCY.index(verdict.kind)
    return (whose, urgency, line.test, line.seen.run, line.seen.job, repr(line))


def short_entry(entry: Entry, links: Links, *, whose: bool = True, named: Sha | None = None) -> str:
    """Test, verdict, place, in one list item; `whose` is left out where nobody asks it, as on main.

    `named` is the commit that the text around names already, so that it is not said again.
    """
    verdict = entry[0].verdict
    said = f"{kind_words(verdict)}, {WHOSE_WORDS[verdict.whose]}" if whose else kind_words(verdict)
    return f"- {_tests(entry)}: **{said}**. Failed in {_places(entry, links, named)}."


def full_entry(
    entry: Entry, links: Links, *, on_main: bool = False, with_step: bool = True, named: Sha | None = None
) -> str:
    """The short entry with its message, the next step, and the evidence of its first failure folded."""
    parts = [
        short_entry(entry, links, whose=not on_main, named=named),
        *_message(entry[0]),
        *_causes(entry[0]),
        *_weak(entry, links),
        *_more_tests(entry),
        *([f"  {step_told(entry, links, on_main=on_main)}"] if with_step else []),
    ]
    return "\n".join([*parts, "", evidence(entry, links)])


def step_told(entry: Entry, links: Links, *, on_main: bool = False) -> str:
    return f"**Next:** {next_step(entry[0].verdict, links.run(entry[0].seen.run), on_main=on_main)}"


def _tests(entry: Entry) -> str:
    tests = sorted({line.test for line in entry})
    if not tests[0]:
        return f"job {markdown.code(entry[0].seen.job)}"
    if len(tests) == 1:
        return markdown.code(tests[0])
    return f"{markdown.code(tests[0])} and {counted(len(tests) - 1, 'more test')} with the same cause"


def _places(entry: Entry, links: Links, named: Sha | None) -> str:
    by_run: dict[int, dict[str, str]] = {}
    for seen in (line.seen for line in entry):
        by_run.setdefault(seen.run, {})[seen.job] = markdown.link(markdown.code(seen.job), seen.url)
    runs = [
        f"{listed((jobs[job] for job in sorted(jobs)), most=NAMED_JOBS)} of {links.run(run)}"
        for run, jobs in sorted(by_run.items())
    ]
    sha = entry[0].seen.sha
    return listed(runs, most=NAMED_RUNS) + ("" if sha == named else f" at {links.commit(sha)}")


def _message(line: FailureLine) -> list[str]:
    if line.title and is_placeholder([line.title]):
        return [f"  There is no text of this failure: {line.title}"]
    if line.verdict.opaque:
        said = f": {markdown.code(line.title)}" if line.title else ""
        return [f"  This failure's text holds no cause{said}"]
    return [f"  {markdown.code(line.title)}"] if line.title else []


def _causes(line: FailureLine) -> list[str]:
    """What replays in its job name, each with whose word that is."""
    told = [one.text for one in line.verdict.reasons if one.kind is EvidenceKind.REPLAY_CAUSE]
    parted = [text.partition(": ") for text in told[:NAMED_CAUSES]]
    return [f"  **{lead}:** {markdown.inline(cause, CAUSE_CHARS)}" for lead, _, cause in parted]


def _weak(entry: Entry, links: Links) -> list[str]:
    """One line, of the first test whose source was looked at."""
    weak = next((line.weak for line in entry if line.weak is not None), None)
    if weak is None:
        return []
    told = f"{counted(weak.count, 'weakness', 'weaknesses')} in {markdown.code(weak.path)}"
    return [f"  Why this failure cannot say more: {links.weaknesses(told, weak.failure)}"]


def _more_tests(entry: Entry) -> list[str]:
    rest = sorted({line.test for line in entry})[1:]
    if not rest:
        return []
    named = ", ".join(markdown.code(test) for test in rest[:NAMED_TESTS])
    more = f", {len(rest) - NAMED_TESTS} more" if len(rest) > NAMED_TESTS else ""
    return [f"  Also: {named}{more}"]


def evidence(entry: Entry, links: Links) -> str:
    """Folded: a reason an item, with the runs it stands on, then the failure's own text."""
    line = entry[0]
    told = [_reason(reason, links, own_run=line.seen.run) for reason in line.verdict.reasons]
    has_text = line.excerpt.strip() and not is_placeholder([line.excerpt])
    excerpt = ["", markdown.block(line.excerpt, limit_bytes=EXCERPT_BYTES)] if has_text else []
    summary = f"Why: {counted(len(told), 'reason')}" + (", and the text of the failure" if excerpt else "")
    if len(entry) > 1:
        summary += " (of the first; the others on the dashboard)"
    return "\n".join([f"<details><summary>{summary}</summary>", "", *told, *excerpt, "", "</details>"])


def _reason(reason: Reason, links: Links, *, own_run: int) -> str:
    """The reason with its runs as links, where it names them or else behind; the failed run has one above."""
    text = markdown.inline(reason.text)
    unnamed: list[int] = []
    for run in reason.runs:
        found = re.search(rf"\b([Rr]un) {run}\b", text)
        if found:
            text = f"{text[: found.start()]}{links.run(run, found[1])}{text[found.end() :]}"
        elif run != own_run:
            unnamed.append(run)
    shown = [links.run(run) for run in unnamed[-LINKED_RUNS:]]
    if len(unnamed) > len(shown):
        shown.append(f"{len(unnamed) - len(shown)} earlier")
    return f"- {text}" + (f" ({', '.join(shown)})" if shown else "")
