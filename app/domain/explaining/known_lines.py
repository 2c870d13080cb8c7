"""Lines that runners, launchers, kernels and test runners print when something ends, and their meanings."""

import re
from typing import Final, NamedTuple

from app.domain.category import Category
from app.domain.explaining.saying import Weight


class Known(NamedTuple):
    category: Category
    weight: Weight
    what: str
    patterns: tuple[str, ...]


_R, _C = Weight, Category
_CRASHES: Final = "SIG(?:SEGV|ABRT|BUS|ILL|FPE)"
_SHELLS: Final = "(?:Segmentation fault|Bus error|Illegal instruction|Floating point exception|Aborted)"
"""The words by which a shell tells of these signals."""

KNOWN: Final = (
    Known(
        _C.INFRA,
        _R.RUNNER,
        "the runner was lost",
        (r"##\[error\].{0,300}lost communication with the server",),
    ),
    Known(
        _C.INFRA,
        _R.RUNNER,
        "the runner was told to shut down while the job ran",
        (r"(?:##\[error\])?The runner has received a shutdown signal",),
    ),
    Known(
        _C.TIMEOUT_HANG,
        _R.RUNNER,
        "a step or a job ran into its time limit",
        (
            r"##\[error\]The action '.{0,300}' has timed out after \d{1,6} minutes",
            r"##\[error\]The job running on runner .{0,300} has exceeded the maximum execution time",
        ),
    ),
    Known(
        _C.INFRA,
        _R.OWN,
        "a container image could not be had",
        (
            r"Error response from daemon: .{0,300}(?:manifest|pull access|not found|unauthorized|toomany)",
            r".{0,200}toomanyrequests: ",
            r"ERROR: failed to (?:solve|pull|resolve)\b.{0,300}",
            r".{0,200}failed to resolve reference \"",
        ),
    ),
    Known(_C.INFRA, _R.OWN, "the disk was full", (r".{0,300}No space left on device",)),
    Known(
        _C.INFRA,
        _R.OWN,
        "the network, or the server on its other side, gave way",
        (
            r".{0,300}Could not resolve (?:host|proxy)",
            r".{0,200}Temporary failure (?:in name resolution|resolving)",
            r"fatal: unable to access '",
            r"##\[error\].{0,300}(?:ECONNRESET|ETIMEDOUT|EAI_AGAIN|socket hang up)",
            r"npm (?:ERR!|error) (?:code )?(?:E(?:CONNRESET|TIMEDOUT|AI_AGAIN|NOTFOUND)|network)",
            r"E: Failed to fetch ",
            r".{0,200}\b(?:502 Bad Gateway|503 Service Unavailable|504 Gateway Time-?out)",
            r"(?:ERROR|error): (?:.{0,80} )?(?:Connection reset by peer|Read timed out)",
        ),
    ),
    Known(
        _C.INFRA,
        _R.OWN,
        "a rate limit was reached",
        (r".{0,200}API rate limit exceeded", r".{0,200}(?:HTTP )?429 Too Many Requests"),
    ),
    Known(
        _C.COLLECTIVE_MISMATCH,
        _R.MISMATCH,
        "ranks entered different collectives",
        (r".{0,300}Detected mismatch between collectives", r".{0,200}collectives? (?:type )?mismatch"),
    ),
    Known(
        _C.PORT_CONFLICT,
        _R.OWN,
        "a port that it wanted to listen on was taken",
        (
            r".{0,300}(?:failed to (?:bind|listen)|EADDRINUSE|address (?:is )?already in use)",
            r".{0,100}\bport \S{1,20} is already (?:in use|allocated)",
        ),
    ),
    Known(
        _C.XPASS,
        _R.OWN,
        "a test passed that was expected to fail",
        (r"\[XPASS\(strict\)\]", r"UNEXPECTED SUCCESS"),
    ),
    Known(
        _C.OOM,
        _R.OWN,
        "memory ran out",
        (
            r"(?:[\w.]{1,100}\.)?(?:Cuda)?OutOfMemoryError\b",
            r".{0,200}\b(?:CUDA|HIP|XPU) (?:error: )?out of memory",
            r"(?:MemoryError|std::bad_alloc)\b",
            r".{0,100}Cannot allocate memory",
            r"FATAL ERROR: .{0,200}JavaScript heap out of memory",
        ),
    ),
    Known(
        _C.OOM,
        _R.OWN,
        "the system ended a process because memory ran out",
        (
            r".{0,100}Out of memory: Killed process",
            r".{0,100}oom-kill(?:er)?\b",
            r".{0,100}Memory cgroup out of memory",
        ),
    ),
    Known(
        _C.CRASH_SIGNAL,
        _R.CRASHED,
        "a process crashed",
        (
            r".{0,200}\bworker '[^']{1,50}' crashed while running '",
            r"Fatal Python error: ",
            r".{0,100}==\d{1,9}==\s?ERROR: \w{1,30}Sanitizer",
            rf".{{0,300}}(?:terminated|exited|killed|died|crashed) (?:with|by|from) (?:signal )?{_CRASHES}\b",
            r".{0,200}Signal (?:4|6|7|8|11) \(SIG(?:ILL|ABRT|BUS|FPE|SEGV)\) received",
            r"\s{0,40}exitcode\s{0,8}: -(?:4|6|7|8|11)\b",
            r"terminate called (?:after throwing|without an active exception)",
            rf".{{0,200}}\b{_SHELLS}\s{{1,30}}\(core dumped\)",
            rf"{_SHELLS}$",
            rf".{{0,200}}\.sh: line \d{{1,6}}:\s{{1,9}}\d{{1,9}} {_SHELLS}\b",
            r".{0,200}\(signal: (?:4|6|7|8|11), SIG",
            r"##\[error\]Process completed with exit code 1(?:32|34|35|36|39)\.",
            r"(?:\[gw\d{1,4}\] )?.{0,80}node down: Not properly terminated",
        ),
    ),
    Known(
        _C.OOM,
        _R.KILLED,
        "a process was killed (SIGKILL), most likely for memory, which this log does not prove",
        (
            r".{0,200}\.sh: line \d{1,6}:\s{1,9}\d{1,9} Killed\b",
            r"(?:.{0,100}:\s{1,9}\d{1,9} )?Killed(?:\s{2}.{0,200})?$",
            r".{0,300}(?:terminated|exited|killed|died) (?:with|by) (?:signal )?SIGKILL\b",
            r".{0,200}Signal 9 \(SIGKILL\) received",
            r"\s{0,40}exitcode\s{0,8}: -9\b",
            r".{0,200}\(signal: 9, SIGKILL",
            r"##\[error\]Process completed with exit code 137\.",
        ),
    ),
    Known(
        _C.WORKER_TERMINATED_SLOW,
        _R.WAITED,
        "a worker did not finish in time and was ended by what had started it",
        (
            r".{0,200}\bProcess \d{1,6} terminated or timed out after \d",
            r".{0,200}\b(?:worker|process|rank) \S{1,60} (?:was )?terminated (?:because|as) .{0,20}slow",
        ),
    ),
    Known(
        _C.TIMEOUT_HANG,
        _R.WAITED,
        "a test ran into its time limit",
        (
            r".{0,200}\+{8,200} Timeout \+{8,200}$",
            r"Timeout \(\d{1,3}:\d\d:\d\d(?:\.\d{1,9})?\)!$",
            r"panic: test timed out after ",
        ),
    ),
    Known(
        _C.TIMEOUT_HANG,
        _R.WAITED,
        "a command ran into its time limit",
        (
            r"Command took >\S{1,20}, returning 124",
            r".{0,200}timeout: sending signal (?:TERM|KILL) to command",
            r"##\[error\]Process completed with exit code 124\.",
        ),
    ),
    Known(
        _C.TIMEOUT_HANG,
        _R.WAITED,
        "a rank waited in a collective for one that did not come",
        (
            r".{0,300}Timed out waiting \d{1,12} ?ms for (?:recv|send|operation)",
            r".{0,200}Watchdog caught collective operation timeout",
            r".{0,200}\[Rank \d{1,6}\]: .{0,100}timed out in (?:Gloo|NCCL)",
            r".{0,300}monitoredBarrier: .{0,200}timed out",
        ),
    ),
    Known(
        _C.INIT_RENDEZVOUS,
        _R.LOST_PEER,
        "a rank could not join, or lost, the others before they were together",
        (
            r".{0,300}client socket has (?:timed out|failed to connect)",
            r".{0,200}(?:Rendezvous|DistStore|DistNetwork)\w{0,30}Error\b",
            r".{0,200}connectFullMesh failed",
            r".{0,200}wait timeout after \d{1,12} ?ms",
        ),
    ),
    Known(
        _C.INIT_RENDEZVOUS,
        _R.LOST_PEER,
        "a rank lost its peer",
        (
            r".{0,300}Connection (?:closed by peer|reset by peer) \[",
            r".{0,300}recvValue failed",
            r".{0,200}failed to recv, got 0 bytes",
        ),
    ),
    Known(
        _C.EXCEPTION,
        _R.OWN,
        "",
        (
            r"thread '.{1,200}' (?:\(\d{1,9}\) )?panicked at ",
            r"panic: ",
            r"fatal error: all goroutines are asleep - deadlock",
            r"Exception in thread \"",
            r"Unhandled(?:PromiseRejection| exception)",
            r"error\[E\d{4}\]: ",
            r".{1,200}[:(]\d{1,6}[,:]\d{1,6}\)?: (?:fatal )?error(?: TS\d{1,6})?: ",
            r"error TS\d{1,6}: ",
        ),
    ),
    Known(
        _C.WORKER_TERMINATED_SLOW,
        _R.ENDED,
        "a process was terminated (SIGTERM)",
        (
            r".{0,200}(?:terminated with|Signal 15 \()\s?(?:signal )?SIGTERM",
            r".{0,200}Terminating process \d{1,9} via signal SIGTERM",
            r"\s{0,40}exitcode\s{0,8}: -15\b",
            r"##\[error\]Process completed with exit code 143\.",
        ),
    ),
    Known(_C.INFRA, _R.ENDED, "the job was cancelled", (r"##\[error\]The operation was cancell?ed\.",)),
    Known(
        _C.UNKNOWN,
        _R.ENDED,
        "a step failed, and the log does not say why",
        (
            r"##\[error\]Process completed with exit code [1-9-]\d{0,9}\.",
            r"Got exit code [1-9]\d{0,5}",
            r"Process \d{1,6} terminated with exit code ",
            r".{0,100}Root Cause \(first observed failure\)",
            r"[\w. ]{0,100}failed \(exitcode: ",
            r"(?:make|gmake)(?:\[\d{1,4}\])?: \*\*\* ",
            r"npm (?:ERR!|error) (?:code ELIFECYCLE|Lifecycle script)",
            r"error: (?:test failed|test run failed|could not compile)\b",
            r"\S{1,200} \d{1,6}/\d{1,6} failed!$",
        ),
    ),
    Known(
        _C.EXCEPTION,
        _R.COMPLAINT,
        "",
        (r"##\[error\]", r"(?:error|fatal|ERROR|FATAL|Error): ", r"[\w./-]{1,200} - failed\. ", r"E: "),
    ),
)
"""The first that matches a line at its beginning tells what it means."""

_EACH: Final = tuple(
    (known, re.compile("|".join(f"(?:{one})" for one in known.patterns), re.IGNORECASE)) for known in KNOWN
)


def find_known(said: str) -> Known | None:
    """What a line without its labels means; None for one that is not known."""
    return next((known for known, pattern in _EACH if pattern.match(said)), None)
