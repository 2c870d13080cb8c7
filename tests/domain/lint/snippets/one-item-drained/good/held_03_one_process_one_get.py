"""Good: there is one process only, so one get reads all.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing
import traceback


def _convert(text, answers):
    try:
        answers.put(("value", int(text)))
    except ValueError:
        answers.put(("error", traceback.format_exc()))


def test_convert_elsewhere():
    answers = multiprocessing.Queue()
    child = multiprocessing.Process(target=_convert, args=("42", answers))
    child.start()
    kind, value = answers.get(timeout=10)
    child.join()
    assert kind == "value", value
    assert value == 42
