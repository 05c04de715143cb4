"""foyer id-token, and the clusters that take ID tokens."""

import base64
import json
import time

import pytest
from harness import ADA, CONTOSO, HEDY, LAB, TRY_OUT, Store, assert_no_secret
from test_aws import ROLE
from test_endpoint import claims
from test_kubectl import cluster, kubectl  # noqa: F401


def test_the_id_token_of_the_sign_in_is_printed_alone(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    before = sandbox.requests("token")
    result = person.foyer("id-token")
    assert result.status == 0 and result.stdout.count("\n") == 1 and result.stderr == "", result
    token = claims(result.stdout.strip())
    assert token["aud"] == TRY_OUT and token["preferred_username"] == ADA and token["exp"] > time.time()
    assert sandbox.requests("token") == before
    told = person.foyer("id-token", "--json").json
    assert told["idToken"] == result.stdout.strip() and told["clientId"] == TRY_OUT and told["tenantId"] == CONTOSO
    renewed = person.foyer("id-token", "--force-refresh")
    assert renewed.status == 0 and sandbox.requests("token") == before + 1


def test_one_that_has_expired_is_refreshed(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    content = json.loads(person.store.read_text())
    # Expired, in all that is read of it.
    for entry in content["IdToken"].values():
        head, body, signature = entry["secret"].split(".")
        old = claims(entry["secret"]) | {"exp": 1700000000}
        body = base64.urlsafe_b64encode(json.dumps(old).encode()).decode().rstrip("=")
        entry["secret"] = ".".join([head, body, signature])
    person.store.write_text(json.dumps(content))
    before = sandbox.requests("token")
    result = person.foyer("id-token", "--client", "lab")
    assert result.status == 0 and claims(result.stdout.strip())["exp"] > time.time() + 60, result
    assert claims(result.stdout.strip())["aud"] == LAB and sandbox.requests("token") == before + 1


def life(store, issued, ends):
    """Rewrites the cached ID tokens to have been issued, and to end, so many seconds from now."""
    content = json.loads(store.read_text())
    for entry in content["IdToken"].values():
        head, body, signature = entry["secret"].split(".")
        told = claims(entry["secret"]) | {"iat": int(time.time()) + issued, "exp": int(time.time()) + ends}
        body = base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")
        entry["secret"] = ".".join([head, body, signature])
    store.write_text(json.dumps(content))


@pytest.mark.parametrize(
    "issued, ends, is_served", [(0, 60, True), (0, 300, True), (-50, 40, True), (-3600, 40, False)]
)
def test_one_of_a_short_life_is_served_for_most_of_it(person, sandbox, issued, ends, is_served):
    """OpenUnison's last a minute, by default."""
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    life(person.store, issued, ends)
    before = sandbox.requests("token")
    result = person.foyer("id-token", "--client", "lab")
    assert result.status == 0 and sandbox.requests("token") == before + (0 if is_served else 1), result


SILENT_DOORS = {
    "id-token": ["id-token", "--client", "lab"],
    "kubectl": ["helper", "kubectl", "--client", "lab", "--id-token"],
    "google": ["helper", "google", "--client", "lab"],
    "AWS": ["run", "--client", "lab", "--aws-role", ROLE, "--", "true"],
    "token file": ["token-file", "add", "--client", "lab", "file"],
}


def test_a_provider_that_renews_none_is_signed_in_at_again(person, sandbox):
    """It refreshes without an ID token: a person is needed at every door."""
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    life(person.store, -7200, -3600)
    sandbox.fault("noIDTokenOnRefresh")
    wrong = {}
    for door, arguments in SILENT_DOORS.items():
        result = person.foyer(*arguments, cwd=person.home)
        # Google's protocol tells a failure on standard output, with 0.
        said = result.stderr if door != "google" else result.stdout
        is_right = result.status == (0 if door == "google" else 3) and "foyer sign-in" in said and "openid" not in said
        if not is_right:
            wrong[door] = result
    assert not wrong, wrong
    renewed = person.foyer("id-token", "--client", "lab", "--force-refresh")
    assert renewed.status == 3, renewed
    person.sign_in(HEDY, "--client", "lab")
    assert person.foyer("id-token", "--client", "lab").status == 0


def test_where_a_person_is_needed_it_says_so(person, sandbox):
    person.work_settings(sandbox)
    result = person.foyer("id-token")
    assert result.status == 3 and result.stdout == "" and "foyer sign-in" in result.stderr, result
    person.sign_in(ADA)
    Store(person.store).change("RefreshToken", secret="x")
    refused = person.foyer("id-token", "--force-refresh")
    assert refused.status == 3 and refused.stdout == "", refused
    assert_no_secret(person.store, refused)


def test_a_cluster_that_takes_id_tokens_gets_one(kubectl, person, sandbox, cluster):
    person.sign_in(HEDY, "--client", "lab")
    first = person.foyer("id-token", "--client", "lab").stdout.strip()
    cluster.challenge = lambda token: "" if token == first else None
    before = sandbox.requests("token")
    # The server has refused the one that was there, and the same kubectl has brought another.
    kubectl("kubectl-foyer", "--client", "lab", "--id-token")
    assert cluster.tokens[0] == first and sandbox.requests("token") == before + 1
    ended = kubectl("kubectl-foyer", "--client", "lab", "--id-token")
    assert (ended.stdout, ended.stderr) == ("good\n", ""), ended
    assert claims(cluster.tokens[-1])["aud"] == LAB
