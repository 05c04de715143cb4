"""foyer as the Linux identity broker: programs of the session have tokens of foyer's accounts by
com.microsoft.identity.broker1."""

import ctypes.util
import importlib.util
import json
import os
import signal
import time
from pathlib import Path

import pytest

pytest.importorskip("dbus_next", reason="dbus-next is not installed: nobody calls the broker")

from brokers import INTERACTIVELY, SILENTLY, Runtime, Session
from harness import ADA, AZURE_CLI, AZURE_POWERSHELL, CURL, GRACE, TRY_OUT, Store, assert_no_secret, until
from waiting import PATIENCE

CORRELATION = "abcdefab-0000-4000-8000-00000000abcd"
NAME = "com.microsoft.identity.broker1"
ANOTHER = f"[D-BUS Service]\nName={NAME}\nExec=/bin/false\n"
CHALLENGE = json.dumps({"access_token": {"nbf": {"essential": True, "value": "1"}}})


@pytest.fixture
def broker(session):
    session.enable()
    return session


def wish(sandbox, username=ADA, client=TRY_OUT, scopes=("User.Read",), **more):
    known = {"clientId": client, "requestedScopes": list(scopes), "username": username, "authorizationType": 1}
    place = {"authority": sandbox.authority(), "redirectUri": "https://example.org/"}
    return {"authParameters": {**place, **known, **more}}


def status(answer):
    return answer["brokerTokenResponse"]["error"]["status"]


def response(answer):
    found = answer["brokerTokenResponse"]
    assert "error" not in found, found
    return found


def ended(call):
    return json.loads(call.communicate(timeout=PATIENCE)[0])


def decide(broker, *words):
    """Answers the one question that waits for the person, and returns it."""
    (waiting,) = until(broker.requests, what="the question")
    assert broker.person.foyer("agent", "requests", words[0], waiting["id"], *words[1:]).status == 0
    return waiting


# Whose name it is


def test_the_bus_starts_the_broker_and_disabling_ends_it(session):
    assert session.call("getLinuxBrokerVersion")["error"].endswith("ServiceUnknown")
    assert session.enable()["enabled"]
    assert session.call("getLinuxBrokerVersion", {"msalCppVersion": "1"})["linuxBrokerVersion"].startswith("foyer-")
    told = session.person.foyer("broker", "status", "--json").json
    assert told["enabled"] and told["running"] and told["otherBroker"] is None, told
    assert "foyer is the broker" in session.person.foyer("broker", "status").stdout
    disabled = session.person.foyer("broker", "disable", "--json")
    assert disabled.json == {"removed": True}, disabled
    until(lambda: not session.has_owner(NAME), what="the end of the broker")
    assert session.call("getLinuxBrokerVersion")["error"].endswith("ServiceUnknown")
    assert list(session.services.iterdir()) == []


def test_another_broker_or_its_package_is_left_alone(session):
    file = session.package / "other.service"
    file.write_text(ANOTHER)
    refused = session.person.foyer("broker", "enable")
    assert refused.status == 78 and str(file) in refused.stderr, refused
    assert not (session.services / f"{NAME}.service").exists()
    file.unlink()
    session.serve({})
    refused = session.person.foyer("broker", "enable")
    assert refused.status == 78 and "another broker is installed" in refused.stderr, refused
    served = session.person.foyer("broker", "--foreground")
    assert served.status == 78 and "another broker is running" in served.stderr, served
    assert session.person.foyer("broker", "status", "--json").json["otherBroker"], "it has an owner"


def test_whoever_looks_first_finds_the_methods_and_the_name_is_given_up_when_another_broker_is_installed(broker):
    assert set(broker.peer("introspect")) >= {SILENTLY, INTERACTIVELY, "getAccounts", "acquirePrtSsoCookie"}
    assert broker.call("noSuchMethod")["error"].endswith("UnknownMethod")
    (broker.package / "other.service").write_text(ANOTHER)
    until(lambda: not broker.has_owner(NAME), what="the end of the broker")


def test_without_calls_the_broker_ends_and_is_started_again(session):
    session.enable()
    file = session.services / f"{NAME}.service"
    file.write_text(file.read_text().replace("--foreground", "--foreground --idle 3"))
    session.call("getLinuxBrokerVersion")
    until(lambda: not session.has_owner(NAME), what="the end of the broker")
    assert "linuxBrokerVersion" in session.call("getLinuxBrokerVersion")


# Silent calls


def test_a_cached_a_refreshed_and_a_challenged_token(broker, ada, sandbox):
    first = response(broker.call(SILENTLY, wish(sandbox)))
    assert first["accessToken"] in Store(ada.store).secrets()
    assert first["account"]["username"] == ADA and first["accessTokenType"] == 0
    assert first["expiresOn"] > time.time() * 1000 and first["grantedScopes"] == "User.Read"
    asked = sandbox.requests("token:refresh_token")
    # The client's capabilities alone are no challenge.
    capable = json.dumps({"access_token": {"xms_cc": {"values": ["cp1"]}}})
    again = response(broker.call(SILENTLY, wish(sandbox, decodedClaims=capable)))
    assert again["accessToken"] == first["accessToken"] and sandbox.requests("token:refresh_token") == asked
    renewed = response(broker.call(SILENTLY, wish(sandbox, accessTokenToRenew=first["accessToken"])))
    assert renewed["accessToken"] != first["accessToken"]
    challenged = response(broker.call(SILENTLY, wish(sandbox, decodedClaims=CHALLENGE)))
    assert challenged["accessToken"] not in (first["accessToken"], renewed["accessToken"])
    assert sandbox.requests("token:refresh_token") == asked + 2
    assert [answer["outcome"] for answer in broker.answers] == ["given"] * 4
    assert broker.answers[0]["clientId"] == TRY_OUT and broker.answers[0]["account"] == ADA
    assert "python" in broker.answers[0]["program"]
    for secret in Store(ada.store).secrets():
        assert secret not in broker.log and secret not in json.dumps(broker.answers)


def test_accounts_are_named_to_clients_that_can_have_their_tokens_and_who_is_gone_has_to_be_asked(broker, ada, sandbox):
    (account,) = broker.call("getAccounts", {"clientId": TRY_OUT})["accounts"]
    assert account["username"] == ADA and account["localAccountId"] and account["realm"]
    # No sign-in, and not of the family.
    assert broker.call("getAccounts", {"clientId": "99999999-2222-3333-4444-555555555555"})["accounts"] == []
    home = account["homeAccountId"]
    assert response(broker.call(SILENTLY, wish(sandbox, None, account={"homeAccountId": home})))
    # A beginning of a name means nobody.
    assert status(broker.call(SILENTLY, wish(sandbox, "ad"))) == 2
    assert status(broker.call(SILENTLY, wish(sandbox, None, account={"homeAccountId": home[:8]}))) == 2
    assert ada.foyer("remove", ADA).status == 0
    assert status(broker.call(SILENTLY, wish(sandbox, None, account={"homeAccountId": home}))) == 2
    assert broker.call("getAccounts", {"clientId": TRY_OUT})["accounts"] == []


def test_nothing_is_pretended_of_a_device_and_what_is_no_request_is_answered_by_the_contract(broker, sandbox):
    assert status(broker.call("acquirePrtSsoCookie", {"ssoUrl": "https://example.org"})) == 17
    assert status(broker.call("generateSignedHttpRequest", {"clientId": TRY_OUT, "popParams": {}})) == 9
    assert status(broker.call(SILENTLY, wish(sandbox, popParams={"shr_claims": "x"}))) == 9
    assert status(broker.call("removeAccount", {"clientId": TRY_OUT, "account": {}})) == 6
    for request in ("", "[]", "{}", '{"authParameters":{"clientId":"a b"}}', "{" * 1000):
        answer = broker.peer("call", SILENTLY, request)
        assert status(answer) == 6 and answer["brokerTokenResponse"]["error"]["tag"], request


# The agent's lock and questions


def test_a_locked_agent_gives_nothing_and_names_nobody(broker, ada, sandbox):
    response(broker.call(SILENTLY, wish(sandbox)))
    assert ada.foyer("agent", "lock").status == 0
    assert status(broker.call(SILENTLY, wish(sandbox))) == 2
    assert status(broker.call(INTERACTIVELY, wish(sandbox))) == 15
    assert broker.call("getAccounts", {"clientId": TRY_OUT})["accounts"] == []
    assert ada.foyer("agent", "unlock").status == 0
    response(broker.call(SILENTLY, wish(sandbox)))


def test_a_program_that_lives_on_another_clients_sign_in_is_asked_about_once(broker, ada, sandbox):
    ada.sign_in(ADA, "--client", "cli")
    wanted = wish(sandbox, client=AZURE_POWERSHELL)
    call = broker.begin(SILENTLY, wanted)
    waiting = decide(broker, "refuse")
    assert "python" in waiting["asker"] and waiting["account"] == ADA, waiting
    assert status(ended(call)) == 7
    # What was allowed once has left a sign-in of the client in the store, which allows nothing.
    for words in (["allow"], ["allow", "--always"]):
        call = broker.begin(SILENTLY, wanted)
        decide(broker, *words)
        response(ended(call))
    response(broker.call(SILENTLY, wish(sandbox, client=AZURE_POWERSHELL, scopes=["Mail.Read"])))
    # Who was signed in for the client itself is not asked.
    response(broker.call(SILENTLY, wish(sandbox, client=AZURE_CLI)))


def test_only_foyers_broker_asks_the_agent_for_other_processes(broker, sandbox):
    response(broker.call(SILENTLY, wish(sandbox)))
    for request in (
        broker.agent.request(forProcess=os.getpid()),
        {**broker.agent.request(forProcess=1), "op": "accounts"},
        {"op": "signIn", "client": "c", "account": "", "instruction": "open a page", "forProcess": 1},
    ):
        assert broker.agent.client().ask(request)["error"]["code"] == "usage"


# Several at once


def test_a_slow_refresh_does_not_hold_up_another_account(broker, ada, sandbox):
    ada.sign_in(GRACE)
    Store(ada.store).age()
    response(broker.call(SILENTLY, wish(sandbox)))
    sandbox.hold()
    slow = broker.begin(SILENTLY, wish(sandbox, accessTokenToRenew="x"))
    until(lambda: sandbox.requests("token:refresh_token") >= 2, what="the slow request")
    fast = response(broker.call(SILENTLY, wish(sandbox, GRACE)))
    assert fast["account"]["username"] == GRACE
    # Nobody has answered the slow one.
    sandbox.release()
    ended(slow)
    assert response(broker.call(SILENTLY, wish(sandbox)))["account"]["username"] == ADA


def test_callers_that_ask_the_same_share_one_refresh(broker, ada, sandbox):
    broker.call("getLinuxBrokerVersion")
    Store(ada.store).age()
    asked = sandbox.requests("token:refresh_token")
    calls = [broker.begin(SILENTLY, wish(sandbox)) for _ in range(4)]
    tokens = {response(ended(call))["accessToken"] for call in calls}
    assert len(tokens) == 1 and sandbox.requests("token:refresh_token") == asked + 1


def test_a_broker_that_is_killed_in_the_middle_loses_no_sign_in(broker, ada, sandbox):
    response(broker.call(SILENTLY, wish(sandbox)))
    sandbox.hold()
    asked = sandbox.requests("token:refresh_token")
    call = broker.begin(SILENTLY, wish(sandbox, accessTokenToRenew="x"))
    until(lambda: sandbox.requests("token:refresh_token") > asked, what="the request")
    kill_broker(ada)
    assert ended(call)["error"].endswith("NoReply")
    sandbox.release()
    assert response(broker.call(SILENTLY, wish(sandbox)))["account"]["username"] == ADA
    until(lambda: ada.foyer("token", "--silent", "--force-refresh").status == 0, what="another refresh")


def kill_broker(person):
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_broker = b"broker\0--foreground" in (folder / "cmdline").read_bytes()
            environment = (folder / "environ").read_bytes() if is_broker else b""
        except OSError:
            continue
        if is_broker and (not environment or str(person.home).encode() in environment):
            os.kill(int(folder.name), signal.SIGKILL)


# Sign-in by a person


def test_a_sign_in_in_the_browser(ada, sandbox):
    session = Session(ada, BROWSER=CURL)
    try:
        session.enable()
        done = response(session.call(INTERACTIVELY, wish(sandbox, GRACE, authorizationType=6)))
        assert done["account"]["username"] == GRACE and done["idToken"]
        assert response(session.call(SILENTLY, wish(sandbox, GRACE)))["accessToken"] == done["accessToken"]
    finally:
        session.stop()


def test_without_a_display_the_code_is_among_what_waits_for_the_person(broker, ada, sandbox):
    call = broker.begin(INTERACTIVELY, wish(sandbox, GRACE, authorizationType=6))
    (code,) = until(sandbox.waiting_codes, what="the code")
    (waiting,) = until(broker.requests, what="the request")
    assert code in waiting["scopes"] and "python" in waiting["asker"], waiting
    sandbox.approve(code, GRACE)
    assert response(ended(call))["account"]["username"] == GRACE
    until(lambda: not broker.requests(), what="the end of the request")
    assert_no_secret(ada.store, ada.foyer("broker", "status"))


def test_a_sign_in_is_refused_by_the_person_or_taken_back_by_the_program(broker, ada, sandbox):
    call = broker.begin(INTERACTIVELY, wish(sandbox, GRACE))
    decide(broker, "refuse")
    assert status(ended(call)) == 7
    call = broker.begin(INTERACTIVELY, wish(sandbox, GRACE), CORRELATION)
    until(broker.requests, what="the request")
    assert broker.call("cancelInteractiveFlow", {}, CORRELATION) == {}
    assert status(ended(call)) == 7
    until(lambda: not broker.requests(), what="the end of the request")


# MSAL's own run-time


@pytest.fixture
def runtime(broker):
    if not importlib.util.find_spec("pymsalruntime"):
        pytest.skip("pymsalruntime is not installed: msal[broker]")
    if not ctypes.util.find_library("webkit2gtk-4.1"):
        pytest.skip("pymsalruntime needs libwebkit2gtk-4.1-0, which is not installed")
    broker.start_keyring()
    return Runtime(broker)


def test_msals_run_time_finds_renews_challenges_and_misses(runtime, broker, ada, sandbox):
    def ask(step, **more):
        return runtime.ask(step, TRY_OUT, sandbox.authority(), **more)

    assert len(ask("discover")["accounts"]) == 1
    first = ask("signin")
    assert first["token"] in Store(ada.store).secrets() and first["account"], first
    assert ask("silent", account=first["account"])["token"] == first["token"]
    renewed = ask("silent", account=first["account"], renew=first["token"])
    assert renewed["token"] != first["token"]
    challenged = ask("silent", account=first["account"], claims=CHALLENGE)
    assert challenged["token"] not in (first["token"], renewed["token"]), challenged
    assert ada.foyer("remove", ADA).status == 0
    missing = ask("silent", account=first["account"], renew=renewed["token"])
    assert missing["status"] == "Response_Status.Status_InteractionRequired", missing


def test_msals_run_time_signs_in_by_a_code_that_foyer_shows(runtime, broker, ada, sandbox):
    runtime.begin("interactive", TRY_OUT, sandbox.authority(), hint=GRACE)
    (code,) = until(sandbox.waiting_codes, what="the code")
    sandbox.approve(code, GRACE)
    done = runtime.answer()
    assert done.get("token") in Store(ada.store).secrets(), done


def test_two_run_times_at_once(runtime, broker, ada, sandbox):
    ada.sign_in(GRACE, "--client", "cli")
    other = Runtime(broker)
    runtime.begin("signin", TRY_OUT, sandbox.authority())
    other.begin("signin", AZURE_CLI, sandbox.authority())
    first, second = runtime.answer(), other.answer()
    assert first["token"] and second["token"] and first["token"] != second["token"], (first, second)


def test_msals_run_time_hears_of_a_broker_that_died(runtime, broker, ada, sandbox):
    first = runtime.ask("signin", TRY_OUT, sandbox.authority())
    sandbox.hold()
    asked = sandbox.requests("token:refresh_token")
    runtime.begin("silent", TRY_OUT, sandbox.authority(), account=first["account"], renew=first["token"])
    until(lambda: sandbox.requests("token:refresh_token") > asked, what="the request")
    kill_broker(ada)
    assert runtime.answer()["status"] == "Response_Status.Status_Unexpected"
    sandbox.release()
    assert runtime.ask("silent", TRY_OUT, sandbox.authority(), account=first["account"])["token"]
