"""Worlds of ranks with the probe in them: several kinds of traffic for one import of torch."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "probe"))  # its `probed` lays the probe out
pytest.importorskip("torch", reason="the suspects' torch is not installed")

from probed import Tools
from torch_worlds import Worlds, run

collect_ignore = ["project"]


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    """Everything that needs no more than torch.distributed itself."""
    kinds = ("plain", "objects", "asynchronous", "peers", "subgroups", "four", "again", "raising")
    return run(Tools(tmp_path_factory.mktemp("worlds")), *kinds)
