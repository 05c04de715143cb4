"""The demo's accounts do what a newcomer expects of them."""

import json
import os
import re
import signal
import urllib.request

import pexpect
import pytest
from harness import FOYER, until
from waiting import PATIENCE, spawn

CACHED = ["token ready", "cache"]
REFRESHED = ["token ready", "refresh token"]
# What Enter shows of each account of a name, in the order of the list: those of other programs come last.
EXPECTED = {
    "ada@contoso.example": [CACHED, ["Tokens of ada@contoso.example"]],
    "alan@personal.example": [CACHED],
    "barbara@corp.example": [CACHED],
    "chien@shop.example": [CACHED],
    "emmy@lab.example": [REFRESHED],
    "grace@fabrikam.example": [CACHED],
    "hedy@lab.example": [CACHED],
    "mary@litware.example": [CACHED],
    "taro@contoso.example": [REFRESHED],
    "zoe@fabrikam.example": [["Enter sign in again"]],
}


def demo(pane, person, columns=120, rows=40):
    return pane(person, columns, rows).foyer("demo", shows="Accounts 11", prefix="TERM=xterm-256color")


def sandbox_state(person):
    """What the demo's own sandbox says of itself."""
    (store,) = person.scratch.glob("foyer-demo-*/token_cache.json")
    (host,) = set(re.findall(r"127\.0\.0\.1:\d+", store.read_text()))
    with urllib.request.urlopen(f"http://{host}/_sandbox/state", timeout=PATIENCE) as reply:
        return json.load(reply)


def test_enter_on_each_account_gives_what_its_state_promises(person, pane):
    screen = demo(pane, person)
    for username, each in EXPECTED.items():
        screen.type("/" + username).wait(f"{len(each)} of 11")
        screen.keys("Enter")
        for place, expected in enumerate(each):
            screen.keys("Home", *["Down"] * place, "Enter").wait(*expected)
            screen.keys("Escape").wait("of 11", gone=[expected[0]])
        screen.keys("Escape").wait("Accounts 11", gone=["of 11"])


def test_the_doctor_looks_where_the_stores_are_looked_for_and_a_sign_out_revokes_what_lives(person, pane):
    screen = demo(pane, person)
    for key in "!W":
        screen.type(key).wait("Azure CLI")
        screen.keys("Escape").wait("Accounts 11")
    before = sandbox_state(person)["liveRefreshTokens"]
    assert before > 0
    screen.type("/hedy@").wait("1 of 11")
    screen.keys("Enter")
    screen.type("o").wait("hedy@lab.example")
    screen.answer("y", "revoked at the provider")
    until(lambda: sandbox_state(person)["liveRefreshTokens"] == before - 1, what="one token fewer that lives")


def spawned(person, *options):
    return spawn(person, FOYER, "demo", *options)


@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "hang-up"])
def test_the_plain_demo_leaves_nothing_when_it_is_ended(person, how):
    child = spawned(person, "--plain")
    child.expect("account: ")
    assert list(person.scratch.glob("foyer-demo-*"))
    if how == "hang-up":
        os.close(child.child_fd)
    else:
        child.kill(signal.Signals[how])
    until(lambda: not list(person.scratch.glob("foyer-demo-*")), what="the store removed")


def test_a_demo_that_is_ended_while_it_opens_leaves_nothing(person):
    child = spawned(person)
    until(lambda: list(person.scratch.glob("foyer-demo-*/token_cache.json*")), what="the first sign-in")
    child.kill(signal.SIGTERM)
    child.expect(pexpect.EOF)
    child.close()
    assert child.signalstatus == signal.SIGTERM
    assert not list(person.scratch.glob("foyer-demo-*"))


@pytest.mark.parametrize("columns, rows", [(110, 30), (80, 24)])
def test_verdict_permissions_and_every_claim_of_a_token_are_on_one_screen(person, pane, columns, rows):
    screen = demo(pane, person, columns, rows)
    screen.type("/ada@").wait("of 11")
    screen.keys("Enter").keys("i").wait("Tokens of ada@contoso.example", "access")
    screen.keys("Enter").wait("signature not checked")
    seen = screen.text
    claims = "aud iss iat nbf exp appid azp azpacr name oid preferred_username roles scp sub tid uti ver header"
    answer = ["Access token for Microsoft Graph", "contoso.example", "Allows", "medium", "Mail.Read", "bytes, hidden"]
    missing = [each for each in claims.split() + answer if each not in seen]
    assert not missing, seen
