"""What the story of `web_story` knows beside a failure's text: a replay in its job, its weaknesses."""

from typing import TYPE_CHECKING

from app.domain.ids import Sha
from app.domain.lint.finding import LintFinding, Rule, Window
from app.domain.replay_claim import ArmClaim, ReplayClaim
from app.domain.replay_words import Arm, CauseKind, ReplayVerdict
from app.store import artifacts, blobs, failures, lints, replays

if TYPE_CHECKING:
    from web_story import Story

HOSTILE = "<img src=x onerror=alert(1)>\u202e\x1b[31m"
FILE = "tests/test_gefen_fsdp2_checkpoint.py"
NODE = f"{FILE}::test_full_dcp_handoff_is_exact_on_same_dtensor_topology"
SENTENCE = f"rank 1 raised RuntimeError: INJECTED {HOSTILE}"
MEND = f"try:\n    dist.init_process_group('gloo')  # {HOSTILE}\nexcept BaseException:\n    report()\n"
FOUND = (
    LintFinding(
        Rule.INIT_OUTSIDE_TRY,
        FILE,
        17,
        5,
        17,
        NODE,
        f"`worker` calls `dist.init_process_group` outside the try {HOSTILE}",
        MEND,
        (f"{FILE}::test_other", f"{FILE}::test_{HOSTILE}"),
    ),
    LintFinding(
        Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE,
        FILE,
        40,
        5,
        44,
        NODE,
        "the planner may raise on one rank",
        "",
        (),
        Window(38, "dist.barrier()", 44, f"dist.all_reduce(ok){HOSTILE}"),
    ),
    LintFinding(Rule.BARE_EXIT_CODE_ASSERTION, FILE, 90, 5, 90, f"{FILE}::test_other", "bare", "codes", ()),
)


def tell(story: "Story", failure: int, head: Sha, *, own_word: bool = False) -> None:
    found = failures.by_id(story.session, failure)
    assert found is not None
    packed = blobs.pack("{}")
    blobs.keep(story.session, packed)
    name = f"replay-{found.job}"
    report = artifacts.SourceFile(
        found.job, name, "01/report.json", artifacts.FileKind.REPLAY_REPORT, packed.digest
    )
    artifacts.add_files(story.session, found.attempt, [report])
    arms = (ArmClaim(Arm.PLAIN, 0, 3, ""), ArmClaim(Arm.CPU_QUARTER, 3, 10, f"CPU enforced {HOSTILE}"))
    claim = ReplayClaim(
        test=f"{NODE}[muon_normuon]",
        verdict=ReplayVerdict.CONFIRMED_FLAKE,
        sentence=f"it failed 3 of 13 trials in the same way, and passed 10 {HOSTILE}",
        cause=CauseKind.RANK_EXCEPTION,
        rank=1,
        cause_sentence=SENTENCE,
        exception=f"RuntimeError: INJECTED {HOSTILE}",
        failures=3,
        trials=13,
        rate_low=0.05,
        rate_high=0.54,
        arms=arms,
    )
    arrived = replays.ArrivedReplay(
        job=found.job,
        artifact=7000 + failure,
        artifact_name=name,
        artifact_digest=f"sha256:{'ab' * 32}",
        folder="01/",
        manifest="cd" * 32,
        own_word=own_word,
        claim=claim,
    )
    replays.record(story.session, found.attempt, [arrived])
    linted = lints.Linted(head, FILE, "e" * 64, FOUND, len(FOUND))
    lints.record(story.session, story.repo, [linted], version=1, at=found.failed_at)
    lints.link(story.session, story.repo, [lints.Place(failure, head, FILE, 2)])
