"""The log and the JUnit file of one run name the same failures; read from a folder outside the repository."""

import os
from pathlib import Path

import pytest

from app.domain.joblog.job_log import read_job_log
from app.domain.outcome import Errored, Failed
from app.domain.results.junit import read_junit

CORPUS = Path(os.getenv("FLAKE_TRIAGE_CORPUS") or Path(__file__).parents[4] / "shared") / "corpus"

pytestmark = pytest.mark.skipif(
    not CORPUS.exists(), reason="no corpus: set FLAKE_TRIAGE_CORPUS to the folder that holds corpus/logs"
)


@pytest.mark.parametrize(
    ("log", "results"),
    [
        ("made_assert_and_setup_errors.txt", "made__pytest9__xunit2-all-outcomes.xml"),
        ("made_xdist_worker_crash.txt", "made__pytest9-xdist3__worker-crash.xml"),
    ],
)
def test_log_and_results_file_of_one_run_agree(log: str, results: str) -> None:
    with (CORPUS / "logs" / log).open("rb") as file:
        from_log = {failure.test: failure.outcome for failure in read_job_log(file).failures}
    with (CORPUS / "junit" / results).open("rb") as file:
        red = {one.test: one.outcome for one in read_junit(file).results if one.outcome.kind.is_red}
    assert {test: outcome.kind for test, outcome in from_log.items()} == {
        test: outcome.kind for test, outcome in red.items()
    }
    for test, outcome in red.items():
        told = from_log[test]
        assert isinstance(outcome, Failed | Errored)
        assert isinstance(told, Failed | Errored)
        assert told.message.split("\n")[0] == outcome.message.split("\n")[0]
        assert outcome.text.strip().split("\n")[0] in told.text


@pytest.mark.parametrize(
    ("log", "labels"),
    [
        ("collective_mismatch_op.txt", ["test.test_wrapper.TestWrapper::test_ops_agree[gloo]"]),
        (
            "gloo_closed_is_only_the_echo.txt",
            ["test.test_fsdp_core.TestParity::test_mixed_precision[rank_pair]"],
        ),
        ("gloo_connection_closed_by_peer.txt", ["test.test_pg.TestGloo::test_broadcast_checks"]),
        ("gloo_recv_timeout_1800000ms.txt", ["test.test_ddp::test_two_ranks_uneven_inputs"]),
        ("spawn_sigsegv.txt", ["test.test_rpc::test_spawned_pair"]),
        (
            "real_gloo_spawn_slow_rank_then_green_retry.txt",
            ["distributed.test_c10d_spawn_gloo.TestDistributedNNFunctionsGloo::test_all_gather"],
        ),
        ("real_step_timed_out_360_minutes.txt", []),
    ],
)
def test_a_real_log_names_its_failed_tests(log: str, labels: list[str]) -> None:
    with (CORPUS / "logs" / log).open("rb") as file:
        assert [failure.test.label for failure in read_job_log(file).failures] == labels
