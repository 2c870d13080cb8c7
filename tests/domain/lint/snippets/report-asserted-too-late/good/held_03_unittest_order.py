"""Good: assertIsNone on the error comes first, then the exit code.

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
        for reader, child in zip(pipes, children):
            value, error = reader.recv()
            self.assertIsNone(error, error)
            child.join()
            self.assertEqual(child.exitcode, 0, child.name)
