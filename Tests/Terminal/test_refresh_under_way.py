"""Whoever leaves while a refresh token is on its way has the new one in the store: keys, signals and a closed
terminal."""

import os
import signal

import pexpect
import pytest
from emulator import Emulator
from harness import FOYER, HEDY, LAB, Store, until
from test_plain import answer
from waiting import PATIENCE, linger, spawn

LEAVING = {
    "Esc and q": lambda screen: screen.keys("Escape", "q"),
    "Ctrl-C": lambda screen: screen.keys("C-c"),
    "SIGTERM": lambda screen: os.kill(screen.child(), signal.SIGTERM),
    "SIGHUP": lambda screen: os.kill(screen.child(), signal.SIGHUP),
    "a closed terminal": lambda screen: screen.close(),
}


@pytest.fixture
def expired(people, sandbox):
    """All access tokens have expired, and the provider answers when it is released; returns what the store has of
    Hedy's refresh token."""
    Store(people.store).age()
    sandbox.hold()

    def refresh_token():
        entries = Store(people.store).section("RefreshToken").values()
        return [entry["secret"] for entry in entries if entry["client_id"] == LAB]

    assert len(refresh_token()) == 1
    return refresh_token


def is_kept(people, sandbox, refresh_token, before):
    """Gives whoever left without the answer the time to end, and then the answer."""
    linger(0.3)
    sandbox.release()
    until(lambda: refresh_token() != before, what="the new refresh token")
    asked = sandbox.requests("token:refresh_token")
    again = people.foyer("token", "--silent", "--client", "lab", "--force-refresh", "--json")
    assert again.status == 0 and again.json["source"] == "refresh", again
    assert sandbox.requests("token:refresh_token") == asked + 1
    assert not [name for name in os.listdir(people.store.parent) if "lockfile" in name or ".tmp." in name]


@pytest.mark.parametrize("how", LEAVING)
def test_the_interface(people, sandbox, pane, expired, how):
    before, asked = expired(), sandbox.requests("token:refresh_token")
    screen = pane(people).foyer("--timeout", str(PATIENCE))
    screen.keys("G", "Enter")
    until(lambda: sandbox.requests("token:refresh_token") == asked + 1)
    LEAVING[how](screen)
    is_kept(people, sandbox, expired, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1], ids=lambda number: number.name)
def test_a_terminal_that_nobody_reads(people, sandbox, expired, number):
    before, asked = expired(), sandbox.requests("token:refresh_token")
    screen = Emulator(people.environment, "--timeout", str(PATIENCE))
    try:
        screen.wait("Accounts 3")
        screen.type("G\r")
        until(lambda: sandbox.requests("token:refresh_token") == asked + 1)
        screen.fill()
        os.kill(screen.process.pid, number)
        sandbox.release()
        until(lambda: os.waitid(os.P_PID, screen.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT), what="the end")
        assert expired() != before
        is_kept(people, sandbox, expired, before)
    finally:
        screen.close()


def ctrl_c_twice(child):
    child.sendintr()
    child.expect("cancelled")
    child.expect("number: ")
    child.sendintr()


PLAIN_LEAVING = {
    "back and quit": lambda child: [child.sendline("back"), child.sendline("quit")],
    "Ctrl-C": ctrl_c_twice,
    "end of input": lambda child: child.sendeof(),
    "SIGTERM": lambda child: child.kill(signal.SIGTERM),
    "SIGHUP": lambda child: child.kill(signal.SIGHUP),
    "a closed terminal": lambda child: os.close(child.child_fd),
}


@pytest.mark.parametrize("how", PLAIN_LEAVING)
def test_the_plain_mode(people, sandbox, expired, how):
    before, asked = expired(), sandbox.requests("token:refresh_token")
    child = spawn(people, FOYER, "--plain", "--timeout", PATIENCE)
    try:
        answer(child, "choose an account", HEDY, "open: ")
        until(lambda: sandbox.requests("token:refresh_token") == asked + 1)
        PLAIN_LEAVING[how](child)
        is_kept(people, sandbox, expired, before)
        if how == "a closed terminal":
            return
        child.expect(pexpect.EOF)
    finally:
        if how != "a closed terminal":
            child.close(force=True)
    if how.startswith("SIG"):
        assert child.signalstatus == getattr(signal, how)
    else:
        assert child.exitstatus == (130 if how == "Ctrl-C" else 0)
