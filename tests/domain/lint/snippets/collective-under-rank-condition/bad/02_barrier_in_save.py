"""Bad: the barrier is inside the branch that saves on the main rank.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


def save_checkpoint(model, path):
    if dist.get_rank() == 0:  # <- collective-under-rank-condition
        torch.save(model.state_dict(), path)
        dist.barrier()  # <- collective-under-rank-condition


def main(path):
    dist.init_process_group("gloo")
    model = torch.nn.Linear(2, 2)
    save_checkpoint(model, path)
    dist.destroy_process_group()


def test_save(tmp_path, monkeypatch):
    for name, value in {
        "RANK": "0",
        "WORLD_SIZE": "1",
        "MASTER_ADDR": "localhost",
        "MASTER_PORT": "29702",
    }.items():
        monkeypatch.setenv(name, value)
    main(tmp_path / "model.pt")
    assert (tmp_path / "model.pt").exists()
