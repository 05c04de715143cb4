"""A terminal without the focus: seconds are not counted, and its reports are never taken for keys."""

import pytest
from emulator import Emulator
from harness import ADA, HEDY, Store, until
from waiting import linger

GAINED, LOST = "\x1b[I", "\x1b[O"
FOCUS = 1004 << 5


@pytest.fixture
def counting(people):
    """People whose tokens end within a minute, so that the list counts seconds."""
    count_again(people)
    return people


def count_again(people):
    Store(people.store).age(58)


def stands_still(look):
    before = look()
    linger(3)
    return look() == before


def wait_until_still(look):
    """What was under way before the report may still be drawn."""
    until(lambda: stands_still(look), what="an end of the counting")


def wait_until_moving(look):
    before = look()
    until(lambda: look() != before, what="the seconds that go by")


def test_seconds_are_counted_with_the_focus_alone(counting):
    screen = Emulator(counting.environment)
    try:
        screen.wait("Accounts 3", ADA, " s ")
        assert FOCUS in screen.screen.mode
        wait_until_moving(screen.read)
        screen.type(LOST)
        wait_until_still(screen.read)
        before = screen.read()
        screen.type(GAINED)
        until(lambda: screen.read() != before, what="the seconds that have passed")
        # On a busy machine the minute may be over.
        count_again(counting)
        screen.wait(" s ")
        wait_until_moving(screen.read)
        # A key is proof enough.
        screen.type(LOST)
        wait_until_still(screen.read)
        count_again(counting)
        screen.type("j").wait(" s ")
        wait_until_moving(screen.read)
        screen.type("q").end()
        assert FOCUS not in screen.screen.mode
    finally:
        screen.close()


def test_what_another_process_changes_is_drawn_without_the_focus(people):
    screen = Emulator(people.environment)
    try:
        screen.wait("Accounts 3")
        screen.type(LOST)
        assert people.foyer("remove", HEDY, "--client", "lab").status == 0
        screen.wait("Accounts 2", f"{HEDY} removed by another program")
    finally:
        screen.close()


def test_reports_are_no_text(people):
    screen = Emulator(people.environment)
    try:
        screen.wait("Accounts 3")
        screen.type("/")
        screen.wait("Enter keep")
        for part in [LOST, "a", GAINED, LOST, "d", "\x1b[200~a" + LOST + "@\x1b[201~", GAINED]:
            screen.type(part)
            linger(0.1)
        screen.wait("/ ada@", "Accounts 1 of 3", gone=["[I", "[O"])
    finally:
        screen.close()


def test_a_terminal_of_another_kind_is_not_asked(people):
    screen = Emulator({**people.environment, "TERM": "vt220"})
    try:
        screen.wait("Accounts 3")
        assert FOCUS not in screen.screen.mode and b"1004" not in screen.written
    finally:
        screen.close()


def test_a_hidden_pane_of_tmux_counts_nothing(counting, pane):
    shell = pane(counting)
    # With a size set by hand, tmux 3.3a ends at a second window.
    shell.tmux("set", "-g", "window-size", "latest", ";", "set", "-g", "focus-events", "on")
    viewer = Emulator(
        {**shell.environment, "TERM": "xterm-256color"}, program=["tmux", "-u", "-S", shell.socket, "attach"]
    )
    try:
        viewer.wait(shell.PROMPT)
        viewer.type(GAINED)
        shell.foyer(shows="Accounts 3")
        place = shell.ask("pane_id")

        def look():
            # What the viewer is sent must be read.
            viewer.read()
            return shell.tmux("capture-pane", "-p", "-t", place)

        wait_until_moving(look)
        shell.tmux("new-window", "sleep 1000")
        wait_until_still(look)
        before = look()
        shell.tmux("last-window")
        until(lambda: look() != before, what="the seconds that have passed")
        # Nothing reaches the shell while it has the terminal.
        shell.keys("C-z").wait("Stopped", gone=["Accounts 3"])
        shell.tmux("new-window", "sleep 1000")
        shell.tmux("last-window")
        viewer.type(LOST + GAINED)
        linger(0.5)
        assert "[I" not in look() and "[O" not in look()
        shell.run("fg").wait("Accounts 3", gone=["Stopped"])
        shell.tmux("new-window", "sleep 1000")
        wait_until_still(look)
    finally:
        viewer.close()
