"""Raises between two collectives: those of one rank alone, and those that are told, shared or late."""

from textwrap import dedent

import pytest
from marked import HEAD, assert_marked, found

from app.domain.lint.finding import Rule, Window

RULE = Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE

INCIDENT = """
    def join(rank, port):
        dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)

    def all_ranks_true(*, flag):
        vote = torch.tensor([int(flag)])
        dist.all_reduce(vote, op=dist.ReduceOp.MIN)
        return bool(vote.item())

    def estimate_packing(lengths, budget):
        rows = []
        for length in lengths:
            try:
                room = next(row for row, used in enumerate(rows) if used + length <= budget)
            except StopIteration:
                if length > budget:
                    too_long = OverflowError(f"sequence of {length} tokens")
                    raise ValueError(f"no packing fits budget {budget}") from too_long  # <-
                rows.append(length)
            else:
                rows[room] += length
        return len(rows)

    def _plan(rank, port, mark, recoveries, ends):
        join(rank, port)
        end = "planned"
        try:
            dist.barrier()
            for _ in range(recoveries):
                all_ranks_true(flag=True)
            estimate_packing([3, 4, 8 if rank == 0 else 5], budget=7)
            all_ranks_true(flag=False)
        except Exception as error:
            end = type(error).__name__
        ends.put((rank, end))
        dist.destroy_process_group()

    @pytest.mark.parametrize("recoveries", [13, 1], ids=["after-release", "first-use"])
    def test_ranks_plan_alike(recoveries, tmp_path):
        context = mp.get_context("fork")
        ends = context.SimpleQueue()
        given = (29500, tmp_path / "recorded", recoveries, ends)
        ranks = [context.Process(target=_plan, args=(rank, *given)) for rank in range(2)]
        for one in ranks:
            one.start()
        for one in ranks:
            one.join(timeout=40)
            assert one.exitcode == 0
"""

MENDED = INCIDENT.replace("  # <-", "").replace(
    """
            estimate_packing([3, 4, 8 if rank == 0 else 5], budget=7)
            all_ranks_true(flag=False)
""",
    """
            error = None
            try:
                estimate_packing([3, 4, 8 if rank == 0 else 5], budget=7)
            except ValueError as raised:
                error = raised
            if not all_ranks_true(flag=error is None):
                raise error or RuntimeError("the planning of another rank failed")
            all_ranks_true(flag=False)
""",
)

TOO_LATE = """
    def search(rank):
        if rank == 0:
            raise ValueError("no packing fits")  # <-
        dist.all_reduce(torch.ones(1))

    def run(rank):
        dist.barrier()
        ok = True
        try:
            search(rank)
        except ValueError:
            ok = False
        vote = torch.tensor([int(ok)])
        dist.all_reduce(vote, op=dist.ReduceOp.MIN)
        if not vote.item():
            raise RuntimeError("a rank failed")
"""

RECOVERING = """
    CASES = {"neither releases": (6, ()), "first releases": (7, (0,)), "first then second": (11, (0, 1))}

    def all_ranks_true(*, flag):
        vote = torch.tensor([int(flag)])
        dist.all_reduce(vote, op=dist.ReduceOp.MIN)
        return bool(vote.item())

    def estimate_packing(lengths, budget):
        for length in lengths:
            if length > budget:
                raise ValueError(f"no packing fits budget {budget}")
        return len(lengths)

    def _rows(*, is_mine, pause_s):
        if not is_mine:
            return estimate_packing([3, 4, 5], budget=7)
        try:
            return estimate_packing([3, 4, 8], budget=7)
        except ValueError:
            time.sleep(pause_s)
            return estimate_packing([3, 4, 8], budget=14)

    def _recover(rank, port, reductions, releases, pause_s):
        dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
        for number in range(reductions):
            is_mine = number < len(releases) and releases[number] == rank
            assert all_ranks_true(flag=_rows(is_mine=is_mine, pause_s=pause_s) > 0)
        dist.destroy_process_group()

    @pytest.mark.parametrize(("reductions", "releases"), list(CASES.values()), ids=list(CASES))
    def test_ranks_recover_apart(reductions, releases):
        given = (29500, reductions, releases, 0.0)
        ranks = [mp.Process(target=_recover, args=(rank, *given)) for rank in range(2)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join(timeout=60)
        assert [rank.exitcode for rank in ranks] == [0, 0]
"""


def test_raise_of_the_incident_is_found_with_the_window_for_its_mend() -> None:
    (finding,) = found(RULE, INCIDENT)
    lines = (HEAD + dedent(INCIDENT)).split("\n")
    after = next(n for n, line in enumerate(lines, 1) if line.strip() == "all_ranks_true(flag=True)")
    assert finding.window == Window(
        after, "all_ranks_true(flag=True)", after + 2, "all_ranks_true(flag=False)"
    )
    assert "raise ValueError" in lines[finding.line - 1]
    assert finding.test == "test_x.py::test_ranks_plan_alike"
    assert "estimate_packing([3, 4, 8 if rank == 0 else 5], budget=7)" in finding.text
    assert "    estimate_packing([3, 4, 8 if rank == 0 else 5], budget=7)\n" in finding.mend
    assert finding.mend.endswith("all_ranks_true(flag=False)\n")


@pytest.mark.parametrize("body", [MENDED, RECOVERING], ids=["mended", "healthy recoveries"])
def test_nothing_is_said_of_ranks_that_agree_or_recover(body: str) -> None:
    assert found(RULE, body) == []


def test_agreement_behind_the_planners_own_collective_comes_too_late() -> None:
    assert_marked(RULE, TOO_LATE)


WEAK = {
    "a check of the rank's own batch": """
        def step(batch):
            dist.barrier()
            if not torch.isfinite(batch).all():
                raise ValueError("not finite")  # <-
            dist.all_reduce(batch)
    """,
    "a raise at the end of a loop's round": """
        def run(rank, steps):
            total = torch.zeros(1)
            for step in range(steps):
                dist.all_reduce(total)
                if rank == step:
                    raise RuntimeError("worn out")  # <-
    """,
    "an error that only skips its round": """
        def parse(batch):
            if batch[0] < 0:
                raise ValueError(batch)  # <-
            return batch
        def run(batches):
            for batch in batches:
                try:
                    found = parse(batch)
                except ValueError:
                    continue
                dist.all_reduce(found)
                dist.barrier()
    """,
    "what a library raised, converted on some ranks": """
        import client
        def run(rank):
            dist.barrier()
            if rank != 0:
                try:
                    client.ask("name")
                except Exception as error:
                    raise RuntimeError("no name") from error  # <-
            dist.barrier()
    """,
    "a deadline on the rank's own clock": """
        def run(work):
            dist.barrier()
            start = time.monotonic()
            work()
            if time.monotonic() - start > 1:
                raise TimeoutError("slow")  # <-
            dist.barrier()
    """,
    "an assertion on the rank's own part": """
        def run(rank):
            dist.barrier()
            assert torch.full((2,), rank).sum() < 3  # <-
            dist.barrier()
            assert rank == 0  # <-
            dist.barrier()
            assert time.monotonic() == time.thread_time()  # <-
            dist.barrier()
    """,
    "a class of errors that the handler does not take": """
        class Late(TimeoutError): pass
        def plan(rank):
            if rank == 1:
                raise Late("late")  # <-
        def run(rank):
            dist.barrier()
            try:
                plan(rank)
            except (ValueError, KeyError):
                pass
            dist.barrier()
    """,
    "a converted error": """
        def parse(text, rank):
            try:
                return json.loads(text[rank])
            except ValueError as error:
                raise RuntimeError("no plan") from error  # <-
        def run(rank, text):
            dist.barrier()
            parse(text, rank)
            dist.barrier()
    """,
    "work of a with block and a manager of the file": """
        import contextlib
        @contextlib.contextmanager
        def group(rank):
            dist.init_process_group("gloo", rank=rank, world_size=2)
            try:
                yield rank
            finally:
                dist.destroy_process_group()
        def run(rank):
            with group(rank) as mine, open("log"):
                dist.barrier()
                if mine == 1:
                    pytest.fail("one rank")  # <-
                dist.barrier()
    """,
    "a method of an instance": """
        class Planner:
            def __init__(self, rank):
                self.rank = rank
                self.limit: int = 3
            def check(self, rows):
                while len(rows) > self.limit:
                    raise MemoryError(self.limit)  # <-
            def run(self, rows):
                dist.barrier()
                self.check(rows)
                return dist.all_reduce(torch.ones(1))
        def test_planner():
            Planner(0).run([1])
    """,
    "a match on the rank": """
        def run(rank):
            dist.barrier()
            match rank:
                case 0:
                    pass
                case int(n) if n > 1:
                    pass
                case _:
                    raise ValueError(rank)  # <-
            dist.barrier()
    """,
    "a raise under a condition in an expression": """
        def fail(why):
            raise ValueError(why)  # <-
        def run(rank):
            dist.barrier()
            rank == 1 and fail("one")
            dist.barrier()
    """,
    "a raise in a comprehension": """
        def weight(row):
            if row < 0:
                raise ValueError(row)  # <-
            return row
        def run(rows):
            dist.barrier()
            heavy = {str(row): weight(row) for row in rows if row}
            dist.barrier()
    """,
    "an environment's rank in a script": """
        rank = int(os.environ["RANK"])
        dist.init_process_group("gloo")
        dist.barrier()
        if rank > 0:
            raise SystemError("script")  # <-
        dist.barrier()
    """,
}


@pytest.mark.parametrize("body", WEAK.values(), ids=WEAK)
def test_raise_that_one_rank_can_make_alone_is_found(body: str) -> None:
    assert_marked(RULE, body)


HEALTHY = {
    "an assertion on what the file does not tell to differ": """
        def run(rank, metric):
            batch = torch.rand(8)
            dist.barrier()
            count = metric.counted(batch)
            assert count == 8
            dist.barrier()
    """,
    "arguments checked before the first collective": """
        def run(rank, world_size, batch):
            if rank >= world_size or not batch:
                raise ValueError("arguments")
            dist.barrier()
            dist.barrier()
    """,
    "raised behind the last collective": """
        def run(rank):
            dist.barrier()
            dist.barrier()
            if rank == 1:
                raise ValueError("late")
            dist.destroy_process_group()
    """,
    "the same on all ranks": """
        LIMIT = 3
        def run(rank, world_size, cfg):
            dist.barrier()
            if world_size % 2 or cfg.steps > LIMIT or dist.get_world_size() < 2:
                raise ValueError("odd")
            if not (0 <= rank < world_size) or dist.get_rank() != rank:
                raise ValueError("rank")
            if torch.ones(2).shape != (2,):
                raise ValueError("shape")
            dist.barrier()
    """,
    "a value that was gathered": """
        def run(rank, world_size):
            found = [None] * world_size
            dist.all_gather_object(found, rank)
            if any(one is None for one in found):
                raise ValueError(found)
            dist.barrier()
    """,
    "told by the finally's collective": """
        def run(rank):
            dist.barrier()
            try:
                if rank == 1:
                    raise ValueError("one")
            finally:
                dist.barrier()
    """,
    "told in the handler and in the else": """
        def plan(rank):
            if rank == 1:
                raise ValueError("one")
        def run(rank, world_size):
            dist.barrier()
            errors = [None] * world_size
            try:
                plan(rank)
            except ValueError as error:
                dist.all_gather_object(errors, repr(error))
                raise
            else:
                dist.all_gather_object(errors, None)
            if any(errors):
                raise RuntimeError(errors)
            dist.barrier()
    """,
    "expected and caught": """
        import contextlib
        def plan(rank):
            if rank == 1:
                raise ValueError("one")
        def run(rank):
            dist.barrier()
            with contextlib.suppress(ValueError):
                plan(rank)
            with pytest.raises(ValueError):
                plan(rank)
            dist.barrier()
    """,
    "a kept error raised behind a reduced flag": """
        def run(rank, world_size):
            dist.barrier()
            error = ValueError(rank) if rank else None
            ok = torch.tensor(int(error is None))
            dist.all_reduce(ok, op=dist.ReduceOp.MIN)
            if error is not None:
                raise error
            if not ok:
                raise RuntimeError("another rank")
            dist.barrier()
    """,
    "assertions of a test on what came of collectives": """
        def run(rank):
            x = torch.ones(2) * rank
            dist.all_reduce(x)
            assert x.sum() == 2
            torch.testing.assert_close(x, torch.ones(2) * rank)
            parts = [torch.zeros(2), torch.zeros(2)]
            dist.all_gather(parts, x)
            assert parts[rank].sum() == 2
            assert x.device.index == rank
            dist.recv(x, 1 - rank)
            assert x.item() > 0
            dist.barrier()
    """,
    "the same seed everywhere": """
        def run(rank):
            torch.manual_seed(0)
            dist.barrier()
            if torch.rand(1) > 2:
                raise ValueError("chance")
            dist.barrier()
    """,
    "a class that the file does not show": """
        from plans import PlanError, PlanTrouble
        def run(rank):
            dist.barrier()
            try:
                if rank == 1:
                    raise PlanError(rank)
            except PlanTrouble:
                pass
            dist.barrier()
    """,
    "a world of one": """
        def test_alone():
            dist.init_process_group("gloo", rank=0, world_size=1)
            dist.barrier()
            if random.random() > 2:
                raise ValueError("chance")
            dist.barrier()
    """,
    "re-raised after a report": """
        def run(rank, reports):
            try:
                dist.init_process_group("gloo", rank=rank, world_size=2)
                dist.barrier()
            except Exception:
                reports.put(rank)
                raise
            dist.barrier()
    """,
}


@pytest.mark.parametrize("body", HEALTHY.values(), ids=HEALTHY)
def test_raise_that_all_ranks_share_or_hear_of_is_left_alone(body: str) -> None:
    assert_marked(RULE, body)
