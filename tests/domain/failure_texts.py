"""Failure texts in the shapes that pytest and the interpreter print, rendered from a few parts."""

from app.domain.outcome import TestId
from app.domain.signature import Signature, sign

HANDOFF = TestId(
    file="",
    suite="",
    classname="tests.test_gefen_fsdp2_checkpoint",
    name="test_full_dcp_handoff_is_exact_on_same_dtensor_topology[muon_normuon]",
)
SIMPLE = TestId(file="", suite="", classname="tests.test_load", name="test_load")
SEPARATOR = "_ " * 40
DIRECT_CAUSE = "The above exception was the direct cause of the following exception:"
CONTEXT = "During handling of the above exception, another exception occurred:"


def lines(*each: str) -> str:
    return "\n".join(each)


def signed(text: str, *, message: str = "", test: TestId | None = SIMPLE) -> Signature:
    return sign(test=test, message=message, text=text)


def group_of(text: str, *, message: str = "", test: TestId | None = SIMPLE) -> str | None:
    return signed(text, message=message, test=test).group


def handoff_text(
    *,
    line: int = 412,
    address: str = "0x7f2c51b3e500",
    failing: str = "assert all(process.exitcode == 0 for process in processes)",
    marker: bool = False,
    junit: bool = False,
) -> str:
    """The first incident's text: a result was fetched, and then only the exit codes were wrong."""
    lines = [
        "    def test_full_dcp_handoff_is_exact_on_same_dtensor_topology(tmp_path, variant):",
        "        processes = _spawn_workers(_handoff_worker, world_size=2, folder=tmp_path)",
        "        rank_checks = result_queue.get(timeout=180)",
        "        for process in processes:",
        "            process.join(timeout=30)",
        '        assert rank_checks is not None, "distributed checkpoint workers timed out"',
        f">       {failing}",
        *(["               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"] if marker else []),
        "E       assert False",
        f"E        +  where False = all(<generator object test_full.<locals>.<genexpr> at {address}>)",
        "",
        f"tests/test_gefen_fsdp2_checkpoint.py:{line}: AssertionError",
    ]
    text = "\n".join(lines)
    return text.strip() if junit else text


def native_text(
    *,
    root: str = "/home/runner/work/app/app",
    library: str = "/opt/hostedtoolcache/Python/3.11.9/x64/lib/python3.11",
    line: int = 10,
    error: str = "ValueError: bad magic 0x7f00aa in block 3",
    marker: bool = True,
) -> str:
    """A plain traceback through the test, the project, and the standard library."""
    marked = ["           ~~~~^^^^^^^"] if marker else []
    return "\n".join(
        [
            "Traceback (most recent call last):",
            f'  File "{root}/tests/test_load.py", line {line}, in test_load',
            "    load(path)",
            *marked,
            f'  File "{root}/src/loader.py", line {line + 30}, in load',
            "    return json.loads(text)",
            *marked,
            f'  File "{library}/json/__init__.py", line 346, in loads',
            "    return _default_decoder.decode(s)",
            error,
        ]
    )


def long_text(
    statement: str, *errors: str, line: int = 5, function: str = "test_load", kind: str = "AssertionError"
) -> str:
    """One entry of pytest's long style."""
    shown = [f"E       {error}" for error in errors]
    return "\n".join(
        [
            f"    def {function}():",
            "        x = 1",
            f">       {statement}",
            *shown,
            "",
            f"tests/test_load.py:{line}: {kind}",
        ]
    )


def short_text(statement: str, *errors: str, line: int = 5, function: str = "test_load") -> str:
    """One entry of pytest's short style."""
    return "\n".join(
        [
            f"tests/test_load.py:{line}: in {function}",
            f"    {statement}",
            *(f"E   {error}" for error in errors),
        ]
    )
