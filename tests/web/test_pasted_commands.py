"""Commands that a page shows are pasted into shells: a stranger's name is one word there, and no option."""

import shlex

import pytest

from app.dashboard import replay_views
from app.domain.replay_claim import ReplayClaim
from app.domain.replay_words import CauseKind, ReplayVerdict
from app.store.replays import ArrivedReplay

CLAIM = ReplayClaim(
    test="tests/test_x.py::test_x",
    verdict=ReplayVerdict.NOT_REPRODUCED,
    sentence="it never failed",
    cause=CauseKind.NONE,
    rank=None,
    cause_sentence="",
    exception="",
    failures=0,
    trials=10,
    rate_low=0.0,
    rate_high=0.3,
    arms=(),
)


@pytest.mark.parametrize(
    ("folder", "word"),
    [
        ("", "."),
        ("01-test_x/", "01-test_x"),
        ("x; rm -rf ~/", "x; rm -rf ~"),
        ("$(reboot)/it's/", "$(reboot)/it's"),
        ("--json/", "./--json"),
        ("a\nb/", "a\nb"),
    ],
)
def test_the_folder_of_a_bundle_is_one_word_of_the_command_that_checks_it(folder: str, word: str) -> None:
    arrived = ArrivedReplay(
        job=1,
        artifact=2,
        artifact_name="replay",
        artifact_digest=None,
        folder=folder,
        manifest="cd" * 32,
        own_word=True,
        claim=CLAIM,
    )
    assert shlex.split(replay_views.replay(arrived, []).check) == ["flake-triage", "bundle", "verify", word]
