"""A token is for the place that it goes to, and the client that a person signed in at stays the default one."""

import json
import sys

import pexpect
import pytest
from harness import ADA, AZURE_CLI, FOYER, GRACE, HEDY, LAB, TRY_OUT, Store, add_settings, assert_no_secret
from test_endpoint import GRAPH, Endpoint, claims
from waiting import spawn

ARM = "https://management.azure.com/.default"
ASK = (
    "import os, urllib.request as r; print(r.urlopen(r.Request(os.environ['IDENTITY_ENDPOINT'] + "
    "'?api-version=2019-08-01&resource=https://management.azure.com', "
    "headers={'X-IDENTITY-HEADER': os.environ['IDENTITY_HEADER']})).read().decode())"
)
INFO = '{"apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{"server":"https://x"}}}'
# The name of a helper, its arguments and its input: each asks for a token of a service of Microsoft's.
AZURE = {
    "git": (["helper", "git", "get"], b"protocol=https\nhost=dev.azure.com\npath=contoso/x\n\n"),
    "pip": (["helper", "keyring", "get", "https://pkgs.dev.azure.com/contoso/_packaging/f/pypi/simple/", "x"], None),
    "docker": (["helper", "docker", "get"], b"contoso.azurecr.io"),
    "az": (["helper", "az", "account", "get-access-token"], None),
    "azd": (["helper", "azd", "auth", "token", "--output", "json", "--scope", ARM], None),
    "run": (["run", "--", sys.executable, "-c", ASK], None),
}


def only_lab(person, sandbox, more=""):
    person.settings(
        f'[clients.g]\nclient_id = "{LAB}"\nauthority = "{sandbox.issuer}"\nkind = "oidc"\n'
        f'scopes = ["openid", "profile", "email", "offline_access"]\n{more}'
    )
    person.sign_in(HEDY, "--client", "g")
    Store(person.store).age()


@pytest.mark.parametrize("how", ["only client", "default", "environment", "rule"])
def test_a_token_of_another_provider_goes_to_no_service_of_microsofts(person, sandbox, how):
    rule = '[[rules]]\nclient = "g"\n' if how == "rule" else ""
    only_lab(person, sandbox, rule)
    if how == "default":
        path = person.home / "config" / "foyer" / "config.toml"
        path.write_text('client = "g"\n' + path.read_text())
    environment = {"FOYER_CLIENT": "g"} if how == "environment" else {}
    before = sandbox.requests("token")
    secrets = Store(person.store).secrets()
    for name, (arguments, stdin) in AZURE.items():
        result = person.foyer(*arguments, stdin=stdin, env=environment)
        assert result.status != 0, (name, result)
        assert not any(secret in result.stdout + result.stderr for secret in secrets), (name, result)
    assert sandbox.requests("token") == before, "a refresh token was sent for it"


def test_a_client_of_another_kind_that_an_option_names_is_refused(person, sandbox):
    only_lab(person, sandbox)
    for name in ("git", "docker"):
        result = person.foyer("helper", name, "--client", "g", "get", stdin=AZURE[name][1])
        assert result.status == 78 and "does not accept tokens of g" in result.stderr, result


def test_an_endpoint_of_one_account_gives_nobody_elses(person, sandbox):
    person.work_settings(sandbox)
    for user in (ADA, GRACE):
        person.sign_in(user, "--scope", GRAPH + "/.default")
    person.sign_in(GRACE, "--client", "cli", "--scope", GRAPH + "/.default")
    endpoint = Endpoint(person, "--account", ADA, "--client", "work")
    status, body = endpoint.get()
    assert status == 200 and claims(body["access_token"])["preferred_username"] == ADA
    for identity in (GRACE, "cli", AZURE_CLI):
        status, body = endpoint.get(client_id=identity)
        assert status == 400 and "command line" in json.dumps(body), body
        assert "access_token" not in body


def info(server):
    """What client-go tells a plugin about a cluster."""
    cluster = {"server": server, "certificate-authority-data": "A" * 5000}
    return json.dumps(
        {"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "spec": {"cluster": cluster}}
    )


def kubectl(person, server):
    return person.foyer("helper", "kubectl", env={"KUBERNETES_EXEC_INFO": info(server)})


def test_a_cluster_that_no_rule_names_gets_nothing(person, sandbox):
    person.work_settings(sandbox)
    for user in (ADA, GRACE):
        person.sign_in(user)
    add_settings(person, f'\n[[rules]]\ncluster = "https://good.example"\naccount = "{GRACE}"\n')
    add_settings(person, f'\n[[rules]]\nprogram = "kubectl"\naccount = "{ADA}"\n')
    good = kubectl(person, "https://good.example")
    assert good.status == 0 and good.json["apiVersion"].endswith("v1beta1"), good
    assert claims(good.json["status"]["token"])["preferred_username"] == GRACE
    evil = kubectl(person, "https://evil.example")
    assert evil.status == 3 and "https://evil.example" in evil.stderr and "[[rules]]" in evil.stderr, evil
    assert_no_secret(person.store, evil)
    info = INFO.replace("https://x", "https://evil.example")
    login = ("helper", "kubelogin", "get-token", "--server-id", GRAPH, "--client-id", TRY_OUT)
    evil = person.foyer(*login, env={"KUBERNETES_EXEC_INFO": info})
    assert evil.status == 3 and evil.stdout == "", evil


def test_a_cluster_called_by_a_wildcard_gets_no_rule(person, sandbox):
    person.work_settings(sandbox)
    for user in (ADA, GRACE):
        person.sign_in(user)
    settings = add_settings(person, "\n")
    before = settings.read_bytes()
    refused = kubectl(person, "*")
    assert refused.status == 3 and refused.stdout == "", refused
    assert "in a rule, that is a pattern" in refused.stderr and "[[rules]]" not in refused.stderr, refused
    asked = spawn(person, FOYER, "helper", "kubectl", env={**person.environment, "KUBERNETES_EXEC_INFO": info("*")})
    asked.expect("Number")
    asked.send("1+\r")
    asked.expect("that is a pattern")
    asked.expect(pexpect.EOF)
    why = person.foyer("why", "kubectl", "*")
    assert 'cluster = "*"' not in why.stdout + why.stderr, why
    assert settings.read_bytes() == before
    assert kubectl(person, "https://evil.example").status == 3
    # Only the user writes it.
    add_settings(person, f'\n[[rules]]\ncluster = "*"\naccount = "{GRACE}"\n')
    for server in ("*", "https://k.example"):
        assert claims(kubectl(person, server).json["status"]["token"])["preferred_username"] == GRACE


def test_an_exec_info_that_is_too_long_is_refused(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    # One variable of Linux has at most 128 KiB, so that the bound itself is tested beside the reader.
    result = person.foyer("helper", "kubectl", env={"KUBERNETES_EXEC_INFO": INFO + " " * 120_000})
    assert result.status == 3 and result.stdout == "", result


def test_what_a_helper_brings_takes_nobodys_default_away(person, sandbox):
    """As a new machine has it: no settings, and one sign-in."""
    person.environment["FOYER_AUTHORITY"] = sandbox.authority()
    person.sign_in(ADA, "--client", "Azure CLI", "--scope", ARM)
    assert person.foyer("token", "--silent", "--scope", ARM).status == 0
    # Another client of the family, as a helper adds it.
    helped = person.foyer("token", "--silent", "--client", "Azure PowerShell", "--scope", ARM)
    assert helped.status == 0, helped
    assert person.foyer("token", "--silent", "--scope", ARM).status == 0
    ran = person.foyer(*AZURE["run"][0])
    assert ran.status == 0 and "access_token" in ran.stdout, ran
    assert person.foyer("why", "terraform", "--json").json["clientSource"] == "remembered"
    default = [c["name"] for c in person.foyer("clients", "--all", "--json").json["clients"] if c["isDefault"]]
    assert default == ["azure-cli"]
    person.sign_in(ADA, "--client", "Azure PowerShell", "--default")
    assert person.foyer("why", "terraform", "--json").json["client"] == "azure-powershell"
    person.sign_in(ADA, "--client", "Azure CLI")
    assert person.foyer("why", "terraform", "--json").json["client"] == "azure-powershell"
    gone = person.foyer("sign-out", ADA, "--wipe", "--json", "--browser", "none")
    assert gone.status == 0 and Store(person.store).section("RefreshToken") == {}, gone
    assert person.foyer(*AZURE["run"][0]).status == 1
    refused = person.foyer("token", "--silent")
    assert refused.status == 3 and "foyer sign-in --client azure-powershell" in refused.stderr, refused


def test_an_account_of_one_client_is_removed_without_naming_the_client(person, sandbox):
    person.work_settings(sandbox)
    path = person.home / "config" / "foyer" / "config.toml"
    path.write_text(path.read_text().replace('client = "work"\n', ""))
    person.sign_in(ADA, "--client", "work")
    person.sign_in(ADA, "--client", "cli")
    person.sign_in(HEDY, "--client", "lab")
    several = person.foyer("remove", ADA)
    assert several.status == 8 and "--wipe" in several.stderr and "cli" in several.stderr, several
    assert person.foyer("remove", HEDY).status == 0
    assert person.foyer("remove", ADA, "--wipe").status == 0
    assert person.foyer("accounts", "--json").json["accounts"] == []


@pytest.mark.parametrize("door", ["az", "azd", "run"])
def test_a_session_of_an_agent_gets_no_token_of_the_person(person, sandbox, door):
    person.environment["FOYER_AUTHORITY"] = sandbox.authority()
    scope = ARM if door != "az" else "https://management.core.windows.net//.default"
    person.sign_in(ADA, "--client", "Azure CLI", "--scope", scope)

    def ask(session=None):
        arguments, stdin = AZURE[door]
        result = person.foyer(*arguments, stdin=stdin, env={"COPILOT_AGENT_SESSION_ID": session} if session else {})
        assert result.status == 0, result
        answer = json.loads(result.stdout)
        return answer.get("accessToken") or answer.get("token") or answer["access_token"]

    own = ask()
    one, two = ask("s1"), ask("s2")
    assert len({own, one, two}) == 3
    assert claims(one)["xms_cli_sid"] == "s1" and claims(two)["xms_cli_sid"] == "s2"
    before = sandbox.requests("token")
    assert (ask(), ask("s1"), ask("s2")) == (own, one, two) and sandbox.requests("token") == before
    if door == "run":
        as_role = ("run", "--aws-role", "arn:aws:iam::123456789012:role/me", "--", "true")
        role = person.foyer(*as_role, env={"COPILOT_AGENT_SESSION_ID": "s1"})
        assert role.status == 3 and "agents = true" in role.stderr, role
    too_long = person.foyer(*AZURE[door][0], env={"COPILOT_AGENT_SESSION_ID": "x" * 300})
    assert too_long.status != 0 and own not in too_long.stdout, too_long
