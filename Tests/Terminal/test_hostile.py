"""Text that somebody else chose, on every screen: the terminal's state, its title and the clipboard stay as they were,
and the layout holds."""

import re

import hostile
import pytest
from harness import Store, until
from picture import begins, faults
from routes import ROUTES, Walker

SIZES = [(80, 24), (40, 10), (200, 60)]
# What the text would change, as tmux knows it.
STATE = """pane_title window_name alternate_on mouse_any_flag mouse_all_flag mouse_standard_flag insert_flag origin_flag
scroll_region_upper wrap_flag keypad_flag keypad_cursor_flag cursor_flag pane_in_mode"""
ACCOUNTS = len(hostile.TEXTS)
OF_AN_ACCOUNT = ["Accounts", "Tokens", "One token", "Consent", "Confirmation"]


class Watch:
    """A terminal that obeys: it would set the clipboard, and take what is passed through. Knows how it was."""

    def __init__(self, screen):
        self.screen = screen
        screen.tmux("set", "-s", "set-clipboard", "on")
        for name, value in (("allow-rename", "on"), ("allow-passthrough", "on"), ("automatic-rename", "off")):
            screen.tmux("set", "-g", name, value)

    def remember(self):
        self.before = self.state()

    def state(self):
        names = STATE.split()
        answers = self.screen.tmux("display-message", "-p", "|".join(f"#{{{name}}}" for name in names))
        return dict(zip(names, answers.strip().split("|"), strict=True))

    def look(self, what):
        """The picture, when nothing is wrong with it and the terminal is as it was."""
        wrong = []

        def whole():
            columns, rows = int(self.screen.ask("pane_width")), int(self.screen.ask("pane_height"))
            lines = self.screen.drawn.rstrip("\n").split("\n")
            # The text itself may spell what a sequence would, with its first character made visible.
            found = faults(lines, columns, rows)
            wrong[:] = [fault for fault in found if "stray escape" not in fault or "\x1b" in fault]
            return not wrong and begins(lines, rows)

        try:
            until(whole)
        except AssertionError:
            raise AssertionError(f"{what}: {wrong} in\n{self.screen.drawn}") from None
        # While a picture is drawn a part of the terminal may be set to scroll.
        try:
            until(lambda: self.state() == self.before)
        except AssertionError:
            assert self.state() == self.before, what
        assert self.screen.tmux("list-buffers") == "", what
        assert not re.search(r"\x1b\[[0-9;]*48;5;201", self.screen.tmux("capture-pane", "-p", "-e")), what
        return self.screen.text


@pytest.fixture
def watched(person, pane, sandbox, tmp_path):
    def open_on(kind="", shows=f"Accounts {ACCOUNTS}", store=None, columns=80, rows=24):
        person.work_settings(sandbox)
        uses = person.home / ".local" / "state" / "foyer" / "program-uses.jsonl"
        uses.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        uses.write_text("".join(map(hostile.use, [*hostile.TEXTS.values(), "terraform"])))
        uses.chmod(0o600)
        screen = pane(person, columns, rows, FOYER_STORE=str(store or hostile.store(tmp_path / "hostile.json")))
        watch = Watch(screen)
        screen.foyer(shows=shows, prefix=kind)
        watch.remember()
        return screen, watch

    return open_on


@pytest.mark.parametrize("kind", ["", "LC_ALL=C LANG=C"], ids=["UTF-8", "C locale"])
@pytest.mark.parametrize("place", OF_AN_ACCOUNT)
def test_names_scopes_and_claims_steer_nothing(watched, place, kind):
    screen, watch = watched(kind)
    walker = Walker(screen)
    for number, text in enumerate(hostile.TEXTS):
        screen.type("\x1b[H")
        screen.type("j" * number)
        for key, shows in ROUTES[place]:
            screen.type(key)
            if shows:
                walker.wait(shows)
        for columns, rows in SIZES:
            screen.resize(columns, rows)
            watch.look(f"{text} in {place} at {columns}x{rows}")
        if place != "Accounts":
            screen.type("G")
            watch.look(f"{text}, the end of {place}")
        walker.home()
        screen.resize(80, 24)
    screen.keys("q").back(0)


@pytest.mark.parametrize("columns, rows", SIZES)
def test_every_place_is_whole_on_hostile_accounts(watched, columns, rows):
    screen, watch = watched(columns=columns, rows=rows)
    walker = Walker(screen)
    for place in ROUTES:
        # They need a client and an account that only the demo has; hostile failures have a test below.
        if place in ("Sign in: provider's question", "Failures: details"):
            continue
        walker.home()
        walker.go(place)
        watch.look(f"{place} at {columns}x{rows}")
    walker.home()
    screen.keys("q").back(0)


@pytest.mark.parametrize("text", hostile.TEXTS)
def test_what_a_provider_says_steers_nothing(people, watched, sandbox, text):
    said = hostile.TEXTS[text]
    screen, watch = watched(shows="Accounts 3", store=people.store)
    walker = Walker(screen)
    # The refusal of a device code, of a refresh, and an answer that cannot be.
    texts = {"description": said, "suberror": said[:200], "claims": said}
    sandbox.fault("error", endpoint="devicecode", error=said[:200], **texts)
    screen.type("a\r")
    screen.wait("What you can do")
    for columns, rows in SIZES:
        screen.resize(columns, rows)
        watch.look(f"a refused sign-in at {columns}x{rows}")
    screen.resize(80, 24)
    walker.home()
    Store(people.store).age()
    sandbox.reset()
    sandbox.fault("error", endpoint="token:refresh_token", error="invalid_grant", codes=[50076], **texts)
    screen.type("r\r")
    screen.wait("Enter sign in again")
    watch.look("a refused refresh")
    walker.home()
    sandbox.reset()
    fields = {"user_code": said[:900], "message": said[:900], "verification_uri": "https://x.example/" + said[:900]}
    sandbox.fault("override", endpoint="devicecode", fields=fields)
    screen.type("a\r")
    screen.wait("What you can do")
    watch.look("an impossible code")
    walker.home()
    screen.keys("q").back(0)


def test_the_watch_would_see_it(people, watched):
    """What is looked for does happen when a program writes the text as it is."""
    screen, watch = watched(shows="Accounts 3", store=people.store)
    for text, changed in (("title", "pane_title"), ("modes", "mouse_any_flag")):
        screen.write_past(hostile.TEXTS[text])
        until(lambda: screen.ask(changed) != watch.before[changed], what=changed)
    screen.write_past(hostile.TEXTS["clipboard"])
    until(lambda: screen.tmux("list-buffers"), what="a clipboard that is set")
    assert screen.tmux("show-buffer") == "pwned"
