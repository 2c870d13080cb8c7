"""Rules about time and about what another process may take meanwhile."""

from collections.abc import Mapping
from textwrap import dedent
from typing import Final

from app.domain.lint.finding import Rule
from app.domain.lint.meaning import Meaning

MEANINGS_OF_WAITING: Final[Mapping[Rule, Meaning]] = {
    Rule.PORT_FOUND_THEN_RELEASED: Meaning(
        short="A free port is found, released, and bound again later",
        why="A socket bound to port 0 tells a free port, and is closed before the group or the server binds "
        "that port. Between the two any process of the machine may take it, most easily another test of "
        "a parallel run; then the init fails with EADDRINUSE, or meets a stranger's store.",
        mend="Let whoever needs the port choose it and keep it: port 0 of a TCPStore of the parent, or a "
        "file.",
        bad=dedent("""\
            def free_port():
                with socket.socket() as found:
                    found.bind(("127.0.0.1", 0))
                    return found.getsockname()[1]


            def test_sum():
                mp.spawn(worker, args=(free_port(),), nprocs=2)


            def worker(rank, port):
                dist.init_process_group(
                    "gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2
                )
                dist.barrier()"""),
        mended=dedent("""\
            def test_sum():
                store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
                mp.spawn(worker, args=(store.port,), nprocs=2)


            def worker(rank, port):
                store = dist.TCPStore("127.0.0.1", port, is_master=False)
                dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
                dist.barrier()"""),
    ),
    Rule.FIXED_SLEEP_AS_SYNCHRONISATION: Meaning(
        short="A fixed sleep stands in for waiting until another process is ready",
        why="The test sleeps for a fixed time, and then takes for granted that another process has come so "
        "far. On a loaded machine it has not, and the failure that follows, a refused connection or a "
        "missing file, does not say that it was too early. On a fast machine the same sleep is time "
        "lost.",
        mend="Wait for the event itself: a message, an Event, a barrier, or a bounded wait for the "
        "condition.",
        bad=dedent("""\
            def test_server_answers():
                server = mp.Process(target=serve)
                server.start()
                time.sleep(2)
                assert ask("ping") == "pong\""""),
        mended=dedent("""\
            def test_server_answers():
                is_ready = mp.Event()
                server = mp.Process(target=serve, args=(is_ready,))
                server.start()
                assert is_ready.wait(timeout=60), f"not ready; exit code {server.exitcode}"
                assert ask("ping") == "pong\""""),
    ),
}
