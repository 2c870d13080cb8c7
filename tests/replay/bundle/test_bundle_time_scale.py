"""Time in a picture is monotone, and gives room to where much happens."""

from hypothesis import given
from hypothesis import strategies as st

from worker.replay.bundle.picture import tick_words
from worker.replay.bundle.time_scale import TimeScale

moments = st.lists(st.integers(-5 * 10**9, 50 * 10**9).map(lambda ns: ns / 10**9), max_size=40)
"""As journals have them, in nanoseconds: closer ones cannot be told apart on the way back."""


def test_a_burst_of_events_gets_more_room_than_the_wait_after_it() -> None:
    burst = [2 + number / 1000 for number in range(14)]
    scale = TimeScale.of(20.0, burst)
    assert scale.place(2.013) - scale.place(2.0) > 40
    assert scale.place(20.0) == 100


@given(st.floats(0, 40), moments, moments)
def test_places_rise_with_time_and_stay_in_the_picture(
    seconds: float, known: list[float], asked: list[float]
) -> None:
    scale = TimeScale.of(seconds, known)
    places = [scale.place(one) for one in sorted(asked)]
    assert places == sorted(places)
    assert all(0 <= one <= 100.0001 for one in places)


@given(st.floats(0.001, 40), moments, st.floats(0, 100))
def test_a_place_leads_back_to_its_moment(seconds: float, known: list[float], place: float) -> None:
    scale = TimeScale.of(seconds, known)
    assert abs(scale.place(scale.moment(place)) - place) < 0.01


def test_ticks_have_as_few_digits_as_tell_them_apart() -> None:
    assert tick_words([0.0, 1.5, 3.0]) == ["0 s", "1.5 s", "3 s"]
    assert tick_words([3.8201, 3.8204]) == ["3.8201 s", "3.8204 s"]
    assert tick_words([2.0, 2.0]) == ["2 s", "2 s"]
