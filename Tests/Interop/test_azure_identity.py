"""azure-identity signs in at the sandbox; what it keeps in a file serves foyer as well."""

import os
import random
import re
import threading
import time
import webbrowser
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from azure.identity import (
    AuthenticationRequiredError,
    DeviceCodeCredential,
    InteractiveBrowserCredential,
    TokenCachePersistenceOptions,
)
from harness import ADA, AZURE_CLI, CONTOSO, GRACE, HEDY, TARO
from waiting import PATIENCE

EMMY, KATHERINE = "emmy@lab.example", "katherine@contoso.example"
GRAPH = "https://graph.microsoft.com/.default"
# Seconds that four of each write at once; 60 in the long run.
CROWD = float(os.environ.get("FOYER_CROWD_SECONDS") or 4)
# A claims request that any token fulfils: it makes azure-identity renew the one that it has.
RENEWED = '{"access_token":{"nbf":{"essential":true,"value":"1"}}}'


@pytest.fixture
def known(tls_sandbox):
    return {
        "client_id": AZURE_CLI,
        "tenant_id": CONTOSO,
        "authority": tls_sandbox.base,
        "disable_instance_discovery": True,
        "connection_verify": tls_sandbox.ca,
    }


@pytest.fixture
def signed_in_by_code(tls_sandbox, known):
    """Makes credentials for which somebody types the code."""

    def credential(name=ADA, **more):
        return DeviceCodeCredential(
            prompt_callback=lambda address, code, expires: tls_sandbox.approve(code, name), **known, **more
        )

    return credential


@pytest.fixture
def in_a_file(person, tls_sandbox, monkeypatch):
    """The option by which credentials keep what they have in a file, in the home folder of the person."""
    monkeypatch.setenv("HOME", str(person.home))
    person.trust(tls_sandbox)
    return {"cache_persistence_options": TokenCachePersistenceOptions(allow_unencrypted_storage=True)}


def file_of(person):
    files = (person.home / ".IdentityService").iterdir()
    (file,) = [path for path in files if path.suffix != ".lockfile" and path.stat().st_size > 2]
    return file


def test_device_code_and_the_second_token_from_memory(tls_sandbox, signed_in_by_code):
    credential = signed_in_by_code()
    first = credential.get_token(GRAPH)
    before = tls_sandbox.requests("token")
    assert credential.get_token(GRAPH).token == first.token
    assert tls_sandbox.requests("token") == before
    record = credential.authenticate(scopes=[GRAPH])
    assert record.username == ADA and record.tenant_id == CONTOSO


def test_interactive_browser(tls_sandbox, known, monkeypatch):
    tls_sandbox.control("auto", {"username": ADA})

    def visit(address):
        session = requests.Session()
        session.verify, session.trust_env = tls_sandbox.ca, False
        page = session.get(address, timeout=PATIENCE)
        if 'method="post"' in page.text:
            target = re.search(r'action="([^"]+)"', page.text).group(1)
            session.post(target, data=dict(re.findall(r'name="([^"]+)" value="([^"]*)"', page.text)), timeout=PATIENCE)

    class Scripted:
        @staticmethod
        def open(address, *arguments, **more):
            threading.Thread(target=visit, args=(address,), daemon=True).start()
            return True

    monkeypatch.setattr("azure.identity._credentials.browser._open_browser", Scripted.open, raising=False)
    monkeypatch.setattr(webbrowser, "open", Scripted.open)
    monkeypatch.setattr(webbrowser, "get", lambda *arguments: Scripted)
    credential = InteractiveBrowserCredential(timeout=PATIENCE, **known)
    assert credential.get_token(GRAPH).token


def test_what_it_keeps_in_a_file_foyer_hands_out_and_renews(person, tls_sandbox, signed_in_by_code, in_a_file):
    credential = signed_in_by_code(**in_a_file)
    token = credential.get_token(GRAPH).token
    who = ["--store", file_of(person), "--client-id", AZURE_CLI, "--authority", tls_sandbox.authority(CONTOSO)]
    wanted = ["token", "--silent", *who, "--scope", GRAPH]
    assert person.foyer(*wanted).stdout == token + "\n"
    renewed = person.foyer(*wanted, "--force-refresh", "--json")
    assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed
    before = tls_sandbox.requests("devicecode")
    assert credential.get_token(GRAPH).token == renewed.json["accessToken"], "it reads what foyer wrote"
    assert tls_sandbox.requests("devicecode") == before


def test_removed_by_foyer_and_signed_in_again(person, tls_sandbox, signed_in_by_code, in_a_file):
    """A sibling of the family holds the person all the while, so that foyer notes the removal."""
    credential, again = signed_in_by_code(**in_a_file), signed_in_by_code(**in_a_file)
    credential.get_token(GRAPH)
    file = file_of(person)
    person.work_settings(tls_sandbox)
    person.sign_in(ADA, "--store", file, "--client", "powershell")
    who = ["--store", file, "--client-id", AZURE_CLI, "--authority", tls_sandbox.authority(CONTOSO)]
    wanted = ["token", "--silent", "--json", *who, "--scope", GRAPH]
    assert person.foyer("remove", ADA, *who).status == 0
    assert person.foyer(*wanted).status == 3
    # A credential that knows the person spends the sibling's refresh token, even to authenticate: nobody was asked, so
    # nobody signed in.
    asked = tls_sandbox.requests("devicecode")
    assert credential.authenticate(scopes=[GRAPH]).username == ADA and tls_sandbox.requests("devicecode") == asked
    assert person.foyer(*wanted).status == 3
    # One that knows nobody yet asks.
    token = again.get_token(GRAPH).token
    assert tls_sandbox.requests("devicecode") == asked + 1
    found = person.foyer(*wanted)
    assert found.status == 0 and found.json["accessToken"] == token, found
    renewed = person.foyer(*wanted, "--force-refresh")
    assert renewed.status == 0 and again.get_token(GRAPH).token == renewed.json["accessToken"], renewed


def test_four_writers_of_each_lose_no_sign_in(person, tls_sandbox, known, signed_in_by_code, in_a_file):
    """Four credentials renew their tokens over and over; four foyers share two sign-ins whose refresh tokens work
    once."""
    known["tenant_id"] = "organizations"

    def credential_of(name):
        record = signed_in_by_code(name, **in_a_file).authenticate(scopes=[GRAPH])
        assert record.username == name
        # The record names the authority.
        without = {name: value for name, value in known.items() if name not in ("authority", "tenant_id")}
        return DeviceCodeCredential(
            authentication_record=record, disable_automatic_authentication=True, **in_a_file, **without
        )

    credentials = [credential_of(name) for name in (ADA, TARO, KATHERINE, GRACE)]
    file = file_of(person)
    person.work_settings(tls_sandbox)
    for name in (HEDY, EMMY):
        person.sign_in(name, "--store", file, "--client", "lab")
    renewal = ("token", "--silent", "--force-refresh", "--json", "--store", file, "--client", "lab")
    begin = time.monotonic()

    def goes_on(count):
        """Until its time is over, and on a slow machine until each has renewed something."""
        return time.monotonic() < begin + (CROWD if count else CROWD + PATIENCE)

    def azure_identity_renews(credential):
        count = 0
        while goes_on(count):
            try:
                assert credential.get_token(GRAPH, claims=RENEWED).token
            except AuthenticationRequiredError:
                # It reads without the lock, and its own writers truncate the file before they write it.
                continue
            except Exception as error:
                assert "lock" in type(error).__name__.lower(), error
                continue
            count += 1
        return count

    def foyer_renews(name):
        results, chance = [], random.Random(name)
        while goes_on(len(results)):
            results.append(person.foyer(*renewal, "--account", name))
            # As between two commands of a script; MSAL tries its lock four times a second only.
            time.sleep(chance.uniform(0.05, 0.25))
        return results

    with ThreadPoolExecutor(8) as pool:
        counts = [pool.submit(azure_identity_renews, credential) for credential in credentials]
        ours = [pool.submit(foyer_renews, name) for name in (HEDY, EMMY, HEDY, EMMY)]
        renewed = [future.result() for future in counts]
        results = [result for future in ours for result in future.result()]
    print(f"azure-identity renewed {sum(renewed)} times, foyer {len(results)} times")
    assert all(renewed), "each of them renewed something"
    assert [result for result in results if result.status != 0 or result.stderr] == []
    for name in (HEDY, EMMY):
        last = person.foyer(*renewal, "--account", name)
        assert last.status == 0, last
    for credential in credentials:
        assert credential.get_token(GRAPH, claims=RENEWED).token
