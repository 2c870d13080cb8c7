"""Fourth stage: sign each failure of an attempt and place it in the group of its signature."""

from app.domain.outcome import TestId
from app.domain.signature import SIGNATURE_VERSION, Signature, sign
from app.store import blobs, failures, groups, identities, runs
from app.store.failures import Signing, StoredFailure
from app.store.outbox import Order, ask
from app.store.session import read_only, unit_of_work
from worker.deps import Deps, Kernel, Payload


def group_failures(deps: Deps, payload: Payload) -> None:
    key = payload["attempt"]
    with read_only(deps.store) as session:
        repo = runs.attempt(session, key).repo
    then = Order(f"judge:{key}", "judge_failures", {"schema": 1, "attempt": key}, partition=str(repo))
    group_attempt(deps, key, then)


def group_attempt(kernel: Kernel, key: int, *then: Order) -> None:
    """Sign outside the transaction. Safe to repeat: only failures without a signature are taken."""
    with read_only(kernel.store) as session:
        attempt = runs.attempt(session, key)
        names = {job.id: job.name for job in runs.jobs_of(session, attempt.id)}
        new = failures.unsigned(session, attempt.id)
        tests = identities.by_key(session, {failure.test for failure in new if failure.test is not None})
        texts = blobs.texts(session, {failure.text_blob for failure in new})
    signed = [
        (
            failure,
            sign(
                test=_test_of(failure, tests),
                message=failure.message,
                text=texts[failure.text_blob],
                job=names[failure.job],
                workflow=attempt.workflow,
            ),
        )
        for failure in new
    ]
    with unit_of_work(kernel.store) as session:
        for failure, signature in signed:
            group = None
            if signature.group is not None:
                group = groups.place(
                    session,
                    attempt.repo,
                    key=signature.group,
                    test=failure.test,
                    algorithm=SIGNATURE_VERSION,
                    category=signature.category,
                    title=signature.title,
                    opaque=signature.opaque,
                    seen_at=failure.failed_at,
                )
            failures.sign(session, failure.id, _signing(signature, group))
        ask(session, *then)


def _test_of(failure: StoredFailure, tests: dict[int, TestId]) -> TestId | None:
    return None if failure.test is None else tests[failure.test]


def _signing(signature: Signature, group: int | None) -> Signing:
    return Signing(
        group=group,
        algorithm=signature.version,
        keys={
            "exact": signature.exact,
            "group": signature.group,
            "frame": signature.frame,
            "cluster": signature.cluster,
            "job": signature.job,
        },
        category=signature.category,
        generic=signature.generic,
        opaque=signature.opaque,
        title=signature.title,
        record=signature.record.to_json(),
    )
