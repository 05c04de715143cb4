"""What the system does not give: it is said, with a status, and nothing dies of it."""

import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from harness import ADA, FOYER
from waiting import PATIENCE


def run(command, environment, **more):
    more |= {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": PATIENCE}
    return subprocess.run(command, env=environment, **more)


def shell(script, person, *words):
    return run(["/bin/bash", "-c", script, "bash", FOYER, *words], person.environment)


def assert_said(ended, word):
    assert ended.returncode == 78 and word in ended.stderr and "hint" in ended.stderr and ended.stdout == "", ended


@pytest.mark.parametrize("limit", range(4, 14))
def test_too_few_descriptors_are_said(person, limit):
    assert_said(shell(f'ulimit -n {limit} && exec "$@"', person, "accounts", "--json"), "ulimit -n")


def test_a_low_limit_that_may_be_raised_is_no_obstacle(ada):
    limited = shell('ulimit -Sn 8 && exec "$@"', ada, "token", "--force-refresh")
    assert limited.returncode == 0, limited


@pytest.fixture
def somebody_else():
    """The environment of a user whom limits on processes hold, unlike root."""
    if os.geteuid() != 0:
        pytest.skip("only root may become somebody else")
    home = Path(tempfile.mkdtemp())
    os.chown(home, 65534, 65534)
    yield {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}
    shutil.rmtree(home)


@pytest.mark.parametrize("limit", [1, 2, 4, 6, 8])
def test_too_few_threads_are_said(somebody_else, limit):
    def become():
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    try:
        ended = run([FOYER, "accounts", "--json"], somebody_else, preexec_fn=become)
    except PermissionError:
        pytest.skip("the program lies where only root can reach it")
    assert_said(ended, "ulimit -u")


@pytest.mark.parametrize(("option", "limit"), [("v", 48 * 1024), ("v", 96 * 1024), ("s", 128), ("s", 512)])
def test_too_little_memory_is_said(person, option, limit):
    """Midway the program would hang or crash without a word."""
    assert_said(shell(f'ulimit -{option} {limit} && exec "$@"', person, "accounts", "--json"), f"ulimit -{option}")


def test_a_missing_proc_is_said(person):
    namespace = ["unshare", "--mount", "/bin/sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    if run([*namespace, "true"], person.environment).returncode != 0:
        pytest.skip("only root may hide /proc")
    assert_said(run([*namespace, FOYER, "accounts", "--json"], person.environment), "/proc")


@pytest.mark.parametrize("redirection", ["<&-", "2>&-", "<&- >&- 2>&-"])
def test_nothing_of_the_program_takes_the_place_of_a_closed_stream(person, sandbox, tmp_path, redirection):
    person.work_settings(sandbox)
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\nls -l /proc/$PPID/fd > {seen}\nexec curl -sL -o /dev/null "$1"\n')
    browser.chmod(0o700)
    words = ("sign-in", "--via", "browser", "--browser", f"{browser} %s", "--login-hint", ADA)
    shell(f'"$@" {redirection}', person, *words)
    places = dict(line.split()[-3::2] for line in seen.read_text().splitlines() if " -> " in line)
    if not places:
        pytest.skip("the program lets nobody look at it")
    for number, mark in enumerate(["<&-", " >&-", "2>&-"]):
        if mark in redirection:
            assert places[str(number)] == "/dev/null", places
