"""One failure of each that gotestsum's summary and the output above it both tell."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from app.domain.joblog.go_package import OF_PACKAGE
from app.domain.joblog.run_reader import ToldFailure
from app.domain.outcome import Failed, TestId


def join_summary(
    shown: Sequence[ToldFailure], summary: Mapping[TestId, ToldFailure | None]
) -> list[ToldFailure]:
    """`shown` knows whole packages, the summary the end of their paths and what reruns came to.

    None in the summary: the test passed in the end, so what was shown of it is no failure.
    """
    by_name: defaultdict[str, list[TestId]] = defaultdict(list)
    for test in summary:
        by_name[test.name].append(test)
    joined, matched = [], set()
    for told in shown:
        test = told.result.test
        name = OF_PACKAGE if test.name.startswith("[") else test.name
        same = next((known for known in by_name[name] if _is_end(known.classname, test.classname)), None)
        matched.add(same)
        known = summary[same] if same is not None else None
        if same is None:
            joined.append(told)
        elif known is not None:
            joined.append(_join(told, known))
    joined += [known for test, known in summary.items() if known is not None and test not in matched]
    return joined


def _is_end(short: str, package: str) -> bool:
    """`.` is the module's own package; without a package the name has to do."""
    return not package or short in (".", package) or package.endswith(f"/{short}")


def _join(shown: ToldFailure, known: ToldFailure) -> ToldFailure:
    result, other = known.result, shown.result
    test = other.test if other.test.classname else result.test
    outcome = result.outcome
    if isinstance(outcome, Failed) and not outcome.text:
        outcome = other.outcome
    result = result._replace(test=test, outcome=outcome, path=other.path, line=other.line)
    return ToldFailure(result, shown.printed, min(shown.line, known.line))
