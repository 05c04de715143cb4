"""Which sign-in is meant: the same situation at each door that it concerns."""

import json
import re

import pytest
from harness import ADA, AZURE_CLI, BY_BROWSER, CONTOSO, FABRIKAM, HEDY, LAB, TRY_OUT, Store, add_settings

ZOE, ALAN = "zoe@fabrikam.example", "alan@personal.example"
PERSONAL = "9188040d-6c67-4c5b-b112-36a304b66dad"


def client(name, client_id, authority, kind="aad", scopes=("User.Read",)):
    return (
        f'[clients.{name}]\nclient_id = "{client_id}"\nauthority = "{authority}"\nkind = "{kind}"\n'
        f"scopes = {json.dumps(list(scopes))}\n"
    )


def lab(name, sandbox, path, kind="oidc"):
    return client(name, LAB, sandbox.authority(path), kind, ["openid", "profile", "offline_access"])


@pytest.fixture
def shared(person, sandbox):
    """Three names of one client ID, each of another directory; contoso is the default."""
    person.settings(
        'client = "contoso"\n'
        + client("contoso", TRY_OUT, sandbox.authority(CONTOSO))
        + client("fabrikam", TRY_OUT, sandbox.authority(FABRIKAM))
        + client("personal", TRY_OUT, sandbox.authority("consumers"))
    )
    return person


def rows(person, *options):
    return [(row["username"], row["client"]) for row in person.foyer("accounts", "--json", *options).json["accounts"]]


def refresh_tokens(person):
    return sorted(entry["home_account_id"] for entry in Store(person.store).section("RefreshToken").values())


# One client ID in several directories


def test_a_sign_in_by_one_name_of_a_shared_id_is_used_by_that_name(shared, sandbox):
    shared.sign_in(ZOE, "--client", "fabrikam")
    assert rows(shared) == [(ZOE, "fabrikam")]
    for options in ([], ["--force-refresh"]):
        token = shared.foyer("token", "--silent", "--json", "--account", ZOE, *options)
        assert token.status == 0 and token.json["tenantId"] == FABRIKAM, token
    add_settings(shared, f'\n[[rules]]\nhost = "git.example"\naccount = "{ZOE}"\n')
    answer = shared.foyer("helper", "git", "get", stdin=b"protocol=https\nhost=git.example\n\n")
    assert answer.status == 0 and "password=ey" in answer.stdout, answer
    why = shared.foyer("why", "git", "https://git.example", "--json")
    assert why.status == 0 and why.json["client"] == "fabrikam" and why.json["clientSource"] == "account", why
    again = shared.start("sign-in", "--json", "--account", ZOE, "--via", "device", "--timeout", "60")
    again.wait_event("deviceCode")
    [device] = sandbox.state()["pendingDevices"]
    assert FABRIKAM in device["issuer"], device
    sandbox.approve(device["user_code"], ZOE)
    assert again.end().status == 0
    assert rows(shared) == [(ZOE, "fabrikam")]


def test_a_name_that_was_not_signed_in_by_is_asked_as_named_and_the_other_is_the_way_out(shared):
    shared.sign_in(ZOE, "--client", "fabrikam")
    refused = shared.foyer("token", "--silent", "--json", "--account", ZOE, "--client", "contoso")
    assert refused.status == 5 and "AADSTS50020" in refused.stderr, refused
    assert "--client fabrikam" in refused.error["hint"], refused
    assert shared.foyer("token", "--silent", "--account", ZOE).status == 0, "it costs the sign-in nothing"


@pytest.mark.parametrize("verb", ["sign-out", "remove"])
def test_a_sign_in_is_ended_by_each_name_that_reaches_its_provider(shared, verb):
    shared.sign_in(ZOE, "--client", "fabrikam")
    options = BY_BROWSER[2:] if verb == "sign-out" else ()
    ended = shared.foyer(verb, ZOE, "--json", "--client", "contoso", *options)
    assert ended.status == 0 and rows(shared) == [], ended


def test_a_guest_is_one_sign_in_with_two_names(shared):
    shared.sign_in(ADA, "--client", "contoso")
    shared.sign_in(ADA, "--client", "fabrikam")
    assert sorted(rows(shared)) == [(ADA, "contoso"), (ADA, "fabrikam")] and len(refresh_tokens(shared)) == 1
    for name, tenant in [("contoso", CONTOSO), ("fabrikam", FABRIKAM)]:
        for options in ([], ["--force-refresh"]):
            token = shared.foyer("token", "--silent", "--json", "--account", ADA, "--client", name, *options)
            assert token.status == 0 and token.json["tenantId"] == tenant, token
    by_tenant = shared.foyer(
        "token", "--silent", "--json", "--account", ADA, "--client", "contoso", "--tenant", FABRIKAM
    )
    assert by_tenant.status == 0 and by_tenant.json["tenantId"] == FABRIKAM, by_tenant
    assert shared.foyer("remove", ADA, "--client", "fabrikam").status == 0
    assert rows(shared) == []


def test_the_selections_of_the_list_select_in_each_listing(shared):
    shared.sign_in(ZOE, "--client", "fabrikam")
    shared.sign_in(ADA, "--client", "contoso")
    shared.sign_in(ALAN, "--client", "personal")
    assert rows(shared, "--client", "fabrikam") == rows(shared, "--tenant", "fabrikam") == [(ZOE, "fabrikam")]
    assert rows(shared, "--tenant", PERSONAL) == [(ALAN, "personal")]
    Store(shared.store).age()
    store = json.loads(shared.store.read_text())
    for entry in store["RefreshToken"].values():
        if entry["home_account_id"].endswith(PERSONAL):
            entry["secret"] = "gone"
    shared.store.write_text(json.dumps(store))
    refused = shared.foyer("token", "--silent", "--account", ALAN)
    assert refused.status == 3, refused
    assert rows(shared, "--state", "rejected") == [(ALAN, "personal")] == rows(shared, "--needs-sign-in")
    [row] = shared.foyer("accounts", "--json", "--state", "rejected").json["accounts"]
    assert row["cause"] and row["tenant"]["id"] == PERSONAL, row
    for command in ("tokens", "scopes"):
        listed = shared.foyer(command, "--json", "--tenant", "fabrikam")
        assert listed.status == 0 and ADA not in listed.stdout and ALAN not in listed.stdout, listed
        assert ("20e00000-" in listed.stdout or ZOE in listed.stdout) and '"fabrikam"' in listed.stdout, listed


# One client ID at several providers


@pytest.fixture
def two(person, sandbox):
    """One client ID at two issuers; hedy is known at both, and signed in at alpha."""
    person.settings(lab("alpha", sandbox, "realms/alpha") + lab("beta", sandbox, "realms/beta"))
    person.sign_in(HEDY, "--client", "alpha")
    return person


BETA = {
    "name": lambda sandbox: (["--client", "beta"], {}),
    "ID and authority": lambda sandbox: (["--client-id", LAB, "--authority", sandbox.authority("realms/beta")], {}),
    "variable": lambda sandbox: (["--client-id", LAB], {"FOYER_AUTHORITY": sandbox.authority("realms/beta")}),
}
DOORS = {
    "token": ["token", "--silent", "--account", HEDY],
    "token of the only account": ["token", "--silent"],
    "id-token": ["id-token", "--account", HEDY],
    "dry run": ["token", "--dry-run", "--account", HEDY],
    "inspect": ["inspect", "--id", "ID"],
    "tokens": ["tokens", "--account", HEDY],
    "scopes": ["scopes", "--account", HEDY],
    "sign-out": ["sign-out", HEDY, "--browser", "true"],
    "remove": ["remove", HEDY],
    "token-file": ["token-file", "add", "FILE", "--account", HEDY],
}


@pytest.mark.parametrize("how", BETA)
@pytest.mark.parametrize("door", DOORS)
def test_nobody_of_another_provider_is_meant(two, sandbox, tmp_path, door, how):
    options, environment = BETA[how](sandbox)
    before, requests = two.store.read_bytes(), sandbox.state()["requests"]
    [token, *_] = [each["id"] for each in two.foyer("tokens", "--json").json["tokens"] if each["type"] == "AccessToken"]
    words = [{"FILE": str(tmp_path / "file"), "ID": token}.get(word, word) for word in DOORS[door]]
    result = two.foyer(*words, *options, env=environment)
    assert result.status in (3, 8), result
    assert not re.search(r"ey\w+\.ey", result.stdout), result
    assert two.store.read_bytes() == before, result
    after = sandbox.state()["requests"]
    assert {name for name in after if after[name] != requests.get(name)} <= {"discovery", "metadata"}, result
    assert two.foyer("token", "--silent", "--client", "alpha").status == 0


@pytest.mark.parametrize("how", BETA)
def test_a_list_has_the_accounts_of_the_clients_provider_only(two, sandbox, how):
    options, environment = BETA[how](sandbox)
    assert two.foyer("accounts", "--json", *options, env=environment).json["accounts"] == []
    assert rows(two, "--client", "alpha") == [(HEDY, "alpha")]


def test_one_name_at_two_providers_is_refused_with_the_words_that_choose(two):
    two.sign_in(HEDY, "--client", "beta")
    before = two.store.read_bytes()
    for words in (["token", "--silent", "--account", HEDY], ["sign-out", HEDY, "--browser", "true"], ["remove", HEDY]):
        refused = two.foyer(*words)
        assert refused.status == 8 and two.store.read_bytes() == before, refused
        assert "--client alpha" in refused.stderr and "--client beta" in refused.stderr, refused
    assert two.foyer("remove", HEDY, "--client", "beta").status == 0
    assert rows(two) == [(HEDY, "alpha")]


def test_the_same_id_at_entra_and_at_an_oauth_server_are_two(person, sandbox):
    person.settings(
        client("work", AZURE_CLI, sandbox.authority())
        + client("server", AZURE_CLI, sandbox.authority("realms/alpha"), "oauth2", ["read"])
    )
    person.sign_in(ADA, "--client", "work")
    before = person.store.read_bytes()
    for words in (["token", "--silent"], ["sign-out", "--browser", "true"], ["remove"], ["id-token"]):
        named = [ADA] if words[0] in ("sign-out", "remove") else ["--account", ADA]
        refused = person.foyer(words[0], *named, *words[1:], "--client", "server")
        assert refused.status == 8 and person.store.read_bytes() == before, refused


# Names


def test_the_name_that_the_tables_print_is_accepted(person, sandbox):
    issuer = sandbox.authority("realms/alpha")
    person.sign_in(HEDY, "--authority", issuer, "--client-id", LAB)
    [(_, name)] = rows(person)
    assert name in person.foyer("clients").stdout
    for words in (["token", "--silent"], ["token", "--dry-run"], ["tokens"], ["accounts"], ["scopes"]):
        result = person.foyer(*words, "--client", name)
        assert result.status == 0, result
    wrong = person.foyer("token", "--client", name[:-1] + "x")
    assert wrong.status == 78 and f'"{name}"' in wrong.stderr, wrong
    assert person.foyer("sign-out", HEDY, "--client", name, *BY_BROWSER[2:]).status == 0


def test_a_removal_that_is_followed_by_a_sign_out_elsewhere_cannot_be_undone(person, sandbox):
    """In the interface it is tried with keys; a store keeps the sign-out's mark."""
    person.work_settings(sandbox)
    person.sign_in(ADA)
    assert person.foyer("remove", ADA).status == 0
    person.sign_in(ADA)
    assert person.foyer("sign-out", ADA, *BY_BROWSER[2:]).status == 0
    assert rows(person) == []
