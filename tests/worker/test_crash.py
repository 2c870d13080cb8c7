"""Real workers, killed: nothing acknowledged is lost, and effects are complete in the end."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from killable import DONE, Workers

from app.settings import Settings
from app.store.tasks import TaskState


@pytest.fixture
def workers(settings: Settings) -> Iterator[Workers]:
    started = Workers(settings)
    yield started
    started.end()


def test_task_in_the_middle_of_a_stage_is_run_again_after_a_kill(workers: Workers) -> None:
    workers.deliver("hang-1")
    first = workers.start()
    workers.until(lambda: "fetch hang-1" in workers.starts())
    workers.kill(first)
    workers.go_on()
    second = workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 3})
    assert workers.starts().count("fetch hang-1") == 2
    assert workers.effects("hang-1") == DONE
    assert workers.task("fetch:hang-1").interrupted == 1
    assert workers.stop(second) == 0


def test_stream_of_deliveries_survives_kills_at_any_moment(workers: Workers) -> None:
    guids = [f"g{number}" for number in range(40)]
    for part in range(4):
        workers.deliver(*guids[part * 10 : part * 10 + 10])
        worker = workers.start()
        seen = len(workers.starts())
        workers.until(lambda seen=seen, part=part: len(workers.starts()) > seen + 3 * part)
        workers.kill(worker)
    last = workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 120})
    assert {guid: sorted(workers.effects(guid)) for guid in guids} == dict.fromkeys(guids, sorted(DONE))
    assert workers.stop(last) == 0


def test_task_that_ends_its_worker_is_buried_and_the_others_go_on(workers: Workers) -> None:
    workers.deliver("kill-1", "g1")
    for _ in range(3):
        workers.start().wait(timeout=60)
    last = workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 4, TaskState.DEAD: 1})
    dead = workers.task("fetch:kill-1")
    assert dead.error == "task: its worker ended 3 times while it was running"
    assert workers.starts().count("fetch kill-1") == 3
    assert workers.effects("g1").keys() == DONE.keys()
    assert workers.stop(last) == 0


def test_tasks_of_one_partition_do_not_overlap_even_after_a_kill(workers: Workers) -> None:
    workers.deliver(*(f"g{number}" for number in range(12)))
    first = workers.start()
    workers.until(lambda: any(line.startswith("judge ") for line in workers.starts()))
    workers.kill(first)
    cut = len(workers.starts())
    last = workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 36})
    judging = [line.split()[0] for line in workers.starts()[cut:] if line.startswith("judge")]
    assert judging == ["judge", "judged"] * (len(judging) // 2)
    assert workers.stop(last) == 0


def test_lost_queue_is_filled_again_from_the_tasks(workers: Workers) -> None:
    workers.deliver("hang-1", "g1")
    first = workers.start()
    workers.until(lambda: "fetch hang-1" in workers.starts() and workers.effects("g1") == DONE)
    workers.until(lambda: workers.states().get(TaskState.DONE) == 4)  # effects come before their ends
    workers.kill(first)
    for file in workers.folder.glob("engine.db*"):
        file.unlink()
    workers.go_on()
    last = workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 6})
    assert workers.effects("hang-1") == workers.effects("g1") == DONE
    assert workers.stop(last) == 0


def test_store_that_lost_its_last_writes_has_the_work_done_again(workers: Workers) -> None:
    """A power cut: the inbox says relayed and the queue says ended, but the store remembers neither."""
    workers.deliver("g1", "g2")
    before = {file: file.read_bytes() for file in workers.folder.glob("app.db*")}
    first = workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 6})
    workers.kill(first)
    workers.store.dispose()
    for file in workers.folder.glob("app.db*"):
        file.unlink()
    for file, content in before.items():
        file.write_bytes(content)
    assert workers.states() == {}
    last = workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 6})
    assert workers.effects("g1") == workers.effects("g2") == DONE
    assert workers.task("delivery:g1").number == 2
    assert workers.stop(last) == 0


def test_request_to_stop_lets_a_running_task_end(workers: Workers) -> None:
    workers.deliver("hang-1")
    worker = workers.start()
    workers.until(lambda: "fetch hang-1" in workers.starts())
    worker.terminate()
    workers.go_on()
    assert worker.wait(timeout=30) == 0
    assert workers.task("fetch:hang-1").state is TaskState.DONE


def test_task_that_outlasts_the_request_to_stop_is_run_by_the_next_worker(workers: Workers) -> None:
    workers.deliver("hang-1")
    first = workers.start()
    workers.until(lambda: "fetch hang-1" in workers.starts())
    assert workers.stop(first) == 1
    workers.go_on()
    last = workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 3})
    assert workers.effects("hang-1") == DONE
    assert workers.stop(last) == 0


def test_second_worker_on_one_data_folder_is_refused(workers: Workers) -> None:
    workers.deliver("g1")
    first = workers.start()
    workers.until(lambda: workers.effects("g1") == DONE)
    second = workers.start()
    assert second.wait(timeout=30) == 3
    assert f"worker: process {first.pid} holds" in workers.log()
    assert workers.stop(first) == 0


def test_dead_letter_is_retried_from_the_command_line_while_the_worker_runs(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(workers.folder))
    workers.deliver("refuse-1")
    worker = workers.start()
    workers.until(lambda: workers.states().get(TaskState.DEAD) == 1)
    workers.go_on()
    retry = [sys.executable, "-m", "worker", "tasks", "retry", "fetch:refuse-1", "--json"]
    answer = subprocess.run(retry, check=True, capture_output=True, timeout=60)
    assert answer.stdout == b'{"key":"fetch:refuse-1","retried":true}\n'
    workers.until(lambda: workers.states() == {TaskState.DONE: 3})
    assert workers.effects("refuse-1") == DONE
    assert workers.stop(worker) == 0
