"""What keeps the agent from giving a token: its lock, and a person who is asked first."""

import os
import signal
import time

import pexpect
import pytest
from agents import Agent, has_ended
from harness import ADA, FOYER, HEDY, Store, late_refresh, until

TOKEN = ("token", "--silent", "--json")
LAB_TOKEN = (*TOKEN, "--client", "lab")
PASSPHRASE = "correct horse battery"


@pytest.fixture
def ada(ada):
    ada.sign_in(HEDY, "--client", "lab")
    Store(ada.store).age()
    return ada


@pytest.fixture
def agent(ada):
    with Agent(ada) as agent:
        yield agent


def at_terminal(person, arguments, *answers):
    child = pexpect.spawn(str(FOYER), [str(word) for word in arguments], env=person.environment, timeout=90)
    for question, answer in answers:
        child.expect(question)
        child.waitnoecho(10)
        child.send(answer + "\r")
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before.decode()


# The lock


def test_a_locked_agent_gives_no_token_and_names_nobody(agent, ada, sandbox):
    agent.start()
    assert ada.foyer(*LAB_TOKEN).status == 0
    locked = ada.foyer("agent", "lock")
    assert locked.status == 0 and "no store is encrypted" in locked.stdout, locked
    asked = sandbox.requests("token:refresh_token")
    refused = ada.foyer("token", "--silent")
    assert refused.status == 3 and "the agent is locked" in refused.stderr, refused
    assert "foyer agent unlock" in refused.stderr
    assert agent.client().ask(agent.request())["error"]["code"] == "interactionRequired"
    assert sandbox.requests("token:refresh_token") == asked
    status = agent.status
    assert status["locked"] and HEDY not in str(status) and ADA not in str(status), status
    assert "no tokens" in ada.foyer("agent", "status").stdout
    # Also where a person sits, who could be asked: locked is locked.
    assert at_terminal(ada, ["token"])[0] == 3
    assert ada.foyer("agent", "unlock").stdout == "agent unlocked\n"
    assert ada.foyer(*TOKEN).json["source"] == "refresh"
    assert ada.foyer("agent", "unlock").stdout == "the agent was not locked\n"
    assert HEDY in str(agent.status)


def test_a_token_on_its_way_does_not_leave_once_it_is_locked(agent, ada, sandbox):
    agent.start()
    running = late_refresh(ada, sandbox, 2, *TOKEN)
    before = Store(ada.store).section("RefreshToken")
    assert ada.foyer("agent", "lock").status == 0
    assert running.end().status == 3
    assert Store(ada.store).section("RefreshToken") != before, "the refresh was not lost"


@pytest.fixture
def sealed(ada):
    place = f"encrypted:{ada.home / 'sealed'}"
    move = ["store", "move", "--to", place, "--remove-old"]
    status, said = at_terminal(ada, move, ("New passphrase", PASSPHRASE), ("Repeat it", PASSPHRASE))
    assert status == 0, said
    yield place
    ada.foyer("store", "lock", "--store", place)


def test_the_passphrase_of_an_encrypted_store_unlocks(agent, ada, sandbox, sealed):
    agent.start()
    assert ada.foyer(*TOKEN).json["source"] == "refresh"
    locked = ada.foyer("agent", "lock", "--json")
    assert locked.json == {"locked": True, "lockedBy": [sealed]}
    # The key is gone from the kernel, too: nobody opens the store without the passphrase.
    assert ada.foyer(*TOKEN).status == 7
    assert ada.foyer("agent", "unlock").status == 7
    assert agent.status["locked"]
    status, said = at_terminal(ada, ["agent", "unlock"], ("Passphrase of", "wrong"), ("Passphrase of", PASSPHRASE))
    assert status == 0 and "agent unlocked" in said, said
    assert PASSPHRASE not in agent.log and "wrong passphrase from" in agent.log
    assert ada.foyer(*TOKEN, "--force-refresh").json["source"] == "refresh"


def test_a_wrong_passphrase_delays_only_who_tries(agent, ada, sealed):
    agent.start()
    assert ada.foyer("agent", "lock").status == 0
    guesser, other = agent.client(), agent.client()
    began = time.monotonic()
    assert guesser.ask({"op": "unlock", "passphrase": "a"})["error"]["code"] == "storeError"
    assert time.monotonic() - began >= 1
    began = time.monotonic()
    guesser.send({"op": "unlock", "passphrase": "b"})
    assert other.ask({"op": "status"})["locked"] and time.monotonic() - began < 1
    assert guesser.answer()["error"]["message"] == "wrong passphrase" and time.monotonic() - began >= 2
    # A key that is in the kernel by another way is no passphrase.
    assert at_terminal(ada, ["store", "unlock"], ("Passphrase of", PASSPHRASE))[0] == 0
    assert other.ask({"op": "unlock"})["error"]["code"] == "storeError"
    assert other.ask({"op": "unlock", "passphrase": "c"})["error"]["code"] == "storeError"
    assert other.ask({"op": "unlock", "passphrase": PASSPHRASE}) == {"locked": False, "lockedBy": []}


# Permission


def confirm(ada, value):
    with open(ada.home / "config/foyer/config.toml", "a") as settings:
        settings.write(f"\n[agent]\nconfirm = {value}\n")


@pytest.fixture
def asking(agent, ada):
    """A person who wants to be asked for one client."""
    confirm(ada, '["work"]')
    agent.start()
    return agent


def waiting(ada):
    return ada.foyer("agent", "requests", "--json").json["requests"]


def answer(ada, *words):
    (request,) = until(lambda: waiting(ada))
    result = ada.foyer("agent", "requests", words[0], request["id"], *words[1:])
    assert result.status == 0, result
    return request


def ask(ada, *words, command=(*TOKEN, "--force-refresh")):
    """How a command ends that the person answers with these words, or is not asked about."""
    running = ada.start(*command)
    if words:
        answer(ada, *words)
    return running.end()


def test_a_program_waits_for_the_person_and_others_do_not_wait_for_it(asking, ada):
    running = ada.start(*TOKEN)
    (request,) = until(lambda: waiting(ada))
    assert request["client"] == "work" and request["scopes"] == "User.Read" and "foyer" in request["asker"]
    assert ada.foyer(*LAB_TOKEN).json["source"] == "refresh"
    assert running.process.poll() is None
    text = ada.foyer("agent", "requests")
    assert request["id"] in text.stdout and "User.Read" in text.stdout
    assert answer(ada, "allow")["id"] == request["id"]
    assert running.end().json["source"] == "refresh"
    assert waiting(ada) == []
    assert "no pending requests" in ada.foyer("agent", "requests").stderr
    assert ada.foyer("agent", "requests", "allow", request["id"]).status == 8


def test_once_is_asked_again_and_a_session_is_not(asking, ada):
    for words in (["allow"], ["allow", "--session"], []):
        assert ask(ada, *words).json["source"] == "refresh"
    # Another run of the agent asks anew, unless the answer is for always.
    for words in (["allow", "--always"], []):
        assert ada.foyer("agent", "stop").status == 0
        asking.start()
        assert ask(ada, *words).json["source"] == "refresh"
    # Another scope is another question.
    assert ask(ada, "refuse", command=(*TOKEN, "--force-refresh", "--scope", "Mail.Read")).status == 130


def test_a_refusal_is_final(asking, ada, sandbox):
    asked = sandbox.requests("token:refresh_token")
    result = ask(ada, "refuse", command=TOKEN[:2])
    assert result.status == 130 and "refused by the user" in result.stderr and "allow" not in result.stderr, result
    for words in (["refuse", "--always"], []):
        assert ask(ada, *words, command=TOKEN[:2]).status == 130
    assert sandbox.requests("token:refresh_token") == asked


def test_many_who_ask_for_the_same_are_one_question_that_ends_with_the_last(asking, ada):
    for ends in (True, True, False):
        clients = [asking.client() for _ in range(10)]
        for client in clients:
            client.send(asking.request())
        until(lambda: [request["waiting"] for request in waiting(ada)] == [10])
        if ends:
            for client in clients[:9]:
                client.close()
            until(lambda: [request["waiting"] for request in waiting(ada)] == [1])
            clients[9].close()
            until(lambda: waiting(ada) == [])
    answer(ada, "allow")
    assert len({client.answer()["accessToken"] for client in clients}) == 1


PINENTRY = """#!/bin/sh
echo $$ > "$HOME/pinentry"
echo OK ready
while read -r verb rest; do
    echo "$verb $rest" >> "$HOME/heard"
    case $verb in CONFIRM) %s;; *) echo OK;; esac
done
"""


@pytest.mark.parametrize("does, status", [("echo OK", 0), ("echo 'ERR 83886194 no'", 130), ("sleep 600", None)])
def test_a_window_asks_where_there_is_a_desktop(agent, ada, does, status):
    folder = ada.home / "bin"
    folder.mkdir()
    (folder / "pinentry").write_text(PINENTRY % does)
    (folder / "pinentry").chmod(0o755)
    confirm(ada, "true")
    ada.environment |= {"DISPLAY": ":99", "PATH": f"{folder}:{ada.environment['PATH']}"}
    agent.start()
    running = ada.start("token", "--silent")
    if status is None:
        pid = int(until(lambda: (ada.home / "pinentry").exists() and (ada.home / "pinentry").read_text()))
        until(lambda: waiting(ada))
        running.kill()
        until(lambda: has_ended(pid), what="the end of the window")
        assert waiting(ada) == []
        return
    assert running.end().status == status
    heard = (ada.home / "heard").read_text()
    assert "User.Read" in heard and "SETOK Allow" in heard
    if status == 0:
        assert ada.foyer(*TOKEN, "--force-refresh").json["source"] == "refresh"
        assert (ada.home / "heard").read_text() == heard, "once for this run of the agent"


def test_the_asker_s_own_settings_do_not_switch_the_question_off(asking, ada):
    other = ada.home / "other.toml"
    settings = ada.home / "config" / "foyer" / "config.toml"
    other.write_text(settings.read_text().replace('confirm = ["work"]', "confirm = false"))
    assert ask(ada, "refuse", command=(*TOKEN, "--config", other)).status == 130


def test_an_agent_that_is_killed_while_it_asks_costs_no_token(asking, ada):
    running = ada.start(*TOKEN)
    until(lambda: waiting(ada))
    os.kill(asking.status["pid"], signal.SIGKILL)
    assert running.end().json["source"] == "refresh"
