"""The words of a verdict as people read them, for one failure and for several."""

from collections import Counter
from collections.abc import Sequence

from app.domain.verdict import Kind, Strength, Verdict, Whose
from app.domain.wording import counted, listed

WHOSE_WORDS = {Whose.YOURS: "yours", Whose.UNKNOWN: "may be yours", Whose.NOT_YOURS: "not yours"}

_ONE_AND_MANY = {
    Kind.NEW_FAILURE: ("new failure", "new failures"),
    Kind.BROKEN_MAIN: ("failure of a broken main", "failures of a broken main"),
    Kind.INFRASTRUCTURE: ("failure of a whole job", "failures of whole jobs"),
    Kind.ORDER_DEPENDENT: ("failure by the order of tests", "failures by the order of tests"),
    Kind.UNDECIDED: ("failure not decided yet", "failures not decided yet"),
}


def kind_words(verdict: Verdict, *, many: bool = False) -> str:
    """`likely flake`, `regression`, `new failures`: a noun phrase without its article."""
    if verdict.kind is Kind.FLAKY:
        return f"{verdict.strength} flake{'s' if many else ''}"
    if verdict.kind is Kind.REGRESSION:
        sure = "" if verdict.strength is Strength.CONFIRMED else f"{verdict.strength} "
        return f"{sure}regression{'s' if many else ''}"
    return _ONE_AND_MANY[verdict.kind][many]


def kinds_told(verdicts: Sequence[Verdict]) -> str:
    """`a likely flake` of one, `2 new failures and 1 likely flake` of more, in the order given."""
    if len(verdicts) == 1:
        return f"a {kind_words(verdicts[0])}"
    counts = Counter((kind_words(verdict), kind_words(verdict, many=True)) for verdict in verdicts)
    return listed(counted(count, one, many) for (one, many), count in counts.items())


def shares_told(verdicts: Sequence[Verdict]) -> str:
    """`1 may be yours, 2 likely flakes (not yours)`: how many are whose, the reader's own first."""
    by_whose = {whose: [v for v in verdicts if v.whose is whose] for whose in WHOSE_WORDS}
    return ", ".join(_share(whose, same) for whose, same in by_whose.items() if same)


def _share(whose: Whose, verdicts: Sequence[Verdict]) -> str:
    words = {(kind_words(verdict), kind_words(verdict, many=True)) for verdict in verdicts}
    if whose is Whose.NOT_YOURS and len(words) == 1 and verdicts[0].kind is Kind.FLAKY:
        return f"{counted(len(verdicts), *words.pop())} (not yours)"
    return f"{len(verdicts)} {WHOSE_WORDS[whose]}"
