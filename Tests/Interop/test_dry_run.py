"""`foyer token --dry-run` says what a silent call would do and does nothing; the silent call then does what it said."""

import json
import time

import pytest
from harness import ADA, FABRIKAM, GRACE, Store, assert_no_secret


def aged(person, sandbox):
    Store(person.store).age()


def due(person, sandbox):
    Store(person.store).change("AccessToken", refresh_on=str(int(time.time()) - 10))


def unrenewable(person, sandbox):
    person.store.write_text(json.dumps({**Store(person.store).read(), "RefreshToken": {}}))


def both(*steps):
    return lambda person, sandbox: [step(person, sandbox) for step in steps]


def throttled(person, sandbox):
    aged(person, sandbox)
    sandbox.fault("status", status=429, retry_after=3600, endpoint="token")
    assert person.foyer("token", "--silent").status == 6


def asked_for_the_person(person, sandbox):
    aged(person, sandbox)
    sandbox.fault("error", error="invalid_grant", codes=[50076], endpoint="token:refresh_token")
    assert person.foyer("token", "--silent").status == 3


def two_people(person, sandbox):
    person.sign_in(GRACE)


def nothing(person, sandbox):
    pass


CLAIMS = '{"access_token":{"x":null}}'
OTHER_CLIENT = ["--client", "cli", "--account", ADA]
# What is prepared, the options, the exit status, the decision, its reason, and the findings of the credentials.
SITUATIONS = {
    "a fresh token": (nothing, [], 0, "serve", "valid", ["served", "notNeeded"]),
    "an expired token": (aged, [], 0, "refresh", "expired", ["expired", "sent"]),
    "a forced refresh": (nothing, ["--force-refresh"], 0, "refresh", "forcedRefresh", ["forcedRefresh", "sent"]),
    "a claims challenge": (nothing, ["--claims", CLAIMS], 0, "refresh", "claimsAsked", ["claimsAsked", "sent"]),
    "another scope": (nothing, ["--scope", "Mail.Read"], None, "refresh", "noAccessToken", ["scopesMissing", "sent"]),
    "another tenant": (nothing, ["--tenant", FABRIKAM], None, "refresh", "noAccessToken", ["otherTenant", "sent"]),
    "due for renewal": (due, [], 0, "refresh", "dueForRenewal", ["dueForRenewal", "sent"]),
    "due and not renewable": (both(due, unrenewable), [], 0, "serve", "notRenewable", ["served"]),
    "expired and not renewable": (both(aged, unrenewable), [], 3, "interaction", "noCredential", ["expired"]),
    "another client": (nothing, OTHER_CLIENT, 3, "interaction", "noCredential", ["otherClient", "notOfFamily"]),
    "throttled": (throttled, [], 6, "refresh", "throttled", ["expired", "throttled"]),
    "a person was asked for": (asked_for_the_person, [], 3, "interaction", "askedByProvider", ["expired", "refused"]),
    "two people": (two_people, [], 8, None, None, None),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_dry_run_says_what_the_silent_call_then_does_and_touches_nothing(ada, sandbox, name):
    def seen():
        """What the provider was asked, and the files."""
        files = {path: path.read_bytes() for path in ada.store.parent.rglob("*") if path.is_file()}
        return sandbox.requests("token:refresh_token"), sandbox.requests("discovery"), files

    prepare, options, status, decision, reason, findings = SITUATIONS[name]
    prepare(ada, sandbox)
    before = seen()
    dry = ada.foyer("token", "--dry-run", "--json", *options)
    text = ada.foyer("token", "--dry-run", *options)
    assert seen() == before, "nobody is asked, and nothing is written"
    assert_no_secret(ada.store, dry, text)
    assert dry.status == text.status, (dry, text)
    if decision is not None:
        said = dry.json
        assert (said["decision"], said["reason"]) == (decision, reason), dry
        assert [credential["finding"] for credential in said["considered"]] == findings, dry
        assert text.stdout.startswith(decision + ":"), text

    silent = ada.foyer("token", "--silent", "--json", *options)
    if status is None:
        # What the provider answers is its own business: that it is asked is what was said.
        assert dry.status == 0 and sandbox.requests("token:refresh_token") == before[0] + 1
        return
    assert dry.status == status == silent.status, (dry, silent)
    if status:
        assert dry.error["code"] == silent.error["code"], (dry, silent)
    if decision == "serve":
        assert silent.json["source"] == "cache"
    elif status == 0:
        assert silent.json["source"] == "refresh" and dry.json["credential"]["type"] == "RefreshToken"


def test_a_dry_run_waits_for_no_lock(ada):
    (ada.store.parent / (ada.store.name + ".lockfile")).write_text("1 another program")
    Store(ada.store).age()
    # Who waits for it gives up, and fails.
    assert ada.foyer("token", "--dry-run").status == 0
