"""Next steps: every verdict has one, and none invites a re-run that cannot help without saying so."""

import pytest

from app.domain.next_step import next_step
from app.domain.verdict import Kind, Strength, Verdict, Whose


def verdict(kind: Kind, whose: Whose = Whose.UNKNOWN, strength: Strength = Strength.LIKELY) -> Verdict:
    return Verdict(kind, strength, whose, (), (), opaque=False, policy_version="1")


@pytest.mark.parametrize("on_main", [False, True])
@pytest.mark.parametrize("whose", Whose)
@pytest.mark.parametrize("kind", Kind)
def test_every_verdict_has_a_step_that_names_the_run(kind: Kind, whose: Whose, *, on_main: bool) -> None:
    step = next_step(verdict(kind, whose), "run 7", on_main=on_main)
    assert "run 7" in step
    assert step.endswith(".")
    assert "{" not in step


@pytest.mark.parametrize(
    ("said", "step"),
    [
        (verdict(Kind.FLAKY), "a flake can come with a change"),
        (verdict(Kind.FLAKY, Whose.NOT_YOURS), "Nothing in this change needs mending for it"),
        (verdict(Kind.UNDECIDED, Whose.NOT_YOURS), "the same failure happened without it"),
        (verdict(Kind.REGRESSION, Whose.YOURS), "re-running run 7 is not expected to help"),
        (verdict(Kind.INFRASTRUCTURE), "its tests have not been judged"),
        (verdict(Kind.INFRASTRUCTURE, Whose.NOT_YOURS), "its tests have not been judged one by one"),
        (verdict(Kind.ORDER_DEPENDENT), "in the same order"),
    ],
)
def test_on_a_pull_request(said: Verdict, step: str) -> None:
    assert step in next_step(said, "run 7")


@pytest.mark.parametrize(
    ("said", "step"),
    [
        (verdict(Kind.FLAKY, strength=Strength.SUSPECTED), "A pass there would prove the flake"),
        (verdict(Kind.FLAKY), "The flake itself remains to be mended"),
        (verdict(Kind.BROKEN_MAIN), "re-running run 7 is not expected to help"),
        (verdict(Kind.REGRESSION), "re-running run 7 is not expected to help"),
        (verdict(Kind.NEW_FAILURE), "commits named here"),
    ],
)
def test_on_main(said: Verdict, step: str) -> None:
    assert step in next_step(said, "run 7", on_main=True)
