"""Good: any() over exit codes only decides whether to print logs; the assertion shows the codes.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, port-found-then-released
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp


def participant(rank, path):
    path.write_text(f"rank {rank} was here")


def test_participants(tmp_path):
    logs = [tmp_path / f"{rank}.log" for rank in range(2)]
    group = [mp.Process(target=participant, args=(rank, log)) for rank, log in enumerate(logs)]
    for member in group:
        member.start()
    for member in group:
        member.join()
    if any(member.exitcode != 0 for member in group):
        for log in logs:
            print(log.read_text() if log.exists() else "no log")
    codes = [member.exitcode for member in group]
    assert codes == [0] * len(group), codes
