"""Which chapter a moment belongs to."""

from points import Point, points_of

BEFORE, AFTER = "judge, by runner: writes tasks | before", "judge, by runner: writes tasks | after"
LATER = "relay: writes deliveries | before"


def test_what_a_writer_notes_after_the_chapter_was_quiet_belongs_to_that_chapter() -> None:
    assert points_of([[BEFORE], [AFTER, LATER]]) == [Point(BEFORE, 0), Point(AFTER, 0), Point(LATER, 1)]


def test_a_moment_of_two_chapters_is_killed_at_in_the_first_and_in_the_last() -> None:
    assert points_of([[BEFORE, AFTER], [LATER], [BEFORE, AFTER]]) == [
        Point(BEFORE, 0),
        Point(BEFORE, 2),
        Point(AFTER, 0),
        Point(AFTER, 2),
        Point(LATER, 1),
    ]
