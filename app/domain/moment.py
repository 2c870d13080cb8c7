"""Which moments can be those of a run: neither the zero of a clock nor the end of time, which break sums."""

from datetime import datetime
from typing import Final

FIRST_YEAR: Final = 2000
LAST_YEAR: Final = 2100


def is_plausible(moment: datetime) -> bool:
    """True within the years in which a run can have taken place; a missing time is often told as year 1."""
    return FIRST_YEAR <= moment.year <= LAST_YEAR
