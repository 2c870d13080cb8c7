"""Pages are followed by `Link` alone."""

import time

import httpx
import pytest
from fixtures_github import REPO, ManualClock
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import CredentialsRefused, Rejected, Unavailable
from app.domain.ids import RunId
from app.github.client import GitHub
from app.github.credentials import NoToken
from app.github.paging import next_link
from app.standin.faults import BAD_GATEWAY, Fault, answer
from app.standin.server import StandIn
from app.standin.state import State


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('<https://api.github.com/x?page=2>; rel="next", <https://api.github.com/x?page=9>; rel="last"',
         "https://api.github.com/x?page=2"),
        ('<https://h/x?page=1>; rel="prev", <https://h/x?a=1,2&page=3>; rel="next"', "https://h/x?a=1,2&page=3"),
        ('<https://h/x?page=1>; rel="first"', None),
        ("", None),
        (None, None),
    ],
)  # fmt: skip
def test_next_page_is_read_from_the_link_header(header: str | None, expected: str | None) -> None:
    assert next_link(header) == expected


@given(st.text(alphabet="<>; rel=\"next'", max_size=300))
def test_any_link_header_is_read_or_passed_over(header: str) -> None:
    assert next_link(header) is None or f"<{next_link(header)}>" in header


def test_hostile_link_header_is_read_in_linear_time() -> None:
    started = time.perf_counter()
    assert next_link("<" + "a" * 3000 + "<" * 100_000) is None
    assert time.perf_counter() - started < 1


def test_all_pages_are_read(
    github: GitHub, story: State, stand_in: StandIn, github_clock: ManualClock
) -> None:
    at = github_clock.now()
    for number in range(230):
        name = f"shard {number}"
        story.add_job(REPO, 1001, 1, 6000 + number, name, "success", started_at=at, completed_at=at)
    jobs = github.jobs(REPO, RunId(1001), 1)
    assert [job.id for job in jobs] == [5550, *range(6000, 6230)]
    assert stand_in.requests.count("GET /repos/acme/gefen/actions/runs/1001/attempts/1/jobs") == 3


def test_list_that_breaks_in_the_middle_is_no_list(
    github: GitHub, story: State, github_clock: ManualClock
) -> None:
    at = github_clock.now()
    for number in range(150):
        story.add_job(REPO, 1001, 1, 6000 + number, "x", "success", started_at=at, completed_at=at)
    story.faults.inject("*/jobs", Fault(), BAD_GATEWAY)
    with pytest.raises(Unavailable):
        github.jobs(REPO, RunId(1001), 1)


def test_link_to_another_host_is_refused(github: GitHub, story: State) -> None:
    elsewhere = Fault(
        200,
        b'{"total_count": 0, "artifacts": []}',
        {"content-type": "application/json", "link": '<https://evil.example/x>; rel="next"'},
    )
    story.faults.inject("*/artifacts", elsewhere)
    with pytest.raises(Rejected, match="another host"):
        github.artifacts(REPO, RunId(1001))


def test_endless_list_is_refused(github_clock: ManualClock) -> None:
    def endless(request: httpx.Request) -> httpx.Response:
        link = f'<{request.url}>; rel="next"'
        return httpx.Response(200, json={"total_count": 0, "artifacts": []}, headers={"link": link})

    with httpx.Client(transport=httpx.MockTransport(endless)) as http:
        client = GitHub(
            http,
            NoToken(),
            api_url="https://api.github.com",
            allow_private_downloads=False,
            clock=github_clock,
        )
        with pytest.raises(Rejected, match="more than 300 pages"):
            client.artifacts(REPO, RunId(1001))


def test_error_on_the_first_page_is_raised(github: GitHub, story: State) -> None:
    story.faults.inject("*/artifacts", answer(401, "Bad credentials"))
    with pytest.raises(CredentialsRefused, match="Bad credentials"):
        github.artifacts(REPO, RunId(1001))
