"""Where a moment stands in a picture: time as it passed, stretched where much happens in little of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

BY_TIME = 0.4
"""Share of the width that is given by time; the rest is parted evenly among the moments of which we know.

Fourteen reductions take five milliseconds, and the wait that follows takes fifteen seconds: by time alone
the fourteen would be one line.
"""


@dataclass(frozen=True, slots=True)
class TimeScale:
    """Monotone from seconds to percent of the width. `moments` and `places` are of equal length and rise."""

    moments: tuple[float, ...]
    places: tuple[float, ...]

    @classmethod
    def of(cls, seconds: float, moments: Iterable[float]) -> "TimeScale":
        total = max(seconds, 1e-9)
        stops = sorted({0.0, total, *(one for one in moments if 0 < one < total)})
        parts = len(stops) - 1
        places = [
            100 * (BY_TIME * stop / total + (1 - BY_TIME) * index / parts) for index, stop in enumerate(stops)
        ]
        return cls(tuple(stops), tuple(places))

    def place(self, moment: float) -> float:
        """Percent from the left; what is outside of the trial stands at its edge."""
        return _between(self.moments, self.places, moment)

    def moment(self, place: float) -> float:
        """The seconds that stand at this percent."""
        return _between(self.places, self.moments, place)


def _between(stops: Sequence[float], values: Sequence[float], at: float) -> float:
    if at <= stops[0]:
        return values[0]
    if at >= stops[-1]:
        return values[-1]
    upper = bisect_right(stops, at)
    lower = upper - 1
    if stops[lower] == at:
        return values[bisect_left(stops, at)]
    share = (at - stops[lower]) / (stops[upper] - stops[lower])
    return values[lower] + share * (values[upper] - values[lower])
