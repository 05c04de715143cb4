"""Beginning and end of the interface: the terminal is given back as it was, whatever ended it."""

import os
import re
import signal
from pathlib import Path

import pytest
from emulator import Emulator
from harness import ADA, FOYER, LEFT, Store, children, until
from pane import is_running
from waiting import linger


def test_quitting_gives_screen_and_settings_back(people, pane, tmp_path):
    screen = pane(people)
    before = screen.stty(tmp_path, "before")
    screen.run("clear; echo what was there before")
    screen.wait("what was there before", gone=["echo what was"])
    shown = screen.text.rstrip().splitlines()
    screen.foyer()
    screen.keys("q").back()
    until(lambda: screen.text.rstrip().endswith(screen.PROMPT))
    after = screen.text.rstrip().splitlines()
    assert after[: len(shown) - 1] == shown[:-1], "the shell's lines are as they were"
    assert len(after) == len(shown) + 1 and after[-2].endswith("foyer")
    assert screen.stty(tmp_path, "after") == before
    assert screen.ask("cursor_flag") == "1" and screen.ask("alternate_on") == "0"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
@pytest.mark.parametrize("place", ["picker", "waiting"])
def test_a_signal_ends_it_and_the_terminal_is_given_back(people, pane, sandbox, tmp_path, number, place):
    screen = pane(people)
    before = screen.stty(tmp_path, "before")
    screen.run("ulimit -c 0; clear")
    screen.foyer()
    if place == "waiting":
        screen.keys("a").wait("authority")
        screen.keys("Enter")
        until(sandbox.waiting_codes)
        screen.wait("expires in")
    os.kill(screen.child(), number)
    screen.back(128 + number)
    assert screen.stty(tmp_path, "after") == before
    assert screen.ask("alternate_on") == "0" and screen.ask("cursor_flag") == "1"
    assert "Accounts 3" not in screen.text


def test_ctrl_c_quits_at_once(people, pane):
    screen = pane(people).foyer()
    screen.keys("C-c")
    screen.back()
    assert screen.ask("alternate_on") == "0"


def test_ctrl_z_and_fg(people, pane, tmp_path):
    screen = pane(people)
    before = screen.stty(tmp_path, "before")
    screen.foyer(shows="Accounts 3")
    for _ in range(2):
        screen.keys("C-z").wait("Stopped", gone=["Accounts 3"])
        assert screen.ask("alternate_on") == "0"
        screen.run("fg").wait("Accounts 3", ADA, gone=["Stopped"])
        screen.keys("j")
    screen.keys("C-z").wait("Stopped", gone=["Accounts 3"])
    assert screen.stty(tmp_path, "between") == before
    screen.run("fg").wait("Accounts 3")
    screen.keys("q").back()
    assert screen.stty(tmp_path, "after") == before


def test_ctrl_l_paints_over_what_another_program_wrote(people, pane):
    screen = pane(people).foyer(shows="Accounts 3")
    screen.write_past("\x1b[5;5HGARBAGE\x1b[10;1HMORE GARBAGE")
    screen.wait("MORE GARBAGE")
    screen.keys("C-l").wait("Accounts 3", ADA, gone=["GARBAGE"])


def test_another_size_is_taken_at_once(people, pane):
    # On a quick machine a token of an hour has an hour still.
    Store(people.store).age(3500)
    screen = pane(people).foyer(shows="Accounts 3")
    screen.resize(200, 60)
    until(lambda: len(screen.lines) == 60 and "? help" in screen.lines[-1], what="the larger picture")
    screen.wait("Accounts 3", "Ada Lovelace", "q quit")
    screen.resize(30, 8).wait("terminal too small")
    screen.resize(1, 1)
    screen.resize(40, 10).wait("foyer", gone=["too small"])
    screen.resize(80, 24).wait("Accounts 3", ADA)
    until(lambda: len(screen.lines) == 24 and "? help" in screen.lines[-1], what="the first picture")
    for columns in (41, 79, 109, 110, 111, 132, 80):
        screen.resize(columns, 24)
    screen.wait("Accounts 3", ADA)
    assert len([line for line in screen.lines if ADA in line and re.search(LEFT, line)]) == 2, "a row for each client"


def test_the_window_that_is_closed_takes_it_along(people, pane):
    screen = pane(people).foyer()
    process = screen.child()
    screen.close()
    until(lambda: not is_running(process), what="the end of foyer")


def test_it_does_nothing_while_nothing_happens(people, pane):
    screen = pane(people).foyer(shows="Accounts 3")
    process = screen.child()

    def ticks():
        with open(f"/proc/{process}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def in_a_second():
        before = ticks()
        linger(1)
        return ticks() - before

    # What follows the first screen may fall into the first of these seconds.
    assert min(in_a_second() for _ in range(4)) <= 2, "more than a fiftieth of a processor for nothing"


@pytest.mark.skipif(not os.environ.get("FOYER_LONG"), reason="tries themes for a minute")
def test_trying_themes_takes_no_memory(people):
    screen = Emulator(people.environment)
    screen.wait("Accounts 3")

    def memory_after(rounds):
        for _ in range(rounds):
            screen.type("T")
            screen.wait("muted  label")
            screen.type("jj\x1b")
            screen.wait("Accounts 3", gone=["muted  label"])
        with open(f"/proc/{screen.process.pid}/smaps_rollup") as sizes:
            return next(int(line.split()[1]) for line in sizes if line.startswith("Pss:"))

    try:
        before = memory_after(150)
        assert memory_after(150) - before < 150 * 5, "kB"
    finally:
        screen.close()


def test_two_at_once_see_what_the_other_did(people, pane):
    first, second = pane(people).foyer(), pane(people).foyer()
    first.keys("j", "j", "x").wait("Remove the account?", "grace@")
    first.answer("y", "removed here")
    second.wait("Accounts 2", "grace@fabrikam.example removed by another program")


@pytest.mark.parametrize("command", ["TERM= {}", "{} </dev/null", "{} | cat", "{} <&-", "{} >&-"])
def test_without_a_proper_terminal_it_says_so_and_ends_with_64(people, pane, tmp_path, command):
    screen = pane(people, 120, 24)
    before = screen.stty(tmp_path, "before")
    screen.run("set -o pipefail; clear")
    screen.run(command.format(FOYER))
    screen.back(64)
    message = "\n".join(line for line in screen.lines if "ready$" not in line)
    assert ("TERM" if command.startswith("TERM") else "terminal") in message
    assert screen.stty(tmp_path, "after") == before


def test_the_demo_shows_six_accounts_and_leaves_nothing(person, pane, tmp_path):
    screen = pane(person, 120, 30)
    before = screen.stty(tmp_path, "before")
    screen.run(f"{FOYER} demo")
    text = screen.wait("demo", "Accounts", "help")
    assert sum(text.count(f"@{domain}.example") for domain in ("contoso", "fabrikam", "personal", "lab")) >= 6
    screen.wait(" min", "renews on use", "needs sign-in")
    process = screen.child()
    helpers = children(process)
    assert helpers and list(person.scratch.iterdir())
    screen.keys("q").back(0)
    until(lambda: not any(is_running(helper) for helper in helpers), what="the end of the sandbox")
    assert list(person.scratch.iterdir()) == []
    assert not person.store.exists()
    assert screen.stty(tmp_path, "after") == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_the_demo_leaves_nothing_when_a_signal_ends_it(person, pane, number):
    screen = pane(person, 120, 30).foyer("demo")
    process = screen.child()
    helpers = children(process)
    os.kill(process, number)
    screen.back()
    until(lambda: not any(is_running(helper) for helper in helpers), what="the end of the sandbox")
    if number != signal.SIGKILL:
        assert list(person.scratch.iterdir()) == []


def test_the_demo_can_be_worked_in(person, pane):
    screen = pane(person, 120, 30).foyer("demo")
    screen.keys("Enter").wait("A token from", "token ready")
    screen.keys("Escape").wait("Accounts 11", gone=["token ready"])
    screen.keys("i").wait("Tokens of ada@")
    screen.keys("Escape").wait("Accounts 11", gone=["Tokens of ada@"])
    screen.keys("q").back(0)


def test_a_list_that_only_waits_lets_the_machine_rest(people, pane):
    """A frame each second took some 130 wakeups in ten seconds; the Swift run-time's own timer takes ten."""
    process = pane(people).foyer(shows="Accounts 3").child()

    def wakeups():
        status = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/status")]
        return sum(int(count) for text in status for count in re.findall(r"^voluntary\D+(\d+)", text, re.M))

    def rests():
        before = wakeups()
        linger(10)
        return wakeups() - before < 40

    # Other stores are read after the first frame.
    until(rests)
