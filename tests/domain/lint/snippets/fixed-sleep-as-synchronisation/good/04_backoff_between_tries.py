"""Good: sleeps of growing length between tries of a request.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time
import urllib.error
import urllib.request


def fetch(url, tries=3, opener=urllib.request.urlopen, pause=time.sleep):
    for number in range(tries):
        try:
            return opener(url)
        except urllib.error.URLError:
            if number == tries - 1:
                raise
            pause(0.1 * 2**number)


def flaky(answers):
    def opener(url):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return opener


def test_fetch_tries_again():
    assert fetch("http://x", opener=flaky([urllib.error.URLError("no"), b"yes"])) == b"yes"
