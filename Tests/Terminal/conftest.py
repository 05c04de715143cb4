import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Interop")]

from faults import faults  # noqa: E402, F401
from harness import ADA, GRACE, HEDY  # noqa: E402
from pane import Pane  # noqa: E402
from shared_fixtures import own_sandbox, person, running_sandbox, sandbox  # noqa: E402, F401


@pytest.fixture
def people(person, sandbox):
    """Three people have signed in: Ada with two clients, Grace with one, Hedy at an OpenID Connect provider."""
    person.work_settings(sandbox)
    person.sign_in(ADA)
    person.sign_in(ADA, "--client", "cli")
    person.sign_in(GRACE, "--client", "cli")
    person.sign_in(HEDY, "--client", "lab")
    return person


@pytest.fixture
def pane(tmp_path):
    """Opens a shell in a window of its own."""
    opened = []

    def open_pane(person, columns=80, rows=24, **environment):
        opened.append(Pane(tmp_path / f"tmux{len(opened)}", {**person.environment, **environment}, columns, rows))
        return opened[-1]

    yield open_pane
    for each in opened:
        each.close()
