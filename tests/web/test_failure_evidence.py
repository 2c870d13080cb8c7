"""On the pages of a failure and of its run: what a replay in the job says, and what hides the cause."""

import pytest
from page_reading import page, words
from starlette.testclient import TestClient
from web_evidence import FILE, FOUND, MEND, NODE
from web_story import REPO, sha

OWN_CLAIM, OWN_WORD = "/failures/1", "/failures/3"


def test_a_replay_is_told_with_cause_counts_limits_and_how_to_check_it(story: TestClient) -> None:
    told = words(page(story, OWN_CLAIM).css_first("#replays"))
    assert f"confirmed flake {NODE}[muon_normuon]" in told
    assert "Cause: rank-exception: rank 1 raised RuntimeError: INJECTED" in told
    assert "3 of 13 trials failed, a rate between 5.0 % and 54.0 % (95 % confidence)" in told
    assert "cpu-0.25 3 of 10 CPU enforced" in told
    assert f"sha256:{'ab' * 32}" in told
    assert "flake-triage bundle verify 01" in told


def test_its_report_is_a_kept_file(story: TestClient) -> None:
    link = page(story, OWN_CLAIM).css_first("#replays details a")
    assert words(page(story, link.attributes["href"] or "").css_first("h1")) == "01/report.json"


@pytest.mark.parametrize(
    ("path", "worth"),
    [
        (OWN_CLAIM, "from the repository's own code. It can confirm a flake; it excuses nothing."),
        (OWN_WORD, "The job's own word: code from a fork, or of unknown origin"),
    ],
)
def test_whose_word_it_is_stands_beside_it(story: TestClient, path: str, worth: str) -> None:
    assert worth in words(page(story, path).css_first("#replays"))


def test_the_run_lists_its_replays_with_the_failure_that_each_is_about(story: TestClient) -> None:
    section = page(story, "/runs/14").css_first("#replays")
    (about,) = section.css(".hint a")
    assert about.attributes["href"] == OWN_WORD


def test_weaknesses_of_the_test_are_named_by_line_and_others_are_counted(story: TestClient) -> None:
    section = page(story, OWN_CLAIM).css_first("#weaknesses")
    assert words(section.css_first("h2")) == "Why this failure cannot say more: 2 weaknesses"
    first, second = section.css("ol.weaknesses > li")
    assert [one.css_first("a").text() for one in (first, second)] == ["line 17", "line 40"]
    address = f"https://github.com/{REPO}/blob/{sha('bd47e80')}/{FILE}"
    assert first.css_first("a").attributes["href"] == f"{address}#L17"
    assert FOUND[0].rule in words(first)
    assert first.css_first("pre").text().startswith(MEND.splitlines()[0])
    assert f"It hides why {NODE} fails; the same in {FILE}::test_other" in words(first)
    assert "after line 38, dist.barrier(), and before line 44, dist.all_reduce(ok)" in words(second)
    assert second.css("pre") == []
    assert "1 weakness of other tests in this file not shown." in words(section)


def test_a_failure_without_either_has_neither_section(story: TestClient) -> None:
    found = page(story, "/failures/2")
    assert found.css("#replays, #weaknesses") == []
