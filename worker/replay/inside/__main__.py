"""The supervisor's start: `python -m flake_triage_inside DESCRIPTOR`, a socket that the engine holds too."""

from __future__ import annotations

import sys

from .channel import Channel
from .supervising import Supervisor


def main() -> int:
    channel = Channel(int(sys.argv[1]))
    order = channel.receive()
    if order is None:
        return 3
    Supervisor(channel, order).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
