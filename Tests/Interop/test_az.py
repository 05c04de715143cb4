"""az as a link to foyer: AzureCliCredential gets tokens of the person's own accounts, and Azure CLI all the rest."""

import json
import os
import subprocess
import sys
import time

import pytest
from harness import ADA, AZURE_CLI, CONTOSO, FABRIKAM, FOYER, GRACE, Store
from test_endpoint import GET_TOKEN, GRAPH, claims
from waiting import PATIENCE

IDS = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]
GIVE = ("account", "get-access-token", "--resource", GRAPH)


@pytest.fixture
def az(stand_in):
    return stand_in("az")


def sign_in(person, username=ADA):
    person.sign_in(username, "--scope", GRAPH + "/.default")


def run(person, *command, **environment):
    environment = {**person.environment, **environment}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)


def test_azure_identity_gets_its_token_by_az(az, person, sandbox):
    sign_in(person)
    before = sandbox.requests("token")
    program = GET_TOKEN.format(credential="AzureCliCredential", arguments=f"process_timeout={PATIENCE}")
    ended = run(person, sys.executable, "-c", program, TZ="Asia/Tokyo")
    assert ended.returncode == 0, ended
    token = json.loads(ended.stdout)
    assert claims(token["token"])["appid"] == AZURE_CLI and token["left"] > time.time() + 300
    assert sandbox.requests("token") == before
    Store(person.store).age()
    assert run(person, sys.executable, "-c", program).returncode == 0
    assert sandbox.requests("token") == before + 1


def test_every_word_is_the_next_azs_and_each_scope_is_asked_for(az, person):
    sign_in(person)
    for words in (
        ["group", "list", "--verbose", "--account", "x", "--json", "--client", "y", "--scope", "z", "--help"],
        ["--version"],
        ["--help"],
        [],
    ):
        assert az(*words).stdout == f"real az: {' '.join(words)}\n", words
    ended = az("account", "get-access-token", "--scope", GRAPH + "/.default", "--query", "accessToken", "-o", "tsv")
    assert claims(ended.stdout)["aud"].rstrip("/") == GRAPH, ended


# Options and settings, and the output as a whole.
FORMS = [
    (["-o=tsv", "--query", "accessToken"], {}, "", "<token>\n"),
    (["-otsv", "--query", "[accessToken,tenant]"], {}, "", "<token>\n<tenant>\n"),
    (["--output=TSV", "--query={t: accessToken, c: tenant}"], {}, "", "<token>\t<tenant>\n"),
    (["-ojson", "--query", "accessToken"], {}, "", '"<token>"\n'),
    (["-o=json", "--query", "[tenant]"], {}, "", '[\n    "<tenant>"\n]\n'),
    (["-onone"], {}, "", ""),
    (["--query", "accessToken"], {"AZURE_CORE_OUTPUT": "tsv"}, "", "<token>\n"),
    (["--query", "accessToken"], {}, "[core]\noutput = tsv\n", "<token>\n"),
    (["--query", "accessToken"], {"AZURE_CORE_OUTPUT": "json"}, "[core]\noutput = tsv\n", '"<token>"\n'),
    (["--query", "accessToken", "-o", "tsv"], {"AZURE_CORE_OUTPUT": "table"}, "", "<token>\n"),
    (["--query", "accessToken"], {"AZURE_CORE_OUTPUT": "table"}, "", "real az"),
    (["--query", "accessToken"], {}, "[core]\noutput = yaml\n", "real az"),
    (["-o", "yaml"], {}, "", "real az"),
]


@pytest.mark.parametrize("options, variables, settings, expected", FORMS)
def test_the_formats_are_azs_or_left_to_it(az, person, options, variables, settings, expected):
    sign_in(person)
    folder = person.home / "azure"
    folder.mkdir()
    (folder / "config").write_text(settings)
    person.environment |= {"AZURE_CONFIG_DIR": str(folder), **variables}
    token = json.loads(az(*GIVE, "-o", "json").stdout)
    said = az(*GIVE, *options).stdout
    if expected == "real az":
        assert said.startswith(expected), said
    else:
        assert said == expected.replace("<token>", token["accessToken"]).replace("<tenant>", token["tenant"]), said


def test_azure_identity_goes_on_to_its_next_credential_where_nobody_is_signed_in(az, person):
    program = (
        "from azure.identity import AzureCliCredential, CredentialUnavailableError\n"
        f"try: AzureCliCredential(process_timeout={PATIENCE}).get_token('{GRAPH}/.default')\n"
        "except CredentialUnavailableError as e: print('unavailable', e)\n"
    )
    ended = run(person, sys.executable, "-c", program)
    assert ended.stdout.startswith("unavailable"), ended


def test_the_answer_has_the_forms_that_every_sdk_reads(az, person):
    sign_in(person)
    ended = az(*GIVE, "--output", "json", TZ="Asia/Tokyo")
    assert ended.returncode == 0 and ended.stderr == "", ended
    answer = json.loads(ended.stdout)
    assert isinstance(answer["expires_on"], int) and answer["tokenType"] == "Bearer" and answer["tenant"] == CONTOSO
    local = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(answer["expires_on"] + 9 * 3600))
    assert answer["expiresOn"] == local + ".000000"
    bare = az(*GIVE, "--query", "accessToken", "-o", "tsv")
    assert bare.stdout == answer["accessToken"] + "\n"


def profile(person, user, *others, mark=""):
    """The environment of an Azure CLI that is set to this user."""
    folder = person.home / "azure"
    folder.mkdir()
    default = {"id": IDS[0], "name": "one", "tenantId": CONTOSO, "isDefault": True, "user": user}
    (folder / "azureProfile.json").write_text(mark + json.dumps({"subscriptions": [default, *others]}))
    return {"AZURE_CONFIG_DIR": str(folder)}


def owner(ended):
    got = claims(json.loads(ended.stdout)["accessToken"])
    return got.get("preferred_username") or got["upn"]


def test_the_profile_of_azure_cli_says_the_tenant_and_the_user(az, person):
    sign_in(person)
    sign_in(person, GRACE)
    two = {"id": IDS[1], "name": "two", "tenantId": FABRIKAM, "isDefault": False, "user": {"name": GRACE}}
    environment = profile(person, {"name": ADA}, two, mark="\ufeff")
    for options, tenant, user, subscription in [
        ((), CONTOSO, ADA, IDS[0]),
        (("-s", "two"), FABRIKAM, GRACE, IDS[1]),
        (("-s", IDS[1]), FABRIKAM, GRACE, IDS[1]),
    ]:
        ended = az(*GIVE, *options, **environment)
        assert ended.returncode == 0 and owner(ended) == user, ended
        answer = json.loads(ended.stdout)
        assert answer["tenant"] == claims(answer["accessToken"])["tid"] == tenant
        assert answer["subscription"] == subscription


OTHERS = [
    ({"name": "33333333-3333-4333-8333-333333333333", "type": "servicePrincipal"}, "service principal"),
    ({"name": "systemAssignedIdentity", "type": "servicePrincipal"}, "service principal"),
    # Also where the name is that of a person who is signed in.
    ({"name": ADA, "type": "servicePrincipal"}, "service principal"),
    ({"name": GRACE, "type": "user"}, f"--login-hint {GRACE}"),
]


@pytest.mark.parametrize("user, hint", OTHERS)
def test_whom_foyer_has_not_azure_cli_answers_for(az, person, user, hint):
    sign_in(person)
    ended = az(*GIVE, **profile(person, user))
    assert ended.returncode == 3 and ended.stdout.startswith("real az: account get-access-token"), ended


@pytest.mark.parametrize("user, hint", OTHERS)
def test_without_azure_cli_nobody_elses_token_is_given(az, person, user, hint):
    sign_in(person)
    (person.home / "real" / "az").unlink()
    alone = {**profile(person, user), "PATH": f"{person.home / 'bin'}:/nonexistent"}
    ended = run(person, person.home / "bin" / "az", *GIVE, **alone)
    assert ended.returncode == 3 and ended.stdout == "", ended
    assert user["name"] in ended.stderr and hint in ended.stderr and "az login" in ended.stderr, ended


def test_why_tells_whom_azure_cli_is_set_to(az, person):
    sign_in(person)
    sign_in(person, GRACE)
    environment = profile(person, {"name": GRACE, "type": "user"})
    told = person.foyer("why", "az", "--json", env=environment)
    assert told.status == 0, told
    why, given = told.json, az("account", "get-access-token", **environment)
    assert owner(given) == GRACE == why["account"]["username"], (given, told)
    assert why["accountSource"] == "program" and why["tenant"] == CONTOSO
    assert f"account: {GRACE}" in person.foyer("why", "az", env=environment).stdout
    assert ADA in person.foyer("why", "az", "--account", ADA, env=environment).stdout
    with open(person.home / "config/foyer/config.toml", "a") as settings:
        settings.write('\n[[rules]]\nprogram = "az"\nscopes = ["User.Read"]\n')
    bound = person.foyer("why", "az", env=environment)
    assert bound.status == 78 and "sets the scopes User.Read" in bound.stderr, bound


@pytest.mark.parametrize("user, hint", OTHERS)
def test_why_names_nobody_else_where_azure_cli_answers(az, person, user, hint):
    sign_in(person)
    environment = profile(person, user)
    told = person.foyer("why", "az", env={**environment, "PATH": f"{person.home / 'bin'}:/nonexistent"})
    assert told.status == 3 and hint in told.stdout + told.stderr, told
    assert "account: none, Azure CLI uses" in told.stdout and "now:" not in told.stdout, told
    assert "the next az" not in told.stderr, told
    environment["PATH"] = f"{person.home / 'real'}:{person.environment['PATH']}"
    told = person.foyer("why", "az", env=environment)
    assert told.status == 3 and "handled by the next az on PATH" in told.stderr, told
    assert not person.foyer("why", "az", "--json", env=environment).json["hasToken"]


def test_a_rule_and_another_case_name_the_account_that_is_there(az, person):
    sign_in(person)
    person_of = profile(person, {"name": ADA.upper(), "type": "user"})
    ended = az(*GIVE, **person_of)
    assert ended.returncode == 0 and owner(ended) == ADA, ended
    with open(person.home / "config/foyer/config.toml", "a") as settings:
        settings.write(f'\n[[rules]]\nprogram = "az"\naccount = "{ADA}"\n')
    path = person.home / "azure" / "azureProfile.json"
    path.write_text(path.read_text().replace('"user"}', '"servicePrincipal"}'))
    ended = az(*GIVE, **person_of)
    assert ended.returncode == 0 and owner(ended) == ADA, ended


def test_everything_else_is_azure_clis_and_without_another_az_it_ends_as_in_a_shell(az, person):
    for line in ("login", "account show", "account get-access-token --resource-type arm", "--version", ""):
        ended = az(*line.split())
        assert ended.returncode == 3 and ended.stdout.strip() == f"real az: {line}".strip(), ended
    ended = az("account", "get-access-token", "-s", "not in the profile")
    assert ended.returncode == 3 and ended.stdout == "real az: account get-access-token -s not in the profile\n", ended
    (person.home / "real" / "az").unlink()
    ended = run(person, person.home / "bin" / "az", "login", PATH=f"{person.home / 'bin'}:/nonexistent")
    assert ended.returncode == 127 and "no other az" in ended.stderr


def test_a_script_of_that_name_that_calls_foyer_again_is_told_of(az, person):
    folder = next(path for path in person.environment["PATH"].split(":") if os.path.exists(f"{path}/az"))
    later = person.home / "later"
    (later / "az").mkdir(parents=True)
    script = person.home / "scripts" / "az"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{FOYER}" helper az "$@"\n')
    script.chmod(0o755)
    ended = az("group", "list", PATH=f"{folder}:{later}:{script.parent}:/usr/bin:/bin")
    assert ended.returncode == 126 and ended.stdout == "", ended
    assert f"{script} leads back to foyer" in ended.stderr, ended
