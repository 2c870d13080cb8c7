"""The reconciler: looks at every repository's list of runs in turn, for what no delivery told of."""

import threading
from collections.abc import Callable

from app.domain.ids import RepoName
from app.store import watch
from app.store.session import read_only, unit_of_work
from worker.deps import Deps
from worker.watching.look import look_if_due

LOOK_S = 5.0
"""How often it asks whose turn it is: one short read."""


class Reconciler:
    """Beside the worker's tasks, in a thread; `after_look` is called when orders may have been written.

    Of several workers one looks at a repository at a time. Where it ends in the middle of a look, the next
    one begins it anew: nothing is written before its end.
    """

    def __init__(self, deps: Deps, *, after_look: Callable[[], None]) -> None:
        self._deps = deps
        self._after_look = after_look
        self._has_started_over = False

    def run(self, stop: threading.Event) -> None:
        """Look until `stop` is set, or something is raised; does nothing where the settings switch it off."""
        every_s = self._deps.settings.reconcile_s
        if every_s == 0:
            return
        if not self._has_started_over:
            self._start_over()
        while not stop.is_set():
            self.turn(stop)
            stop.wait(min(LOOK_S, every_s))

    def turn(self, stop: threading.Event) -> int:
        """Look at every repository that is due; return how many that was."""
        looked = 0
        for repo in self._due():
            if stop.is_set():
                break
            if look_if_due(self._deps, repo):
                looked += 1
                self._after_look()
        return looked

    def _due(self) -> list[RepoName]:
        """Those that the settings name, and those that GitHub has told us about, when it is time.

        One read: a turn is claimed in a writing transaction, of which there should be no idle ones.
        """
        settings, now = self._deps.settings, self._deps.clock.now()
        with read_only(self._deps.store) as session:
            known = watch.known_names(session)
            later = {one.key for one in watch.listed(session) if one.due_at is not None and one.due_at > now}
        found = {name.lower(): name for name in known if settings.watches(name)}
        names = [*found.values(), *(RepoName(name) for name in sorted(settings.watched - found.keys()))]
        return [name for name in names if name.lower() not in later]

    def _start_over(self) -> None:
        alone = not self._deps.settings.on_postgres
        with unit_of_work(self._deps.store) as session:
            watch.start_over(session, alone=alone)
        self._has_started_over = True
