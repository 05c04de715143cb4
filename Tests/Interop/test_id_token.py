"""foyer id-token, and the clusters that take ID tokens."""

import base64
import json
import time

from harness import ADA, CONTOSO, HEDY, LAB, TRY_OUT, Store, assert_no_secret
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
