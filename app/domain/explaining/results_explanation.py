"""Explain the failures of a results file by their own texts, line by line, as those of a log."""

from collections.abc import Iterator, Sequence

from app.domain.category import Category
from app.domain.explaining.explanation import Explanation, FailureTold, Quoted
from app.domain.explaining.hearing import hear
from app.domain.explaining.per_failure import Explained, explain_failures, main_of
from app.domain.explaining.root_sentence import NOTHING_NAMED, sentence_of
from app.domain.explaining.saying import Saying
from app.domain.joblog.log_lines import LogLine, clean_line
from app.domain.joblog.run_reader import ToldFailure
from app.domain.outcome import Errored, Failed, Result


def explain_results(results: Sequence[Result]) -> Explanation:
    """The failure nearest to a cause, of equals the first. A key has no line number: the file is no log."""
    explained = [_explain(one) for one in results if one.outcome.kind.is_red]
    main = main_of(explained)
    if main is None:
        return Explanation(Category.UNKNOWN, NOTHING_NAMED)
    outcome = main.told.result.outcome
    assert isinstance(outcome, Failed | Errored)
    message = outcome.message
    return Explanation(
        category=_category(main.key),
        root_cause=sentence_of(main.key, main.told.printed, told=message),
        key=_quoted(main.key),
        test=main.told.printed,
        failures=tuple(
            FailureTold(one.told.printed, _category(one.key), _quoted(one.key)) for one in explained
        ),
    )


def _explain(result: Result) -> Explained:
    told = ToldFailure(result, result.test.label, 0)
    (explained,) = explain_failures([told], list(_sayings(result)))
    return explained


def _sayings(result: Result) -> Iterator[Saying]:
    outcome = result.outcome
    assert isinstance(outcome, Failed | Errored)  # only red results are explained
    was_marked = False
    for number, text in enumerate((outcome.text or outcome.message).split("\n"), 1):
        line = LogLine(number, clean_line(text))
        saying = hear(line, goes_on=was_marked)
        was_marked = line.text.startswith("E  ")
        if saying is not None:
            yield saying


def _category(key: Saying | None) -> Category:
    return Category.UNKNOWN if key is None else key.category


def _quoted(key: Saying | None) -> Quoted | None:
    return None if key is None else Quoted(None, key.text)
