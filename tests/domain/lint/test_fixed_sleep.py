"""Sleeps that stand for waiting, and those that do not."""

import pytest
from marked import assert_marked, found

from app.domain.lint.finding import Rule

RULE = Rule.FIXED_SLEEP_AS_SYNCHRONISATION

WEAK = {
    "a thread": """
        def test_thread():
            filler = threading.Thread(target=print)
            filler.start()
            time.sleep(0.5)  # <-
            assert filler.name
    """,
    "a program": """
        PAUSE_S = 2 * 1.0
        def test_program():
            with subprocess.Popen(["server"]) as server:
                time.sleep(PAUSE_S)  # <-
                socket.create_connection(("localhost", 80))
                server.kill()
    """,
    "a fixture that gives what it has started": """
        @pytest.fixture
        def server():
            process = mp.Process(target=print)
            process.start()
            time.sleep(1)  # <-
            yield process
            process.terminate()
        def test_server(server):
            print(server)
    """,
    "a helper that gives what it has started": """
        from time import sleep as nap
        def launched():
            process = subprocess.Popen(["x"])
            nap(1)  # <-
            return process
        def test_launched():
            launched()
    """,
    "before the end is forced": """
        def test_kill():
            child = mp.Process(target=print)
            child.start()
            time.sleep(3)  # <-
            child.terminate()
            child.join()
    """,
    "after a signal": """
        def test_gone():
            child = mp.Process(target=print)
            os.kill(1, signal.SIGTERM)
            time.sleep(1 if os.name == "nt" else 2)  # <-
            assert not child.is_alive()
    """,
    "a rank that reads what another writes": """
        def run(rank, path):
            if rank == 0:
                path.write_text("x")
            else:
                time.sleep(2)  # <-
                path.read_text()
        def test_run(tmp_path):
            mp.spawn(run, args=(tmp_path,), nprocs=2)
    """,
    "a rank that loads what another saves": """
        def run(rank, path):
            if rank == 1:
                time.sleep(2)  # <-
                torch.load(path)
        def test_run(tmp_path):
            mp.spawn(run, args=(tmp_path,), nprocs=2)
    """,
    "a rank that looks at shared memory": """
        def run(rank, flag, values):
            if rank == 1:
                time.sleep(2)  # <-
                assert flag.item() == 1
        def test_run():
            mp.spawn(run, args=(torch.zeros(1), 1), nprocs=2)
    """,
    "a host that lingers": """
        def run(rank, store, results):
            if rank == 0:
                store.set("x", "1")
                time.sleep(10)  # <-
                return
            store.get("x")
            results.put(rank)
            time.sleep(1)  # <-
        def test_run():
            mp.spawn(run, args=(1, 2), nprocs=2)
    """,
    "one start after the other": """
        def test_stagger():
            for rank in range(2):
                mp.Process(target=print, args=(rank,)).start()
                time.sleep(0.5)  # <-
    """,
    "as the comment says": """
        def test_told(thing):
            thing.begin()
            # wait for the writer to catch up
            time.sleep(0.5)  # <-
            thing.take()
    """,
    "something that a fixture of elsewhere runs": """
        def test_given(redis_server):
            redis_server.push(1)
            time.sleep(0.5)  # <-
            assert redis_server.size() == 1
    """,
    "a set-up method": """
        class Case(unittest.TestCase):
            def setUp(self):
                self.worker = mp.Process(target=print)
                self.worker.start()
                time.sleep(1)  # <-
            def test_state(self):
                self.assertEqual(self.worker.exitcode, 0)
    """,
    "an event loop": """
        import asyncio
        async def test_task():
            task = asyncio.create_task(print())
            await asyncio.sleep(0.1)  # <-
            assert task.done()
    """,
    "a rank of a helper that the file does not show": """
        from ranks import exit_codes
        def run(rank, path):
            time.sleep(1)  # <-
            assert read(path)
        def read(path):
            return path.read_text()
        def test_run(tmp_path):
            exit_codes(run, tmp_path)
    """,
}


@pytest.mark.parametrize("body", WEAK.values(), ids=WEAK)
def test_sleep_that_stands_for_waiting_is_found(body: str) -> None:
    assert_marked(RULE, body)


HEALTHY = {
    "a poll with a deadline": """
        def test_poll():
            child = mp.Process(target=print)
            child.start()
            deadline = time.monotonic() + 5
            while child.is_alive():
                assert time.monotonic() < deadline
                time.sleep(0.05)
            for _ in range(100):
                if os.path.exists("x"):
                    break
                time.sleep(0.05)
            assert child.exitcode == 0
    """,
    "back-off": """
        def test_retry():
            subprocess.Popen(["x"])
            try:
                connect()
            except OSError:
                time.sleep(1)
            assert connect()
    """,
    "played work": """
        def run(rank, results):
            if rank == 1:
                time.sleep(2)
            dist.barrier()
            time.sleep(0.1)  # simulate a slow rank
            results.read()
        def test_run():
            mp.spawn(run, args=(1,), nprocs=2)
    """,
    "joined behind it": """
        def test_join():
            child = mp.Process(target=print)
            child.start()
            time.sleep(1)
            child.join()
            assert child.exitcode == 0
    """,
    "the check waits itself": """
        def test_wait():
            child = subprocess.Popen(["x"])
            time.sleep(1)
            assert child.wait() == 0
    """,
    "a queue waits itself": """
        def test_get(results):
            child = mp.Process(target=print)
            child.start()
            time.sleep(1)
            results.get(timeout=5)
            assert child.exitcode == 0
    """,
    "nothing has happened yet": """
        def test_blocked():
            child = mp.Process(target=print)
            child.start()
            time.sleep(0.2)
            assert child.is_alive()
    """,
    "time itself is tested": """
        def test_expires(cache):
            cache.put(1)
            time.sleep(0.1)
            assert cache.get() is None
    """,
    "another branch reads": """
        def run(rank, path):
            if rank == 0:
                time.sleep(1)
            else:
                path.read_text()
        def test_run(tmp_path):
            mp.spawn(run, args=(tmp_path,), nprocs=2)
    """,
    "a length that is computed": """
        def test_random():
            threading.Thread(target=print).start()
            time.sleep(random.random())
            time.sleep(0)
            time.sleep()
            assert True
    """,
    "a patched clock": """
        def test_patched(monkeypatch):
            monkeypatch.setattr(time, "sleep", lambda s: None)
            threading.Thread(target=print).start()
            time.sleep(1)
            assert True
    """,
    "a rank that writes behind it": """
        def run(rank, path):
            time.sleep(1)
            with open(path, "w") as out:
                out.write("x")
            time.sleep(1)
            ", ".join(["a"])
        def test_run(tmp_path):
            mp.spawn(run, args=(tmp_path,), nprocs=2)
    """,
    "the comment says that it waits, and the next call does": """
        def test_told():
            # give it time
            time.sleep(1)
            join()
    """,
    "a block that joins what it has started": """
        def test_block(threads):
            with start_threads(threads):
                time.sleep(0.02)
            assert threads.errors == []
    """,
    "many looks behind one start": """
        def test_looks(threads):
            for thread in threads:
                thread.start()
                for _ in range(3):
                    time.sleep(0.02)
                thread.join()
    """,
    "a rank that ends its own child": """
        def run(rank, child):
            time.sleep(1)
            child.terminate()
        def test_run():
            mp.spawn(run, args=(1,), nprocs=2)
    """,
    "a rank's own check": """
        def run(rank, world_size):
            time.sleep(1)
            assert world_size == 2
            assert torch.ones(1).sum() == 1
        def test_run():
            mp.spawn(run, args=(2,), nprocs=2)
    """,
}


@pytest.mark.parametrize("body", HEALTHY.values(), ids=HEALTHY)
def test_sleep_that_waits_for_nobody_is_left_alone(body: str) -> None:
    assert_marked(RULE, body)


def test_mend_looks_again_until_a_deadline_in_the_files_own_terms() -> None:
    assert "while not (filler.name):" in found(RULE, WEAK["a thread"])[0].mend
    assert "while not (path.exists()):" in found(RULE, WEAK["a rank that reads what another writes"])[0].mend
    assert "os.path.exists(path)" in found(RULE, WEAK["a rank that loads what another saves"])[0].mend
    assert "while not (is_ready()):" in found(RULE, WEAK["before the end is forced"])[0].mend
