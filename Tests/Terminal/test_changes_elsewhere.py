"""What other processes change comes to the screen without a key: the store, the settings, the tokens given to programs,
and questions at the agent. How soon is measured by `Tests/benchmarks`."""

import errno
import os
import re
import shlex
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pexpect
import pytest
import sealed
from agents import Agent, questioned
from faults import rule
from harness import ADA, FOYER, GRACE, Store, add_settings
from waiting import answer_hidden, linger, spawn


@pytest.fixture
def ada(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    return person


def opened(pane, person, faults=None, **shown):
    """The accounts, with all watches refused by the system if there are faults."""
    environment = faults.meet(rule("watch", "/", errno.ENOSPC, lasts=True)) if faults else {}
    words = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
    return pane(person).foyer(prefix=" ".join(["env", *words]), **shown)


@pytest.mark.parametrize("refused", [False, True])
def test_accounts_come_and_go(ada, pane, faults, refused):
    screen = opened(pane, ada, faults if refused else None, shows="Accounts 1")
    ada.sign_in(GRACE)
    screen.wait("Accounts 2", GRACE)
    assert ada.foyer("remove", GRACE).status == 0
    screen.wait("Accounts 1", ADA, f"{GRACE} removed by another program")
    # Written in place, as other programs do.
    Store(ada.store).change("Account", username="lovelace@contoso.example")
    screen.wait("lovelace@contoso.example", gone=[ADA])
    ada.store.unlink()
    screen.wait("No accounts yet")


def test_the_first_account_comes_in_another_terminal(person, sandbox, pane):
    person.work_settings(sandbox)
    assert not person.store.parent.exists()
    screen = pane(person).foyer(shows="foyer")
    person.sign_in(ADA)
    screen.wait("Accounts 1", ADA)


def test_the_row_stays_chosen_and_a_question_stays_open(ada, pane, sandbox):
    ada.sign_in(GRACE)
    screen = opened(pane, ada, shows="Accounts 2")
    screen.type(f"/{GRACE}").keys("Enter", "x").wait("Remove the account?", GRACE)
    ada.sign_in(ADA, "--client", "cli")
    linger(1)
    screen.wait("Remove the account?", GRACE)
    screen.answer("y", "removed here")
    screen.wait("Accounts 0 of 1")


def test_settings_are_read_again_and_faulty_ones_are_not_used(ada, pane):
    settings = ada.home / "config" / "foyer" / "config.toml"
    screen = opened(pane, ada, shows="Accounts 1")
    screen.type(",").wait("Settings", "theme")
    text = settings.read_text()
    settings.write_text('theme = "nord"\n' + text)
    screen.wait("nord")
    settings.write_text('theme = "nord\n' + text)
    linger(1)
    screen.wait("nord")
    other = settings.with_name("new.toml")
    other.write_text('theme = "gruvbox"\n' + text)
    other.replace(settings)
    screen.wait("gruvbox", gone=["nord"])


def test_what_a_program_was_given_is_on_the_page(ada, pane):
    screen = pane(ada, 110, 30).foyer(shows="Accounts 1")
    screen.type("P").wait("No program has requested", "not set up")
    assert ada.foyer("helper", "kubectl").status != 64
    screen.wait("✔ kubectl", "from", gone=["No program has requested"])


@pytest.mark.parametrize("refused", [False, True])
def test_a_question_is_told_at_once(ada, pane, faults, refused):
    add_settings(ada, '\n[agent]\nconfirm = ["work"]\n')
    Store(ada.store).age()
    with Agent(ada) as agent:
        screen = opened(pane, ada, faults if refused else None, shows="Accounts 1")
        # An agent that starts later is watched as well.
        agent.start()
        asking, question = questioned(ada, "token", "--silent", "--json", prepare=Store(ada.store).age)
        screen.wait("1 pending request: open @")
        assert ada.foyer("agent", "requests", "refuse", question["id"]).status == 0
        assert asking.end().status == 130
        screen.keys("Down").wait("Accounts 1", gone=["pending request"])


def test_a_question_from_before_is_told_when_the_interface_opens(ada, pane):
    add_settings(ada, '\n[agent]\nconfirm = ["work"]\n')
    Store(ada.store).age()
    with Agent(ada) as agent:
        agent.start()
        questioned(ada, "token", "--silent", "--json", prepare=Store(ada.store).age)
        pane(ada).foyer(shows="Accounts 1").wait("1 pending request: open @")


def resident(process):
    """Kilobytes."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1])


# Seconds.
CROWD = 600 if os.environ.get("FOYER_LONG") else 12


def test_two_interfaces_among_a_crowd_show_every_change_and_lose_no_key(ada, pane):
    screens = [opened(pane, ada, shows="Accounts 1") for _ in range(2)]
    ended = Event()

    def ask():
        asked = 0
        while not ended.is_set():
            renewal = ["--force-refresh"] if asked % 20 == 0 else []
            assert ada.foyer("token", "--silent", "--account", ADA, *renewal).status == 0
            asked += 1
        return asked

    with ThreadPoolExecutor(3) as crowd:
        asking = [crowd.submit(ask) for _ in range(3)]
        try:
            deadline, sizes, rounds = time.monotonic() + CROWD, [], 0
            while time.monotonic() < deadline or rounds < 3:
                ada.sign_in(GRACE)
                for screen in screens:
                    screen.wait("Accounts 2", GRACE)
                # Keys while the store changes: every letter counts, and the selection is the one found.
                text = f"/grace{rounds}x"
                screens[0].type(text).wait(f"grace{rounds}x", "no account matches")
                screens[0].keys("Escape").wait("Accounts 2", gone=["no account matches"])
                assert ada.foyer("remove", GRACE).status == 0
                for screen in screens:
                    screen.wait("Accounts 1", ADA, gone=[f"○ {GRACE}", f"● {GRACE}"])
                sizes.append([resident(screen.child()) for screen in screens])
                rounds += 1
        finally:
            ended.set()
        asked = sum(each.result() for each in asking)
    print(f"{rounds} rounds, {asked} tokens, first and last size {sizes[1]} {sizes[-1]} kB")
    assert asked > rounds
    for before, after in zip(sizes[len(sizes) // 2], sizes[-1], strict=True):
        assert after - before < 4096, "kB"


def encrypted(person):
    """Moves the store into a file that only a passphrase opens; the settings name it."""
    path = person.home / "sealed"
    child = spawn(person, FOYER, "store", "move", "--to", f"encrypted:{path}", "--remove-old")
    for question in ("New passphrase", "Repeat it"):
        answer_hidden(child, question, "correct horse")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, child.before
    if sealed.key_in_kernel(path.read_bytes()) is None:
        pytest.skip("the kernel keeps no keys here, so no interface opens without a question")
    return path


@pytest.mark.parametrize("refused", [False, True])
def test_a_store_locked_elsewhere_is_closed_here(ada, pane, faults, refused):
    """Nothing of the store stays on the screen, no key gives a token, and an unlock brings the accounts back."""
    path = encrypted(ada)
    screen = opened(pane, ada, faults if refused else None, shows="Accounts 1")
    screen.keys("Enter").wait("token ready")
    assert ada.foyer("store", "lock").status == 0
    screen.wait("is locked", "foyer store unlock", gone=[ADA, "token ready"])
    for key in ("r", "Enter", "i"):
        screen.keys(key)
    linger(0.5)
    assert not screen.shows("token ready") and ADA not in screen.text
    assert ada.foyer("token", "--silent").status == 7
    child = spawn(ada, FOYER, "store", "unlock")
    answer_hidden(child, "Passphrase of", "correct horse")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    screen.wait("Accounts 1", ADA, gone=["is locked"])
    assert path.exists()
