"""The fixtures that all tests share."""

import os
import subprocess

import pytest
from harness import ADA, FOYER, HEDY, Person, Sandbox, Store
from waiting import PATIENCE


@pytest.fixture(scope="session")
def running_sandbox(tmp_path_factory):
    sandbox = Sandbox(tmp_path_factory.mktemp("sandbox"))
    yield sandbox
    sandbox.stop()


@pytest.fixture(scope="session")
def running_tls_sandbox(tmp_path_factory):
    sandbox = Sandbox(tmp_path_factory.mktemp("sandbox-tls"), tls=True)
    yield sandbox
    sandbox.stop()


@pytest.fixture
def sandbox(running_sandbox):
    """A provider as it is after its start."""
    running_sandbox.reset()
    return running_sandbox


@pytest.fixture
def tls_sandbox(running_tls_sandbox):
    """The same over TLS, with a certificate authority of its own."""
    running_tls_sandbox.reset()
    return running_tls_sandbox


@pytest.fixture
def own_sandbox(tmp_path):
    """Makes providers that a test may stop."""
    made = []

    def make(*options, tls=False):
        folder = tmp_path / f"provider{len(made)}"
        folder.mkdir()
        made.append(Sandbox(folder, *options, tls=tls))
        return made[-1]

    yield make
    for provider in made:
        provider.stop()


@pytest.fixture
def person(tmp_path):
    person = Person(tmp_path)
    yield person
    person.stop()


@pytest.fixture
def ada(person, sandbox):
    """Somebody who has signed in as Ada."""
    person.work_settings(sandbox)
    person.sign_in(ADA)
    return person


@pytest.fixture
def session(ada):
    """Ada's bus and agent."""
    # It looks for a bus: most tests need none.
    from brokers import Session

    session = Session(ada)
    yield session
    session.stop()


@pytest.fixture
def stand_in(person, sandbox):
    """Links foyer under another program's name before that program, whose client it uses by default at the sandbox."""

    def link(name):
        programs, real = person.home / "bin", person.home / "real"
        programs.mkdir()
        real.mkdir()
        (programs / name).symlink_to(FOYER)
        (real / name).write_text(f'#!/bin/sh\necho "real {name}: $*"\nexit 3\n')
        (real / name).chmod(0o755)
        person.environment["PATH"] = f"{programs}:{real}:{os.environ['PATH']}"
        path = person.work_settings(sandbox)
        path.write_text(path.read_text().replace('client = "work"', 'client = "cli"'))

        def run(*arguments, **environment):
            return subprocess.run(
                [name, *arguments],
                env={**person.environment, **environment},
                cwd="/bin",
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                start_new_session=True,
            )

        return run

    return link


@pytest.fixture
def expired_hedy(person, sandbox):
    """Hedy has signed in where each refresh token is good once, and her access token is over."""
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab", "--scope", "openid profile email offline_access")
    Store(person.store).age()
    return person
