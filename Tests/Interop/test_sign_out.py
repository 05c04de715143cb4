"""A sign-out is final: what a refresh brings meanwhile is revoked as well, and no file keeps a token."""

import json
import os
import time

import pexpect
import pytest
from agents import Agent
from harness import FOYER, HEDY, Store, held_refresh, until
from waiting import linger, spawn

ASK = ("token", "--silent", "--client", "lab", "--scope", "openid profile email")
LONG = bool(os.environ.get("FOYER_LONG"))


@pytest.fixture
def hedy(expired_hedy):
    return expired_hedy


@pytest.mark.parametrize("options", [(), ("--wipe",)], ids=["of one client", "of all"])
def test_what_a_refresh_brings_during_a_sign_out_is_revoked(hedy, sandbox, options):
    running = held_refresh(hedy, sandbox, *ASK)
    leaving = hedy.start("sign-out", HEDY, "--client", "lab", "--json", "--browser", "none", *options)
    linger(1)
    # Providers that revoke one token alone would let the new one live.
    assert running.process.poll() is None and sandbox.requests("revoke") == 0
    sandbox.release()
    first, left = running.end(), leaving.end()
    assert left.status == 0 and left.json["revoked"]["outcome"] == "done", left
    assert sandbox.requests("revoke") == 1
    assert first.status == 0, first
    # The refresh was over before: the token of the store was the living one, and is dead now.
    assert sandbox.state()["liveRefreshTokens"] == 0
    assert hedy.foyer(*ASK).status == 3


def test_two_sign_outs_at_once_both_end(hedy, sandbox):
    running = [hedy.start("sign-out", HEDY, "--client", "lab", "--json", "--browser", "none") for _ in range(2)]
    assert {one.end().status for one in running} <= {0, 8}
    assert hedy.foyer(*ASK).status == 3


@pytest.mark.parametrize("command", [("sign-out", HEDY, "--browser", "none"), ("remove", HEDY)], ids=lambda c: c[0])
@pytest.mark.parametrize("kind", [(), ("--access-token",)], ids=["an ID token", "an access token"])
def test_the_files_of_the_account_go_with_it(hedy, sandbox, command, kind):
    files = [hedy.home / "tokens" / name for name in ("one", "two")]
    for path in files:
        assert hedy.foyer("token-file", "add", path, "--client", "lab", *kind).status == 0
    gone = hedy.foyer(*command, "--client", "lab", "--json")
    assert gone.status == 0 and gone.json["tokenFilesRemoved"] == 2, gone
    assert not any(path.exists() for path in files)
    # They stay in the list: the next sign-in brings others.
    assert len(hedy.foyer("token-file", "list", "--json").json["tokenFiles"]) == 2


def test_a_file_of_which_nothing_can_be_told_is_named_beside_what_was_done(hedy, sandbox):
    path = hedy.home / "file"
    assert hedy.foyer("token-file", "add", path, "--client", "lab").status == 0
    listed = hedy.home / "data" / "foyer" / "token-files.json"
    listed.write_text(listed.read_text().replace('"lab"', '"gone"'))
    gone = hedy.foyer("sign-out", HEDY, "--client", "lab", "--json", "--browser", "none")
    assert gone.status == 7 and "could not be removed" in gone.error["message"], gone
    done = json.loads(gone.stdout)
    assert done["revoked"]["outcome"] == "done" and done["tokenFilesRemoved"] is None and path.exists(), gone


def test_the_files_of_others_stay(ada, sandbox):
    path = ada.home / "file"
    assert ada.foyer("token-file", "add", path).status == 0
    ada.sign_in(HEDY, "--client", "lab", "--scope", "openid profile email offline_access")
    gone = ada.foyer("remove", HEDY, "--client", "lab")
    assert gone.status == 0 and "token files" not in gone.stdout and path.exists(), gone


@pytest.mark.parametrize("moment", range(100 if LONG else 4))
def test_no_update_writes_a_token_after_the_sign_out(hedy, sandbox, moment):
    path = hedy.home / "file"
    assert hedy.foyer("token-file", "add", path, "--client", "lab", "--access-token").status == 0
    Store(hedy.store).age()
    count = sandbox.requests("token:refresh_token")
    if moment % 2:
        sandbox.hold()
    else:
        sandbox.fault("late", endpoint="token:refresh_token", seconds=0.5, times=1)
    running = hedy.start("token-file", "update")
    if moment % 2:
        until(lambda: sandbox.requests("token:refresh_token") > count)
    else:
        time.sleep(0.01 * (moment % 50))
    # As another program does it, and as foyer does.
    if moment % 4 == 3:
        hedy.store.write_text('{"AccessToken": {}}')
        ending = [running]
    else:
        ending = [running, hedy.start("remove", HEDY, "--client", "lab")]
    sandbox.release()
    results = [each.end() for each in ending]
    assert not path.exists(), results


def test_the_agent_writes_no_token_after_the_sign_out(hedy, sandbox):
    path = hedy.home / "file"
    with Agent(hedy) as agent:
        agent.start()
        assert hedy.foyer("token-file", "add", path, "--client", "lab", "--access-token").status == 0
        until(path.exists)
        sandbox.hold()
        Store(hedy.store).age()
        path.unlink()
        count = sandbox.requests("token:refresh_token")
        until(lambda: sandbox.requests("token:refresh_token") > count)
        # Another program takes the account away while the agent waits for the provider.
        hedy.store.write_text('{"AccessToken": {}}')
        sandbox.release()
        linger(2)
        assert not path.exists()


# Who is meant.


def sign_out_at_terminal(person, *arguments):
    words = ["sign-out", *arguments, "--client", "lab", "--browser", "none"]
    return spawn(person, FOYER, *words, dimensions=(24, 120))


def test_an_abbreviation_is_named_and_asked_about_at_a_terminal(hedy):
    child = sign_out_at_terminal(hedy, "h")
    child.expect_exact(f"Sign {HEDY} out of lab? [y/N]")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert hedy.foyer(*ASK).status == 0
    child = sign_out_at_terminal(hedy, "h")
    child.expect_exact("[y/N]")
    child.sendline("y")
    child.expect_exact(f"account: {HEDY}")
    child.expect(pexpect.EOF)
    assert hedy.foyer(*ASK).status == 3


@pytest.mark.parametrize("arguments", [(HEDY,), ("h", "--yes")], ids=["the whole name", "said before"])
def test_nobody_is_asked_about_a_whole_name(hedy, arguments):
    child = sign_out_at_terminal(hedy, *arguments)
    child.expect_exact(f"account: {HEDY}")
    child.expect(pexpect.EOF)
    assert "[y/N]" not in child.before


@pytest.mark.parametrize("command", ["sign-out", "remove"])
def test_a_dry_run_says_who_and_what_and_changes_nothing(hedy, sandbox, command):
    path = hedy.home / "file"
    assert hedy.foyer("token-file", "add", path, "--client", "lab").status == 0
    before = hedy.store.read_bytes()
    told = hedy.foyer(command, "h", "--client", "lab", "--dry-run")
    assert told.status == 0 and HEDY in told.stdout and str(path) in told.stdout, told
    # One of another client stays, and one of every client goes.
    listed = hedy.home / "data" / "foyer" / "token-files.json"
    listed.write_text(listed.read_text().replace('"lab"', '"powershell"'))
    other = hedy.foyer(command, "h", "--client", "lab", "--dry-run", "--json")
    assert other.status == 0 and other.json["tokenFiles"] == [], other
    listed.write_text(listed.read_text().replace('"powershell"', '"lab"'))
    told = hedy.foyer(command, "h", "--client", "lab", "--dry-run", "--json").json
    assert told["dryRun"] and told["refreshTokens"] == 1 and told["entries"] >= 4, told
    assert told["tokenFiles"] == [str(path)] and told["account"]["username"] == HEDY, told
    assert hedy.store.read_bytes() == before and path.exists() and sandbox.requests("revoke") == 0
