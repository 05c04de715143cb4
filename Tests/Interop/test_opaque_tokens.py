"""Opaque tokens of servers without OpenID Connect: how they are listed and explained, what their own server says about
them on request, and how a sign-out revokes them. The servers are the sandbox's."""

import json
import urllib.error
import urllib.request

import pytest
from harness import HEDY, assert_no_secret, until
from waiting import PATIENCE

OAUTH_APP = "Ov23liFoyerOAuthApp1"


@pytest.fixture
def hedy(person, sandbox):
    person.settings(
        f"""
[clients.github]
client_id = "{OAUTH_APP}"
server = "github"
authority = "{sandbox.base}"
scopes = ["repo", "read:org"]

[clients.plain]
client_id = "oauth-endless"
authority = "{sandbox.base}/as/one"
kind = "oauth2"
scopes = ["profile", "notes.read"]
"""
    )
    yield person
    # No token was shown to a server that did not issue it.
    assert not sandbox.state().get("misplacedTokens")


def sign_in_at_github(person, sandbox):
    running = person.start("sign-in", "--client", "github", "--via", "device", "--json")
    until(lambda: sandbox.waiting_codes() or running.process.poll() is not None, what="the device code")
    for code in sandbox.waiting_codes():
        sandbox.approve(code, HEDY)
    signed_in = running.end()
    assert signed_in.status == 0, signed_in
    return signed_in.json


def access_token(person, client):
    tokens = person.foyer("tokens", "--client", client, "--json").json["tokens"]
    return next(token for token in tokens if token["type"] == "AccessToken")


def api_status(sandbox, token):
    request = urllib.request.Request(
        sandbox.base + "/api/v3/user", headers={"Authorization": f"Bearer {token}", "User-Agent": "x"}
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_token_without_an_announced_end_is_listed_without_one(hedy, sandbox):
    assert sign_in_at_github(hedy, sandbox)["expiresOn"] is None
    told = hedy.foyer("token", "--client", "github", "--silent", "--json")
    assert told.status == 0 and told.json["expiresOn"] is None and told.json["source"] == "cache", told
    assert access_token(hedy, "github")["expiresOn"] is None
    words = [
        hedy.foyer(*command).stdout
        for command in (
            ["tokens"],
            ["token", "--client", "github", "--dry-run"],
            ["inspect", "--id", access_token(hedy, "github")["id"]],
        )
    ]
    for said in words:
        assert "no announced end" in said and "days" not in said and "9999" not in said, said


def test_its_own_server_is_asked_on_request_and_never_before(hedy, sandbox):
    sign_in_at_github(hedy, sandbox)
    id = access_token(hedy, "github")["id"]
    count = sandbox.requests("github:api")
    offline = hedy.foyer("inspect", "--id", id, "--json")
    assert offline.status == 0 and sandbox.requests("github:api") == count, offline
    assert offline.json["kind"].startswith("GitHub token of an OAuth app")
    assert offline.json["server"] == {"status": "notChecked"} and offline.json["expiresOn"] is None
    risks = {permission["name"]: permission["risk"] for permission in offline.json["permissions"]}
    assert risks["repo"] == "high" and risks["read:org"] == "low", risks
    online = hedy.foyer("inspect", "--id", id, "--verify", "--json")
    assert online.status == 0 and sandbox.requests("github:api") == count + 1, online
    answer = online.json["server"]["answer"]
    assert online.json["server"]["status"] == "accepted" and answer["login"] == "hedy" and answer["id"] == 1007
    assert set(answer["scope"].split()) >= {"repo", "read:org"}
    words = hedy.foyer("inspect", "--id", id, "--verify").stdout
    assert "accepts it" in words and "login: hedy" in words, words
    assert_no_secret(hedy.store, offline, online)


def test_a_revoked_token_is_told_so(hedy, sandbox):
    sign_in_at_github(hedy, sandbox)
    token = hedy.foyer("token", "--client", "github", "--silent").stdout.strip()
    body = json.dumps({"credentials": [token]}).encode()
    revoke = urllib.request.Request(sandbox.base + "/api/v3/credentials/revoke", body, {"User-Agent": "x"})
    urllib.request.urlopen(revoke, timeout=PATIENCE).close()
    told = hedy.foyer("inspect", "--id", access_token(hedy, "github")["id"], "--verify", "--json")
    assert told.status != 0 and "expired or revoked" in told.error["message"], told
    assert json.loads(told.stdout)["verdict"] == {
        "level": "danger",
        "findings": ["noAnnouncedEnd", "rejected", "highRiskScopes"],
    }


def test_a_token_from_elsewhere_is_described_and_shown_to_nobody(hedy, sandbox):
    counts = sandbox.state()["requests"]
    told = hedy.foyer("inspect", "-", "--json", stdin=b"ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    assert told.status == 0 and "personal access token" in told.json["kind"], told
    asked = hedy.foyer("inspect", "-", "--verify", stdin=b"ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    assert asked.status != 0 and "does not name its server" in asked.stderr, asked
    unknown = hedy.foyer("inspect", "-", stdin=b"something")
    assert unknown.status != 0 and "not a JWT" in unknown.stderr, unknown
    assert sandbox.state()["requests"] == counts


def test_introspection_says_what_it_knows(hedy, sandbox):
    hedy.sign_in(HEDY, "--client", "plain")
    id = access_token(hedy, "plain")["id"]
    count = sandbox.requests("as/one:introspect")
    told = hedy.foyer("inspect", "--id", id, "--verify", "--json")
    assert told.status == 0 and sandbox.requests("as/one:introspect") == count + 1, told
    answer = told.json["server"]["answer"]
    assert answer["active"] is True and answer["client_id"] == "oauth-endless"
    assert set(answer["scope"].split()) == {"profile", "notes.read"}


def test_scopes_have_the_meaning_of_their_server(hedy, sandbox):
    sign_in_at_github(hedy, sandbox)
    hedy.sign_in(HEDY, "--client", "plain")
    rows = hedy.foyer("scopes", "--json").json["scopes"]
    meanings = {row["clientId"]: row["meanings"] for row in rows}
    assert meanings[OAUTH_APP]["repo"]["risk"] == "high"
    assert "public_repo" in meanings[OAUTH_APP]["repo"]["includes"]
    assert "notes.read" not in meanings["oauth-endless"]


def test_at_github_the_page_ends_the_grant_unless_the_tokens_are_reported(hedy, sandbox):
    sign_in_at_github(hedy, sandbox)
    token = hedy.foyer("token", "--client", "github", "--silent").stdout.strip()
    gone = sign_out(hedy, "github")
    assert gone.status == 0 and gone.json["revoked"]["outcome"] == "notOffered", gone
    assert gone.json["grantPage"] == f"{sandbox.base}/settings/connections/applications/{OAUTH_APP}"
    assert gone.json["accessTokensDieAt"] is None and gone.json["accessTokensRemain"] is True
    assert api_status(sandbox, token) == 200 and access_tokens(hedy) == []

    sign_in_at_github(hedy, sandbox)
    token = hedy.foyer("token", "--client", "github", "--silent").stdout.strip()
    gone = sign_out(hedy, "github", "--revoke-as-leaked")
    assert gone.status == 0 and gone.json["revoked"]["outcome"] == "done", gone
    assert gone.json["grantPage"] is None and gone.json["accessTokensRemain"] is False
    assert api_status(sandbox, token) == 401


def sign_out(person, client, *options):
    (account,) = person.foyer("accounts", "--json").json["accounts"]
    return person.foyer(
        "sign-out", account["homeAccountId"], "--client", client, "--browser", "none", "--json", *options
    )


def access_tokens(person):
    return [token for token in person.foyer("tokens", "--json").json["tokens"] if token["type"] == "AccessToken"]


def test_without_a_refresh_token_the_access_token_is_revoked(hedy, sandbox):
    hedy.sign_in(HEDY, "--client", "plain")
    count = sandbox.requests("as/one:revoke")
    gone = sign_out(hedy, "plain")
    assert gone.status == 0 and gone.json["revoked"]["outcome"] == "done", gone
    assert gone.json["accessTokensRemain"] is False and sandbox.requests("as/one:revoke") == count + 1
