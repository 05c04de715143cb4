"""Standard streams that are not what one would wish for."""

import os
import subprocess

import pytest
from harness import ADA, FOYER, HEDY
from waiting import PATIENCE


@pytest.fixture
def ada(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    person.sign_in(HEDY, "--client", "lab")
    return person


def run(person, command, redirection):
    return subprocess.run(
        ["/bin/bash", "-c", f'"$@" {redirection}; echo "status $?" >&2', "bash", str(FOYER), *command],
        env=person.environment,
        text=True,
        capture_output=True,
        timeout=PATIENCE,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    "command", [["token", "--silent"], ["tokens", "--json", "--reveal"], ["accounts"], ["--help"], ["clients"]]
)
def test_a_reader_that_went_away_is_no_crash(ada, command):
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [str(FOYER), *command], env=ada.environment, stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode >= 0, f"died of signal {-process.returncode}"
    assert b"Fatal" not in stderr and b"crash" not in stderr


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&-", ">&- 2>&-", ">/dev/full"])
@pytest.mark.parametrize("command", [["token", "--silent"], ["accounts", "--json"]])
def test_closed_streams_are_no_crash(ada, command, redirection):
    before = ada.store.read_bytes()
    result = run(ada, command, redirection)
    status = result.stderr.strip().rsplit("status ", 1)[1]
    assert int(status) < 128, result
    assert ada.store.read_bytes() == before


def test_a_token_that_could_not_be_written_is_no_success(ada):
    result = run(ada, ["token", "--silent"], ">/dev/full")
    assert not result.stderr.strip().endswith("status 0"), "a script would go on without a token"


def test_a_closed_standard_error_does_not_send_words_into_a_file_of_ours(ada):
    """Descriptors 0 to 2 that are closed are not taken by the store."""
    run(ada, ["token", "--silent", "--verbose", "--force-refresh"], "2>&- >&- <&-")
    assert b"foyer:" not in ada.store.read_bytes()
    assert ada.foyer("accounts").status == 0


def test_nothing_but_the_result_is_on_standard_output(ada):
    for command in (["token", "--silent", "--verbose"], ["token", "--silent", "--verbose", "--force-refresh"]):
        result = ada.foyer(*command)
        assert result.status == 0 and result.stderr, result
        assert result.stdout.count("\n") == 1 and result.stdout.count(".") == 2, result


def test_no_colour_and_no_escape_when_it_is_no_terminal(ada):
    for command in (["accounts"], ["tokens"], ["--help"], ["token", "--silent", "--verbose"], ["remove", "nobody"]):
        result = ada.foyer(*command)
        assert "\x1b" not in result.stdout + result.stderr, result
