"""The walk of somebody who has never used the program: an empty home, no settings file, and a token at the end."""

import tomllib

import pytest
from harness import ADA, AZURE_CLI, HEDY, LAB, TRY_OUT, until


class Walk:
    """A screen that counts the keys that are pressed; an address or an identifier that is pasted counts as one."""

    def __init__(self, screen):
        self.screen = screen
        self.count = 0

    def keys(self, *names):
        self.count += len(names)
        return self.screen.keys(*names)

    def paste(self, text):
        self.count += 1
        return self.screen.type(text)


def signed_in(walk, sandbox, username=ADA):
    code = until(sandbox.waiting_codes, what="a device code")[0]
    sandbox.approve(code, username)
    # The client is remembered with the sign-in; the line that says so stays until the next key.
    walk.screen.wait("signed in as " + username, 'client "')
    walk.keys("Enter").wait("Accounts 1", username.split("@")[0])


def is_remembered(person, client, authority):
    settings = person.home / "config" / "foyer" / "config.toml"
    entries = tomllib.loads(settings.read_text())["clients"].values()
    assert [(each["client_id"], each["authority"]) for each in entries] == [(client, authority)]


@pytest.mark.parametrize("columns, rows", [(110, 30), (80, 24), (40, 10)])
def test_from_nothing_to_a_token_with_a_well_known_client(person, sandbox, pane, columns, rows):
    """Another authority than Microsoft's stands in the field: it is cleared, and the sandbox's is pasted."""
    walk = Walk(pane(person, columns, rows).foyer(shows="Work or school account"))
    walk.keys("Enter").wait("authority", "azure-cli")
    walk.keys("C-u")
    walk.paste(sandbox.authority())
    walk.keys("Enter")
    signed_in(walk, sandbox)
    # The client is remembered: the token comes from the same provider, after a restart as well.
    walk.keys("Enter").wait("token ready")
    assert walk.count <= 6, walk.count
    is_remembered(person, AZURE_CLI, sandbox.authority())
    assert person.foyer("token", "--account", ADA, "--force-refresh").status == 0


def test_from_nothing_to_a_token_at_another_provider(person, sandbox, pane):
    """Both its address and its client are typed."""
    walk = Walk(pane(person).foyer(shows="Another provider"))
    walk.keys("Down", "Down", "Enter").wait("authority")
    walk.paste(sandbox.authority())
    walk.keys("Tab")
    walk.paste(TRY_OUT)
    walk.keys("Tab")
    walk.paste("User.Read")
    walk.keys("Enter")
    signed_in(walk, sandbox)
    walk.keys("Enter").wait("token ready")
    assert walk.count <= 12, walk.count
    is_remembered(person, TRY_OUT, sandbox.authority())


@pytest.mark.parametrize("kind", ["aad", "oidc"])
def test_silent_calls_need_nothing_that_the_first_sign_in_did_not_bring(person, sandbox, pane, kind):
    """An app that nobody has consented to, and no scopes typed: the token that came with the sign-in is the one that
    a silent call asks for."""
    kinds = {"aad": (TRY_OUT, sandbox.authority(), ADA), "oidc": (LAB, sandbox.issuer, HEDY)}
    client, authority, username = kinds[kind]
    walk = Walk(pane(person).foyer(shows="Another provider"))
    walk.keys("Down", "Down", "Enter").wait("authority")
    walk.paste(authority)
    walk.keys("Tab")
    walk.paste(client)
    walk.keys("Enter")
    signed_in(walk, sandbox, username)
    is_remembered(person, client, authority)
    result = person.foyer("token", "--silent", "--json")
    assert (result.status, result.json["source"]) == (0, "cache"), result
    # Nor is less asked for from then on.
    refreshed = person.foyer("token", "--silent", "--force-refresh")
    assert refreshed.status == 0, refreshed


def test_the_provider_is_looked_up_while_the_client_is_typed(person, sandbox, pane):
    screen = pane(person).foyer(shows="Another provider")
    screen.keys("Down", "Down", "Enter").wait("not set: the provider's https URL", gone=["login.microsoftonline.com"])
    screen.type("https://127.0.0.1:9/nothing")
    assert sandbox.requests("discovery") == 0
    screen.keys("Tab").wait("▲ cannot reach 127.0.0.1")
    screen.keys("BTab", "C-u").wait("not set: the provider's https URL", gone=["cannot reach"])
    screen.type(sandbox.issuer).keys("Tab").wait("✔ OpenID Connect · device code, browser")
    asked = sandbox.requests("discovery")
    screen.type(LAB).keys("Enter").wait("waiting for you")
    assert sandbox.requests("discovery") == asked > 0, "the sign-in needs no other request for it"


def test_the_client_of_the_settings_comes_first(person, sandbox, pane):
    person.work_settings(sandbox)
    screen = pane(person).foyer(shows="from your settings")
    screen.wait("low         User.Read")
    screen.keys("Enter").wait("work", TRY_OUT, "User.Read")


def test_the_menu_leads_to_what_is_on_the_machine_and_to_the_demo(person, pane):
    screen = pane(person).foyer(shows="Already on this machine")
    screen.keys("Down", "Down", "Down").wait("at https://github.com/settings/developers")
    screen.keys("Down").wait("at https://console.cloud.google.com/auth/clients")
    screen.keys("Down", "Enter").wait("Token stores")
    screen.keys("Escape").wait("Welcome")
    screen.keys("Down").wait('opens "foyer demo"')
    screen.keys("Enter").wait("Accounts 11", "zoe@")
    screen.keys("q").back(0)
