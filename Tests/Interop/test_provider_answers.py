"""Answers of a provider that are not as they should be: what they take away, what they may not, and what is shown of
them."""

import json
import subprocess
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from harness import ADA, HEDY, Store, add_settings, assert_no_secret
from waiting import PATIENCE

LAB = ("token", "--silent", "--json", "--client", "lab")


@pytest.fixture
def hedy(person, sandbox):
    """Hedy has signed in at a provider whose refresh tokens work once, and her access token has expired since."""
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    Store(person.store).age()
    return person


@pytest.mark.parametrize(
    "fields",
    [{"expires_in": "soon"}, {"expires_in": -5}, {"scope": 7}, {"token_type": "mac"}, {"token_type": None}]
    + [{"access_token": None}, {"id_token": "x"}],
    ids=str,
)
def test_a_new_refresh_token_is_kept_whatever_is_wrong_with_the_rest(hedy, sandbox, fields):
    """RFC 6749 section 5.1; the token before is spent."""
    sandbox.fault("override", endpoint="token:refresh_token", fields=fields, times=1)
    first = hedy.foyer(*LAB)
    assert first.status == 9 and first.stdout == "", first
    second = hedy.foyer(*LAB)
    assert second.status == 0 and second.json["source"] == "refresh", second


@pytest.mark.parametrize("mutation", ["badSignature", "algNone", "wrongIssuer", "wrongAudience", "missingSub"])
def test_a_new_refresh_token_is_kept_whatever_is_wrong_with_the_id_token(hedy, sandbox, mutation):
    sandbox.fault("idToken", endpoint="token:refresh_token", mutation=mutation, times=1)
    first = hedy.foyer(*LAB)
    assert first.status == 9 and first.stdout == "", first
    assert "the sign-in is kept" in first.error["hint"] and "nothing was stored" not in first.stderr, first
    second = hedy.foyer(*LAB)
    assert second.status == 0 and second.json["source"] == "refresh", second


@pytest.mark.parametrize("algorithm", ["RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA"])
def test_a_provider_that_changes_its_signing_algorithm_signs_nobody_out(hedy, sandbox, algorithm):
    sandbox.control("keys/rotate", {"alg": algorithm})
    for _ in range(3):
        renewed = hedy.foyer(*LAB, "--force-refresh")
        assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed


def test_a_new_refresh_token_is_kept_when_no_key_is_there_to_check_the_id_token(hedy, sandbox):
    sandbox.control("keys/rotate", {})
    sandbox.fault("status", status=503, endpoint="jwks", times=9)
    hedy.foyer(*LAB)
    sandbox.control("faults", method="DELETE")
    renewed = hedy.foyer(*LAB, "--force-refresh")
    assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed


def test_an_error_beside_an_access_token_is_a_refusal(hedy, sandbox):
    """RFC 6749 section 5.2."""
    sandbox.fault("override", endpoint="token:refresh_token", fields={"error": "invalid_grant"}, times=1)
    refused = hedy.foyer(*LAB)
    assert refused.status == 3 and refused.stdout == "" and refused.error["oauthError"] == "invalid_grant", refused


def test_a_refusal_by_something_in_between_is_no_dead_refresh_token(hedy, sandbox):
    sandbox.fault("status", status=403, endpoint="token:refresh_token", times=1)
    assert hedy.foyer(*LAB).status != 0
    renewed = hedy.foyer(*LAB, "--force-refresh")
    assert renewed.status == 0, renewed


def test_a_short_token_is_served_from_the_cache_outside_entra_id(person, own_sandbox):
    """Else each call would be a refresh, and a rotation."""
    provider = own_sandbox("--access-token-lifetime", "200")
    person.work_settings(provider)
    person.sign_in(HEDY, "--client", "lab")
    token = person.foyer(*LAB)
    assert token.status == 0 and token.json["source"] == "cache", token


def test_what_was_sent_is_not_shown_when_the_provider_says_it_back(hedy, sandbox):
    (sent,) = [entry["secret"] for entry in Store(hedy.store).section("RefreshToken").values()]
    said = {"error": "invalid_request", "description": f"what is {sent} meant to be?"}
    sandbox.fault("error", endpoint="token:refresh_token", **said)
    refused = hedy.foyer(*LAB, "--force-refresh", "--verbose")
    assert refused.status != 0 and "what is" in refused.stderr, refused
    assert_no_secret(hedy.store, refused)


def test_who_refused_the_family_is_told_in_the_providers_words(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA, "--client", "cli")
    said = {
        "error": "invalid_grant",
        "suberror": "client_mismatch",
        "codes": [70002],
        "description": "Another client's.",
    }
    sandbox.fault("error", endpoint="token:refresh_token", **said)
    refused = person.foyer("token", "--silent", "--json", "--client", "powershell")
    assert refused.status == 3, refused
    assert refused.error["suberror"] == "client_mismatch" and refused.error["serverCodes"] == [70002], refused


def device(person, *arguments):
    running = person.start("sign-in", "--json", "--via", "device", "--client", "lab", *arguments)
    return running, running.wait_event("deviceCode")


def test_a_complete_address_elsewhere_is_left_out(person, sandbox):
    """RFC 8628 section 3.3.1: a person compares the code with what the page shows, which nobody can at another
    place."""
    person.work_settings(sandbox)
    elsewhere = {"verification_uri_complete": "https://elsewhere.example/?code=ABC"}
    sandbox.fault("override", endpoint="devicecode", fields=elsewhere)
    running, event = device(person)
    assert "verificationUriComplete" not in event and event["verificationUri"].startswith(sandbox.base), event
    sandbox.approve(event["userCode"], HEDY)
    assert running.end().status == 0


def test_a_code_that_lives_no_longer_than_the_pause_is_asked_for_before_its_end(person, sandbox):
    person.work_settings(sandbox)
    sandbox.fault("override", endpoint="devicecode", fields={"interval": 2 * PATIENCE, "expires_in": 12})
    running, event = device(person)
    sandbox.approve(event["userCode"], HEDY)
    result = running.end()
    assert result.status == 0, result


def test_a_redirect_to_another_address_of_this_machine_is_answered(person, sandbox):
    person.work_settings(sandbox)
    by_browser = ("sign-in", "--json", "--client", "lab", "--via", "browser", "--browser", "none")
    running = person.start(*by_browser, "--redirect-uri", "http://127.0.0.2:18941")
    event = running.wait_event("browser")
    (state,) = parse_qs(urlsplit(event["authorizationUrl"]).query)["state"]
    answer = urlencode({"error": "access_denied", "state": state, "iss": sandbox.issuer})
    curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"{event['redirectUri']}?{answer}"]
    done = subprocess.run(curl, capture_output=True, text=True, timeout=PATIENCE)
    assert event["redirectUri"].startswith("http://127.0.0.2:18941") and done.stdout == "200", (event, done)
    result = running.end()
    assert result.status == 130 and result.error["oauthError"] == "access_denied", result


def test_of_several_bound_sign_ins_one_key_stays(person, sandbox):
    """RFC 9449: a key without a token bound to it is of no use to anybody but a thief."""
    person.work_settings(sandbox)
    add_settings(person, "proof_of_possession = true\n")
    for _ in range(3):
        person.sign_in(HEDY, "--client", "lab")
    keys = json.loads(person.store.with_name(person.store.name + ".keys").read_text())["keys"]
    assert len(keys) == 1 and len(Store(person.store).section("AccessToken")) == 1
    # A bound refresh token goes with its proof, whatever the settings wish by now.
    person.work_settings(sandbox)
    renewed = person.foyer(*LAB, "--force-refresh")
    assert renewed.status == 0 and renewed.json["tokenType"] == "DPoP", renewed
