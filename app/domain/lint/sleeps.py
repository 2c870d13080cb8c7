"""Sleeps of a constant length, and what stands before and behind each: what was started, what is then taken
for done.
"""

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.lint.program import Program
from app.domain.lint.sameness import names_a_rank
from app.domain.lint.source import Function
from app.domain.lint.steps import Part, Step, Within

FARTHEST = 400  # steps behind a sleep in which what it waits for is looked for
_STARTS = re.compile(
    r"(?:^|[._])(?:start|launch|spawn|Popen|submit|apply_async|map_async|fork|create_task|ensure_future)(?:_|$)"
)
_STARTS_EXACTLY = frozenset({
    "create_subprocess_exec", "create_subprocess_shell", "run_in_executor", "start_new_thread", "send_signal",
    "kill", "terminate", "killpg",
})  # fmt: skip
_NO_START = re.compile(
    r"patch|mock|span|profil|startswith|start_time|timer|tracemalloc|restart_policy|spawn_context",
    re.IGNORECASE,
)
_MEETS = frozenset({
    "join", "wait", "communicate", "result", "wait_for", "gather", "acquire", "barrier", "all_reduce",
    "all_gather", "broadcast", "all_gather_object", "as_completed", "waitpid", "run_until_complete",
    "init_process_group", "recv", "monitored_barrier", "reduce", "synchronize", "accept", "shutdown",
})  # fmt: skip
_USES = re.compile(
    r"(?:^|[._])(?:connect|create_connection|urlopen|request|open|open_connection|load|loads|read|read_text|read_bytes|readline|readlines"
    r"|exists|is_file|listdir|iterdir|glob|rglob|stat|getsize|poll|qsize|empty|get_nowait|recv_nowait|getvalue|terminate|kill"
    r"|send_signal|killpg|cancel|is_alive|children|is_running|check|num_keys|HTTPConnection|ServerProxy|Client|connect_ex"
    r"|check_output|check_call)$"
)
_CLIENTS = re.compile(r"^(?:requests|httpx|urllib3?|aiohttp|session|client|self\.client)\.")
_NOTHING_YET = re.compile(
    r"not [\w.\[\]]+\.(?:is_set|done|exists|called)|^(?!not )[\w.\[\]]+\.is_alive\(\)$|poll\(\) is None"
    r"|^[\w.]+\.empty\(\)|exitcode is None|assertFalse\([\w.\[\]]+\.(?:is_set|done|exists)"
    r"|assertTrue\([\w.\[\]]+\.(?:is_alive|empty)\("
    r"|assertIsNone\([\w.\[\]]+\.(?:poll\(|exitcode|returncode)"
)
_DONE_FOR_OTHERS = frozenset({
    "set", "put", "put_nowait", "send", "isend", "add", "write", "write_text", "write_bytes", "touch", "dump",
    "save",
})  # fmt: skip
_LEAVES = frozenset({"destroy_process_group", "exit", "_exit", "shutdown"})
_RUNNING = re.compile(r"(?:^|_)(?:server|daemon|cluster|process|proc|service|broker|subprocess)(?:_|$)")
_WAITING_WORDS = re.compile(
    r"\b(?:wait|waits|waiting|let|give|gives|until|settle|ready|catch up|come up|comes up|be up|is up|time to"
    r"|make sure|ensure)\b",
    re.IGNORECASE,
)
_WORKING_WORDS = re.compile(
    r"simulat|pretend|slow|fake|busy|\bwork\b|\blate\b|straggl|long[- ]running|back ?off|throttl",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class Sleep:
    """One sleep that stands for waiting. `awaited` is what is taken for done behind it, `started` what runs
    meanwhile.
    """

    call: ast.Call
    started: ast.AST | None
    awaited: ast.AST
    tests: tuple[str, ...]


def sleeps(program: Program) -> Iterator[Sleep]:
    """Every sleep that waits for another process, thread or rank, once for each test or worker."""
    for root in program.roots:
        in_rank = not root.tests and any(names_a_rank(name) for name in root.function.parameters)
        yield from _Looking(program, root.steps, root.test_ids, root.function, in_rank=in_rank).sleeps()
    for worker, tests in program.workers:
        yield from _Looking(
            program, program.steps(worker.frame), tests, worker.function, in_rank=True
        ).sleeps()


class _Looking:
    """The steps of one test, or of one rank."""

    def __init__(
        self,
        program: Program,
        steps: tuple[Step, ...],
        tests: tuple[str, ...],
        function: Function,
        *,
        in_rank: bool = False,
    ) -> None:
        self._program = program
        self._file = program.file
        self._steps = steps
        self._tests = tests
        self._function = function
        self._in_rank = in_rank
        self._lines = program.file.source.split("\n")
        self._starts = [place for place, step in enumerate(steps) if self._is_start(step)]

    def sleeps(self) -> Iterator[Sleep]:
        for place, step in enumerate(self._steps):
            if (
                not isinstance(step.node, ast.Call)
                or not self._is_fixed_sleep(step)
                or self._looks_again(step)
            ):
                continue
            started = self._started(place)
            awaited = self._awaited(place, started)
            if awaited is not None:
                yield Sleep(step.node, started, awaited, self._tests)

    def _is_fixed_sleep(self, step: Step) -> bool:
        call = step.node
        assert isinstance(call, ast.Call)
        dotted = self._file.dotted(call.func)
        if dotted not in {"time.sleep", "asyncio.sleep", "trio.sleep", "anyio.sleep"} or not call.args:
            return False
        return self._is_fixed(call.args[0], step)

    def _is_fixed(self, node: ast.expr, step: Step, hops: int = 4) -> bool:
        origin = self._program.values.origin(node, step.frame)
        match origin.node:
            case ast.Constant(value=int() | float() as seconds):
                return seconds > 0
            case ast.BinOp(left=left, right=right) if hops:
                return self._is_fixed(left, step, hops - 1) and self._is_fixed(right, step, hops - 1)
            case ast.IfExp(body=body):
                return self._is_fixed(body, step, hops - 1)
        return False

    def _looks_again(self, step: Step) -> bool:
        """Whether it is one of many looks, or follows an error."""
        for within in step.within:
            if within.part is Part.HANDLER or isinstance(within.node, ast.While):
                return True
            if (
                isinstance(within.node, ast.For | ast.AsyncFor)
                and within.part is Part.BODY
                and _can_end_early(within.node)
            ):
                return True
        return False

    def _is_start(self, step: Step) -> bool:
        """Whether a call sets something going beside this process."""
        if not isinstance(step.node, ast.Call):
            return False
        dotted = self._file.dotted(step.node.func) or self._file.text(step.node.func)
        is_start = _STARTS.search(dotted) is not None and _NO_START.search(dotted) is None
        return is_start or dotted.rpartition(".")[2] in _STARTS_EXACTLY

    def _started(self, place: int) -> ast.AST | None:
        """What runs beside while it sleeps: the last that was started before."""
        before = bisect_left(self._starts, place)
        return self._steps[self._starts[before - 1]].node if before else None

    def _awaited(self, place: int, started: ast.AST | None) -> ast.AST | None:
        """What is done behind the sleep as if the other had got so far."""
        step = self._steps[place]
        says = self._says(step.node)
        if _WORKING_WORDS.search(says) and not _WAITING_WORDS.search(says):
            return None
        is_told = _WAITING_WORDS.search(says) is not None
        is_beside = started is not None or is_told or self._in_rank or self._is_given_something_running()
        if not is_beside:
            return None
        if started is not None and self._staggers(step, started):
            return step.node
        lingering = self._lingers(place)
        if lingering is not None:
            return lingering
        found = self._first_use(place, started)
        if found is not None and started is not None and self._is_joined_between(step, started, found):
            return None
        return found or (self._next(place) if is_told else None)

    def _is_joined_between(self, step: Step, started: ast.AST, found: ast.AST) -> bool:
        """Whether a with block that started it, and that ends what it has started, ends before the use."""
        blocks = [w.node for w in step.within if isinstance(w.node, ast.With | ast.AsyncWith)]
        opened = [b for b in blocks if started in {item.context_expr for item in b.items}]
        return bool(opened) and opened[-1] not in self._file.around(found)

    def _lingers(self, place: int) -> ast.AST | None:
        """What a rank does for others just before it sleeps and leaves, so that they have time to take it."""
        step = self._steps[place]
        if not self._in_rank:
            return None
        inside = set(ast.walk(step.node))
        following = next((s for s in self._steps[place + 1 :] if s.node not in inside), None)
        leaves = (
            following is None or isinstance(following.node, ast.Return) or _last(following.node) in _LEAVES
        )
        earlier = (self._steps[at].node for at in range(place - 1, -1, -1))
        before = next((node for node in earlier if isinstance(node, ast.Call)), None) if leaves else None
        return before if before is not None and _last(before) in _DONE_FOR_OTHERS else None

    def _says(self, node: ast.AST) -> str:
        """The comments at the sleep: on its line, or alone on the line above."""
        line = int(getattr(node, "lineno", 1)) - 1
        own = self._lines[line].partition("#")[2]
        above = self._lines[line - 1].strip() if line else ""
        return f"{own} {above}" if above.startswith("#") else own

    def _is_given_something_running(self) -> bool:
        return any(
            _RUNNING.search(p) and self._program.values.fixture(p) is None for p in self._function.parameters
        )

    def _staggers(self, step: Step, started: ast.AST) -> bool:
        """Whether it stands in a loop that starts one after the other."""
        loops = [w.node for w in step.loops()]
        return bool(loops) and loops[-1] in self._file.around(started)

    def _next(self, place: int) -> ast.AST | None:
        call = self._steps[place].node
        inside = set(ast.walk(call)) | set(self._file.around(call))
        later = (s.node for s in self._steps[place + 1 :] if s.node not in inside)
        found = next(later, None)
        return None if found is not None and self._meets(found) else found

    def _first_use(self, place: int, started: ast.AST | None) -> ast.AST | None:
        for step in self._steps[place + 1 : place + 1 + FARTHEST]:
            node = step.node
            if _stands_apart(self._steps[place], step):
                continue
            if self._meets(node) or self._is_nothing_yet(node):
                return None
            if self._is_asserted(node, started):
                return node
            if isinstance(node, ast.Call) and self._is_use(node):
                return node
            if started is not None and self._hands_on(node, self._steps[place]):
                return node
        return None

    def _meets(self, node: ast.AST) -> bool:
        """Whether a step itself waits for the other, or holds something that does."""
        calls = (
            [n for n in ast.walk(node) if isinstance(n, ast.Call)]
            if isinstance(node, ast.Assert | ast.Call | ast.Expr)
            else []
        )
        return any(self._waits(call) for call in calls)

    def _waits(self, call: ast.Call) -> bool:
        last = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if last == "get":
            return _CLIENTS.search(self._file.text(call.func)) is None and (
                not call.args or bool(call.keywords)
            )
        is_path = last == "join" and "path" in self._file.dotted(call.func)
        return (
            last in _MEETS and not is_path and not isinstance(getattr(call.func, "value", None), ast.Constant)
        )

    def _is_nothing_yet(self, node: ast.AST) -> bool:
        """Whether it is shown that nothing has happened meanwhile: there is no event to wait for."""
        test = node.test if isinstance(node, ast.Assert) else node
        is_check = isinstance(node, ast.Assert) or _last(node).startswith("assert")
        return is_check and _NOTHING_YET.search(self._file.text(test)) is not None

    def _is_asserted(self, node: ast.AST, started: ast.AST | None) -> bool:
        """Whether a check looks at the other; in a rank only where it is of a thing that ranks share."""
        if not isinstance(node, ast.Assert) and not _last(node).startswith("assert"):
            return False
        if started is not None or not self._in_rank:
            return True
        reads = [n for n in ast.walk(node) if isinstance(n, ast.Call) and self._is_use(n)]
        parts = [n.value for n in ast.walk(node) if isinstance(n, ast.Attribute | ast.Subscript)]
        shared = set(self._function.parameters) - {"self", "rank", "world_size"}
        return bool(reads) or any(isinstance(part, ast.Name) and part.id in shared for part in parts)

    def _is_use(self, call: ast.Call) -> bool:
        text = self._file.dotted(call.func) or self._file.text(call.func)
        last = text.rpartition(".")[2]
        if self._in_rank and last in {"terminate", "kill", "cancel", "Client"}:
            return False
        return (_USES.search(text) is not None and not self._writes(call)) or _CLIENTS.search(
            text
        ) is not None

    def _writes(self, call: ast.Call) -> bool:
        modes = [
            a.value
            for a in (*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode"))
            if isinstance(a, ast.Constant)
        ]
        return any(isinstance(m, str) and m[:1] in {"w", "a", "x"} for m in modes)

    def _hands_on(self, node: ast.AST, sleep: Step) -> bool:
        """Whether a fixture yields, or a helper returns, what it has just started and slept for."""
        is_end = isinstance(node, ast.Return) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield)
        )
        return is_end and self._file.function_of(node) is sleep.frame.function


def _stands_apart(one: Step, other: Step) -> bool:
    """Whether two steps are on different ways of one branch, so that never both are done."""
    parts = {within.node: within.part for within in one.within}
    return any(w.node in parts and parts[w.node] is not w.part and _parts_ways(w) for w in other.within)


def _parts_ways(within: Within) -> bool:
    return isinstance(within.node, ast.If | ast.IfExp | ast.Match) or within.part is Part.HANDLER


def _last(node: ast.AST) -> str:
    """The last word of what a call calls."""
    function = node.func if isinstance(node, ast.Call) else None
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _can_end_early(loop: ast.For | ast.AsyncFor) -> bool:
    return any(isinstance(n, ast.Break | ast.Return | ast.Continue) for n in ast.walk(loop))
