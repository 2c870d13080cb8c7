"""cgroup v2 as hosted runners have it, in a guest of our own."""

import re

import pytest
from boot_guest import CannotBoot, boot


@pytest.mark.accept
@pytest.mark.timeout(580)
def test_sandbox_holds_by_cgroup_v2_in_a_guest(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        printed = boot()
    except CannotBoot as reason:
        pytest.skip(f"not run: {reason}")
    with capsys.disabled():
        print(printed)  # noqa: T201 - what the guest said is the result
    assert re.search(r"cgroup v2 with .*\bcpu\b.*\bmemory\b.*\bpids\b", printed)
    assert "pytest ended with 0" in printed
    assert re.search(r"\b[0-9]+ passed", printed)
