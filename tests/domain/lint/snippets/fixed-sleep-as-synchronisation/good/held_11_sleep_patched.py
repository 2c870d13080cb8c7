"""Good: time.sleep is replaced by a recorder and sleeps nowhere.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time

import pytest


def retry(function, pauses=(1, 2, 4)):
    for pause in pauses:
        try:
            return function()
        except ConnectionError:
            time.sleep(pause)
    return function()


@pytest.fixture
def slept(monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


def test_retry_pauses_longer_each_time(slept):
    answers = iter([ConnectionError(), ConnectionError(), "fine"])

    def function():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert retry(function) == "fine"
    assert slept == [1, 2]
