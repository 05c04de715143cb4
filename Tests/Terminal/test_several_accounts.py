"""Marks, headings and the order of use in the running interface, with the file that remembers the uses."""

import json
import os
import stat
from pathlib import Path

import pytest
from harness import ADA, GRACE, HEDY, Store


def recent(person):
    base = person.environment.get("XDG_STATE_HOME") or str(Path(person.environment["HOME"]) / ".local/state")
    return Path(base) / "foyer/recent.json"


def order(screen):
    """Who stands in which row."""
    found = [next((who for who in (ADA, GRACE, HEDY) if who in line), None) for line in screen.text.splitlines()[:12]]
    return [who for who in found if who]


def test_who_was_used_last_comes_first_the_next_time_and_the_file_holds_no_secret(people, pane):
    screen = pane(people).foyer()
    before = order(screen)
    last = before[-1]
    screen.keys("G", "Enter").wait("A token from", "token ready")
    screen.keys("Escape").wait("Accounts 3", gone=["A token from"])
    assert order(screen) == before, "rows do not jump under the hand"
    screen.keys("q")
    screen.back(0)
    file = recent(people)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    remembered = json.loads(file.read_text())
    assert remembered["version"] == 1 and len(remembered["accounts"]) == 1
    assert set(remembered["accounts"][0]) == {"homeAccountId", "environment", "issuer", "weight", "usedAt"}
    for secret in Store(people.store).secrets():
        assert secret not in file.read_text()
    assert order(pane(people).foyer())[0] == last


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b'{"version":1,"accounts":[{"homeAccountId":1}]}', b"[" * 100_000, b"x" * 900_000, None],
    ids=["empty", "begun", "no UTF-8", "no such account", "nested", "long", "a pipe"],
)
def test_a_list_of_uses_that_is_not_to_be_understood_is_as_good_as_none(people, pane, content):
    """A pipe in its place blocks nothing."""
    file = recent(people)
    file.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(file) if content is None else file.write_bytes(content)
    pane(people).foyer().wait("Accounts 3", ADA, GRACE, HEDY)


def test_several_are_marked_asked_about_once_and_removed(people, pane, sandbox):
    requests = sandbox.state()["requests"]
    screen = pane(people).foyer()
    # Ada's second row is of the other client.
    screen.type(" j ").wait("Accounts 2 marked of 3")
    screen.type("x").wait("Remove 2 accounts?", "Cancel")
    screen.answer("Enter", "Accounts 2 marked of 3", gone=["Remove 2"])
    screen.type("x").wait("Remove 2 accounts?")
    screen.answer("w", "for every client")
    screen.type("y").wait("2 accounts removed", "removed here")
    screen.keys("Enter").wait("Accounts 1", gone=["marked"])
    assert sandbox.state()["requests"] == requests, "removing contacts no server"


def test_headings_by_client_and_by_tenant(people, pane):
    screen = pane(people).foyer()
    screen.type("zzz").wait("by client", "lab", "work")
    assert order(screen).count(ADA) == 2, "under each of the clients"
    screen.type("z").wait("Accounts 3", gone=["by client"])
