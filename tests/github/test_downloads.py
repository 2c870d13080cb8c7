"""Downloads: the token stays at home, links expire, caps hold, half a file is none."""

import hashlib
import io
import zipfile
from pathlib import Path

import httpx
import pytest
from fixtures_github import REPO, ManualClock
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from app.domain.errors import Gone, Rejected, Unavailable
from app.domain.ids import ArtifactId, JobId, RunId
from app.github.client import GitHub
from app.github.credentials import PlainToken
from app.github.downloads import base_name
from app.standin.faults import EXPIRED_LINK, LOST_ANSWER, NO_BLOB, RESET, Fault, store_answer
from app.standin.server import StandIn
from app.standin.state import State

ZIP, LOG = ArtifactId(5001), JobId(5550)
LIMIT = 1_000_000


@pytest.mark.usefixtures("story")
def test_artifact_arrives_as_it_was_stored(github: GitHub, tmp_path: Path) -> None:
    got = github.download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    assert github.artifacts(REPO, RunId(1001))[0].digest == f"sha256:{got.sha256}"
    assert (got.path, got.filename, got.cut) == (tmp_path / "a", "junit.zip", False)
    assert got.size_bytes == (tmp_path / "a").stat().st_size
    with zipfile.ZipFile(tmp_path / "a") as archive:
        assert archive.read("junit.xml") == b"<testsuite/>"


@pytest.mark.usefixtures("story")
def test_token_and_cookies_never_reach_the_store(github: GitHub, stand_in: StandIn, tmp_path: Path) -> None:
    github._transport.http.cookies.set("session", "s", domain="127.0.0.1")
    github._transport.http.headers["authorization"] = "Bearer from-the-client"
    github.download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    store_headers = stand_in.blobs.last_headers
    assert stand_in.blobs.refused_tokens == 0
    assert not {"authorization", "cookie", "x-github-api-version"} & set(store_headers)


def test_expired_link_is_asked_anew_once(
    github: GitHub, story: State, stand_in: StandIn, tmp_path: Path
) -> None:
    story.faults.inject("/artifacts/5001", EXPIRED_LINK)
    assert github.download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT).size_bytes > 0
    api, store = "GET /repos/acme/gefen/actions/artifacts/5001/zip", "GET /artifacts/5001"
    assert stand_in.requests == [api, store, api, store]


def test_store_that_refuses_twice_is_unavailable(github: GitHub, story: State, tmp_path: Path) -> None:
    story.faults.inject("/artifacts/5001", EXPIRED_LINK, times=2)
    with pytest.raises(Unavailable, match="two fresh addresses"):
        github.download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    assert list(tmp_path.iterdir()) == []


def test_expired_artifact_is_gone(
    github: GitHub, story: State, github_clock: ManualClock, tmp_path: Path
) -> None:
    old = story.add_artifact(REPO, 1001, "old", {}, created_at=github_clock.now(), expired=True)
    with pytest.raises(Gone, match="expired"):
        github.download_artifact(REPO, old.id, tmp_path / "a", limit_bytes=LIMIT)


@pytest.mark.usefixtures("story")
def test_artifact_over_the_limit_is_rejected_and_leaves_nothing(github: GitHub, tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="larger than 20 bytes"):
        github.download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=20)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", [LOST_ANSWER, RESET])
def test_broken_download_is_unavailable_and_leaves_nothing(
    github: GitHub, story: State, tmp_path: Path, fault: Fault
) -> None:
    story.faults.inject("/artifacts/5001", fault)
    with pytest.raises(Unavailable, match="broke off"):
        github.download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("fault", "family"),
    [
        (NO_BLOB, Gone),
        (store_answer(410, "Gone"), Gone),
        (store_answer(400, "InvalidInput"), Rejected),
        (store_answer(503, "ServerBusy"), Unavailable),
        (store_answer(429, "TooMany"), Unavailable),
        (Fault(302, headers={"location": "https://elsewhere.example/"}), Rejected),
    ],
)
def test_answer_of_the_store_is_never_taken_for_the_file(
    github: GitHub, story: State, tmp_path: Path, fault: Fault, family: type
) -> None:
    story.faults.inject("/artifacts/5001", fault)
    with pytest.raises(family):
        github.download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    assert list(tmp_path.iterdir()) == []


def test_raw_artifact_brings_its_base_name(
    github: GitHub, story: State, github_clock: ManualClock, tmp_path: Path
) -> None:
    raw = story.add_artifact(REPO, 1001, "one", created_at=github_clock.now(), raw=("junit.xml", b"<x/>"))
    got = github.download_artifact(REPO, raw.id, tmp_path / "a", limit_bytes=LIMIT)
    assert (got.filename, got.path.read_bytes()) == ("junit.xml", b"<x/>")


@pytest.mark.usefixtures("story")
def test_log_is_taken_whole(github: GitHub, tmp_path: Path) -> None:
    got = github.download_job_log(REPO, LOG, tmp_path / "log", limit_bytes=LIMIT)
    assert got.path.read_bytes() == b"2026-11-30T12:00:00.0000000Z hello\n"
    assert not got.cut


def test_large_log_keeps_both_ends_and_says_what_is_missing(
    github: GitHub, story: State, tmp_path: Path
) -> None:
    story.jobs[LOG].log = b"".join(b"line %06d\n" % number for number in range(100_000))
    got = github.download_job_log(REPO, LOG, tmp_path / "log", limit_bytes=12_000)
    text = got.path.read_bytes()
    head, _, rest = text.partition(b"\n[1188000 bytes of this log were left out here]\n")
    assert got.cut
    assert (len(head), len(rest)) == (3000, 9000)
    assert head == story.jobs[LOG].log[:3000]
    assert rest == story.jobs[LOG].log[-9000:]
    assert (got.size_bytes, got.sha256) == (len(text), hashlib.sha256(text).hexdigest())
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_missing_log_is_gone(github: GitHub, story: State, tmp_path: Path) -> None:
    story.jobs[LOG].log = None
    with pytest.raises(Gone):
        github.download_job_log(REPO, LOG, tmp_path / "log", limit_bytes=LIMIT)


def _client(http: httpx.Client, clock: ManualClock, *, allow_private: bool = False) -> GitHub:
    return GitHub(
        http,
        PlainToken(SecretStr("t")),
        api_url="https://api.github.com",
        allow_private_downloads=allow_private,
        clock=clock,
    )


@pytest.mark.parametrize(
    "location",
    [
        "http://8.8.8.8/x",
        "https://127.0.0.1/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/x",
        "https://[::ffff:10.0.0.1]/x",
        "https://localhost/x",
        "https://user:password@8.8.8.8/x",
        "ftp://8.8.8.8/x",
        "file:///etc/passwd",
        "/relative",
        "https://8.8.8.8:99999999/x",
        None,
    ],
)
def test_redirect_into_our_own_network_is_refused(
    github_clock: ManualClock, tmp_path: Path, location: str | None
) -> None:
    asked: list[str] = []

    def api(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(302, headers={} if location is None else {"location": location})

    with httpx.Client(transport=httpx.MockTransport(api)) as http, pytest.raises(Rejected):
        _client(http, github_clock).download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    assert asked == ["api.github.com"]


def test_unreadable_address_is_no_answer(github_clock: ManualClock, tmp_path: Path) -> None:
    def api(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"location": "https://8.8.8.8:x/"})

    with httpx.Client(transport=httpx.MockTransport(api)) as http, pytest.raises(Unavailable):
        _client(http, github_clock).download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)


def test_public_https_address_is_followed(github_clock: ManualClock, tmp_path: Path) -> None:
    def both(request: httpx.Request) -> httpx.Response:
        if request.url.host == "api.github.com":
            return httpx.Response(302, headers={"location": "https://8.8.8.8/x?sig=1"})
        assert "authorization" not in request.headers
        return httpx.Response(200, content=b"stored")

    with httpx.Client(transport=httpx.MockTransport(both)) as http:
        got = _client(http, github_clock).download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    assert got.path.read_bytes() == b"stored"


def test_unknown_host_of_the_store_is_unavailable(github_clock: ManualClock, tmp_path: Path) -> None:
    def api(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"location": f"https://{'x' * 300}/"})

    with (
        httpx.Client(transport=httpx.MockTransport(api)) as http,
        pytest.raises(Unavailable, match="resolved"),
    ):
        _client(http, github_clock).download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)


def test_error_names_neither_token_nor_signature(github_clock: ManualClock, tmp_path: Path) -> None:
    def both(request: httpx.Request) -> httpx.Response:
        if request.url.host == "api.github.com":
            return httpx.Response(302, headers={"location": "https://8.8.8.8/x?sig=very-secret"})
        raise httpx.ConnectError("refused https://8.8.8.8/x?sig=very-secret", request=request)

    with httpx.Client(transport=httpx.MockTransport(both)) as http, pytest.raises(Unavailable) as caught:
        _client(http, github_clock).download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_dripping_download_ends_at_its_deadline(github_clock: ManualClock, tmp_path: Path) -> None:
    class Drip(httpx.SyncByteStream):
        def __iter__(self):  # noqa: ANN204 - a stream of bytes without end
            while True:
                github_clock.advance(seconds=30)
                yield b"."

    def both(request: httpx.Request) -> httpx.Response:
        if request.url.host == "api.github.com":
            return httpx.Response(302, headers={"location": "https://8.8.8.8/x"})
        return httpx.Response(200, stream=Drip())

    with (
        httpx.Client(transport=httpx.MockTransport(both)) as http,
        pytest.raises(Unavailable, match="longer"),
    ):
        _client(http, github_clock).download_job_log(REPO, LOG, tmp_path / "log", limit_bytes=LIMIT)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('attachment; filename="junit.xml"', "junit.xml"),
        ("attachment; filename=junit.xml; filename*=UTF-8''j%C3%BCnit.xml", "junit.xml"),
        ("attachment; filename*=UTF-8''j%C3%BCnit.xml", "jünit.xml"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        (r'attachment; filename="C:\\temp\\x.xml"', "x.xml"),
        ('attachment; filename=".."', None),
        ('attachment; filename="a/"', None),
        ("attachment", None),
        ("", None),
        (None, None),
    ],
)
def test_name_from_the_store_is_a_base_name(header: str | None, expected: str | None) -> None:
    assert base_name(header) == expected


@given(st.text(max_size=200).map(lambda text: f"attachment; filename={text}") | st.text(max_size=200))
def test_any_header_gives_a_harmless_name_or_none(header: str) -> None:
    name = base_name(header)
    assert name is None or (
        "/" not in name and "\\" not in name and name.isprintable() and name not in {".", ".."}
    )


def test_archive_has_data_descriptors(story: State) -> None:
    with zipfile.ZipFile(io.BytesIO(story.artifacts[ZIP].content)) as archive:
        assert all(entry.flag_bits & 0x08 for entry in archive.infolist())
