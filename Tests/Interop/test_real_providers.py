"""Against identity providers that nobody here wrote: django-allauth's and Django OAuth Toolkit."""

import json
import urllib.parse

import pytest
from harness import Store
from peers import allauth, toolkit  # noqa: F401
from waiting import PATIENCE

# One process runs these: each provider is started once.
pytestmark = pytest.mark.xdist_group("providers")


def settle(person, provider, client, scopes):
    person.trust(provider)
    person.settings(
        f'[clients.lab]\nclient_id = "{client}"\nauthority = "{provider.issuer}"\nkind = "oidc"\n'
        f'redirect_uri = "http://127.0.0.1/"\nscopes = {json.dumps(scopes)}\n'
    )
    return person


@pytest.fixture
def lab(person, allauth):
    return settle(person, allauth, "lab-native", ["openid", "profile", "email", "offline_access"])


def sign_in(person, provider, *arguments, **wish):
    words = ("sign-in", "--json", "--via", "browser", "--browser", provider.browser(person, **wish))
    return person.foyer(*words, *arguments)


def eight_make_one_request(person, provider, path):
    before = provider.requests(path)
    results = [each.end() for each in [person.start("token", "--silent") for _ in range(8)]]
    assert all(each.status == 0 for each in results) and len({each.stdout for each in results}) == 1, results
    assert provider.requests(path) == before + 1


def sign_out(person):
    account = person.foyer("accounts", "--json").json["accounts"][0]["homeAccountId"]
    outcome = person.foyer("sign-out", account, "--json", "--browser", "curl -s -o /dev/null %s")
    assert outcome.status == 0 and outcome.json["removed"]["outcome"] == "done", outcome
    assert person.foyer("token", "--silent", "--json").status == 3
    return outcome.json


def test_allauth_signs_in_by_loopback_and_serves_silently(lab, allauth):
    result = sign_in(lab, allauth)
    assert result.status == 0, result
    assert result.json["account"]["name"] == "Ada Lovelace" and result.json["account"]["username"]
    before = allauth.requests("/identity/o/api/token")
    token = lab.foyer("token", "--silent", "--json").json
    assert token["source"] == "cache" and allauth.requests("/identity/o/api/token") == before
    assert token["idTokenClaims"]["iss"] == allauth.issuer


def test_allauth_device_code_takes_the_identity_from_user_info(lab, allauth):
    """Its device grant brings no ID token."""
    running = lab.start("sign-in", "--json", "--via", "device", "--verbose")
    code = running.wait_event("deviceCode")
    said = allauth.visit(lab, code["verificationUri"], code=code["userCode"])
    result = running.end()
    assert result.status == 0, (result, said)
    assert result.json["account"]["name"] == "Ada Lovelace"
    assert "userInfo" in [event.get("step") for event in result.events]
    assert lab.foyer("token", "--silent", "--json").json["source"] == "cache"


def test_allauth_a_scope_whose_box_stays_empty_is_declined_and_the_rest_is_kept(lab, allauth):
    declined = sign_in(lab, allauth, "--scope", "openid profile things", leave_out=["things"])
    assert declined.status == 4 and declined.error["code"] == "declinedScopes", declined
    assert declined.error["declinedScopes"] == ["things"]
    # What was granted is kept, and serves without asking.
    assert lab.foyer("token", "--silent", "--scope", "openid profile").status == 0
    assert lab.foyer("token", "--silent", "--scope", "things").status in (3, 4)
    assert sign_in(lab, allauth, "--scope", "openid profile things").json["scopes"] == ["things"]


def test_allauth_eight_processes_rotate_one_refresh_token_once_and_the_chain_lives(lab, allauth):
    assert sign_in(lab, allauth).status == 0
    for _ in range(2):
        Store(lab.store).age()
        eight_make_one_request(lab, allauth, "/identity/o/api/token")


def test_allauth_sign_out_revokes_removes_and_opens_the_end_of_the_session(lab, allauth):
    assert sign_in(lab, allauth).status == 0
    outcome = sign_out(lab)
    assert outcome["revoked"]["outcome"] == "done", outcome
    page = urllib.parse.urlsplit(outcome["endSessionUrl"])
    assert page.netloc == urllib.parse.urlsplit(allauth.issuer).netloc and "id_token_hint=" not in page.query
    assert Store(lab.store).secrets() == []


def test_allauth_a_refresh_token_that_was_revoked_wants_a_person(lab, allauth):
    assert sign_in(lab, allauth).status == 0
    store = json.loads(lab.store.read_text())
    token = next(iter(store["RefreshToken"].values()))["secret"]
    data = urllib.parse.urlencode({"token": token, "client_id": "lab-native"}).encode()
    with allauth.opener.open(allauth.metadata()["revocation_endpoint"], data, timeout=PATIENCE) as reply:
        assert reply.status == 200
    Store(lab.store).age()
    refused = lab.foyer("token", "--silent", "--json")
    assert refused.status == 3 and refused.error["oauthError"] == "invalid_grant", refused


def test_allauth_registers_a_client_that_then_signs_in(person, allauth):
    person.trust(allauth)
    registered = person.foyer("register", "mine", "--authority", allauth.issuer, "--json")
    assert registered.status == 0, registered
    assert registered.json["clientId"] in (person.home / "config" / "foyer" / "config.toml").read_text()
    result = sign_in(person, allauth, "--client", "mine")
    assert result.status == 0 and result.json["clientId"] == registered.json["clientId"], result
    again = person.foyer("register", "mine", "--authority", allauth.issuer, "--json")
    assert again.status == 64, again


# Django OAuth Toolkit: client identifiers with slashes, rotation that ends the chain on reuse, exact scopes.


@pytest.fixture
def toolkit_person(person, toolkit):
    return settle(person, toolkit, "toolkit/native", ["openid", "read"])


def test_toolkit_signs_in_refreshes_and_signs_out(toolkit_person, toolkit):
    result = sign_in(toolkit_person, toolkit)
    assert result.status == 0, result
    assert result.json["account"]["username"] == "grace" and "read" in result.json["scopes"]
    Store(toolkit_person.store).age()
    eight_make_one_request(toolkit_person, toolkit, "/o/token/")
    Store(toolkit_person.store).age()
    assert toolkit_person.foyer("token", "--silent", "--json").json["source"] == "refresh", "the chain lives"
    sign_out(toolkit_person)
