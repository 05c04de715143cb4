"""Every kind of authority: work, guest, B2C in its three forms, AD FS, External ID and a sovereign cloud; MSAL finds
what foyer stored there."""

import json

import msal
import pytest
from harness import ADA, CONTOSO, TRY_OUT, Store

B2C_APP = "b2c11111-2222-4333-8444-555555555555"
ADFS_APP = "adf11111-2222-4333-8444-555555555555"
CIAM_APP = "c1a11111-2222-4333-8444-555555555555"
NOTES = "https://tailspin.example/notes/read"

KINDS = {
    "work": ("organizations", "aad", TRY_OUT, ADA, ["User.Read"]),
    "sovereign": ("sovereign", "aad", TRY_OUT, "mary@litware.example", ["User.Read"]),
    "b2c-tfp": ("b2c.B2C_1_signin", "b2c", B2C_APP, "rosalind@mail.example", [NOTES]),
    "b2c-te": ("b2cLegacy.B2C_1_signin", "b2c", B2C_APP, "rosalind@mail.example", [NOTES]),
    "b2clogin": ("b2clogin.B2C_1_signin", "b2c", B2C_APP, "rosalind@mail.example", [NOTES]),
    "adfs": ("adfs", "adfs", ADFS_APP, "barbara@corp.example", ["openid"]),
    "ciam": ("ciam", "ciam", CIAM_APP, "chien@shop.example", ["User.Read"]),
}


@pytest.fixture
def at(person, tls_sandbox):
    person.trust(tls_sandbox)

    def settle(kind, wanted=None):
        place, sort, client, username, scopes = KINDS[kind]
        scopes = scopes if wanted is None else wanted
        authority = tls_sandbox.description["authorities"]
        for step in place.split("."):
            authority = authority[step]
        text = f'[clients.app]\nclient_id = "{client}"\nauthority = "{authority}"\nkind = "{sort}"\n'
        person.settings(f"{text}scopes = {json.dumps(scopes)}\n")
        return authority, client, username, scopes

    return settle


@pytest.mark.parametrize("kind", KINDS)
def test_sign_in_silent_refresh_and_sign_out(person, tls_sandbox, at, kind):
    _authority, _client, username, _scopes = at(kind)
    signed = person.sign_in(username)
    assert signed["account"]["username"] == username or signed["account"]["name"], signed
    before = tls_sandbox.state()["requests"]
    first = person.foyer("token", "--silent", "--json")
    assert first.status == 0 and first.json["source"] == "cache", first
    assert tls_sandbox.state()["requests"] == before, "nothing was asked"
    Store(person.store).age()
    renewed = person.foyer("token", "--silent", "--json")
    assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed
    home = signed["account"]["homeAccountId"]
    assert renewed.json["account"]["homeAccountId"] == home
    left = person.foyer("sign-out", home, "--json", "--browser", f"curl -sL --cacert {tls_sandbox.ca} -o /dev/null %s")
    assert left.status == 0 and left.json["removed"]["outcome"] == "done", left
    assert person.foyer("token", "--silent", "--account", home).status in (3, 8)


def test_each_b2c_policy_has_an_account_of_its_own(person, tls_sandbox, at):
    authority, *_ = at("b2c-tfp")
    for policy in ("signin", "edit"):
        place = authority.replace("B2C_1_signin", f"B2C_1_{policy}")
        signed = person.sign_in("rosalind@mail.example", "--authority", place)
        assert signed["account"]["homeAccountId"].split(".")[0].endswith(f"-b2c_1_{policy}")
    assert len(person.foyer("accounts", "--json").json["accounts"]) == 2


def test_an_id_token_that_comes_alone_is_a_sign_in(person, tls_sandbox, at):
    at("b2clogin", ["openid", "profile"])
    signed = person.sign_in("rosalind@mail.example")
    assert signed["account"]["homeAccountId"], signed
    assert person.foyer("id-token").stdout.count(".") == 2
    before = tls_sandbox.requests("token")
    for mode in (["--silent"], []):
        refused = person.foyer("token", "--json", *mode)
        assert refused.status == 5 and refused.error["code"] == "serverError", refused
        assert "no access token requested" in refused.error["message"], refused
    assert tls_sandbox.requests("token") == before


@pytest.mark.parametrize("kind", ["b2clogin", "adfs"])
def test_a_client_without_scopes_signs_in_and_gets_a_token(person, tls_sandbox, at, kind):
    _, client, username, _ = at(kind, [])
    person.sign_in(username)
    token = person.foyer("token", "--silent", "--json")
    assert token.status == 0 and token.json["source"] == "cache", token
    if kind == "b2clogin":
        assert client in token.json["scopes"], token


@pytest.mark.parametrize("kind", ["sovereign", "b2clogin", "adfs", "ciam"])
def test_msal_finds_what_foyer_stored_there(person, tls_sandbox, at, kind):
    authority, client, username, scopes = at(kind)
    person.sign_in(username)
    token = person.foyer("token", "--silent").stdout.strip()
    cache = msal.SerializableTokenCache()
    cache.deserialize(person.store.read_text())
    app = msal.PublicClientApplication(
        client, authority=authority, instance_discovery=False, verify=tls_sandbox.ca, token_cache=cache
    )
    (account,) = app.get_accounts()
    wanted = [scope for scope in scopes if scope != "openid"]
    found = app.acquire_token_silent_with_error(wanted, account=account)
    assert found and (found.get("access_token") == token or found.get("token_source") == "identity_provider"), found


def test_an_entry_of_ad_fs_that_has_no_realm_answers_from_the_cache(person, tls_sandbox, at):
    """MSAL.NET writes none."""
    at("adfs")
    person.sign_in("barbara@corp.example")
    content = Store(person.store).read()
    for entry in content["AccessToken"].values():
        del entry["realm"]
    person.store.write_text(json.dumps(content))
    token = person.foyer("token", "--silent", "--json")
    assert token.status == 0 and token.json["source"] == "cache", token


def test_a_guest_tenant_by_its_domain_is_cached_and_a_guest_is_found_by_the_name_there(person, tls_sandbox, at):
    at("work")
    home = person.sign_in(ADA)["account"]["homeAccountId"]
    first = person.foyer("token", "--silent", "--json", "--tenant", "fabrikam.example")
    assert first.json["source"] == "refresh", first
    before = tls_sandbox.requests("token")
    again = person.foyer("token", "--silent", "--json", "--tenant", "fabrikam.example")
    assert again.json["source"] == "cache" and again.json["accessToken"] == first.json["accessToken"], again
    assert tls_sandbox.requests("token") == before
    profiles = person.foyer("accounts", "--json").json["accounts"][0]["tenantProfiles"]
    assert {profile["tenantId"] for profile in profiles} >= {CONTOSO, first.json["tenantId"]}
    name = "ada_contoso.example#EXT#@fabrikam.example"
    content = Store(person.store).read()
    for entry in content["Account"].values():
        if entry["realm"] not in home:
            entry["username"] = name
    person.store.write_text(json.dumps(content))
    token = person.foyer("token", "--silent", "--json", "--account", name)
    assert token.status == 0 and token.json["account"]["homeAccountId"] == home, token
