"""Two providers of one host, and two issuers of one of them: the same client and the same subject everywhere, all in
one store."""

import json
import os
import random
from collections import Counter

import pytest
from harness import CURL, HEDY, LAB

# The short form of a crowd of commands, and its full length.
NUMBER = 200 if os.environ.get("FOYER_LONG") else 40
ASK = ("token", "--silent", "--json", "--client")


@pytest.fixture
def places(person, own_sandbox):
    """Issuers by name: another path, and another port. Each has a client for bearer tokens, and one for tokens bound to
    a key."""
    one, two = own_sandbox(), own_sandbox()
    places = {
        "first": (f"{one.base}/realms/first", one),
        "path": (f"{one.base}/realms/other", one),
        "port": (f"{two.base}/realms/first", two),
    }
    person.settings(
        "\n".join(
            f'[clients.{name}{kind}]\nclient_id = "{LAB}"\nauthority = "{issuer}"\nkind = "oidc"\n'
            'scopes = ["openid", "profile", "offline_access"]\n' + ("proof_of_possession = true\n" if kind else "")
            for name, (issuer, _) in places.items()
            for kind in ("", "-bound")
        )
    )
    return places


@pytest.mark.parametrize("elsewhere", ["path", "path-bound", "port"])
def test_where_nobody_signed_in_another_issuers_sign_in_is_not_used(person, places, elsewhere):
    account = person.sign_in(HEDY, "--client", "first")["account"]
    here, (there, provider) = places["first"][0], places[elsewhere.removesuffix("-bound")]
    for options in ([], ["--force-refresh"]):
        refused = person.foyer(*ASK, elsewhere, *options)
        assert refused.status == 3 and refused.stdout == "", refused
        named = person.foyer(*ASK, elsewhere, "--account", account["homeAccountId"], *options)
        assert named.status == 8 and named.stdout == "" and here in named.stderr and there in named.stderr, named
    assert person.foyer(*ASK, "first", "--force-refresh").json["source"] == "refresh"
    # Removed here, and the other one is told nothing.
    gone = person.foyer("sign-out", account["homeAccountId"], "--json", "--client", elsewhere, "--browser", CURL)
    assert gone.status == 8 and here in gone.stderr and there in gone.stderr, gone
    assert person.foyer(*ASK, "first").json["source"] == "cache"
    assert provider.requests("token:refresh_token") == (0 if elsewhere == "port" else 1)
    assert provider.requests("revoke") == 0 and provider.state()["misplacedTokens"] == []


def test_no_token_comes_to_the_wrong_issuer_and_no_sign_in_is_lost(person, places):
    chance = random.Random(20240607)
    signed_in, done = {}, Counter()

    def listed():
        accounts = person.foyer("accounts", "--json").json["accounts"]
        assert {account["username"] for account in accounts} <= {HEDY}
        # An account has a row for each name of its client.
        return {account["issuer"] for account in accounts}

    for number in range(NUMBER):
        name = chance.choice(list(places))
        issuer, provider = places[name]
        client = name + chance.choice(["", "-bound"])
        verb = chance.choice(["sign-in", "token", "force", *(["sign-out", "remove"] if name in signed_in else [])])
        what = f"{number}: {verb} with {client}"
        asked = provider.requests("token:refresh_token")
        if verb == "sign-in":
            person.sign_in(HEDY, "--client", client)
            signed_in[name] = client
        elif verb in ("token", "force"):
            result = person.foyer(*ASK, client, *(["--force-refresh"] if verb == "force" else []))
            if name in signed_in:
                source = "refresh" if verb == "force" else "cache"
                assert result.status == 0 and result.json["source"] == source, (what, result)
                assert result.json["authority"] == issuer, (what, result)
            else:
                assert result.status == 3 and provider.requests("token:refresh_token") == asked, (what, result)
                verb += " of nobody"
        else:
            options = ["--browser", CURL, "--revoke-access-tokens"] if verb == "sign-out" else []
            result = person.foyer(verb, HEDY, "--json", "--client", client, *options)
            assert result.status == 0, (what, result)
            del signed_in[name]
        done[verb] += 1
        assert listed() == {places[name][0] for name in signed_in}, what
        for each, (_, provider) in places.items():
            assert provider.state()["misplacedTokens"] == [], (what, each)
    assert set(done) == {"sign-in", "token", "force", "sign-out", "remove", "token of nobody", "force of nobody"}, done
    # Whoever is still signed in is so.
    for client in signed_in.values():
        assert person.foyer(*ASK, client, "--force-refresh").json["source"] == "refresh"
    keys = json.loads(person.store.with_name(person.store.name + ".keys").read_text())["keys"]
    assert len(keys) <= len(signed_in)
