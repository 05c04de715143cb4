"""azd as a link to foyer: AzureDeveloperCliCredential gets tokens of the person's own accounts."""

import base64
import json
import subprocess
import sys

import pytest
from harness import ADA, AZURE_CLI, CONTOSO, Store
from test_endpoint import GET_TOKEN, GRAPH, claims
from waiting import PATIENCE

SCOPE = GRAPH + "/.default"


@pytest.fixture
def azd(stand_in):
    return stand_in("azd")


def test_azure_identity_gets_its_token_by_azd_and_a_claims_challenge_is_passed_on(azd, person, sandbox):
    person.sign_in(ADA, "--scope", SCOPE)
    program = GET_TOKEN.format(credential="AzureDeveloperCliCredential", arguments=f"process_timeout={PATIENCE}")
    before = sandbox.requests("token")
    ended = subprocess.run([sys.executable, "-c", program], env=person.environment, capture_output=True, text=True)
    assert ended.returncode == 0 and claims(json.loads(ended.stdout)["token"])["appid"] == AZURE_CLI, ended
    assert sandbox.requests("token") == before
    Store(person.store).age()
    assert subprocess.run([sys.executable, "-c", program], env=person.environment).returncode == 0
    assert sandbox.requests("token") == before + 1
    wanted = base64.b64encode(b'{"access_token":{"nbf":{"essential":true,"value":"1"}}}').decode()
    options = ("--no-prompt", "--scope", SCOPE, "--claims", wanted, "--tenant-id", CONTOSO)
    ended = azd("auth", "token", "--output", "json", *options)
    assert ended.returncode == 0 and sandbox.requests("token") == before + 2, ended
    answer = json.loads(ended.stdout)
    assert set(answer) == {"token", "expiresOn"}
    assert answer["expiresOn"].endswith("Z") and "." not in answer["expiresOn"]


def test_azure_identity_goes_on_to_its_next_credential_where_nobody_is_signed_in(azd, person):
    program = (
        "from azure.identity import AzureDeveloperCliCredential, CredentialUnavailableError\n"
        f"try: AzureDeveloperCliCredential(process_timeout={PATIENCE}).get_token('{SCOPE}')\n"
        "except CredentialUnavailableError as error: print('unavailable')\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], env=person.environment, capture_output=True, text=True)
    assert ended.stdout == "unavailable\n", ended
    told = azd("auth", "token", "-o", "json", "--scope", SCOPE)
    assert told.returncode == 3 and told.stdout == "", told
    assert "foyer sign-in" in json.loads(told.stderr.splitlines()[0])["data"]["message"], told


def test_all_else_is_azds_own(azd, person):
    person.sign_in(ADA, "--scope", SCOPE)
    own = ["up", "auth login", "auth token", "auth token -o json --x", "auth token -o json --claims !", "version"]
    for line in own:
        assert azd(*line.split()).stdout == f"real azd: {line}\n"
