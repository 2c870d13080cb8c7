"""Whole numbers in attributes: up to nine plain digits, or unknown."""

import re
from typing import Final

_WHOLE: Final = re.compile(r"[0-9]{1,9}")


def whole_number(value: str | None) -> int | None:
    return int(value) if value is not None and _WHOLE.fullmatch(value) else None
