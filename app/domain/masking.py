"""The ordered table of masks: volatile tokens become placeholders, so that two runs' texts are equal.

Every pattern begins where its run of characters begins (a look-behind) and bounds its repeats, so that the
time is linear in the length of a line. Placeholders hold no digit: masking a masked text changes nothing.
"""

from app.domain.mask import Mask
from app.domain.mask_amounts import AMOUNT_MASKS
from app.domain.mask_places import PLACE_MASKS

MASKED_CHARS = 2_000
"""A line is cut to this length before masking; keys need no more, and it bounds the cost."""

MASKS: tuple[Mask, ...] = (*PLACE_MASKS, *AMOUNT_MASKS)
"""In this order: what holds digits of a known kind goes before the rule for any number."""


def mask(line: str) -> str:
    """Mask one line. Idempotent: a mask can lay bare what another takes, so it goes on until all is taken.

    It ends, since each replacement removes characters that no placeholder holds.
    """
    before, line = "", line[:MASKED_CHARS]
    while line != before:
        before, line = line, _mask_once(line)
    return line


def _mask_once(line: str) -> str:
    for each in MASKS:
        line = each.pattern.sub(each.replacement, line)
    return line
