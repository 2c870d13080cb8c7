"""Rules about a worker's error on its way to the test's own message."""

from collections.abc import Mapping
from textwrap import dedent
from typing import Final

from app.domain.lint.finding import Rule
from app.domain.lint.meaning import Meaning

MEANINGS_OF_REPORTS: Final[Mapping[Rule, Meaning]] = {
    Rule.INIT_OUTSIDE_TRY: Meaning(
        short="The process group is initialised outside the try that reports errors",
        why="A worker that catches its errors and sends them to the test reports nothing of what happens "
        "before that try. Rendezvous is the part of a distributed test that fails most easily on a "
        "loaded machine: when it fails there, the worker exits non-zero, and the test says `assert "
        "False` without any cause.",
        mend="Move the init into the try, and tear down only a group that was initialised.",
        bad=dedent("""\
            def worker(rank, results):
                dist.init_process_group("gloo", rank=rank, world_size=2)
                try:
                    results.put((rank, sum_over_ranks(rank)))
                except BaseException:
                    results.put((rank, traceback.format_exc()))
                    raise
                finally:
                    dist.destroy_process_group()"""),
        mended=dedent("""\
            def worker(rank, results):
                try:
                    dist.init_process_group("gloo", rank=rank, world_size=2)
                    results.put((rank, sum_over_ranks(rank)))
                    dist.barrier()
                except BaseException:
                    results.put((rank, traceback.format_exc()))
                    raise
                finally:
                    if dist.is_initialized():
                        dist.destroy_process_group()"""),
    ),
    Rule.ONE_ITEM_DRAINED: Meaning(
        short="Fewer results are read than processes were started",
        why="Every process puts a result or a traceback on the queue, and the test reads fewer than there "
        "are processes. Whichever comes first is seen: rank 0's success hides rank 1's traceback, which "
        "stays in the queue unread.",
        mend="Read one result for each process, and show what each said.",
        bad=dedent("""\
            def test_sum():
                context = mp.get_context("spawn")
                results = context.Queue()
                processes = [context.Process(target=worker, args=(n, results)) for n in range(2)]
                for process in processes:
                    process.start()
                value = next_result(results, processes)
                for process in processes:
                    process.join()
                assert value == 3"""),
        mended=dedent("""\
            def test_sum():
                context = mp.get_context("spawn")
                results = context.Queue()
                processes = [context.Process(target=worker, args=(n, results)) for n in range(2)]
                for process in processes:
                    process.start()
                values = [next_result(results, processes) for _ in processes]
                for process in processes:
                    process.join()
                assert values == [3, 3]"""),
    ),
    Rule.RANK_0_ONLY_REPORT: Meaning(
        short="Only rank 0 reports, so the error of any other rank is lost",
        why="The worker sends its result or its error under `if rank == 0` alone. When another rank fails, "
        "rank 0 usually waits in a collective until the timeout, and what it reports then is the "
        "consequence: `connection closed by peer`. The rank with the cause says nothing.",
        mend="Let every rank report, with its number.",
        bad=dedent("""\
            def worker(rank, results):
                try:
                    dist.init_process_group("gloo", rank=rank, world_size=2)
                    value = sum_over_ranks(rank)
                    dist.barrier()
                    if rank == 0:
                        results.put(value)
                except Exception:
                    if rank == 0:
                        results.put(traceback.format_exc())
                    raise"""),
        mended=dedent("""\
            def worker(rank, results):
                try:
                    dist.init_process_group("gloo", rank=rank, world_size=2)
                    value = sum_over_ranks(rank)
                    dist.barrier()
                    results.put((rank, value))
                except Exception:
                    results.put((rank, traceback.format_exc()))
                    raise"""),
    ),
    Rule.REPORT_ASSERTED_TOO_LATE: Meaning(
        short="An exit code is asserted before the assertion that would show the traceback",
        why="The test has the workers' reports in its hands, and asserts on their exit codes first. A "
        "worker that raised has exited non-zero, so that assertion fails, and the one that would show "
        "the traceback is never reached.",
        mend="Assert on the reports first, then on the exit codes.",
        bad=dedent("""\
            def finish(processes, reports):
                for process in processes:
                    process.join()
                assert all(p.exitcode == 0 for p in processes), [p.exitcode for p in processes]
                assert not any("Traceback" in report for report in reports), reports"""),
        mended=dedent("""\
            def finish(processes, reports):
                for process in processes:
                    process.join()
                assert not any("Traceback" in report for report in reports), reports
                assert all(p.exitcode == 0 for p in processes), [p.exitcode for p in processes]"""),
    ),
    Rule.TERMINATE_COUNTS_AS_CRASH: Meaning(
        short="A worker that was terminated because it was slow fails like one that crashed",
        why="After `join(timeout=...)` a process that is still alive is terminated, and its exit code, -15, "
        "then fails the same assertion as a crash does. On a small machine the slow case is the usual "
        "one, and the message does not say which of the two it was.",
        mend="Remember who was terminated, and say `too slow` of them and `crashed` of the others.",
        bad=dedent("""\
            def finish(processes):
                for process in processes:
                    process.join(timeout=30)
                    if process.is_alive():
                        process.terminate()
                        process.join()
                assert all(p.exitcode == 0 for p in processes), [p.exitcode for p in processes]"""),
        mended=dedent("""\
            def finish(processes):
                for process in processes:
                    process.join(timeout=30)
                slow = [rank for rank, process in enumerate(processes) if process.is_alive()]
                for rank in slow:
                    processes[rank].terminate()
                    processes[rank].join()
                assert not slow, f"ranks {slow} were still running after 30 s and were terminated"
                assert all(p.exitcode == 0 for p in processes), [p.exitcode for p in processes]"""),
    ),
    Rule.NO_EARLY_EXIT_CHECK: Meaning(
        short="The test waits for a queue without looking whether its processes still live",
        why="A process that died puts nothing on the queue any more. The test waits for it until the "
        "timeout, often minutes, and then raises `Empty`, which names neither the process nor its exit "
        "code.",
        mend="Wait in short turns, and fail at once when a process has exited non-zero.",
        bad=dedent("""\
            def collect(results, processes):
                return [results.get(timeout=180) for _ in processes]"""),
        mended=dedent("""\
            def collect(results, processes):
                return [next_result(results, processes) for _ in processes]


            def next_result(results, processes, deadline_s=180):
                end = time.monotonic() + deadline_s
                while time.monotonic() < end:
                    try:
                        return results.get(timeout=0.5)
                    except queue.Empty:
                        failed = {n: p.exitcode for n, p in enumerate(processes) if p.exitcode}
                        if failed:
                            pytest.fail(f"exited before they reported, by rank: {failed}")
                pytest.fail(f"no result within {deadline_s} s")"""),
    ),
    Rule.BARE_EXIT_CODE_ASSERTION: Meaning(
        short="An assertion on exit codes says neither which process failed nor how",
        why="`assert all(p.exitcode == 0 ...)` fails with `assert False`. Which rank it was, whether it "
        "raised (1), was killed for memory (-9), was terminated (-15) or aborted (-6), is all known at "
        "that line and is not told.",
        mend="Give the assertion a message with every rank's exit code.",
        bad=dedent("""\
            def finish(processes):
                for process in processes:
                    process.join()
                assert all(process.exitcode == 0 for process in processes)"""),
        mended=dedent("""\
            def finish(processes):
                for process in processes:
                    process.join()
                codes = {rank: process.exitcode for rank, process in enumerate(processes)}
                assert not any(codes.values()), f"exit codes by rank: {codes}\""""),
    ),
}
