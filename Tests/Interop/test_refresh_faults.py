"""A refresh at a provider whose refresh tokens are good for one use, while system calls of the store fail: the sign-in
is there afterwards."""

import errno
import os
import signal
import time

import pytest
from faults import each, rule
from harness import HEDY, WHOLE_PROGRAM, Store

CALLS = {"open", "openat", "read", "write", "fsync", "fchmod", "fstat", "stat", "lstat", "ftruncate", "flock", "lock"}
CALLS |= {"rename", "link", "unlink"}
KEPT = {"token_cache.json", "token_cache.json.refresh", "token_cache.json.providers"}
TOKEN = ("token", "--silent", "--json", "--client", "lab")


@pytest.fixture
def hedy(person, sandbox):
    """Hedy has signed in where each refresh token is good once."""
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab", "--scope", "openid profile email offline_access")
    # What the first refresh makes beside the store already exists.
    refresh(person)
    return person


def refresh(person, env=None):
    Store(person.store).age()
    return person.foyer(*TOKEN, env=env)


def left(person):
    return set(os.listdir(person.store.parent)) - KEPT


def rules(person, faults, *always):
    """Every call on the store's folder during a refresh, while other rules hold."""
    environment, calls = faults.watch(person.store.parent)
    assert refresh(person, {**faults.meet(*always), **environment}).status == 0
    return [(call, path, nth) for call, path, nth in each(calls()) if call in CALLS]


@pytest.mark.parametrize("nameless", [True, False], ids=["a file without a name", "a file with a name"])
def test_whatever_call_fails_during_a_refresh_the_sign_in_is_there_afterwards(hedy, sandbox, faults, nameless):
    # Where a file cannot get its name later, the usual way is taken: another file, which is renamed.
    always = [] if nameless else [rule("link", f"{hedy.store}.tmp.", errno.EXDEV, lasts=True)]
    found = rules(hedy, faults, *always)
    needed = {"open", "read", "write", "fsync", "fchmod", "rename", "link" if nameless else "openat"}
    assert needed <= {call for call, _, _ in found}, found
    if not nameless:
        found = [one for one in found if ".tmp." in one[1]]
    for call, path, nth in found:
        met = refresh(hedy, faults.meet(rule(call, path, errno.EIO, nth), *always))
        assert met.status in (0, 7), (call, path, nth, met)
        # Not by the token that is still good: by the refresh token that must be there.
        after = refresh(hedy)
        assert after.status == 0 and after.json["source"] == "refresh", (call, path, nth, met, after)
        assert not left(hedy), (call, path, nth)


@pytest.mark.parametrize(
    "call, path, code",
    [
        ("fsync", "", errno.ENOSPC),
        ("write", "", errno.ENOSPC),
        ("write", "", errno.EDQUOT),
        ("open", "/foyer$", errno.EROFS),
        ("open", "/foyer$", errno.EACCES),
        ("fchmod", "", errno.EPERM),
        ("fsync", "", errno.EIO),
    ],
)
def test_what_cannot_be_kept_is_not_asked_for(hedy, sandbox, faults, call, path, code):
    before = sandbox.requests("token:refresh_token")
    result = refresh(hedy, faults.meet(rule(call, path or str(hedy.store.parent), code, lasts=True)))
    assert result.status == 7 and result.stdout == "", result
    assert sandbox.requests("token:refresh_token") == before
    assert refresh(hedy).status == 0
    assert not left(hedy)


def test_a_limit_of_the_file_size_is_known_before_the_token_is_spent(hedy, sandbox):
    before = sandbox.requests("token:refresh_token")
    Store(hedy.store).age()
    limited = hedy.start(*TOKEN, program=("bash", "-c", 'ulimit -f 16; exec "$0" "$@"')).end()
    assert limited.status == 7, limited
    assert sandbox.requests("token:refresh_token") == before
    assert refresh(hedy).status == 0


def test_a_token_that_is_only_due_for_renewal_is_handed_out_where_the_store_cannot_be_written(hedy, sandbox, faults):
    Store(hedy.store).change("AccessToken", refresh_on=str(int(time.time()) - 10))
    before = sandbox.requests("token:refresh_token")
    for met in [
        rule("fsync", str(hedy.store.parent), errno.ENOSPC, lasts=True),
        rule("open", "/foyer$", errno.EROFS, lasts=True),
        rule("open", ".refresh$", errno.EROFS, lasts=True),
    ]:
        # foyer, which takes the lock first, is static: calls fail in foyer-main alone.
        result = hedy.foyer(*TOKEN, env=faults.meet(met), program=WHOLE_PROGRAM)
        assert result.status == 0 and result.json["source"] == "cache", result
        assert "still valid" in result.stderr, result
    assert sandbox.requests("token:refresh_token") == before
    assert hedy.foyer(*TOKEN).json["source"] == "refresh"


def test_killed_at_any_call_of_a_refresh_the_next_one_works_where_the_provider_has_grace(hedy, sandbox, faults):
    sandbox.fault("rotationGrace")
    for call, path, nth in rules(hedy, faults):
        killed = refresh(hedy, faults.meet(rule(call, path, "kill", nth)))
        assert killed.status == -signal.SIGKILL, (call, path, nth, killed)
        after = refresh(hedy)
        assert after.status == 0 and after.json["source"] == "refresh", (call, path, nth, after)
        assert not left(hedy), (call, path, nth, left(hedy))
