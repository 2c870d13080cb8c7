"""Bad: assertEqual on each exit code stands above the assertion that prints the child's traceback.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing
import traceback
import unittest


def _child(conn, value):
    try:
        conn.send((100 / value, None))
    except Exception:
        conn.send((None, traceback.format_exc()))
        raise


class Division(unittest.TestCase):
    def test_children(self):
        pipes, children = [], []
        for value in (1, 2, 5):
            reader, writer = multiprocessing.Pipe(duplex=False)
            child = multiprocessing.Process(target=_child, args=(writer, value))
            child.start()
            writer.close()
            pipes.append(reader)
            children.append(child)
        answers = [reader.recv() for reader in pipes]
        for child in children:
            child.join()
            self.assertEqual(child.exitcode, 0, child.name)  # <- report-asserted-too-late
        for value, error in answers:
            self.assertIsNone(error, error)
