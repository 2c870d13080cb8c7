"""Operations on stores as Python code calls them, their errors, and the delays before them."""

import itertools
import json

from probed import Tools

from worker.replay.probe import address

SCRIPT = """
    import datetime, sys, tempfile, time
    import torch.distributed as dist

    class Own(dist.Store):
        def __init__(self):
            super().__init__()
            self.kept = {}
        def set(self, key, value):
            self.kept[key] = value
        def get(self, key):
            return self.kept[key].encode()

    store = dist.PrefixStore("deep", dist.HashStore())
    store.set("one", "1")
    print(store.get("one"), store.add("count", 4))
    try:
        store.wait(["never"], datetime.timedelta(milliseconds=50))
    except RuntimeError as error:
        print(type(error).__name__)
    file = dist.FileStore(tempfile.mkdtemp() + "/store", 1)
    file.set("two", "2")
    print(file.check(["two"]))
    own = Own()
    own.set("three", "3")
    print(own.get("three"), dist.PrefixStore("over", own).get)
"""


def test_each_operation_is_noted_with_key_times_and_error(tools: Tools) -> None:
    ran = tools.run(SCRIPT)

    assert ran.code == 0, ran.stderr
    assert ran.stdout.splitlines()[:2] == ["b'1' 4", "DistStoreError"]
    calls = ran.journals.store_calls
    assert [(one.op, one.key) for one in calls] == [
        ("set", "one"),
        ("get", "one"),
        ("add", "count"),
        ("wait", "never"),
        ("set", "two"),
        ("check", "two"),
    ]
    waited = calls[3]
    assert waited.t_out is not None
    assert waited.t_out - waited.t_in >= 50_000_000
    assert [one.type for one in ran.journals.raised if one.identity == waited.error][:1] == [
        "torch.distributed.DistStoreError"
    ]
    assert waited.site is not None
    assert waited.site.function == "<module>"


def test_an_arm_can_delay_operations_of_stores_and_nothing_else(tools: Tools) -> None:
    delays = json.dumps({"store_delay_s": 0.05, "skew_s": 0.0, "most_delay_s": 10.0, "seed": 1})

    ran = tools.run(SCRIPT, env={**tools.environment(), address.DELAYS: delays})

    calls = ran.journals.store_calls
    gaps = [later.t_in - (one.t_out or 0) for one, later in itertools.pairwise(calls)]
    assert max(gaps) >= 10_000_000
    assert len(calls) == 6
