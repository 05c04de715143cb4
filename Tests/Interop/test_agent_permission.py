"""What keeps the agent from giving a token: its lock, and a person who is asked first."""

import os
import select
import signal
import time

import pexpect
import pytest
from agents import Agent, has_ended, questioned, questions
from harness import ADA, FOYER, HEDY, Store, until
from waiting import answer_hidden, spawn

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
    child = spawn(person, FOYER, *arguments)
    for question, answer in answers:
        answer_hidden(child, question, answer)
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before


# The lock


def test_a_locked_agent_gives_no_token_and_names_nobody(agent, ada, sandbox):
    agent.start()
    assert ada.foyer(*LAB_TOKEN).status == 0
    locked = ada.foyer("agent", "lock")
    assert locked.status == 0 and "no store is encrypted" in locked.stdout, locked
    refused = agent.refuses("token", "--silent", prepare=Store(ada.store).age)
    asked = sandbox.requests("token:refresh_token")
    assert "the agent is locked" in refused.stderr, refused
    assert "foyer agent unlock" in refused.stderr
    assert agent.client().ask(agent.request())["error"]["code"] == "interactionRequired"
    assert sandbox.requests("token:refresh_token") == asked
    status = agent.status
    assert status["locked"] and HEDY not in str(status) and ADA not in str(status), status
    assert "no tokens" in ada.foyer("agent", "status").stdout
    # Also where a person sits, who could be asked: locked is locked.
    until(lambda: Store(ada.store).age() or at_terminal(ada, ["token"])[0] == 3)
    assert ada.foyer("agent", "unlock").stdout == "agent unlocked\n"
    Store(ada.store).age()
    assert ada.foyer(*TOKEN).json["source"] == "refresh"
    assert ada.foyer("agent", "unlock").stdout == "the agent was not locked\n"
    assert HEDY in str(agent.status)


def test_a_token_on_its_way_does_not_leave_once_it_is_locked(agent, ada, sandbox):
    agent.start()
    sandbox.hold()
    count = sandbox.requests("token:refresh_token")
    asker = agent.refresh(client="work")
    until(lambda: sandbox.requests("token:refresh_token") > count)
    before = Store(ada.store).section("RefreshToken")
    locking = ada.start("agent", "lock")
    # What is on its way is stored before it is locked.
    until(lambda: agent.status["locked"])
    sandbox.release()
    assert locking.end().status == 0
    assert asker.answer()["error"]["code"] == "interactionRequired"
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

    def comes_later():
        """Whether the other was answered while the wrong passphrase was not yet."""
        guesser.send({"op": "unlock", "passphrase": "b"})
        assert other.ask({"op": "status"})["locked"]
        is_delayed = not select.select([guesser.socket], [], [], 0)[0]
        assert guesser.answer()["error"]["message"] == "wrong passphrase"
        return is_delayed

    until(comes_later)
    assert time.monotonic() - began >= 2
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


def answer(ada, request, *words):
    result = ada.foyer("agent", "requests", words[0], request["id"], *words[1:])
    assert result.status == 0, result


def ask(ada, *words, command=(*TOKEN, "--force-refresh")):
    """How a command ends that the person answers with these words, or is not asked about."""
    if not words:
        return ada.foyer(*command)
    running, request = questioned(ada, *command, prepare=Store(ada.store).age)
    answer(ada, request, *words)
    return running.end()


def test_a_program_waits_for_the_person_and_others_do_not_wait_for_it(asking, ada):
    running, request = questioned(ada, *TOKEN, prepare=Store(ada.store).age)
    assert request["client"] == "work" and request["scopes"] == "User.Read" and "foyer" in request["asker"]
    assert ada.foyer(*LAB_TOKEN).json["source"] == "refresh"
    assert running.process.poll() is None
    text = ada.foyer("agent", "requests")
    assert request["id"] in text.stdout and "User.Read" in text.stdout
    answer(ada, request, "allow")
    assert running.end().json["source"] == "refresh"
    assert questions(ada) == []
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
    result = ask(ada, "refuse", command=TOKEN[:2])
    assert result.status == 130 and "refused by the user" in result.stderr and "allow" not in result.stderr, result
    assert ask(ada, "refuse", "--always", command=TOKEN[:2]).status == 130
    asked = sandbox.requests("token:refresh_token")
    assert asking.refuses(*TOKEN[:2], status=130, prepare=Store(ada.store).age)
    assert sandbox.requests("token:refresh_token") == asked


def test_many_who_ask_for_the_same_are_one_question_that_ends_with_the_last(asking, ada):
    for ends in (True, True, False):
        clients = [asking.client() for _ in range(10)]
        for client in clients:
            client.send(asking.request())
        until(lambda: [request["waiting"] for request in questions(ada)] == [10])
        if ends:
            for client in clients[:9]:
                client.close()
            until(lambda: [request["waiting"] for request in questions(ada)] == [1])
            clients[9].close()
            until(lambda: questions(ada) == [])
    answer(ada, *questions(ada), "allow")
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
    is_heard = (ada.home / "heard").exists
    (folder / "pinentry").write_text(PINENTRY % does)
    (folder / "pinentry").chmod(0o755)
    confirm(ada, "true")
    ada.environment |= {"DISPLAY": ":99", "PATH": f"{folder}:{ada.environment['PATH']}"}
    agent.start()
    if status is None:
        running, _ = questioned(ada, "token", "--silent", prepare=Store(ada.store).age)
        pid = int(until(lambda: (ada.home / "pinentry").exists() and (ada.home / "pinentry").read_text()))
        running.kill()
        until(lambda: has_ended(pid), what="the end of the window")
        assert questions(ada) == []
        return
    until(lambda: Store(ada.store).age() or (ada.start("token", "--silent").end().status == status and is_heard()))
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
    running, _ = questioned(ada, *TOKEN, prepare=Store(ada.store).age)
    os.kill(asking.status["pid"], signal.SIGKILL)
    assert running.end().json["source"] == "refresh"
