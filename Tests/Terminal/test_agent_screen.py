"""The agent on its page: what waits for the person is answered there, and who was given what is seen."""

import re
import subprocess
from pathlib import Path

import pytest
from agents import Agent, Client, questioned
from harness import ADA, FOYER, Store, add_settings, until
from waiting import PATIENCE

TOKEN = ("token", "--silent", "--json")


@pytest.fixture
def ada(person, sandbox):
    person.work_settings(sandbox)
    add_settings(person, '\n[agent]\nconfirm = ["work"]\n')
    person.sign_in(ADA)
    Store(person.store).age()
    agent = Agent(person)
    yield person
    agent.stop()


def test_a_program_is_answered_on_the_page(ada, pane):
    screen = pane(ada, 110, 30).foyer(shows="Accounts 1")
    screen.type("@").wait("foyer agent", "not running", "e start")
    screen.type("e").wait("agent started")
    screen.wait("● the agent: running")
    asking, _ = questioned(ada, *TOKEN, prepare=Store(ada.store).age)
    screen.wait("Agent 1")
    screen.keys("Down").wait("Enter answer…", "scopes")
    # Enter alone gives nothing away.
    screen.keys("Enter").wait("▌ Refuse", "Allow once")
    screen.answer("Enter", "refused", gone=["Pending requests are refused"])
    assert asking.end().status == 130
    screen.wait("● foyer agent", gone=["pending"])
    asking, _ = questioned(ada, *TOKEN, prepare=Store(ada.store).age)
    screen.wait("Agent 1")
    screen.keys("Home", "Down", "Enter").wait("▌ Refuse")
    # Above it are "Always allow", "Allow until the agent stops" and "Allow once".
    screen.answer("Up", "▌ Always allow")
    screen.keys("Up", "Up").wait("▌ Allow once")
    screen.keys("Enter").wait("allowed")
    token = asking.end()
    assert token.status == 0 and token.json["account"]["username"] == ADA
    screen.wait("✔", "work · ada@", gone=["Agent 1"])
    assert token.json["accessToken"] not in screen.text


@pytest.mark.parametrize("columns, rows", [(40, 10), (80, 24), (200, 60)])
def test_it_is_locked_unlocked_and_stopped(ada, pane, columns, rows):
    screen = pane(ada, columns, rows).foyer(shows="Accounts 1")
    screen.type("@").wait("foyer agent")
    screen.type("e").wait("● foyer agent", "running")
    screen.type("L").wait("◐ foyer agent", "locked")

    def refused():
        """The refusal by the agent, which may not answer soon enough on a busy machine."""
        Store(ada.store).age()
        result = ada.foyer(*TOKEN)
        return result if result.status == 3 else None

    assert "locked" in until(refused).stderr
    screen.type("L").wait("● foyer agent", gone=["◐ foyer agent"])
    screen.type("e").wait("○ foyer agent", "not running")
    until(lambda: ada.foyer("agent", "status").status == 8)


def test_who_is_forwarded_is_ended_on_the_page(ada, pane):
    add_settings(ada, '\n[forward]\nclients = ["work"]\nscopes = ["User.Read"]\nconfirm = false\n')
    assert ada.foyer("agent", "start").status == 0
    socket = Path(ada.environment["XDG_RUNTIME_DIR"], "foyer", "forward.sock")
    client = Client(socket)
    assert client.ask({"op": "token", "client": "work", "program": "git"})["account"]["username"] == ADA
    screen = pane(ada, 110, 30).foyer(shows="Accounts 1")
    screen.type("@").wait("forwarded", "1 token")
    screen.keys("Down", "Enter").wait("▌ Keep open", "Close", "git (last request)")
    screen.keys("Escape").wait("forwarded", gone=["Keep open"])
    screen.type("A").wait("git via python", "from agent")
    screen.type("/host:python").wait("/ host:python", "git via")
    screen.keys("Escape").wait("Enter details", gone=["/ host:python"])
    screen.type("@").wait("forwarded", "1 token")
    screen.keys("Down", "Enter").wait("▌ Keep open")
    # Enter alone changes nothing.
    screen.answer("Enter", "forwarded", "1 token", gone=["Keep open"])
    assert client.ask({"op": "token", "client": "work"})["forwarded"]
    screen.keys("Enter").wait("▌ Keep open")
    screen.answer("Down", "▌ Close")
    screen.keys("Enter").wait("connection closed")
    screen.wait("ended", gone=["1 token  "])
    assert client.line() is None
    assert Client(socket).hello is None


def test_a_sign_in_of_a_program_without_a_terminal_is_shown(ada, pane, sandbox):
    programs = ada.home / "bin"
    programs.mkdir()
    (programs / "kubectl-foyer").symlink_to(FOYER)
    assert ada.foyer("remove", ADA).status == 0
    screen = pane(ada, 150, 30).foyer(shows="foyer")
    screen.type("@").wait("not running")
    screen.type("e").wait("● the agent: running")
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [programs / "kubectl-foyer"]
    helper = subprocess.Popen(command, env=ada.environment, text=True, start_new_session=True, **streams)
    screen.wait("Agent 1")
    screen.keys("Down").wait("enter ")
    code = until(lambda: re.search(r"enter (\w{9})\b", " ".join(screen.text.split())), what="the code")[1]
    sandbox.approve(code, ADA)
    out, err = helper.communicate(timeout=PATIENCE)
    assert helper.returncode == 0 and '"token":' in out, (out, err)
    screen.wait("● foyer agent", gone=["Agent 1"])
    screen.close()
