"""The socket that the web answers on: where it cannot be had, the setting to change is named."""

import errno
import socket

from app.domain.errors import Unavailable
from app.settings import PREFIX, Settings
from worker import says

BACKLOG = 1024
"""Connections that wait, also while the web restarts: under `serve` the socket is the supervisor's."""


def listen(settings: Settings, *, port_named: str = f"{PREFIX}PORT") -> socket.socket:
    """Raises Unavailable with what to do about it; `port_named` is where the port was named."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise _told(error, settings, port_named) from error


def free_port(preferred: int) -> int:
    """The preferred port of this machine's loopback, or any other if somebody has it."""
    for port in (preferred, 0):
        try:
            with socket.create_server(("127.0.0.1", port)) as listener:
                return int(listener.getsockname()[1])
        except OSError:
            continue
    raise Unavailable("service", "no port is free on 127.0.0.1")


def announce(listener: socket.socket, settings: Settings, *, as_json: bool) -> None:
    """Say where people and GitHub reach it: as it is set, else by host and the port that was given."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    url = settings.public_url or f"http://{host}:{listener.getsockname()[1]}"
    webhook = f"{url.rstrip('/')}/webhooks/github"
    if as_json:
        says.line({"url": url, "webhook": webhook, **settings.place})
        return
    if settings.linked_url is None and (settings.github_token or settings.github_app_id):
        says.progress(f"{PREFIX}PUBLIC_URL is not set: comments and alerts will not link to the dashboard")
    says.text(f"Dashboard: {url}")
    says.text(f"Webhook:   {webhook}")
    says.text(
        f"Data:      {settings.database_shown if settings.on_postgres else settings.data_dir.resolve()}"
    )


def _told(error: OSError, settings: Settings, port_named: str) -> Unavailable:
    match error.errno:
        case errno.EADDRINUSE:
            subject = f"port {settings.port}"
            reason = f"taken by another process on {settings.host}; name another one in {port_named}"
        case errno.EACCES | errno.EPERM:
            subject = f"port {settings.port}"
            reason = f"not allowed for this user; name one above 1023 in {port_named}"
        case _:
            subject = f"address {settings.host}"
            reason = f"not one of this machine ({error.strerror or error}); name one in {PREFIX}HOST"
    return Unavailable(subject, reason)
