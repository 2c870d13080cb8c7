"""Parts of the probe by themselves, imported as modules of ours: they start nothing."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.replay.probe import imports, journal, signals, sites, ways_in

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_what_is_written_reads_back(value: object) -> None:
    assert json.loads(journal.encoded(value)) == value  # type: ignore[arg-type]  # drawn as such


def test_what_json_has_no_word_for_is_null() -> None:
    values = [float("nan"), float("inf"), float("-inf"), object(), b"bytes", {1, 2}]

    assert [json.loads(journal.encoded(one)) for one in values] == [None] * len(values)  # type: ignore[arg-type]  # on purpose


def test_a_long_text_is_cut() -> None:
    assert len(json.loads(journal.encoded("x" * 100_000))) == journal.MOST_TEXT


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Path]:
    """A module to import, and our finder among the others for as long as the test runs."""
    before = list(sys.meta_path)
    sys.path.insert(0, str(tmp_path))
    (tmp_path / "probe_sample.py").write_text("VALUE = 1\n", encoding="utf-8")
    imports.begin()
    yield tmp_path
    sys.meta_path[:] = before
    sys.path.remove(str(tmp_path))
    sys.modules.pop("probe_sample", None)
    imports._waiting.pop("probe_sample", None)


@pytest.mark.usefixtures("written")
def test_a_callback_comes_before_anyone_takes_a_name() -> None:
    imports.after("probe_sample", lambda module: setattr(module, "VALUE", module.VALUE + 1))

    from probe_sample import VALUE  # type: ignore[import-not-found]  # noqa: PLC0415 -- what is tested

    assert VALUE == 2
    assert importlib.reload(sys.modules["probe_sample"]).VALUE == 2


@pytest.mark.usefixtures("written")
def test_a_module_that_is_there_already_is_called_back_at_once() -> None:
    importlib.import_module("probe_sample")
    seen: list[object] = []

    imports.after("probe_sample", seen.append)

    assert seen == [sys.modules["probe_sample"]]


@pytest.mark.usefixtures("written")
def test_a_callback_that_fails_fails_no_import() -> None:
    def fail(module: object) -> None:
        raise RuntimeError(module)

    imports.after("probe_sample", fail)

    assert importlib.import_module("probe_sample").VALUE == 1


def test_a_module_that_does_not_exist_is_not_found_as_before() -> None:
    imports.after("probe_absent", print)
    imports.begin()

    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("probe_absent")
    sys.meta_path[:] = [one for one in sys.meta_path if type(one).__module__ != imports.__name__]


@pytest.mark.parametrize(
    ("file", "inside"),
    [
        ("/p/test_x.py", "test_x.py"),
        ("/p/deep/er.py", "deep/er.py"),
        ("/p/.venv/lib/python3.11/site-packages/torch/x.py", None),
        ("/pp/test_x.py", None),
        ("<string>", None),
        ("", None),
    ],
)
def test_a_file_is_the_projects_or_not(file: str, inside: str | None) -> None:
    sites.begin("/p")

    assert sites.relative(file) == inside


def test_only_a_process_with_a_handler_catches() -> None:
    assert signals.catches(1 << 30, 15) is False


def test_the_probe_is_laid_out_with_both_ways_in(tmp_path: Path) -> None:
    ways_in.lay_out(tmp_path, "/tools", {"FLAKE_TRIAGE_JOURNAL": "/journal"})

    assert (tmp_path / "sitecustomize.py").is_file()
    assert (tmp_path / ways_in.PACKAGE / "install.py").is_file()
    assert not (tmp_path / ways_in.PACKAGE / "sitecustomize.py").exists()
    assert json.loads((tmp_path / "address.json").read_text(encoding="utf-8")) == {
        "FLAKE_TRIAGE_JOURNAL": "/journal"
    }
    (line,) = (tmp_path / ways_in.PTH).read_text(encoding="utf-8").splitlines()
    assert line.startswith("import sys; ")
    assert "'/tools'" in line
