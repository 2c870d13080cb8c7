"""The objects of `go test -json`, one a line: the output of several packages at once."""

import json
from typing import Final, NamedTuple

from app.domain.joblog.go_build import GoBuilds
from app.domain.joblog.go_package import PACKAGE, GoPackage
from app.domain.joblog.run_reader import ToldFailure

MAX_OPEN: Final = 1000
"""Packages that run at once; go starts as many as there are cores."""

_BEGINNINGS: Final = ('{"Time":"', '{"Action":"', '{"ImportPath":"')
_ENDS: Final = ("pass", "fail", "skip", "bench")


class _Event(NamedTuple):
    action: str
    package: str
    test: str
    output: str


def _read_event(line: str) -> _Event | None:
    """None for what is no such object; a line that was cut is none."""
    if not line.startswith(_BEGINNINGS):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    fields = [event.get(key, "") for key in ("Action", "Package", "Test", "Output", "ImportPath")]
    if not all(isinstance(value, str) for value in fields):
        return None
    action, package, test, output, built = fields
    return _Event(action, package or built.partition(" ")[0], test, output)


class GoJson:
    """Takes a step's lines in order."""

    def __init__(self, builds: GoBuilds) -> None:
        self.cut = False
        self._builds = builds
        self._open: dict[str, GoPackage] = {}
        self._told: list[ToldFailure] = []

    @property
    def in_run(self) -> bool:
        return bool(self._open)

    def feed(self, line: str, number: int) -> bool:
        """Whether the line is such an object."""
        event = _read_event(line)
        if event is None:
            return False
        if event.action == "build-output":
            self._builds.add(event.package, event.output)
        elif event.action in _ENDS and not event.test:
            self._end(event, number)
        elif event.package in self._open or len(self._open) < MAX_OPEN:
            self._follow(event, self._open.setdefault(event.package, GoPackage()), number)
        else:
            self.cut = True
        return True

    def take(self) -> list[ToldFailure]:
        """What is told since the last time."""
        told, self._told = self._told, []
        return told

    def stop(self) -> list[ToldFailure]:
        """What had failed in the packages that never came to their end."""
        return [told for name, package in self._open.items() for told in package.stopped(name)]

    def _end(self, event: _Event, number: int) -> None:
        package = self._open.pop(event.package, None)
        if package is not None and event.action == "fail":
            self._told += package.end(event.package, number)
            self.cut = self.cut or package.cut

    def _follow(self, event: _Event, package: GoPackage, number: int) -> None:
        output = event.output.rstrip("\n")
        line = None if event.test else PACKAGE.match(output)
        if line is not None and line["cause"]:
            self._told.append(self._builds.failure(event.package, line["cause"], number))
            del self._open[event.package]
        elif event.action in _ENDS:
            package.end_test(event.test, number, has_failed=event.action == "fail")
        elif event.action == "output" and line is None:
            if event.test:
                package.attribute(event.test)
            package.feed(output, number)
