"""What happens when the access token has ended: one refresh, between all processes, and an honest word when it is
refused."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from harness import ADA, FABRIKAM, HEDY, TARO, Store, assert_no_secret

CLAIMS = '{"access_token":{"capolids":{"essential":true}}}'


@pytest.fixture
def ada(ada):
    """Ada has signed in, and her access token has ended since."""
    Store(ada.store).age()
    return ada


def test_an_ended_token_is_refreshed_and_a_good_one_when_it_is_forced(ada, sandbox):
    before = Store(ada.store).secrets()
    result = ada.foyer("token", "--silent", "--json")
    assert result.status == 0 and result.json["source"] == "refresh", result
    assert result.json["accessToken"] not in before
    assert sandbox.requests("token:refresh_token") == 1
    again = ada.foyer("token", "--silent", "--json").json
    assert again["source"] == "cache" and again["accessToken"] == result.json["accessToken"]
    assert ada.foyer("token", "--silent", "--json", "--force-refresh").json["source"] == "refresh"


def test_a_token_of_less_than_five_minutes_is_refreshed(person, own_sandbox):
    provider = own_sandbox("--access-token-lifetime", "200")
    person.work_settings(provider)
    person.sign_in(ADA)
    assert person.foyer("token", "--silent", "--json").json["source"] == "refresh"


def test_a_rotated_refresh_token_is_stored_before_the_next_use(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab", "--scope", "openid profile email offline_access")
    for _ in range(3):
        Store(person.store).age()
        result = person.foyer("token", "--silent", "--json", "--client", "lab", "--scope", "openid profile email")
        assert result.status == 0 and result.json["source"] == "refresh", result


def refuse(sandbox, error, **members):
    sandbox.fault("error", endpoint="token:refresh_token", error=error, **members)


def test_a_refused_refresh_says_why_and_keeps_the_account(ada, sandbox):
    refused = {"suberror": "basic_action", "codes": [50076, 50079], "claims": CLAIMS}
    refuse(sandbox, "invalid_grant", **refused, description="You must use multi-factor authentication.")
    result = ada.foyer("token", "--silent", "--json")
    assert result.status == 3 and result.stdout == "", result
    error = result.error
    said = {"code": "interactionRequired", "oauthError": "invalid_grant", "suberror": "basic_action", "claims": CLAIMS}
    said |= {"serverCodes": [50076, 50079], "grantedScopes": [], "declinedScopes": []}
    assert {name: error[name] for name in said} == said
    assert "second factor" in error["message"] and "multi-factor" in error["description"] and error["hint"]
    assert re.fullmatch("[0-9a-f-]{36}", error["correlationId"])
    assert Store(ada.store).section("RefreshToken"), "a refusal is no reason to throw the refresh token away"
    assert_no_secret(ada.store, result)


def test_the_same_in_words(ada, sandbox):
    refuse(sandbox, "invalid_grant", codes=[50076], description="Use multi-factor authentication.")
    result = ada.foyer("token", "--silent")
    assert result.status == 3 and result.stdout == "", result
    assert "multi-factor" in result.stderr and "AADSTS50076" in result.stderr and "foyer sign-in" in result.stderr


def test_the_correlation_id_is_the_one_that_was_sent(ada, sandbox):
    sandbox.control("revoke", {"username": ADA})
    result = ada.foyer("token", "--silent", "--json")
    assert result.status == 3 and result.error["serverCodes"] == [50173], result
    assert result.error["suberror"] == "bad_token"
    assert re.fullmatch("[0-9a-f-]{36}", result.error["correlationId"])


def test_a_refresh_token_that_was_not_used_for_a_quarter_is_over(ada, sandbox):
    sandbox.control("clock", {"advance": 91 * 86400})
    result = ada.foyer("token", "--silent", "--json")
    assert result.status == 3 and result.error["serverCodes"] == [700082], result


def test_after_a_claims_challenge_the_next_sign_in_carries_the_claims(ada, sandbox):
    refuse(sandbox, "interaction_required", suberror="additional_action", codes=[50079], claims=CLAIMS)
    running = ada.start("token", "--json", "--via", "browser", "--browser", "none")
    address = running.wait_event("browser")["authorizationUrl"]
    running.process.send_signal(2)
    assert running.end().status == 130
    asked = parse_qs(urlsplit(address).query)
    assert asked["claims"] == [CLAIMS]
    assert asked["login_hint"] == [ADA], "who is meant is known, though not named"


def twenty_make_one_refresh(person, sandbox, *options):
    """One goes out, the others take what it brought."""
    results = [each.end() for each in [person.start("token", "--silent", *options) for _ in range(20)]]
    assert [result.status for result in results] == [0] * 20, results
    assert len({result.stdout for result in results}) == 1
    assert sandbox.requests("token:refresh_token") == 1


def test_twenty_processes_at_once_make_one_refresh(ada, sandbox):
    twenty_make_one_refresh(ada, sandbox)


def test_twenty_processes_with_a_provider_that_rotates_lose_nobody(expired_hedy, sandbox):
    twenty_make_one_refresh(expired_hedy, sandbox, "--client", "lab", "--scope", "openid profile email")


@pytest.mark.parametrize("is_newer", [False, True])
@pytest.mark.parametrize("is_first", [False, True])
def test_behind_a_dead_refresh_token_of_the_client_the_live_one_is_found(ada, sandbox, is_first, is_newer):
    """Libraries keep one for each set of scopes, some without a time, and leave the old ones behind."""
    content = Store(ada.store).read()
    ((key, live),) = content["RefreshToken"].items()
    live.pop("last_modification_time", None)
    dead = {**live, "secret": "1.sandbox.dead", "target": "Mail.Read"}
    if is_newer:
        dead["last_modification_time"] = "4102444800"
    content["RefreshToken"] = {"another": dead, key: live} if is_first else {key: live, "another": dead}
    ada.store.write_text(json.dumps(content))
    renewed = ada.foyer("token", "--silent", "--json")
    assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed


def test_an_unreachable_provider_takes_nothing_away(person, own_sandbox):
    provider = own_sandbox()
    person.work_settings(provider)
    person.sign_in(ADA)
    good = person.foyer("token", "--silent")
    provider.stop()
    assert person.foyer("token", "--silent").stdout == good.stdout
    Store(person.store).age()
    before = person.store.read_bytes()
    result = person.foyer("token", "--silent", "--json")
    assert result.status == 6 and result.error["code"] == "unavailable", result
    assert person.store.read_bytes() == before


def test_another_account_is_never_answered_for(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    person.sign_in(TARO)
    Store(person.store).age()
    for username in (ADA, TARO):
        result = person.foyer("token", "--silent", "--json", "--account", username)
        assert result.status == 0 and result.json["account"]["username"] == username, result


def test_a_tenant_gets_a_token_of_its_own(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    result = person.foyer("token", "--silent", "--json", "--tenant", FABRIKAM)
    assert result.status == 0 and result.json["tenantId"] == FABRIKAM and result.json["source"] == "refresh", result
    assert person.foyer("token", "--silent", "--json", "--tenant", FABRIKAM).json["source"] == "cache"
    assert person.foyer("token", "--silent", "--json").json["tenantId"] != FABRIKAM
