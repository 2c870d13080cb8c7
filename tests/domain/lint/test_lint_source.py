"""The lint's model of a file: names in full, tests as they are collected, refusals of other files."""

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Rejected
from app.domain.lint.collected import collected_tests, fixture_name
from app.domain.lint.linted import lint
from app.domain.lint.source import LARGEST_CHARACTERS, MOST_ANCESTORS, SourceFile, parse


def parsed(source: str) -> SourceFile:
    return parse(dedent(source), "tests/test_x.py")


def spelled(source: str) -> str:
    """The dotted name of the function of the last call."""
    file = parsed(source)
    calls = [node for node in ast.walk(file.tree) if isinstance(node, ast.Call)]
    return file.dotted(max(calls, key=lambda call: (call.lineno, -call.col_offset)).func)


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.distributed.init_process_group()",
        "import torch.distributed as dist\ndist.init_process_group()",
        "from torch import distributed\ndistributed.init_process_group()",
        "from torch.distributed import init_process_group as join\njoin()",
        "from torch.distributed import *\ninit_process_group()",
        "import torch.distributed.distributed_c10d as c10d\nc10d.init_process_group()",
        "import pytest\ndist = pytest.importorskip('torch.distributed')\ndist.init_process_group()",
        "import torch.distributed as dist\njoin = dist.init_process_group\njoin()",
        "def f():\n    import torch.distributed as dist\n    dist.init_process_group()",
    ],
)
def test_one_function_is_one_name_whatever_the_spelling(source: str) -> None:
    assert spelled(source) == "torch.distributed.init_process_group"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (
            "import torch.multiprocessing as mp\nctx = mp.get_context('spawn')\nctx.Process()",
            "torch.multiprocessing.get_context().Process",
        ),
        ("from .helpers import run\nrun()", ".helpers.run"),
        ("def f(dist):\n    dist.barrier()", "dist.barrier"),
        ("from torch.distributed import *\nprint()", "print"),
        ("(lambda: 1)()", ""),
        ("a = b\nb = a\na.x()", "a.x"),
        ("with mp.Manager() as m:\n    m.dict()", "mp.Manager().dict"),
        ("x[0].y()", "x.y"),
    ],
)
def test_other_names_are_told_as_far_as_the_file_knows(source: str, name: str) -> None:
    assert spelled(source) == name


def test_tests_are_collected_as_pytest_and_unittest_do() -> None:
    file = parsed(
        """
        import unittest
        from torch.testing._internal.common_distributed import MultiProcessTestCase

        def test_plain(): pass
        async def test_async(): pass
        def helper():
            def test_inner(): pass
            class TestInner:
                def test_inside(self): pass
        class TestPlain:
            def test_one(self): pass
            class TestNested:
                def test_two(self): pass
        class TestWithInit:
            def __init__(self): pass
            def test_never(self): pass
        class NotCollected:
            def test_never(self): pass
        class TestSwitchedOff:
            __test__ = False
            def test_never(self): pass
        class Shared:
            def test_shared(self): pass
            def test_own(self): pass
        class Case(Shared, unittest.TestCase):
            def test_own(self): pass
        class Ranks(MultiProcessTestCase):
            def test_on_ranks(self): pass
        """
    )
    tests = collected_tests(file)
    assert [test.node_id.removeprefix("tests/test_x.py::") for test in tests] == [
        "test_plain",
        "test_async",
        "TestPlain::test_one",
        "TestPlain::TestNested::test_two",
        "Case::test_shared",
        "Case::test_own",
        "Ranks::test_on_ranks",
    ]
    assert [test.node_id for test in tests if test.in_rank_case] == ["tests/test_x.py::Ranks::test_on_ranks"]


def test_ancestors_stand_once_and_nearest_first_and_are_bounded() -> None:
    diamond = parsed("""
        class Root: pass
        class Left(Root): pass
        class Right(Root): pass
        class Leaf(Left, Right): pass
    """)
    leaf = diamond.class_named("Leaf")
    assert leaf is not None
    assert [one.name for one in diamond.bases(leaf)] == ["Leaf", "Left", "Right", "Root"]
    wide = parsed(f"class A({', '.join(f'B{n}' for n in range(300))}): pass\n")
    ring = parsed("".join(f"class C{n}(C{(n + 1) % 3000}): pass\n" for n in range(3000)))
    many = parsed(
        "".join(f"class B{n}: pass\n" for n in range(300))
        + f"class A({', '.join(f'B{n}' for n in range(300))}): pass\n"
    )
    assert [len(file.bases(file.classes[-1])) for file in (wide, ring, many)] == [
        1,
        MOST_ANCESTORS,
        MOST_ANCESTORS,
    ]


def test_a_class_that_is_its_own_ancestor_ends() -> None:
    file = parsed("class TestA(TestB):\n    def test_a(self): pass\nclass TestB(TestA): pass")
    assert len(collected_tests(file)) == 2


def test_fixtures_have_the_name_that_tests_ask_for() -> None:
    file = parsed(
        """
        import pytest
        @pytest.fixture
        def plain(): pass
        @pytest.fixture(name="other", scope="module")
        def named(): pass
        @pytest.mark.skip
        def test_none(): pass
        """
    )
    assert [fixture_name(file, f) for f in file.functions] == [None, "plain", "other", None]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = 1\ndef f(:\n", "line 2: "),
        ("x = '\0'\n", "null bytes"),
        ("x" * (LARGEST_CHARACTERS + 1), "characters"),
        ("(" * 5000 + ")" * 5000, "too many nested parentheses"),
        ("-" * 100_000 + "1", "nested too deep"),
        ("x = " + "-" * 300 + "1", "line 1: nested more than 200 levels deep"),
        ("\n" + "\n".join(" " * depth + "if x:" for depth in range(90)) + "\n" + " " * 90 + "pass", None),
    ],
    ids=["syntax", "null", "huge", "brackets", "parser", "levels", "indented"],
)
def test_what_cannot_be_read_is_refused_with_line_and_reason(source: str, reason: str | None) -> None:
    if reason is None:
        assert lint(source, "test_x.py") == ()
        return
    with pytest.raises(Rejected) as refused:
        lint(source, "test_x.py")
    assert reason in refused.value.reason


@given(st.text(alphabet="abc(){}[]:=\n .,'\"#@*0", max_size=80))
def test_any_text_is_linted_or_refused(text: str) -> None:
    try:
        assert isinstance(lint(text, "test_x.py"), tuple)
    except Rejected as refused:
        assert "line" in refused.reason  # noqa: PT017 - either outcome is right


def test_text_of_a_node_is_one_line_without_comments() -> None:
    file = parsed("f(\n    1,  # why\n    'ä',\n)\ng('" + "x" * 200 + "')\nx = [\n" + "1,\n" * 60 + "]\n")
    texts = [file.text(statement) for statement in file.tree.body]
    assert texts[0] == "f(1, 'ä')"
    assert len(texts[1]) == 120
    assert texts[1].endswith("...")
    assert texts[2].startswith("x = [ 1, 1, ")


def test_calls_that_nest_too_deep_are_refused_not_followed_for_ever() -> None:
    functions = [f"def f{n}(x):\n    return " + "-" * 150 + f"f{n + 1}(x)\n" for n in range(9)]
    source = "import multiprocessing\n" + "".join(functions) + "def test_deep():\n    f0(1)\n"
    try:
        assert lint(source, "test_x.py") == ()
    except Rejected as refused:
        assert "nested too deep to be followed" in refused.reason  # noqa: PT017 - by the depth of the caller


def test_a_very_long_test_is_read_as_far_as_the_share_goes() -> None:
    source = "import multiprocessing as mp\ndef test_long():\n" + "    work()\n" * 4_000
    late = "    q = mp.Queue()\n    mp.Process(target=work, args=(q,)).start()\n    q.get()\n"
    assert lint(source + late, "test_x.py") == ()
