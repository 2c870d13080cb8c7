"""Whether a `try` covers a call, on every Python that is here: by exception table, or by source."""

from pathlib import Path

import pytest
from probed import Tools, pythons

CASES = """
    import contextlib
    from flake_triage_probe import covered

    def ask(): return covered.by_project()
    def bare(): return ask()
    def in_try():
        try: return ask()
        except ValueError: pass
    def in_finally():
        try:
            found = ask()
        finally:
            str()
        return found
    def in_with():
        with contextlib.nullcontext():
            return ask()
    def in_with_in_try():
        try:
            with contextlib.nullcontext():
                return ask()
        except ValueError: pass
    def in_handler():
        try: raise ValueError
        except ValueError:
            return ask()
    def before_try():
        found = ask()
        try: str()
        except ValueError: pass
        return found
    def after_return_in_try(early=False):
        try:
            if early:
                return None
            return ask()
        except ValueError: pass
    def in_handler_of_tried():
        try:
            try: raise ValueError
            except ValueError as error:
                return ask()
        finally:
            str()
    def by_caller():
        try: return bare()
        except ValueError: pass
    def in_loop():
        for _ in range(1):
            try: return ask()
            except ValueError: continue

    for one in (bare, in_try, in_finally, in_with, in_with_in_try, in_handler, before_try,
                after_return_in_try, in_handler_of_tried, by_caller, in_loop):
        print(one.__name__, one())
"""
EXPECTED = """\
bare False
in_try True
in_finally True
in_with False
in_with_in_try True
in_handler False
before_try False
after_return_in_try True
in_handler_of_tried True
by_caller True
in_loop True
"""


@pytest.mark.parametrize("python", pythons(), ids=lambda one: Path(one).resolve().name)
def test_a_handler_or_finally_covers_a_call_and_nothing_else_does(tools: Tools, python: str) -> None:
    ran = tools.run(CASES, python=python)

    assert ran.stdout == EXPECTED, ran.stderr


def test_code_without_a_source_is_not_judged_by_it(tools: Tools) -> None:
    ran = tools.run(
        """
        from flake_triage_probe import covered
        print(covered._by_source("/nowhere/at/all.py", 3))
        print(covered._by_source(__file__, 3))
        """
    )

    assert ran.stdout.splitlines() == ["None", "False"], ran.stderr
