"""Access tokens of an AI agent's session, in one store with MSAL for Python as Azure CLI calls it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from embedding import compile_program
from harness import CONTOSO, TRY_OUT, Store
from test_msal import SCOPES, application, msal_signs_in, write
from waiting import PATIENCE

pytestmark = [
    pytest.mark.xdist_group("embedding"),
    pytest.mark.skipif(not shutil.which("swiftc"), reason="there is no compiler here"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    program = tmp_path_factory.mktemp("agent_session") / "agent_session"
    compile_program(Path(__file__).with_name("agent_session.swift"), program)
    return program


@pytest.fixture(params=["ours", "msals"])
def both(request, program, tls_sandbox, tmp_path):
    """Each asks for a session, or for the person when it has no name: where its token came from, and the token."""
    store = tmp_path / "cache.json"

    def ours(session):
        command = [program, tls_sandbox.authority(CONTOSO), TRY_OUT, store, tls_sandbox.ca, session, *SCOPES]
        told = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        assert told.returncode == 0, told.stderr
        return told.stdout.split(maxsplit=1)

    def msals(session):
        app, cache = application(tls_sandbox, store)
        (account,) = app.get_accounts()
        named = {"client_session": session} if session else {}
        found = app.acquire_token_silent_with_error(SCOPES, account=account, data=dict(named), params=dict(named))
        assert "access_token" in found, found
        if cache.has_state_changed:
            write(store, cache, 0o600)
        return [{"identity_provider": "refresh"}.get(found["token_source"], "cache"), found["access_token"] + "\n"]

    msal_signs_in(tls_sandbox, store)
    return (store, ours, msals) if request.param == "ours" else (store, msals, ours)


def test_what_one_stores_for_a_session_the_other_finds(both, tls_sandbox):
    store, one, other = both
    source, person = one("")
    assert source == "cache"
    source, token = one("s1")
    assert source == "refresh" and token != person
    requests = tls_sandbox.requests("token")
    for ask in (one, other):
        assert ask("s1") == ["cache", token] and ask("") == ["cache", person]
    assert tls_sandbox.requests("token") == requests
    source, second = other("s2")
    assert source == "refresh" and second not in (person, token)
    for ask in (one, other):
        assert ask("s1") == ["cache", token] and ask("s2") == ["cache", second] and ask("") == ["cache", person]
    entries = Store(store).section("AccessToken")
    assert len(entries) == 3 and len(Store(store).section("Account")) == 1
    for key, entry in entries.items():
        extended = entry.get("ext_cache_key")
        assert key.split(entry["environment"])[1].startswith("-atext-" if extended else "-accesstoken-")
        assert not extended or key.endswith("-" + extended)


def test_a_refresh_of_the_other_takes_the_place_of_a_sessions_token(both):
    store, one, other = both
    old = one("s1")[1]
    Store(store).age()
    source, new = other("s1")
    assert source == "refresh" and new != old
    assert one("s1") == ["cache", new]
    entries = Store(store).section("AccessToken").values()
    assert sum("ext_cache_key" in entry for entry in entries) == 1, "no second entry beside it"
    assert one("")[0] == "refresh", "the person's has expired, and the session's is not given in its place"
