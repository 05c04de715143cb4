"""A sign-out as a job: several accounts, a provider that is down, slow, or revokes nothing; cancelled, killed, and
ended later."""

import json
import signal

import pexpect
import pytest
from agents import Agent
from harness import FOYER, HEDY, Store, until
from waiting import linger, spawn

EMMY = "emmy@lab.example"

ASK = ("token", "--silent", "--client", "lab", "--scope", "openid profile email")
OUT = ("--browser", "none")


@pytest.fixture
def hedy(expired_hedy):
    return expired_hedy


def state_of(person, client="lab"):
    rows = person.foyer("accounts", "--json").json["accounts"]
    return [row["state"] for row in rows if row["client"] == client]


def refresh_tokens(person):
    return [e["secret"] for e in Store(person.store).read().get("RefreshToken", {}).values()]


def test_without_the_provider_a_sign_out_is_not_done(hedy, sandbox):
    sandbox.fault("status", endpoint="revoke", status=503, times=99)
    gone = hedy.foyer("sign-out", HEDY, "--client", "lab", "--json", *OUT)
    assert gone.status == 6 and gone.error["code"] == "unavailable", gone
    told = json.loads(gone.stdout)
    assert told["state"] == "signingOut" and told["finished"] is False, told
    assert told["revoked"]["outcome"] == "failed"
    assert state_of(hedy) == ["signingOut"]
    assert hedy.foyer("accounts", "--state", "signingOut", "--json").json["accounts"]
    assert "signing out" in hedy.foyer("accounts").stdout
    # It serves nothing, and asks the provider nothing.
    before = sandbox.requests("token:refresh_token")
    for words in (ASK, (*ASK, "--force-refresh"), ("id-token", "--client", "lab")):
        refused = hedy.foyer(*words)
        assert refused.status in (3, 8) and not refused.stdout.strip(), refused
    assert sandbox.requests("token:refresh_token") == before and refresh_tokens(hedy) == []
    # The secret is in no output.
    pending = [e for e in Store(hedy.store).read()["AccountMetadata"].values() if "revocation_secret" in e]
    assert len(pending) == 1
    for words in (("accounts", "--json"), ("tokens", "--json"), ("doctor", "--json"), ("stores", "--json")):
        assert pending[0]["revocation_secret"] not in hedy.foyer(*words).stdout
    # The same command once more is as much, and ends it when the provider is there again.
    assert hedy.foyer("sign-out", HEDY, "--client", "lab", *OUT).status == 6
    sandbox.control("faults", method="DELETE")
    assert hedy.foyer("sign-out", HEDY, "--client", "lab", *OUT).status == 0
    assert state_of(hedy) == [] and sandbox.state()["liveRefreshTokens"] == 0


def test_local_gives_up_on_the_provider(hedy, sandbox):
    sandbox.fault("status", endpoint="revoke", status=503, times=99)
    assert hedy.foyer("sign-out", HEDY, "--client", "lab", *OUT).status == 6
    gone = hedy.foyer("sign-out", HEDY, "--client", "lab", "--local", *OUT)
    assert gone.status == 0 and "no: " in gone.stdout, gone
    assert state_of(hedy) == [] and "revocation_secret" not in hedy.store.read_text()


def test_the_agent_ends_it_when_the_provider_is_back(hedy, sandbox):
    sandbox.fault("status", endpoint="revoke", status=503, times=99)
    assert hedy.foyer("sign-out", HEDY, "--client", "lab", *OUT).status == 6
    sandbox.control("faults", method="DELETE")
    with Agent(hedy) as agent:
        agent.start()
        until(lambda: state_of(hedy) == [])
    assert sandbox.state()["liveRefreshTokens"] == 0


def test_one_that_signed_in_again_is_left_alone_by_the_agent(hedy, sandbox):
    sandbox.fault("status", endpoint="revoke", status=503, times=99)
    assert hedy.foyer("sign-out", HEDY, "--client", "lab", *OUT).status == 6
    sandbox.control("faults", method="DELETE")
    hedy.sign_in(HEDY, "--client", "lab", "--scope", "openid profile email offline_access")
    before = sandbox.requests("revoke")
    with Agent(hedy) as agent:
        agent.start()
        linger(2)
    assert sandbox.requests("revoke") == before
    assert hedy.foyer(*ASK, "--force-refresh").status == 0
    # Its own sign-out ends both.
    assert hedy.foyer("sign-out", HEDY, "--client", "lab", *OUT).status == 0
    assert sandbox.state()["liveRefreshTokens"] == 0 and "revocation_secret" not in hedy.store.read_text()


# Several.


class Places:
    """Twenty sign-ins at four providers: one that answers, one that is slow, one that revokes nothing, and one that can
    be stopped."""

    names = ("good", "slow", "mute", "down")
    realms = (("one", HEDY), ("one", EMMY), ("two", HEDY), ("two", EMMY), ("three", HEDY))

    def __init__(self, person, own_sandbox):
        self.person = person
        self.at = {name: own_sandbox() for name in self.names}
        self.at["mute"].fault("quirk", name="noRevocation")
        person.settings(
            "\n".join(
                f'[clients.{name}-{realm}]\nclient_id = "lab-cli"\nkind = "oidc"\n'
                f'authority = "{provider.base}/realms/{realm}"\nscopes = ["openid", "profile", "offline_access"]\n'
                for name, provider in self.at.items()
                for realm in ("one", "two", "three")
            )
        )
        for name in self.names:
            for realm, who in self.realms:
                person.sign_in(who, "--client", f"{name}-{realm}")

    def states(self):
        rows = self.person.foyer("accounts", "--json").json["accounts"]
        found = {}
        for row in rows:
            found.setdefault(row["client"].split("-")[0], []).append(row["state"])
        return found

    def revoked(self, name):
        return self.at[name].requests("revoke")


@pytest.fixture
def places(person, own_sandbox):
    return Places(person, own_sandbox)


def told(result):
    """The receipt's rows, by provider."""
    found = {}
    for row in json.loads(result.stdout)["signOuts"]:
        found.setdefault(row["client"].split("-")[0], []).append(row)
    return found


def test_twenty_sign_outs_at_four_providers(places):
    person = places.person
    places.at["slow"].fault("late", endpoint="revoke", seconds=0.3, times=99)
    places.at["down"].stop()
    gone = person.foyer("sign-out", "--all", "--yes", "--json", "--receipt", "receipt.txt", *OUT, cwd=person.home)
    assert gone.status == 6 and gone.error["code"] == "unavailable", gone
    rows = told(gone)
    assert {name: {row["state"] for row in rows[name]} for name in rows} == {
        "good": {"signedOut"},
        "slow": {"signedOut"},
        "mute": {"signedOut"},
        "down": {"signingOut"},
    }
    assert {row["revoked"]["outcome"] for row in rows["mute"]} == {"notOffered"}
    assert {row["revoked"]["outcome"] for row in rows["good"] + rows["slow"]} == {"done"}
    assert all(row["accessTokensDieAt"] for row in rows["mute"])
    count = {key: gone.json[key] for key in ("signedOut", "signingOut", "failed", "notStarted")}
    assert count == {"signedOut": 15, "signingOut": 5, "failed": 0, "notStarted": 0}
    assert places.revoked("good") == places.revoked("slow") == 5 and places.revoked("mute") == 0
    assert places.states() == {"down": ["signingOut"] * 5}
    text = (person.home / "receipt.txt").read_text()
    assert "15 signed out, 5 signing out" in text and (person.home / "receipt.txt").stat().st_mode & 0o777 == 0o600
    secrets = [e.get("revocation_secret", "-") for e in Store(person.store).read()["AccountMetadata"].values()]
    assert not any(secret in text + gone.stdout for secret in secrets if secret != "-")


@pytest.mark.parametrize("times", [1, 2], ids=["stopped after one", "cancelled at once"])
def test_ctrl_c_leaves_the_rest_as_it_is(places, times):
    person = places.person
    places.at["slow"].hold("revoke")
    running = person.start("sign-out", "--client", "slow-one", "--all", "--yes", "--json", *OUT)
    until(lambda: places.revoked("slow") == 1)
    for _ in range(times):
        running.process.send_signal(signal.SIGINT)
        linger(0.3)
    if times == 1:
        places.at["slow"].release()
    ended = running.end()
    places.at["slow"].release()
    rows = json.loads(ended.stdout)["signOuts"]
    states = [row["state"] for row in rows]
    assert ended.status == 130, ended
    assert states == ["signedOut" if times == 1 else "failed", "notStarted"], rows
    left = [row for row in person.foyer("accounts", "--json").json["accounts"] if row["client"] == "slow-one"]
    assert len(left) == (1 if times == 1 else 2) and {row["state"] for row in left} == {"ready"}, left


def test_killed_in_the_middle_each_is_whole_or_gone_and_the_next_call_ends_it(places):
    person = places.person
    for name in ("good", "slow"):
        places.at[name].fault("late", endpoint="revoke", seconds=0.1, times=99)
    running = person.start("sign-out", "--all", "--yes", "--json", *OUT)
    until(lambda: sum(places.revoked(name) for name in ("good", "slow")) >= 3)
    running.process.kill()
    running.end()
    assert all(state == "ready" for states in places.states().values() for state in states)
    ended = person.foyer("sign-out", "--all", "--yes", "--json", *OUT)
    assert ended.status == 0, ended
    assert places.states() == {}
    for name in ("good", "slow", "down"):
        assert places.at[name].state()["liveRefreshTokens"] == 0


def test_selected_by_client_by_name_and_shown_before(places):
    person = places.person
    shown = person.foyer("sign-out", "--client", "good-one", "--dry-run", "--json")
    assert shown.status == 0 and len(shown.json["signOuts"]) == 2 and places.revoked("good") == 0
    gone = person.foyer("sign-out", HEDY, EMMY, "--client", "good-one", "--json", *OUT)
    assert gone.status == 0 and gone.json["signedOut"] == 2, gone
    assert len(places.states()["good"]) == 3
    gone = person.foyer("sign-out", "--client", "good-two", *OUT)
    assert gone.status == 0 and gone.stdout.count("signedOut") == 2, gone
    assert len(places.states()["good"]) == 1 and places.revoked("good") == 4
    assert person.foyer("sign-out").status == 64
    assert person.foyer("sign-out", "--client", "good-two").status == 8
    assert person.foyer("sign-out", "--state", "signingOut").status == 8


def test_more_than_twenty_want_a_word(places):
    person = places.person
    person.sign_in(EMMY, "--client", "good-three")
    refused = person.foyer("sign-out", "--all", "--json", *OUT)
    assert refused.status == 64 and "21 accounts" in refused.stderr, refused
    child = spawn(person, FOYER, "sign-out", "--all", *OUT, dimensions=(24, 120))
    child.expect_exact('Type "sign out": ')
    child.sendline("y")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130 and sum(map(len, places.states().values())) == 21
    child = spawn(person, FOYER, "sign-out", "--all", *OUT, dimensions=(24, 120))
    child.expect_exact('Type "sign out": ')
    child.sendline("sign out")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0 and places.states() == {}
