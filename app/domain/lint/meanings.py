"""The meaning of every rule."""

from collections.abc import Mapping
from typing import Final

from app.domain.lint.finding import Rule
from app.domain.lint.meaning import Meaning
from app.domain.lint.meanings_of_ranks import MEANINGS_OF_RANKS
from app.domain.lint.meanings_of_reports import MEANINGS_OF_REPORTS
from app.domain.lint.meanings_of_waiting import MEANINGS_OF_WAITING

MEANINGS: Final[Mapping[Rule, Meaning]] = {**MEANINGS_OF_REPORTS, **MEANINGS_OF_WAITING, **MEANINGS_OF_RANKS}
