"""Downloads: GitHub answers 302 to a signed address on another host, which must never see our token."""

import hashlib
import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from email.message import Message
from http import HTTPStatus
from pathlib import Path
from urllib.request import getproxies, proxy_bypass

import httpx

from app.domain.errors import Gone, Rejected, Unavailable
from app.github.facts import DownloadedFile
from app.github.spool import HeadAndTail, Spool, WholeFile
from app.github.status import error_for
from app.github.transport import UNREADABLE_ADDRESS, USER_AGENT, Request, Transport

DEADLINE = timedelta(minutes=10)
"""For one file, however steadily it drips."""

LONGEST_LOG_BYTES = 1024 * 1024 * 1024
"""Logs of 500 MB exist; beyond this the end is not waited for."""

LONGEST_NAME = 255

LAST_PORT = 65_535

MOST_ADDRESSES = 4
"""Of one host, tried in turn where the first takes no connection."""


Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Downloads:
    """`allow_private` lets an address be http or private: GitHub Enterprise with its own store, tests."""

    def __init__(self, transport: Transport, *, allow_private: bool) -> None:
        self._transport = transport
        self._allow_private = allow_private

    def whole(self, request: Request, path: Path, *, limit_bytes: int) -> DownloadedFile:
        """Raises Rejected where the file is larger than the limit."""
        return self._fetch(
            request, path, lambda: WholeFile(path, limit_bytes=limit_bytes, subject=request.subject)
        )

    def head_and_tail(self, request: Request, path: Path, *, limit_bytes: int) -> DownloadedFile:
        """Keeps both ends of what is larger than the limit, and says so."""
        return self._fetch(request, path, lambda: HeadAndTail(path, limit_bytes=limit_bytes))

    def _fetch(self, request: Request, path: Path, open_spool: Callable[[], Spool]) -> DownloadedFile:
        """A signed address lives about a minute, so a 403 from the store is asked anew, once."""
        for is_last in (False, True):
            with self._reach(request.subject, self._locate(request)) as response:
                if response.status_code == HTTPStatus.FORBIDDEN and not is_last:
                    continue
                self._check(request.subject, response)
                return self._keep(request.subject, response, path, open_spool())
        raise AssertionError("the second answer is returned or raised")

    def _locate(self, request: Request) -> httpx.URL:
        answer = self._transport.ask(request, allow_found=True)
        location = answer.headers.get("location")
        if answer.status != HTTPStatus.FOUND or location is None:
            raise Rejected(request.subject, "GitHub named no address to download from")
        return httpx.URL(location)  # which httpx itself has read before, or refused the answer

    def _checked(self, subject: str, target: httpx.URL) -> list[Address]:
        """Where to connect to, in the resolver's order; nowhere in particular if private addresses are good.

        A redirect decides where we go: it must not reach into our own network.
        """
        is_web = target.scheme in {"http", "https"} and target.host and (target.port or 0) <= LAST_PORT
        if target.userinfo or not is_web:
            raise Rejected(subject, "the address to download from is not one of a file store")
        if self._allow_private:
            return []
        if target.scheme != "https":
            raise Rejected(subject, "the address to download from is not https")
        addresses = _addresses(subject, target.host)
        if not all(address.is_global for address in addresses):
            raise Rejected(subject, "the address to download from is not public")
        return addresses

    @contextmanager
    def _reach(self, subject: str, target: httpx.URL) -> Iterator[httpx.Response]:
        """Connect to an address that was checked: the name, asked again, could lead somewhere else by then.

        Errors name their kind and the host only, since the address carries a signature.
        """
        addresses = self._checked(subject, target)[:MOST_ADDRESSES]
        if not addresses or _is_proxied(target.host):
            requests = [to_address(target, None)]
        else:
            requests = [to_address(target, address) for address in addresses]
        for request in requests:
            is_last = request is requests[-1]
            try:
                response = self._transport.http.send(request, stream=True, auth=None, follow_redirects=False)
            except httpx.RequestError as error:
                if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and not is_last:
                    continue
                raise Unavailable(subject, f"no answer from {target.host} ({type(error).__name__})") from None
            except UnicodeError:  # of a host that the store's own redirect names
                raise Rejected(subject, UNREADABLE_ADDRESS) from None
            break
        try:
            yield response
        except httpx.RequestError as error:
            raise Unavailable(subject, f"the download broke off ({type(error).__name__})") from None
        finally:
            response.close()

    def _check(self, subject: str, response: httpx.Response) -> None:
        status = response.status_code
        if status == HTTPStatus.OK:
            return
        if status == HTTPStatus.FORBIDDEN:
            raise Unavailable(subject, "the store refused two fresh addresses")
        if status == HTTPStatus.UNAUTHORIZED:  # says nothing of our token, which the store never sees
            raise Rejected(subject, f"the store answered {status}")
        if status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
            raise Gone(subject, f"the store answered {status}")
        raise error_for(subject, status, response.headers, b"", now=self._transport.clock.now())

    def _keep(self, subject: str, response: httpx.Response, path: Path, spool: Spool) -> DownloadedFile:
        """Nothing is left at `path` unless the whole of it arrived."""
        try:
            try:
                self._pour(subject, response, spool)
                spool.finish()
            finally:
                spool.close()
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        name = base_name(response.headers.get("content-disposition"))
        return DownloadedFile(path, path.stat().st_size, digest, name, spool.cut)

    def _pour(self, subject: str, response: httpx.Response, spool: Spool) -> None:
        clock, taken = self._transport.clock, 0
        until = clock.now() + DEADLINE
        for chunk in response.iter_bytes():
            taken += len(chunk)
            if taken > LONGEST_LOG_BYTES:
                raise Rejected(subject, f"it is larger than {LONGEST_LOG_BYTES} bytes")
            if clock.now() > until:
                raise Unavailable(subject, f"the download took longer than {DEADLINE}")
            spool.write(chunk)


def to_address(target: httpx.URL, address: Address | None) -> httpx.Request:
    """A request of its own making: the client would add its headers and cookies to one it built.

    Sent to an address, it still names the host, and its certificate has to be the host's. The connection is
    used once: kept, it would be found by its address alone, for another host on the same machine.
    """
    headers = {"User-Agent": USER_AGENT, "Accept": "*/*", "Accept-Encoding": "identity"}
    if address is None:
        return httpx.Request("GET", target, headers=headers)
    headers |= {"Host": target.netloc.decode("ascii"), "Connection": "close"}
    named = {"sni_hostname": target.raw_host.decode("ascii")}
    return httpx.Request("GET", target.copy_with(host=str(address)), headers=headers, extensions=named)


def _is_proxied(host: str) -> bool:
    """A proxy finds the address itself, and is told the name, by which it checks the certificate."""
    return bool({"https", "all"} & getproxies().keys()) and not proxy_bypass(host)


def base_name(content_disposition: str | None) -> str | None:
    """The file's own name without any folder, or None; the header is the uploader's text."""
    header = Message()
    header["Content-Disposition"] = content_disposition or ""
    name = (header.get_filename() or "").replace("\\", "/").rpartition("/")[2]
    name = "".join(c for c in name if c.isprintable()).strip()[:LONGEST_NAME]
    return None if name in {"", ".", ".."} else name


def _addresses(subject: str, host: str) -> list[Address]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unavailable(subject, "the store's host name could not be resolved") from None
    return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
