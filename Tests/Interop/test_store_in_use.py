"""What is done to a store while a refresh token of it is on its way, at a provider where each is good for one use; and
stores that no other file can take the place of."""

import errno
import os
import signal
import subprocess
import time

import pytest
from faults import rule
from harness import HEDY, WHOLE_PROGRAM, Store, has_open, held_refresh, until

ASK = ("token", "--silent", "--json", "--client", "lab", "--scope", "openid profile email")
LONG = bool(os.environ.get("FOYER_LONG"))


@pytest.fixture
def hedy(expired_hedy):
    return expired_hedy


def look_for_the_lock(*running):
    """Waits until each has looked whether the refresh is over, which it is not."""
    until(lambda: all(has_open(each.process.pid, ".refresh") for each in running), what="a look at the lock")


def refreshed(person, *options):
    """By the refresh token, which must be there and alive."""
    result = person.foyer(*ASK, "--force-refresh", *options)
    assert result.status == 0 and result.json["source"] == "refresh", result


@pytest.mark.parametrize("options", [(), ("--remove-old",)], ids=["the old one stays", "the old one goes"])
def test_a_store_that_is_moved_during_a_refresh_keeps_the_sign_in(hedy, sandbox, options):
    running = held_refresh(hedy, sandbox, *ASK)
    moving = hedy.start("store", "move", "--json", "--to", f"file:{hedy.home}/data/moved.json", *options)
    look_for_the_lock(moving)
    waiting = hedy.start(*ASK)
    look_for_the_lock(waiting)
    sandbox.release()
    ended = [running.end(), moving.end(), waiting.end()]
    assert [one.status for one in ended] == [0, 0, 0] and ended[0].stderr == "", ended
    refreshed(hedy)


def test_who_waited_for_a_store_that_is_moved_spends_nothing_at_the_old_place(hedy, sandbox):
    """Nor is anybody asked to sign in there: the program that waits has read its settings."""
    before = dict(Store(hedy.store).section("RefreshToken"))
    running = held_refresh(hedy, sandbox, *ASK)
    waiting = [hedy.start(*ASK, "--force-refresh", "--store", f"file:{hedy.store}") for _ in range(3)]
    look_for_the_lock(*waiting)
    moving = hedy.start("store", "move", "--json", "--to", f"file:{hedy.home}/data/moved.json")
    look_for_the_lock(moving)
    sandbox.release()
    moved = moving.end()
    assert moved.status == 0 and running.end().status == 0, moved
    for one in waiting:
        result = one.end()
        # Before the move, or not at all.
        assert result.status == 0 or (result.status == 7 and "was moved to" in result.stderr + result.stdout), result
    refreshed(hedy)
    assert Store(hedy.home / "data" / "moved.json").section("RefreshToken") != before


MOVES = [(), ("--remove-old",)]


@pytest.mark.parametrize("options", MOVES, ids=["the old one stays", "the old one goes"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_sign_in_that_waits_for_its_user_follows_a_store_that_is_moved(hedy, sandbox, options, times):
    running = hedy.start("sign-in", "--json", "--via", "device", "--client", "lab")
    event = running.wait_event("deviceCode")
    assert hedy.foyer("remove", "--client", "lab", HEDY).status == 0
    for number in range(times):
        moved = hedy.foyer("store", "move", "--json", "--to", f"file:{hedy.home}/data/moved{number}.json", *options)
        assert moved.status == 0, moved
    before = hedy.store.read_bytes() if hedy.store.exists() else None
    sandbox.approve(event["userCode"], HEDY)
    assert running.end().status == 0
    assert (hedy.store.read_bytes() if hedy.store.exists() else None) == before
    refreshed(hedy)


@pytest.mark.parametrize("options", MOVES, ids=["the old one stays", "the old one goes"])
def test_a_secret_that_is_typed_while_the_store_is_moved_is_kept_in_the_new_one(hedy, sandbox, options):
    running = hedy.start("secret", "set", "lab", "--json", stdin=subprocess.PIPE)
    look_for_the_lock(running)
    place = f"file:{hedy.home}/data/moved.json"
    moved = hedy.foyer("store", "move", "--json", "--to", place, *options)
    assert moved.status == 0, moved
    running.process.stdin.write(b"typed late\n")
    running.process.stdin.close()
    running.process.stdin = None
    result = running.end()
    assert result.status == 0 and result.json["store"] == place, result
    kept = [path for path in (hedy.home / "data").rglob("*.secrets") if b"typed late" in path.read_bytes()]
    assert [path.name for path in kept] == ["moved.json.secrets"]


def test_a_move_that_is_killed_during_a_refresh_loses_no_sign_in(hedy, sandbox):
    for moment in range(40 if LONG else 6):
        running = held_refresh(hedy, sandbox, *ASK, "--force-refresh")
        moving = hedy.start("store", "move", "--json", "--to", f"file:{hedy.home}/data/moved{moment}.json")
        # A moment of the move is what this is about: while it waits, and while it moves.
        time.sleep(0.02 * (moment % 20) + 0.01)
        if moment % 2:
            sandbox.release()
            time.sleep(0.01 * (moment % 20))
        moving.process.send_signal(signal.SIGKILL)
        moving.end()
        sandbox.release()
        assert running.end().status == 0
        refreshed(hedy)


def test_a_token_that_came_for_an_account_that_was_removed_meanwhile_says_that_it_is_not_stored(hedy, sandbox):
    running = held_refresh(hedy, sandbox, *(word for word in ASK if word != "--json"))
    # As another program that shares the store would.
    hedy.store.write_text('{"AccessToken": {}}')
    sandbox.release()
    result = running.end()
    assert result.status == 0 and result.stdout, result
    assert "was removed from" in result.stderr and "not saved" in result.stderr, result


# Stores that no other file can take the place of.


def mounted(person, more=""):
    """A refresh where the store is a mount point, as a single file is that a container gets."""
    script = f'mount --bind "$0" "$0" && {more} exec "$@"'
    program = ("unshare", "-m", "sh", "-c", script, str(person.store))
    return person.start(*ASK, "--force-refresh", program=program).end()


@pytest.fixture
def mounts():
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount")


def test_a_store_that_is_mounted_is_written_in_place(hedy, sandbox, mounts):
    inode = hedy.store.stat().st_ino
    for _ in range(3):
        result = mounted(hedy)
        assert result.status == 0 and result.stderr == "", result
    assert hedy.store.stat().st_ino == inode
    assert sorted(path.name for path in hedy.store.parent.glob("*.tmp.*")) == []
    refreshed(hedy)


def test_a_store_that_is_mounted_to_be_read_spends_nothing(hedy, sandbox, mounts):
    assert mounted(hedy, 'mount -o remount,bind,ro "$0" &&').status == 7
    assert sandbox.requests("token:refresh_token") == 0
    refreshed(hedy)


@pytest.mark.parametrize("what", ["store", "folder"])
def test_what_is_immutable_is_known_before_anything_is_sent(hedy, sandbox, what):
    path = hedy.store if what == "store" else hedy.store.parent
    if what == "folder":
        # What is made beside the store is there already.
        refreshed(hedy)
    sent = sandbox.requests("token:refresh_token")
    if subprocess.run(["chattr", "+i", str(path)], capture_output=True).returncode != 0:
        pytest.skip("no file is immutable here")
    try:
        result = hedy.foyer(*ASK, "--force-refresh")
        assert result.status == 7, result
        assert sandbox.requests("token:refresh_token") == sent
    finally:
        subprocess.run(["chattr", "-i", str(path)], check=True)
    refreshed(hedy)


def test_what_cannot_pass_is_waited_for_five_seconds(hedy, sandbox, faults):
    """Found out only when the token is there: it is handed out, with a warning."""
    began = time.monotonic()
    fault = faults.meet(rule("rename", str(hedy.store), errno.EROFS, lasts=True))
    result = hedy.foyer(*ASK, "--force-refresh", program=WHOLE_PROGRAM, env=fault)
    assert result.status == 0 and "only in memory" in result.stderr, result
    assert time.monotonic() - began > 4, result
