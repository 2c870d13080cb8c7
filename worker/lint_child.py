"""The process that lints one file of strangers for the service: it may take its time, memory or life only.

Reads `{"source", "path"}` from stdin, and writes `{"findings", "found", "refused"}` to stdout.
"""

import json
import resource
import sys
from typing import Final

from app.domain.errors import Rejected
from app.domain.finding_record import bounded, to_record
from app.domain.lint.linted import lint

CPU_S: Final = 20
"""The largest test file of torch takes a third of it."""
MEMORY_BYTES: Final = 1 << 30


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    asked = json.load(sys.stdin)
    try:
        found = lint(asked["source"], asked["path"])
        told = {"findings": [to_record(one) for one in bounded(found)], "found": len(found), "refused": ""}
    except Rejected as refused:
        told = {"findings": [], "found": 0, "refused": refused.reason}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
