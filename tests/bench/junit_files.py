"""JUnit files as pytest writes them, of as many tests and failures as asked for."""

FAILURE = """\
self = &lt;tests.package.test_parts.TestThing object at 0x7f0c2a51f9d0&gt;

    def test_total(self):
        parts = [part for part in self.read() if part.is_kept]
&gt;       assert combine(parts) == {number}
E       assert {seen} == {number}
E        +  where {seen} = combine([Part(1), Part(2)])

tests/package/test_parts.py:{line}: AssertionError"""


def junit(tests: int, *, red: int = 0, first: int = 0, seen: int = 0) -> bytes:
    """`red` tests fail, the first ones; `first` shifts the names, `seen` the value they show."""
    cases = "".join(
        _case(number, is_red=number - first < red, seen=seen) for number in range(first, first + tests)
    )
    counts = f'errors="0" failures="{red}" skipped="0" tests="{tests}"'
    suite = (
        f'<testsuite name="pytest" {counts} time="{tests / 50:.3f}" hostname="runner-1">{cases}</testsuite>'
    )
    return (
        f'<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">{suite}</testsuites>'.encode()
    )


def _case(number: int, *, is_red: bool, seen: int) -> str:
    place = f"tests.package_{number // 500}.test_module_{number // 50}.TestThing"
    name = f"test_behaves_{number // 5}[{number % 5}-cpu]"
    head = f'<testcase classname="{place}" name="{name}" time="0.{number % 1000:03}"'
    if not is_red:
        return f"{head} />"
    text = FAILURE.format(number=number, seen=seen, line=10 + number)
    return f'{head}><failure message="assert {seen} == {number}">{text}</failure></testcase>'
