"""The sandbox's rules that need no sandbox: what is allowed, found and translated."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.replay.limits import MIB, Limits, Usage
from worker.replay.sandbox.cgroup_v2 import VersionTwo, usage_of
from worker.replay.sandbox.enter import layers, order
from worker.replay.sandbox.enter.order import Order
from worker.replay.sandbox.enter.users import map_of
from worker.replay.sandbox.group import Unavailable
from worker.replay.sandbox.hierarchies import own_groups, parse_groups
from worker.replay.sandbox.interpreter import needs_of
from worker.replay.sandbox.memory_rule import MemoryTooTight, checked_memory, least_memory
from worker.replay.sandbox.owner import Owner, new_name, owner_in, started_at
from worker.replay.sandbox.refused import Refused
from worker.replay.sandbox.root_plan import Step, checked_project, plan_of, without_credentials
from worker.replay.sandbox.seccomp import filter_program
from worker.replay.sandbox.systemd_scope import cpu_properties, scope_command
from worker.replay.sandbox.view import View


def test_memory_under_the_margin_is_refused_unless_insisted_on() -> None:
    peak = 500 * MIB
    with pytest.raises(MemoryTooTight, match=r"1\.2 times the 500 MiB"):
        checked_memory(599 * MIB, peak)
    assert checked_memory(600 * MIB, peak) == 600 * MIB
    assert checked_memory(100 * MIB, peak, insists=True) == 100 * MIB
    assert checked_memory(100 * MIB, None) == 100 * MIB


@given(st.integers(1, 1 << 50))
def test_least_memory_is_itself_allowed_and_one_byte_less_is_not(peak: int) -> None:
    least = least_memory(peak)
    assert checked_memory(least, peak) == least
    with pytest.raises(MemoryTooTight):
        checked_memory(least - 1, peak)


def test_names_tell_their_owner_and_whether_it_lives() -> None:
    name = new_name()
    assert name != new_name()
    assert owner_in(name) == Owner(os.getpid(), started_at(os.getpid()) or 0)
    assert Owner(os.getpid(), started_at(os.getpid()) or 0).is_alive
    assert not Owner(os.getpid(), 1).is_alive
    assert owner_in(f"{name}.scope") == owner_in(name)


@given(st.text())
def test_foreign_names_are_nobodys(name: str) -> None:
    assert owner_in(name) is None or name.startswith("flake-triage.")


@pytest.mark.parametrize(
    "name", ["GITHUB_TOKEN", "FLAKE_TRIAGE_WEBHOOK_SECRET", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "path", ""]
)
def test_variables_that_are_not_listed_do_not_reach_a_suspect(name: str) -> None:
    with pytest.raises(ValueError, match="not among the variables"):
        _view(Path("/p")).environment({name: "x"})


def test_environment_is_the_listed_one_and_nothing_of_ours() -> None:
    given_env = _view(Path("/p")).environment({"FLAKE_TRIAGE_JOURNAL": "/j", "OMP_NUM_THREADS": "1"})
    assert set(given_env) == {
        *("PATH", "HOME", "USER", "LANG", "TMPDIR"),
        *("FLAKE_TRIAGE_JOURNAL", "OMP_NUM_THREADS"),
    }


def _view(project: Path) -> View:
    return View(
        project, Path("/usr/bin/python3"), Path("/t"), Path("/j"), Path("/tmp"), Path("/home/suspect")
    )


MOUNTS = """\
25 1 0:22 / /sys/fs/cgroup rw - tmpfs tmpfs rw
26 25 0:23 / {root}/cpu rw - cgroup cgroup rw,cpu,cpuacct
27 25 0:24 /docker/1 {root}/memory rw - cgroup cgroup rw,memory
28 25 0:25 / {root}/uni\\040two rw - cgroup2 cgroup2 rw
torn line
"""


def test_own_groups_are_found_by_controller_also_in_containers_and_hybrids(tmp_path: Path) -> None:
    for folder in ("cpu/a", "memory/b", "uni two/c", "self"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "self" / "mountinfo").write_text(MOUNTS.format(root=tmp_path))
    (tmp_path / "self" / "cgroup").write_text("4:memory:/docker/1/b\n1:cpu,cpuacct:/a\n0::/c\n")
    own = own_groups(proc=tmp_path)
    assert own.v1["cpu"] == own.v1["cpuacct"] == tmp_path / "cpu" / "a"
    assert own.v1["memory"] == tmp_path / "memory" / "b"
    assert own.unified == tmp_path / "uni two" / "c"
    assert own_groups("nobody", tmp_path).unified is None


def test_group_paths_that_climb_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "mountinfo").write_text(f"1 1 0:1 / {tmp_path} rw - cgroup2 cgroup2 rw\n")
    (tmp_path / "self" / "cgroup").write_text("0::/../../elsewhere\n")
    assert own_groups(proc=tmp_path).unified is None
    assert parse_groups("1:cpu:/a:b\n") == {"cpu": "/a:b"}


def test_version_two_without_controllers_of_its_own_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("hugetlb\n")
    (tmp_path / "cgroup.subtree_control").write_text("\n")
    with pytest.raises(Unavailable):
        VersionTwo(tmp_path, "flake-triage.1.1.1")
    assert not (tmp_path / "flake-triage.1.1.1").exists()


def test_filter_is_whole_instructions_and_unknown_machines_have_none() -> None:
    for machine in ("x86_64", "aarch64"):
        program = filter_program(machine)
        assert program is not None
        assert len(program) % 8 == 0
        assert program[-8:] == bytes((6, 0, 0, 0, 38, 0, 5, 0))
    assert filter_program("pdp11") is None


@given(st.integers(0, 70000), st.integers(0, 70000), st.integers(0, 1 << 30))
def test_map_of_owners_turns_one_into_the_other_and_leaves_the_rest(
    on_disk: int, seen: int, any_: int
) -> None:
    lines = [tuple(map(int, line.split())) for line in map_of(on_disk, seen).splitlines()]
    assert all(count > 0 for _, _, count in lines)
    for number in (any_, 0, on_disk - 1, on_disk, on_disk + 1, seen - 1, seen, seen + 1):
        found = [onto + number - first for first, onto, count in lines if first <= number < first + count]
        if number == on_disk:
            assert found == [seen]
        elif number >= 0:
            assert found == ([] if number == seen else [number])


def test_order_comes_through_its_descriptor_as_it_was() -> None:
    sent = Order(1, ("a",), {"A": "b"}, "/", joins=("/x",), plan=(("dir", "", "/a"),), resources={"CORE": 0})
    assert order.from_descriptor(sent.to_descriptor()) == sent


def test_copy_keeps_links_as_links_and_leaves_out_what_is_no_file(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "kept" / "deep").mkdir(parents=True)
    (source / ".venv" / "lib").mkdir(parents=True)
    (source / "kept" / "deep" / "a.py").write_text("x")
    (source / "out").symlink_to("/etc")
    os.mkfifo(source / "fifo")
    target.mkdir()
    layers.copy(source, target, (str(source / ".venv"),), (-1, -1))
    assert (target / "kept" / "deep" / "a.py").read_text() == "x"
    assert os.readlink(target / "out") == "/etc"  # noqa: PTH115 - its text
    assert list((target / ".venv").iterdir()) == []
    assert not (target / "fifo").exists()


@pytest.mark.parametrize("path", ["/", "/usr", "/etc/ssl", "/tmp", "/home", str(Path.home())])
def test_system_folder_is_refused_as_a_project(path: str) -> None:
    with pytest.raises(Refused):
        checked_project(Path(path))


def test_git_settings_lose_what_logs_in_and_keep_the_rest() -> None:
    text = (
        "[core]\n\tbare = false\n"
        '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic c2VjcmV0\n'
        '[remote "origin"]\n\turl = https://x-access-token:secret@github.com/a/b\n'
        "[credential]\n\thelper = store\n"
        '[includeIf "gitdir:/x"]\n\tpath = /y\n'
    )
    clean = without_credentials(text)
    assert "secret" not in clean
    assert "c2VjcmV0" not in clean
    assert "store" not in clean
    assert "/y" not in clean
    assert "bare = false" in clean
    assert "url = https://github.com/a/b" in clean


def test_interpreters_needs_are_its_prefixes_and_what_is_installed_for_editing(tmp_path: Path) -> None:
    base, venv, project, lib = (tmp_path / name for name in ("base", "venv", "project", "editable/src"))
    packages = venv / "lib" / "python3.11" / "site-packages"
    for folder in (base / "bin", venv / "bin", packages, project, lib, tmp_path / "mapped"):
        folder.mkdir(parents=True)
    (base / "bin" / "python3").symlink_to(sys.executable)
    (venv / "bin" / "python").symlink_to(base / "bin" / "python3")
    (venv / "pyvenv.cfg").write_text(f"home = {base / 'bin'}\n")
    (packages / "a.pth").write_text(f"import os; os.abort()\n{lib}\n{project}\n/\n/nowhere\n")
    (packages / "__editable___b_1_finder.py").write_text(
        f"MAPPING: dict[str, str] = {{'b': '{tmp_path / 'mapped'}'}}\n1/0\n"
    )
    (packages / "__editable___c_1_finder.py").write_text("MAPPING = [\n")
    needs = needs_of(venv / "bin" / "python", project)
    assert {base, venv, lib, tmp_path / "mapped"} <= set(needs.folders)
    assert project not in needs.folders
    assert Path("/") not in needs.folders


def test_folder_that_holds_more_than_an_interpreter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / ".ssh").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    with pytest.raises(Refused, match="more than an interpreter"):
        needs_of(tmp_path / "bin" / "python", Path("/srv/project"))
    with pytest.raises(Refused, match="not an interpreter"):
        needs_of(tmp_path / "bin" / "nothing", Path("/srv/project"))


def test_plan_never_lays_a_folder_over_one_that_it_laid_inside_of_it() -> None:
    project = Path(sys.prefix).parent
    plan = plan_of(
        _view(project),
        needs_of(Path(sys.executable), project),
        stage=Path("/s"),
        tools=Path("/t"),
        journal=None,
    )
    for at, step in enumerate(plan):
        later = [one for one in plan[at + 1 :] if Path(step.target).is_relative_to(one.target)]
        assert [one for one in later if one.target != step.target] == []
    assert Step("write", "/s/project", str(project)) in plan


def test_scope_is_asked_for_with_the_limits_of_the_trial() -> None:
    limits = Limits(10, cpus=0.25, low_weight=True)
    command = scope_command("flake-triage.1.2.3.scope", cpu_properties(limits), is_root=False)
    assert command[:2] == ("systemd-run", "--user")
    assert "--unit=flake-triage.1.2.3.scope" in command
    assert command[-3:] == (
        "--property=CPUQuota=25%",
        "--property=CPUQuotaPeriodSec=100000us",
        "--property=CPUWeight=7",
    )
    assert "--user" not in scope_command("u", cpu_properties(Limits(10)), is_root=True)


def test_counters_of_version_two_are_nanoseconds_and_only_those_of_its_controllers(tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text("usage_usec 5\nnr_periods 3\nnr_throttled 2\nthrottled_usec 7\n")
    (tmp_path / "memory.peak").write_text("4096\n")
    (tmp_path / "memory.events").write_text("oom 1\noom_kill 1\n")
    assert usage_of(tmp_path, frozenset({"cpu", "memory"})) == Usage(5000, 3, 2, 7000, 4096, 1)
    assert usage_of(tmp_path, frozenset()) == Usage(cpu_ns=5000)
    assert usage_of(tmp_path / "nowhere", frozenset({"cpu", "memory"})) == Usage()
