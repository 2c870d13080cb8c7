"""Markers: found where we put them, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import RepoName
from app.domain.marker import alert_marker, comment_marker, find_marker, without_marker

GEFEN = RepoName("o/gefen")


def test_the_marker_is_the_last_line() -> None:
    assert comment_marker(GEFEN, 83) == "<!-- flake-triage:pr:o/gefen:83 -->"
    assert find_marker("text\r\n\r\n<!-- flake-triage:pr:o/gefen:83 -->\r\n") == comment_marker(GEFEN, 83)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "text",
        "<!-- flake-triage:pr:o/gefen:83 -->\ntext",
        "x <!-- flake-triage:pr:o/gefen:83 -->",
        "<!-- flake-triage:pr:o/gefen:83 --> <b>",
        "<!-- flake-triage:other:o/gefen:83 -->",
    ],
)
def test_a_marker_elsewhere_is_none(body: str) -> None:
    assert find_marker(body) is None


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50))
def test_no_name_of_a_branch_ends_the_comment_early(branch: str) -> None:
    marker = alert_marker(GEFEN, branch)
    assert marker.startswith("<!-- flake-triage:main:o/gefen:")
    assert marker.count("-->") == 1
    assert find_marker(f"text\n\n{marker}") == marker


def test_a_body_is_shown_without_its_marker() -> None:
    assert without_marker(f"text\n\n{comment_marker(GEFEN, 83)}\n") == "text"
    assert without_marker("text <!-- x -->\n") == "text <!-- x -->\n"


def test_branches_have_markers_of_their_own() -> None:
    assert alert_marker(GEFEN, "main") == "<!-- flake-triage:main:o/gefen:main -->"
    assert alert_marker(GEFEN, "a:b") != alert_marker(GEFEN, "a%3Ab")
