"""What a traceback text says was raised, before anything is judged or masked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """`function` and `source` are empty where the text does not show them; `source` has single spaces."""

    path: str
    function: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Raised:
    """One exception as printed. `frames` run from the outermost call to where it was raised.

    Exceptions of one `chain` were linked by "cause" or "context". A `carrier` only carries another process's
    traceback in its message. `leaves` are the members of an exception group, of any depth.
    """

    type: str
    message: tuple[str, ...]
    frames: tuple[Frame, ...] = ()
    chain: int = 0
    carrier: bool = False
    leaves: tuple["Raised", ...] = ()
    rank: int | None = None

    @property
    def headline(self) -> str:
        """The part of the message that names the failure: its first line, or two where that only announces.

        Notes of an exception stand on the lines after it and cannot be told from them, so no more is taken.
        """
        lines = [line.strip() for line in self.message if line.strip()]
        if not lines:
            return ""
        announces = lines[0].endswith(":") or "validation error" in lines[0]
        return " ".join(lines[:2]) if announces else lines[0]


def collapse(source: str) -> str:
    """One line with single spaces, so that indentation and line breaks do not matter."""
    return " ".join(source.split())
