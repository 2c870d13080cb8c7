"""The probe gets into every process of the tree, however that began, and says who each is."""

import sys
from pathlib import Path

import pytest
from probed import Tools

WORKERS = """
    import multiprocessing, sys

    def worker(rank, world_size):
        pass

    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        workers = [context.Process(target=worker, args=(rank, 2), name="W%d" % rank) for rank in range(2)]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        print([one.exitcode for one in workers])
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_are_reached_and_named_by_every_start_method(tools: Tools, python: str, method: str) -> None:
    ran = tools.run(WORKERS, method, python=python)

    assert ran.stdout == "[0, 0]\n", ran.stderr
    for number in range(2):
        worker = ran.worker(f"W{number}")
        assert worker.observed
        assert (worker.rank, worker.world, worker.rank_source) == (number, 2, "argument")
        assert worker.ending == "returned"
        assert worker.work_done_at is not None
        assert worker.exiting_at is not None
        assert worker.work_done_at <= worker.exiting_at
        assert 0 in {one.code for one in ran.journals.exits if one.pid == worker.pid}
    assert ran.journals.troubles == ()
    assert ran.journals.torn == ()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_worker_names_its_parent_and_how_it_began(tools: Tools, python: str, method: str) -> None:
    ran = tools.run(WORKERS, method, python=python)

    worker = ran.worker("W1")
    assert worker.parent == ran.main.pid
    assert worker.began == ("fork" if method == "fork" else "exec")
    assert ran.main.argv[1:] == (str(tools.project / "script.py"), method)
    assert ran.main.python is not None
    assert ran.main.python.startswith("3.")


def test_a_subprocess_is_reached_with_the_rank_of_its_environment(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import os, subprocess, sys

        known = dict(os.environ, RANK="3", WORLD_SIZE="8")
        subprocess.run([sys.executable, "-c", "pass"], env=known, check=True)
        """,
        python=python,
    )

    child = next(one for one in ran.journals.processes if one.parent == ran.main.pid)
    assert (child.rank, child.world, child.rank_source) == (3, 8, "env")


def test_a_cleared_environment_falls_back_on_the_file_beside_the_probe(tools: Tools, python: str) -> None:
    code = (
        f"import site; site.addsitedir({str(tools.folder)!r})"  # what `site` does with a folder of .pth files
    )
    ran = tools.ran([python, "-I", "-c", code], env={})

    assert ran.code == 0, ran.stderr
    assert [one.argv[-1] for one in ran.journals.processes] == [code]


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ("{}", "['PYTHONPATH'] False"),
        ("{'HOME': '/'}", "['HOME', 'PYTHONPATH'] False"),
        ("{'PYTHONPATH': '/theirs'}", "['PYTHONPATH'] True"),
        ("{b'PYTHONPATH': b'/theirs'}", "['PYTHONPATH'] True"),
    ],
)
def test_a_python_with_an_environment_of_its_own_is_reached(
    tools: Tools, python: str, environment: str, told: str
) -> None:
    ran = tools.run(
        f"""
        import subprocess, sys

        code = "import os, sys; print(sorted({{*os.environ}} - {{'LC_CTYPE'}}), '/theirs' in sys.path)"
        subprocess.run([sys.executable, "-c", code], env={environment}, check=True)
        subprocess.run(["/usr/bin/env"], env={{"A": "1"}}, check=True)
        try:
            subprocess.run(["no-such-program"], env={{"A": "1"}})
        except FileNotFoundError as error:
            print(error.filename)
        """,
        python=python,
    )

    assert ran.stdout.splitlines() == [told, "A=1", "no-such-program"], ran.stderr
    assert len(ran.journals.processes) == 2
    assert ran.journals.troubles == ()


def test_both_ways_in_start_it_once(tools: Tools) -> None:
    ran = tools.ran([sys.executable, "-c", f"import site; site.addsitedir({str(tools.folder)!r})"])

    journal = next(tools.journal.glob("*.jsonl")).read_text(encoding="utf-8")
    assert ran.code == 0
    assert journal.count('"argv"') == 1


def test_without_a_journal_nothing_rides_in(tools: Tools) -> None:
    (tools.folder / "address.json").unlink()
    bare = {name: value for name, value in tools.environment().items() if name not in tools.address}

    ran = tools.ran(
        [sys.executable, "-c", "import sys; print(sys.excepthook is sys.__excepthook__)"], env=bare
    )

    assert ran.stdout == "True\n"
    assert not list(tools.journal.iterdir())


@pytest.mark.parametrize("text", ["not json", "[]", '{"FLAKE_TRIAGE_JOURNAL": 5}'])
def test_a_damaged_address_is_no_address(tools: Tools, text: str) -> None:
    (tools.folder / "address.json").write_text(text, encoding="utf-8")
    bare = {name: value for name, value in tools.environment().items() if name not in tools.address}

    assert tools.ran([sys.executable, "-c", "pass"], env=bare).code == 0
    assert not list(tools.journal.iterdir())


def test_a_journal_that_cannot_be_written_leaves_the_process_alone(tools: Tools) -> None:
    absent = {**tools.environment(), "FLAKE_TRIAGE_JOURNAL": str(tools.journal / "absent")}

    ran = tools.ran([sys.executable, "-c", "print(1)"], env=absent)

    assert (ran.stdout, ran.code) == ("1\n", 0)


def test_a_sitecustomize_that_it_hides_still_runs(tools: Tools, tmp_path: Path, python: str) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    text = "import sys; sys.path.append('/added-by-theirs'); THEIRS = True"
    (theirs / "sitecustomize.py").write_text(text, encoding="utf-8")
    env = {**tools.environment(), "PYTHONPATH": f"{tools.folder}:{theirs}"}

    code = "import sys, sitecustomize as s; print(s.THEIRS, sys.path[-1], sys.argv[1] in sys.path)"
    ran = tools.ran([python, "-c", code, str(tools.folder)], env=env)

    assert ran.stdout == "True /added-by-theirs True\n", ran.stderr
    assert len(ran.journals.processes) == 1


def test_a_sitecustomize_that_fails_is_reported_as_without_us(tools: Tools, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("1 / 0", encoding="utf-8")
    env = {**tools.environment(), "PYTHONPATH": f"{tools.folder}:{theirs}"}

    ran = tools.ran([sys.executable, "-c", "pass"], env=env)

    assert "Error in sitecustomize" in ran.stderr
    assert "ZeroDivisionError" in ran.stderr


def test_a_program_executed_in_place_keeps_its_start_and_changes_its_argv(tools: Tools) -> None:
    ran = tools.run("import os, sys; os.execv(sys.executable, [sys.executable, '-c', 'pass'])")

    (process,) = ran.journals.processes
    assert process.argv[1:] == ("-c", "pass")
    assert process.exiting_at is not None
