"""One process of fuzzing with hypothesis, where atheris has no wheel: damaged seeds, seed after seed."""

import hashlib
import sys
import time
from pathlib import Path

from hypothesis import given, seed, settings
from hypothesis import strategies as st
from reading_damage import damaged
from targets import TARGETS

EXAMPLES = 500


def main(reader: str, folder: str, seconds: str, number: str) -> int:
    target = TARGETS[reader]
    end_s = time.monotonic() + float(seconds)
    examples = 0
    turn = int(number)
    while time.monotonic() < end_s:
        try:
            _examples(target.run, target.seeds(), turn)
        except Exception:
            content = target.last
            (Path(folder) / "found" / hashlib.sha1(content).hexdigest()).write_bytes(content)
            raise
        turn += 2
        examples += EXAMPLES
    sys.stdout.write(f"{examples:,} examples\n")
    return 0


def _examples(run, seeds: list[bytes], number: int) -> None:  # noqa: ANN001 - a target's
    @seed(number)
    @settings(max_examples=EXAMPLES, database=None, deadline=None)
    @given(st.one_of(st.binary(max_size=5000), damaged(seeds)))
    def one(content: bytes) -> None:
        run(content)

    one()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
