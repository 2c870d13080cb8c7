"""A plugin that notes the phases of tests, registered by us: nothing is added to pytest's arguments.

It has no hook that changes what pytest does: each gives None, and raises nothing.
"""

from __future__ import annotations

from . import exceptions, imports, journal, sites, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from typing import Any

_NAME = "flake-triage-phases"
_MOST_TEXT = 1000


def begin() -> None:
    imports.after("_pytest.config", _watch_config)


def _watch_config(module: Any) -> None:  # noqa: ANN401 -- the module
    def make(original: wrapping.Function) -> wrapping.Function:
        def get_config(*args: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the function
            config = original(*args, **named)
            _register(config)
            return config

        return get_config

    wrapping.around(module, "get_config", make)


@wrapping.quietly
def _register(config: Any) -> None:  # noqa: ANN401 -- a Config
    if not config.pluginmanager.has_plugin(_NAME):
        config.pluginmanager.register(Phases(), _NAME)


class Phases:
    """Its methods are named as pytest's hooks, which is how pytest finds them."""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A phase that never ends is told by its beginning."""
        journal.note("phase", test=nodeid, when="start", outcome="")

    def pytest_exception_interact(self, call: Any) -> None:  # noqa: ANN401 -- pytest's own
        """The failure's own exception, with the chain that its one line leaves out."""
        excinfo = getattr(call, "excinfo", None)
        exceptions.note(getattr(excinfo, "value", None), exceptions.TEST)

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: ANN401 -- pytest's own
        """Not in the controller of xdist: the worker has told it."""
        if not hasattr(report, "node"):
            _note_report(report, str(report.when))

    def pytest_collectreport(self, report: Any) -> None:  # noqa: ANN401 -- pytest's own
        """Only a collection that failed says something."""
        if report.outcome != "passed":
            _note_report(report, "collect")


@wrapping.quietly
def _note_report(report: Any, when: str) -> None:  # noqa: ANN401 -- pytest's own
    crash, file, line = _crash_of(report.longrepr)
    journal.note(
        "phase",
        test=str(report.nodeid),
        when=when,
        outcome=str(report.outcome),
        crash=crash,
        file=file,
        line=line,
    )


def _crash_of(longrepr: Any) -> tuple[str, str | None, int | None]:  # noqa: ANN401 -- pytest's own, of many shapes
    crash = getattr(longrepr, "reprcrash", None)
    if crash is not None:
        path = str(crash.path)
        return str(crash.message)[:_MOST_TEXT], sites.relative(path) or path, int(crash.lineno)
    if isinstance(longrepr, tuple) and len(longrepr) == 3:  # noqa: PLR2004 -- file, line and reason of a skip
        return (
            str(longrepr[2])[:_MOST_TEXT],
            sites.relative(str(longrepr[0])) or str(longrepr[0]),
            longrepr[1],
        )
    return (str(longrepr)[:_MOST_TEXT] if longrepr else ""), None, None
