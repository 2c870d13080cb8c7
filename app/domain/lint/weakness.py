"""What a rule says of one place, before it is told which tests share it."""

import ast
from dataclasses import dataclass

from app.domain.lint.finding import Rule, Window


@dataclass(frozen=True, slots=True)
class Weakness:
    """One place. `tests` are the ids of the tests that it makes undiagnosable, in the order of the file."""

    rule: Rule
    node: ast.AST
    tests: tuple[str, ...]
    text: str
    mend: str
    window: Window | None = None
