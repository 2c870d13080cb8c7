"""What the jobs of the story leave behind: JUnit files and logs in the incident's shape."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from xml.sax.saxutils import escape, quoteattr

from worker.demo import sources
from worker.demo.facts import MAIN, REPO, TEST_CLASS, TEST_NAME, StoryRun

_MODULES = {
    "tests.test_gefen_fsdp2_checkpoint": (
        "test_full_dcp_handoff_is_exact_on_same_dtensor_topology[adamw]",
        "test_full_dcp_handoff_is_exact_on_same_dtensor_topology[muon]",
        TEST_NAME,
        "test_full_dcp_handoff_rejects_other_world_size",
        "test_state_dict_keys_are_stable",
    ),
    "tests.test_gefen_fsdp2_optimizer": (
        "test_step_matches_single_process[adamw]",
        "test_step_matches_single_process[muon]",
        "test_step_matches_single_process[normuon]",
        "test_gradients_are_reduced_once",
    ),
    "tests.test_layout": ("test_sharded_layout_round_trips", "test_replicated_layout_round_trips"),
    "tests.test_packing": tuple(f"test_plan_fits_budget[{size}]" for size in (128, 512, 2048, 8192)),
    "tests.test_schedule": ("test_warmup_is_linear", "test_decay_ends_at_floor", "test_resume_keeps_phase"),
    "tests.test_cli": ("test_help_names_every_command", "test_version_is_printed"),
}

_MESSAGE = "assert False\n +  where False = all(<generator object {where} at 0x7f{address:010x}>)"

_FAILURE = """\
optimizer_name = 'muon_normuon'

{source}
E       assert False
E        +  where False = all(<generator object {where} at 0x7f{address:010x}>)

{path}:{line}: AssertionError"""

_WHERE = "test_full_dcp_handoff_is_exact_on_same_dtensor_topology.<locals>.<genexpr>"


@dataclass(frozen=True, slots=True)
class StoryJob:
    """One job of a run: its Python, its times, and the commit that its checkout step printed."""

    run: StoryRun
    python: str
    started_at: datetime
    commit: str
    merged: tuple[str, str] | None = None
    """Head and base, where the checked out commit is a pull request's test merge."""

    @property
    def fails(self) -> bool:
        return self.run.fails_on == self.python

    @property
    def completed_at(self) -> datetime:
        return self.started_at + timedelta(seconds=212 if self.fails else 145)


def junit(job: StoryJob) -> bytes:
    cases = "".join(
        _case(job, classname, name, index)
        for index, (classname, name) in enumerate(
            (classname, name) for classname, names in _MODULES.items() for name in names
        )
    )
    count, failed = sum(len(names) for names in _MODULES.values()), int(job.fails)
    return (
        '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">'
        f'<testsuite name="pytest" errors="0" failures="{failed}" skipped="1" tests="{count}" '
        f'time="131.207" timestamp="{job.started_at.isoformat()}" hostname="runner">{cases}'
        "</testsuite></testsuites>"
    ).encode()


def _case(job: StoryJob, classname: str, name: str, index: int) -> str:
    seconds = 0.004 * (index + 1) if classname != TEST_CLASS else 18.2 + index
    head = f'<testcase classname="{classname}" name={quoteattr(name)} time="{seconds:.3f}"'
    if name == "test_full_dcp_handoff_rejects_other_world_size":
        return (
            f'{head}><skipped type="pytest.skip" message="needs 4 ranks">needs 4 ranks</skipped></testcase>'
        )
    if not (job.fails and name == TEST_NAME):
        return f"{head} />"
    message = _MESSAGE.format(where=_WHERE, address=_address(job))
    return f"{head}><failure message={quoteattr(message)}>{escape(_failure(job))}</failure></testcase>"


def _failure(job: StoryJob) -> str:
    """As pytest prints it: the test's source down to the line that failed, which it marks."""
    *before, failed = sources.TEST.splitlines()
    shown = [f"    {line}" for line in before] + [f">{' ' * 7}{failed.strip()}"]
    line = sources.failing_line(on_main=job.run.branch == MAIN)
    return _FAILURE.format(
        source="\n".join(shown), where=_WHERE, address=_address(job), path=sources.PATH, line=line
    )


def _address(job: StoryJob) -> int:
    return job.run.id * 16 % (1 << 40)


def log(job: StoryJob) -> bytes:
    """A job log as the runner writes it: a byte order mark, a stamp on each record, groups and commands."""
    lines = [*_checkout_lines(job), *_pytest_lines(job)]
    stamped = []
    for index, line in enumerate(lines):
        at = job.started_at + timedelta(milliseconds=40 * index)
        stamped.append(f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond:06d}7Z {line}")
    return ("\ufeff" + "\n".join(stamped) + "\n").encode()


def _checkout_lines(job: StoryJob) -> list[str]:
    merge = job.merged
    ref = "refs/remotes/pull/83/merge" if merge else f"refs/remotes/origin/{job.run.branch}"
    head_line = f"Merge {merge[0]} into {merge[1]}" if merge else "the commit that was pushed"
    return [
        "Current runner version: '2.335.1'",
        "##[group]Runner Image",
        "Image: ubuntu-24.04",
        "##[endgroup]",
        "##[group]Run actions/checkout@v5",
        "with:",
        f"  repository: {REPO}",
        "##[endgroup]",
        f"Syncing repository: {REPO}",
        "##[group]Fetching the repository",
        f"[command]/usr/bin/git -c protocol.version=2 fetch --no-tags --depth=1 origin +{job.commit}:{ref}",
        "##[endgroup]",
        "##[group]Checking out the ref",
        f"[command]/usr/bin/git checkout --progress --force {ref}",
        f"HEAD is now at {job.commit[:7]} {head_line}",
        "##[endgroup]",
        "[command]/usr/bin/git log -1 --format=%H",
        job.commit,
    ]


def _pytest_lines(job: StoryJob) -> list[str]:
    count = sum(len(names) for names in _MODULES.values()) - 1
    lines = [
        f"##[group]Run python{job.python} -m pytest -q --junitxml=junit.xml",
        f"\x1b[36;1mpython{job.python} -m pytest -q --junitxml=junit.xml\x1b[0m",
        "##[endgroup]",
    ]
    if not job.fails:
        return [*lines, f"{count} passed, 1 skipped in 131.21s (0:02:11)", "Post job cleanup."]
    title = f" {TEST_NAME} "
    return [
        *lines,
        "=================================== FAILURES ===================================",
        f"{title:_^80}",
        "",
        *_failure(job).splitlines(),
        "=========================== short test summary info ============================",
        f"FAILED {sources.PATH}::{TEST_NAME} - assert False",
        f"1 failed, {count - 1} passed, 1 skipped in 198.44s (0:03:18)",
        "##[error]Process completed with exit code 1.",
        "Post job cleanup.",
    ]
