"""The service's figures as Prometheus reads them: names end in their unit, totals in `_total`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from app.store import totals
from app.store.service_state import ServiceState
from app.store.tasks import TaskState
from app.store.totals import BETWEEN

PREFIX: Final = "flake_triage_"

COUNTERS: Final = {
    totals.DELIVERIES: ("deliveries_received", "Deliveries stored, redeliveries not counted.", ()),
    totals.RECORDED: ("attempts_recorded", "Attempts of runs recorded.", ()),
    totals.JUDGED: ("attempts_judged", "Attempts of which every failure was judged.", ()),
    totals.RESULTS: ("results_read", "Results of tests read from judged attempts.", ()),
    totals.FAILURES: ("failures_judged", "Failures of judged attempts.", ()),
    totals.VERDICTS: ("verdicts", "Verdicts, each a change of mind.", ("kind", "whose")),
    totals.GAPS: ("gaps", "Evidence known to be missing.", ("kind",)),
    totals.TASKS: ("tasks_done", "Tasks that ended well.", ("stage",)),
}

SINCE = "Counted since the first worker began."


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of one database, in bytes; `reusable` is free inside it."""

    used: int
    reusable: int


def render(state: ServiceState, sizes: Mapping[str, Sizes], *, now: datetime) -> bytes:
    """The page, in Prometheus's text format; `sizes` by the name of the database."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Fixed([*_gauges(state, now), *_counters(state), *_sizes(sizes), _build()]))
    return generate_latest(registry)


class _Fixed(Collector):
    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = list(metrics)

    def collect(self) -> Iterator[Metric]:
        yield from self._metrics


def _gauges(state: ServiceState, now: datetime) -> Iterator[Metric]:
    yield _gauge("deliveries_waiting", "Deliveries that no worker has taken yet.", state.waiting)
    yield _age(
        "deliveries_waiting_oldest_age_seconds", "Age of the oldest of them.", state.waiting_since, now
    )
    tasks = _family("tasks", "Tasks that have not ended well, by stage and state.", ["stage", "state"])
    oldest = _family(
        "tasks_oldest_age_seconds", "Time since the oldest of them was ordered.", ["stage", "state"]
    )
    for one in state.backlog:
        tasks.add_metric([one.stage, one.state.value], one.count)
        oldest.add_metric([one.stage, one.state.value], _seconds(one.oldest_at, now))
    yield tasks
    yield oldest
    dead = sum(one.count for one in state.backlog if one.state is TaskState.DEAD)
    yield _gauge("dead_letters", "Tasks given up, which a person may retry.", dead)
    yield _gauge("workers", "Workers that hold a lease.", len(state.beats_s))
    yield _gauge(
        "worker_beat_age_seconds",
        "Time since a worker last renewed its lease; absent if there is no worker.",
        min(state.beats_s, default=None),
    )
    yield _gauge("pull_comments", "Pull requests that have a comment of ours.", state.comments)
    yield _gauge("alerts_open", "Alerts on red branches that are open.", state.open_alerts)
    yield _age("retention_age_seconds", "Time since old data was last removed.", state.removed_at, now)
    yield from _looks(state, now)
    yield from _budget(state, now)


def _looks(state: ServiceState, now: datetime) -> Iterator[Metric]:
    ages = _family(
        "repository_look_age_seconds", "Time since a repository's runs were last listed.", ["repository"]
    )
    trouble = _family("repository_in_trouble", "1 while its runs cannot be listed.", ["repository"])
    for look in state.looks:
        if look.looked_at is not None:
            ages.add_metric([look.repo_name], _seconds(look.looked_at, now))
        trouble.add_metric([look.repo_name], int(look.in_trouble))
    yield ages
    yield trouble


def _budget(state: ServiceState, now: datetime) -> Iterator[Metric]:
    budget = state.budget
    if budget is None:
        return
    yield _gauge("github_budget_limit", "GitHub's requests an hour, as last seen.", budget.limit)
    yield _gauge("github_budget_remaining", "Those that were left then.", budget.remaining)
    yield _gauge("github_budget_reset_timestamp_seconds", "When the hour begins anew.", budget.resets_s)
    yield _age("github_budget_age_seconds", "Time since that was seen.", budget.seen_at, now)


def _counters(state: ServiceState) -> Iterator[Metric]:
    for of, (name, help_text, labels) in COUNTERS.items():
        counter = CounterMetricFamily(PREFIX + name, f"{help_text} {SINCE}", labels=labels)
        for label, count in state.totals.get(of, {}).items():
            counter.add_metric(label.split(BETWEEN) if labels else [], count)
        yield counter
    alerts = CounterMetricFamily(f"{PREFIX}alerts_opened", "Alerts opened on red branches.")
    alerts.add_metric([], state.alerts)
    yield alerts


def _sizes(sizes: Mapping[str, Sizes]) -> Iterator[Metric]:
    used = _family("database_size_bytes", "Size of a database.", ["database"])
    free = _family("database_reusable_bytes", "Of that, room that is used again.", ["database"])
    for name, size in sizes.items():
        used.add_metric([name], size.used)
        free.add_metric([name], size.reusable)
    yield used
    yield free


def _build() -> Metric:
    build = _family("build_info", "The version that answers.", ["version"])
    build.add_metric([version("flake-triage")], 1)
    return build


def _family(name: str, help_text: str, labels: list[str]) -> GaugeMetricFamily:
    return GaugeMetricFamily(PREFIX + name, help_text, labels=labels)


def _gauge(name: str, help_text: str, value: float | None) -> Metric:
    """Without a sample where there is no value: an absent one is not a zero."""
    family = _family(name, help_text, [])
    if value is not None:
        family.add_metric([], value)
    return family


def _age(name: str, help_text: str, since: datetime | None, now: datetime) -> Metric:
    return _gauge(name, help_text, None if since is None else _seconds(since, now))


def _seconds(since: datetime, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds())
