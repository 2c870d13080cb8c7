"""Calls that torch refuses: refused as without the probe, and no fault of the probe's own."""

import sys

from probed import Tools

SCRIPT = """
    import threading
    import torch
    import torch.distributed as dist

    def told(function, *args, **named):
        try:
            function(*args, **named)
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0])

    told(dist.all_reduce, torch.ones(1))
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    told(dist.all_reduce, "text")
    told(dist.all_reduce)
    told(dist.broadcast, torch.ones(1), src="one")
    told(dist.broadcast, torch.ones(1), group_src=7)
    told(dist.batch_isend_irecv, [])
    told(dist.new_group, ranks="zz")
    told(dist.init_process_group, "gloo", bogus=1)
    told(dist.destroy_process_group, "none")
    reduce = lambda: [dist.all_reduce(torch.ones(1)) for _ in range(40)]
    workers = [threading.Thread(target=reduce) for _ in "abc"]
    for one in workers: one.start()
    for one in workers: one.join()
    dist.destroy_process_group()
"""


def test_it_is_refused_as_without_the_probe_and_begins_no_world(tools: Tools) -> None:
    bare = {name: value for name, value in tools.environment().items() if name != "PYTHONPATH"}
    alone = tools.ran([sys.executable, str(tools.write(SCRIPT))], bare)
    ran = tools.run(SCRIPT)

    assert ran.code == alone.code == 0, ran.stderr
    assert ran.stdout == alone.stdout
    assert ran.journals.troubles == ()
    assert {one.group for one in ran.journals.collectives} == {"WORLD"}
    counted = [one for one in ran.journals.collectives if one.thread != "MainThread" and one.site]
    assert len({one.thread for one in counted}) == 3
