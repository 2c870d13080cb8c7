"""Findings as SARIF: of the shape that code scanning takes, with addresses, places and words to show."""

from typing import Any

import jsonschema
import pytest
from sarif_shape import SHAPE

from app.domain.lint.finding import LintFinding, Rule, Window
from app.domain.lint.sarif import Linted, Unread, sarif
from app.domain.lint.suppression import Sifted, Suppressed, Suppression, SuppressionProblem

SOURCE = "import time\n\n\ndef test():\n    time.sleep(2)\n    wait()\n"
SLEEP = Rule.FIXED_SLEEP_AS_SYNCHRONISATION


def finding(path: str = "tests/test_x.py", *, line: int = 5, **more: Any) -> LintFinding:
    told = {"end_line": line, "test": f"{path}::test", "text": "It sleeps.", "mend": "is_ready.wait()"} | more
    return LintFinding(SLEEP, path, line, 5, **told)


def run_of(*files: Linted, **options: Any) -> dict[str, Any]:
    """The one run of a log that was checked to be of the shape that is taken."""
    log: Any = sarif(files, version="0.1.0", **options)
    jsonschema.validate(log, SHAPE)
    [run] = log["runs"]
    return dict(run)


def result_of(found: LintFinding, source: str = SOURCE) -> dict[str, Any]:
    [result] = run_of(Linted(found.path, source, Sifted((found,))))["results"]
    return dict(result)


def test_a_run_without_findings_names_all_rules() -> None:
    run = run_of()
    assert run["results"] == []
    assert [one["id"] for one in run["tool"]["driver"]["rules"]] == [rule.value for rule in Rule]


def test_a_result_names_its_rule_place_test_and_mend() -> None:
    result = result_of(finding(end_line=6, sisters=("tests/test_x.py::test_b",)))
    assert (result["ruleId"], list(Rule)[result["ruleIndex"]]) == (SLEEP, SLEEP)
    assert result["message"]["text"] == (
        "It sleeps.\n\ntests/test_x.py::test has this weakness; so do tests/test_x.py::test_b.\n\n"
        "Mend:\nis_ready.wait()"
    )
    [location] = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "tests/test_x.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 5, "startColumn": 5, "endLine": 6, "endColumn": 11},
    }
    assert location["logicalLocations"][0]["fullyQualifiedName"] == "tests/test_x.py::test"


def test_a_finding_without_a_test_or_a_mend_says_only_what_it_is() -> None:
    result = result_of(finding(test=None, mend=""))
    assert result["message"]["text"] == "It sleeps."
    assert "logicalLocations" not in result["locations"][0]


def test_the_window_of_a_mend_is_a_pair_of_related_places() -> None:
    window = Window(5, "time.sleep(2)", 6, "wait()")
    related = result_of(finding(window=window))["relatedLocations"]
    assert [(one["physicalLocation"]["region"]["startLine"], one["message"]["text"]) for one in related] == [
        (5, "A mend must stand after time.sleep(2)"),
        (6, "A mend must stand before wait()"),
    ]


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("tests/a b#c%41.py", {"uri": "tests/a%20b%23c%2541.py", "uriBaseId": "%SRCROOT%"}),
        ("a:b.py", {"uri": "a%3Ab.py", "uriBaseId": "%SRCROOT%"}),
        (
            "tests/\N{LATIN SMALL LETTER U WITH DIAERESIS}.py",
            {"uri": "tests/%C3%BC.py", "uriBaseId": "%SRCROOT%"},
        ),
        ("no\udcfftext\n.py", {"uri": "no%FFtext%0A.py", "uriBaseId": "%SRCROOT%"}),
        ("/srv/x.py", {"uri": "file:///srv/x.py"}),
        ("../x.py", {"uri": "../x.py", "uriBaseId": "%SRCROOT%"}),
    ],
)
def test_any_file_name_is_an_address(path: str, address: dict[str, str]) -> None:
    place = result_of(finding(path))["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == address


def test_words_of_a_test_make_no_link() -> None:
    assert "see[1]\\](x)" not in result_of(finding(text="see[1](x)"))["message"]["text"]
    assert result_of(finding(text="see[1](x)"))["message"]["text"].startswith("see[1\\](x)")


def suppressed() -> Linted:
    by = Suppression(SLEEP, 5, "the device needs it", 5, 5)
    return Linted("t.py", SOURCE, Sifted((finding(line=6),), (Suppressed(finding(), by),)))


def test_suppressed_findings_are_left_out_since_code_scanning_would_open_alerts_for_them() -> None:
    assert [
        one["locations"][0]["physicalLocation"]["region"]["startLine"]
        for one in run_of(suppressed())["results"]
    ] == [6]


def test_suppressed_findings_carry_their_reason_where_they_are_asked_for() -> None:
    first, second = run_of(suppressed(), shows_suppressed=True)["results"]
    assert first["suppressions"] == [
        {"kind": "inSource", "status": "accepted", "justification": "the device needs it"}
    ]
    assert "suppressions" not in second


def test_files_that_could_not_be_read_and_comments_that_suppress_nothing_are_notified() -> None:
    file = Linted("t.py", SOURCE, Sifted((), (), (SuppressionProblem(3, "it gives no reason"),)))
    [told] = run_of(file, unread=[Unread("u.py", "line 1: is not utf-8")])["invocations"]
    [reading], [comment] = told["toolExecutionNotifications"], told["toolConfigurationNotifications"]
    assert (reading["message"]["text"], reading["level"]) == ("line 1: is not utf-8", "error")
    place = comment["locations"][0]["physicalLocation"]
    assert (place["region"]["startLine"], comment["message"]["text"]) == (3, "it gives no reason")


def test_more_results_than_code_scanning_takes_are_cut_and_told() -> None:
    run = run_of(Linted("t.py", SOURCE, Sifted((finding(line=4), finding(), finding(line=6)))), most=2)
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    assert (len(run["results"]), note["message"]["text"]) == (2, "1 results more were left out")
