"""The tools' folder goes with its trial; what a killed engine left goes with the next trial."""

from pathlib import Path

from worker.replay.outside.tools import PREFIX, sweep_tools, tools_folder


def test_folder_is_readable_by_all_and_gone_afterwards(tmp_path: Path) -> None:
    with tools_folder(tmp_path) as folder:
        assert folder.stat().st_mode & 0o777 == 0o755
    assert not folder.exists()


def test_folder_of_the_living_stays_and_that_of_the_dead_goes(tmp_path: Path) -> None:
    dead = tmp_path / f"{PREFIX}dead"
    dead.mkdir(mode=0o755)
    (dead / "file").write_text("x")
    with tools_folder(tmp_path) as living:
        assert not dead.exists()
        assert sweep_tools(tmp_path) == 0
        assert living.exists()


def test_folder_that_is_being_made_and_link_of_that_name_stay(tmp_path: Path) -> None:
    (tmp_path / f"{PREFIX}new").mkdir(mode=0o700)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    assert sweep_tools(tmp_path) == 0
    assert elsewhere.exists()
