"""Who was named while a trial ran, as the bundle tells it afterwards."""

from pathlib import Path

from told_trials import replay_of, trial

from app.domain.replay_words import Outcome
from worker.replay.bundle.markup import joined
from worker.replay.bundle.named import named_in, named_part, named_story
from worker.replay.facts import WORLD
from worker.replay.observed import Absent, Naming, Observed
from worker.replay.trial import Position, Thrown
from worker.replay.trial_folder import write_observed

S = 1_000_000_000
ABSENT = Absent(
    0, Position(WORLD, 14, "all_reduce", "MIN"), raised=Thrown("ValueError", "<b>no</b>", None, None, ())
)
PROVISIONAL = Naming(
    3 * S, "provisional", 7, 1, WORLD, 15, "all_reduce", 2 * S, (0,), reduce_op="MIN", absent=(ABSENT,)
)
BORNE_OUT = Naming(
    17 * S, "borne-out", 7, 1, WORLD, 15, "all_reduce", 2 * S, (0,), reduce_op="MIN", absent=(ABSENT,)
)
HEADS = (
    "provisional: rank 1 waits in all_reduce(MIN) number 15 on WORLD, where rank 0 is missing",
    (
        "borne out, the wait has failed: rank 1 waited in all_reduce(MIN) number 15 on WORLD, "
        "where rank 0 was missing"
    ),
)
RAISED = "rank 0 raised ValueError: <b>no</b>, after all_reduce(MIN) number 14 on WORLD"


def left_by(folder: Path, *namings: Naming) -> Path:
    write_observed(folder, Observed(0, 20 * S, namings=namings))
    return folder


def test_story_has_each_naming_with_its_time_and_what_was_known_then(tmp_path: Path) -> None:
    failed = trial(2, left_by(tmp_path, PROVISIONAL, BORNE_OUT), outcome=Outcome.FAILED, bare=False)
    assert [one.words for one in named_story(replay_of((failed,)))] == [
        "Named while trial 2 ran",
        f"  1.0 s after the wait began: {HEADS[0]}",
        f"    {RAISED}",
        f"  15.0 s after the wait began: {HEADS[1]}",
    ]


def test_story_is_silent_where_nobody_was_named(tmp_path: Path) -> None:
    failed = trial(2, left_by(tmp_path), outcome=Outcome.FAILED, bare=False)
    assert list(named_story(replay_of((failed,)))) == []


def test_page_has_the_same_words_escaped(tmp_path: Path) -> None:
    failed = trial(2, left_by(tmp_path, PROVISIONAL, BORNE_OUT), outcome=Outcome.FAILED, bare=False)
    text = str(joined(*named_part(named_in(failed))))
    assert "Named while it ran" in text
    assert "rank 0 raised ValueError: &lt;b&gt;no&lt;/b&gt;, after all_reduce(MIN) number 14" in text
    assert text.count("after the wait began") == 2
    assert named_part(()) == []
