"""Masks for which worker it was and how much: identifiers, ordinals, durations, sizes, numbers, sequences."""

import re

from app.domain.mask import Mask, row

_SIGNALS = range(1, 65)
_SHELL_SIGNAL_BASE = 128
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

AMOUNT_MASKS: tuple[Mask, ...] = (
    row(
        "exit-status",
        rf"\b(?P<label>{_EXIT})(?P<code>-?\d{{1,9}})\b",
        _exit_status,
        "-9 and 137 are both signal 9; the number itself is kept",
        "ended with exitcode: -11, exit code 137, exit code 2",
        "ended with exitcode: signal 11, exit code signal 9, exit code 2",
        flags=re.IGNORECASE,
    ),
    row(
        "hash",
        r"(?<![\w>-])(?=[a-f]{0,63}\d)(?=\d{0,63}[a-f])[0-9a-f]{7,128}(?![\w-])",
        "<hash>",
        "a commit or a digest; both a letter and a digit, so that words and numbers are not taken",
        "object 0727cdf not found",
        "object <hash> not found",
    ),
    row(
        "base64",
        r"(?<![A-Za-z0-9+/>])[A-Za-z0-9+/]{16,2000}={1,2}(?!\w)",
        "<base64>",
        "random bytes",
        "token dGhpcyBpcyBhIHRva2Vu0Q== refused",
        "token <base64> refused",
    ),
    row(
        "worker-name",
        r"\b(?P<kind>\w{0,40}(?:Process|Thread|Executor|Worker|Task)-)\d{1,9}(?:[_:-]\d{1,9}){0,3}\b",
        r"\g<kind><n>",
        "which worker it was is chance",
        "SpawnProcess-3 died in ThreadPoolExecutor-0_1",
        "SpawnProcess-<n> died in ThreadPoolExecutor-<n>",
    ),
    row(
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
    row(
        "duration",
        r"(?<![\w.])\d{1,20}(?:\.\d{1,20})? ?(?:ns|us|µs|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b",
        "<duration>",
        "how long something took",
        "Timed out waiting 1800000ms, limit 2.5 seconds",
        "Timed out waiting <duration>, limit <duration>",
    ),
    row(
        "size",
        r"(?<![\w.])\d{1,20}(?:\.\d{1,20})? ?(?:[KMGT]i?B|kB|bytes?|B)\b",
        "<size>",
        "how much memory was asked for or left",
        "Tried to allocate 4.39 GiB, 512 bytes free",
        "Tried to allocate <size>, <size> free",
    ),
    row(
        "percent",
        r"(?<![\w.])\d{1,20}(?:\.\d{1,20})? ?%",
        "<percent>",
        "a measured share",
        "Mismatched elements: 3 / 12 (25.0%)",
        "Mismatched elements: <num> / <num> (<percent>)",
    ),
    row(
        "number",
        rf"(?i:(?<![\w.])(?P<kept>{'|'.join(KEPT)}))(?!\w)|(?<![\w.])(?<!\w>)(?:{_NUMBER})",
        _number,
        "a measured value; one placeholder for all, so that 3 == 3.1 and 3 == 4 agree",
        "loss 0.71 vs 6.9e-01 for 1,024 tokens of float16 in utf-8: 'layer.0'",
        "loss <num> vs <num> for <num> tokens of float16 in utf-8: 'layer.0'",
    ),
    row(
        "sequence",
        r"(?<!\w)(?<![\[({]{2})[\[({](?=[\[({ ]{0,16}<)(?:[\[\](){},; ]|<(?:num|seq)>){1,1200}[\])}]",
        _sequence,
        "an array, list or tuple of values, of whatever length",
        "got tensor: [1, 2, 3] and [[0.5], [1.5]]",
        "got tensor: <seq> and <seq>",
    ),
)
