"""What other processes change is on the screen at once: the store, the settings, the tokens given to programs, and
questions at the agent."""

import errno
import shlex
import time

import pytest
from agents import Agent
from faults import rule
from harness import ADA, GRACE, Store, add_settings

# Seconds. A quiet machine needs 0.5.
SOON = 3


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
    soon = SOON + 2 if refused else SOON
    screen = opened(pane, ada, faults if refused else None, shows="Accounts 1")
    ada.sign_in(GRACE)
    screen.wait("Accounts 2", GRACE, seconds=soon)
    assert ada.foyer("remove", GRACE).status == 0
    screen.wait("Accounts 1", ADA, f"{GRACE} removed by another program", seconds=soon)
    # Written in place, as other programs do.
    Store(ada.store).change("Account", username="lovelace@contoso.example")
    screen.wait("lovelace@contoso.example", gone=[ADA], seconds=soon)
    ada.store.unlink()
    screen.wait("No accounts yet", seconds=soon)


def test_the_first_account_comes_in_another_terminal(person, sandbox, pane):
    person.work_settings(sandbox)
    assert not person.store.parent.exists()
    screen = pane(person).foyer(shows="foyer")
    person.sign_in(ADA)
    screen.wait("Accounts 1", ADA, seconds=SOON)


def test_the_row_stays_chosen_and_a_question_stays_open(ada, pane, sandbox):
    ada.sign_in(GRACE)
    screen = opened(pane, ada, shows="Accounts 2")
    screen.type(f"/{GRACE}").keys("Enter", "x").wait("Remove the account?", GRACE)
    ada.sign_in(ADA, "--client", "cli")
    time.sleep(1)
    screen.wait("Remove the account?", GRACE)
    screen.answer("y", "removed here")
    screen.wait("Accounts 0 of 1")


def test_settings_are_read_again_and_faulty_ones_are_not_used(ada, pane):
    settings = ada.home / "config" / "foyer" / "config.toml"
    screen = opened(pane, ada, shows="Accounts 1")
    screen.type(",").wait("Settings", "theme")
    text = settings.read_text()
    settings.write_text('theme = "nord"\n' + text)
    screen.wait("nord", seconds=SOON)
    settings.write_text('theme = "nord\n' + text)
    time.sleep(1)
    screen.wait("nord")
    other = settings.with_name("new.toml")
    other.write_text('theme = "gruvbox"\n' + text)
    other.replace(settings)
    screen.wait("gruvbox", gone=["nord"], seconds=SOON)


def test_what_a_program_was_given_is_on_the_page(ada, pane):
    screen = pane(ada, 110, 30).foyer(shows="Accounts 1")
    screen.type("P").wait("No program has requested a token yet", "not set up")
    assert ada.foyer("helper", "kubectl").status != 64
    screen.wait("kubectl", "Programs 1", gone=["No program has requested"], seconds=SOON)


@pytest.mark.parametrize("refused", [False, True])
def test_a_question_is_told_at_once(ada, pane, faults, refused):
    add_settings(ada, '\n[agent]\nconfirm = ["work"]\n')
    Store(ada.store).age()
    with Agent(ada) as agent:
        screen = opened(pane, ada, faults if refused else None, shows="Accounts 1")
        # An agent that starts later is watched as well.
        agent.start()
        asking = ada.start("token", "--silent", "--json")
        screen.wait("1 pending request: open @", seconds=SOON + 2 if refused else SOON)
        assert ada.foyer("agent", "requests", "refuse", screen_id(ada)).status == 0
        assert asking.end().status == 130
        screen.keys("Down").wait("Accounts 1", gone=["pending request"])


def screen_id(person):
    (question,) = person.foyer("agent", "requests", "--json").json["requests"]
    return question["id"]


def test_a_question_from_before_is_told_when_the_interface_opens(ada, pane):
    add_settings(ada, '\n[agent]\nconfirm = ["work"]\n')
    Store(ada.store).age()
    with Agent(ada) as agent:
        agent.start()
        ada.start("token", "--silent", "--json")
        pane(ada).foyer(shows="Accounts 1").wait("1 pending request: open @")
