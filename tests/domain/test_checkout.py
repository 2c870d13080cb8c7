"""The commit a job tested is read from the checkout step's own lines, and from nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.checkout import SEVERAL, Checkout, find_checkouts
from app.domain.checkout import tested_checkout as checkout_of
from app.domain.ids import RepoName, Sha

MERGE = "a" * 40
HEAD = "b" * 40
BASE = "c" * 40
OTHER = "d" * 40

PULL_REQUEST = [
    "##[group]Operating System",
    "##[endgroup]",
    "##[group]Run actions/checkout@v4",
    "with:",
    "##[endgroup]",
    "Syncing repository: acme/widget",
    "##[group]Fetching the repository",
    f"[command]/usr/bin/git fetch --no-tags --depth=1 origin +{MERGE}:refs/remotes/pull/83/merge",
    "##[endgroup]",
    "##[group]Checking out the ref",
    "[command]/usr/bin/git checkout --progress --force refs/remotes/pull/83/merge",
    f"HEAD is now at {MERGE[:7]} Merge {HEAD} into {BASE}",
    "##[endgroup]",
    "[command]/usr/bin/git log -1 --format=%H",
    MERGE,
]
PUSH = [
    "##[group]Run actions/checkout@8ade135a41bc03ea155e62e844d188df1ea18608",
    "Syncing repository: acme/widget",
    f"[command]/usr/bin/git fetch --depth=1 origin +{OTHER}:refs/remotes/origin/main",
    "[command]/usr/bin/git checkout --progress --force -B main refs/remotes/origin/main",
    "Switched to a new branch 'main'",
    "[command]/usr/bin/git log -1 --format='%H'",
    f"'{OTHER}'",
]
TESTED_MERGE = Checkout(
    "acme/widget", "refs/remotes/pull/83/merge", Sha(MERGE), MERGE[:7], Sha(HEAD), Sha(BASE)
)


def test_a_pull_request_tests_the_merge_of_head_and_base() -> None:
    assert find_checkouts(PULL_REQUEST) == (TESTED_MERGE,)


def test_a_push_tests_the_commit_itself() -> None:
    assert find_checkouts(PUSH) == (
        Checkout("acme/widget", "refs/remotes/origin/main", Sha(OTHER), None, None, None),
    )


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("[command]/usr/bin/git log -1 --format='%H'", f"'{OTHER}'"),
        ("[command]/usr/bin/git log -1 --format=%H", OTHER),
        ('[command]"C:\\Program Files\\Git\\bin\\git.exe" log -1 --format=%H', OTHER),
        ("##[command]/opt/homebrew/bin/git log -1 --format=%H", OTHER),
        ("[command]/usr/bin/git log -1", f"commit {OTHER}"),
    ],
)
def test_every_version_names_the_commit(command: str, answer: str) -> None:
    (checkout,) = find_checkouts(["##[group]Run actions/checkout@v6", command, answer])
    assert checkout.commit == OTHER


@pytest.mark.parametrize("answer", ["fatal: not a git repository", OTHER[:39], f"x {OTHER}", ""])
def test_an_answer_that_is_no_commit_leaves_it_unknown(answer: str) -> None:
    (checkout,) = find_checkouts(["##[group]Run actions/checkout@v4", "[command]/usr/bin/git log -1", answer])
    assert checkout.commit is None


def test_a_step_that_failed_leaves_everything_unknown() -> None:
    assert find_checkouts(["##[group]Run actions/checkout@v4", "##[error]fatal: could not read"]) == (
        Checkout(None, None, None, None, None, None),
    )


def test_program_output_that_imitates_a_checkout_is_not_believed() -> None:
    imitation = [line.replace(MERGE, OTHER) for line in PULL_REQUEST]
    assert find_checkouts([*PULL_REQUEST, "##[group]Run pytest", *imitation]) == (TESTED_MERGE,)
    assert find_checkouts(["##[group]Run pytest", *imitation]) == ()
    assert find_checkouts(["Post job cleanup.", *imitation]) == ()


def test_actions_before_the_checkout_do_not_hide_it() -> None:
    prepared = ["##[group]Run step-security/harden-runner@v2", "##[endgroup]", "monitoring", *PULL_REQUEST]
    assert find_checkouts(prepared) == (TESTED_MERGE,)


def test_lines_before_the_step_and_after_its_answer_are_not_believed() -> None:
    stray = [f"HEAD is now at {OTHER[:7]} x", "[command]/usr/bin/git log -1 --format=%H", OTHER]
    assert find_checkouts([*stray, *PULL_REQUEST, *stray]) == (TESTED_MERGE,)


def test_the_checkout_of_another_action_is_not_believed() -> None:
    assert find_checkouts(["##[group]Run evil/checkout@v4", *PUSH[1:]]) == ()
    assert find_checkouts(["##[group]Run actions/checkout@v4 && echo", *PUSH[1:]]) == ()


def test_several_checkout_steps_in_a_row_are_all_found() -> None:
    assert [one.commit for one in find_checkouts(PULL_REQUEST + PUSH)] == [MERGE, OTHER]


def test_the_reset_of_an_old_working_copy_is_not_the_tested_commit() -> None:
    old = f"HEAD is now at {OTHER[:7]} Merge {OTHER} into {OTHER}"
    assert find_checkouts([*PULL_REQUEST[:6], old, *PULL_REQUEST[6:]]) == (TESTED_MERGE,)
    (push,) = find_checkouts([*PUSH[:2], f"HEAD is now at {MERGE[:7]} old", *PUSH[2:]])
    assert (push.short, push.commit) == (None, OTHER)


def test_a_subject_in_the_shape_of_a_merge_proves_nothing_outside_a_pull_request() -> None:
    fake = f"HEAD is now at {OTHER[:7]} Merge {HEAD} into {BASE}"
    (checkout,) = find_checkouts([*PUSH[:4], fake, *PUSH[4:]])
    assert (checkout.short, checkout.merged_head, checkout.merged_base) == (OTHER[:7], None, None)


def test_a_full_fetch_takes_the_ref_from_the_checkout_command() -> None:
    lines = list(PUSH)
    lines[2] = (
        "[command]/usr/bin/git fetch origin +refs/heads/*:refs/remotes/origin/* +refs/tags/*:refs/tags/*"
    )
    (checkout,) = find_checkouts(lines)
    assert checkout.ref == "refs/remotes/origin/main"


OURS = RepoName("Acme/Widget")


def of(repository: str | None, commit: str | None) -> Checkout:
    return Checkout(repository, None, Sha(commit) if commit else None, None, None, None)


def test_the_checkout_of_our_repository_is_picked_whatever_its_case() -> None:
    ours = of("acme/widget", OTHER)
    assert checkout_of((of("acme/tools", HEAD), ours, of(None, BASE)), OURS) == ours


@pytest.mark.parametrize(
    "checkouts",
    [
        (),
        (of("acme/tools", OTHER),),
    ],
)
def test_without_a_checkout_of_ours_there_is_none(checkouts: tuple[Checkout, ...]) -> None:
    assert checkout_of(checkouts, OURS) is None


@pytest.mark.parametrize("second", [HEAD, None])
def test_checkouts_of_ours_that_differ_name_no_commit(second: Sha | None) -> None:
    assert checkout_of((of("acme/widget", OTHER), of("acme/widget", second)), OURS) is SEVERAL
    assert SEVERAL.commit is None


@given(st.lists(st.one_of(st.sampled_from(PULL_REQUEST + PUSH), st.text(max_size=40)), max_size=30))
def test_any_lines_give_commits_of_40_digits_or_none(lines: list[str]) -> None:
    for checkout in find_checkouts(lines):
        assert checkout.commit is None or len(checkout.commit) == 40
