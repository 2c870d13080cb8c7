"""Fourth stage: sign each failure of an attempt and place it in the group of its signature."""

from app.domain.outcome import TestId
from app.domain.signature import SIGNATURE_VERSION, Signature, sign
from app.store import blobs, failures, groups, identities, runs
from app.store.failures import Signing, StoredFailure
from app.store.outbox import Order, ask
from app.store.session import read_only, unit_of_work
from worker.deps import Deps, Kernel, Payload
from worker.stage_orders import judge_order, lint_order


def group_failures(deps: Deps, payload: Payload) -> None:
    key = payload["attempt"]
    with read_only(deps.store) as session:
        repo = runs.attempt(session, key).repo
    group_attempt(deps, key, judge_order(key, repo), where_opaque=lint_order(key))


def group_attempt(kernel: Kernel, key: int, *then: Order, where_opaque: Order | None = None) -> None:
    """Sign outside the transaction. Safe to repeat: only failures without a signature are taken.

    `where_opaque` is asked for in the place of `then` where a test's failure holds no cause.
    """
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
        is_opaque = where_opaque is not None and failures.any_opaque_test(session, key)
        ask(session, *([where_opaque] if where_opaque is not None and is_opaque else then))


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
