"""Splits a test's name from its parameters, by the spelling of the runner that wrote them."""

import re
from typing import Final

_LONGEST: Final = 4000
_ROW: Final = re.compile(r"\)\[[0-9]{1,9}\]$")
"""JUnit 5 numbers the rows of a method whose types, with brackets of their own, stand before."""

_SPELLINGS: Final = tuple(
    re.compile(spelling, re.DOTALL)
    for spelling in (
        r"([A-Za-z_]\w{0,500})(?:/[0-9]{1,9}){1,9}",  # googletest: Name/0
        r"([\w.+`<>]{1,500})\([A-Za-z_]\w{0,100}: .*\)",  # xUnit.net: Name(x: 1)
        r"([\w.+`<>]{1,500})\((?:[\"']|-?[0-9]|null\b|[Tt]rue\b|[Ff]alse\b).*\)",  # NUnit: Name(1,"a")
        r"(.{1,1000}?) -- @[0-9]{1,4}\.[0-9]{1,4}(?: .*)?",  # behave: title -- @1.2 table
        r"(.{1,1000}) #[0-9]{1,4}\.[0-9]{1,4}",  # cucumber: title #1.1
        r"([A-Za-z_]\w{0,500}) (?:\[.*\] )?\(\w{1,100}=.*\)",  # unittest: test_x (i=1)
        r"(\w{1,500}) with data set (?:#[0-9]|\").*",  # PHPUnit: testX with data set "a"
    )
)


def base_of(name: str) -> str:
    """The name without its parameters, its beginning always; the whole of it where none are known."""
    if name.endswith("]"):
        row = _ROW.search(name[-20:])
        head = name[: len(name) - len(row[0]) + 1] if row is not None else name.partition("[")[0]
        return head or name
    if len(name) <= _LONGEST:
        for spelling in _SPELLINGS:
            found = spelling.fullmatch(name)
            if found is not None:
                return found[1]
    return name
