"""Good: time itself is under test: an entry expires after its time to live, no other process is waited for.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time


class Cache:
    def __init__(self, ttl_s):
        self.ttl_s = ttl_s
        self.entries = {}

    def put(self, key, value):
        self.entries[key] = (value, time.monotonic())

    def get(self, key):
        value, at = self.entries[key]
        return value if time.monotonic() - at < self.ttl_s else None


def test_entries_expire():
    cache = Cache(ttl_s=0.05)
    cache.put("a", 1)
    assert cache.get("a") == 1
    time.sleep(0.1)
    assert cache.get("a") is None
