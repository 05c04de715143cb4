"""The file in which tokens rest: whose it is, what may be in it, and that a refusal changes nothing of it."""

import json
import os
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness import ADA, BY_BROWSER, HEDY, TARO, Store, held_refresh, until
from waiting import linger

READING = (["token", "--silent"], ["accounts"], ["tokens"], ["remove", ADA])
FILES = {"token_cache.json", "token_cache.json.refresh", "token_cache.json.providers"}


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def assert_refused(person):
    """Status 7 for reading and for writing, and the file byte for byte as it was."""
    path = person.store
    before = path.read_bytes()
    sign_in = ("sign-in", *BY_BROWSER, "--login-hint", TARO)
    # Each waits a while for a writer that may be in the middle of it.
    with ThreadPoolExecutor() as threads:
        results = list(threads.map(lambda command: person.foyer(*command, "--json"), (*READING, sign_in)))
    for result in results:
        assert result.status == 7 and result.stdout == "" and result.error["code"] == "storeError", result
        assert str(path.parent) in result.error["message"], result
    assert path.read_bytes() == before
    return results


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_a_new_store_is_for_its_owner_alone_whatever_the_umask(person, sandbox, umask):
    person.work_settings(sandbox)
    (person.home / "data").mkdir(mode=0o700)
    before = os.umask(umask)
    try:
        result = person.start("sign-in", *BY_BROWSER, "--login-hint", ADA)
    finally:
        os.umask(before)
    assert result.end().status == 0
    assert mode(person.store) == 0o600 and mode(person.store.parent) == 0o700


def test_a_store_that_others_may_write_is_refused(ada):
    ada.store.chmod(0o666)
    assert_refused(ada)
    assert mode(ada.store) == 0o666


@pytest.mark.parametrize("mode", [0o644, 0o666])
def test_with_json_all_that_is_said_is_json(ada, mode):
    """A script reads standard error line by line; a warning about the store's mode must not break it."""
    ada.store.chmod(mode)
    for command in READING:
        result = ada.foyer(*command, "--json")
        assert all(line.startswith("{") for line in result.stderr.splitlines()), result


def test_a_store_in_a_folder_that_others_may_write_is_refused(ada):
    ada.store.parent.chmod(0o777)
    assert_refused(ada)


def test_a_truncated_store_is_refused(ada):
    text = ada.store.read_bytes()
    ada.store.write_bytes(text[: len(text) // 2])
    results = assert_refused(ada)
    assert all("mv " in result.error["hint"] for result in results)


@pytest.mark.parametrize(
    "content",
    [
        # Not taken for nobody: a writer that truncates first may have died there.
        b"",
        b"[]",
        b"null",
        b'"text"',
        b'{"name":"package","version":"1.0.0","dependencies":{"a":"1"}}',
        b"\xef\xbb\xbf[]",
        b'{"AccessToken":{"k":"\xff"}}',
        b'{"AccessToken":{},"AccessToken":{}}',
        b"[" * 100_000,
        b'{"AccessToken":[]}',
    ],
)
def test_what_is_no_token_cache_is_refused(ada, content):
    ada.store.write_bytes(content)
    assert_refused(ada)


def test_a_folder_a_pipe_and_a_device_are_refused_at_once(ada, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe, "/dev/zero", "/dev/null"):
        result = ada.foyer("accounts", "--json", "--store", path)
        assert result.status == 7 and result.error["code"] == "storeError", result


def test_an_own_link_is_written_through(ada, tmp_path):
    real = tmp_path / "real.json"
    ada.store.rename(real)
    ada.store.symlink_to(real)
    Store(real).age()
    assert ada.foyer("token", "--silent", "--json").json["source"] == "refresh"
    ada.sign_in(TARO)
    assert ada.store.is_symlink() and not real.is_symlink() and mode(real) == 0o600
    assert len(Store(real).section("Account")) == 2


def test_a_writer_leaves_nothing_behind(ada):
    Store(ada.store).age()
    assert ada.foyer("token", "--silent").status == 0
    left = list(ada.store.parent.iterdir())
    assert {path.name for path in left} <= FILES and {mode(path) for path in left} == {0o600}, left


def test_times_and_secrets_are_texts_as_every_msal_wants_them(ada):
    content = Store(ada.store).read()
    for entry in content["AccessToken"].values():
        assert all(isinstance(value, str) for value in entry.values()), entry
    assert {"AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata"} <= content.keys()
    (account,) = content["Account"].values()
    names = {"home_account_id", "environment", "realm", "local_account_id", "username", "authority_type"}
    assert names <= account.keys()


@pytest.mark.parametrize("spec, status", [("keyring:x", 7), ("secret:x", 78), ("keyring:a/b", 78), ("encrypted:", 78)])
def test_a_kind_of_store_that_is_not_there_says_so(ada, spec, status):
    result = ada.foyer("accounts", "--json", "--store", spec)
    assert result.status == status and result.stdout == "" and result.error["hint"], result


def test_a_store_that_is_not_there_is_nobody_and_is_not_made(person, sandbox, tmp_path):
    person.work_settings(sandbox)
    result = person.foyer("accounts", "--json", "--store", tmp_path / "none" / "cache.json")
    assert result.status == 0 and result.json == {"accounts": []}, result
    assert not (tmp_path / "none").exists() and not person.store.exists()


def test_killed_at_any_moment_the_store_is_the_old_or_the_new_one(ada, sandbox):
    """Whatever was under way, the next start is fine."""
    for delay in range(12):
        Store(ada.store).age()
        running = ada.start("token", "--silent")
        if delay:
            until(
                lambda: running.process.poll() is not None or sandbox.requests("token:refresh_token") >= delay,
                what="a refresh",
            )
        running.kill()
        assert json.loads(ada.store.read_text())["RefreshToken"]
        result = ada.foyer("token", "--silent")
        assert result.status == 0, result
    assert set(os.listdir(ada.store.parent)) <= FILES


@pytest.mark.parametrize("text", ["999999999 msal", ""], ids=["of the dead", "as a power cut leaves it"])
def test_a_lock_file_that_was_left_behind_is_no_obstacle(ada, text):
    lock = ada.store.with_name(ada.store.name + ".lockfile")
    lock.write_text(text)
    os.utime(lock, (time.time() - 10,) * 2)
    Store(ada.store).age()
    assert ada.foyer("token", "--silent").status == 0
    if not text:
        assert ada.foyer("remove", ADA).status == 0 and not lock.exists()


def test_a_lock_that_is_held_when_the_answer_comes_is_waited_for(person, sandbox):
    """The refresh token before is spent by then: whoever gave up would lose the sign-in. MSAL gives up after five
    seconds."""
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    Store(person.store).age()
    running = held_refresh(person, sandbox, "token", "--silent", "--json", "--client", "lab")
    lock = person.store.with_name(person.store.name + ".lockfile")
    script = (
        "import fcntl, os, sys; fd = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR); fcntl.flock(fd, fcntl.LOCK_EX)"
        "; os.write(fd, b'%d holder' % os.getpid()); print('held', flush=True); sys.stdin.read()"
        "; os.unlink(sys.argv[1])"
    )
    holder = subprocess.Popen([sys.executable, "-c", script, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        sandbox.release()
        linger(7)
        assert running.process.poll() is None
        holder.stdin.close()
        result = running.end()
        assert result.status == 0 and result.json["source"] == "refresh", result
        again = person.foyer("token", "--silent", "--json", "--client", "lab", "--force-refresh")
        assert again.status == 0 and again.json["source"] == "refresh", again
    finally:
        holder.kill()
        holder.wait()
