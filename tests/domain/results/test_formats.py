"""The content of a results file decides who reads it; whatever nobody knows is refused with what it is."""

import io

import pytest

from app.domain.outcome import Failed, Passed
from app.domain.results.formats import HEAD_BYTES, read_results
from app.domain.results.results_file import Reading, ReadStatus

JUNIT = '<testsuite name="s"><testcase classname="c" name="a"/></testsuite>'
NUNIT = '<test-run total="1"><test-case name="a" classname="C" result="Passed"/></test-run>'
XUNIT = (
    '<assemblies><assembly name="/b/x.dll"><test name="C.a" type="C" result="Pass"/></assembly></assemblies>'
)
TRX = (
    '<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>'
    '<UnitTestResult testName="a" testId="1" outcome="Passed"/></Results></TestRun>'
)


def reading_of(content: str | bytes, *, limit: int = 10) -> Reading:
    raw = content.encode() if isinstance(content, str) else content
    return read_results(io.BytesIO(raw), limit=limit)


@pytest.mark.parametrize(
    ("name", "text"), [("junit", JUNIT), ("nunit", NUNIT), ("xunit.net", XUNIT), ("trx", TRX)]
)
@pytest.mark.parametrize(
    "start",
    ["", "\ufeff", '<?xml version="1.0" encoding="utf-8"?>\r\n', "<?xml version='1.0'?><!-- <a> -->\n"],
)
def test_the_first_element_decides_the_format(name: str, text: str, start: str) -> None:
    reading = reading_of(start + text)
    assert (reading.format, reading.status) == (name, ReadStatus.COMPLETE)
    assert [result.outcome for result in reading.results] == [Passed()]


@pytest.mark.parametrize(("name", "text"), [("nunit", NUNIT), ("trx", TRX)])
def test_a_file_in_utf_16_is_known_too(name: str, text: str) -> None:
    assert reading_of(text.encode("utf-16")).format == name


def test_a_file_larger_than_its_head_is_read_whole_from_a_stream_that_cannot_go_back() -> None:
    cases = "".join(f'<test-case name="t{n}" classname="C" result="Passed"/>' for n in range(3000))
    content = io.BytesIO(f"<test-run>{cases}</test-run>".encode())

    class OneWay:
        def read(self, size: int) -> bytes:
            return content.read(min(size, 1000))

    reading = read_results(OneWay())  # type: ignore[arg-type]
    assert content.tell() > HEAD_BYTES
    assert (reading.records.cases, reading.status) == (3000, ReadStatus.COMPLETE)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no test could be read: an empty file"),
        ("{}", "no test could be read: JSON, not XML"),
        ("<!doctype html><html><body>502</body></html>", "an HTML page, not a results file"),
        ('<test-results name="n2"/>', "an NUnit 2 file, which is not read: NUnit 3 can write its own format"),
        ("<phpunit/>", "PHPUnit's configuration, not a results file"),
        ("<gtester/>", "GLib's own gtester format, not JUnit"),
        ("<failsafe-summary/>", "a summary without tests, not a results file"),
        ("<coverage/>", "a coverage report, not a results file"),
        ("<checkstyle/>", "a style report, not a results file"),
        (
            '<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0"/>',
            "root element <assembly>, and no test in it",
        ),
        ("<note>plain</note>", "root element <note>, and no test in it"),
    ],
)
def test_what_is_no_results_file_is_refused_as_what_it_is(text: str, reason: str) -> None:
    reading = reading_of(text)
    assert (reading.format, reading.status, reading.reason) == (None, ReadStatus.REFUSED, reason)


def test_a_red_test_of_any_format_is_red() -> None:
    for text in (
        NUNIT.replace("Passed", "Failed"),
        XUNIT.replace("Pass", "Fail"),
        TRX.replace("Passed", "Failed"),
    ):
        assert isinstance(reading_of(text).results[0].outcome, Failed)


@pytest.mark.parametrize("text", [NUNIT, XUNIT, TRX])
def test_an_entity_is_never_expanded(text: str) -> None:
    reading = reading_of(f'<!DOCTYPE x [<!ENTITY a "b">]>{text}')
    assert (reading.status, reading.results) == (ReadStatus.REFUSED, ())


@pytest.mark.parametrize("text", [NUNIT, XUNIT, TRX])
def test_tests_beyond_the_limit_are_left_out_and_said(text: str) -> None:
    reading = reading_of(text, limit=0)
    assert reading.reason == "no test could be read: the tests beyond the first 0 were left out"


@pytest.mark.parametrize("text", [NUNIT, XUNIT, TRX])
def test_a_further_document_of_another_format_is_left_out_and_said(text: str) -> None:
    reading = reading_of(text + JUNIT)
    assert (reading.records.cases, reading.status) == (1, ReadStatus.PARTIAL)
    assert reading.reason == "a further document, <testsuite>, was left out"
