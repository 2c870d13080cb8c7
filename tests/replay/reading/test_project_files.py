"""Files of the project are named relative to it, wherever a text has them; those of others stay whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.replay.reading.project_files import is_of_project, relative, with_relative_files

PROJECT = "/w/my project"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f'  File "{PROJECT}/tests/test_a.py", line 3, in f', '  File "tests/test_a.py", line 3, in f'),
        (
            f'[rank1]:   File "{PROJECT}/a b/x.py", line 3, in f',
            '[rank1]:   File "a b/x.py", line 3, in f',
        ),
        (f"{PROJECT}/native/x.c:12: f: Assertion `x' failed.", "native/x.c:12: f: Assertion `x' failed."),
        (f"python: {PROJECT}/x.c:12: failed", "python: x.c:12: failed"),
    ],
)
def test_own_file_is_named_from_the_project_on(text: str, shown: str) -> None:
    assert with_relative_files(text, PROJECT) == shown


@pytest.mark.parametrize(
    "text",
    [
        f'  File "{PROJECT}/.venv/lib/python3.11/site-packages/torch/x.py", line 3, in f',
        f'  File "{PROJECT}/../other/x.py", line 3, in f',
        '  File "/w/my projects/x.py", line 3, in f',
        f'  File "/copy{PROJECT}/x.py", line 3, in f',
        '  File "/usr/lib/python3.11/threading.py", line 3, in f',
    ],
)
def test_file_of_others_keeps_its_whole_name(text: str) -> None:
    assert with_relative_files(text, PROJECT) == text
    assert not is_of_project(text.partition('"')[2].partition('"')[0])


def test_without_a_project_nothing_is_relative() -> None:
    assert with_relative_files("/x.py", "") == with_relative_files("/x.py", "/") == "/x.py"
    assert relative("/x.py", "") is None


@given(st.text(), st.sampled_from(["/w", "/w/[a", PROJECT, ""]))
def test_any_text_only_loses_the_projects_folder(text: str, project: str) -> None:
    shown = with_relative_files(f"{text}{project}/x.py {text}", project)
    assert shown.replace(project + "/", "") == f"{text}{project}/x.py {text}".replace(project + "/", "")
