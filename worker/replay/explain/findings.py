"""What is worth knowing beside the cause. A trial that passed has only what it left behind, or hid."""

from collections.abc import Iterator
from typing import Final

from app.domain.replay_words import FindingKind
from worker.replay.explain.reports import unread, unshown
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import MOST_NAME, clean, listed, place, seconds
from worker.replay.facts import WORLD
from worker.replay.trial import Finding

MOST_FINDINGS: Final = 32
_OWN_SERVICES: Final = ("multiprocessing.resource_tracker",)


def findings(scene: Scene, *, failed: bool) -> tuple[Finding, ...]:
    """In the order of the closed set; each text one sentence."""
    found = [*_of_failure(scene)] if failed else []
    return (*found, *_left_behind(scene), *_not_observed(scene))[:MOST_FINDINGS]


def _of_failure(scene: Scene) -> Iterator[Finding]:
    for text in unread(scene):
        yield Finding(FindingKind.UNREAD_REPORT, text)
    for text in unshown(scene):
        yield Finding(FindingKind.REPORT_NOT_SHOWN, text)
    yield from _init_outside_try(scene)
    usage = scene.facts.usage
    if usage.throttled_periods and usage.periods:
        stood = f" ({seconds(usage.throttled_ns)} in sum)" if usage.throttled_ns else ""
        yield Finding(
            FindingKind.THROTTLED,
            f"the tree was throttled in {usage.throttled_periods} of {usage.periods} periods{stood}",
        )


def _init_outside_try(scene: Scene) -> Iterator[Finding]:
    """Where the test has a way to report exceptions, and a failure of init would not take it."""
    reports = any(one.is_put and one.holds_traceback for one in scene.facts.items)
    outside = [
        one
        for one in scene.facts.inits
        if one.group == WORLD and one.in_try is False and (reports or one.error is not None)
    ]
    sites = sorted({place(one.site) for one in outside if one.site})
    for site in sites:
        yield Finding(
            FindingKind.INIT_OUTSIDE_TRY,
            f"init_process_group at {site} stands outside the try: if it fails, nothing reports why",
        )
    if outside and not sites:
        yield Finding(FindingKind.INIT_OUTSIDE_TRY, "init_process_group stands outside the try of its worker")


def _left_behind(scene: Scene) -> Iterator[Finding]:
    for one in sorted(scene.facts.survivors, key=lambda each: (each.pid, each.argv)):
        if any(service in word for word in one.argv for service in _OWN_SERVICES):
            continue
        name = scene.ranks.name(one.pid)
        command = clean(" ".join(one.argv))
        yield Finding(
            FindingKind.LEAKED_PROCESS,
            f"{name} was still there when the test had ended: {command} (state {clean(one.state, 8)})",
        )
        if one.ports:
            ports = listed(str(port) for port in sorted(set(one.ports))[:16])
            yield Finding(FindingKind.LEAKED_PORT, f"{name} still listened on port {ports}: {command}")


def _not_observed(scene: Scene) -> Iterator[Finding]:
    """Python processes of a probed trial that the probe did not reach; a bare trial has no probe to miss."""
    if scene.facts.bare:
        return
    for one in sorted(scene.lives.processes.values(), key=lambda each: (each.started, each.pid)):
        is_service = any(service in word for word in one.argv for service in _OWN_SERVICES)
        if one.is_python and not one.observed and not is_service:
            command = clean(" ".join(one.argv), 2 * MOST_NAME)
            yield Finding(
                FindingKind.NOT_OBSERVED,
                f"the probe did not reach {scene.ranks.name(one.pid)}: {command}".rstrip(": "),
            )
