"""The fixtures that all tests share."""

import pytest
from harness import Person, Sandbox


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
