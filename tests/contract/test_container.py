"""What can be known of the images and of compose.yaml without an engine that builds and runs them."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.settings import Settings

ROOT = Path(__file__).parents[2]
COMPOSE: Mapping[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: Mapping[str, Mapping[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
README = (ROOT / "README.md").read_text()
VARIABLE = re.compile(r"\bFLAKE_TRIAGE_\w+")


@dataclass(frozen=True)
class Stage:
    """One `FROM` of the Dockerfile and the instructions that follow it."""

    name: str
    base: str
    steps: tuple[tuple[str, str], ...]

    def last(self, instruction: str) -> str | None:
        return next((rest for word, rest in reversed(self.steps) if word == instruction), None)


def stages() -> dict[str, Stage]:
    text = (ROOT / "Dockerfile").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    steps = [tuple(line.split(None, 1)) for line in whole.splitlines() if line.strip()]
    starts = [at for at, (word, _) in enumerate(steps) if word == "FROM"]
    found = {}
    for start, end in zip(starts, [*starts[1:], len(steps)], strict=True):
        base, _, name = steps[start][1].partition(" AS ")
        found[name] = Stage(name, base, tuple((word, rest) for word, rest in steps[start + 1 : end]))
    return found


STAGES = stages()


def lineage(name: str) -> list[Stage]:
    """The stage and those that it stands on, itself first."""
    found = [STAGES[name]]
    while found[-1].base in STAGES:
        found.append(STAGES[found[-1].base])
    return found


def inherited(name: str, instruction: str) -> str | None:
    return next((said for stage in lineage(name) if (said := stage.last(instruction)) is not None), None)


def test_both_images_are_targets_and_compose_builds_them() -> None:
    assert {name: service["build"]["target"] for name, service in OURS.items()} == {
        "web": "web",
        "worker": "worker",
    }
    assert {"web", "worker"} <= set(STAGES)


@pytest.mark.parametrize("target", ["web", "worker"])
def test_an_image_runs_as_a_numbered_user_without_rights(target: str) -> None:
    user = inherited(target, "USER")
    assert user is not None
    numbers = [int(number) for number in user.split(":")]
    assert len(numbers) == 2
    assert min(numbers) > 0


@pytest.mark.parametrize("target", ["web", "worker"])
def test_an_image_is_asked_for_its_health_and_told_to_stop_without_a_shell(target: str) -> None:
    assert inherited(target, "STOPSIGNAL") == "SIGTERM"
    for instruction in ("ENTRYPOINT", "CMD"):
        assert (inherited(target, instruction) or "").startswith('["')
    assert ' CMD ["' in (inherited(target, "HEALTHCHECK") or "").replace("  ", " ")


def test_only_the_worker_stands_on_packages_with_torch() -> None:
    sources = {
        target: {step for stage in lineage(target) for word, step in stage.steps if word == "COPY"}
        for target in ("web", "worker")
    }
    assert not any("packages-with-torch" in step for step in sources["web"])
    assert any("packages-with-torch" in step for step in sources["worker"])


@pytest.mark.parametrize("target", ["web", "worker"])
def test_a_final_image_installs_nothing_of_the_distribution_and_keeps_no_stage_with_tools(
    target: str,
) -> None:
    for stage in lineage(target):
        assert stage.name not in {"tools", "wanted", "packages", "packages-with-torch", "wheel"}
        assert not any("apt-get" in rest for word, rest in stage.steps if word == "RUN")


def test_every_package_comes_in_its_constrained_version() -> None:
    installs = [
        command
        for stage in STAGES.values()
        for word, rest in stage.steps
        if word == "RUN"
        for command in rest.split("&&")
        if "hatchling" in command or "--requirement" in command
    ]
    assert len(installs) == 3
    assert all("--constraint constraints.txt" in command for command in installs)
    pinned = (ROOT / "constraints.txt").read_text()
    assert re.search(r"^torch==[\d.]+$", pinned, re.MULTILINE)
    assert re.search(r"^hatchling==", pinned, re.MULTILINE)


def test_what_is_copied_is_let_into_the_build_and_nothing_else_is() -> None:
    copied = {
        source
        for stage in STAGES.values()
        for word, rest in stage.steps
        if word == "COPY" and "--from" not in rest
        for source in rest.split()[:-1]
    }
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert rules[0] == "*"
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == copied


def test_every_variable_of_ours_in_the_container_files_is_a_setting() -> None:
    known = {f"FLAKE_TRIAGE_{name.upper()}" for name in Settings.model_fields}
    for file in ("compose.yaml", "Dockerfile"):
        assert set(VARIABLE.findall((ROOT / file).read_text())) <= known


def test_what_compose_asks_for_is_told_in_the_readme() -> None:
    text = (ROOT / "compose.yaml").read_text()
    asked = set(re.findall(r"\$\{(\w+)", text))
    section = README.partition("## Run it in containers")[2].partition("\n## ")[0]
    assert asked == {name for name in asked if name in section}


def test_only_the_web_is_published_and_the_database_reaches_nobody() -> None:
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"web"}
    assert SERVICES["postgres"]["networks"] == ["database"]
    assert COMPOSE["networks"]["database"]["internal"] is True


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_service_can_write_nothing_but_its_volumes_and_gains_no_rights(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}


def test_several_workers_can_run_beside_each_other() -> None:
    worker = SERVICES["worker"]
    assert "container_name" not in worker
    assert "ports" not in worker
    assert not any(volume.partition(":")[0] in COMPOSE["volumes"] for volume in worker.get("volumes", []))


def test_secrets_of_github_are_kept_from_the_web() -> None:
    assert "worker.env" not in SERVICES["web"]["env_file"]
    assert not any("GITHUB" in name for name in SERVICES["web"]["environment"])


@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_service_is_given_the_time_that_its_stop_takes(name: str) -> None:
    seconds = int(SERVICES[name]["stop_grace_period"].removesuffix("s"))
    longest = {"web": 5.0, "worker": Settings.model_fields["stop_timeout_s"].default}
    assert seconds > longest[name] + 5


def test_the_linter_of_dockerfiles_has_nothing_to_say() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if linter is None:
        pytest.skip("hadolint is not installed here")
    done = subprocess.run([linter, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


def test_secrets_are_ignored_by_git() -> None:
    rules = (ROOT / ".gitignore").read_text().split()
    assert {"/.env", "/worker.env"} <= set(rules)
