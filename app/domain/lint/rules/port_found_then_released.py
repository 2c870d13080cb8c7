"""A free port is found, its socket is closed, and the number is used afterwards.

Between the two any process of the machine can be given that number: a neighbour's test, a client's outgoing
connection, the next rank of the same test. Whoever then binds fails with "address already in use", and the
others wait for a store that never answers until their timeout.

Silent where the socket is still open when its number is used, where it is handed on itself, where the store
chooses its port, and where the number is tried again with another after a failure.
"""

import ast
import re
from collections.abc import Iterator

from app.domain.lint.bound_sockets import BoundSocket, bound_sockets
from app.domain.lint.finding import Rule
from app.domain.lint.mending import mend
from app.domain.lint.program import Program
from app.domain.lint.source import Function
from app.domain.lint.weakness import Weakness
from app.domain.lint.words_of_ranks import distributed, quoted, tests_at

_FINDERS = re.compile(
    r"_?(?:find|get|pick|fetch|allocate|choose|reserve)_?(?:an?_)?(?:free|open|unused|available|random_free)_?(?:tcp_)?ports?"
    r"|(?:free|unused|open)_(?:tcp_)?port"
)
_MEETING = re.compile(
    r"MASTER_PORT|TCPStore|init_method|tcp://|rdzv|master[-_]port|init_process_group|init_rpc|torchrun|start_processes|spawn"
)
_WANTED_CLOSED = re.compile(r"closed|refus|dead|unreach|unanswer|nobody|down_port|bad_port", re.IGNORECASE)
_FAILURES = frozenset({
    "OSError", "RuntimeError", "Exception", "BaseException", "ConnectionError", "error", "DistNetworkError",
    "DistStoreError", "DistError", "DistBackendError", "EnvironmentError", "ProcessRaisedException",
})  # fmt: skip


def find(program: Program) -> Iterator[Weakness]:
    for bound in bound_sockets(program):
        used = bound.number_used_after_release()
        if (
            used is None
            or _is_wanted_closed(program, bound, used)
            or _is_tried_again(program, bound.function, used)
        ):
            continue
        function = bound.function.name
        text = (
            f"`{function}` finds a port by `{quoted(program, bound.call)}` and closes the socket before the "
            f"number is used (`{quoted(program, used)}`, line {getattr(used, 'lineno', 0)}); in between it "
            "can be given to another process"
        )
        yield Weakness(
            Rule.PORT_FOUND_THEN_RELEASED, bound.call, tests_at(program, bound.call), text, _mend(program)
        )
    yield from _imported(program)


def _is_wanted_closed(program: Program, bound: BoundSocket, used: ast.AST) -> bool:
    """Whether the test is about a port where nobody listens."""
    if _WANTED_CLOSED.search(bound.function.name) or _WANTED_CLOSED.search(bound.number_name):
        return True
    blocks = [node for node in program.file.around(used) if isinstance(node, ast.With)]
    return any(
        "raises" in program.file.text(item.context_expr).lower() for block in blocks for item in block.items
    )


def _is_tried_again(program: Program, function: Function, used: ast.AST) -> bool:
    """Whether another number is tried where one turns out to be taken."""
    called = [] if function.is_module else _calls_of(program, function.name)
    return all(_in_retry(program, call) for call in called) if called else _in_retry(program, used)


def _calls_of(program: Program, name: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(program.file.tree)
        if isinstance(node, ast.Call)
        and name in {getattr(node.func, "id", None), getattr(node.func, "attr", None)}
    ]


def _in_retry(program: Program, node: ast.AST) -> bool:
    """Whether a loop around it goes on after a failure to bind, caught around or beside it."""
    for outer in program.file.around(node):
        if isinstance(outer, ast.For | ast.While):
            return any(
                _goes_on(handler)
                for inner in ast.walk(outer)
                if isinstance(inner, ast.Try)
                for handler in inner.handlers
            )
        if isinstance(outer, ast.FunctionDef):
            return False
    return False


def _goes_on(handler: ast.ExceptHandler) -> bool:
    names = (
        {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(handler.type)}
        if handler.type
        else {"Exception"}
    )
    return bool(names & _FAILURES)


def _imported(program: Program) -> Iterator[Weakness]:
    """Finders of libraries, where the number is used to meet other processes."""
    if not _MEETING.search(program.file.source):
        return
    imported = program.file.imported
    for node in ast.walk(program.file.tree):
        if not isinstance(node, ast.Call):
            continue
        dotted = program.file.dotted(node.func)
        root = program.file.text(node.func).partition(".")[0]
        if (
            root not in imported
            or not _FINDERS.fullmatch(dotted.rpartition(".")[2])
            or _in_retry(program, node)
        ):
            continue
        text = (
            f"`{quoted(program, node)}` finds a port and gives back its number only, the socket being closed "
            "already; before the number is used it can be given to another process"
        )
        yield Weakness(Rule.PORT_FOUND_THEN_RELEASED, node, tests_at(program, node), text, _mend(program))


def _mend(program: Program) -> str:
    source, dist = program.file.source, distributed(program)
    if "torchrun" in source or "torch.distributed.run" in source:
        return mend(
            'command = ["torchrun", "--standalone", "--nproc-per-node=2", script]  # keeps the port it finds'
        )
    if "TCPStore" in source and "init_process_group" not in source:
        return mend(
            f'store = {dist}.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)',
            "port = store.port  # held by the store from here on",
        )
    if "init_process_group" in source or "MASTER_PORT" in source:
        return mend(
            'address = f"file://{tmp_path}/rendezvous"  # needs no port',
            f'{dist}.init_process_group("gloo", init_method=address, rank=rank, world_size=world_size)',
        )
    return mend(
        'listener = socket.create_server(("127.0.0.1", 0))',
        "port = listener.getsockname()[1]  # and listener stays open for as long as the number is in use",
    )
