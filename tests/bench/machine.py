"""What the figures were measured on."""

import os
import platform
import sqlite3
import subprocess
from pathlib import Path

from fixtures_postgres import binaries


def facts() -> dict[str, str]:
    return {
        "processor": f"{os.cpu_count()} cores, {_model()}",
        "memory": f"{_memory_gb():.0f} GB",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "PostgreSQL": _postgres(),
    }


def load() -> str:
    """How many processes wanted to run in the last minute: more than there are cores spoils figures."""
    return f"{os.getloadavg()[0]:.1f}"


def rss_mb(pid: int) -> float:
    """Memory of a process that is in RAM now, in MB of 2^20 bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"process {pid} has no memory")


def _model() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def _postgres() -> str:
    programs = binaries()
    if programs is None:
        return "none"
    told = subprocess.run(
        [programs / "postgres", "--version"], capture_output=True, text=True, check=True
    ).stdout
    return told.split()[2]
