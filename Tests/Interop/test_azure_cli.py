"""Azure CLI's own sign-in code and foyer on Azure CLI's store."""

import os
import random
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from harness import ADA, CONTOSO, FABRIKAM, GRACE, HEDY, REPOSITORY, TARO, Store
from waiting import PATIENCE

ENVIRONMENT = REPOSITORY / ".build" / "azure-cli-environment"
PYTHON = ENVIRONMENT / "bin" / "python"
PEER = Path(__file__).resolve().with_name("azure_cli_peer.py")
GRAPH = "https://graph.microsoft.com/.default"
MANAGEMENT = "https://management.core.windows.net//.default"
EMMY, KATHERINE = "emmy@lab.example", "katherine@contoso.example"
# Seconds that eight programs write one store at once; the full length is 60.
CROWD = float(os.environ.get("FOYER_CROWD_SECONDS") or 6)

pytestmark = pytest.mark.skipif(
    not (ENVIRONMENT / ".packages").exists(), reason="azure-cli-core is not installed; Tests/run does that"
)


class AzureCLI:
    """One person's Azure CLI at a sandbox; each call is a process."""

    def __init__(self, person, sandbox):
        self.sandbox, self.folder = sandbox, person.home / ".azure"
        self.folder.mkdir(mode=0o700)
        self.store = self.folder / "msal_token_cache.json"
        self.environment = {
            **{name: person.environment[name] for name in ("HOME", "PATH", "LANG")},
            "AZURE_CONFIG_DIR": str(self.folder),
            "REQUESTS_CA_BUNDLE": sandbox.ca,
            "PYTHONDONTWRITEBYTECODE": "1",
            "AZURE_CORE_COLLECT_TELEMETRY": "0",
        }

    def start(self, verb, *arguments, tenant="organizations"):
        return subprocess.Popen(
            [PYTHON, PEER, verb, self.sandbox.base, tenant, *map(str, arguments)],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, verb, *arguments, tenant="organizations"):
        """Its output, or None and what it complains of."""
        process = self.start(verb, *arguments, tenant=tenant)
        output, complaint = process.communicate(timeout=PATIENCE)
        return (output.strip(), complaint) if process.returncode == 0 else (None, complaint)

    def log_in(self, username, scope=MANAGEMENT):
        """As az login --use-device-code, with the code typed elsewhere; returns the token that it keeps."""
        process, said = self.start("login", scope), ""
        for line in process.stderr:
            said += line
            code = re.search(r"enter the code (\S+) to authenticate", line)
            if code:
                self.sandbox.approve(code[1], username)
        assert process.stdout.read().strip() == username and process.wait(PATIENCE) == 0, said
        return self.token(username, scope)

    def token(self, username, scope=MANAGEMENT):
        """As for a subscription of the person's own tenant: in "organizations" MSAL finds no access token in its
        cache."""
        return self.run("token", username, scope, tenant=FABRIKAM if username == GRACE else CONTOSO)[0]

    def users(self):
        return self.run("users")[0].split()


@pytest.fixture
def azure_cli(person, tls_sandbox):
    person.trust(tls_sandbox)
    person.work_settings(tls_sandbox)
    return AzureCLI(person, tls_sandbox)


def options(azure_cli, scope=MANAGEMENT):
    return ["--store", azure_cli.store, "--client", "cli", *(["--scope", scope] if scope else [])]


def renew(person, azure_cli, name, *more):
    command = ("token", "--silent", "--force-refresh", "--json", "--store", azure_cli.store, "--account", name)
    return person.foyer(*command, *more)


def refresh(person, azure_cli, scope=MANAGEMENT):
    """Lets foyer refresh what has expired, and Azure CLI find it."""
    result = person.foyer("token", "--silent", "--json", *options(azure_cli, scope))
    assert result.status == 0 and result.json["source"] == "refresh", result
    assert azure_cli.token(ADA, scope) == result.json["accessToken"]


@pytest.mark.parametrize("held_by_others", [False, True])
def test_removed_here_signed_in_there_and_back(person, azure_cli, held_by_others):
    """A sibling of the family that holds the person all the while makes foyer note the removal; the note hides nobody
    who signs in again."""
    here, wanted = options(azure_cli, None), ["token", "--silent", "--json", *options(azure_cli)]
    if held_by_others:
        person.sign_in(ADA, "--store", azure_cli.store, "--client", "powershell")
    token = azure_cli.log_in(ADA)
    found = person.foyer(*wanted)
    assert found.status == 0 and found.json["source"] == "cache" and found.json["accessToken"] == token, found

    assert person.foyer("remove", ADA, *here).status == 0
    refused = person.foyer(*wanted)
    assert refused.status == 3, refused
    if not held_by_others:
        assert azure_cli.token(ADA) is None and azure_cli.users() == []

    again = azure_cli.log_in(ADA)
    assert again != token and person.foyer(*wanted).json["accessToken"] == again
    Store(azure_cli.store).age()
    refresh(person, azure_cli)
    assert azure_cli.users() == [ADA]

    # Logged out there, and signed in here.
    assert azure_cli.run("logout", ADA)[0] is not None and azure_cli.users() == []
    assert person.foyer(*wanted).status == 3
    person.sign_in(ADA, *options(azure_cli))
    assert azure_cli.users() == [ADA] and azure_cli.token(ADA) == person.foyer(*wanted).json["accessToken"]
    assert person.foyer("remove", ADA, *here).status == 0
    assert person.foyer(*wanted).status == 3


def test_of_several_refresh_tokens_of_the_client_the_live_one_is_found(person, azure_cli):
    """Azure CLI keeps one for each set of scopes that somebody signed in with; the older one has been revoked."""
    azure_cli.log_in(ADA, GRAPH)
    azure_cli.sandbox.control("revoke", {"username": ADA})
    azure_cli.log_in(ADA, MANAGEMENT)
    store = Store(azure_cli.store)
    assert len(store.section("RefreshToken")) == 2
    store.age()
    for scope in (GRAPH, MANAGEMENT):
        refresh(person, azure_cli, scope)


def test_a_name_that_cannot_be_decoded_is_in_nobodys_way(person, azure_cli):
    azure_cli.log_in(ADA)
    store = Store(azure_cli.store)
    store.change("Account", note="half \ud83d of a pair")
    store.age()
    refresh(person, azure_cli)
    assert "half \\ud83d of a pair" in azure_cli.store.read_text()


def test_removed_as_azure_cli_would(person, azure_cli):
    azure_cli.log_in(ADA)
    azure_cli.log_in(TARO)
    accounts = Store(azure_cli.store).section("Account").values()
    (ada,) = [entry["home_account_id"] for entry in accounts if entry["username"] == ADA]
    with open(person.home / "config/foyer/config.toml", "a") as settings:
        settings.write("[stores.azure-cli]\nwrite = true\n")
    person.environment["AZURE_CONFIG_DIR"] = str(azure_cli.folder)
    removed = person.foyer("remove", ada, "--from", "azure-cli", "--yes", "--json")
    assert removed.status == 0, removed
    assert azure_cli.users() == [TARO] and azure_cli.token(ADA) is None and azure_cli.token(TARO)


def test_four_of_each_at_once_lose_no_sign_in(person, azure_cli):
    """Four of Azure CLI renew a person's tokens each; four of foyer share two sign-ins whose refresh tokens work once,
    and a second use ends them."""
    names = [ADA, TARO, KATHERINE, GRACE]
    for name in names:
        azure_cli.log_in(name)
    for name in (HEDY, EMMY):
        person.sign_in(name, "--store", azure_cli.store, "--client", "lab")
    limit, begin = CROWD + PATIENCE, time.monotonic()
    others = [azure_cli.start("renew", name, MANAGEMENT, CROWD, limit) for name in names]

    def go_on(name):
        results, chance = [], random.Random(name)
        while time.monotonic() < begin + (CROWD if results else limit):
            results.append(renew(person, azure_cli, name, "--client", "lab"))
            time.sleep(chance.uniform(0.05, 0.25))
        return results

    with ThreadPoolExecutor(4) as pool:
        results = [result for each in pool.map(go_on, (HEDY, EMMY, HEDY, EMMY)) for result in each]
    ended = [(*other.communicate(timeout=limit + PATIENCE), other.returncode) for other in others]
    assert all(status == 0 and int(output) > 0 for output, _, status in ended), ended
    assert results and [result for result in results if result.status != 0] == []
    print("renewed by Azure CLI", [int(output) for output, _, _ in ended], "by foyer", len(results))
    # Whoever was signed in still is.
    for name in (HEDY, EMMY):
        last = renew(person, azure_cli, name, "--client", "lab")
        assert last.status == 0 and last.json["source"] == "refresh", last
    for name in names:
        last = renew(person, azure_cli, name, "--client", "cli", "--scope", MANAGEMENT)
        assert last.status == 0 and azure_cli.token(name) == last.json["accessToken"], last
    assert set(azure_cli.users()) == set(names)
