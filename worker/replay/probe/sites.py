"""Where in the project a call came from, at the price of a dictionary look-up."""

from __future__ import annotations

import os
import sys

from . import address, journal

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from types import CodeType, FrameType

    Site = tuple[str, int, str, str | None, bool]  # file, line, function, source line, in the project

_MOST_SOURCE = 2 * 1024 * 1024  # bytes of a source file that is read for its lines
_FOREIGN = ("/site-packages/", "/dist-packages/")


class _Project:
    roots: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    began_in: str = ""


_project = _Project()
_is_project: dict[CodeType, bool] = {}
_known: dict[tuple[CodeType, int], Site] = {}
_numbers: dict[Site, int] = {}
_lines: dict[str, list[str]] = {}


def begin(project: str) -> None:
    """Names the project's folder, as this process sees it."""
    roots = [os.path.join(project, "")] if project else []
    real = os.path.join(os.path.realpath(project), "") if project else ""
    _project.roots = tuple(roots + [real] * (real not in roots and bool(real)))
    _project.foreign = tuple(
        one for one in address.prefixes() if one.startswith(_project.roots) and one not in _project.roots
    )
    try:
        _project.began_in = os.getcwd()
    except OSError:
        _project.began_in = ""


def forget_numbers() -> None:
    """In a fork child: its journal knows none of its parent's site numbers."""
    _numbers.clear()


def call_site(depth: int = 1) -> Site | None:
    """The innermost frame of the project among the callers, `depth` frames up at least; None without one."""
    frame: FrameType | None = sys._getframe(depth)  # noqa: SLF001 -- the documented way, and the only cheap one
    while frame is not None:
        code = frame.f_code
        ours = _is_project.get(code)
        if ours if ours is not None else is_project(code):
            return _site(code, frame.f_lasti, frame)
        frame = frame.f_back
    return None


def nearest_site() -> Site | None:
    """`call_site`, or without a frame of the project the innermost that is not the probe's."""
    site = call_site()
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 -- as above
    while site is None and frame is not None:
        if not is_probe(frame.f_code):
            site = _site(frame.f_code, frame.f_lasti, frame)
        frame = frame.f_back
    return site


def site_number(depth: int = 1) -> int:
    """`call_site` as a number, whose frame a `site` event of this process's journal tells; 0 for none."""
    site = call_site(depth + 1)
    if site is None:
        return 0
    number = _numbers.get(site)
    if number is None:
        number = _numbers[site] = len(_numbers) + 1
        journal.note("site", id=number, frame=site)
    return number


def is_project(code: CodeType) -> bool:
    """Whether this code stands in a file of the project, its virtual environment and the probe left out."""
    known = _is_project.get(code)
    if known is None:
        known = _is_project[code] = relative(code.co_filename) is not None
    return known


def begins_process(code: CodeType) -> bool:
    """Whether what stands above this frame is another process's: a fork child has its parent's stack."""
    return code.co_name == "_bootstrap" and code.co_filename.endswith("multiprocessing/process.py")


def is_caller_project(depth: int) -> bool:
    """Whether the frame `depth` frames up is the project's own, rather than one that it called."""
    try:
        return is_project(sys._getframe(depth).f_code)  # noqa: SLF001 -- as above
    except ValueError:
        return False


def is_probe(code: CodeType) -> bool:
    return is_probe_file(code.co_filename)


def is_probe_file(file: str) -> bool:
    return file.startswith(address.PACKAGE + os.sep)


def relative(file: str) -> str | None:
    """The path below the project's folder; None for a file that is not the project's."""
    if not file or file[0] == "<":
        return None
    full = file if file[0] == "/" else _project.began_in + "/" + file
    if full.startswith((address.PACKAGE + os.sep, *_project.foreign)):
        return None
    for root in _project.roots:
        if full.startswith(root) and not any(one in full[len(root) - 1 :] for one in _FOREIGN):
            return full[len(root) :]
    return None


def described(code: CodeType, line: int) -> Site:
    """A frame as the journal writes it; the source line only for files of the project."""
    return located(code.co_filename, line, code.co_name)


def located(file: str, line: int, function: str) -> Site:
    """The same of a frame of which only these are known."""
    inside = relative(file)
    if inside is None:
        return (file, line, function, None, False)
    return (inside, line, function, _source(file, line), True)


def _site(code: CodeType, instruction: int, frame: FrameType) -> Site:
    site = _known.get((code, instruction))
    if site is None:
        site = _known[code, instruction] = described(code, frame.f_lineno or code.co_firstlineno)
    return site


def _source(file: str, line: int) -> str | None:
    lines = _lines.get(file)
    if lines is None:
        lines = _lines[file] = _read(file)
    return lines[line - 1].strip()[:200] if 0 < line <= len(lines) else None


def _read(file: str) -> list[str]:
    full = file if file[0] == "/" else _project.began_in + "/" + file
    try:
        with open(full, "rb") as source:
            return source.read(_MOST_SOURCE).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
