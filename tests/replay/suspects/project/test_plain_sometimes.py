"""A test that fails one time in five, with no process beside it.

Family: no rank anywhere; chance.
Expected verdict: confirmed flake, one run in five under any limit.
Expected cause: test-assertion: 0 collisions were expected.
Must not say: a rank, a limit that it needs.
"""

import os


def test_names_are_unique() -> None:
    collisions = int(os.urandom(1)[0] < 51)
    assert collisions == 0
