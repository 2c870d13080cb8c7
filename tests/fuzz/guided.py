"""One process of fuzzing that atheris guides by the lines and branches of `app` that an input reaches."""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["app", "worker", "zipfile"]):
    from targets import LARGEST, TARGETS

HARD_TIMEOUT_S = 60
"""For what would never end; what is merely too slow is measured in the target itself."""


def main(reader: str, folder: str, seconds: str, seed: str) -> None:
    place = Path(folder)
    options = [
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-max_len={LARGEST}",
        f"-timeout={HARD_TIMEOUT_S}",
        "-rss_limit_mb=4096",
        "-print_final_stats=1",
        f"-artifact_prefix={place / 'found'}/",
        str(place / "corpus"),
        str(place / "seeds"),
    ]
    atheris.Setup([sys.argv[0], *options], TARGETS[reader].run)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
