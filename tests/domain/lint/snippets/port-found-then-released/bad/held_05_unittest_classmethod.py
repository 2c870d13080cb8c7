"""Bad: the port of the class was free when setUpClass looked, for as long as its socket lived.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check, one-item-drained
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import os
import socket
import subprocess
import sys
import unittest


class LauncherTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        s = socket.socket()
        s.bind(("", 0))  # <- port-found-then-released
        cls.port = s.getsockname()[1]  # <- port-found-then-released
        s.close()  # <- port-found-then-released

    def test_launcher(self):
        env = {**os.environ, "MASTER_PORT": str(self.port), "MASTER_ADDR": "localhost"}
        done = subprocess.run(
            [sys.executable, "-m", "launcher", "--ranks", "2"], env=env, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
