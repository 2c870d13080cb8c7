"""The words of a mend: short Python in the file's own names."""

import ast
import re
from collections.abc import Iterable

from app.domain.lint.channels import Medium, Told
from app.domain.lint.program import Program, Root
from app.domain.lint.workers import How

WHY_KILLED = "one that waits for another would keep pytest from its end"
_SHORT = 70
_NAME = re.compile(r"[^\W\d]\w*")


def mend(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def plain(program: Program, node: ast.AST, otherwise: str) -> str:
    """The expression as the file writes it, where that is short enough to stand in an example."""
    text = program.file.text(node, longest=_SHORT + 1)
    return text if text and len(text) <= _SHORT and isinstance(node, ast.expr) else otherwise


def name_of(program: Program, node: ast.AST, otherwise: str) -> str:
    """The name, attribute or element that an expression is; nothing that is computed."""
    text = plain(program, node, otherwise)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) else otherwise


def empty_name(program: Program) -> str:
    """What the file calls the exception of an empty queue."""
    if "queue.Empty" in program.file.imported.values():
        return next(name for name, dotted in program.file.imported.items() if dotted == "queue.Empty")
    module = next((name for name, dotted in program.file.imported.items() if dotted == "queue"), None)
    return f"{module}.Empty" if module is not None else "Empty"


def clock_of(program: Program) -> tuple[str, str]:
    """How the file would call the clock of a deadline, and what to say where it imports none."""
    names = {dotted: name for name, dotted in program.file.imported.items()}
    call = names.get("time.monotonic") or f"{names.get('time', 'time')}.monotonic"
    return call, "" if names.keys() & {"time", "time.monotonic"} else "  # import time"


def rank_name(names: Iterable[str]) -> str:
    return next(iter(sorted(names)), "rank")


def telling(program: Program, report: Told | None, rank: str, content: str) -> str:
    """The line by which this worker can tell its parent something, in the way in which it already does."""
    if report is None:
        return f"reports.put(({rank}, {content}))"
    receiver = name_of(program, report.receiver, "reports")
    match report.medium:
        case Medium.SHARED:
            return f"{receiver}[{rank}] = {content}"
        case Medium.FILE:
            return (
                f"{receiver}.write_text({content})"
                if "." not in receiver
                else f"report.write_text({content})"
            )
        case Medium.ANSWER:
            return f"return {rank}, {content}"
    called = report.step.node.func if isinstance(report.step.node, ast.Call) else None
    verb = called.attr if isinstance(called, ast.Attribute) else "put"
    return f"{receiver}.{verb}(({rank}, {content}))"


def processes_name(program: Program, root: Root) -> str:
    """What the parent calls the processes that it starts: the list that holds them."""
    for start in root.starts:
        if start.how is How.PROCESS and start.step is not None:
            for node in program.file.around(start.step.node):
                match node:
                    case ast.Assign(
                        targets=[ast.Name(id=name)], value=ast.ListComp() | ast.List() | ast.Tuple()
                    ):
                        return name
                    case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append")):
                        return name
    for step in root.steps:
        match step.node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[ast.Name() as item]
            ):
                made = program.values.origin(item, step.frame).node
                if any(start.step is not None and start.step.node is made for start in root.starts):
                    return name
    return "processes"


def one_name(processes: str) -> str:
    """What one of the processes is called in a loop over them."""
    singular = {"processes": "process", "procs": "proc", "ps": "p", "workers": "worker", "children": "child"}
    singular |= {"kids": "kid", "jobs": "job", "ranks": "process"}
    if processes in singular:
        return singular[processes]
    ends = processes.endswith("s") and _NAME.fullmatch(processes[:-1]) and processes[:-1] != processes
    return processes[:-1] if ends else "process"


def codes_by_number(processes: str, *, only_bad: bool = False) -> str:
    """Exit codes by the number of the process, which is its rank where they were started in order.

    torch's own errors count them so; a name such as `SpawnProcess-2` counts from 1, over a whole session.
    """
    one = one_name(processes)
    bad = f" if {one}.exitcode" if only_bad else ""
    return f'{{f"process {{n}}": {one}.exitcode for n, {one} in enumerate({processes}){bad}}}'


def of_processes(processes: str) -> list[str]:
    """The assertion on exit codes that says which process ended how."""
    return [
        f"codes = {codes_by_number(processes)}",
        'assert set(codes.values()) == {0}, f"exit codes, negative for a signal: {codes}"',
    ]
