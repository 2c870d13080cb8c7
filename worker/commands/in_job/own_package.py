"""What pip is told, in a job, to install of us: the place that this installation itself came from."""

import json
from collections.abc import Mapping
from importlib.metadata import Distribution, distribution

NAME = "flake-triage"


def package(installed: Distribution | None = None) -> tuple[str, str]:
    """A requirement, and a doubt about it, empty if there is none: a folder of this machine is not in a job.

    The installer wrote down where it came from (packaging.python.org, "Recording the Direct URL Origin").
    """
    found = installed or distribution(NAME)
    by_version = f"{NAME}=={found.version}"
    text = found.read_text("direct_url.json")
    if text is None:
        return by_version, ""
    origin = json.loads(text)
    commit = origin.get("vcs_info", {}) if isinstance(origin, Mapping) else {}
    if commit:
        return f"{NAME} @ {commit['vcs']}+{origin['url']}@{commit['commit_id']}", ""
    doubt = (
        f"this flake-triage was installed from a folder; make sure that your package index has {by_version}, "
        "and has it from us, or name what a job shall install: --package"
    )
    return by_version, doubt
