"""Runs the job of a workflow as GitHub's runner does: the few things of it that our own workflow uses.

Actions are local stand-ins. What is not known here is an error, never passed over.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import worker

OURS = Path(worker.__file__).parents[1]
GRACE_S = 7.5
_TOKEN = re.compile(r"\s*(?:(?P<text>'[^']*')|(?P<op>&&|\|\||==|!=|!|\(\)|[()])|(?P<name>[A-Za-z_][\w.-]*))")
STATUS = ("success()", "failure()", "always()")


@dataclass
class StepRun:
    """`outcome` is before continue-on-error, `conclusion` after it; both `skipped` where it did not run."""

    name: str
    outcome: str = "skipped"
    conclusion: str = "skipped"
    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)

    @property
    def commands(self) -> list[str]:
        """What the runner takes for a command of its lines."""
        return [line for line in self.log.splitlines() if line.lstrip().startswith("::") or "##[" in line]


@dataclass
class JobRun:
    conclusion: str
    steps: list[StepRun]
    summary: str
    artifacts: dict[str, Path]

    def step(self, part: str) -> StepRun:
        (found,) = [one for one in self.steps if part in one.name]
        return found


@dataclass
class Runner:
    """`on_line` sees each line of a step as it comes, with the step's process. A minute lasts `minute_s`.

    `inside` is the command that each shell is started by, on a machine that gives less than this one.
    """

    folder: Path
    project: Mapping[str, str]
    packages: Path
    minute_s: float = 60.0
    inside: tuple[str, ...] = ()
    on_line: Callable[[str, subprocess.Popen[str]], None] | None = None
    prepare: Callable[[Path], None] | None = None
    steps: dict[str, StepRun] = field(default_factory=dict)
    artifacts: dict[str, Path] = field(default_factory=dict)
    path: list[str] = field(default_factory=lambda: ["/usr/bin", "/bin"])
    is_red: bool = False

    def run(self, workflow: Mapping[str, Any], job: str = "test") -> JobRun:
        assert workflow["permissions"] == {"contents": "read"}
        self.workspace, self.temp = self.folder / "work", self.folder / "temp"
        self.workspace.mkdir(parents=True)
        self.temp.mkdir()
        if self.prepare is not None:
            self.prepare(self.temp)
        done, summaries = [], []
        for number, step in enumerate(workflow["jobs"][job]["steps"]):
            unknown = step.keys() - {"name", "id", "if", "run", "uses", "with", "env", "timeout-minutes"}
            assert unknown <= {"continue-on-error"}, unknown
            ran = self._step(step, self.folder / f"files-{number}", job)
            done.append(ran)
            self.steps[step.get("id", f"step-{number}")] = ran
            summaries.append(_read(self.folder / f"files-{number}" / "summary"))
        return JobRun("failure" if self.is_red else "success", done, "".join(summaries), self.artifacts)

    def _step(self, step: Mapping[str, Any], files: Path, job: str) -> StepRun:
        ran = StepRun(step.get("name") or step.get("uses") or step["run"])
        if not self._holds(str(step.get("if", "success()")), job):
            return ran
        files.mkdir()
        for name in ("summary", "output", "path"):
            (files / name).touch()
        try:
            if "run" in step:
                self._shell(step, files, ran, job)
            else:
                given = {name: self._filled(str(value), job) for name, value in step.get("with", {}).items()}
                self._action(step["uses"], given)
            ran.outcome = "success"
        except (subprocess.SubprocessError, OSError, AssertionError) as error:
            ran.outcome = "failure"
            ran.log += f"\n{error}"
        ran.outputs = read_outputs(_read(files / "output"))
        self.path = [*reversed(_read(files / "path").splitlines()), *self.path]
        is_allowed = step.get("continue-on-error") is True
        ran.conclusion = "success" if is_allowed else ran.outcome
        self.is_red |= ran.conclusion == "failure"
        return ran

    def _shell(self, step: Mapping[str, Any], files: Path, ran: StepRun, job: str) -> None:
        script = files / "script.sh"
        script.write_text(self._filled(step["run"], job))
        with subprocess.Popen(
            [*self.inside, "bash", "-e", str(script)],
            cwd=self.workspace,
            env=self._env(files, job)
            | {name: self._filled(str(value), job) for name, value in step.get("env", {}).items()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            reading = threading.Thread(target=self._follow, args=(process, ran))
            reading.start()
            try:
                code = process.wait(step.get("timeout-minutes", 30) * self.minute_s)
            except subprocess.TimeoutExpired:
                code = _cancelled(process)
            reading.join()
        if code != 0:
            raise subprocess.SubprocessError(f"Process completed with exit code {code}.")

    def _follow(self, process: subprocess.Popen[str], ran: StepRun) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            ran.log += line
            if self.on_line is not None:
                self.on_line(line, process)

    def _env(self, files: Path, job: str) -> dict[str, str]:
        return {
            "PATH": os.pathsep.join(self.path),
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_JOB": job,
            "GITHUB_RUN_ID": "29538416045",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_SHA": "bd47e80" + "0" * 33,
            "GITHUB_STEP_SUMMARY": str(files / "summary"),
            "GITHUB_OUTPUT": str(files / "output"),
            "GITHUB_PATH": str(files / "path"),
            "RUNNER_TEMP": str(self.temp),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.packages),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_ROOT_USER_ACTION": "ignore",
        }

    def _action(self, uses: str, given: Mapping[str, str]) -> None:
        name, at, pin = uses.partition("@")
        assert at, uses
        assert re.fullmatch(r"v[0-9]+|[0-9a-f]{40}", pin), uses
        {"actions/checkout": self._checkout, "actions/setup-python": self._python}.get(name, self._upload)(
            given
        )
        assert name in {"actions/checkout", "actions/setup-python", "actions/upload-artifact"}, uses

    def _checkout(self, given: Mapping[str, str]) -> None:
        assert given == {"persist-credentials": "False"}
        for name, text in self.project.items():
            file = self.workspace / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (self.workspace / ".git").mkdir()

    def _python(self, given: Mapping[str, str]) -> None:
        assert given.keys() == {"python-version"}
        self.path = [str(Path(sys.executable).parent), *self.path]

    def _upload(self, given: Mapping[str, str]) -> None:
        assert not re.search(r'[":<>|*?\\/\r\n]', given["name"])
        assert given["name"] not in self.artifacts
        kept = self.folder / "artifacts" / given["name"]
        shutil.copytree(given["path"], kept)
        self.artifacts[given["name"]] = kept

    def _filled(self, text: str, job: str) -> str:
        return re.sub(
            r"\$\{\{(.*?)\}\}", lambda found: str(_Expression(self, job).value(found[1].strip())), text
        )

    def _holds(self, condition: str, job: str) -> bool:
        if not any(word in condition for word in STATUS):
            condition = f"success() && ({condition})"
        return bool(_Expression(self, job).value(condition))


class _Expression:
    """Comparison, and, or, not, brackets, strings, status functions and contexts."""

    def __init__(self, runner: Runner, job: str) -> None:
        self._runner = runner
        self._contexts = {"github.job": job, "github.run_attempt": "1", "strategy.job-index": "0"}

    def value(self, text: str) -> str | bool:
        self._tokens = []
        place = 0
        while place < len(text.rstrip()):
            found = _TOKEN.match(text, place)
            assert found is not None, text
            self._tokens.append(found[0].strip())
            place = found.end()
        told = self._either()
        assert not self._tokens, text
        return told

    def _either(self) -> str | bool:
        told = self._both()
        while self._tokens[:1] == ["||"]:
            self._tokens.pop(0)
            other = self._both()
            told = told or other
        return told

    def _both(self) -> str | bool:
        told = self._compared()
        while self._tokens[:1] == ["&&"]:
            self._tokens.pop(0)
            other = self._compared()
            told = told and other
        return told

    def _compared(self) -> str | bool:
        told = self._one()
        if self._tokens[:1] in (["=="], ["!="]):
            is_equal = self._tokens.pop(0) == "=="
            return (told == self._one()) is is_equal
        return told

    def _one(self) -> str | bool:
        token = self._tokens.pop(0)
        if token == "!":
            return not self._one()
        if token == "(":
            told = self._either()
            assert self._tokens.pop(0) == ")"
            return told
        if token.startswith("'"):
            return token[1:-1]
        if self._tokens[:1] == ["()"]:
            self._tokens.pop(0)
            return {"success": not self._runner.is_red, "failure": self._runner.is_red, "always": True}[token]
        return self._looked_up(token)

    def _looked_up(self, name: str) -> str:
        if not name.startswith("steps."):
            return self._contexts[name]
        _, step, what, *rest = name.split(".")
        ran = self._runner.steps.get(step)
        if ran is None:
            return ""
        return ran.outputs.get(rest[0], "") if what == "outputs" else str(getattr(ran, what))


def _cancelled(process: subprocess.Popen[str]) -> int:
    """As a step ends whose time is over: asked twice, then killed with all that it started."""
    for number in (signal.SIGINT, signal.SIGTERM):
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(GRACE_S) or 1
    os.killpg(process.pid, signal.SIGKILL)
    return process.wait() or 1


def kill(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)


def read_outputs(text: str) -> dict[str, str]:
    lines = iter(text.split("\n"))
    found: dict[str, str] = {}
    for line in lines:
        if "<<" in line:
            name, _, delimiter = line.partition("<<")
            value: list[str] = []
            while (one := next(lines)) != delimiter:
                value.append(one)
            found[name] = "\n".join(value)
        elif line:
            name, _, found[name] = line.partition("=")
    return found


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def index_of_packages(folder: Path) -> Path:
    """A folder for pip with a flake-triage in it: ours, by its place, with what is installed beside it."""
    folder.mkdir(parents=True)
    info = "flake_triage-0.1.0.dist-info"
    packages = next(one for one in sys.path if one.endswith("site-packages"))
    with zipfile.ZipFile(folder / "flake_triage-0.1.0-py3-none-any.whl", "w") as wheel:
        files = {
            "flake_triage_is_here.pth": f"{OURS}\n{packages}\n",
            f"{info}/METADATA": "Metadata-Version: 2.1\nName: flake-triage\nVersion: 0.1.0\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/entry_points.txt": "[console_scripts]\nflake-triage = worker.cli:main\n",
        }
        for name, text in files.items():
            wheel.writestr(name, text)
        wheel.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD")))
    return folder
