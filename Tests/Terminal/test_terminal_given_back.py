"""Whatever ends the interface, or stops it: the terminal is as it was, to the last mode."""

import contextlib
import fcntl
import os
import random
import re
import signal
import struct
import termios
import time

import pyte
import pytest
from emulator import Emulator
from harness import ADA, FOYER, children, until
from pane import is_running


def signals(names):
    return [signal.Signals[f"SIG{name}"] for name in names.split()]


CRASHING = "ABRT SEGV BUS ILL FPE TRAP"
DEADLY = signals(f"HUP INT TERM QUIT {CRASHING}")
# What another process, a timer or a limit sends.
SENT = signals("USR1 USR2 ALRM VTALRM PROF XCPU XFSZ IO PWR STKFLT")
CRASHES = signals(f"{CRASHING} SYS")
# All from 1 to 31 whose default is the end, without SIGKILL, which leaves no time, and SIGPIPE, which is an error to
# handle.
ENDING = sorted({*DEADLY, *SENT, *CRASHES})
# Private modes as DEC and xterm number them: cursor keys, mouse of every kind, focus, alternate screen, bracketed
# paste.
OFF = [1, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 47, 1047, 1049, 2004]
CURSOR = 25


@contextlib.contextmanager
def opened(environment, *arguments, shows="Accounts 3", **form):
    screen = Emulator(environment, *arguments, **form)
    try:
        # Of another one: on a busy machine the program has changed its own before it can be looked at.
        pair = os.openpty()
        before = termios.tcgetattr(pair[0])
        for end in pair:
            os.close(end)
        screen.wait(shows)
        yield screen, before
    finally:
        screen.close()


def ends(screen, before, number):
    """That the process dies of the signal, and leaves no mode behind."""
    assert all(mode << 5 in screen.screen.mode for mode in (1004, 1049, 2004)), "the modes are seen"
    terminal = os.dup(screen.process.child_fd)
    os.kill(screen.process.pid, number)
    until(lambda: (screen.read(), not screen.process.isalive())[1], what=f"the end by {number}")
    screen.read()
    left = [mode for mode in OFF if mode << 5 in screen.screen.mode]
    assert not left, f"left on after {number}: {left}"
    assert CURSOR << 5 in screen.screen.mode, number
    assert termios.tcgetattr(terminal) == before, number
    os.close(terminal)
    assert screen.end() == -number


def numbers(short):
    return [*ENDING, 34, 64] if os.environ.get("FOYER_LONG") else short


def test_no_signal_and_no_crash_leaves_a_mode_behind(people):
    for number in numbers([*DEADLY, *SENT, 40]):
        with opened(people.environment) as (screen, before):
            ends(screen, before, number)


def test_no_signal_leaves_a_mode_behind_while_a_sign_in_is_waited_for(people, sandbox):
    for number in numbers([signal.SIGUSR1, signal.SIGXCPU]):
        codes = len(sandbox.waiting_codes())
        with opened(people.environment) as (screen, before):
            screen.type("a\r")
            until(lambda: len(sandbox.waiting_codes()) > codes)
            screen.wait("expires in")
            ends(screen, before, number)


def test_no_signal_leaves_a_mode_or_a_provider_of_the_demo_behind(person):
    for number in numbers([signal.SIGSEGV, signal.SIGUSR2]):
        before_it = set(person.scratch.iterdir())
        with opened(person.environment, "demo", columns=100, shows="Accounts 11") as (screen, before):
            helpers = children(screen.process.pid)
            (folder,) = set(person.scratch.glob("foyer-demo-*")) - before_it
            assert helpers
            ends(screen, before, number)
            until(lambda: not any(is_running(helper) for helper in helpers), what="the end of the sandbox")
            # What a crash leaves goes with the next demo.
            assert list(person.scratch.iterdir()) == ([folder] if number in CRASHES else []), number


def test_a_signal_that_is_ignored_stays_so(people):
    program = ["/bin/sh", "-c", f"trap '' USR1; exec {FOYER}"]
    with opened(people.environment, program=program) as (screen, before):
        os.kill(screen.process.pid, signal.SIGUSR1)
        screen.type("?").wait("Keys: Accounts")
        ends(screen, before, signal.SIGUSR2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
@pytest.mark.parametrize("arguments", [(), ("--plain",)], ids=["screens", "plain"])
def test_a_terminal_that_nobody_reads_holds_up_no_signal(people, number, arguments):
    """As after Ctrl-S, or behind a connection that is frozen: what is written fills up, and waits."""
    with opened(people.environment, *arguments, shows="quit") as (screen, before):
        process, terminal = screen.process.pid, os.dup(screen.process.child_fd)
        screen.fill(lambda: screen.type("\n") if arguments else None)
        os.kill(process, number)
        until(lambda: os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT), what="the end")
        assert termios.tcgetattr(terminal) == before
        assert screen.end() == -number
        assert 1049 << 5 not in screen.screen.mode and CURSOR << 5 in screen.screen.mode
        os.close(terminal)


@pytest.mark.parametrize("number", signals(f"QUIT {CRASHING}"), ids=lambda number: number.name)
def test_the_shell_goes_on_after_a_crash(people, pane, tmp_path, number):
    screen = pane(people)
    before = screen.stty(tmp_path, "before")
    screen.run("ulimit -c 0; clear")
    screen.foyer()
    os.kill(screen.child(), number)
    screen.back(128 + number)
    assert screen.stty(tmp_path, "after") == before
    assert screen.ask("alternate_on") == "0" and screen.ask("cursor_flag") == "1"
    assert "Accounts 3" not in screen.text


@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGSTOP], ids=lambda number: number.name)
def test_a_stop_from_outside_and_fg(people, pane, tmp_path, number):
    screen = pane(people)
    before = screen.stty(tmp_path, "before")
    screen.foyer()
    process = screen.child()
    os.kill(process, number)
    until(lambda: stopped(process), what="the stop")
    screen.wait("Stopped")
    if number == signal.SIGTSTP:
        screen.wait("Stopped", gone=["Accounts 3"])
        assert screen.ask("alternate_on") == "0" and screen.ask("cursor_flag") == "1"
        assert screen.stty(tmp_path, "between") == before
    screen.run("fg").wait("Accounts 3", ADA, gone=["Stopped", "ready$"])
    until(lambda: screen.ask("alternate_on") == "1")
    screen.keys("j", "i").wait("Tokens of")
    screen.keys("Escape").wait("Accounts 3")
    screen.keys("q").back(0)
    assert screen.stty(tmp_path, "after") == before


def test_cont_alone_draws_anew(people, pane):
    screen = pane(people).foyer()
    screen.write_past("\x1b[5;5HGARBAGE\x1b[10;1HMORE GARBAGE")
    screen.wait("MORE GARBAGE")
    os.kill(screen.child(), signal.SIGCONT)
    screen.wait("Accounts 3", ADA, gone=["GARBAGE"])


def test_stopped_while_the_window_changes(people, pane):
    screen = pane(people).foyer()
    screen.keys("C-z").wait("Stopped")
    screen.resize(120, 30)
    screen.run("fg").wait("Accounts 3", ADA, gone=["Stopped"])
    until(lambda: len(screen.lines) == 30 and "? help" in screen.lines[-1], what="the new size")
    screen.keys("q").back(0)


@pytest.mark.parametrize("ignored", [False, True], ids=["hang-up", "hang-up ignored"])
@pytest.mark.parametrize("place", ["picker", "waiting"])
def test_a_lost_connection_ends_it(people, sandbox, ignored, place):
    """The other side of the terminal is gone; under nohup there is not even a signal."""
    screen = Emulator(people.environment, program=["/bin/sh", "-c", f"trap '' HUP; exec {FOYER}"] if ignored else None)
    screen.wait("Accounts 3")
    if place == "waiting":
        screen.type("a\r")
        until(sandbox.waiting_codes)
    process = screen.process.pid
    os.close(screen.process.child_fd)
    until(lambda: os.waitpid(process, os.WNOHANG)[0] == process, what="the end of foyer")


def test_a_lost_connection_ends_the_demo_and_its_sandbox(person):
    screen = Emulator(person.environment, "demo", columns=100)
    until(lambda: "Accounts 11" in screen.read(), what="the demo")
    process = screen.process.pid
    helpers = children(process)
    assert helpers and list(person.scratch.iterdir())
    os.close(screen.process.child_fd)
    until(lambda: os.waitpid(process, os.WNOHANG)[0] == process, what="the end of foyer")
    until(lambda: not any(is_running(helper) for helper in helpers), what="the end of the sandbox")
    assert list(person.scratch.iterdir()) == []


@pytest.mark.parametrize(
    "keys, shows", [("", "Accounts 3"), ("i", "Tokens of"), ("?", "Keys: Accounts"), ("x", "Remove the account?")]
)
def test_a_storm_of_sizes_ends_in_the_right_picture(people, pane, keys, shows):
    """500 changes of size within two seconds; some are too small, and what is drawn for them falls on a window of
    another size."""
    screen, fresh = pane(people).foyer(), pane(people).foyer()
    for each in (screen, fresh):
        each.type(keys)
        each.wait(shows)
    chance = random.Random(500)
    sizes = [(chance.randint(1, 80), chance.randint(1, 250)) for _ in range(499)] + [(24, 80)]
    terminal = os.open(screen.ask("pane_tty"), os.O_RDWR | os.O_NOCTTY)
    begin = time.monotonic()
    for number, (rows, columns) in enumerate(sizes):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        time.sleep(max(0, begin + number * 0.004 - time.monotonic()))
    os.close(terminal)
    until(lambda: steady(screen) == steady(fresh), what=f"the right picture; there is\n{screen.text}")
    if keys:
        screen.type("\x1b")
        screen.wait("Accounts 3", "quit", gone=[shows])
    screen.keys("q").back(0)


def test_a_key_is_heard_however_often_the_size_changed_before_it_could_be_drawn(people):
    """A terminal that shows nothing for a while, as after Ctrl-S: the program waits in the middle of a picture, and
    what happens meanwhile must wait, too."""
    screen = Emulator(people.environment)
    try:
        screen.wait("Accounts 3")
        for number in range(40):
            screen.process.setwinsize(60, 200 - number % 2)
            time.sleep(0.01)
        screen.type("?")
        for _ in range(400):
            time.sleep(0.002)
            os.kill(screen.process.pid, signal.SIGWINCH)
        screen.process.setwinsize(24, 80)
        screen.wait("Keys: Accounts")
        screen.type("\x1b").wait(gone=["Keys: "])
        screen.type("q")
        assert screen.end() == 0
    finally:
        screen.close()


def steady(screen):
    """The picture without what the clock changes."""
    shown = re.sub(r"\d+ (?:min|s)\b", "TIME", screen.tmux("capture-pane", "-p", "-e", "-N"))
    copy = pyte.Screen(120, 24)
    pyte.Stream(copy).feed(shown.rstrip("\n").replace("\n", "\r\n"))
    # Of an empty cell only its ground can be seen.
    return [
        [
            (cell.data, cell.bg, cell.reverse) + (() if cell.data == " " else (cell.fg, cell.bold))
            for cell in map(copy.buffer[row].__getitem__, range(80))
        ]
        for row in range(24)
    ]


def stopped(process):
    with open(f"/proc/{process}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0] == "T"
