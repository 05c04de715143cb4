"""The pictures of the README are what the program shows: drawn anew from the running demo and compared byte by byte.

UPDATE_PICTURES=1 writes them; look at them before they are kept."""

import difflib
import json
import os
import re
import time
import urllib.request

import pyte
import pytest
import svg
from emulator import Emulator
from harness import REPOSITORY, until
from waiting import PATIENCE, attempt

FOLDER = REPOSITORY / "Tests" / "Pictures"
SIZE = {"columns": 116, "rows": 28}
# From the accounts: keys, what must be there, and what the picture is called.
PICTURES = {
    "accounts": (
        "",
        ["renews on use", "needs sign-in"],
        "The accounts of the demo, with the selected one on the right",
    ),
    "token": ("jjiG", ["Claims"], "A token's claims and what they mean"),
    "scopes": ("s", ["User.Read"], "What each client was granted, and what that means"),
    "device-code": (
        "a\r",
        ["deviceauth", "waiting for you"],
        "A sign-in by device code, in large type and as a QR code",
    ),
}
# What no two runs share, in as many characters: the port, the folder, times and random identifiers.
MASKS = [
    (r"127\.0\.0\.1:\d{5}", "127.0.0.1:43210"),
    (r"foyer-demo-\w{6}", "foyer-demo-Kx9vQ2"),
    (r"\d{4}-\d\d-\d\d", "2026-11-21"),
    (r"\b\d\d:\d\d(?= UTC, in)", "09:59"),
    (r"\b\d\d:\d\d(?= UTC(?!, in))", "09:00"),
    (r"in 5[5-9] min", "in 59 min"),
    (r"\d+ (?:s|min) ago, \d\d:\d\d", "3 s ago, 12:05"),
    (r"\d+ (?:s|min) ago(?!,)", "3 s ago"),
    (r"expires in \d\d:\d\d", "expires in 59:58"),
    (r"stored \d\d:\d\d", "stored 12:05"),
    (r"waiting for you \(\d+:\d\d\)", "waiting for you (0:03)"),
    (r"(kid)( )(\S+)", None),
    (r"(?<=│ )(kid|uti|jti|nonce|at_hash|rh|sid)( +)(\S.*?)(?=\s*$)", None),
]
CODE, RANDOM = "FYRDEM042", "Qm7xK2vB9sLw4TzNc0JdRfYpEhUgAiOe"


class Photographer(Emulator):
    """A terminal that knows dim text, too: pyte does not, and so it is kept as blinking, which foyer never uses."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        choose = self.screen.select_graphic_rendition

        def select(*numbers, **private):
            choose(*[number for each in numbers for number in {2: (5,), 22: (22, 25)}.get(each, (each,))], **private)

        self.screen.select_graphic_rendition = select
        # A stream keeps the methods that its screen had when it was made.
        self.stream = pyte.ByteStream(self.screen)

    def steady(self):
        """The picture once nothing has moved for a while."""
        same, before, deadline = 0, None, time.monotonic() + 60
        while same < 20 and time.monotonic() < deadline:
            self.read()
            now = self.picture()
            same = same + 1 if now == before else 0
            before = now
        return before

    def picture(self):
        rows = []
        for number in range(self.screen.lines):
            cells = [self.screen.buffer[number][column] for column in range(self.screen.columns)]
            text = masked("".join(cell.data or "\0" for cell in cells))
            rows.append([cell._replace(data=each.strip("\0")) for cell, each in zip(cells, text, strict=True)])
        return rows


def masked(text):
    for pattern, stand_in in MASKS:

        def mask(found):
            shown = stand_in or found[1] + found[2] + (RANDOM * 9)[: len(found[3])]
            return shown.ljust(len(found[0]))[: len(found[0])]

        text = re.sub(pattern, mask, text)
    return text


def set_clock_of(store):
    """The same time left in every run, so that no bar and no word depends on how long the demo took to open."""
    content, now = json.loads(store.read_text()), int(time.time())
    entries = sorted(content["AccessToken"].values(), key=lambda entry: (entry["home_account_id"], entry["realm"]))
    for number, entry in enumerate(entries):
        left = 90 if int(entry["expires_on"]) < now + 600 else (59 - 7 * (number % 8)) * 60 + 30
        entry.update(cached_at=str(now - 3600 + left), expires_on=str(now + left), extended_expires_on=str(now + left))
    # The demo's people sign in all at once, in an order of their own.
    store.write_text(json.dumps(content, sort_keys=True))


@pytest.fixture
def demo(person):
    environment = {"HOME": str(person.scratch), "container": "yes", "TERM": "screen-256color"}
    screen = Photographer(person.environment | environment, "demo", **SIZE)
    until(lambda: "renews on use" in screen.read(), what="the demo")
    yield screen
    screen.close()


@pytest.mark.parametrize("name", PICTURES)
def test_the_readmes_picture_is_what_the_program_shows(person, demo, name):
    keys, texts, title = PICTURES[name]
    (store,) = person.scratch.glob("foyer-demo-*/token_cache.json")
    set_clock_of(store)
    demo.type("r")
    demo.wait("59 min", "52 min")
    if name == "device-code":
        port = re.search(r"127\.0\.0\.1:(\d+)", store.with_name("config.toml").read_text())[1]
        fields = {"user_code": CODE, "verification_uri": "https://foyer.example/deviceauth", "expires_in": 3600}
        fault = json.dumps({"kind": "override", "endpoint": "devicecode", "fields": fields}).encode()
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_sandbox/faults", fault, timeout=PATIENCE).close()
    for key in keys:
        demo.type(key)
        demo.read()
    # Drawn anew as a whole: pyte does not know every shortcut that a change is drawn with.
    demo.type("\x0c")
    demo.wait(*texts)
    kept = FOLDER / f"{name}.svg"
    if os.environ.get("UPDATE_PICTURES") == "1":
        FOLDER.mkdir(exist_ok=True)
        kept.write_text(svg.render(demo.steady(), title))

    # The program may be about to draw the rest, and on a busy machine the times have passed meanwhile.
    def is_same():
        same = attempt(lambda: demo.read() and kept.read_text() == svg.render(demo.picture(), title), 10)
        if not same and name == "accounts":
            set_clock_of(store)
            demo.type("r")
        return same

    try:
        until(is_same, what="the same picture; UPDATE_PICTURES=1 draws it anew, and it")
    except AssertionError as error:
        drawn = svg.render(demo.picture(), title).splitlines()
        changes = difflib.unified_diff(kept.read_text().splitlines(), drawn, "kept", "drawn", n=0, lineterm="")
        raise AssertionError("\n".join([str(error), *changes])) from None
    assert f"(Tests/Pictures/{name}.svg)" in (REPOSITORY / "README.md").read_text()
