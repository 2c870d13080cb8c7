"""Which commit a job tested, read from what actions/checkout prints, and from nothing that imitates it.

Lines looked up in git-source-provider.ts and git-command-manager.ts of actions/checkout v2 to v6.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.domain.ids import RepoName, Sha

_STEP: Final = "##[group]Run "
_CHECKOUT_STEP: Final = re.compile(r"##\[group\]Run actions/checkout@\S{1,200}$")
_ACTION_STEP: Final = re.compile(r"##\[group\]Run [\w.-]{1,100}/[\w./-]{1,200}@\S{1,200}$")
_STEPS_END: Final = "Post job cleanup."

_REPOSITORY: Final = re.compile(r"Syncing repository: ([\w.-]{1,100}/[\w.-]{1,100})$")
_FETCHED: Final = re.compile(r" \+[^\s:*]{1,300}:(refs/remotes/[^\s*]{1,300})")
_CHECKED_OUT: Final = re.compile(r" checkout --progress --force (?:.{1,300} )?(refs/\S{1,300})$")
_HEAD: Final = re.compile(r"HEAD is now at ([0-9a-f]{7,40})\b(?: Merge ([0-9a-f]{40}) into ([0-9a-f]{40})$)?")
_LOG_COMMAND: Final = re.compile(r"\[command\].{0,300}\bgit(?:\.exe)?\"? log -1(?: --format='?%H'?)?$")
_COMMIT: Final = re.compile(r"(?:commit )?'?([0-9a-f]{40})'?$")
_TEST_MERGE: Final = re.compile(r"refs/(?:remotes/)?pull/\d{1,10}/merge$")


@dataclass(frozen=True, slots=True)
class Checkout:
    """What one checkout step says of itself; None where it does not.

    `ref` is the local name it checked out (`refs/remotes/pull/83/merge`). The parents are known only for a
    pull request's test merge: the subject of any other commit is its author's text and proves nothing.
    `is_one_of_several`: the job checked out several commits of this repository, and tested any of them.
    """

    repository: str | None
    ref: str | None
    commit: Sha | None
    short: str | None
    merged_head: Sha | None
    merged_base: Sha | None
    is_one_of_several: bool = False


SEVERAL: Final = Checkout(None, None, None, None, None, None, is_one_of_several=True)


class CheckoutFinder:
    """Takes a log's clean lines in order, and believes the first checkout steps, up to another kind of step.

    Actions may come before them, since the code under test is not there yet to print anything; a script may
    not, since it can have brought that code by itself.
    """

    def __init__(self) -> None:
        self._step: _CheckoutStep | None = None
        self._found: list[Checkout] = []
        self._ended = False

    def feed(self, line: str) -> None:
        if self._ended:
            return
        if line.startswith(_STEP) or line == _STEPS_END:
            self._close()
            if _CHECKOUT_STEP.match(line):
                self._step = _CheckoutStep()
            else:
                self._ended = bool(self._found) or not _ACTION_STEP.match(line)
        elif self._step is not None:
            self._step.feed(line)

    def checkouts(self) -> tuple[Checkout, ...]:
        self._close()
        return tuple(self._found)

    def _close(self) -> None:
        if self._step is not None:
            self._found.append(self._step.checkout())
            self._step = None


class _CheckoutStep:
    def __init__(self) -> None:
        self._repository: str | None = None
        self._ref: str | None = None
        self._head: re.Match[str] | None = None
        self._commit: Sha | None = None
        self._expects_commit = False

    def feed(self, line: str) -> None:
        if self._expects_commit:
            self._expects_commit = False
            commit = _COMMIT.match(line)
            self._commit = Sha(commit.group(1)) if commit else None
        elif self._commit is None:
            self._read(line)

    def _read(self, line: str) -> None:
        if repository := _REPOSITORY.match(line):
            self._repository = repository.group(1)
        elif _LOG_COMMAND.search(line):
            self._expects_commit = True
        elif head := _HEAD.match(line):
            self._head = head  # an old working copy is reset before the fetch, so the last one holds
        elif "[command]" in line and (ref := _CHECKED_OUT.search(line) or _FETCHED.search(line)):
            self._ref = ref.group(1)

    def checkout(self) -> Checkout:
        short, merged_head, merged_base = self._head.groups() if self._head else (None, None, None)
        if short is not None and self._commit is not None and not self._commit.startswith(short):
            short, merged_head, merged_base = None, None, None
        if self._ref is None or not _TEST_MERGE.match(self._ref):
            merged_head, merged_base = None, None
        return Checkout(
            repository=self._repository,
            ref=self._ref,
            commit=self._commit,
            short=short,
            merged_head=Sha(merged_head) if merged_head else None,
            merged_base=Sha(merged_base) if merged_base else None,
        )


def find_checkouts(lines: Iterable[str]) -> tuple[Checkout, ...]:
    """Return the checkouts of the steps that a job begins with, in order; `lines` are clean log lines."""
    finder = CheckoutFinder()
    for line in lines:
        finder.feed(line)
    return finder.checkouts()


def tested_checkout(checkouts: Iterable[Checkout], repo: RepoName) -> Checkout | None:
    """Pick the checkout of our repository; None if there is none, SEVERAL if they differ in the commit."""
    ours = [one for one in checkouts if one.repository is not None and one.repository.lower() == repo.lower()]
    if not ours:
        return None
    return ours[0] if len({one.commit for one in ours}) == 1 else SEVERAL
