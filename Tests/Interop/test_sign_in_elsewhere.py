"""A helper without a terminal whose sign-in an open interface shows."""

import fcntl
import re
import subprocess

import pytest
from agents import Agent
from harness import ADA, FOYER, until
from test_kubectl import SCOPE
from waiting import PATIENCE, linger


@pytest.fixture
def agent(person, sandbox):
    person.work_settings(sandbox)
    programs = person.home / "bin"
    programs.mkdir()
    (programs / "kubectl-foyer").symlink_to(FOYER)
    with Agent(person) as agent:
        agent.start()
        yield agent


def start(agent):
    command = [agent.person.home / "bin" / "kubectl-foyer", "--scope", SCOPE]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=agent.person.environment, start_new_session=True, **pipes)


@pytest.fixture
def watching(agent):
    """The lock of an open interface."""
    with open(agent.path.with_name("interface.lock"), "w+") as file:
        fcntl.lockf(file, fcntl.LOCK_SH, 1)
        yield


def request_of(agent):
    return until(lambda: (agent.status["requests"] or [None])[0], what="the request")


def test_where_nobody_looks_it_fails(agent):
    out, err = (helper := start(agent)).communicate(timeout=PATIENCE)
    assert helper.returncode == 3 and out == "" and "foyer sign-in" in err


def test_the_code_stands_in_the_interface_and_the_program_gets_its_token(agent, watching, sandbox):
    helper = start(agent)
    request = request_of(agent)
    assert request["client"] == "work" and request["program"], request
    code = re.search(r"enter (\S+)", request["scopes"])[1]
    sandbox.approve(code, ADA)
    out, err = helper.communicate(timeout=PATIENCE)
    # Some callers take standard error for a part of the answer.
    assert helper.returncode == 0 and '"token":' in out and err == "", (out, err)
    assert agent.status["requests"] == []


def test_of_two_helpers_one_asks_and_both_get_a_token(agent, watching, sandbox):
    helpers = [start(agent), start(agent)]
    code = re.search(r"enter (\S+)", request_of(agent)["scopes"])[1]
    linger(1)
    assert len(agent.status["requests"]) == 1
    sandbox.approve(code, ADA)
    for helper in helpers:
        assert '"token":' in helper.communicate(timeout=PATIENCE)[0]
    assert sandbox.requests("devicecode") == 1


def test_who_is_refused_there_is_not_asked_about_again_at_once(agent, watching, sandbox):
    helper = start(agent)
    request = request_of(agent)
    assert agent.person.foyer("agent", "requests", "refuse", request["id"]).status == 0
    out, err = helper.communicate(timeout=PATIENCE)
    assert helper.returncode != 0 and out == "", (helper.returncode, err)
    until(lambda: agent.status["requests"] == [])
