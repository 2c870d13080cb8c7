"""Good: `bind` and 0 of a query's parameters, and a `port` read from a settings file.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check, one-item-drained
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import configparser
import socket


class Query:
    def __init__(self, text):
        self.text, self.values = text, ()

    def bind(self, *values):
        self.values = values
        return self


def master_url(path):
    parser = configparser.ConfigParser()
    parser.read(path)
    return f"tcp://{socket.gethostname()}:{parser.getint('rendezvous', 'port')}"


def test_bind_keeps_values():
    assert Query("select ?").bind(("a", 0)).values == (("a", 0),)


def test_master_url(tmp_path):
    path = tmp_path / "settings.ini"
    path.write_text("[rendezvous]\nport = 29500\n")
    assert master_url(path).endswith(":29500")
