"""A terminal that a test looks at and types into: a private tmux with an interactive shell in it."""

import re
import subprocess
from pathlib import Path

from harness import FOYER, children, until
from waiting import PATIENCE, attempt

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
            timeout=PATIENCE,
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

    def shows(self, *texts, gone=()):
        """The screen, if all texts are on it, and those of `gone` are not; nothing otherwise."""
        seen = self.text
        return seen if all(text in seen for text in texts) and not any(text in seen for text in gone) else None

    def wait(self, *texts, gone=()):
        """Waits until it shows that, and returns the screen."""
        try:
            return until(lambda: self.shows(*texts, gone=gone), f"{texts} without {gone}")
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen is\n{self.text}") from None

    # What is done to it

    def keys(self, *names):
        """Named keys: Enter, Escape, C-l, Down …"""
        self.tmux("send-keys", *names)
        return self

    def type(self, text):
        self.tmux("send-keys", "-l", text)
        return self

    def answer(self, key, *shows, gone=()):
        """Presses a key that answers a question until it is heard: one that comes within a moment of the question
        counts as typed ahead."""

        def press():
            self.tmux("send-keys", key)
            return attempt(lambda: self.shows(*shows, gone=gone))

        return until(press, f"{shows} after {key}")

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

    def back(self, status=None):
        """Waits for the prompt, and asks how the last command ended."""
        try:
            until(lambda: not children(self.shell), "the end of the command")
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen is\n{self.text}") from None
        if status is None:
            return self
        self.run("echo ended=$?")
        self.wait(f"ended={status}")
        return self

    def stty(self, folder, name):
        path = Path(folder) / name
        self.run(f"stty -a > {path}.new; mv {path}.new {path}")
        until(path.exists)
        return path.read_text()

    def close(self):
        self.tmux("kill-server", check=False)


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
