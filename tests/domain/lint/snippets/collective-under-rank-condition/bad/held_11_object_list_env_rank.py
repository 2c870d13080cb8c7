"""Bad: the environment's RANK decides who calls broadcast_object_list.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import os

import torch.distributed as dist


def share_config(path):
    config = [None]
    if os.environ["RANK"] == "0":  # <- collective-under-rank-condition
        config[0] = path.read_text()
        dist.broadcast_object_list(config, src=0)  # <- collective-under-rank-condition
    return config[0]


def test_share(tmp_path, monkeypatch):
    values = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29711"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "config.toml"
    path.write_text("lr = 0.1")
    dist.init_process_group("gloo")
    assert share_config(path) == "lr = 0.1"
    dist.destroy_process_group()
