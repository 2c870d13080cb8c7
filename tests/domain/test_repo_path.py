"""Which files are the repository's, and where."""

import pytest

from app.domain.outcome import TestId
from app.domain.repo_path import find_root, likely_files, repo_relative

DOTTED = TestId(file="", suite="", classname="tests.unit.test_x.TestIt", name="test_a")


@pytest.mark.parametrize(
    "path",
    [
        "/opt/py/lib/python3.12/site-packages/torch/cuda.py",
        "/usr/lib/python3/dist-packages/six.py",
        "/usr/lib/python3.11/queue.py",
        "C:\\hostedtoolcache\\windows\\Python\\3.11.9\\x64\\Lib\\queue.py",
        "C:\\Python311\\Lib\\queue.py",
        "../../.venv/bin/thing.py",
        ".tox/py311/x.py",
        "<frozen importlib._bootstrap>",
        "",
    ],
)
def test_files_of_others_have_no_place(path: str) -> None:
    assert repo_relative(path, None) is None


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("/home/runner/work/app/app/src/x.py", "src/x.py"),
        ("/__w/app/app/src/x.py", "src/x.py"),
        ("/runner/_work/app/app/src/x.py", "src/x.py"),
        ("D:\\a\\app\\app\\src\\x.py", "src/x.py"),
        ("/github/workspace/src/x.py", "src/x.py"),
        ("src/x.py", "src/x.py"),
        ("./src/x.py", "src/x.py"),
        ("../src/x.py", "src/x.py"),
        ("/srv/checkout/src/x.py", "src/x.py"),
        ("/x.py", "/x.py"),
    ],
)
def test_a_file_has_one_path_on_every_machine(path: str, relative: str) -> None:
    assert repo_relative(path, find_root([path], None)) == relative


def test_the_test_s_own_file_shows_where_the_checkout_is() -> None:
    paths = ["/srv/a/lib/deep/er/m.py", "/srv/a/tests/unit/test_x.py"]
    root = find_root(paths, DOTTED)
    assert root == "/srv/a/"
    assert [repo_relative(path, root) for path in paths] == ["lib/deep/er/m.py", "tests/unit/test_x.py"]
    assert repo_relative("/srv/other/m.py", root) is None


def test_relative_paths_show_no_checkout() -> None:
    assert find_root(["tests/unit/test_x.py"], DOTTED) is None


def test_a_test_s_file_is_named_or_guessed_from_its_class() -> None:
    assert likely_files(None) == []
    assert likely_files(TestId(file="./t/x.py", suite="", classname="t.x", name="a")) == ["t/x.py"]
    assert likely_files(DOTTED)[:2] == ["tests/unit/test_x/TestIt.py", "tests/unit/test_x.py"]
