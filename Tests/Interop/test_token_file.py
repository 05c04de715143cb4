"""foyer token-file: a token in a file that the agent, or a timer, keeps fresh."""

import base64
import errno
import json
import os
import stat
import time

import pytest
from agents import Agent
from faults import rule
from harness import ADA, GRACE, TRY_OUT, Store, assert_no_secret, until
from test_endpoint import claims
from waiting import linger


def add(person, *arguments):
    """The path, which is the last argument, below the home folder."""
    path = person.home / arguments[-1]
    result = person.foyer("token-file", "add", *arguments[:-1], path)
    assert result.status == 0, result
    return path


def files(person):
    return person.foyer("token-file", "list", "--json").json["tokenFiles"]


def make_old(person, left=600):
    """Lets the ID tokens end soon, which is what the cache has of them."""
    content = json.loads(person.store.read_text())
    for entry in content["IdToken"].values():
        head, _body, signature = entry["secret"].split(".")
        old = claims(entry["secret"]) | {"exp": int(time.time()) + left, "iat": int(time.time()) + left - 3600}
        body = base64.urlsafe_b64encode(json.dumps(old).encode()).decode().rstrip("=")
        entry["secret"] = f"{head}.{body}.{signature}"
    person.store.write_text(json.dumps(content))


def test_the_file_holds_the_token_alone(ada, sandbox):
    path = ada.home / "tokens" / "web-identity"
    result = ada.foyer("token-file", "add", path)
    assert result.status == 0 and ADA in result.stdout and "foyer agent start" in result.stderr, result
    assert claims(path.read_text())["aud"] == TRY_OUT and not path.read_text().endswith("\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and [each.name for each in path.parent.iterdir()] == [path.name]
    (listed,) = files(ada)
    assert listed["path"] == str(path) and listed["kind"] == "idToken" and listed["client"] == "work"
    assert listed["expiresOn"] and listed["error"] is None
    text = ada.foyer("token-file", "list")
    assert str(path) in text.stdout and "ID token of work" in text.stdout, text
    assert_no_secret(ada.store, result, text)
    assert "secret" not in (ada.home / "data" / "foyer" / "token-files.json").read_text()
    removed = ada.foyer("token-file", "remove", path)
    assert removed.status == 0 and not path.exists() and files(ada) == []
    assert ada.foyer("token-file", "remove", path).status == 8


def test_an_access_token_is_for_the_scopes_that_are_named(ada):
    path = add(ada, "--access-token", "--scope", "User.Read", "access")
    assert path.read_text() == ada.foyer("token", "--silent", "--scope", "User.Read").stdout.strip()


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_what_was_done_is_said_where_standard_output_is_full(ada, options):
    path = ada.home / "file"
    program = ("bash", "-c", 'exec "$0" "$@" > /dev/full')
    ended = ada.start("token-file", "add", *options, path, program=program).end()
    assert ended.status == 1 and f"{path} is written and kept current" in ended.stderr, ended
    assert path.exists() and len(files(ada)) == 1
    undo = ended.stderr.split("to undo: foyer ")[1].split("\n")[0].split()
    assert ada.foyer(*undo).status == 0 and not path.exists() and files(ada) == []


def test_no_other_file_is_written_over(ada):
    mine = ada.home / "mine"
    mine.write_text("my own")
    refused = ada.foyer("token-file", "add", mine)
    assert refused.status == 64 and mine.read_text() == "my own" and "--replace" in refused.stderr, refused
    kept = ada.store.read_bytes()
    assert ada.foyer("token-file", "add", "--replace", ada.store).status == 64
    assert ada.store.read_bytes() == kept and files(ada) == []
    add(ada, "--replace", mine)
    # One that is in the list is written anew without a word.
    add(ada, mine)
    assert len(files(ada)) == 1


def test_of_several_accounts_one_has_to_be_named(ada):
    ada.sign_in(GRACE)
    path = ada.home / "file"
    refused = ada.foyer("token-file", "add", path)
    assert refused.status == 8 and not path.exists(), refused
    add(ada, "--account", GRACE, path)
    assert claims(path.read_text())["preferred_username"] == GRACE


def test_an_update_refreshes_what_is_old_and_nothing_else(ada, sandbox):
    path = add(ada, "file")
    before, refreshes = path.read_text(), sandbox.requests("token:refresh_token")
    assert ada.foyer("token-file", "update").status == 0
    assert path.read_text() == before and sandbox.requests("token:refresh_token") == refreshes
    make_old(ada)
    result = ada.foyer("token-file", "update", path)
    assert result.status == 0 and sandbox.requests("token:refresh_token") == refreshes + 1, result
    assert claims(path.read_text())["exp"] > time.time() + 3000


def test_what_needs_a_person_is_said_and_holds_up_no_other(ada, sandbox):
    ada.sign_in(GRACE)
    one, two = (add(ada, "--account", user, name) for name, user in (("one", ADA), ("two", GRACE)))
    make_old(ada)
    kept = ada.foyer("id-token", "--account", ADA).stdout.strip()
    content = json.loads(ada.store.read_text())
    for entry in content["RefreshToken"].values():
        if entry["home_account_id"] == files(ada)[0]["homeAccountId"]:
            entry["secret"] = "x"
    ada.store.write_text(json.dumps(content))
    result = ada.foyer("token-file", "update")
    assert result.status == 3 and str(one) in result.stderr, result
    assert one.read_text() == kept and claims(two.read_text())["exp"] > time.time() + 3000
    assert [each["error"] for each in files(ada)] == ["interactionRequired", None]


def test_who_signs_out_leaves_no_token_behind(ada):
    path = add(ada, "file")
    assert ada.foyer("remove", ADA).status == 0
    result = ada.foyer("token-file", "update")
    assert result.status == 8 and not path.exists(), result
    ada.sign_in(ADA)
    assert ada.foyer("token-file", "update").status == 0 and path.exists()


@pytest.fixture
def family(person, sandbox):
    """Signed in with Azure CLI alone; Azure PowerShell lives on the refresh token of the family."""
    person.work_settings(sandbox)
    person.sign_in(ADA, "--client", "cli")
    return person


POWERSHELL = ("--client", "powershell", "--access-token", "--scope", "User.Read")


def test_a_client_of_the_family_needs_no_sign_in_of_its_own(family):
    path = family.home / "file"
    path.write_text("precious")
    add(family, *POWERSHELL, "--replace", path)
    silent = family.foyer("token", "--silent", "--client", "powershell", "--scope", "User.Read")
    assert path.read_text() == silent.stdout.strip()
    # Once the access token is over and cleaned away, the family's refresh token is all that is left.
    Store(family.store).age()
    assert family.foyer("clean", "--yes").status == 0
    before = path.read_text()
    updated = family.foyer("token-file", "update")
    assert updated.status == 0 and path.read_text() not in ("", before), updated
    # Signed out of the one client, whoever else the family serves.
    assert family.foyer("remove", ADA, "--client", "powershell").status == 0
    assert family.foyer("token", "--silent", "--client", "cli").status == 0
    result = family.foyer("token-file", "update")
    assert result.status == 8 and "no longer signed in for powershell" in result.stderr, result
    assert not path.exists() and len(files(family)) == 1


def test_what_cannot_be_added_is_left_as_it_was(ada):
    mine = ada.home / "mine"
    mine.write_text("precious")
    # Known through another client, and not signed in for this one.
    refused = ada.foyer("token-file", "add", *POWERSHELL, "--account", ADA, "--replace", mine)
    assert refused.status == 3 and "foyer sign-in" in refused.stderr, refused
    assert mine.read_text() == "precious" and files(ada) == []
    listed = add(ada, "listed")
    kept = listed.read_text()
    assert ada.foyer("token-file", "add", *POWERSHELL, "--account", ADA, listed).status == 3
    assert listed.read_text() == kept and files(ada)[0]["client"] == "work"


def test_what_is_no_regular_file_is_no_place_for_a_token(ada):
    pipe = ada.home / "pipe"
    os.mkfifo(pipe)
    for arguments in ([], ["--replace"]):
        refused = ada.foyer("token-file", "add", *arguments, pipe)
        assert refused.status == 64 and "not a regular file" in refused.stderr and pipe.is_fifo(), refused
    assert ada.foyer("token-file", "add", "--replace", ada.home).status == 64
    assert files(ada) == []


def held_refresh(sandbox):
    """Lets the next refresh wait until it is released, and gives what waits until it has begun."""
    before = sandbox.requests("token:refresh_token")
    sandbox.hold()
    return lambda: until(lambda: sandbox.requests("token:refresh_token") > before, what="the refresh")


@pytest.mark.parametrize("named", [False, True])
def test_what_is_removed_during_an_update_stays_away(ada, sandbox, named):
    path, other = (add(ada, name) for name in ("file", "other"))
    make_old(ada)
    begun = held_refresh(sandbox)
    update = ada.start("token-file", "update", *([path] if named else []))
    begun()
    assert ada.foyer("token-file", "remove", path).status == 0
    sandbox.release()
    result = update.end()
    assert result.status == (8 if named else 0) and f"{path}: removed in the meantime" in result.stderr, result
    assert not path.exists() and str(path) not in result.stdout
    (listed,) = files(ada)
    assert listed["path"] == str(other) and other.exists()


def test_a_file_added_again_meanwhile_is_not_written_with_anothers_token(ada, sandbox):
    ada.sign_in(GRACE)
    path = add(ada, "--account", ADA, "file")
    grace = ada.foyer("id-token", "--account", GRACE).stdout.strip()
    make_old(ada)
    begun = held_refresh(sandbox)
    update = ada.start("token-file", "update", path)
    begun()
    path.unlink()
    add(ada, "--account", GRACE, path)
    sandbox.release()
    assert update.end().status == 8
    assert claims(path.read_text())["preferred_username"] == claims(grace)["preferred_username"] == GRACE


def test_whoever_is_killed_leaves_no_token_that_nobody_knows_of(ada, faults):
    path = ada.home / "tokens" / "file"
    # The list is written first.
    killed = ada.foyer("token-file", "add", path, env=faults.meet(rule("rename", path, "kill")))
    assert killed.status < 0 and not path.exists(), killed
    (listed,) = files(ada)
    assert listed["updated"] is None and ada.foyer("token-file", "update").status == 0 and path.exists()
    # The token is removed first.
    killed = ada.foyer("token-file", "remove", path, env=faults.meet(rule("rename", "token-files.json", "kill")))
    assert killed.status < 0 and not path.exists() and len(files(ada)) == 1, killed
    assert ada.foyer("token-file", "remove", path).status == 0 and files(ada) == []
    assert [each.name for each in path.parent.iterdir() if ".tmp." not in each.name] == []


def test_a_full_disk_leaves_list_and_file_as_they_are(ada, faults):
    path = ada.home / "tokens" / "file"
    full_list, full_file = (faults.meet(rule("rename", place, errno.ENOSPC)) for place in ("token-files.json", path))
    for each in (full_list, full_file):
        refused = ada.foyer("token-file", "add", path, env=each)
        assert refused.status == 7 and not path.exists() and files(ada) == [], refused
    add(ada, path)
    kept = path.read_text()
    make_old(ada)
    refused = ada.foyer("token-file", "update", env=full_file)
    assert refused.status == 7 and path.read_text() == kept, refused
    refused = ada.foyer("token-file", "remove", path, env=full_list)
    assert refused.status == 7 and len(files(ada)) == 1, refused


def test_through_a_link_the_file_itself_is_written_and_removed(ada):
    real, link = ada.home / "real", ada.home / "link"
    real.write_text("")
    link.symlink_to(real)
    add(ada, link)
    assert link.is_symlink() and claims(real.read_text())["aud"] == TRY_OUT
    assert ada.foyer("token-file", "remove", link).status == 0 and not real.exists()


def test_a_file_that_cannot_be_written_stays_as_it_is(ada):
    path = add(ada, "tokens/file")
    kept = path.read_text()
    make_old(ada)
    path.unlink()
    path.mkdir()
    result = ada.foyer("token-file", "update")
    assert result.status == 7 and path.is_dir(), result
    path.rmdir()
    path.write_text(kept)
    assert ada.foyer("token-file", "update").status == 0 and path.read_text() != kept


@pytest.fixture
def short_lived(person, own_sandbox):
    """An agent where tokens live for twelve seconds."""
    person.work_settings(own_sandbox("--access-token-lifetime", "12"))
    person.sign_in(ADA)
    with Agent(person) as agent:
        yield agent


def test_the_agent_keeps_it_fresh(person, short_lived):
    short_lived.start()
    path = person.home / "file"

    def is_added():
        """Without a word about the agent, which may not be noticed soon enough on a busy machine."""
        added = person.foyer("token-file", "add", "--access-token", path)
        assert added.status == 0, added
        return added.stderr == ""

    until(is_added)
    seen = {path.read_text()}

    def is_renewed():
        seen.add(path.read_text())
        return len(seen) > 2

    until(is_renewed, what="two renewals")
    # One that somebody has taken away is written again.
    path.unlink()
    until(path.exists, what="the file")
    assert person.foyer("remove", ADA).status == 0
    until(lambda: not path.exists(), what="the end of the file")
    assert_no_secret(person.store, person.foyer("agent", "status"))
    assert all(each not in short_lived.log for each in seen)


def test_the_agent_hears_at_once_of_files_that_are_added_or_deleted(ada):
    with Agent(ada) as agent:
        agent.start()
        path = add(ada, "file")
        token = path.read_text()
        for _ in range(3):
            path.unlink()
            until(path.exists, what="the file again")
            assert path.read_text() == token


@pytest.fixture
def old(ada):
    """A file whose token has lived for most of its life, and an agent."""
    path = add(ada, "file")
    make_old(ada)
    with Agent(ada) as agent:
        yield path, agent


def test_a_provider_that_sends_no_new_id_token_is_not_asked_again_and_again(ada, sandbox, old):
    path, agent = old
    sandbox.fault("override", endpoint="token:refresh_token", fields={"id_token": None}, times=100)
    before, kept = sandbox.requests("token:refresh_token"), ada.foyer("id-token").stdout.strip()
    agent.start()
    until(lambda: path.read_text() == kept, what="the token that is left")
    until(lambda: sandbox.requests("token:refresh_token") > before, what="a refresh")
    linger(12)
    assert sandbox.requests("token:refresh_token") <= before + 2


def test_what_is_removed_while_the_agent_refreshes_stays_away(ada, sandbox, old):
    path, agent = old
    begun = held_refresh(sandbox)
    agent.start()
    begun()
    assert ada.foyer("token-file", "remove", path).status == 0
    sandbox.release()
    until(lambda: f"stopped refreshing {path}" in agent.log, what="the end of the refresh")
    assert not path.exists() and files(ada) == []


def test_a_provider_that_is_away_is_not_asked_again_and_again(ada, sandbox, old):
    path, agent = old
    sandbox.fault("status", endpoint="token:refresh_token", status=503, times=100)
    kept = ada.foyer("id-token").stdout.strip()
    before = sandbox.requests("token:refresh_token")
    agent.start()
    until(lambda: path.read_text() == kept, what="the token that is left")
    linger(12)
    assert sandbox.requests("token:refresh_token") <= before + 8
    (listed,) = files(ada)
    assert listed["error"] == "unavailable" and listed["expiresOn"]
    # What still lives is written again where somebody takes it away, whatever the provider says.
    path.unlink()
    until(path.exists, what="the file again")
    assert path.read_text() == kept


def test_a_locked_agent_writes_no_token(person, short_lived):
    path = add(person, "--access-token", "file")
    short_lived.start()
    assert person.foyer("agent", "lock").status == 0
    locked = path.read_text()
    linger(20)
    assert path.read_text() == locked
