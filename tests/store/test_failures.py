"""Failures, groups, verdicts, gaps and files: each kept once, in the order that readers are promised."""

import io
from dataclasses import replace
from datetime import timedelta

from desk import NOON, Desk
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from app.domain.category import Category
from app.domain.evidence import BaseState, Change, ChangeKind, Evidence, Observation, SignatureFacts
from app.domain.gap import Gap, GapKind
from app.domain.ids import Sha
from app.domain.outcome import OutcomeKind, TestId
from app.domain.tested_tree import UNKNOWN_TREE
from app.domain.verdict import EvidenceKind, EvidenceStrength, Kind, Reason, Strength, Verdict, Whose
from app.store import (
    artifacts,
    blobs,
    evidence_json,
    failure_places,
    failures,
    gaps,
    groups,
    identities,
    verdicts,
)
from app.store.artifacts import ArtifactState, FileKind, SourceFile, StoredArtifact
from app.store.failure_places import Mode
from app.store.failures import NewFailure, Signing, StoredFailure
from app.store.identities import KeyCache
from app.store.verdicts import EvidenceRow

ONE = TestId("", "", "tests.test_a", "test_one")
TWO = TestId("tests/a.js", "", "", "adds")


def fail(desk: Desk, *, minutes: int = 0, run: int = 1, test: TestId | None = ONE) -> StoredFailure:
    job = desk.stored_job(run)
    blob = blobs.pack("boom")
    blobs.keep(desk.session, blob)
    key = None if test is None else identities.keys_of(desk.session, desk.repo, [test])[test]
    new = NewFailure(
        job=job.id,
        test=key,
        outcome=OutcomeKind.FAILED,
        message="boom",
        text_blob=blob.digest,
        cut=False,
        path=None,
        line=None,
        failed_at=NOON + timedelta(minutes=minutes),
    )
    failures.record_once(desk.session, desk.repo, job.attempt, [new])
    return next(one for one in failures.of_attempt(desk.session, job.attempt) if one.test == key)


def group(desk: Desk, key: str, *, minutes: int = 0) -> int:
    return groups.place(
        desk.session,
        desk.repo,
        key=key,
        test=None,
        algorithm=1,
        category=Category.EXCEPTION,
        title="boom",
        opaque=False,
        seen_at=NOON + timedelta(minutes=minutes),
    )


def signing(placed: int | None) -> Signing:
    keys = {"exact": "e", "group": "g", "frame": None, "cluster": "c", "job": None}
    return Signing(
        placed, 1, keys, Category.EXCEPTION, generic=False, opaque=True, title="boom", record={"a": 1}
    )


def verdict(kind: Kind, *texts: str) -> Verdict:
    reasons = tuple(Reason(EvidenceKind.FIRST_SEEN, EvidenceStrength.WEAK, text, (1, 2)) for text in texts)
    gap = Gap(GapKind.LOG_GONE, "test", "expired")
    return Verdict(kind, Strength.SUSPECTED, Whose.UNKNOWN, reasons, (gap,), opaque=False, policy_version="1")


def test_a_failure_of_one_job_and_test_is_stored_once(desk: Desk) -> None:
    first = fail(desk)
    assert fail(desk, minutes=5) == first
    assert fail(desk, test=None).test is None
    assert len(failures.of_attempts(desk.session, [first.attempt])) == 2
    assert failures.by_id(desk.session, first.id) == first
    assert failures.by_id(desk.session, 99) is None


def test_signing_places_a_failure_in_its_group(desk: Desk) -> None:
    failure = fail(desk)
    assert [one.id for one in failures.unsigned(desk.session, failure.attempt)] == [failure.id]
    failures.sign(desk.session, failure.id, signing(group(desk, "g")))
    desk.session.expire_all()
    signed = failures.of_attempt(desk.session, failure.attempt)[0]
    assert (signed.key, signed.cluster, signed.opaque, signed.is_signed) == ("g", "c", True, True)
    assert failures.unsigned(desk.session, failure.attempt) == []
    assert failures.of_group(desk.session, signed.group or 0, since=NOON, limit=5) == [signed]
    mode = Mode(signed.id, signed.group, signed.failed_at)
    assert failure_places.modes_of(desk.session, signed.test or 0, since=NOON, limit=5) == [mode]
    later = NOON + timedelta(seconds=1)
    assert failure_places.modes_of(desk.session, signed.test or 0, since=later, limit=5) == []
    assert failures.alike_in(desk.session, signed.group or 0, [signed.job, 99]) == {signed.job}
    assert failures.without_test_in(desk.session, [signed.job]) == set()


def test_a_group_remembers_when_it_was_first_and_last_seen(desk: Desk) -> None:
    placed = {group(desk, "g", minutes=minutes) for minutes in (5, 1, 9)}
    assert len(placed) == 1
    desk.session.expire_all()
    stored = groups.by_id(desk.session, placed)[placed.pop()]
    assert (stored.first_seen_at, stored.last_seen_at) == (
        NOON + timedelta(minutes=1),
        NOON + timedelta(minutes=9),
    )
    group(desk, "h", minutes=20)
    assert [one.key for one in groups.newest(desk.session, repo=desk.repo, limit=5)] == ["h", "g"]
    assert [one.key for one in groups.newest(desk.session, repo=None, limit=1)] == ["h"]
    assert groups.count(desk.session) == 2


def test_only_a_change_of_mind_is_a_new_verdict(desk: Desk) -> None:
    failure = fail(desk)
    told = [verdict(Kind.UNDECIDED, "a"), verdict(Kind.UNDECIDED, "a"), verdict(Kind.FLAKY, "b", "a")]
    changed = [
        verdicts.record_change(desk.session, failure.id, one, facts={"n": 1}, at=NOON + timedelta(minutes=n))
        for n, one in enumerate(told)
    ]
    assert changed == [True, False, True]
    history = verdicts.history(desk.session, [failure.id])
    assert [(one.number, one.verdict) for one in history] == [(1, told[0]), (2, told[2])]
    assert verdicts.latest(desk.session, [failure.id, 99]) == {failure.id: history[1]}
    assert verdicts.by_id(desk.session, history[0].id) == (history[0], {"n": 1})
    assert verdicts.by_id(desk.session, 99) is None
    assert verdicts.any_flaky(desk.session, [failure.id])
    assert not verdicts.any_flaky(desk.session, [])


def test_more_evidence_of_a_known_kind_is_kept_without_a_new_verdict(desk: Desk) -> None:
    failure = fail(desk)
    first, more = verdict(Kind.UNDECIDED, "seen in run 1"), verdict(Kind.UNDECIDED, "seen in 2", "seen in 3")
    more = replace(more, gaps=(*more.gaps, Gap(GapKind.LOG_GONE, "test in run 2", "expired")))
    for n, one in enumerate((first, more)):
        at = NOON + timedelta(minutes=n)
        is_told = verdicts.record_change(desk.session, failure.id, one, facts={"n": n}, at=at)
        assert is_told is (n == 0), "nobody is told again of more of the same"
    (only,) = verdicts.history(desk.session, [failure.id])
    assert (only.number, only.verdict, only.judged_at) == (1, more, NOON)
    assert verdicts.by_id(desk.session, only.id) == (only, {"n": 1})
    kept = desk.session.scalars(select(EvidenceRow.text).order_by(EvidenceRow.id))
    assert list(kept) == ["seen in run 1", "seen in 2", "seen in 3"]
    assert not verdicts.record_change(desk.session, failure.id, more, facts={"n": 2}, at=NOON)


def test_a_gap_noted_again_is_one_gap(desk: Desk) -> None:
    job = desk.stored_job()
    gap = Gap(GapKind.LOG_GONE, "test", "expired")
    for _ in range(2):
        gaps.note(desk.session, job.attempt, job.id, [gap], at=NOON)
        gaps.note(desk.session, job.attempt, None, [gap], at=NOON)
    assert gaps.of_attempts(desk.session, [job.attempt, 99]) == {
        job.attempt: [(job.id, gap), (0, gap)],
        99: [],
    }


def test_a_file_is_noted_once_also_without_a_job(desk: Desk) -> None:
    job = desk.stored_job()
    blob = blobs.pack(b"<testsuite/>")
    blobs.keep(desk.session, blob, blob)
    files = [
        SourceFile(owner, "reports", "deep/" * 200 + "a.xml", FileKind.RESULTS, blob.digest)
        for owner in (job.id, None)
    ]
    for _ in range(2):
        artifacts.add_files(desk.session, job.attempt, files)
    found = artifacts.files_of(desk.session, job.attempt)
    assert [(one.job, one.path[-5:], len(one.path)) for one in found] == [
        (job.id, "a.xml", 500),
        (None, "a.xml", 500),
    ]


def test_an_artifact_keeps_its_newest_state(desk: Desk) -> None:
    attempt = desk.attempt()
    for state in (ArtifactState.FETCHED, ArtifactState.EXPIRED):
        told = StoredArtifact(3, None, "reports", 10, None, state, "", NOON)
        artifacts.record(desk.session, attempt.id, [told])
    rows = desk.session.connection().exec_driver_sql("SELECT github_id, state FROM artifacts").all()
    assert rows == [(3, "expired")]


@given(st.binary(max_size=5000))
def test_a_blob_comes_back_whole(content: bytes) -> None:
    packed = blobs.pack(content)
    stream = io.BufferedReader(blobs._Unpacking(packed.packed), 64)
    assert stream.read() == content
    assert packed.size_bytes == len(content)


def test_blobs_are_read_by_their_digest(desk: Desk) -> None:
    one, two = blobs.pack("first"), blobs.pack("half \ud800 a character")
    blobs.keep(desk.session, one, two)
    assert blobs.read(desk.session, one.digest) == b"first"
    assert blobs.stream(desk.session, one.digest).read() == b"first"
    assert blobs.text(desk.session, one.digest) == "first"
    assert "half" in blobs.texts(desk.session, {one.digest, two.digest})[two.digest]


def test_a_test_keeps_its_key_and_its_text_is_made_storable(desk: Desk) -> None:
    hostile = TestId("", "", "a\0b", "\ud800")
    keys = identities.keys_of(desk.session, desk.repo, [ONE, TWO, hostile])
    assert len(set(keys.values())) == 3
    assert identities.keys_of(desk.session, desk.repo, [hostile]) == {hostile: keys[hostile]}
    stored = identities.by_key(desk.session, {keys[ONE], keys[hostile]})
    assert stored[keys[ONE]] == ONE
    assert stored[keys[hostile]].classname == "a\ufffdb"


def test_the_suite_tells_tests_apart_only_where_no_class_does(desk: Desk) -> None:
    with_class = [TestId("", suite, "tests.test_a", "test_one") for suite in ("run 1", "run 2")]
    without = [TestId("", suite, "", "test_one") for suite in ("run 1", "run 2")]
    keys = identities.keys_of(desk.session, desk.repo, [*with_class, *without])
    assert keys[with_class[0]] == keys[with_class[1]]
    assert keys[without[0]] != keys[without[1]]


def test_a_cache_answers_and_starts_anew_when_it_is_full(desk: Desk) -> None:
    cache = KeyCache(limit=2)
    first = identities.keys_of(desk.session, desk.repo, [ONE, TWO], cache)
    assert cache.get(ONE) == first[ONE]
    assert identities.keys_of(desk.session, desk.repo, [ONE, TWO], cache) == first
    third = TestId("", "", "c", "t")
    assert identities.keys_of(desk.session, desk.repo, [ONE, third], cache)[ONE] == first[ONE]
    assert cache.get(TWO) is None
    assert cache.get(third) is not None


def test_evidence_comes_back_as_it_was() -> None:
    seen = Observation(
        1,
        1,
        2,
        "test",
        "test",
        "push",
        Sha("a" * 40),
        "main",
        None,
        OutcomeKind.FAILED,
        UNKNOWN_TREE,
        NOON,
        "",
    )
    evidence = Evidence(
        test="tests.test_a::test_one",
        failure=seen,
        signature=SignatureFacts("k", "boom", Category.EXCEPTION, generic=False, opaque=False),
        change=Change(ChangeKind.MAIN, None, (Sha("a" * 40),)),
        base=BaseState("main", (seen,)),
        gaps=(Gap(GapKind.LOG_GONE, "test", "expired"),),
    )
    assert evidence_json.from_json(evidence_json.to_json(evidence)) == evidence
