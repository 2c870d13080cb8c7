"""Good: TCPStore on port 0 binds by itself and tells its number; it holds it all the while.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch.distributed as dist


def test_store_on_any_port():
    server = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    client = dist.TCPStore("127.0.0.1", server.port, is_master=False)
    client.set("name", "rank 0")
    assert server.get("name") == b"rank 0"
