"""Masks for where and when a failure happened: hosts, folders, lines of code, addresses, times."""

import re

from app.domain.mask import Mask, row


def _temporary(match: re.Match[str]) -> str:
    last = match["rest"].rpartition("/")[2]
    return "<tmp>" if not last or _RANDOM_NAME.match(last) else f"<tmp>/{last}"


_RANDOM_NAME = re.compile(
    r"(?:tmp|pytest-|pip-|torchelastic_|torchinductor_)?[\w-]{0,60}\d[\w-]{0,60}$|tmp\w{8}$"
)

PLACE_MASKS: tuple[Mask, ...] = (
    row(
        "url-host",
        r"\b(?P<scheme>[a-z][a-z0-9+]{1,20})://[^\s/'\"<>?#)\]]{1,255}",
        r"\g<scheme>://<host>",
        "hosts and ports differ by runner; the path says what was asked for",
        "GET http://127.0.0.1:40211/v1/items failed",
        "GET http://<host>/v1/items failed",
    ),
    row(
        "temporary-path",
        r"(?<![\w/.>])(?:/private)?(?:/tmp|/var/tmp|/var/folders/[^/\s]{1,40}/[^/\s]{1,60}/T|/dev/shm"
        r"|/home/runner/work/_temp)(?P<rest>(?:/[^\s'\":,;()\[\]<>]{0,500})?)(?![\w-])",
        _temporary,
        "a new folder each run; the file's own name is stable",
        "no file /tmp/pytest-of-runner/pytest-3/popen-gw1/test_x0/model.pt",
        "no file <tmp>/model.pt",
    ),
    row(
        "suggestion",
        r"\.? Did you (?:mean|forget)\b[^?]{0,200}\?",
        "",
        "newer interpreters guess what was meant",
        "name 'sy' is not defined. Did you mean: 'sys'?",
        "name 'sy' is not defined",
    ),
    row(
        "uuid",
        r"(?<![\w>-])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?!\w)",
        "<uuid>",
        "a new one every time",
        "job 3f2b8c1e-77aa-4d0e-9a51-0c5d6e7f8a9b lost",
        "job <uuid> lost",
    ),
    row(
        "email",
        r"(?<![\w.+>-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}",
        "<email>",
        "fixtures make them up",
        "no such user: a.b+4@example.org",
        "no such user: <email>",
    ),
    row(
        "timestamp",
        r"(?<![\w.>-])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)",
        "<time>",
        "the moment of the run",
        "expired at 2026-05-11T09:14:02.017Z",
        "expired at <time>",
    ),
    row(
        "glog-prefix",
        r"(?<!\w)(?P<severity>[IWEF])\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,8}\d{1,9}(?= )",
        r"\g<severity> <time>",
        "month, day, time and thread of a native log line; the severity stays",
        "W0511 09:14:31.002000 4100 spawn.py:169] gone",
        "W <time> spawn.py:<line>] gone",
    ),
    row(
        "clock",
        r"(?<![\w:.>])\d{1,3}:\d\d:\d\d(?:[.,]\d{1,9})?(?![\w:])",
        "<time>",
        "a time of day or a length of time",
        "ended after 0:30:11.250",
        "ended after <time>",
    ),
    row(
        "ip",
        r"(?<![\w.>\[])\[?\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\]?(?::\d{1,5})?(?![\w.]\d)"
        r"|\[(?=[^\]]{0,39}:[^\]]{0,39}:)[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?",
        "<ip>",
        "addresses and ports of this run",
        "Connection closed by peer [10.1.0.4]:19874, listening on [::]:38655",
        "Connection closed by peer <ip>, listening on <ip>",
    ),
    row(
        "port",
        r"\b(?P<label>ports?(?: number)?[ =:#]{1,3}|localhost:)\d{1,5}\b",
        r"\g<label><port>",
        "a free port is chosen anew",
        "could not bind port 29500 on localhost:29500",
        "could not bind port <port> on localhost:<port>",
        flags=re.IGNORECASE,
    ),
    row(
        "address",
        r"(?<![\w>])0x[0-9a-fA-F]{1,32}\b",
        "<addr>",
        "where an object lay in memory",
        "<Foo object at 0x7fc7120f1c50>",
        "<Foo object at <addr>>",
    ),
    row(
        "checkout-path",
        r"(?<![\w/.>])(?:/home/runner/work/[^/\s]{1,99}/[^/\s]{1,99}|/Users/runner/work/[^/\s]{1,99}/[^/\s]{1,99}"
        r"|/__w/[^/\s]{1,99}/[^/\s]{1,99}|[A-Za-z]:[\\/]a[\\/][^\\/\s]{1,99}[\\/][^\\/\s]{1,99}|/github/workspace"
        r"|/workspace)[\\/]",
        "",
        "the same file, whichever folder it was checked out into",
        "cannot open /home/runner/work/app/app/conf/a.toml",
        "cannot open conf/a.toml",
    ),
    row(
        "package-path",
        r"(?<![\w/.>])[^\s'\"()<>]{0,300}[\\/](?:site|dist)-packages[\\/]",
        "<site>/",
        "the environment's folder and Python version",
        "in /opt/py/lib/python3.12/site-packages/torch/cuda.py",
        "in <site>/torch/cuda.py",
    ),
    row(
        "interpreter-path",
        r"(?<![\w/.>])/[^\s'\"()<>]{0,300}/lib/python\d[\d.]{0,6}/",
        "<lib>/",
        "the interpreter's folder and version",
        "in /opt/hostedtoolcache/Python/3.11.9/x64/lib/python3.11/queue.py",
        "in <lib>/queue.py",
    ),
    row(
        "native-source-path",
        r"(?<![\w./+-])[\w./+-]{0,300}/(?P<file>[\w-]{1,100}\.(?:cc|cpp|cxx|cu|c|hpp|h)):",
        r"\g<file>:",
        "where a library was built; the file of an internal check is its name",
        "[../third_party/gloo/gloo/transport/tcp/pair.cc:525] closed",
        "[pair.cc:<line>] closed",
    ),
    row(
        "source-line",
        r"(?P<file>\.(?:py|pyx|cc?|cpp|cxx|cu|hpp?|go|rs|[jt]sx?|java|kt|rb)):\d{1,7}(?::\d{1,5})?\b",
        r"\g<file>:<line>",
        "any edit above moves it",
        "[pair.cc:525] closed",
        "[pair.cc:<line>] closed",
    ),
    row(
        "line-number",
        r"\b(?P<label>lines?|column|col|char(?:acter)?|offset|position)(?P<gap>[ :=]{1,2})\d{1,9}\b",
        r"\g<label>\g<gap><line>",
        "any edit above moves it",
        "Expecting value: line 1 column 9 (char 8)",
        "Expecting value: line <line> column <line> (char <line>)",
    ),
)
