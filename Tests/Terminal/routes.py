"""The way to each place of the interface, and how a test knows where it is: by the help, which names the place whose
keys it tells."""

import re
from pathlib import Path

from harness import until
from waiting import attempt

# A test of Swift holds it equal to the tables that the program obeys.
KEYS = (Path(__file__).resolve().parents[2] / "Sources/foyer/foyer.docc/Keys.md").read_text()
HELP = "\x1bOP"

# From the accounts: keys, and what must be there before the next one is pressed.
ROUTES = {
    "Accounts": [],
    "One account": [("\x1b[C", None)],
    "Filter": [("/", None)],
    "Sign in: the form": [("a", None)],
    "Sign in: clients": [("a", None), ("\x1bOQ", "Clients")],
    "Sign in: waiting": [("a", None), ("\r", "Sign in as")],
    "Sign in: paste the response": [
        ("a", None),
        *[("\t", None)] * 2,
        ("\x1b[C", None),
        ("\r", "Sign in as"),
        ("p", "paste:"),
    ],
    "Sign in: provider's question": [
        ("a", None),
        ("\x1b[D", "shop"),
        *[("\t", None)] * 2,
        ("\x1b[D", "native"),
        ("\r", "email address"),
    ],
    "Tokens": [("i", None)],
    "One token": [("i", None), ("\r", None)],
    "Consent": [("s", None)],
    "Review the request": [("s", "Consent of"), (" ", None), ("a", "Review the request")],
    "A token": [("\r", "token")],
    "Confirmation": [("x", "Remove the account?")],
    "Removed or signed out": [("x", "Remove the account?"), ("y", "removed here")],
    "Copy": [("y", None)],
    "Help": [("?", "Keys: Accounts")],
    "Help: find a key": [("?", "Keys: Accounts"), ("redraw", "redraw")],
    "Themes": [("T", None)],
    "Doctor": [("!", None)],
    "Doctor: one finding": [("!", "settings  "), ("\r", None)],
    "Activity": [("A", None)],
    "Activity: one entry": [("\r", "token"), ("q", None), ("A", None), ("\r", None)],
    "Failures": [("F", None)],
    # The first account of the demo needs a sign-in: what it says beforehand is not yet the failure.
    "Failures: details": [("g", None), ("\r", "Enter sign in again"), ("q", None), ("F", "Enter read"), ("\r", None)],
    "Settings": [(",", "settings file")],
    "One setting": [(",", "settings file"), ("\x1b[C", None)],
    "Stores": [("W", "foyer's own")],
    "One store": [("W", "foyer's own"), ("\r", None)],
    "Agent": [("@", "foyer agent")],
    "Agent: one entry": [("@", "foyer agent"), ("\r", None)],
    "Programs": [("P", "terraform")],
    "Programs: one program": [("P", "terraform"), ("\r", None)],
    "Commands": [(":", "a command")],
    "Text input": [("p", "paste a token")],
    "Search": [("P", "terraform"), ("/", "search text")],
}


def places():
    """The headings of the key tables of the reference."""
    tables = KEYS.split("ReferenceTableTests -->", 1)[1].split("<!-- end of keys -->", 1)[0]
    titles = re.findall(r"^### (.*)$", tables, re.M)
    return [title for title in titles if title != "Everywhere"]


def own_keys(place):
    """The keys of a place's own table, as they are sent."""
    table = KEYS.split(f"\n### {place}\n", 1)[1].split("\n### ", 1)[0].split("<!-- end", 1)[0]
    cells = re.findall(r"^\| (`(?:[^|]|\\\|)*`) \| `\w+` \|", table, re.M)
    names = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    return [(name, as_sent(name)) for name in names if as_sent(name)]


def as_sent(name):
    named = {
        "Enter": "\r",
        "Tab": "\t",
        "Space": " ",
        "Esc": "\x1b",
        "↑": "\x1b[A",
        "↓": "\x1b[B",
        "→": "\x1b[C",
        "←": "\x1b[D",
        "Shift-Tab": "\x1b[Z",
        "PgUp": "\x1b[5~",
        "PgDn": "\x1b[6~",
        "Home": "\x1b[H",
        "End": "\x1b[F",
        "Backspace": "\x7f",
        "Del": "\x1b[3~",
        "F1": HELP,
    }
    if name in named:
        return named[name]
    if name.startswith("Ctrl-"):
        return chr(ord(name[-1].upper()) - 64)
    return name if len(name) == 1 else None


class Walker:
    """Somebody who goes from place to place. The screen is a Pane or an Emulator: both take text and show text."""

    def __init__(self, screen):
        self.screen = screen

    @property
    def text(self):
        return self.screen.drawn

    def wait(self, text, gone=False):
        until(lambda: (text in self.text) != gone, f"{'the end of ' if gone else ''}{text!r} on\n{self.text}")

    def place(self):
        """Asks the help where it is, and closes the help again."""

        def look():
            # What was typed together with a key that asks a question is dropped on purpose.
            self.screen.type(HELP)
            return attempt(lambda: re.search(r"Keys: ([^─+\n]*?) *(?:─|-{2}|-?\+)", self.text), 4)

        before = self.text.count("Keys: ")
        title = until(look, f"the help on\n{self.text}")[1]
        self.screen.type("\x1b")
        until(lambda: self.text.count("Keys: ") <= before, f"the end of the help on\n{self.text}")
        return title

    def is_home(self):
        return " quit" in self.text.rstrip().split("\n")[-1]

    def home(self):
        """Back to the accounts, one level at a time."""

        def is_there():
            # Every client's accounts again: a route begins with the account that is used most.
            if self.is_home() and self.place() == "Accounts" and "Esc all" not in self.text:
                return True
            before = self.text
            self.screen.type("\x1b")
            # Another key right after Esc would be taken for a sequence that begins with it.
            attempt(lambda: self.text != before or (self.is_home() and "Esc all" not in before), 2)
            return False

        until(is_there, f"the way back to the accounts from\n{self.text}")
        self.begin()

    def begin(self):
        """With an account that has permissions to ask for: what ada and zoe have in the demo was all consented to."""
        # Sign and name, from the third column on.
        rows = [line for line in self.text.split("\n") if re.match(r"..\S \S", line) and "@" in line]
        usable = [index for index, row in enumerate(rows) if not re.search("ada@|zoe@", row)]
        self.screen.type("g" + "j" * (usable[0] if usable else 1))

    def insist(self, key, shows):
        """Presses a key that answers a question until it is heard: one that comes within a moment of the question
        counts as typed ahead."""

        def is_heard():
            if attempt(lambda: shows in self.text):
                return True
            self.screen.type(key)
            return False

        until(is_heard, f"{shows} after {key} on\n{self.text}")

    def go(self, place):
        for key, shows in ROUTES[place]:
            self.screen.type(key)
            if shows and key in ("y", "\x1b[D"):
                self.insist(key, shows)
            elif shows:
                self.wait(shows)
