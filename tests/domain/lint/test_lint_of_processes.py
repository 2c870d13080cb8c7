"""The rules of processes and queues, on families that other people's files do not show.

A line that must be found bears `# <- rule`; everything else of a file must be left alone.
"""

import ast
import re
from textwrap import dedent

import pytest

from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.linted import lint

OF_PROCESSES = {
    Rule.INIT_OUTSIDE_TRY,
    Rule.ONE_ITEM_DRAINED,
    Rule.RANK_0_ONLY_REPORT,
    Rule.REPORT_ASSERTED_TOO_LATE,
    Rule.TERMINATE_COUNTS_AS_CRASH,
    Rule.NO_EARLY_EXIT_CHECK,
    Rule.BARE_EXIT_CODE_ASSERTION,
}
HEAD = """\
import json, multiprocessing as mp, os, queue, signal, subprocess, sys, traceback
import pytest, torch.distributed as dist, torch.multiprocessing as tmp
"""


def found(source: str) -> list[LintFinding]:
    return [one for one in lint(HEAD + dedent(source), "test_x.py") if one.rule in OF_PROCESSES]


def marked(source: str) -> list[tuple[int, str]]:
    lines = (HEAD + dedent(source)).splitlines()
    marks = ((number, re.search(r"# <- (.+)", line)) for number, line in enumerate(lines, start=1))
    return sorted((number, rule) for number, mark in marks if mark for rule in mark[1].split(", "))


CASES = {
    "a process class whose queue is the parent's": """
        def join(rank):
            dist.init_process_group("gloo", rank=rank, world_size=2)

        class Rank(mp.Process):
            def __init__(self, rank, out):
                super().__init__()
                self.rank, self.out = rank, out

            def run(self):
                join(self.rank)  # <- init-outside-try
                try:
                    self.out.put(("ok", self.rank))
                except Exception:
                    self.out.put(("error", traceback.format_exc()))
                    raise SystemExit(1)

        def test_it():
            out = mp.Queue()
            ranks = [Rank(number, out) for number in range(2)]
            for rank in ranks:
                rank.start()
            kind, value = out.get(timeout=60)  # <- no-early-exit-check, one-item-drained
            for rank in ranks:
                rank.join()
                assert rank.exitcode == 0  # <- bare-exit-code-assertion, report-asserted-too-late
            assert kind == "ok", value
        """,
    "a class with __exit__ that reports is as good as a try": """
        class Guard:
            def __init__(self, rank, out):
                self.rank, self.out = rank, out
            def __enter__(self):
                return self
            def __exit__(self, kind, value, trace):
                self.out.put((self.rank, traceback.format_exception(kind, value, trace)))

        def work(rank, out):
            with Guard(rank, out):
                dist.init_process_group("gloo", rank=rank, world_size=2)

        def late(rank, out):
            dist.init_process_group("gloo", rank=rank, world_size=2)  # <- init-outside-try
            with Guard(rank, out):
                dist.barrier()

        def run(target):
            out = mp.SimpleQueue()
            tmp.spawn(target, args=(out,), nprocs=2)
            return [out.get() for _ in range(2)]

        def test_work():
            assert run(work)

        def test_late():
            assert run(late)
        """,
    "a generator as context manager that reports": """
        import contextlib

        @contextlib.contextmanager
        def reported(rank, out):
            try:
                yield
            except Exception:
                out.put((rank, traceback.format_exc()))

        def work(rank, out):
            with open(os.devnull) as sink, reported(rank, out):
                dist.init_process_group("gloo", rank=rank, world_size=2)

        def test_work():
            out = mp.SimpleQueue()
            tmp.start_processes(work, (out,), 2)
            assert out.empty()
        """,
    "torchrun's record reports for the script": """
        from torch.distributed.elastic.multiprocessing.errors import record

        @record
        def main():
            dist.init_process_group("gloo")
            report = {}
            try:
                dist.barrier()
            except Exception as error:
                report["error"] = repr(error)
            with open("report.json", "w") as file:
                json.dump(report, file)

        if __name__ == "__main__":
            main()
        """,
    "a script that keeps what was raised and writes it later": """
        def main():
            dist.init_process_group("gloo")  # <- init-outside-try
            told = {}
            try:
                dist.barrier()
            except Exception:
                told["error"] = traceback.format_exc()
            with open(f"report-{os.environ['RANK']}", "w") as file:
                file.write(str(told))

        if __name__ == "__main__":
            main()

        def test_program():
            ended = subprocess.run(["torchrun", __file__], capture_output=True)
            assert ended.returncode == 0  # <- bare-exit-code-assertion
        """,
    "an imported launcher runs it": """
        from helpers import run_distributed

        def work(rank, errors):
            dist.init_process_group("gloo", rank=rank, world_size=2)  # <- init-outside-try
            try:
                dist.barrier()
            except BaseException as error:
                errors[rank] = repr(error)
                raise

        def test_work():
            run_distributed(work, world_size=2)
        """,
    "targets by partial, lambda, choice and method": """
        import functools

        def one(out, rank):
            dist.init_process_group("gloo", rank=rank, world_size=2)  # <- init-outside-try
            try:
                dist.barrier()
            except Exception:
                out.put(traceback.format_exc())

        class Harness:
            def work(self, rank, out):
                dist.init_process_group("gloo", rank=rank, world_size=2)  # <- init-outside-try
                try:
                    dist.barrier()
                except Exception:
                    out.put(traceback.format_exc())

        def plain(rank, out):
            out.put(rank)

        FAST = False

        def test_all():
            out = mp.Queue()
            harness = Harness()
            tmp.spawn(functools.partial(one, out), nprocs=2)
            tmp.spawn(harness.work, args=(out,), nprocs=2)
            tmp.spawn(plain if FAST else lambda rank, out: plain(rank, out), args=(out,), nprocs=2)
        """,
    "a pool brings back what is returned": """
        def work(rank):
            dist.init_process_group("gloo", rank=rank, world_size=2)  # <- init-outside-try
            try:
                dist.barrier()
            except Exception:
                return traceback.format_exc()
            return None

        def test_pool():
            with mp.Pool(2) as pool:
                assert pool.map(work, range(2)) == [None, None]
        """,
    "fewer reads by a slice of the world": """
        WORLD = 2 * 2

        def work(rank, out):
            out.put(rank)

        def test_most():
            out = mp.Queue()
            ranks = [mp.Process(target=work, args=(rank, out)) for rank in range(1, WORLD)]
            for rank in ranks:
                rank.start()
                assert rank.is_alive() or rank.exitcode == 0, rank.exitcode
            for _ in range(len(ranks) - 1):
                out.get()  # <- no-early-exit-check, one-item-drained
        """,
    "as many reads as the parameter says": """
        def work(rank, out):
            out.put(rank)

        @pytest.mark.parametrize("world", [1, 3])
        @pytest.mark.parametrize(("a", "b"), [(1, 2), pytest.param(3, 4)])
        def test_world(world, a, b):
            out = mp.Queue()
            ranks = [mp.Process(target=work, args=(rank, out)) for rank in range(world)]
            for rank in ranks:
                rank.start()
            out.get(timeout=5)  # <- one-item-drained

        def test_unknown(world_size):
            out = mp.Queue()
            for rank in range(world_size):
                mp.Process(target=work, args=(rank, out)).start()
            out.get(timeout=5), out.get(timeout=5)
        """,
    "tries again until the first item, and a helper that reads all": """
        def work(rank, out):
            out.put(rank)

        def first(out):
            for _ in range(50):
                try:
                    return out.get(timeout=0.1)  # <- one-item-drained
                except queue.Empty:
                    pass

        def first_by_else(out):
            while True:
                try:
                    item = out.get(timeout=0.1)  # <- no-early-exit-check, one-item-drained
                except queue.Empty:
                    continue
                else:
                    break
            return item

        def start(out):
            for rank in range(3):
                mp.Process(target=work, args=(rank, out)).start()

        def test_first():
            out = mp.Queue()
            start(out)
            first(out)

        def test_first_by_else():
            out = mp.Queue()
            start(out)
            first_by_else(out)
        """,
    "an item is read by someone else": """
        import helpers

        def work(rank, out):
            out.put(rank)

        def echo(rank, out):
            out.put(out.get())

        def start(target, out):
            for rank in range(3):
                mp.Process(target=target, args=(rank, out)).start()

        def test_imported():
            out = mp.Queue()
            start(work, out)
            helpers.drain(out)
            out.get(timeout=1)

        def test_worker():
            out = mp.Queue()
            start(echo, out)
            out.get(timeout=1)

        def test_failures_only():
            out = mp.Queue()
            start(failing, out)
            assert out.empty(), out.get()

        def failing(rank, out):
            try:
                helpers.work(rank)
            except Exception:
                out.put(traceback.format_exc())
        """,
    "pipes that are polled, or whose writer the parent has closed": """
        def work(rank, pipe):
            try:
                pipe.send(rank)
            except Exception as error:
                pipe.send(error)

        def test_polled():
            ours, theirs = mp.Pipe()
            child = mp.Process(target=work, args=(0, theirs))
            child.start()
            assert ours.poll(60)  # <- no-early-exit-check
            assert ours.recv() == 0

        def test_several():
            ours, theirs = mp.Pipe()
            child = mp.Process(target=work, args=(0, theirs))
            child.start()
            assert mp.connection.wait([ours, child.sentinel], 60)

        def test_several_unwatched():
            ours, theirs = mp.Pipe()
            child = mp.Process(target=work, args=(0, theirs))
            child.start()
            assert mp.connection.wait([ours], 60)  # <- no-early-exit-check
            assert ours.poll(timeout=60)  # <- no-early-exit-check
            assert ours.poll() is None

        def test_closed():
            ours, theirs = mp.Pipe(duplex=False)
            child = mp.Process(target=work, args=(0, theirs))
            child.start()
            child.close()
            theirs.close()
            assert ours.recv() == 0

        def test_open():
            ours, theirs = mp.Pipe(duplex=False)
            child = mp.Process(target=work, args=(0, theirs))
            child.start()
            ours.close()
            assert ours.recv() == 0  # <- no-early-exit-check
        """,
    "events, barriers and reads that do not wait": """
        def serve(ready, out):
            out.put(1)
            ready.set()

        def test_event():
            ready, out = mp.Event(), mp.Queue()
            server = mp.Process(target=serve, args=(ready, out))
            server.start()
            assert ready.wait(timeout=30.0)  # <- no-early-exit-check
            out.get(block=False)
            out.get(False)
            out.get_nowait()
            server.wait(3)

        def test_spawned():
            ready, out = mp.Event(), mp.Queue()
            context = tmp.spawn(serve, args=(ready, out), nprocs=1, join=False)
            while not context.join(timeout=1):
                out.get(timeout=60)
        """,
    "what one rank alone may say": """
        def by_match(rank, out):
            match rank:
                case 0:
                    out.put(1)  # <- rank-0-only-report
                case _:
                    pass

        def by_and(rank, out):
            dist.get_rank() == 0 and out.put(1)  # <- rank-0-only-report

        def by_leaving(rank, out):
            if not rank == 0:
                return
            out.put(1)  # <- rank-0-only-report

        def by_other(rank, out):
            if rank != 0 or out is None:
                pass
            else:
                out.put(1)  # <- rank-0-only-report

        def by_environment(number, out):
            main = int(os.environ["LOCAL_RANK"]) == 0 and os.getpid()
            if main:
                out.put(1)  # <- rank-0-only-report

        def by_getenv(number, out):
            if os.getenv("RANK") == "0":
                out.put(1)  # <- rank-0-only-report

        def by_helper(rank, out):
            if is_main_process():
                out.put(1)  # <- rank-0-only-report

        def by_half(rank, out):
            value = 1 if rank % 2 else out.put(1)

        def start(target):
            out = mp.Queue()
            for rank in range(2):
                mp.Process(target=target, args=(rank, out if rank == 0 else None)).start()

        @pytest.mark.parametrize(
            "target",
            [by_match, by_and, by_leaving, by_other, by_environment, by_getenv, by_helper, by_half],
        )
        def test_all(target):
            out = mp.Queue()
            for rank in range(2):
                mp.Process(target=target, args=(rank, out)).start()
        """,
    "the queue is given to one rank only": """
        def work(rank, out):
            if out is None:
                return
            out.put(rank)  # <- rank-0-only-report

        def test_given():
            out = mp.Queue()
            for rank in range(2):
                mp.Process(target=work, args=(rank, out if rank == 0 else None)).start()
        """,
    "codes by other names and their signs": """
        def work(): pass

        @pytest.fixture
        def ended():
            ranks = [mp.Process(target=work) for _ in range(2)]
            for rank in ranks:
                rank.join()
            return ranks

        def succeeded(ranks):
            return all(rank.exitcode == 0 for rank in ranks)

        def test_flags(ended):
            fine = True
            for rank in ended:
                if rank.exitcode:
                    fine = False
            assert fine  # <- bare-exit-code-assertion

        def test_bool(ended):
            assert succeeded(ended)  # <- bare-exit-code-assertion
            assert bool(succeeded(ended)) and ended  # <- bare-exit-code-assertion

        def test_map(ended):
            assert all(map(lambda rank: not rank.exitcode, ended)), "failed"  # <- bare-exit-code-assertion

        def test_collected(ended):
            failed = []
            for rank in ended:
                if rank.exitcode != 0:
                    failed.append(rank)
            assert not failed
            assert failed == []
            if [] != [rank.exitcode for rank in ended if rank.exitcode]:  # <- bare-exit-code-assertion
                pytest.fail("failed")

        def test_sets(ended):
            assert {rank.exitcode for rank in ended} == {0}
            assert list(rank.exitcode for rank in ended) == [0] * len(ended)
            assert [0] * 2 == [rank.exitcode for rank in ended]
            codes = sum(rank.exitcode for rank in ended)
            assert codes <= 0  # <- bare-exit-code-assertion
            assert not any(rank.exitcode > 0 for rank in ended)  # <- bare-exit-code-assertion

        def test_meant_to_fail(ended):
            assert all(rank.exitcode == 1 for rank in ended)
            assert ended[0].exitcode == -signal.SIGKILL
            assert ended[0].exitcode == signal.SIGKILL
            assert ended[0].exitcode in (0, -signal.SIGKILL)
            assert ended[0].exitcode in (0, signal.SIGKILL)
            assert ended[0].exitcode != 0
            assert ended[0].exitcode
            assert ended[0].exitcode is not None
            assert [rank.exitcode for rank in ended] == [1] * 2
            if ended[0].exitcode == 0:
                pytest.fail("ended well")

        def test_raises(ended):
            if any(rank.exitcode for rank in ended):  # <- bare-exit-code-assertion
                raise RuntimeError
            if any(rank.exitcode for rank in ended):
                print([rank.exitcode for rank in ended])
                pytest.fail("failed")
            if any(rank.exitcode for rank in ended):
                told = str(ended)
                assert told

        class TestCase:
            exitcode = 3

            def test_own(self, ended):
                expected = 5
                self.assertEqual(ended[0].exitcode, self.exitcode)
                self.assertEqual(ended[0].exitcode, expected)
                self.assertEqual(self.exitcode, 0)

            def test_method(self, ended):
                self.assertTrue(succeeded(ended), msg="failed")  # <- bare-exit-code-assertion
                self.assertFalse(any(rank.exitcode for rank in ended), ended)
                self.assertEqual(ended[0].exitcode)
                self.assertAlmostEqual(ended[0].exitcode, 0)
                self.assertLess(ended[0].exitcode, 0)
                self.assertRaises(ValueError)
                for rank in ended:
                    with self.subTest(rank=rank):
                        self.assertEqual(rank.exitcode, 0)
        """,
    "programs of ranks and other programs": """
        WORKER = "import torch.distributed as dist\\ndist.init_process_group()"

        def test_rank_program(tmp_path):
            (tmp_path / "x.py").write_text(WORKER)
            program = subprocess.Popen(args=[sys.executable, tmp_path / "x.py"])
            assert program.wait(60) == 0  # <- bare-exit-code-assertion
            ended = subprocess.run("torchrun " + str(tmp_path), shell=True)
            assert ended.returncode == 0  # <- bare-exit-code-assertion

        def test_called():
            code = subprocess.call(["torchrun", "x.py"])
            assert code == 0  # <- bare-exit-code-assertion
            assert subprocess.call(["true"]) == 0

        def test_other_program():
            assert subprocess.run(["git", "status"]).returncode == 0
            assert subprocess.run().returncode == 0
        """,
    "a program that is late": """
        def run():
            program = subprocess.Popen(["torchrun", "x.py"], stderr=subprocess.PIPE)
            try:
                out, err = program.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                program.kill()  # <- terminate-counts-as-crash
                out, err = program.communicate()
            except ValueError:
                program.terminate()
                raise
            return program.returncode, err

        def test_program():
            code, err = run()
            assert code == 0, err
        """,
    "terminated at a deadline": """
        import time

        def work(): pass

        def test_deadline():
            ranks = [mp.Process(target=work) for _ in range(2)]
            deadline = time.time() + 30
            while any(rank.is_alive() for rank in ranks) and time.time() < deadline:
                time.sleep(0.1)
            for rank in ranks:
                rank.terminate()  # <- terminate-counts-as-crash
            codes = [rank.exitcode for rank in ranks]
            assert codes == [0, 0]

        def test_codes_read_before():
            ranks = [mp.Process(target=work) for _ in range(2)]
            for rank in ranks:
                rank.join(5)
            codes = [rank.exitcode for rank in ranks]
            for rank in ranks:
                rank.terminate()
            assert codes == [0, 0]

        def test_marked():
            ranks = [mp.Process(target=work) for _ in range(2)]
            late = 0
            for rank in ranks:
                rank.join(5)
                if rank.is_alive():
                    late += 1
                    rank.terminate()
            assert [rank.exitcode for rank in ranks] == [0, 0], late

        def test_told_by_message():
            ranks = [mp.Process(target=work) for _ in range(2)]
            [rank.join(5) for rank in ranks]
            late = [rank for rank in ranks if rank.exitcode is None]
            for rank in late:
                rank.kill()
            assert [rank.exitcode for rank in ranks] == [0, 0], f"late: {late}"

        def test_told_apart():
            ranks = [mp.Process(target=work) for _ in range(2)]
            for rank in ranks:
                rank.join(5)
            late = [rank.name for rank in ranks if rank.is_alive()]
            for rank in ranks:
                rank.terminate()
            assert not late, "still running"
            assert [rank.exitcode for rank in ranks] == [0, 0]

        def test_other_processes():
            server, ranks = mp.Process(target=work), [mp.Process(target=work) for _ in range(2)]
            for rank in ranks:
                rank.join(5)
            server.terminate()
            assert [rank.exitcode for rank in ranks] == [0, 0]

        def test_signal_told_apart():
            ranks = [mp.Process(target=work) for _ in range(2)]
            for rank in ranks:
                rank.join(5)
                rank.terminate()
                if rank.exitcode == -signal.SIGTERM:
                    pytest.fail("late")
            assert [rank.exitcode for rank in ranks] == [0, 0]

        def test_answered():
            assert stopped() is None

        def stopped():
            rank = mp.Process(target=work)
            rank.join(5)
            if rank.is_alive():
                rank.kill()
                return "late"
            assert rank.exitcode == 0, rank.exitcode
        """,
    "one look at what was reported is enough, if it is first": """
        def work(rank, out):
            try:
                out[rank] = 1
            except Exception as error:
                out[rank] = error
                raise

        def start():
            out = mp.Manager().dict()
            ranks = [mp.Process(target=work, args=(rank, out)) for rank in range(2)]
            for rank in ranks:
                rank.join()
            return [rank.exitcode for rank in ranks], out

        def test_late():
            codes, out = start()
            assert out is not None
            assert len(out) == 2
            assert codes == [0, 0]  # <- report-asserted-too-late
            for value in out.values():
                if isinstance(value, Exception):
                    raise value

        def test_first():
            codes, out = start()
            assert dict(out) == {0: 1, 1: 1}
            assert codes == [0, 0]
            assert len(out) == 2
        """,
    "a watch in the loop that waits is no verdict": """
        def work(rank, out):
            try:
                out.put(rank)
            except Exception:
                out.put(traceback.format_exc())

        def test_watched():
            out = mp.Queue()
            ranks = [mp.Process(target=work, args=(rank, out)) for rank in range(2)]
            told = []
            for _ in ranks:
                for _ in range(100):
                    try:
                        told.append(out.get(timeout=0.5))
                        break
                    except queue.Empty:
                        assert not any(rank.exitcode for rank in ranks), [rank.exitcode for rank in ranks]
            assert told == [0, 1]
        """,
    "arguments by keyword, by joined tuples and through more names": """
        from torch.testing._internal.common_distributed import MultiProcessTestCase

        def work(rank, world, out):
            out.put(rank)

        def started(out):
            rest = (2, out)
            ranks = []
            for number, name in zip(range(2), ["a", "b"]):
                ranks.append(mp.Process(None, work, name, (number,) + rest))
            for number, rank in enumerate(list(ranks)):
                rank.start()
            return ranks

        def test_joined():
            out, = (mp.Queue(),)
            started(out)
            out.get(timeout=1)  # <- one-item-drained

        def test_keywords():
            out = mp.Queue()
            two = [mp.Process(target=work, kwargs={"rank": n, **{}, "world": 2, "out": out}) for n in (0, 1)]
            for rank in two:
                rank.start()
            out.get(timeout=1)  # <- one-item-drained

        def test_dict():
            out = mp.Queue()
            told = dict(world=2, out=out)
            for rank in range(2):
                mp.Process(target=work, args=(rank,), kwargs=told).start()
                mp.Process(target=work, args=(rank,), kwargs=unknown).start()
            out.get(timeout=1)  # <- one-item-drained

        def test_of_itself():
            out = mp.Queue()
            told = (0, *told)
            mp.Process(target=work, args=told).start()
            out.get(timeout=1)

        def test_no_queue_that_is_shown():
            one, two = [mp.Queue()]
            mp.Process(target=work, args=(0, 2, two)).start()
            mp.Process(target=work, args=(1, 2, two)).start()
            two.get(timeout=1)

        class TestRanks(MultiProcessTestCase):
            def test_on_ranks(self):
                dist.init_process_group("gloo", rank=self.rank, world_size=2)
        """,
    "elastic launch, and programs by a joined command": """
        from torch.distributed.launcher.api import LaunchConfig, elastic_launch

        def work(out):
            out.put(1)

        def test_elastic():
            out = mp.Queue()
            elastic_launch(LaunchConfig(1, 1, 2), work)(out)

        def test_program():
            base = [sys.executable] + ["x.py"]
            for rank in range(2):
                program = subprocess.Popen(base + [str(rank)])
                assert not program.wait()  # <- bare-exit-code-assertion
        """,
    "codes through parameters, attributes and positions": """
        from queue import Empty

        def work(): pass

        def check(code):
            assert not code  # <- bare-exit-code-assertion

        class Runner:
            def __init__(self):
                self.codes = []

            def run(self):
                rank = mp.Process(target=work)
                rank.join()
                self.codes.append(rank.exitcode)
                check(rank.exitcode)

            def test(self):
                self.run()
                assert not any(self.codes)  # <- bare-exit-code-assertion
                assert self.codes == 2 * [0]
                assert all(code != signal.SIGTERM for code in self.codes)

        def test_runner():
            Runner().test()

        def counted(ranks):
            late = 0
            for rank in ranks:
                late += rank.exitcode
            return late

        def test_counted():
            ranks = [mp.Process(target=work)] * 2
            assert counted(ranks) == 0  # <- bare-exit-code-assertion
        """,
    "what a handler keeps in two names, and Empty by its own name": """
        from queue import Empty

        def work(rank, out):
            dist.init_process_group("gloo", rank=rank, world_size=2)  # <- init-outside-try
            first, kept = None, None
            try:
                dist.barrier()
            except Exception as error:
                first, kept = repr(error), 1
                told = repr(error)
            out.put((rank, told))

        def test_kept():
            out = mp.Queue()
            ranks = [mp.Process(target=work, args=(rank, out)) for rank in range(2)]
            for rank in ranks:
                rank.start()
            out.get(timeout=100), out.get(timeout=100)  # <- no-early-exit-check
        """,
    "made in other ways": """
        class Launcher:
            def __init__(self, size):
                self.out = mp.Queue()
                self.ranks = {
                    rank: mp.Process(args=(rank, self.out), target=Launcher.work) for rank in range(size)
                }

            @staticmethod
            def work(rank, out):
                out.put(rank)

            def start(self):
                for rank in self.ranks.values():
                    rank.start()
                return self

            def first(self):
                return self.out.get(timeout=1)  # <- one-item-drained

            def codes(self):
                found = {}
                for number, rank in self.ranks.items():
                    found["codes"][number] = rank.exitcode
                assert not any(found["codes"].values())  # <- bare-exit-code-assertion

        def test_chained():
            launcher = Launcher(2).start()
            launcher.first()
            launcher.codes()

        def test_by_dictionary():
            out = mp.Queue()
            ranks = {name: mp.Process(target=Launcher.work, args=(0, out)) for name in ("a", "b")}
            for rank in ranks:
                assert rank.exitcode == 0, rank
            same = [mp.Process(target=Launcher.work, args=(0, out))] * 2
            for rank in same:
                rank.terminate()

        def outer():
            def inner(rank, out):
                out.put(rank)
            return inner

        def test_closure():
            out = mp.Queue()
            for rank in range(2):
                mp.Process(target=outer(), args=[(rank, out)][0]).start()
            out.get(timeout=1)  # <- one-item-drained
        """,
    "a helper reads one item for each, in the loop of its caller": """
        def work(rank, out):
            out.put(rank)

        def take(out):
            item = out.get(timeout=1)
            return item

        def test_take():
            out = mp.Queue()
            ranks = [mp.Process(target=work, args=(rank, out)) for rank in range(3)]
            for rank in ranks:
                rank.start()
            items = []
            for _ in ranks:
                items.append(take(out))
            assert sorted(items) == [0, 1, 2]
        """,
    "decorators of the file that give back something else": """
        def same(function):
            return function

        def registered(function):
            registered.all = [function]

        def chosen(function):
            return print

        @chosen
        @registered
        @same
        def work(rank, out):
            if rank == 0:
                out.put(rank)  # <- rank-0-only-report

        def test_work():
            out = mp.Queue()
            for rank in range(3):
                mp.Process(target=work, args=(rank, out)).start()
        """,
    "parameters that are told in other ways": """
        NAMES = ("a", "b")

        def work(rank, out):
            out.put(rank)

        @pytest.mark.parametrize(NAMES, [(1, 2)])
        @pytest.mark.parametrize(["world", "missing"], [[2], pytest.param(3, 1)])
        @pytest.mark.parametrize("short, long", [(1,), (1, 2)])
        def test_world(world, missing, short, long, a, b, wide=True, *, step=1):
            out = mp.Queue()
            for rank in range(world // 1):
                mp.Process(target=work, args=(rank, out)).start()
            for rank in range(long):
                mp.Process(target=work, args=(rank, out)).start()
            for rank in range(0, missing, step):
                mp.Process(target=work, args=(rank, out)).start()
            for rank in range(wide):
                mp.Process(target=work, args=(rank, out)).start()
            out.get(timeout=1)  # <- one-item-drained
        """,
}


@pytest.mark.parametrize("source", CASES.values(), ids=CASES.keys())
def test_the_marked_lines_are_found_and_no_others(source: str) -> None:
    assert sorted((one.line, one.rule.value) for one in found(source)) == marked(source)


@pytest.mark.parametrize("source", CASES.values(), ids=CASES.keys())
def test_every_mend_is_python(source: str) -> None:
    for one in found(source):
        ast.parse(one.mend)


@pytest.mark.parametrize(
    ("imported", "timeout", "begins"),
    [
        ("", "timeout=90", "end = time.monotonic() + 90  # import time\n"),
        ("import time\n", "", "end = time.monotonic() + 180\n"),
        ("from time import monotonic\n", "timeout=1e9", "end = monotonic() + 180\n"),
        ("import time as clock\n", "timeout=30.5", "end = clock.monotonic() + 30.5\n"),
    ],
)
def test_the_mend_of_a_long_wait_keeps_a_deadline(imported: str, timeout: str, begins: str) -> None:
    source = (
        f"import multiprocessing as mp\n{imported}\n\n"
        "def work(rank, results):\n    results.put(rank)\n\n\n"
        "def test_work():\n    results = mp.Queue()\n"
        "    workers = [mp.Process(target=work, args=(rank, results)) for rank in range(2)]\n"
        "    for worker in workers:\n        worker.start()\n"
        f"    assert {{results.get({timeout}) for _ in workers}} == {{0, 1}}\n"
    )
    found = [one for one in lint(source, "test_work.py") if one.rule is Rule.NO_EARLY_EXIT_CHECK]
    assert [one.mend.startswith(begins) for one in found] == [True], [one.mend for one in found]
