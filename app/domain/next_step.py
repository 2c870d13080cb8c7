"""What a person should do about a verdict: one or two sentences, without blame."""

from app.domain.verdict import Kind, Strength, Verdict, Whose

_RERUN = "re-run the failed job of {run}"

_MAY_BE_YOURS = {
    Kind.FLAKY: f"{_RERUN}. If this change touches what the test does, look there first: "
    "a flake can come with a change.",
    Kind.NEW_FAILURE: "look at the failure. If it has nothing to do with this change, "
    f"{_RERUN}: a pass on the same code would show a flake.",
    Kind.INFRASTRUCTURE: f"look at why the job ended, then {_RERUN}: its tests have not been judged.",
    Kind.UNDECIDED: f"look at the failure, then {_RERUN}: what is still missing is listed below.",
    Kind.BROKEN_MAIN: "see whether main fails for the same cause as {run}: it looks the same, and its text "
    "does not tell.",
}

_NOT_YOURS = {
    Kind.FLAKY: f"{_RERUN}. Nothing in this change needs mending for it.",
    Kind.INFRASTRUCTURE: f"{_RERUN}: its tests have not been judged one by one.",
    Kind.BROKEN_MAIN: "nothing in this change needs mending for it: main was broken where {run} was tested. "
    "Bring main in again once it is mended.",
}

_ON_MAIN = {
    Kind.FLAKY: f"{_RERUN}, which should turn green. The flake itself remains to be mended.",
    Kind.NEW_FAILURE: f"{_RERUN}. A pass on the same code would show a flake; a failure would point to the "
    "commits named here.",
    Kind.UNDECIDED: f"{_RERUN}: a pass or a failure on the same code decides more than anything else.",
    Kind.INFRASTRUCTURE: f"look at why the job ended, then {_RERUN}: its tests have not been judged.",
}

_SUSPECTED_ON_MAIN = f"{_RERUN}. A pass there would prove the flake; a failure would point to a regression."
_CERTAIN_ON_MAIN = (
    "look at the commits named here: it fails every time, so re-running {run} is not expected to help."
)
_CERTAIN = (
    "look at the failure and at what changed: the base passes and this fails every time, "
    "so re-running {run} is not expected to help."
)
_ALSO_ELSEWHERE = (
    "nothing in this change needs mending for it: the same failure happened without it. "
    f"R{_RERUN[1:]}, or wait until it is mended where it also happened, which the reasons name."
)
_ORDER = "run the tests of {run} in the same order, and this one alone."


def next_step(verdict: Verdict, run: str, *, on_main: bool = False) -> str:
    """`run` is Markdown naming the failed run."""
    return _step(verdict, on_main=on_main).format(run=run)


def _step(verdict: Verdict, *, on_main: bool) -> str:
    if verdict.kind is Kind.ORDER_DEPENDENT:
        return _ORDER
    if on_main and verdict.kind is Kind.FLAKY and verdict.strength is Strength.SUSPECTED:
        return _SUSPECTED_ON_MAIN
    if on_main:
        return _ON_MAIN.get(verdict.kind, _CERTAIN_ON_MAIN)
    if verdict.whose is Whose.NOT_YOURS:
        return _NOT_YOURS.get(verdict.kind, _ALSO_ELSEWHERE)
    return _MAY_BE_YOURS.get(verdict.kind, _CERTAIN)
