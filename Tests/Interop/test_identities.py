"""Whatever identity the shell holds, the SDKs in a program that foyer starts act as the account that was named."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from harness import ADA, FOYER, GRACE, HEDY, LAB, add_settings, self_signed, until
from identities import ROLE, OtherIdentity, SecurityTokenService, Vault, aws_shells, azure_shells
from test_endpoint import GET_TOKEN, owner, sign_in
from test_google import POOL, Exchange, claims
from test_kubectl import SCOPE, Cluster, kubeconfig, plugin
from waiting import PATIENCE

pytestmark = pytest.mark.xdist_group("identities")
AWS = ("run", "--client", "lab", "--aws-role", ROLE)
CALLER = """
import json, sys, boto3
sessions = [boto3.Session(), boto3.Session(profile_name="default")]
clients = [each.client("sts", **({} if each.region_name else {"region_name": "eu-north-1"})) for each in sessions]
print(json.dumps([each.get_caller_identity()["Arn"] for each in clients]))
"""


def stopped(service):
    yield service
    service.stop()


@pytest.fixture
def other():
    yield from stopped(OtherIdentity())


@pytest.fixture
def tokens():
    yield from stopped(SecurityTokenService())


@pytest.fixture
def ada(person, sandbox, other):
    """Ada and Grace are signed in. Azure CLI, azd and the network belong to somebody else."""
    person.work_settings(sandbox)
    sign_in(person, ADA)
    sign_in(person, GRACE)
    programs = person.home / "bin"
    programs.mkdir()
    answer = {"accessToken": "other", "token": "other", "expires_on": 4000000000, "expiresOn": "2036-01-01T00:00:00Z"}
    for name in ("az", "azd"):
        (programs / name).write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\n")
        (programs / name).chmod(0o755)
    person.environment |= {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HTTPS_PROXY": other.address,
        "NO_PROXY": "127.0.0.1,localhost",
    }
    return person


@pytest.fixture
def lab(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    person.environment["XDG_RUNTIME_DIR"] = str(person.home)
    return person


class OnlyTheNamed:
    """The surroundings in which more than one identity was used."""

    def __init__(self):
        self.wrong = {}

    def check(self, shell, is_right, *seen):
        if not is_right:
            self.wrong[shell] = seen

    def end(self):
        assert not self.wrong, "\n".join(f"{shell}: {seen}" for shell, seen in self.wrong.items())


def test_only_the_named_person_acts_at_azure(ada, other, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    self_signed(certificate, key, "other", "IP:127.0.0.1")
    certificate.write_text(certificate.read_text() + key.read_text())
    program = GET_TOKEN.format(credential="DefaultAzureCredential", arguments="")
    found = OnlyTheNamed()
    for shell, variables in azure_shells(ada.home, other, certificate).items():
        command = ("run", "--client", "work", "--account", ADA, "--", sys.executable, "-c", program)
        result = ada.foyer(*command, env=variables)
        is_right = result.status == 0 and result.stdout.count(".") >= 2 and owner(result.stdout)[0] == ADA
        found.check(shell, is_right and not other.calls, result, list(other.calls))
        other.calls.clear()
    found.end()


def test_a_refused_account_is_replaced_by_no_other(ada, other):
    """Not by that of a developer's tool, which an SDK tries next."""
    ada.foyer("remove", ADA, "--client", "work", "--yes")
    program = GET_TOKEN.format(credential="DefaultAzureCredential", arguments="")
    result = ada.foyer("run", "--client", "work", "--account", ADA, "--", sys.executable, "-c", program)
    assert result.status == 1 and "other" not in result.stdout and "foyer sign-in" in result.stderr, result
    assert other.calls == []


def test_only_the_named_person_acts_at_aws(lab, tokens, other):
    found = OnlyTheNamed()
    folder = lab.home / ".aws"
    folder.mkdir()
    for shell, (configuration, credentials, variables) in aws_shells(lab.home, other).items():
        (folder / "config").write_text(configuration)
        (folder / "credentials").write_text(credentials)
        result = lab.foyer(*AWS, "--", sys.executable, "-c", CALLER, env=tokens.environment | variables)
        is_right = result.status == 0 and json.loads(result.stdout) == ["AKIAPERSON"] * 2
        region = "eu-north-1" if "missing" in shell else "eu-west-3"
        calls = [("AssumeRoleWithWebIdentity", ROLE, LAB), ("GetCallerIdentity", "AKIAPERSON", region)] * 2
        found.check(shell, is_right and tokens.calls == calls and not other.calls, result, tokens.calls, other.calls)
        tokens.calls.clear()
        other.calls.clear()
    found.end()


def test_a_profile_that_a_program_names_is_not_there(lab, tokens):
    script = "import boto3; boto3.Session(profile_name='prod').client('sts').get_caller_identity()"
    (lab.home / ".aws").mkdir()
    keys = "aws_access_key_id = AKIAOTHER\naws_secret_access_key = s\n"
    (lab.home / ".aws/config").write_text(f"[profile prod]\n{keys}")
    result = lab.foyer(*AWS, "--", sys.executable, "-c", script, env=tokens.environment)
    assert result.status == 1 and "prod" in result.stderr and tokens.calls == [], result


def test_a_configuration_that_cannot_be_read_is_not_taken_for_none(lab, tokens):
    (lab.home / ".aws/config").mkdir(parents=True)
    result = lab.foyer(*AWS, "--", "true", env=tokens.environment)
    assert result.status == 78 and "config" in result.stderr, result


# MARK: SDKs that use foyer as it is set up for them


IN_EACH_SHELL = """
import json, os, sys
shells = json.loads(sys.argv[1])
before = dict(os.environ)
for shell, variables in shells.items():
    os.environ.clear()
    os.environ.update(before | variables)
    sign_in()
"""


def in_each_shell(person, program, shells, *arguments, options, env):
    """Runs a program that signs in once in each of these surroundings, of which the shell has the first set, too."""
    command = ("run", *options, "--", sys.executable, "-c", program + IN_EACH_SHELL, json.dumps(shells), *arguments)
    result = person.foyer(*command, env=env)
    assert result.status == 0, result
    return result


# What `foyer use` sets for another person in a shell.
USUAL = {"FOYER_CLIENT": "work", "FOYER_ACCOUNT": ADA}

GOOGLE = """
import google.auth, google.auth.transport.requests
def sign_in():
    credentials, _ = google.auth.default(scopes=["https://www.googleapis.com/auth/cloud-platform"])
    credentials.refresh(google.auth.transport.requests.Request())
"""


def test_only_the_named_person_acts_at_google(lab, other, tmp_path):
    exchange = Exchange()
    configuration = tmp_path / "pool.json"
    source = {"executable": {"command": f"{FOYER} helper google", "timeout_millis": 30000}}
    configuration.write_text(
        json.dumps(
            {
                "type": "external_account",
                "audience": POOL,
                "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
                "token_url": f"http://127.0.0.1:{exchange.http.server_port}/v1/token",
                "credential_source": source,
            }
        )
    )
    folder = tmp_path / "gcloud"
    folder.mkdir()
    user = {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}
    (folder / "application_default_credentials.json").write_text(json.dumps(user))
    metadata = other.address.removeprefix("http://")
    shells = {
        "nothing": {},
        "gcloud": {"CLOUDSDK_CONFIG": str(folder)},
        "gcloud's account": {"CLOUDSDK_CORE_ACCOUNT": "other@x.example"},
        "gcloud's configuration": {"CLOUDSDK_ACTIVE_CONFIG_NAME": "other"},
        "gcloud's token": {"CLOUDSDK_AUTH_ACCESS_TOKEN_FILE": str(configuration)},
        "machine": {"GCE_METADATA_HOST": metadata},
        "machine by address": {"GCE_METADATA_IP": metadata, "GCE_METADATA_ROOT": metadata},
        "Terraform": {"GOOGLE_CREDENTIALS": json.dumps(user), "GOOGLE_OAUTH_ACCESS_TOKEN": "other"},
        "impersonation": {"GOOGLE_IMPERSONATE_SERVICE_ACCOUNT": "other@x.example"},
        "AWS": {"AWS_ACCESS_KEY_ID": "AKIAOTHER", "AWS_SECRET_ACCESS_KEY": "s"},
        "project": {"GOOGLE_CLOUD_PROJECT": "other", "GCLOUD_PROJECT": "other"},
    }
    environment = USUAL | {
        "GOOGLE_APPLICATION_CREDENTIALS": str(configuration),
        "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1",
        "GOOGLE_CLOUD_PROJECT": "p",
        "NO_PROXY": "127.0.0.1",
    }
    try:
        in_each_shell(lab, GOOGLE, shells, options=("--client", "lab", "--account", HEDY), env=environment)
        assert [claims(call["subject_token"])["aud"] for call in exchange.calls] == [LAB] * len(shells)
        assert other.calls == []
    finally:
        exchange.stop()


VAULT = """
import hvac, subprocess
def sign_in():
    token = subprocess.run([sys.argv[2], "id-token"], capture_output=True, text=True, check=True).stdout.strip()
    client = hvac.Client(url=sys.argv[3])
    client.auth.jwt.jwt_login(role="me", jwt=token)
    client.secrets.kv.v2.read_secret_version(path="a", raise_on_deleted_version=True)
"""


def test_only_the_named_person_acts_at_vault(lab):
    vault = Vault()
    (lab.home / ".vault-token").write_text("other")
    shells = {
        "nothing": {},
        "token": {"VAULT_TOKEN": "other"},
        "namespace": {"VAULT_NAMESPACE": "other"},
        "OpenBao": {"BAO_TOKEN": "other", "BAO_ADDR": "https://bao.example"},
        "server": {"VAULT_ADDR": "https://vault.example"},
        "role": {"VAULT_ROLE": "other"},
        "certificate": {"VAULT_CLIENT_CERT": "/none", "VAULT_CLIENT_KEY": "/none"},
        "AWS": {"AWS_PROFILE": "other"},
        "Google": {"GOOGLE_APPLICATION_CREDENTIALS": "/none"},
        "Azure": {"AZURE_CLIENT_ID": "other"},
    }
    options = ("--client", "lab", "--account", HEDY)
    for held in ({}, {"VAULT_TOKEN": "other"}):
        environment = {"NO_PROXY": "127.0.0.1"} | USUAL | held
        in_each_shell(lab, VAULT, shells, str(FOYER), vault.address, options=options, env=environment)
    vault.stop()
    assert vault.calls == ["vault:" + HEDY] * (2 * len(shells))


KUBERNETES = """
from kubernetes import client, config
def sign_in():
    config.load_config()
    client.VersionApi().get_code_with_http_info(_preload_content=False)
"""


def test_only_the_named_person_acts_at_a_cluster(person, sandbox, tmp_path):
    person.work_settings(sandbox)
    person.sign_in(GRACE, "--scope", SCOPE)
    person.sign_in(ADA, "--scope", SCOPE)
    cluster = Cluster(tmp_path, sandbox)
    add_settings(person, f'\n[[rules]]\ncluster = "{cluster.address}"\n')
    path = tmp_path / "kubeconfig"
    words = ("helper", "kubectl", "--client", "work", "--scope", SCOPE)
    path.write_text(kubeconfig(cluster, u=plugin(str(FOYER), *words, provideClusterInfo=True)))
    shells = {
        "nothing": {},
        "pod": {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "1"},
        "token": {"KUBE_TOKEN": "other"},
        "Terraform": {"KUBE_CONFIG_PATH": "/none", "KUBE_CTX": "other"},
        "another cluster": {"KUBERNETES_MASTER": "https://other.example"},
        "AWS": {"AWS_PROFILE": "other"},
        "Google": {"GOOGLE_APPLICATION_CREDENTIALS": "/none"},
        "kubelogin": {"AAD_LOGIN_METHOD": "spn", "AAD_SERVICE_PRINCIPAL_CLIENT_ID": "other"},
        "Azure": {"AZURE_CLIENT_ID": "other", "AZURE_CLIENT_SECRET": "s", "AZURE_TENANT_ID": "t"},
        "Docker": {"DOCKER_CONFIG": "/none"},
    }
    environment = {"FOYER_CLIENT": "work", "FOYER_ACCOUNT": GRACE, "KUBECONFIG": str(path), "NO_PROXY": "127.0.0.1"}
    in_each_shell(person, KUBERNETES, shells, options=("--client", "work", "--account", ADA), env=environment)
    cluster.stop()
    assert len(cluster.tokens) == len(shells) and all(cluster.challenge(token) is None for token in cluster.tokens)


# MARK: What is printed


def test_an_explanation_names_each_variable_without_its_value_and_starts_nothing(lab, tmp_path):
    mark = tmp_path / "mark"
    held = {"AWS_PROFILE": "s3cret", "AWS_BEARER_TOKEN_BEDROCK": "s3cret", "VAULT_TOKEN": "s3cret"}
    words = (*AWS, "--explain")
    result = lab.foyer(*words, "--", "touch", mark, env=held)
    assert result.status == 0 and not mark.exists() and "s3cret" not in result.stdout + result.stderr, result
    lines = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    assert lines["AWS_PROFILE"].startswith("removed, a profile"), lines
    assert lines["AWS_BEARER_TOKEN_BEDROCK"].startswith("removed,") and lines["VAULT_TOKEN"].startswith("kept,")
    assert lines["AWS_ROLE_ARN"].startswith("set,") and "AZURE_CLIENT_SECRET" not in lines
    rows = {row["name"]: row for row in lab.foyer(*words, "--json", env=held).json["variables"]}
    assert rows["AZURE_CLIENT_SECRET"]["deed"] == "removed" and not rows["AZURE_CLIENT_SECRET"]["isPresent"]
    assert rows["AWS_PROFILE"]["isPresent"] and rows["AWS_PROFILE"]["source"].startswith("https://")
    assert lab.foyer("run", "--explain").status == 0


def test_an_endpoint_prints_lines_that_a_shell_can_take(ada, other):
    """With them, the SDK asks this endpoint and no other."""
    running = ada.start("endpoint", "--client", "work", "--account", ADA, "--syntax", "sh")
    program = GET_TOKEN.format(credential="DefaultAzureCredential", arguments="")
    held = {"AZURE_CLIENT_ID": "x", "AZURE_CLIENT_SECRET": "s", "AZURE_TENANT_ID": "t"}
    removed = ada.foyer("endpoint", "--explain", "--json").json["variables"]
    last = [row["name"] for row in removed if row["deed"] == "removed"][-1]
    until(lambda: f"unset {last}\n".encode() in running.out, what="all lines")
    script = "".join(line.decode() for line in running.out) + 'exec "$0" -c "$1"'
    environment = ada.environment | held
    command = ["/bin/sh", "-c", script, sys.executable, program]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 0 and owner(ended.stdout)[0] == ADA and other.calls == [], ended


# MARK: Terraform


@pytest.mark.skipif(shutil.which("terraform") is None, reason="Terraform is not installed")
def test_terraform_asks_the_endpoint_as_nobody_else(ada, other, tmp_path):
    storage = 'resource_group_name = "g"\nstorage_account_name = "a"\ncontainer_name = "c"\nkey = "k"'
    (tmp_path / "main.tf").write_text(f'terraform {{\n  backend "azurerm" {{\n{storage}\n}}\n}}\n')
    held = {
        "ARM_CLIENT_ID": "other", "ARM_CLIENT_SECRET": "s", "ARM_ACCESS_KEY": "a2V5", "ARM_USE_OIDC": "true",
        "ARM_OIDC_TOKEN": "e30.e30.e30", "ARM_TENANT_ID": "t", "ARM_SUBSCRIPTION_ID": "s", "CHECKPOINT_DISABLE": "1",
    }  # fmt: skip
    command = ("run", "--client", "work", "--account", ADA, "--", "terraform", "init", "-input=false", "-no-color")
    result = ada.foyer(*command, env=held, cwd=tmp_path)
    # The sandbox's person has not consented to Azure Resource Manager, and says so to Terraform.
    assert result.status == 1 and "foyer sign-in --client work" in result.stderr + result.stdout, result
    (use,) = ada.foyer("why", "--recent", "--json").json["uses"]
    assert (use["program"], use["account"]) == ("terraform", ADA) and other.calls == [], (use, other.calls)
