"""The ordered table of masks: volatile tokens become placeholders, so that two runs' texts are equal.

Every pattern begins where its run of characters begins (a look-behind) and bounds its repeats, so that the
time is linear in the length of a line. Placeholders hold no digit: masking a masked text changes nothing.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

MASKED_CHARS = 2_000
"""A line is cut to this length before masking; keys need no more, and it bounds the cost."""
_SIGNALS = range(1, 65)
_SHELL_SIGNAL_BASE = 128


@dataclass(frozen=True, slots=True)
class Mask:
    """`replacement` may use groups of `pattern`; `example` and `masked` are checked by a test."""

    name: str
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]
    why: str
    example: str
    masked: str


def mask(line: str) -> str:
    """Mask one line. Idempotent: a mask can lay bare what another takes, so it goes on until all is taken.

    It ends, since each replacement removes characters that no placeholder holds.
    """
    before, line = "", line[:MASKED_CHARS]
    while line != before:
        before, line = line, _mask_once(line)
    return line


def _mask_once(line: str) -> str:
    for each in MASKS:
        line = each.pattern.sub(each.replacement, line)
    return line


def _temporary(match: re.Match[str]) -> str:
    last = match["rest"].rpartition("/")[2]
    return "<tmp>" if not last or _RANDOM_NAME.match(last) else f"<tmp>/{last}"


def _exit_status(match: re.Match[str]) -> str:
    """The shell says 128+n, Python says -n: both mean signal n (reference: POSIX, subprocess)."""
    code = int(match["code"])
    signal = -code if code < 0 else code - _SHELL_SIGNAL_BASE
    return f"{match['label']}{f'signal {signal}' if signal in _SIGNALS else code}"


def _number(match: re.Match[str]) -> str:
    return match["kept"] or "<num>"


def _sequence(match: re.Match[str]) -> str:
    """Fold from the inside out; brackets that do not match stay."""
    before, line = "", match[0]
    while line != before:
        before, line = line, _FLAT_SEQUENCE.sub("<seq>", line)
    return line


_FLAT_SEQUENCE = re.compile(r"[\[({] ?<(?:num|seq)>(?:[,;]? {0,8}<(?:num|seq)>){0,400},? ?[\])}]")
_RANDOM_NAME = re.compile(
    r"(?:tmp|pytest-|pip-|torchelastic_|torchinductor_)?[\w-]{0,60}\d[\w-]{0,60}$|tmp\w{8}$"
)

_EXIT = r"(?:exit(?:ed with)?[ _-]?(?:error )?(?:code|status)|exitcode|returncode|return code)[ :=]{1,3}"

KEPT = (
    r"utf-?(?:8|16|32)(?:-?[lb]e)?|iso-?8859-\d{1,2}|latin-?1|sha-?(?:1|224|256|384|512)|x86[_-]64|base-?64",
    r"\[?errno:? \d{1,4}\]?|\[?winerror \d{1,5}\]?|signal \d{1,2}",
    rf"{_EXIT}-?\d{{1,10}}",
    r"http(?:/\d(?:\.\d)?)? \d{3}|status(?:[ _]code)?[ :=]{1,3}\d{3}|<response \[\d{3}\]>",
    r"[45]\d\d (?:client|server) error",
    r"(?:python|cuda|c\+\+|ipv)[ -]?\d{1,3}(?:\.\d{1,3}){0,2}",
    r"(?P<quote>['\"])[A-Za-z_][\w.:\[\]-]{0,120}(?P=quote)",
)
"""What a number mask leaves alone, whatever digits it holds: codecs and digests, errno, HTTP status, signals,
exit codes, versions of a platform, and quoted names (a missing key, an attribute, a fixture)."""

_NUMBER = (
    r"[+-]?\d{1,60}(?:[,_]\d{3}){0,20}(?:\.\d{1,60}){0,10}(?:[eE][+-]?\d{1,5})?(?!\w)"
    r"|[+-]?\.\d{1,60}(?:[eE][+-]?\d{1,5})?(?!\w)"
)


def _row(
    name: str,
    pattern: str,
    replacement: str | Callable[[re.Match[str]], str],
    why: str,
    example: str,
    masked: str,
    *,
    flags: re.RegexFlag = re.NOFLAG,
) -> Mask:
    return Mask(name, re.compile(pattern, flags), replacement, why, example, masked)


MASKS: tuple[Mask, ...] = (
    _row(
        "url-host",
        r"\b(?P<scheme>[a-z][a-z0-9+]{1,20})://[^\s/'\"<>?#)\]]{1,255}",
        r"\g<scheme>://<host>",
        "hosts and ports differ by runner; the path says what was asked for",
        "GET http://127.0.0.1:40211/v1/items failed",
        "GET http://<host>/v1/items failed",
    ),
    _row(
        "temporary-path",
        r"(?<![\w/.>])(?:/private)?(?:/tmp|/var/tmp|/var/folders/[^/\s]{1,40}/[^/\s]{1,60}/T|/dev/shm"
        r"|/home/runner/work/_temp)(?P<rest>(?:/[^\s'\":,;()\[\]<>]{0,500})?)(?![\w-])",
        _temporary,
        "a new folder each run; the file's own name is stable",
        "no file /tmp/pytest-of-runner/pytest-3/popen-gw1/test_x0/model.pt",
        "no file <tmp>/model.pt",
    ),
    _row(
        "suggestion",
        r"\.? Did you (?:mean|forget)\b[^?]{0,200}\?",
        "",
        "newer interpreters guess what was meant",
        "name 'sy' is not defined. Did you mean: 'sys'?",
        "name 'sy' is not defined",
    ),
    _row(
        "uuid",
        r"(?<![\w>-])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?!\w)",
        "<uuid>",
        "a new one every time",
        "job 3f2b8c1e-77aa-4d0e-9a51-0c5d6e7f8a9b lost",
        "job <uuid> lost",
    ),
    _row(
        "email",
        r"(?<![\w.+>-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}",
        "<email>",
        "fixtures make them up",
        "no such user: a.b+4@example.org",
        "no such user: <email>",
    ),
    _row(
        "timestamp",
        r"(?<![\w.>-])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)",
        "<time>",
        "the moment of the run",
        "expired at 2026-05-11T09:14:02.017Z",
        "expired at <time>",
    ),
    _row(
        "glog-prefix",
        r"(?<!\w)(?P<severity>[IWEF])\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,8}\d{1,9}(?= )",
        r"\g<severity> <time>",
        "month, day, time and thread of a native log line; the severity stays",
        "W0511 09:14:31.002000 4100 spawn.py:169] gone",
        "W <time> spawn.py:<line>] gone",
    ),
    _row(
        "clock",
        r"(?<![\w:.>])\d{1,3}:\d\d:\d\d(?:[.,]\d{1,9})?(?![\w:])",
        "<time>",
        "a time of day or a length of time",
        "ended after 0:30:11.250",
        "ended after <time>",
    ),
    _row(
        "ip",
        r"(?<![\w.>\[])\[?\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\]?(?::\d{1,5})?(?![\w.]\d)"
        r"|\[(?=[^\]]{0,39}:[^\]]{0,39}:)[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?",
        "<ip>",
        "addresses and ports of this run",
        "Connection closed by peer [10.1.0.4]:19874, listening on [::]:38655",
        "Connection closed by peer <ip>, listening on <ip>",
    ),
    _row(
        "port",
        r"\b(?P<label>ports?(?: number)?[ =:#]{1,3}|localhost:)\d{1,5}\b",
        r"\g<label><port>",
        "a free port is chosen anew",
        "could not bind port 29500 on localhost:29500",
        "could not bind port <port> on localhost:<port>",
        flags=re.IGNORECASE,
    ),
    _row(
        "address",
        r"(?<![\w>])0x[0-9a-fA-F]{1,32}\b",
        "<addr>",
        "where an object lay in memory",
        "<Foo object at 0x7fc7120f1c50>",
        "<Foo object at <addr>>",
    ),
    _row(
        "checkout-path",
        r"(?<![\w/.>])(?:/home/runner/work/[^/\s]{1,99}/[^/\s]{1,99}|/Users/runner/work/[^/\s]{1,99}/[^/\s]{1,99}"
        r"|/__w/[^/\s]{1,99}/[^/\s]{1,99}|[A-Za-z]:[\\/]a[\\/][^\\/\s]{1,99}[\\/][^\\/\s]{1,99}|/github/workspace"
        r"|/workspace)[\\/]",
        "",
        "the same file, whichever folder it was checked out into",
        "cannot open /home/runner/work/app/app/conf/a.toml",
        "cannot open conf/a.toml",
    ),
    _row(
        "package-path",
        r"(?<![\w/.>])[^\s'\"()<>]{0,300}[\\/](?:site|dist)-packages[\\/]",
        "<site>/",
        "the environment's folder and Python version",
        "in /opt/py/lib/python3.12/site-packages/torch/cuda.py",
        "in <site>/torch/cuda.py",
    ),
    _row(
        "interpreter-path",
        r"(?<![\w/.>])/[^\s'\"()<>]{0,300}/lib/python\d[\d.]{0,6}/",
        "<lib>/",
        "the interpreter's folder and version",
        "in /opt/hostedtoolcache/Python/3.11.9/x64/lib/python3.11/queue.py",
        "in <lib>/queue.py",
    ),
    _row(
        "native-source-path",
        r"(?<![\w./+-])[\w./+-]{0,300}/(?P<file>[\w-]{1,100}\.(?:cc|cpp|cxx|cu|c|hpp|h)):",
        r"\g<file>:",
        "where a library was built; the file of an internal check is its name",
        "[../third_party/gloo/gloo/transport/tcp/pair.cc:525] closed",
        "[pair.cc:<line>] closed",
    ),
    _row(
        "source-line",
        r"(?P<file>\.(?:py|pyx|cc?|cpp|cxx|cu|hpp?|go|rs|[jt]sx?|java|kt|rb)):\d{1,7}(?::\d{1,5})?\b",
        r"\g<file>:<line>",
        "any edit above moves it",
        "[pair.cc:525] closed",
        "[pair.cc:<line>] closed",
    ),
    _row(
        "line-number",
        r"\b(?P<label>lines?|column|col|char(?:acter)?|offset|position)(?P<gap>[ :=]{1,2})\d{1,9}\b",
        r"\g<label>\g<gap><line>",
        "any edit above moves it",
        "Expecting value: line 1 column 9 (char 8)",
        "Expecting value: line <line> column <line> (char <line>)",
    ),
    _row(
        "exit-status",
        rf"\b(?P<label>{_EXIT})(?P<code>-?\d{{1,9}})\b",
        _exit_status,
        "-9 and 137 are both signal 9; the number itself is kept",
        "ended with exitcode: -11, exit code 137, exit code 2",
        "ended with exitcode: signal 11, exit code signal 9, exit code 2",
        flags=re.IGNORECASE,
    ),
    _row(
        "hash",
        r"(?<![\w>-])(?=[a-f]{0,63}\d)(?=\d{0,63}[a-f])[0-9a-f]{7,128}(?![\w-])",
        "<hash>",
        "a commit or a digest; both a letter and a digit, so that words and numbers are not taken",
        "object 0727cdf not found",
        "object <hash> not found",
    ),
    _row(
        "base64",
        r"(?<![A-Za-z0-9+/>])[A-Za-z0-9+/]{16,2000}={1,2}(?!\w)",
        "<base64>",
        "random bytes",
        "token dGhpcyBpcyBhIHRva2Vu0Q== refused",
        "token <base64> refused",
    ),
    _row(
        "worker-name",
        r"\b(?P<kind>\w{0,40}(?:Process|Thread|Executor|Worker|Task)-)\d{1,9}(?:[_:-]\d{1,9}){0,3}\b",
        r"\g<kind><n>",
        "which worker it was is chance",
        "SpawnProcess-3 died in ThreadPoolExecutor-0_1",
        "SpawnProcess-<n> died in ThreadPoolExecutor-<n>",
    ),
    _row(
        "ordinal",
        r"\b(?P<kind>rank|world[ _]?size|local[ _]rank|worker|process|thread|pid|tid|node|shard|seed|task"
        r"|goroutine|device|gpu|cuda|gw|SequenceNumber|sequence number|attempt|retry|iteration|step|epoch)"
        r"(?P<gap>(?: ?(?:id|number|index))?[ :=#-]{0,3})\d{1,20}\b(?!\.\d)",
        r"\g<kind>\g<gap><n>",
        "which rank, device, process or try it was is chance; the kind of device stays",
        "rank 1 of world_size=4 on cuda:1 (pid 4100, gw3)",
        "rank <n> of world_size=<n> on cuda:<n> (pid <n>, gw<n>)",
        flags=re.IGNORECASE,
    ),
    _row(
        "duration",
        r"(?<![\w.])\d{1,20}(?:\.\d{1,20})? ?(?:ns|us|µs|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b",
        "<duration>",
        "how long something took",
        "Timed out waiting 1800000ms, limit 2.5 seconds",
        "Timed out waiting <duration>, limit <duration>",
    ),
    _row(
        "size",
        r"(?<![\w.])\d{1,20}(?:\.\d{1,20})? ?(?:[KMGT]i?B|kB|bytes?|B)\b",
        "<size>",
        "how much memory was asked for or left",
        "Tried to allocate 4.39 GiB, 512 bytes free",
        "Tried to allocate <size>, <size> free",
    ),
    _row(
        "percent",
        r"(?<![\w.])\d{1,20}(?:\.\d{1,20})? ?%",
        "<percent>",
        "a measured share",
        "Mismatched elements: 3 / 12 (25.0%)",
        "Mismatched elements: <num> / <num> (<percent>)",
    ),
    _row(
        "number",
        rf"(?i:(?<![\w.])(?P<kept>{'|'.join(KEPT)}))(?!\w)|(?<![\w.])(?<!\w>)(?:{_NUMBER})",
        _number,
        "a measured value; one placeholder for all, so that 3 == 3.1 and 3 == 4 agree",
        "loss 0.71 vs 6.9e-01 for 1,024 tokens of float16 in utf-8: 'layer.0'",
        "loss <num> vs <num> for <num> tokens of float16 in utf-8: 'layer.0'",
    ),
    _row(
        "sequence",
        r"(?<!\w)(?<![\[({]{2})[\[({](?=[\[({ ]{0,16}<)(?:[\[\](){},; ]|<(?:num|seq)>){1,1200}[\])}]",
        _sequence,
        "an array, list or tuple of values, of whatever length",
        "got tensor: [1, 2, 3] and [[0.5], [1.5]]",
        "got tensor: <seq> and <seq>",
    ),
)
"""In this order: what holds digits of a known kind goes before the rule for any number."""
