"""The options of `replay` that need more than a type: sizes, folders, and what excludes what."""

import glob
import re
from collections.abc import Sequence
from pathlib import Path

import typer

from app.domain.replay_words import Arm
from worker.replay.probe import inject

_SIZE = re.compile(r"(?P<number>[0-9]{1,12}(?:\.[0-9]{1,6})?) ?(?P<unit>[kmgt]?)(?:i?b)?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def size_bytes(written: str) -> int:
    """Bytes of `512m`, `1.5GiB` or `800000000`; units are powers of 1024, as containers have them."""
    match = _SIZE.fullmatch(written.strip())
    if match is None:
        raise typer.BadParameter(f"--memory takes a size such as 512m or 2g, not {written!r}")
    size = int(float(match["number"]) * 1024 ** _POWERS[match["unit"].lower()])
    if size <= 0:
        raise typer.BadParameter("--memory is more than 0 bytes")
    return size


def arms_of(written: Sequence[str], nodes: Sequence[str]) -> tuple[tuple[Arm, ...], list[str]]:
    """The arms, each once, and the tests: after `--arm A B` the second arm stands among the tests."""
    words = [one for part in written for one in part.split(",") if one]
    known = {arm.value for arm in Arm}
    if words:
        words += [one for one in nodes if one in known]
        nodes = [one for one in nodes if one not in known]
    for word in words:
        if word not in known:
            raise typer.BadParameter(f"--arm: {word!r} is none of {', '.join(Arm)}")
    return tuple(dict.fromkeys(Arm(word) for word in words)), list(nodes)


def files_of(written: Sequence[str], nodes: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The results files, and the tests: after `--from-junit A B` the second file stands among the tests.

    A folder stands for the XML files in it; a pattern that no shell has resolved for the files that fit. What
    is named and not there stays in the list, for its reader to say so.
    """
    more = [one for one in nodes if written and "::" not in one]
    found = [file for one in (*written, *more) for file in _files(one)]
    return list(dict.fromkeys(found)), [one for one in nodes if one not in more]


def _files(written: str) -> list[Path]:
    path = Path(written)
    if path.is_dir():
        return sorted(path.rglob("*.xml")) or [path]
    if path.exists() or not glob.has_magic(written):
        return [path]
    found = glob.iglob(written, recursive=True)  # noqa: PTH207 - absolute patterns too
    return sorted(Path(one) for one in found if Path(one).is_file()) or [path]


def fault_of(written: str) -> inject.Fault:
    try:
        return inject.parse(written)
    except ValueError as error:
        raise typer.BadParameter(f"--inject: {error}") from error


def refuse_with_injection(arms: Sequence[Arm], *, compare_limits: bool) -> None:
    """A fault is judged by what the test says of it, under one set of limits."""
    if compare_limits or len(arms) > 1:
        raise typer.BadParameter("--inject and --inject-all take one --arm, and no --compare-limits")


def empty_folder(out: Path) -> Path:
    """Make it; BadParameter where something stands in it, since evidence of two replays must not be mixed."""
    if out.is_dir() and any(out.iterdir()):
        raise typer.BadParameter(f"--out: {out} is not empty")
    if out.exists() and not out.is_dir():
        raise typer.BadParameter(f"--out: {out} is not a folder")
    out.mkdir(parents=True, exist_ok=True)
    return out.resolve()


def only_one(given: dict[str, bool]) -> str:
    """The name of the one that is given; BadParameter where there is none, or more than one."""
    names = [name for name, is_given in given.items() if is_given]
    if len(names) != 1:
        what = "one of" if not names else "only one of"
        raise typer.BadParameter(f"give {what} {', '.join(given)}")
    return names[0]


def folder_names(tests: Sequence[str]) -> list[str]:
    """A folder name for each test: its place in the list, and as much of its name as any disk takes."""
    width = len(str(len(tests)))
    return [
        f"{index:0{width}d}-{re.sub(r'[^A-Za-z0-9_.-]+', '-', test.rpartition('::')[2])[:60].strip('-.')}"
        for index, test in enumerate(tests, start=1)
    ]
