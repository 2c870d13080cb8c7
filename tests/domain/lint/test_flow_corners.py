"""How a rank is followed where code is written unusually, and that no code stops the lint."""

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked import HEAD, assert_marked, found

from app.domain.lint.collectives import collective, ends_group, point_to_point, starts_group
from app.domain.lint.finding import Rule
from app.domain.lint.linted import lint
from app.domain.lint.sameness import names_a_rank

RAISE = Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE
CONDITION = Rule.COLLECTIVE_UNDER_RANK_CONDITION


@pytest.mark.parametrize(
    ("dotted", "name"),
    [
        ("torch.distributed.all_reduce", "all_reduce"),
        ("torch.distributed.gather", "gather"),
        ("torch.distributed._functional_collectives.all_gather_tensor", "all_gather_tensor"),
        ("torch.distributed.nn.functional.all_reduce", "all_reduce"),
        ("torch.distributed.checkpoint.state_dict_saver.save", "save"),
        ("torch.distributed._tensor.distribute_tensor", "distribute_tensor"),
        ("torch.nn.parallel.DistributedDataParallel", "DistributedDataParallel"),
        ("accelerate.Accelerator().wait_for_everyone", "wait_for_everyone"),
        ("torch.multiprocessing.get_context().Barrier().wait", "barrier"),
        ("my_barrier.wait", "barrier"),
        ("comm.Barrier", "barrier"),
        ("planning.all_ranks_true", "all_ranks_true"),
        ("fabric.all_reduce", "all_reduce"),
    ],
)
def test_collectives_are_known_by_their_full_names(dotted: str, name: str) -> None:
    known = collective(dotted)
    assert known is not None
    assert known.name == name


@pytest.mark.parametrize(
    "dotted",
    [
        "torch.gather",
        "torch.cuda.nccl.all_reduce",
        "functools.reduce",
        "torch.distributed.get_rank",
        "torch.distributed.send",
        "threading.Barrier",
        "tensor.scatter",
        "event.wait",
        "make_barrier",
        "torch.distributed.checkpoint.FileSystemReader",
        "comm.bruit",
    ],
)
def test_what_sounds_like_a_collective_is_none(dotted: str) -> None:
    assert collective(dotted) is None


def test_function_of_the_file_is_known_by_its_body_and_not_by_its_name() -> None:
    assert collective("all_ranks_true", of_file=True) is None


def test_messages_and_the_ends_of_a_group_are_known() -> None:
    assert point_to_point("torch.distributed.isend") == "isend"
    assert point_to_point("socket.send") is None
    assert starts_group("setup_distributed")
    assert ends_group("torch.distributed.destroy_process_group")


@pytest.mark.parametrize(
    "name", ["rank", "LOCAL_RANK", "my_rank", "_rank", "proc_id", "rank_idx", "worker_index"]
)
def test_names_of_the_own_rank(name: str) -> None:
    assert names_a_rank(name)


@pytest.mark.parametrize("name", ["ranks", "src_rank", "num_ranks", "frank", "world_size", "rank_checks"])
def test_names_that_only_hold_the_word(name: str) -> None:
    assert not names_a_rank(name)


FOLLOWED = {
    "one of two functions": """
        def strict(rank):
            if rank == 1:
                raise ValueError(rank)  # <-
        def lax(rank):
            return rank
        def run(rank, is_strict):
            dist.barrier()
            (strict if is_strict else lax)(rank)
            dist.barrier()
    """,
    "a function of a partial": """
        from functools import partial
        def check(rank, limit, text, spare):
            if rank > limit:
                raise ValueError(text)  # <-
        def run(rank, text):
            dist.barrier()
            partial(check, rank, 0, text.strip())(None)
            dist.barrier()
        work = partial(check, 3)
        def again(rank):
            dist.barrier()
            work(0, "x", rank)
            dist.barrier()
    """,
    "a function that calls itself": """
        def search(rows, depth):
            if depth == 3:
                raise ValueError(rows)
            if len(rows) > 3:
                raise ValueError(rows)  # <-
            return search(rows[1:], depth=depth + 1)
        def run(rows):
            dist.barrier()
            search(rows, 0)
            dist.barrier()
    """,
    "a method by the class's name": """
        class Cache:
            def add(self, rows, *more, **options):
                self.rows[0] = rows
                self.rows.append(more)
                if len(rows) > 2:
                    raise MemoryError(rows)  # <-
        def run(cache, rows):
            dist.barrier()
            cache.add(rows, 1, slow=True)
            dist.barrier()
            rows.add(rows)
    """,
    "names given on the way": """
        def run(rank, context):
            dist.barrier()
            first, *others = [rank, rank]
            one, (two, three) = rank, (rank, rank)
            a, *b = rank, rank
            context.mine = rank
            context.rows()[0] = rank
            parts = [torch.ones(1), torch.ones(1)]
            parts[0] = torch.ones(1) * rank
            if (limit := context.local_rank) > 1 or 3 in others:
                raise ValueError(limit)  # <-
            dist.barrier()
    """,
    "what a collective writes": """
        class Model:
            def mean(self, rank):
                self.weight = torch.ones(1) * rank
                dist.all_reduce(self.weight)
                if self.weight > 1:
                    raise ValueError(self.weight)
                x = torch.ones(1) * rank
                x.grad = x
                dist.all_reduce(x.grad)
                a, b = torch.ones(1) * rank, torch.ones(1) * rank
                dist.all_gather([a, b], x)
                dist.all_gather((a.data, make()), x)
                if a > 1 or b > 1 or x > 1:
                    raise ValueError(a)
                c = torch.ones(1) * rank
                dist.reduce(c, 0)
                if c > 1:
                    raise ValueError(c)  # <-
                dist.barrier()
    """,
    "behind what never returns": """
        def never(rank):
            raise ValueError(rank)
        def run(rank):
            dist.barrier()
            if rank == 1:
                print(sys.exit(1), dist.barrier())
                raise RuntimeError("not reached")
            dist.barrier()
        def again(rank):
            dist.barrier()
            if rank == 1:
                raise ValueError(never(rank))
            return
            dist.barrier()
    """,
    "other managers and handlers": """
        def kinds():
            return ValueError
        def opened():
            return open("x")
        def run(rank, lock):
            dist.barrier()
            with lock, opened() as text, kinds():
                try:
                    if rank == 1:
                        raise ValueError(text)
                except kinds():
                    dist.barrier()
                except (KeyError, kinds()):
                    pass
            dist.barrier()
    """,
    "a match that takes everything": """
        def run(rank):
            dist.barrier()
            match rank:
                case 0:
                    raise ValueError(rank)  # <-
                case other:
                    print(other)
            dist.barrier()
    """,
    "a match that may take nothing": """
        def run(rank):
            dist.barrier()
            match rank:
                case 0:
                    raise ValueError(rank)  # <-
            dist.barrier()
    """,
    "started under a condition": """
        def run(rank):
            dist.barrier()
            if rank:
                raise ValueError(rank)  # <-
            dist.barrier()
        def test_run(is_slow):
            if is_slow:
                ranks = [mp.Process(target=run, args=(i,)) for i in range(2)]
            else:
                ranks = [mp.Process(target=run, args=(0,))]
    """,
    "a return in the window": """
        def check(batch):
            if batch[0]:
                raise ValueError(batch)  # <-
        def part(batch):
            return check(batch)
        def run(batch):
            dist.barrier()
            part(batch)
            dist.barrier()
        def checked(batch):
            if batch[1]:
                raise ValueError(batch)  # <-
            return batch
        def whole(batch):
            dist.barrier()
            return dist.all_reduce(checked(batch))
    """,
    "what is set on one way only": """
        class Planner:
            def search(self, lengths):
                best = None
                for size in range(3):
                    try:
                        best = self.packed(lengths, size)
                        break
                    except OverflowError:
                        continue
                if best is None:
                    raise ValueError("no packing")  # <-
                return best
            def packed(self, lengths, size):
                if sum(lengths) > size:
                    raise OverflowError
                return size
            def look(self, rank):
                self.seen = {}
                if rank == 0:
                    path = "x"
                    self.seen["x"] = path
                    if path != "x":
                        raise KeyError(path)
                return self.seen.get(rank)
            def run(self, lengths, rank):
                dist.barrier()
                self.search(lengths)
                dist.barrier()
                if self.look(rank) is None:
                    raise LookupError(rank)  # <-
                dist.barrier()
    """,
    "an elif": """
        def run(rank):
            dist.barrier()
            if rank == 0:
                pass
            elif rank == 1: raise ValueError(rank)  # <-
            dist.barrier()
    """,
    "a lambda": """
        def fail(rank):
            raise ValueError(rank)  # <-
        def run(rank):
            dist.barrier()
            work = lambda: fail(rank) if rank else None
            work()
            return dist.barrier()
    """,
    "a long work": """
        def check(batch, **options):
            if batch[0]:
                raise ValueError(batch)  # <-
        def run(batch):
            dist.barrier()
            for part in check(
                batch,
                first="a rather long option",
                second="a rather long option",
                third="a rather long option",
            ):
                print(part)
                print(part)
            dist.barrier()
    """,
    "loops that end in all ways": """
        def run(rank, batches):
            dist.barrier()
            while True:
                if rank == 1:
                    break
                if rank == 2:
                    raise ValueError(rank)  # <-
                for batch in batches:
                    if batch:
                        break
                else:
                    continue
            while rank < 1:
                rank += 1
            else:
                print(rank)
            dist.barrier()
    """,
    "async code": """
        async def run(rank, batches):
            dist.barrier()
            async with batches as found:
                async for batch in found:
                    await batch
                    if rank == 1:
                        raise ValueError(batch)  # <-
            dist.barrier()
    """,
    "by the rank in a try that returns": """
        def load(rank):
            try:
                if rank == 1:
                    raise ValueError(rank)
            except ValueError:
                return None
            finally:
                print(rank)
            return rank
        def run(rank):
            dist.barrier()
            load(rank)
            dist.barrier()
    """,
}


@pytest.mark.parametrize("body", FOLLOWED.values(), ids=FOLLOWED)
def test_rank_is_followed_through_unusual_code(body: str) -> None:
    assert_marked(RAISE, body)


CONDITIONS = {
    "names and calls that say it": """
        def run(is_main, flag):
            if is_main_process() and flag:
                dist.barrier()
        def again(rank):
            is_first = rank == 0
            if is_first and rank < 5 and rank in (0, rank):
                dist.barrier()  # <-
        def third(trainer):
            leads = trainer.rank
            if not leads:
                dist.barrier()  # <-
    """,
    "attributes and calls that say it": """
        def run(trainer):
            if trainer.is_main and trainer.rank > -1:
                dist.barrier()  # <-
        def again(rank):
            if on_main_process(rank) and rank == 0:
                dist.barrier()  # <-
        def third(rank, context):
            if rank == 0 and context.is_slow and (lambda: 1):
                dist.barrier()  # <-
    """,
    "in step for a while where the fork is not told": """
        def run(rank, group):
            if rank == group.first_rank:
                dist.all_reduce(torch.ones(1))
                dist.barrier()  # <-
            else:
                dist.all_reduce(torch.ones(1))
    """,
    "a condition that is turned round and round": """
        def run(rank):
            if not not not not not not not not rank:
                dist.barrier()  # <-
    """,
    "where another fork is not told": """
        def run(rank, group):
            if rank == group.first_rank:
                dist.barrier()  # <-
            if rank == 0:
                dist.all_reduce(torch.ones(1))  # <-
    """,
    "a name that is its own": """
        def run(rank):
            mine = rank
            mine = mine
            if mine:
                dist.barrier()  # <-
    """,
    "constants in the condition": """
        def run(rank):
            if True and rank == 0:
                dist.barrier()  # <-
            if rank == 0 or False:
                dist.barrier()
    """.replace("dist.barrier()\n    ", "dist.barrier()  # <-\n    "),
    "the environment": """
        def run():
            if os.environ["RANK"] == "0":
                dist.barrier()  # <-
            if int(os.environ.get("LOCAL_RANK", 0)) == 0:
                dist.barrier()  # <-
            if dist.get_rank() is None:
                dist.barrier()
    """,
    "as many as are compared": "\n        def run(rank, group):\n            if rank == group.first_rank:\n"
    + "                dist.barrier()\n" * 40
    + "            else:\n"
    + "                dist.barrier()\n" * 40,
}


@pytest.mark.parametrize("body", CONDITIONS.values(), ids=CONDITIONS)
def test_condition_on_the_rank_is_known_in_many_spellings(body: str) -> None:
    assert_marked(CONDITION, body)


def test_code_whose_calls_multiply_is_given_up_without_a_word() -> None:
    last = """
def f6(rank):
    dist.barrier()
    if rank:
        raise ValueError(rank)  # <-
    dist.barrier()
class Caller:
    def __init__(self, rank):
        f0(rank)
    def call(self, rank):
        f6(rank)
FOUND = [f0(1)]
"""
    assert_marked(
        RAISE, "".join(f"def f{n}(rank):\n" + f"    f{n + 1}(rank)\n" * 12 for n in range(6)) + last
    )


def test_deep_code_is_followed_as_deep_as_people_write() -> None:
    deep = "-" * 150 + "rank"
    body = (
        f"def run(rank):\n    dist.barrier()\n    if {deep}:\n        raise ValueError\n    dist.barrier()\n"
    )
    assert found(RAISE, body) == []
    nested = "".join("    " * n + f"if x{n}:\n" for n in range(1, 70)) + "    " * 70 + "raise ValueError\n"
    assert found(RAISE, f"def run(rank):\n{nested}") == []
    in_turn = ""
    for name, then in (("run", "first"), ("first", "second"), ("second", "third")):
        in_turn += f"def {name}(rank):\n" + "".join("    " * n + "if rank:\n" for n in range(1, 50))
        in_turn += "    " * 50 + f"{then}(rank)\n"
    assert found(RAISE, in_turn) == []


def test_file_calls_its_modules_as_it_imports_them() -> None:
    body = """
        def run(rank):
            barrier()
            if rank:
                raise ValueError(rank)
            barrier()
    """
    named = "import torch.distributed as c10d\nfrom torch.distributed import barrier\n"
    for head, name in ((named, "c10d"), ("from torch.distributed import barrier\n", "dist")):
        (one,) = [f for f in lint(head + dedent(body), "test_x.py") if f.rule is RAISE]
        assert f"{name}.get_world_size()" in one.mend


ATOMS = st.sampled_from([
    "dist.barrier()", "raise ValueError(rank)", "return rank", "x = rank", "rank = x", "dist.all_reduce(x)",
    "raise", "break", "continue", "pass", "assert x == rank", "helper(x, rank)", "x, *y = helper(rank), 1",
    "del x", "yield x", "store.set('k', x)", "dist.isend(x, 1)", "sys.exit()", "time.sleep(1)",
    "x += helper(*y, **x)", "x.y[rank] = x", "[helper(i) for i in range(rank) if i]",
    "f = lambda: helper(rank)", "import time", "global x", "q.get()", "s.bind(('', 0))",
    "port = s.getsockname()[1]", "s.close()", "dist.destroy_process_group()", "await x",
])  # fmt: skip
HEADS = st.sampled_from([
    "if rank == 0:", "for x in y:", "while x:", "with helper(rank) as x:", "with pytest.raises(ValueError):",
    "while True:", "async with x:", "def helper(rank, x=1, *y, **z):", "class Helper(x):", "if helper(rank):",
])  # fmt: skip


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def _compound(parts: tuple[str, list[list[str]], list[list[str]], bool]) -> list[str]:
    head, body, rest, tries = parts
    inside = _indented([line for lines in body for line in lines])
    after = _indented([line for lines in rest for line in lines])
    if tries:
        return [
            "try:",
            *inside,
            "except (ValueError, x) as e:",
            *after,
            "else:",
            "    x",
            "finally:",
            *inside[:1],
        ]
    return [head, *inside, *(["else:", *after] if head.startswith(("if", "for", "while")) else [])]


STATEMENTS = st.recursive(
    ATOMS.map(lambda line: [line]),
    lambda inner: st.tuples(
        HEADS, st.lists(inner, min_size=1, max_size=3), st.lists(inner, min_size=1, max_size=2), st.booleans()
    ).map(_compound),
    max_leaves=25,
)


@given(st.lists(STATEMENTS, min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_no_code_stops_the_lint(statements: list[list[str]]) -> None:
    lines = [line for lines in statements for line in lines]
    source = "\n".join([
        HEAD,
        "def helper(rank, *x):",
        "    dist.barrier()",
        "    return rank",
        "async def run(rank, world_size, x, y):",
        *_indented(lines),
        "def test_run():",
        "    mp.spawn(run, args=(2, 1, 2), nprocs=2)",
    ])  # fmt: skip
    try:
        compile(source, "x", "exec")
    except SyntaxError:
        return
    lint(source, "test_x.py")


def test_methods_that_give_back_parts_of_each_other_are_followed_only_so_far() -> None:
    body = """
        class Tree:
            def first(self):
                for part in self.parts():
                    return part.first()
            def parts(self):
                return self.first().parts()
        def run():
            Tree().first().grow()
    """
    assert lint(dedent(body), "test_x.py") == ()
