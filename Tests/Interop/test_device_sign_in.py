"""Signing in by device code (RFC 8628), with --json as a script sees it and in words as a person does."""

import re
import subprocess

import pytest
from harness import ADA, CONTOSO, HEDY, TRY_OUT, Store, assert_no_secret, until
from waiting import PATIENCE

TOKEN_MEMBERS = (
    "accessToken tokenType expiresOn extendedExpiresOn scopes tenantId clientId authority source idTokenClaims account "
    "correlationId"
)
SIGN_IN = ("sign-in", "--json", "--via", "device")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


@pytest.fixture
def person(person, sandbox):
    person.work_settings(sandbox)
    return person


def sign_in_by_device(person, sandbox, username=ADA, *arguments, command=SIGN_IN):
    running = person.start(*command, *arguments)
    event = running.wait_event("deviceCode")
    sandbox.approve(event["userCode"], username)
    return event, running.end()


@pytest.mark.parametrize("verbose", [[], ["--verbose"]])
def test_the_events_tell_the_whole_sign_in_one_json_object_a_line(person, sandbox, verbose):
    event, result = sign_in_by_device(person, sandbox, ADA, *verbose)
    assert result.status == 0 and all(isinstance(event, dict) for event in result.events), result
    assert re.fullmatch("[A-Z0-9]{9}", event["userCode"])
    assert event["verificationUri"].startswith(sandbox.base)
    assert TIME.match(event["expiresAt"]) and event["interval"] == 1
    assert "verificationUriComplete" not in event, "the provider gave none"
    names = [event["event"] for event in result.events]
    assert set(names) <= {"step", "deviceCode", "completed", "warning"} and names[-1] == "completed" and "step" in names
    assert all({"step", "outcome", "detail"} <= event.keys() for event in result.events if event["event"] == "step")
    assert result.json["account"]["username"] == ADA
    assert result.json["account"]["homeAccountId"].endswith("." + CONTOSO)
    assert_no_secret(person.store, result)


def test_a_complete_verification_address_is_passed_on(person, sandbox):
    event, result = sign_in_by_device(person, sandbox, HEDY, "--client", "lab")
    assert result.status == 0 and event["userCode"] in event["verificationUriComplete"], result


def test_a_silent_token_is_the_one_that_was_stored_and_comes_without_a_request(person, sandbox):
    sign_in_by_device(person, sandbox)
    before = sandbox.state()["requests"]
    (stored,) = Store(person.store).section("AccessToken").values()
    plain = person.foyer("token", "--silent")
    assert (plain.status, plain.stdout, plain.stderr) == (0, stored["secret"] + "\n", "")
    result = person.foyer("token", "--silent", "--json")
    token = result.json
    assert result.status == 0 and result.stderr == "" and token.keys() == set(TOKEN_MEMBERS.split()), result
    assert token["accessToken"] == stored["secret"] and token["source"] == "cache" and token["tokenType"] == "Bearer"
    assert TIME.match(token["expiresOn"])
    assert token["extendedExpiresOn"] is None or TIME.match(token["extendedExpiresOn"])
    assert "User.Read" in token["scopes"] and token["tenantId"] == CONTOSO and token["clientId"] == TRY_OUT
    assert token["authority"].startswith(sandbox.base)
    assert {"homeAccountId", "username", "environment", "name", "localAccountId"} <= token["account"].keys()
    assert token["account"]["name"] == "Ada Lovelace" and token["idTokenClaims"]["preferred_username"] == ADA
    assert re.fullmatch("[0-9a-f-]{36}", token["correlationId"])
    assert sandbox.state()["requests"] == before


def test_a_person_types_the_code_into_the_providers_page(person, sandbox):
    running = person.start("sign-in", "--via", "device")
    code = until(sandbox.waiting_codes, what="a device code")[0]
    page = running.wait_line(lambda line: "http" in line).split("open ")[1].split(" ")[0]
    assert code in running.wait_line(lambda line: line.startswith("    "))
    form = f"user_code={code}&username={ADA}&password=sandbox&consent=accept"
    answer = subprocess.run(["curl", "-s", page, "-d", form], capture_output=True, text=True, timeout=PATIENCE)
    assert "You are signed in" in answer.stdout
    result = running.end()
    assert result.status == 0 and ADA in result.stdout, result
    assert_no_secret(person.store, result)


def test_a_poll_that_is_still_too_early_is_followed_by_another(person, sandbox):
    sandbox.fault("pending", times=1)
    running = person.start("sign-in", "--via", "device", "--verbose")
    sandbox.approve(until(sandbox.waiting_codes)[0], ADA)
    assert running.end().status == 0
    assert sandbox.requests("token:device_code") == 2


def test_a_person_who_declines_is_told_so(person, sandbox):
    running = person.start(*SIGN_IN)
    sandbox.control("approve", {"user_code": running.wait_event("deviceCode")["userCode"], "deny": True})
    result = running.end()
    assert result.status == 130 and result.error["code"] == "cancelled", result
    assert [event["code"] for event in result.events if event.get("event") == "failed"] == ["cancelled"]
    assert not person.store.exists()


def test_an_expired_code_says_so(person, sandbox):
    running = person.start(*SIGN_IN)
    running.wait_event("deviceCode")
    sandbox.fault("expired")
    result = running.end()
    assert result.status == 3 and result.error["code"] == "interactionRequired", result


def test_an_interactive_token_asks_a_person_and_prints_the_token_alone(person, sandbox):
    _, result = sign_in_by_device(person, sandbox, command=("token", "--via", "device", "--json"))
    assert result.status == 0 and result.json["source"] == "interactive", result
    assert result.json["accessToken"] not in result.stderr
