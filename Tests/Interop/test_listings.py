"""What the commands that only look say, in words and in JSON; and that no secret is in it unless it was asked for."""

import contextlib
import json
import os
import re
import time

import pexpect
import pytest
from harness import (
    ADA,
    AZURE_CLI,
    CONTOSO,
    FABRIKAM,
    FOYER,
    GRACE,
    HEDY,
    LAB,
    REPOSITORY,
    TARO,
    TRY_OUT,
    Store,
    assert_no_secret,
)
from waiting import spawn

LISTINGS = (["accounts"], ["tokens"], ["scopes"], ["clients"], ["clean"])
NEVER = re.compile(r"1\.sandbox\.|0\.sandbox\.|(^|[^A-Za-z])rt\.[A-Za-z0-9_-]{10}")


@pytest.fixture
def people(person, sandbox):
    """Ada with two clients, Grace with one, Hedy at an OpenID Connect provider."""
    person.work_settings(sandbox)
    person.sign_in(ADA)
    person.sign_in(ADA, "--client", "cli")
    person.sign_in(GRACE, "--client", "cli")
    person.sign_in(HEDY, "--client", "lab")
    return person


@contextlib.contextmanager
def changed(people):
    """The content of the store, to be changed."""
    content = Store(people.store).read()
    yield content
    people.store.write_text(json.dumps(content))


def first(section):
    return next(iter(section.values()))


def test_accounts_and_those_of_one_client(people, sandbox):
    Store(people.store).age(3500)
    requests = sandbox.state()["requests"]
    accounts = people.foyer("accounts", "--json").json["accounts"]
    assert sorted(account["username"] for account in accounts) == [ADA, ADA, GRACE, HEDY]
    assert len({account["client"] for account in accounts if account["username"] == ADA}) == 2
    ada = next(account for account in accounts if account["username"] == ADA)
    assert sorted(ada["clients"]) == sorted([TRY_OUT, AZURE_CLI])
    assert ada["origin"] == "msal" and ada["name"] == "Ada Lovelace"
    (profile,) = ada["tenantProfiles"]
    assert profile["tenantId"] == CONTOSO and profile["isHomeTenant"] is True
    words = people.foyer("accounts").stdout
    assert all(name in words for name in (ADA, GRACE, HEDY, "Ada Lovelace")) and re.search(r"\t5\d min\t", words)
    assert sandbox.state()["requests"] == requests
    named = people.foyer("accounts", "--json", "--client", "lab").json["accounts"]
    assert [account["username"] for account in named] == [HEDY]


def test_a_guest_tenant_is_a_profile_of_the_same_account(people, sandbox):
    assert people.foyer("token", "--silent", "--account", ADA, "--tenant", FABRIKAM).status == 0
    people.sign_in(ADA, "--authority", sandbox.authority(FABRIKAM))
    accounts = people.foyer("accounts", "--json").json["accounts"]
    ada = next(account for account in accounts if account["username"] == ADA)
    assert sorted(profile["isHomeTenant"] for profile in ada["tenantProfiles"]) == [False, True]


def test_tokens_stand_under_their_clients(people):
    listed = people.foyer("tokens", "--json").json
    tokens = listed["tokens"]
    assert {"AccessToken", "RefreshToken", "IdToken"} == {token["type"] for token in tokens}
    members = {"id", "type", "clientId", "homeAccountId", "environment", "realm", "scopes", "expiresOn", "familyId"}
    for token in tokens:
        assert members <= token.keys() and "secret" not in token
    family = {(token["type"], token["clientId"]): token["familyId"] for token in tokens}
    assert family["RefreshToken", AZURE_CLI] == "1"
    hers = people.foyer("tokens", "--json", "--account", HEDY).json["tokens"]
    assert {token["clientId"] for token in hers} == {LAB}
    words = people.foyer("tokens").stdout
    assert ADA in words and "User.Read" in words and "cli" in words
    assert sum(line.split("\t")[1] == "cli" for line in words.splitlines()) == 6, words
    (cli,) = [client for client in listed["clients"] if client["clientId"] == AZURE_CLI]
    assert cli["wellKnownName"] == "Azure CLI" and cli["isFamily"] is True and cli["refreshTokens"] == 2, cli
    assert {token["clientName"] for token in tokens} == {"work", "cli", "lab"}
    assert all(token["isExpired"] is False and token["duplicateOf"] is None for token in tokens)
    assert all(token["age"] is not None for token in tokens if token["type"] == "AccessToken")


def test_secrets_are_shown_when_they_are_asked_for_a_long_one_whole(people):
    secrets = set(Store(people.store).secrets())
    shown = people.foyer("tokens", "--json", "--reveal")
    assert {token["secret"] for token in shown.json["tokens"]} == secrets
    words = people.foyer("tokens", "--reveal").stdout
    assert all(secret in words for secret in secrets)
    Store(people.store).change("AccessToken", secret="A" * 9000 + "end")
    assert "A" * 9000 + "end" in people.foyer("tokens", "--reveal").stdout


@pytest.mark.parametrize(
    "command",
    LISTINGS + (["accounts", "--verbose"], ["inspect"], ["remove", TARO], ["token", "--silent", "--account", TARO]),
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_no_secret_is_in_what_is_listed(people, command, form):
    result = people.foyer(*command, *form)
    assert_no_secret(people.store, result)
    assert not NEVER.search(result.stdout + result.stderr), result


def test_what_is_told_of_a_silent_token_has_no_secret_in_it(people):
    Store(people.store).age()
    told = ("token", "--silent", "--verbose", "--account", GRACE, "--client", "cli")
    result = people.foyer(*told)
    assert result.status == 0 and result.stdout.count("\n") == 1 and "refresh" in result.stderr, result
    for secret in Store(people.store).secrets():
        assert secret[-40:] not in result.stderr
    events = people.foyer(*told, "--json").events
    assert [event["event"] for event in events] == ["step"] * len(events) and events


def test_scopes_and_clients(people):
    rows = people.foyer("scopes", "--json").json["scopes"]
    assert {row["clientId"] for row in rows} == {TRY_OUT, AZURE_CLI, LAB}
    ada = next(row for row in rows if row["clientId"] == TRY_OUT)
    assert ada["username"] == ADA and ada["realm"] == CONTOSO and "User.Read" in ada["granted"]
    assert "User.Read" in people.foyer("scopes").stdout
    assert {row["username"] for row in people.foyer("scopes", "--json", "--account", GRACE).json["scopes"]} == {GRACE}
    clients = people.foyer("clients", "--json").json["clients"]
    named = {client["name"] for client in clients if client["origin"] == "settings"}
    assert {"work", "cli", "powershell", "lab"} <= named
    assert any(client["clientId"] == AZURE_CLI and client["origin"] != "settings" for client in clients)
    assert TRY_OUT in people.foyer("clients").stdout


def test_scopes_tell_what_was_declined_and_what_was_asked(person, sandbox):
    person.work_settings(sandbox)
    running = person.start("sign-in", "--json", "--via", "device", "--scope", "User.Read Mail.Read")
    sandbox.approve(running.wait_event("deviceCode")["userCode"], ADA, scopes=["User.Read"])
    assert running.end().status == 4
    (row,) = person.foyer("scopes", "--json").json["scopes"]
    assert "User.Read" in row["granted"] and "Mail.Read" not in row["granted"]
    assert "requested" in row or "asked" in row, "what was asked for has its place, too"
    assert row.get("declined") is not None


def test_inspect_explains_a_token(people):
    token = people.foyer("token", "--silent").stdout
    result = people.foyer("inspect", "-", "--json", stdin=token.encode())
    assert result.status == 0 and result.json["payload"]["preferred_username"] == ADA, result
    assert result.json["header"]["alg"] == "RS256"
    assert result.json["signature"]["status"] == "notChecked" and result.json["expiresOn"]
    words = people.foyer("inspect", token.strip())
    assert words.status == 0 and "not checked" in words.stdout and ADA in words.stdout and "exp" in words.stdout
    assert_no_secret(people.store, result, words)


def test_inspect_finds_a_cached_token_checks_its_signature_and_says_that_one_is_wrong(people):
    tokens = people.foyer("tokens", "--json").json["tokens"]
    id_token = next(token for token in tokens if token["type"] == "IdToken" and token["clientId"] == LAB)
    result = people.foyer("inspect", "--json", "--verify", "--id", id_token["id"])
    assert result.status == 0 and result.json["signature"]["status"] == "verified", result
    token = people.foyer("token", "--silent", "--client", "lab").stdout.strip()
    head, body, signature = token.split(".")
    result = people.foyer("inspect", "--verify", "-", stdin=f"{head}.{body}.{signature[:-8]}{'A' * 8}".encode())
    assert result.status == 9 and "INVALID" in result.stdout, result


def test_remove_asks_no_server_and_leaves_the_other_client(people, sandbox):
    requests = sandbox.state()["requests"]
    result = people.foyer("remove", "--json", ADA)
    assert result.status == 0 and result.json["removed"]["username"] == ADA, result
    assert result.json["clientId"] == TRY_OUT
    assert sandbox.state()["requests"] == requests
    assert people.foyer("token", "--silent").status == 3
    assert people.foyer("token", "--silent", "--client", "cli", "--account", ADA).status == 0
    again = people.foyer("remove", "--json", ADA)
    assert again.status == 8 and again.error["code"] == "notFound", again


def test_sign_out_tells_the_three_parts(people, sandbox):
    live = sandbox.state()["liveRefreshTokens"]
    result = people.foyer("sign-out", "--json", HEDY, "--client", "lab", "--browser", "none")
    assert result.status == 0, result
    assert result.json["removed"]["outcome"] == "done" and result.json["sessionEnded"]["outcome"] == "failed"
    assert result.json["endSessionUrl"].startswith(sandbox.issuer)
    assert result.json["revoked"]["outcome"] in ("done", "notOffered")
    assert sandbox.state()["liveRefreshTokens"] <= live
    assert people.foyer("token", "--silent", "--client", "lab").status == 3


def test_sign_out_revokes_what_there_is_to_revoke(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab", "--scope", "openid profile email offline_access")
    assert sandbox.state()["liveRefreshTokens"] == 1
    result = person.foyer("logout", HEDY, "--client", "lab", "--browser", "curl -sL -o /dev/null %s")
    assert result.status == 0 and len(result.stdout.splitlines()) >= 3, result
    assert sandbox.state()["liveRefreshTokens"] == 0
    assert not Store(person.store).secrets()


def test_a_sign_out_is_not_done_when_the_provider_is_away(person, own_sandbox):
    provider = own_sandbox()
    person.work_settings(provider)
    person.sign_in(ADA)
    provider.stop()
    result = person.foyer("sign-out", "--json", ADA)
    assert result.status == 6 and json.loads(result.stdout)["state"] == "signingOut", result
    assert json.loads(result.stdout)["revoked"]["outcome"] == "failed"
    assert not Store(person.store).section("RefreshToken")


def test_clean_shows_first_and_removes_when_told(people):
    Store(people.store).age()
    shown = people.foyer("clean", "--json")
    assert shown.status == 0 and len(shown.json["tokens"]) == 4 and shown.json["removed"] == 0, shown
    assert people.foyer("clean", "--yes", "--json").json["removed"] == 4
    assert not Store(people.store).section("AccessToken") and Store(people.store).section("RefreshToken")
    assert people.foyer("token", "--silent", "--account", GRACE, "--client", "cli").status == 0


def test_clean_asks_nobody_where_nobody_is_and_nobody_in_a_dry_run(people):
    """Without a terminal and without --yes it only shows; --dry-run always does, at a terminal, too."""
    Store(people.store).age()
    before = people.store.read_bytes()
    child = spawn(people, FOYER, "clean", "--dry-run", dimensions=(24, 120))
    child.expect_exact("nothing was removed")
    child.expect(pexpect.EOF)
    assert "[y/N]" not in child.before and people.store.read_bytes() == before
    for options in ([], ["--dry-run"]):
        shown = people.foyer("clean", *options)
        assert shown.status == 0 and "\taccess\t" in shown.stdout and ADA in shown.stdout, shown
        assert "nothing was removed" in shown.stderr and people.store.read_bytes() == before, shown
    assert "--yes" in people.foyer("clean").stderr
    assert people.foyer("clean", "--yes", "--dry-run").status == 64
    done = people.foyer("clean", "--yes")
    assert done.status == 0 and "removed 4 tokens" in done.stderr, done
    again = people.foyer("clean", "--yes")
    assert again.status == 0 and again.stdout == "" and "nothing to clean" in again.stderr, again


def test_clean_never_takes_a_refresh_token_and_takes_orphans(people):
    with changed(people) as content:
        refresh = dict(content["RefreshToken"])
        content["Account"] = {key: entry for key, entry in content["Account"].items() if entry["username"] != GRACE}
        content["IdToken"]["stray"] = dict(first(content["IdToken"]), home_account_id="nobody.nowhere")
        idle = {"home_account_id": "idle.idle", "username": "idle@contoso.example"}
        content["Account"]["idle"] = first(content["Account"]) | idle
    listed = people.foyer("tokens", "--json").json
    assert [account["username"] for account in listed["accountsWithoutTokens"]] == ["idle@contoso.example"]
    assert {token["hasAccount"] for token in listed["tokens"]} == {True, False}
    assert people.foyer("clean", "--yes", "--json").json["removed"] == 2
    after = Store(people.store).read()
    assert after["RefreshToken"] == refresh and "stray" not in after["IdToken"] and "idle" not in after["Account"]


def test_damaged_entries_are_listed_named_and_cleaned(people):
    """Without an end, an access token makes every silent call of MSAL for Python fail; a refresh token is kept,
    whatever is wrong with it."""
    with changed(people) as content:
        endless = next(key for key, entry in content["AccessToken"].items() if entry["client_id"] == LAB)
        del content["AccessToken"][endless]["expires_on"]
        content["IdToken"]["empty"] = dict(first(content["IdToken"]), secret="")
        content["RefreshToken"]["odd"] = dict(first(content["RefreshToken"]), target=7)
    listed = [(entry["id"], entry["canGo"]) for entry in people.foyer("tokens", "--json").json["damaged"]]
    assert listed == [(endless, True), ("odd", False), ("empty", True)]
    words = people.foyer("tokens").stdout
    assert words.count("\tdamaged: ") == 3 and "expires_on" in words, words
    assert len(people.foyer("tokens", "--all-stores", "--json").json["damaged"]) == 3
    said = people.foyer("doctor", "--json", env={"FOYER_AUTHORITY": "https://127.0.0.1:9"}).json["findings"]
    (finding,) = [finding for finding in said if finding["subject"] == "store"]
    assert endless in finding["detail"] and "MSAL for Python" in finding["detail"], finding
    assert "foyer clean" in finding["hint"]
    shown = people.foyer("clean")
    assert "damaged: it has no secret" in shown.stdout and "odd" not in shown.stdout, shown
    assert people.foyer("clean", "--yes", "--json").json["removed"] == 2
    after = Store(people.store).read()
    assert endless not in after["AccessToken"] and "empty" not in after["IdToken"] and "odd" in after["RefreshToken"]
    assert_no_secret(people.store, shown)


def test_a_key_that_begins_with_a_dash_is_inspected(people):
    """Entries of a client without a person have no identifier at the beginning of their key."""
    key = "-login.example-idtoken-x"
    with changed(people) as content:
        content["IdToken"][key] = first(content["IdToken"])
    result = people.foyer("inspect", "--id", key, "--compare", key)
    assert result.status == 0 and "no differences" in result.stdout, result


def test_a_token_that_was_stored_in_the_future_says_that_a_clock_was_wrong(people):
    ahead = int(time.time()) + 3600
    ends = dict.fromkeys(("expires_on", "extended_expires_on"), str(ahead + 3600))
    Store(people.store).change("AccessToken", cached_at=str(ahead), **ends)
    result = people.foyer("token", "--silent", "--verbose", "--client", "work")
    assert result.status == 0 and "wrong clock" in result.stderr and "s left" not in result.stderr, result


def test_no_extended_end_where_the_provider_gave_none(people, sandbox):
    sandbox.fault("override", endpoint="token", fields={"ext_expires_in": None})
    assert people.foyer("token", "--silent", "--force-refresh", "--client", "work").status == 0
    told = people.foyer("token", "--silent", "--client", "work", "--json").json
    assert told["source"] == "cache" and told["extendedExpiresOn"] is None and told["expiresOn"], told


def test_a_store_that_cannot_be_read_is_not_said_to_be_open(people):
    people.store.write_text('{"AccessToken":[],"Account":{}}')
    result = people.foyer("store", "show")
    assert "cannot be used" in result.stdout and "usable" not in result.stdout, result
    assert "foyer import" not in result.stdout, result
    assert "AccessToken is not an object" in people.foyer("store", "show", "--json").json["problem"]
    listed = people.foyer("tokens")
    assert listed.status == 7 and "foyer import" not in listed.stderr, listed


def test_a_store_that_others_can_read_is_said_to_be_so_once(people):
    people.store.chmod(0o644)
    result = people.foyer("store", "show")
    assert "format: plain file, readable by others (mode 0644)" in result.stdout.splitlines(), result
    assert "only you" not in result.stdout and result.stdout.count("0644") == 1, result
    assert f"chmod 600 {people.store}" in result.stdout, result
    people.store.chmod(0o600)
    assert "plain file, readable only by you" in people.foyer("store", "show").stdout


def test_an_encrypted_store_that_nobody_can_choose_a_passphrase_for_is_not_said_to_be_locked(people, tmp_path):
    before = people.store.read_bytes()
    for command in (["store", "move", "--to"], ["sign-in", "--via", "device", "--store"]):
        result = people.foyer(*command, f"encrypted:{tmp_path}/new.sealed")
        assert result.status == 7 and "a passphrase is needed to create" in result.stderr, result
        assert "locked" not in result.stderr and "run it in a terminal" in result.stderr, result
        assert people.store.read_bytes() == before and not (tmp_path / "new.sealed").exists()


def test_systemd_creds_keeps_the_key_of_a_new_encrypted_store(people, tmp_path):
    elsewhere = people.foyer("store", "move", "--systemd-creds", "--to", f"file:{tmp_path}/other.json")
    assert elsewhere.status == 64 and "new encrypted store" in elsewhere.stderr, elsewhere
    spec = f"encrypted:{tmp_path}/new.sealed"
    moved = people.foyer("store", "move", "--systemd-creds", "--to", spec)
    if moved.status != 0:
        # A machine without a place for the host's key refuses, and nobody is asked for a passphrase in its stead.
        assert moved.status == 7 and "systemd-creds" in moved.stderr and "passphrase" not in moved.stderr, moved
        assert not (tmp_path / "new.sealed").exists()
        return
    assert "kept by systemd-creds" in people.foyer("store", "show", "--store", spec).stdout
    assert len(people.foyer("accounts", "--json", "--store", spec).json["accounts"]) == 4


def test_the_family_names_a_holder_once(people):
    with changed(people) as content:
        entry = next(entry for entry in content["RefreshToken"].values() if entry["client_id"] == AZURE_CLI)
        content["RefreshToken"]["second"] = dict(entry, target="another")
    rows = [line for line in people.foyer("family").stdout.splitlines() if line.startswith("foyer\t")]
    assert len(rows) == len(set(rows)) == 2, rows
    assert len(people.foyer("family", "--json").json["family"]) == 3


def test_a_double_is_said_to_be_one(people):
    with changed(people) as content:
        key, entry = next(iter(content["AccessToken"].items()))
        content["AccessToken"]["double"] = dict(entry, expires_on=str(int(entry["expires_on"]) - 60))
    (double,) = [token for token in people.foyer("tokens", "--json").json["tokens"] if token["duplicateOf"]]
    assert double["id"] == "double" and double["duplicateOf"] == key
    assert "duplicate" in people.foyer("tokens").stdout


def test_every_listing_is_one_json_value(people):
    for command in LISTINGS:
        result = people.foyer(*command, "--json")
        assert result.status == 0 and isinstance(result.json, dict) and result.stdout.endswith("\n"), result


def test_every_command_of_the_contract_is_there(person):
    names = "sign-in login token accounts tokens inspect scopes sign-out logout remove import clients clean doctor demo"
    assert [name for name in names.split() if "USAGE" not in person.foyer(name, "--help").stdout] == []


def test_what_the_program_was_built_of(person):
    version = person.foyer("--version").stdout
    details = person.foyer("--version", "--json").json
    assert version == f"foyer {details['version']}\n"
    # A plain build is told no commit; that of a package is.
    assert details["commit"] is None or re.fullmatch("[0-9a-f]{40}(-dirty)?", details["commit"]), details
    assert re.match(r"Swift \d+\.\d+", details["compiler"]), details
    libraries = {library["name"]: library["version"] for library in details["libraries"]}
    pins = json.loads((REPOSITORY / "Package.resolved").read_text())["pins"]
    pinned = {pin["identity"]: pin["state"].get("version") for pin in pins}
    for name in ("swift-nio-ssl", "swift-crypto", "async-http-client", "tomlkit"):
        assert libraries[name].split()[0] == pinned[name], libraries
    assert all(re.match(r"\d+\.\d+", libraries[name]) for name in ("ncurses", "libqrencode")), libraries
    if hasattr(os, "confstr"):
        assert os.confstr("CS_GNU_LIBC_VERSION") in (None, f"glibc {libraries.get('glibc')}")
    lines = person.foyer("--version", "--verbose").stdout.splitlines()
    assert lines[0] == version.strip() and f"commit: {details['commit'] or 'unknown'}" in lines
    assert all(f"{name}: {number}" in lines for name, number in libraries.items())
