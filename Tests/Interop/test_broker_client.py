"""foyer as the client of another program's broker, on the session bus."""

import json
import sys
import time

import pytest

pytest.importorskip("dbus_next", reason="dbus-next is not installed: nobody is the broker")

from brokers import SILENTLY
from harness import ADA, GRACE, TRY_OUT, Store, assert_no_secret

TOKEN = ("token", "--silent", "--json", "--verbose")
DEVICE = {"error": "invalid_grant", "codes": [53000], "description": "AADSTS53000: the device is not compliant."}


def trust(person, use):
    with open(person.home / "config/foyer/config.toml", "a") as settings:
        settings.write(f'\n[broker]\nuse = "{use}"\n')


def serve(session, answers):
    """Starts the broker; the access token in the store is over."""
    session.serve(answers)
    Store(session.person.store).age()


def kept(person, username=ADA):
    """What the store has of somebody, as a broker would answer with it."""
    store = Store(person.store).read()
    account = next(entry for entry in store["Account"].values() if entry["username"] == username)
    home = account["home_account_id"]
    id_token = next(entry["secret"] for entry in store["IdToken"].values() if entry["home_account_id"] == home)
    known = {
        "environment": "login.windows.net",
        "homeAccountId": home,
        "localAccountId": account["local_account_id"],
        "username": username,
        "realm": home.split(".")[1],
        "name": "A",
        "givenName": "A",
        "passwordExpiry": 0,
    }
    given = {
        "accessToken": "of-the-broker",
        "accessTokenType": 0,
        "idToken": id_token,
        "account": known,
        "expiresOn": int(time.time() + 3600) * 1000,
        "grantedScopes": "User.Read",
    }
    return {"getAccounts": {"accounts": [known]}, SILENTLY: {"brokerTokenResponse": given}}


def test_the_broker_is_not_asked_unless_it_is_trusted(session, ada, sandbox):
    serve(session, kept(ada))
    assert ada.foyer(*TOKEN).json["source"] == "refresh"
    sandbox.fault("error", endpoint="token:refresh_token", **DEVICE)
    refused = ada.foyer("token", "--silent", "--force-refresh")
    assert 'use = "device"' in refused.stderr and session.asked() == [], refused


def test_a_device_that_has_to_prove_itself_is_left_to_the_broker(session, ada, sandbox):
    trust(ada, "device")
    serve(session, kept(ada))
    sandbox.fault("error", endpoint="token:refresh_token", **DEVICE)
    given = ada.foyer(*TOKEN)
    assert given.status == 0 and given.json["source"] == "broker", given
    assert given.json["accessToken"] == "of-the-broker"
    assert [event["outcome"] for event in given.events if event.get("step") == "broker"] == ["done"], given
    (method, asked) = session.asked()[-1]
    assert method == SILENTLY and asked["authParameters"]["clientId"] == TRY_OUT
    assert asked["authParameters"]["requestedScopes"] == ["User.Read"]
    # It is in the store, and the sign-in beside it is as it was.
    count = len(session.asked())
    assert ada.foyer(*TOKEN).json["source"] == "cache" and len(session.asked()) == count
    assert Store(ada.store).section("RefreshToken")


def test_a_broker_of_full_trust_is_asked_first(session, ada, sandbox):
    trust(ada, "always")
    serve(session, kept(ada))
    asked = sandbox.requests("token:refresh_token")
    assert ada.foyer(*TOKEN).json["source"] == "broker"
    assert sandbox.requests("token:refresh_token") == asked


def test_an_account_that_only_the_broker_has_is_used_and_stored(session, ada, sandbox):
    trust(ada, "device")
    answers = kept(ada)
    assert ada.foyer("remove", ADA).status == 0
    session.serve({**answers, "getAccounts": {"accounts": []}})
    assert ada.foyer(*TOKEN).status == 3
    (session.folder / "answers.json").write_text(json.dumps(answers))
    given = ada.foyer(*TOKEN)
    assert given.status == 0 and given.json["source"] == "broker", given
    assert given.json["account"]["username"] == ADA
    (account,) = Store(ada.store).section("Account").values()
    assert account["account_source"] == "broker"
    assert not Store(ada.store).section("RefreshToken")


def test_a_brokers_token_of_somebody_else_is_refused(session, ada, sandbox):
    ada.sign_in(GRACE)
    trust(ada, "always")
    serve(session, {**kept(ada), SILENTLY: kept(ada, GRACE)[SILENTLY]})
    given = ada.foyer(*TOKEN, "--account", ADA)
    assert given.json["source"] == "refresh" and given.json["account"]["username"] == ADA, given
    assert any(event.get("step") == "broker" and event["outcome"] == "failed" for event in given.events)
    assert "of-the-broker" not in Store(ada.store).path.read_text()


WRONG = [
    {},
    {"accessToken": "a\nb", "idToken": "x", "expiresOn": 1},
    {"error": {"status": 2, "context": "\x1b[31mno", "tag": 1}},
    {"accessToken": "of-the-broker", "idToken": "a.b.c", "expiresOn": 10**14},
]


@pytest.mark.parametrize("answer", [{}, [], *({"brokerTokenResponse": each} for each in WRONG)])
def test_whatever_the_broker_says_the_own_sign_in_goes_on(session, ada, sandbox, answer):
    trust(ada, "always")
    serve(session, {**kept(ada), SILENTLY: answer})
    given = ada.foyer(*TOKEN)
    assert given.status == 0 and given.json["source"] == "refresh", given
    assert "\x1b" not in given.stderr and "of-the-broker" not in Store(ada.store).path.read_text()
    assert_no_secret(ada.store, ada.foyer("doctor"))


@pytest.mark.parametrize("end", ["die", "silence"])
def test_a_broker_that_dies_or_is_silent_costs_no_token(session, ada, sandbox, end):
    trust(ada, "always")
    serve(session, {**kept(ada), "getAccounts": end})
    given = ada.foyer(*TOKEN)
    assert given.status == 0 and given.json["source"] == "refresh", given
    assert [method for method, _ in session.asked()] == ["getAccounts"]


def test_foyer_does_not_ask_itself(session, ada, sandbox):
    trust(ada, "always")
    session.enable()
    Store(ada.store).age()
    # Not started for it, either.
    given = ada.foyer(*TOKEN)
    assert given.json["source"] == "refresh" and "foyer itself" in given.stderr, given
    assert not session.has_owner("com.microsoft.identity.broker1")
    Store(ada.store).age()
    wish = {"clientId": TRY_OUT, "authority": sandbox.authority(), "requestedScopes": ["User.Read"], "username": ADA}
    assert "error" not in session.call(SILENTLY, {"authParameters": wish})["brokerTokenResponse"]
    assert [entry["outcome"] for entry in session.answers] == ["given"]


def test_the_doctor_says_who_is_the_broker(session, ada, sandbox):
    def broker():
        found = ada.foyer("doctor", "--json").json["findings"]
        return next(finding for finding in found if finding["subject"] == "broker")

    assert "no broker" in broker()["detail"]
    session.enable()
    assert "foyer is the broker" in broker()["detail"]
    assert ada.foyer("broker", "disable").status == 0
    session.serve({})
    assert sys.executable.rsplit("/", 1)[-1][:6] in broker()["detail"], json.dumps(broker())
