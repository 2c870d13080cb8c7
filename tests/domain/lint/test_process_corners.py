"""The rules of processes and queues, a shape each that other people's tests take."""

import pytest
from marked import assert_marked, found

from app.domain.lint.finding import Rule

START = """
    def work(rank):
        print(rank)

    def started():
        ranks = [mp.Process(target=work, args=(rank,)) for rank in range(2)]
        for rank in ranks:
            rank.start()
        return ranks
"""


@pytest.mark.parametrize(
    ("begin", "each", "fails"),
    [
        ("bad = False", "bad |= one.exitcode != 0", "assert not bad"),
        ("fine = True", "fine &= not one.exitcode", "assert fine"),
        ("bad = 0", "bad += int(one.exitcode != 0)", "assert bad == 0, 'a rank failed'"),
        ("fine = []", "fine.append(one.exitcode == 0)", "assert all(fine), 'not every rank ended well'"),
        ("bad = []", "bad.append(bool(one.exitcode))", "assert not any(bad)"),
    ],
)
def test_a_verdict_that_is_gathered_over_the_ranks_tells_no_code(begin: str, each: str, fails: str) -> None:
    assert_marked(
        Rule.BARE_EXIT_CODE_ASSERTION,
        f"""{START}
    def test_it():
        {begin}
        for one in started():
            one.join()
            {each}
        {fails}  # <-
        """,
    )


@pytest.mark.parametrize(
    ("each", "fails"),
    [
        ("seen.append((one.name, one.exitcode))", "assert not [pair for pair in seen if pair[1]], seen"),
        ("seen.append(bool(one.name))", "assert all(seen)"),
        ("seen.append(one.exitcode is None)", "assert not any(seen)"),
    ],
)
def test_a_list_of_codes_or_of_something_else_is_no_bare_verdict(each: str, fails: str) -> None:
    assert_marked(
        Rule.BARE_EXIT_CODE_ASSERTION,
        f"""{START}
    def test_it():
        seen = []
        for one in started():
            one.join()
            {each}
        {fails}
        """,
    )


@pytest.mark.parametrize("raised", ["WorkerFailed", "WorkerFailed()", "WorkerFailed('one of them')"])
def test_an_exception_without_facts_says_no_more_than_its_name(raised: str) -> None:
    assert_marked(
        Rule.BARE_EXIT_CODE_ASSERTION,
        f"""{START}
    class WorkerFailed(Exception):
        pass

    def test_it():
        for one in started():
            one.join()
            if one.exitcode != 0:  # <-
                raise {raised}
        """,
    )


def test_one_program_started_several_times_beside_itself_is_a_program_of_ranks() -> None:
    assert_marked(
        Rule.BARE_EXIT_CODE_ASSERTION,
        """
    def launch(count):
        running = [subprocess.Popen([sys.executable, "-c", "pass"]) for _ in range(count)]
        for one in running:
            one.communicate()
        if not all(one.returncode == 0 for one in running):  # <-
            raise RuntimeError("the run has failed")

    def test_one():
        only = subprocess.Popen([sys.executable, "-c", "pass"])
        assert only.wait() == 0
        """,
    )


def test_a_program_of_the_module_itself_is_started_once() -> None:
    body = """
    only = subprocess.Popen([sys.executable, "-c", "pass"])
    assert only.wait() == 0
    """
    assert found(Rule.BARE_EXIT_CODE_ASSERTION, body) == []


RUN = """
    def run(*words):
        return subprocess.run([sys.executable, "-m", "program", *words], timeout=100)
"""


@pytest.mark.parametrize(
    "look",
    [
        "assert json.loads(report.read_text())['traceback'] is None, report.read_text()",
        "assert not report.exists(), f'errors:\\n{report.read_text()}'",
        "assert json.load(report.open())['failed'] == []",
        "print(report.with_suffix('.err').read_text())",
    ],
)
def test_a_programs_report_is_read_after_its_exit_code(look: str) -> None:
    assert_marked(
        Rule.REPORT_ASSERTED_TOO_LATE,
        f"""{RUN}
    def test_it(tmp_path):
        report = tmp_path / "report.json"
        ended = run("--report", str(report))
        assert ended.returncode == 0, f"ended with {{ended.returncode}}"  # <-
        {look}
        """,
    )


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("assert not errors.exists(), errors.read_text()", ""),
        ("print(errors.read_text())", ""),
        ("print(ended.args)", ", errors.read_text()"),
        ("print(ended.args)", ", ended.stdout"),
        ("print(ended.args)", ", ended.stderr"),
    ],
)
def test_what_a_program_left_is_shown_with_its_exit_code_or_before(before: str, message: str) -> None:
    assert_marked(
        Rule.REPORT_ASSERTED_TOO_LATE,
        f"""{RUN}
    def test_it(tmp_path):
        errors = tmp_path / "errors.txt"
        ended = run("--errors", str(errors))
        {before}
        assert ended.returncode == 0{message}
        assert not errors.exists(), errors.read_text()
        """,
    )


@pytest.mark.parametrize("words", ['"torchrun", "program.py"', 'sys.executable, "program.py"', '"ls"', ""])
def test_a_programs_results_are_no_report_of_a_failure(words: str) -> None:
    assert_marked(
        Rule.REPORT_ASSERTED_TOO_LATE,
        f"""
    def test_it(tmp_path):
        ended = subprocess.run([{words}], cwd=tmp_path)
        assert ended.returncode == 0
        assert json.loads((tmp_path / "result.json").read_text())["loss"] < 1
        assert torch.load(tmp_path / "errors") == []
        """,
    )


@pytest.mark.parametrize(
    ("handler", "kept", "told"),
    [
        ("except Exception as error:", "status, detail = 'failed', repr(error)", "(rank, status, detail)"),
        ("except Exception:", "status = 'failed'", "{'rank': rank, 'status': status}"),
        ("except:", "[is_ok, *rest] = [False, rank]", "(rank, is_ok)"),
        ("except (ValueError, RuntimeError):", "status = traceback.format_exc()", "(rank, status)"),
        ("except RuntimeError:", "outcome = None; raise", "(rank, outcome)"),
        ("except AssertionError:", "outcome = None", "('error', rank, outcome)"),
    ],
)
def test_a_report_that_is_put_below_the_try_covers_no_init_above_it(
    handler: str, kept: str, told: str
) -> None:
    assert_marked(
        Rule.INIT_OUTSIDE_TRY,
        f"""
    def work(rank, out):
        mesh = init_device_mesh("cpu", (2,))  # <-
        try:
            dist.barrier()
        {handler}
            {kept}
        out.put({told})

    def test_it():
        out = mp.Queue()
        mp.spawn(work, args=(out,), nprocs=2)
        """,
    )


@pytest.mark.parametrize(
    ("handler", "kept", "told"),
    [
        ("except RuntimeError as error:", "told = str(error)", "(rank, told, 0)"),
        ("except AssertionError as error:", "told = error.args", "told"),
        ("except Exception:", "number = 0", "(rank, number)"),
        ("except Exception:", "status = 'failed'", "(rank, 1)"),
    ],
)
def test_an_expected_error_or_a_fallback_is_no_report(handler: str, kept: str, told: str) -> None:
    assert_marked(
        Rule.INIT_OUTSIDE_TRY,
        f"""
    def work(rank, out):
        dist.init_process_group("gloo", rank=rank, world_size=2)
        try:
            dist.new_group([0, 0])
        {handler}
            {kept}
        out.put({told})

    def test_it():
        out = mp.Queue()
        mp.spawn(work, args=(out,), nprocs=2)
        """,
    )


LOOKS = """
    def work(out):
        out.put(1)

    def serve():
        print("serving")
"""


@pytest.mark.parametrize(
    "look",
    [
        "assert all(one.is_alive() for one in ranks)",
        "for one in ranks: assert one.is_alive(), one.name",
        "codes = [one.exitcode for one in ranks]",
    ],
)
def test_a_look_right_after_the_start_watches_nothing(look: str) -> None:
    assert_marked(
        Rule.NO_EARLY_EXIT_CHECK,
        f"""{LOOKS}
    def test_it():
        out = mp.Queue()
        ranks = [mp.Process(target=work, args=(out,)) for _ in range(2)]
        [one.start() for one in ranks]
        {look}
        assert [out.get(timeout=60) for _ in ranks] == [1, 1]  # <-
        """,
    )


@pytest.mark.parametrize(
    "look",
    [
        "while any(one.is_alive() for one in ranks): time.sleep(0.1)",
        "while out.empty(): assert all(one.is_alive() for one in ranks)",
        "for _ in range(600): time.sleep(0.1); assert all(one.is_alive() for one in ranks)",
        "ranks[0].join(); assert ranks[0].exitcode == 0",
        "signal.signal(signal.SIGCHLD, print)",
        "multiprocessing.connection.wait([one.sentinel for one in ranks], 5)",
    ],
)
def test_a_look_that_waits_or_comes_after_the_end_is_enough(look: str) -> None:
    assert_marked(
        Rule.NO_EARLY_EXIT_CHECK,
        f"""{LOOKS}
    def test_it():
        out = mp.Queue()
        ranks = [mp.Process(target=work, args=(out,)) for _ in range(2)]
        [one.start() for one in ranks]
        {look}
        assert [out.get(timeout=60) for _ in ranks] == [1, 1]
        """,
    )


def test_a_message_that_names_the_code_of_the_process_is_a_look() -> None:
    assert_marked(
        Rule.NO_EARLY_EXIT_CHECK,
        f"""{LOOKS}
    def test_it():
        ours, theirs = mp.Pipe()
        rank = mp.Process(target=work, args=(theirs,))
        rank.start()
        assert ours.poll(60), f"exit code {{rank.exitcode}}"
        assert ours.recv() == 1
        """,
    )


def test_a_look_at_another_process_watches_nothing() -> None:
    assert_marked(
        Rule.NO_EARLY_EXIT_CHECK,
        f"""{LOOKS}
    def test_it():
        out = mp.Queue()
        server = mp.Process(target=serve)
        server.start()
        rank = mp.Process(target=work, args=(out,))
        rank.start()
        while server.is_alive():
            print(out.get(timeout=60))  # <-
        """,
    )


def test_a_poll_of_one_pipe_says_nothing_of_another() -> None:
    assert_marked(
        Rule.NO_EARLY_EXIT_CHECK,
        """
    def send(end):
        end.send(1)

    def test_it(given):
        ours, theirs = mp.Pipe()
        mine, yours = mp.Pipe()
        for end in (theirs, yours):
            mp.Process(target=send, args=(end,)).start()
        if ours.poll(1):
            print("it is there")
        print(given.poll(), given.recv())
        print(ours.recv(), os.poll())
        print(mine.recv())  # <-
        """,
    )
