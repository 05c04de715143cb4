"""Fourteen sign-ins of nine people at five directories, through six clients of three client IDs: each row gets its
token, and signs in again where it signed in, at every door."""

import json

import pytest
from harness import ADA, AZURE_CLI, CONTOSO, FABRIKAM, GRACE, HEDY, LAB, TARO, TRY_OUT, Store, until

PERSONAL = "9188040d-6c67-4c5b-b112-36a304b66dad"
EMMY, KATHERINE = "emmy@lab.example", "katherine@contoso.example"
ALAN, ZOE = "alan@personal.example", "zoe@fabrikam.example"

# Each client's ID, its authority at the sandbox, and what it asks for.
CLIENTS = {
    "contoso": (TRY_OUT, CONTOSO, "User.Read"),
    "fabrikam": (TRY_OUT, FABRIKAM, "User.Read"),
    "personal": (TRY_OUT, "consumers", "User.Read"),
    "cli": (AZURE_CLI, "organizations", "User.Read"),
    "north": (LAB, "realms/north", "openid profile offline_access"),
    "south": (LAB, "realms/south", "openid profile offline_access"),
}
# Who signed in by which client, and the directory of the token.
SIGN_INS = [
    (ADA, "contoso", CONTOSO),
    (TARO, "contoso", CONTOSO),
    (KATHERINE, "contoso", CONTOSO),
    (GRACE, "contoso", CONTOSO),
    (ADA, "fabrikam", FABRIKAM),
    (GRACE, "fabrikam", FABRIKAM),
    (ZOE, "fabrikam", FABRIKAM),
    (ALAN, "personal", PERSONAL),
    (ADA, "cli", CONTOSO),
    (GRACE, "cli", FABRIKAM),
    (ZOE, "cli", FABRIKAM),
    (HEDY, "north", None),
    (HEDY, "south", None),
    (EMMY, "south", None),
]


@pytest.fixture
def signed_in(person, sandbox):
    settings = ['client = "contoso"']
    for name, (client, authority, scopes) in CLIENTS.items():
        kind = "oidc" if client == LAB else "aad"
        settings.append(
            f'[clients.{name}]\nclient_id = "{client}"\nauthority = "{sandbox.authority(authority)}"\nkind = "{kind}"\n'
            f"scopes = {json.dumps(scopes.split())}"
        )
    for number, (who, client, _) in enumerate(SIGN_INS):
        settings.append(f'[[rules]]\nhost = "git{number}.example"\naccount = "{who}"\nclient = "{client}"')
    person.settings("\n\n".join(settings) + "\n")
    for who, client, _ in SIGN_INS:
        person.sign_in(who, "--client", client)
    return person


def rows(person):
    return person.foyer("accounts", "--json").json["accounts"]


def test_each_row_and_each_rule_gets_the_token_of_its_sign_in(signed_in):
    found = {(row["username"], row["client"]): row for row in rows(signed_in)}
    assert sorted(found) == sorted((who, client) for who, client, _ in SIGN_INS)
    table = signed_in.foyer("accounts", "--wide").stdout.splitlines()
    for number, (who, client, directory) in enumerate(SIGN_INS):
        row = found[who, client]
        assert row["state"] == "ready" and row["clientId"] == CLIENTS[client][0], row
        assert (row["tenant"] and row["tenant"]["id"]) == directory, row
        assert any(who in line and client in line for line in table), (who, client)
        named = ("--account", who, "--client", client)
        for source in ("cache", "refresh"):
            options = ["--force-refresh"] if source == "refresh" else []
            token = signed_in.foyer("token", "--silent", "--json", *named, *options)
            assert token.status == 0, (named, token)
            assert token.json["account"]["username"] == who and token.json["source"] == source, token
            if directory:
                assert token.json["tenantId"] == directory, named
            else:
                assert token.json["authority"] == row["authority"], named
        request = f"protocol=https\nhost=git{number}.example\n\n".encode()
        answer = signed_in.foyer("helper", "git", "get", stdin=request)
        assert answer.status == 0 and f"password={token.json['accessToken']}\n" in answer.stdout, (named, answer)


def test_enter_gets_the_token_of_the_row_and_a_sign_in_again_goes_where_it_signed_in(signed_in, sandbox, pane):
    Store(signed_in.store).age()
    issuers = {row["username"] + row["client"]: row["authority"] for row in rows(signed_in)}
    screen = pane(signed_in, 200, 60).foyer()
    screen.wait("Accounts 9")

    def shows(*texts, gone=()):
        screen.wait(*texts, gone=gone)
        return screen

    for who, client, directory in SIGN_INS:
        screen.type(f"/{who} client:{client}")
        shows(f"client:{client}", "Accounts 1 of 9").keys("Enter")
        shows("add").keys("Enter")
        shows("token ready", who).keys("Escape")
        shows("Accounts 1 of 9").type("d")
        shows("Sign in to", "Enter", "approve")
        [device] = until(lambda: sandbox.state()["pendingDevices"])
        assert device["client_id"] == CLIENTS[client][0], (who, client, device)
        if CLIENTS[client][1] in ("organizations", "consumers"):
            assert "{tenantid}" in device["issuer"], (who, client, device)
        else:
            assert (directory or issuers[who + client]) in device["issuer"], (who, client, device)
        sandbox.approve(device["user_code"], who)
        shows("signed in").keys("Escape")
        shows("Accounts 1 of 9").keys("Escape")
        shows("Accounts 9", gone=["client:"])
    assert len(rows(signed_in)) == len(SIGN_INS), "no other row came of it"
