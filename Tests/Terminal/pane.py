"""A terminal that a test looks at and types into: a private tmux with an interactive shell in it."""

import re
import subprocess
import time
from pathlib import Path

from harness import FOYER, until

LINE_SET = str.maketrans("jklmnqtuvwx", "┘┐┌└┼─├┤┴┬│")


class Pane:
    PROMPT = "ready$"

    def __init__(self, socket, environment, columns=80, rows=24):
        self.socket = str(socket)
        settings = Path(f"{socket}.bashrc")
        settings.write_text(f"PS1='{self.PROMPT} '\nunset HISTFILE\n")
        self.environment = {**environment, "SHELL": "/bin/bash"}
        # tmux gives its own TERM to what runs in it; a test that wants another one says so on the command line.
        self.environment.pop("TMUX", None)
        self.tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            str(columns),
            "-y",
            str(rows),
            f"exec /bin/bash --rcfile {settings} -i",
            ";",
            "set",
            "-s",
            "escape-time",
            "0",
            ";",
            "set",
            "-g",
            "status",
            "off",
            ";",
            "set",
            "-g",
            "window-size",
            "manual",
            ";",
            "resize-window",
            "-x",
            str(columns),
            "-y",
            str(rows),
        )
        self.wait(self.PROMPT)

    def tmux(self, *arguments, check=True):
        done = subprocess.run(
            ["tmux", "-S", self.socket, *arguments],
            env={**self.environment, "TERM": "xterm-256color"},
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert not check or done.returncode == 0, done
        return done.stdout

    # What is on it

    @property
    def text(self):
        return self.tmux("capture-pane", "-p")

    @property
    def lines(self):
        return self.text.rstrip("\n").split("\n")

    @property
    def drawn(self):
        """The screen with lines for lines: without UTF-8 they are letters of the terminal's other character set."""
        shown = re.sub(r"\x1b\[[0-9;:]*m", "", self.tmux("capture-pane", "-p", "-e"))
        return re.sub("\x0e([^\x0f]*)\x0f?", lambda run: run[1].translate(LINE_SET), shown)

    def ask(self, variable):
        return self.tmux("display-message", "-p", f"#{{{variable}}}").strip()

    def wait(self, *texts, seconds=90, gone=()):
        """Waits until all texts are on the screen, and those of `gone` are not, and returns the screen."""
        seen = ""

        def look():
            nonlocal seen
            seen = self.text
            return all(text in seen for text in texts) and not any(text in seen for text in gone)

        try:
            until(look, seconds, f"{texts} without {gone}")
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen is\n{seen}") from None
        return seen

    # What is done to it

    def keys(self, *names):
        """Named keys: Enter, Escape, C-l, Down …"""
        self.tmux("send-keys", *names)
        return self

    def type(self, text):
        self.tmux("send-keys", "-l", text)
        return self

    def answer(self, key, *shows, gone=(), seconds=90):
        """Presses a key that answers a question until it is heard: one that comes within a moment of the question
        counts as typed ahead."""
        deadline = time.monotonic() + seconds
        while True:
            self.tmux("send-keys", key)
            try:
                return self.wait(*shows, gone=gone, seconds=1)
            except AssertionError:
                if time.monotonic() > deadline:
                    raise

    def run(self, command):
        return self.type(command).keys("Enter")

    def foyer(self, *arguments, shows="Accounts", prefix=""):
        self.run(" ".join([*([prefix] if prefix else []), str(FOYER), *arguments]))
        self.wait(shows, "help")
        return self

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        return self

    def write_past(self, text):
        """Writes on the terminal as another program would."""
        with open(self.ask("pane_tty"), "w") as terminal:
            terminal.write(text)

    # Its processes

    @property
    def shell(self):
        return int(self.ask("pane_pid"))

    def child(self):
        """The process that the shell runs now."""
        return until(lambda: children(self.shell), what="a child of the shell")[0]

    def back(self, status=None, seconds=90):
        """Waits for the prompt, and asks how the last command ended."""
        try:
            until(lambda: not children(self.shell), seconds, "the end of the command")
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen is\n{self.text}") from None
        if status is None:
            return self
        self.run("echo ended=$?")
        self.wait(f"ended={status}", seconds=seconds)
        return self

    def stty(self, folder, name):
        path = Path(folder) / name
        self.run(f"stty -a > {path}.new; mv {path}.new {path}")
        until(path.exists)
        return path.read_text()

    def close(self):
        self.tmux("kill-server", check=False)


def children(process):
    """Those that any thread of the process has started."""
    found = []
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(child) for child in listed.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
