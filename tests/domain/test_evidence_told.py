"""A comment and an alert name the cause that a replay found, and lead to what hides it, in one line each."""

from dataclasses import replace

import pytest
from evidence_builders import OPAQUE, PASS_SAME_TREE, POLICY, evidence
from telling_builders import alert, comment, failure

from app.domain.evidence import SeenReplay
from app.domain.failure_entry import WeakTest
from app.domain.judge import judge
from app.domain.main_alert import render_alert
from app.domain.pull_comment import render_comment
from app.domain.replay_words import CauseKind, ReplayVerdict

PAGES = "https://triage.example"
REPLAY = SeenReplay(
    ReplayVerdict.CONFIRMED_FLAKE,
    "it failed 3 of 13 trials",
    CauseKind.RANK_EXCEPTION,
    "rank 1 raised RuntimeError: lost <b>@everyone</b>",
    "replay-3.12",
    own_word=False,
)
CONFIRMED = judge(evidence(signature=OPAQUE, same_code=(PASS_SAME_TREE,), replays=(REPLAY,)), POLICY)
OTHER_CAUSE = judge(
    evidence(
        signature=OPAQUE,
        same_code=(PASS_SAME_TREE,),
        replays=(replace(REPLAY, cause=CauseKind.LATE_RANK),),
    ),
    POLICY,
)
WEAK = replace(failure(CONFIRMED), weak=WeakTest("tests/test_dcp.py", 3, 71))


def test_the_cause_and_whose_word_it_is_stand_under_the_failure() -> None:
    body = render_comment(comment(WEAK, pages_url=PAGES), limit_bytes=60_000)
    assert body.startswith("**1 failure, may be yours**: a confirmed flake\n")
    assert (
        "\n  **Cause by a replay in this job:** rank-exception: rank 1 raised RuntimeError: lost "
        "&lt;b&gt;@\u200beveryone&lt;/b&gt;.\n"
    ) in body


@pytest.mark.parametrize("telling", ["comment", "alert"])
@pytest.mark.parametrize(
    ("pages", "told"),
    [
        (PAGES, f"[3 weaknesses in `tests/test_dcp.py`]({PAGES}/failures/71#weaknesses)"),
        (None, "3 weaknesses in `tests/test_dcp.py`"),
    ],
)
def test_what_hides_the_cause_is_one_line_that_leads_to_it(
    telling: str, pages: str | None, told: str
) -> None:
    if telling == "comment":
        body = render_comment(comment(WEAK, pages_url=pages), limit_bytes=60_000)
    else:
        body = render_alert(alert(WEAK, pages_url=pages)).body
    assert body.count(f"\n  Why this failure cannot say more: {told}\n") == 1


def test_one_weakness_is_one() -> None:
    line = replace(WEAK, weak=WeakTest("tests/test_dcp.py", 1, 71))
    assert "more: 1 weakness in" in render_comment(comment(line), limit_bytes=60_000)


def test_failures_of_different_causes_are_not_told_as_one() -> None:
    same = (
        replace(failure(CONFIRMED, test="a::x"), cluster="c"),
        replace(failure(CONFIRMED, test="a::y"), cluster="c"),
    )
    other = replace(failure(OTHER_CAUSE, test="a::z"), cluster="c")
    assert "with the same cause" in render_comment(comment(*same), limit_bytes=60_000)
    body = render_comment(comment(same[0], other), limit_bytes=60_000)
    assert "with the same cause" not in body
    assert body.count("**Cause by a replay in this job:**") == 2
