"""The listening socket: what is in its way is told with the setting that clears it."""

import errno
import json
import os
import socket

import pytest

from app.domain.errors import Unavailable
from app.settings import Settings
from worker import listening


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (
            errno.EADDRINUSE,
            "port 80: taken by another process on 127.0.0.1; name another one in FLAKE_TRIAGE_PORT",
        ),
        (errno.EACCES, "port 80: not allowed for this user; name one above 1023 in FLAKE_TRIAGE_PORT"),
        (errno.EADDRNOTAVAIL, "address 127.0.0.1: not one of this machine (Cannot assign requested address)"),
    ],
)
def test_each_obstacle_names_the_setting_that_clears_it(number: int, told: str) -> None:
    error = OSError(number, os.strerror(number))
    assert str(listening._told(error, Settings(port=80), "FLAKE_TRIAGE_PORT")).startswith(told)


def test_name_of_no_machine_is_told() -> None:
    with pytest.raises(Unavailable, match=r"address no\.such\.host\.invalid: .*FLAKE_TRIAGE_HOST"):
        listening.listen(Settings(host="no.such.host.invalid", port=0))


@pytest.mark.parametrize(("public_url", "host"), [(None, "127.0.0.1"), ("https://triage.example/", "")])
def test_address_is_said_for_people_and_for_programs(
    public_url: str | None, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(port=0, public_url=public_url)
    with listening.listen(settings) as listener:
        port = listener.getsockname()[1]
        assert listener.family is socket.AF_INET
        listening.announce(listener, settings, as_json=True)
        url = public_url or f"http://{host}:{port}"
        said = json.loads(capsys.readouterr().out)
        assert (said["url"], said["webhook"]) == (url, f"{url.rstrip('/')}/webhooks/github")
        listening.announce(listener, settings, as_json=False)
        assert capsys.readouterr().out.splitlines()[0] == f"Dashboard: {url}"
