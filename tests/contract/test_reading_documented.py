"""Every field that `read --json` and `explain --json` print stands in the README, and every category."""

import re
from dataclasses import fields
from pathlib import Path

from app.domain.category import Category
from app.domain.explaining.explanation import Explanation
from app.domain.outcome import Failed, Result, TestId
from app.domain.results.results_file import Declared, ReadStatus
from worker.commands.explain_content import FileExplained
from worker.commands.explain_records import record
from worker.commands.read_content import FileRead
from worker.commands.read_records import file_record, result_records

README = (Path(__file__).parents[2] / "README.md").read_text()
SECTION = README.partition("## Reading files and logs")[2].partition("\n## ")[0]


def documented(begins: str) -> set[str]:
    """Names in the first column of the table behind these words."""
    table = SECTION.partition(begins)[2].strip().partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


READ = FileRead(
    "f", "junit", ReadStatus.COMPLETE, results=(Result(TestId("", "", "c", "n"), Failed("m", "t")),)
)


def test_every_field_of_a_file_stands_in_the_readme_and_no_other() -> None:
    assert documented("an object a file:\n") == {*file_record(READ), "results"}


def test_every_field_of_a_result_stands_in_the_readme_and_no_other() -> None:
    (result,) = result_records(READ)
    assert documented("One of the `results`:") == set(result)


def test_every_claim_stands_in_the_readme() -> None:
    row = next(row for row in SECTION.splitlines() if row.startswith("| `declared`"))
    assert {one.name for one in fields(Declared)} <= set(re.findall(r"`(\w+)`", row))


def test_every_field_of_an_explained_file_stands_in_the_readme_and_no_other() -> None:
    explained = FileExplained("f", Explanation(Category.UNKNOWN, "none"))
    assert documented("are explained by their texts.") == set(record(explained))


def test_every_category_stands_in_the_readme() -> None:
    row = next(row for row in SECTION.splitlines() if row.startswith("| `category`"))
    assert {one.value for one in Category} == set(re.findall(r"`([\w-]+)`", row)) - {"category"}
