"""What each process loads when it starts: the web knows nothing of the engine, and nobody of torch."""

import json
import subprocess
import sys

import pytest

HEAVY = ("torch", "numpy", "scipy", "dbos", "worker", "pytest", "jsonschema", "prometheus_client")


def loaded_by(statement: str) -> set[str]:
    code = (
        f"import sys, json; {statement}; print(json.dumps(sorted(m.partition('.')[0] for m in sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout)) & set(HEAVY)


def test_the_web_process_loads_neither_engine_nor_torch() -> None:
    assert loaded_by("import app.main") == set()


@pytest.mark.parametrize("statement", ["import worker.main", "import worker.stages", "import worker.cli"])
def test_the_worker_loads_neither_torch_nor_tools_of_the_tests(statement: str) -> None:
    assert loaded_by(statement) <= {"dbos", "worker"}


def test_the_stand_in_needs_no_tool_of_the_tests() -> None:
    assert loaded_by("import app.standin.server, app.standin.webhooks") == set()
