"""What real providers do that breaks clients: each habit of the sandbox, and what a person has of it."""

import re
import subprocess
import urllib.request

import pytest
from harness import HEDY, LAB, Store


@pytest.fixture
def lab(person, sandbox):
    def settle(more=""):
        return person.settings(
            f'[clients.lab]\nclient_id = "{LAB}"\nauthority = "{sandbox.issuer}"\nkind = "oidc"\nscopes = ["openid", "profile", "email"]\n{more}')

    person.resettle = settle
    settle()
    return person


def habit(sandbox, name):
    sandbox.fault("habit", name=name)


def by_code(person, sandbox, *arguments):
    running = person.start("sign-in", "--json", "--via", "device", "--client", "lab", *arguments)
    prompt = running.wait_event("deviceCode")
    sandbox.approve(prompt["userCode"], HEDY)
    result = running.end(30)
    assert result.status == 0, result
    return prompt


def lives(person):
    """Signed in: from the store, and renewed when that is over."""
    assert person.foyer("token", "--silent", "--json").json["source"] == "cache"
    for _ in range(2):
        Store(person.store).age()
        renewed = person.foyer("token", "--silent", "--json")
        assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed


HARMLESS = [
    "onlyOAuthMetadata", "splitMetadata", "advertisesNone", "nonceRequired", "extraParameters", "tokenTypeCase", "expiresInText",
    "expiresInEpoch", "shorterOnRefresh", "scopeAbsent", "scopeReordered", "scopeDuplicated", "noIDTokenOnRefresh", "fractionClaims",
    "textClaims", "listAudience", "formAnswers", "jsonAsHTML", "replayTolerated", "noRotation"]


@pytest.mark.parametrize("name", HARMLESS)
def test_signs_in_and_renews_as_ever(lab, sandbox, name):
    habit(sandbox, name)
    lab.sign_in(HEDY, "--client", "lab")
    lives(lab)


@pytest.mark.parametrize("name", ["noIDTokenOnDevice", "noInterval", "dashlessCodes", "verificationQuery", "neverSlowDown"])
def test_a_device_code_works_as_ever(lab, sandbox, name):
    habit(sandbox, name)
    prompt = by_code(lab, sandbox)
    if name == "noInterval":
        assert prompt["interval"] == 5
    if name == "verificationQuery":
        assert " " not in prompt["verificationUri"]
    lives(lab)


def test_without_any_document_the_endpoints_are_given_by_hand(lab, sandbox):
    document = lab_document(sandbox)
    habit(sandbox, "noMetadata")
    refused = lab.foyer("sign-in", "--json", "--client", "lab", "--via", "device")
    assert refused.status == 5 and "metadata" in refused.error["message"], refused
    names = {
        "authorization": "authorization_endpoint", "token": "token_endpoint", "device_authorization": "device_authorization_endpoint",
        "jwks": "jwks_uri", "userinfo": "userinfo_endpoint"}
    lab.resettle("[clients.lab.endpoints]\n" + "".join(f'{key} = "{document[name]}"\n' for key, name in names.items()))
    by_code(lab, sandbox)
    lives(lab)


def lab_document(sandbox):
    import json

    with urllib.request.urlopen(sandbox.issuer + "/.well-known/openid-configuration", timeout=10) as reply:
        return json.load(reply)


def test_an_issuer_that_does_not_match_is_refused_with_both_names_and_taken_when_it_is_set(lab, sandbox):
    habit(sandbox, "issuerMismatch")
    refused = lab.foyer("sign-in", "--json", "--client", "lab", "--via", "device")
    assert refused.status == 9, refused
    assert sandbox.issuer in refused.error["message"] and "/elsewhere" in refused.error["message"], refused
    lab.resettle(f'issuer = "{sandbox.base}/elsewhere"\n')
    running = lab.start("sign-in", "--json", "--via", "device", "--client", "lab")
    assert running.wait_event("deviceCode")["userCode"], "the document is believed now"
    running.process.terminate()
    running.end()


def test_a_redirect_uri_that_is_compared_with_its_port_never_comes_back_and_a_fixed_one_does(lab, sandbox):
    habit(sandbox, "exactPort")
    running = lab.start("sign-in", "--json", "--via", "browser", "--browser", "none", "--client", "lab")
    address = running.wait_event("browser")["authorizationUrl"]
    page = subprocess.run(["curl", "-sL", address + "&login_hint=" + HEDY], capture_output=True, text=True, timeout=20)
    assert "html" in page.stdout.lower() and running.process.poll() is None, "it is a page, and nothing comes"
    running.process.terminate()
    assert running.end().status in (130, -15)


def test_offline_access_may_need_consent_to_be_asked_for(lab, sandbox):
    habit(sandbox, "consentForOffline")
    lab.sign_in(HEDY, "--client", "lab")
    Store(lab.store).age()
    assert lab.foyer("token", "--silent").status == 3, "no refresh token was given"
    sandbox.control("auto", {"username": HEDY})
    lab.sign_in(HEDY, "--client", "lab", "--prompt", "consent")
    lives(lab)


def test_an_error_redirect_without_its_issuer_is_still_the_answer(lab, sandbox):
    habit(sandbox, "noIssInErrors")
    sandbox.fault("denied", endpoint="authorize")
    curl = "curl -sL -o /dev/null %s"
    result = lab.foyer("sign-in", "--json", "--via", "browser", "--browser", curl, "--login-hint", HEDY, "--client", "lab")
    assert result.status == 130 and result.error["code"] == "cancelled", result


@pytest.mark.parametrize("name", ["emptyErrors", "detailErrors", "invalidRequestForGrant", "forbiddenErrors"])
def test_a_dead_refresh_token_means_sign_in_again_however_it_is_said(lab, sandbox, name):
    lab.sign_in(HEDY, "--client", "lab")
    Store(lab.store).age()
    sandbox.control("revoke", {"username": HEDY})
    habit(sandbox, name)
    refused = lab.foyer("token", "--silent", "--json")
    assert refused.status == 3 and refused.error["code"] == "interactionRequired", refused


def test_a_code_that_the_provider_does_not_know_any_more_ends_the_wait(lab, sandbox):
    habit(sandbox, "unknownCode404")
    running = lab.start("sign-in", "--json", "--via", "device", "--client", "lab")
    running.wait_event("deviceCode")
    sandbox.reset()
    habit(sandbox, "unknownCode404")
    result = running.end(30)
    assert result.status in (3, 5), result


def test_a_failing_provider_spends_no_refresh_token(lab, sandbox):
    lab.sign_in(HEDY, "--client", "lab")
    Store(lab.store).age()
    sandbox.fault("status", status=503, endpoint="token")
    assert lab.foyer("token", "--silent").status == 6
    sandbox.control("faults", method="DELETE")
    for note in lab.store.parent.glob("*.throttle"):
        note.unlink()
    assert lab.foyer("token", "--silent").status == 0


@pytest.mark.parametrize(
    "name, revoked, ended",
    [("revocationRefused", "failed", "done"), ("noRevocation", "notOffered", "done"), ("noEndSession", "done", "notOffered"),
     ("logoutDropsState", "done", "done"), ("logoutPage", "done", "done"), ("exactPostLogout", "done", "done")])
def test_sign_out_goes_on_and_says_what_was_not_done(lab, sandbox, name, revoked, ended):
    lab.sign_in(HEDY, "--client", "lab")
    habit(sandbox, name)
    outcome = lab.foyer("sign-out", HEDY, "--json", "--browser", "true", "--client", "lab")
    assert outcome.status == 0, outcome
    assert outcome.json["removed"]["outcome"] == "done"
    assert (outcome.json["revoked"]["outcome"], outcome.json["sessionEnded"]["outcome"]) == (revoked, ended), outcome
    assert lab.foyer("token", "--silent", "--client", "lab").status == 3


@pytest.mark.parametrize("name", ["registrationSecret", "registrationSlashes", "registrationTextTimes"])
def test_registration_whatever_comes_back_with_it(person, sandbox, name):
    habit(sandbox, name)
    registered = person.foyer("register", "mine", "--authority", sandbox.issuer, "--json")
    assert registered.status == 0, registered
    text = (person.home / "config" / "foyer" / "config.toml").read_text()
    assert registered.json["clientId"] in text and "secret" not in text
    assert ("/" in registered.json["clientId"]) == (name == "registrationSlashes")
    assert person.sign_in(HEDY, "--client", "mine")["account"]["username"]


def test_every_habit_of_the_sandbox_is_in_this_table(sandbox):
    source = open(__file__).read()
    for name in sandbox.control("habits")["habits"]:
        assert re.search(rf'"{name}"', source), name
