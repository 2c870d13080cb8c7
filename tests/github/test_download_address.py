"""Where a download connects to: the address that was checked, under the certificate of the host it names."""

import socket
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from fixtures_github import REPO, ManualClock
from pydantic import SecretStr

from app.domain.errors import Rejected, Unavailable
from app.domain.ids import ArtifactId
from app.github.client import GitHub
from app.github.credentials import PlainToken
from app.github.downloads import to_address

ZIP = ArtifactId(5001)
LIMIT = 1_000_000


def _client(http: httpx.Client, clock: ManualClock) -> GitHub:
    return GitHub(
        http,
        PlainToken(SecretStr("t")),
        api_url="https://api.github.com",
        allow_private_downloads=False,
        clock=clock,
    )


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have the name of any host lead to the given addresses, one list for each time it is asked."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)

    def answer(*asked: list[str]) -> None:
        answers = iter(asked)

        def resolve(*_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
            return [(2, 1, 6, "", (address, 0)) for address in next(answers)]

        monkeypatch.setattr(socket, "getaddrinfo", resolve)

    return answer


def test_connection_is_made_to_the_address_that_was_checked(
    github_clock: ManualClock, tmp_path: Path, resolver: Callable[..., None]
) -> None:
    """A name that leads elsewhere when it is asked again would lead into our own network."""
    resolver(["9.9.9.9", "8.8.8.8"], ["10.0.0.1"])
    reached: list[tuple[str, str, str]] = []

    def both(request: httpx.Request) -> httpx.Response:
        if request.url.host == "api.github.com":
            return httpx.Response(302, headers={"location": "https://store.example:444/x?sig=a%2Fb"})
        reached.append((str(request.url), request.headers["host"], request.extensions["sni_hostname"]))
        if request.url.host == "9.9.9.9":
            raise httpx.ConnectError("refused", request=request)
        return httpx.Response(200, content=b"stored")

    with httpx.Client(transport=httpx.MockTransport(both)) as http:
        got = _client(http, github_clock).download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    assert got.path.read_bytes() == b"stored"
    assert reached == [
        (f"https://{address}:444/x?sig=a%2Fb", "store.example:444", "store.example")
        for address in ("9.9.9.9", "8.8.8.8")
    ]


def test_host_of_which_one_address_is_private_is_refused(
    github_clock: ManualClock, tmp_path: Path, resolver: Callable[..., None]
) -> None:
    resolver(["8.8.8.8", "192.168.0.1"])

    def api(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"location": "https://store.example/x"})

    with (
        httpx.Client(transport=httpx.MockTransport(api)) as http,
        pytest.raises(Rejected, match="not public"),
    ):
        _client(http, github_clock).download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)


@pytest.mark.parametrize(
    ("host", "family"), [("xn--99999999zz", Rejected), ("[::", Unavailable), ("store\x7f", Unavailable)]
)
@pytest.mark.parametrize("by_store", [False, True])
def test_address_that_cannot_be_read_is_no_bug_of_ours_and_is_not_told(
    github_clock: ManualClock,
    tmp_path: Path,
    resolver: Callable[..., None],
    host: str,
    family: type[Exception],
    *,
    by_store: bool,
) -> None:
    resolver(["8.8.8.8"])

    def both(request: httpx.Request) -> httpx.Response:
        leads_on = by_store and request.url.host == "api.github.com"
        address = "https://store.example/x" if leads_on else f"https://{host}/x?sig=PRIVATE"
        return httpx.Response(302, headers={"location": address})

    with httpx.Client(transport=httpx.MockTransport(both)) as http, pytest.raises(family) as caught:
        _client(http, github_clock).download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)
    assert "PRIVATE" not in str(caught.value)


def test_next_page_at_an_address_that_cannot_be_read_is_refused(github_clock: ManualClock) -> None:
    def api(_request: httpx.Request) -> httpx.Response:
        link = '<https://xn--99999999zz/x?page=2>; rel="next"'
        return httpx.Response(200, json=[], headers={"link": link})

    with (
        httpx.Client(transport=httpx.MockTransport(api)) as http,
        pytest.raises(Rejected, match="unreadable address"),
    ):
        list(_client(http, github_clock).comments(REPO, 87))


def test_proxy_is_told_the_name(
    github_clock: ManualClock,
    tmp_path: Path,
    resolver: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolver(["8.8.8.8"])
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")

    def both(request: httpx.Request) -> httpx.Response:
        if request.url.host == "api.github.com":
            return httpx.Response(302, headers={"location": "https://store.example/x"})
        assert request.url.host == "store.example"
        return httpx.Response(200, content=b"stored")

    with httpx.Client(transport=httpx.MockTransport(both)) as http:
        _client(http, github_clock).download_artifact(REPO, ZIP, tmp_path / "a", limit_bytes=LIMIT)


@pytest.mark.parametrize(("name", "is_good"), [("store.example", True), ("other.example", False)])
def test_certificate_has_to_be_the_hosts_and_not_the_addresses(
    tmp_path: Path, name: str, *, is_good: bool
) -> None:
    certificate = self_signed("store.example", tmp_path / "store.pem")
    trusted = ssl.create_default_context(cafile=certificate)
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as listener,
        ThreadPoolExecutor(1) as pool,
        httpx.Client(verify=trusted, trust_env=False) as http,
    ):
        served = pool.submit(serve_once, listener, certificate)
        target = httpx.URL(f"https://{name}:{listener.getsockname()[1]}/x")
        request = to_address(target, ip_address("127.0.0.1"))
        if is_good:
            assert http.send(request).content == b"stored"
        else:
            with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                http.send(request)
        assert served.result() is is_good


def self_signed(host: str, path: Path) -> Path:
    """A certificate for `host` and its key, in one file."""
    key = generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    at = datetime(2020, 1, 1, tzinfo=UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, at, at + timedelta(days=36500))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + made.public_bytes(Encoding.PEM))
    return path


def serve_once(listener: socket.socket, certificate: Path) -> bool:
    """Answer one request; False if the other side would not speak to us."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    plain, _ = listener.accept()
    try:
        with context.wrap_socket(plain, server_side=True) as connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstored")
    except ssl.SSLError:
        return False
    finally:
        plain.close()
    return True
