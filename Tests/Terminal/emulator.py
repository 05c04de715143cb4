"""A terminal of any kind: a pseudo-terminal, all that was written to it, and what a VT would show of that."""

import itertools
import os
import signal
from pathlib import Path

import pexpect
import pyte
from harness import FOYER, until
from waiting import PATIENCE, attempt


class StrictScreen(pyte.Screen):
    """Notes what a picture must never do: run past the right edge, or scroll."""

    def __init__(self, columns, lines):
        self.trespasses = []
        super().__init__(columns, lines)

    def draw(self, data):
        for character in data:
            if self.cursor.x == self.columns and ord(character) >= 0x20:
                self.trespasses.append((self.cursor.y, character))
            super().draw(character)

    def index(self):
        # Within margins it is meant: that is how a list is moved with few bytes.
        if self.margins is None and self.cursor.y == self.lines - 1:
            self.trespasses.append((self.cursor.y, "scrolled"))
        super().index()


class Emulator:
    def __init__(self, environment, *arguments, columns=80, rows=24, program=None):
        self.written = b""
        self.screen = StrictScreen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        name, *before = program or [str(FOYER)]
        self.process = pexpect.spawn(
            name,
            [*before, *arguments],
            env=environment,
            dimensions=(rows, columns),
            timeout=PATIENCE,
            # Python ignores it, and so would what it starts.
            preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_DFL),
        )
        self.process.delaybeforesend = None

    def read(self):
        try:
            while True:
                chunk = self.process.read_nonblocking(65536, timeout=0.05)
                self.written += chunk
                self.stream.feed(chunk)
        except (pexpect.TIMEOUT, pexpect.EOF):
            pass
        return "\n".join(self.screen.display)

    def wait(self, *texts, gone=()):
        def look():
            seen = self.read()
            return seen if all(text in seen for text in texts) and not any(text in seen for text in gone) else None

        try:
            return until(look, what=str(texts))
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen is\n" + "\n".join(self.screen.display)) from None

    def type(self, text):
        self.process.send(text)
        return self

    def fill(self, also=lambda: None):
        """Has so much written that the process waits for a reader: the terminal is drawn on, and nobody looks."""
        sizes = itertools.cycle([199, 200])

        def is_full():
            also()
            self.process.setwinsize(60, next(sizes))
            return attempt(self.is_writing, 0.01) and not attempt(lambda: not self.is_writing(), 0.2)

        until(is_full, "a terminal that takes no more")

    def is_writing(self):
        """Whether a thread is in write(2), as the system numbers it (x86-64 or arm64)."""
        write = {"x86_64": "1", "aarch64": "64"}[os.uname().machine]
        calls = Path(f"/proc/{self.process.pid}/task").glob("*/syscall")
        return any(call.read_text().split()[0] == write for call in calls)

    def end(self):
        def over():
            self.read()
            return not self.process.isalive()

        until(over, what="the end")
        self.read()
        self.process.close()
        return self.process.exitstatus if self.process.exitstatus is not None else -self.process.signalstatus

    def close(self):
        if self.process.isalive():
            os.kill(self.process.pid, 9)
        self.process.close(force=True)
