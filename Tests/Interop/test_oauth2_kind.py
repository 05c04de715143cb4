"""Servers without OpenID Connect: kind oauth2, at stand-ins that were written from the documents of such servers."""

import json
import re

import pytest
from harness import CURL, HEDY, Store, assert_no_secret

EMMY = "emmy@lab.example"
BY_CURL = ("--via", "browser", "--browser", CURL)


def server(sandbox, name="one"):
    return f"{sandbox.base}/as/{name}"


@pytest.fixture
def plain(person, sandbox):
    """Clients of two plain servers on one host."""

    def settle(more="", client_id="oauth-public", scopes=("profile", "notes.read")):
        return person.settings(
            "\n".join(
                f'[clients.{name}]\nclient_id = "{client_id}"\nauthority = "{server(sandbox, name)}"\nkind = "oauth2"\n'
                f"scopes = {json.dumps(scopes)}\n{more if name == 'one' else ''}"
                for name in ("one", "two")
            )
        )

    person.resettle = settle
    settle()
    return person


def quirk(sandbox, name):
    sandbox.fault("quirk", name=name)


def by_browser(person, name="one", user=HEDY, *more):
    result = person.foyer("sign-in", "--json", *BY_CURL, "--login-hint", user, "--client", name, *more)
    assert result.status == 0, result
    return result.json


def by_code(person, sandbox, name="one", user=HEDY, *more):
    running = person.start("sign-in", "--json", "--via", "device", "--client", name, *more)
    prompt = running.wait_event("deviceCode")
    sandbox.approve(prompt["userCode"], user)
    result = running.end()
    assert result.status == 0, result
    return result.json


def token(person, *arguments, name="one"):
    return person.foyer("token", "--silent", "--json", "--client", name, *arguments)


def renews(person, name="one"):
    for _ in range(2):
        Store(person.store).age()
        renewed = token(person, name=name)
        assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed


# MARK: Sign-in, refresh, the account


@pytest.mark.parametrize("way", ["browser", "device"])
@pytest.mark.parametrize("client", ["oauth-public", "oauth-constant"])
def test_signs_in_is_served_from_the_cache_and_renews_with_and_without_rotation(plain, sandbox, way, client):
    plain.resettle(client_id=client)
    signed_in = by_browser(plain) if way == "browser" else by_code(plain, sandbox)
    assert signed_in["account"]["username"] == HEDY, signed_in
    assert token(plain).json["source"] == "cache"
    renews(plain)
    assert sandbox.requests("as/one:userinfo") == 3, "who it is was asked at the sign-in and at each refresh"
    assert sandbox.state()["misplacedTokens"] == []


def test_without_an_announced_end_the_token_is_used_until_told_otherwise(plain, sandbox):
    plain.resettle(client_id="oauth-endless")
    by_browser(plain)
    assert token(plain).json["source"] == "cache"
    assert next(iter(Store(plain.store).section("AccessToken").values()))["expires_on"] == "253402300799"
    refused = token(plain, "--force-refresh")
    assert refused.status == 3 and refused.error["code"] == "interactionRequired", refused


def test_without_a_refresh_token_the_end_of_the_token_is_the_end(plain, sandbox):
    plain.resettle(client_id="oauth-brief")
    by_browser(plain)
    assert token(plain).json["source"] == "cache"
    Store(plain.store).age()
    assert token(plain).status == 3


def test_introspection_names_the_account_where_there_is_no_userinfo(plain, sandbox):
    quirk(sandbox, "noUserinfo")
    assert by_browser(plain)["account"]["username"] == HEDY
    assert sandbox.requests("as/one:introspect") == 1 and sandbox.requests("as/one:userinfo") == 0


def test_introspection_has_the_clients_secret_where_it_has_one(plain, sandbox):
    quirk(sandbox, "noUserinfo")
    secret = plain.home / "secret"
    secret.write_text("basic secret:+/%1\n")
    secret.chmod(0o600)
    plain.resettle(f'client_secret_file = "{secret}"\n', client_id="oauth-basic")
    assert by_browser(plain)["account"]["username"] == HEDY
    renews(plain)


def test_an_address_of_the_settings_names_the_account(plain, sandbox):
    plain.resettle(f'account_url = "{server(sandbox)}/userinfo"\naccount_field = "sub"\n')
    quirk(sandbox, "noUserinfo")
    refused = plain.foyer("sign-in", "--json", *BY_CURL, "--login-hint", HEDY, "--client", "one")
    assert refused.status == 9, "the server has no such page, and nothing else is taken for the account"
    assert not Store(plain.store).path.exists() or Store(plain.store).section("AccessToken") == {}


def test_where_nobody_says_it_the_person_names_the_account_and_is_told_so_before_the_page_opens(plain, sandbox):
    quirk(sandbox, "sparseMetadata")
    before = sandbox.requests("authorize")
    refused = plain.foyer("sign-in", "--json", *BY_CURL, "--client", "one")
    assert refused.status == 64 and "does not say who signs in" in refused.error["message"], refused
    assert "--login-hint" in refused.error["hint"] and "account_url" in refused.error["hint"], refused
    assert sandbox.requests("authorize") == before
    named = by_browser(plain, "one", HEDY)
    assert named["account"]["username"] == HEDY and named["account"]["homeAccountId"] == HEDY
    renews(plain)


def test_openid_is_not_asked_for_and_is_refused_in_the_scopes(plain, sandbox):
    refused = plain.foyer("sign-in", "--json", *BY_CURL, "--client", "one", "--scope", "openid profile")
    assert refused.status == 64 and "oidc" in refused.error["message"], refused


def test_endpoints_by_hand_need_no_document(plain, sandbox):
    quirk(sandbox, "noMetadata")
    refused = plain.foyer("sign-in", "--json", *BY_CURL, "--client", "one")
    assert refused.status == 5 and "metadata" in refused.error["message"], refused
    one = server(sandbox)
    plain.settings(
        f'[clients.one]\nclient_id = "oauth-public"\nkind = "oauth2"\nscopes = ["profile", "notes.read"]\n'
        f'[clients.one.endpoints]\nauthorization = "{one}/authorize"\ntoken = "{one}/token"\n'
        f'device_authorization = "{one}/device"\nuserinfo = "{one}/userinfo"\n'
    )
    account = by_code(plain, sandbox)["account"]
    assert account["username"] == HEDY and account["issuer"] == f"{one}/token", account
    renews(plain)


# MARK: Hostile answers


HARMLESS = """
sparseMetadata tokenTypeCase expiresInText expiresInEpoch shorterOnRefresh scopeAbsent scopeReordered scopeDuplicated
extraParameters formAnswers jsonAsHTML replayTolerated rotationGrace noRotation noUserinfo
"""


@pytest.mark.parametrize("name", HARMLESS.split())
def test_signs_in_and_renews_as_ever(plain, sandbox, name):
    quirk(sandbox, name)
    by_browser(plain)
    assert token(plain).json["source"] == "cache"
    renews(plain)


@pytest.mark.parametrize("name", ["noInterval", "dashlessCodes", "verificationQuery", "neverSlowDown"])
def test_a_device_code_works_as_ever(plain, sandbox, name):
    quirk(sandbox, name)
    by_code(plain, sandbox)
    renews(plain)


@pytest.mark.parametrize("name", ["wrongIss", "noIss"])
def test_an_answer_of_another_issuer_or_of_none_is_not_redeemed(plain, sandbox, name):
    quirk(sandbox, name)
    refused = plain.foyer("sign-in", "--json", *BY_CURL, "--login-hint", HEDY, "--client", "one")
    assert refused.status == 9, refused
    assert sandbox.requests("as/one:token") == 0


@pytest.mark.parametrize(("name", "status"), [("wrongIss", 9), ("noIssInErrors", 130)])
def test_an_error_of_another_issuer_is_not_believed_and_one_without_an_issuer_is(plain, sandbox, name, status):
    quirk(sandbox, name)
    sandbox.fault("denied", endpoint="authorize")
    refused = plain.foyer("sign-in", "--json", *BY_CURL, "--login-hint", HEDY, "--client", "one")
    assert refused.status == status, refused
    assert ("access_denied" in refused.stderr) == (status == 130), refused


def test_metadata_of_another_issuer_are_refused(plain, sandbox):
    quirk(sandbox, "issuerMismatch")
    refused = plain.foyer("sign-in", "--json", *BY_CURL, "--client", "one")
    assert refused.status == 9 and server(sandbox) in refused.error["message"], refused


@pytest.mark.parametrize("name", ["emptyErrors", "detailErrors", "invalidRequestForGrant"])
def test_a_dead_refresh_token_means_sign_in_again_however_it_is_said(plain, sandbox, name):
    by_browser(plain)
    Store(plain.store).age()
    sandbox.control("revoke", {"username": HEDY})
    quirk(sandbox, name)
    refused = token(plain)
    assert refused.status == 3 and refused.error["code"] == "interactionRequired", refused


def test_an_openid_provider_does_not_become_one_without_by_leaving_the_id_token_out(person, sandbox):
    person.settings(
        f'[clients.lab]\nclient_id = "lab-cli"\nauthority = "{sandbox.issuer}"\nkind = "oidc"\nscopes = ["openid"]\n'
    )
    sandbox.fault("override", fields={"id_token": None})
    refused = person.foyer("sign-in", "--json", *BY_CURL, "--login-hint", HEDY, "--client", "lab")
    assert refused.status == 9 and "ID token" in refused.error["message"], refused
    assert not person.store.exists() or Store(person.store).secrets() == []


# MARK: Two servers, several resources


def test_two_servers_on_one_host_are_never_mixed(plain, sandbox):
    one, two = by_browser(plain, "one"), by_browser(plain, "two")
    assert one["account"]["homeAccountId"] == two["account"]["homeAccountId"]
    assert {one["account"]["issuer"], two["account"]["issuer"]} == {server(sandbox, name) for name in ("one", "two")}
    for name in ("one", "two"):
        renews(plain, name)
    accounts = plain.foyer("accounts", "--json").json["accounts"]
    assert len(accounts) == 2, accounts
    assert sandbox.state()["misplacedTokens"] == []
    gone = plain.foyer("sign-out", HEDY, "--json", "--client", "one", "--browser", CURL)
    assert gone.status == 0, gone
    assert token(plain, name="one").status == 3 and token(plain, name="two").status == 0
    assert sandbox.state()["misplacedTokens"] == []


def test_a_resource_has_its_own_tokens_and_travels_with_each_request(plain, sandbox):
    notes, vault = f"{server(sandbox)}/api/notes", f"{server(sandbox)}/api/vault"
    by_browser(plain, "one", HEDY, "--resource", notes)
    first = token(plain, "--resource", notes)
    assert first.status == 0 and first.json["source"] == "cache", first
    other = token(plain)
    assert other.status != 0 or other.json["accessToken"] != first.json["accessToken"], "a resource's token is its own"
    Store(plain.store).age()
    renewed = token(plain, "--resource", notes)
    assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed
    entry = next(
        entry
        for entry in Store(plain.store).section("AccessToken").values()
        if entry["secret"] == renewed.json["accessToken"]
    )
    assert entry["ext_cache_key"] and len(entry["ext_cache_key"]) == 43
    elsewhere = token(plain, "--resource", "https://elsewhere.example")
    assert elsewhere.status != 0 and "invalid_target" in elsewhere.stderr, elsewhere
    assert vault not in json.dumps(Store(plain.store).read())


def test_entra_takes_no_resource_indicator(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in()
    refused = person.foyer("token", "--silent", "--json", "--resource", "https://graph.microsoft.com")
    assert refused.status == 64 and "scopes" in refused.error["message"], refused


def test_registers_itself_and_keeps_the_secret_that_it_was_given(person, sandbox):
    sandbox.fault("quirk", name="registrationConfidential")
    made = person.foyer("register", "own", "--oauth2", "--authority", server(sandbox), "--scope", "profile notes.read")
    assert made.status == 0, made
    assert by_browser(person, "own")["account"]["username"] == HEDY
    renews(person, "own")
    settings = (person.home / "config" / "foyer" / "config.toml").read_text()
    assert 'kind = "oauth2"' in settings and 'client_secret = "kept"' in settings, settings


# MARK: GitHub and Google


def test_github_by_device_code(person, sandbox):
    person.settings(
        f'[clients.hub]\nclient_id = "Ov23liFoyerOAuthApp1"\nserver = "github"\nauthority = "{sandbox.base}"\n'
    )
    account = by_code(person, sandbox, "hub")["account"]
    assert account["username"] == "hedy" and re.fullmatch(r"\d+", account["homeAccountId"]), account
    assert account["issuer"] == f"{sandbox.base}/login/oauth"
    answer = token(person, name="hub")
    assert answer.json["source"] == "cache" and answer.json["accessToken"].startswith("gho_"), answer


def test_github_app_rotates(person, sandbox):
    person.settings(
        f'[clients.hub]\nclient_id = "Iv23liFoyerGitHubAp1"\nserver = "github"\nauthority = "{sandbox.base}"\n'
    )
    by_code(person, sandbox, "hub")
    renews(person, "hub")
    sandbox.control("revoke", {"username": HEDY})
    Store(person.store).age()
    refused = token(person, name="hub")
    assert refused.status == 3, refused


def test_the_account_is_who_signed_in_now_not_who_did_before(person, sandbox):
    person.settings(
        f'[clients.hub]\nclient_id = "Ov23liFoyerOAuthApp1"\nserver = "github"\nauthority = "{sandbox.base}"\n'
    )
    first = by_code(person, sandbox, "hub")["account"]
    second = by_code(person, sandbox, "hub", EMMY)["account"]
    assert first["homeAccountId"] != second["homeAccountId"]
    assert len(person.foyer("accounts", "--json").json["accounts"]) == 2


def test_github_in_a_browser_needs_the_secret_and_says_so(person, sandbox):
    text = f'[clients.hub]\nclient_id = "Ov23liFoyerOAuthApp1"\nserver = "github"\nauthority = "{sandbox.base}"\n'
    person.settings(text)
    refused = person.foyer("sign-in", "--json", *BY_CURL, "--login-hint", "hedy", "--client", "hub")
    assert refused.status == 78 and "needs a client secret" in refused.error["message"], refused
    assert "--via device" in refused.error["hint"], refused
    secret = person.home / "secret"
    secret.write_text("1" * 40 + "\n")
    secret.chmod(0o600)
    person.settings(text + f'client_secret_file = "{secret}"\n')
    assert by_browser(person, "hub", "hedy")["account"]["username"] == "hedy"
    gone = person.foyer("sign-out", "hedy", "--json", "--client", "hub", "--browser", CURL)
    assert gone.status == 0, gone
    assert token(person, name="hub").status == 3
    assert sandbox.state()["misplacedTokens"] == []


@pytest.mark.parametrize("way", ["browser", "device"])
def test_google_with_its_published_secret(person, sandbox, way):
    kind = "desktop" if way == "browser" else "tv"
    person.settings(
        f'[clients.google]\nclient_id = "1234567890-{kind}.apps.googleusercontent.example"\nserver = "google"\n'
        f'authority = "{sandbox.base}/google"\nclient_secret_public = "GOCSPX-foyer-sandbox-{kind}"\n'
    )
    if way == "browser":
        sandbox.control("auto", {"username": HEDY})
        account = by_browser(person, "google")["account"]
    else:
        account = by_code(person, sandbox, "google")["account"]
    assert account["username"] == HEDY, account
    renews(person, "google")
    gone = person.foyer("sign-out", HEDY, "--json", "--client", "google", "--browser", CURL)
    assert gone.status == 0 and gone.json["revoked"]["outcome"] == "done", gone
    assert sandbox.requests("google:revoke") == 1
    assert token(person, name="google").status == 3
    assert sandbox.state()["misplacedTokens"] == []


def test_no_token_is_shown(plain, sandbox):
    by_browser(plain)
    shown = [
        plain.foyer("accounts"),
        plain.foyer("tokens"),
        plain.foyer("token", "--silent", "--verbose", "--dry-run", "--client", "one"),
        plain.foyer("report"),
    ]
    assert_no_secret(plain.store, *shown)
