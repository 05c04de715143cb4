"""The mouse: the terminal's own until a person takes it, and given back whatever happens."""

import os
import re
import signal

import pytest
from harness import ADA, GRACE, LEFT, until

FOYER_IN_XTERM = "TERM=xterm-256color"


def opened(screen):
    return screen.foyer(prefix=FOYER_IN_XTERM, shows="Accounts 3")


def is_taken(screen):
    return screen.ask("mouse_any_flag") == "1"


def wait_for_mouse(screen, taken):
    until(lambda: is_taken(screen) == taken, what=f"mouse taken: {taken}")


def take_mouse(screen):
    screen.type("%")
    wait_for_mouse(screen, True)
    return screen


def press(screen, column, row, button=0, times=1):
    """As xterm reports it (SGR 1006); columns and rows are counted from one."""
    screen.type(f"\x1b[<{button};{column};{row}M\x1b[<{button};{column};{row}m" * times)


def row_of(screen, name):
    """The row of the list, which ends with a standing or a span of time, once it is drawn."""
    row = re.compile(re.escape(name) + f".*(renews on use|{LEFT})")

    def found():
        return next((number for number, line in enumerate(screen.lines, 1) if row.search(line)), None)

    return until(found, what=f"the row of {name}")


def marked(screen):
    return [line for line in screen.lines if "▌" in line]


def wait_marked(screen, who):
    until(lambda: any(who in line for line in marked(screen)), what=f"{who} marked in\n{screen.text}")


def test_the_mouse_is_the_terminals_until_it_is_taken(people, pane):
    screen = opened(pane(people))
    assert not is_taken(screen)
    screen.type("%").wait("mouse on: click")
    wait_for_mouse(screen, True)
    assert screen.ask("mouse_sgr_flag") == "1"
    screen.type("%").wait("mouse off: select")
    wait_for_mouse(screen, False)
    screen.keys("q").back(0)


def test_click_marks_double_click_opens_the_wheel_moves(people, pane):
    screen = take_mouse(opened(pane(people)))
    press(screen, 20, row_of(screen, GRACE))
    wait_marked(screen, GRACE)
    press(screen, 20, 3, button=64)
    wait_marked(screen, ADA)
    # Together, as a busy machine may take the time of a double click between two.
    press(screen, 20, row_of(screen, ADA), times=2)
    screen.wait("A token from")
    screen.type("q").wait("Accounts 3", gone=["A token from"])
    screen.keys("q").back(0)
    assert not is_taken(screen)


def test_a_press_and_a_release_that_come_apart_hold_up_nothing(people, pane):
    screen = take_mouse(opened(pane(people)))
    column, row = 20, row_of(screen, GRACE)
    screen.type(f"\x1b[<0;{column};{row}M")
    wait_marked(screen, GRACE)
    # A release alone, the other buttons, the wheel to the side, a movement, the beginning of a report, and one of the
    # old form.
    reports = [f"\x1b[<0;{column};{row}m", "\x1b[<2;1;1M", "\x1b[<2;1;1m", "\x1b[<66;9;9M", "\x1b[<35;9;9M"]
    for width, report in enumerate([*reports, "\x1b[<0;1", ";1m", "\x1b[M#!!"], 81):
        screen.type(report)
        # Not a key: whoever sits in a blocking read would wake up by one.
        screen.resize(width, 24)
        until(lambda: max(map(len, screen.lines)) == width, what=f"the picture after {report!r} in\n{screen.text}")
    screen.keys("q").back(0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_press_without_a_release_holds_up_no_time_no_picture_and_no_signal(person, pane, number):
    screen = take_mouse(pane(person).foyer("demo", prefix=FOYER_IN_XTERM, shows="Accounts 11"))
    screen.type("a").wait("authority")
    screen.keys("Enter").wait("expires in")
    screen.type("\x1b[<0;20;5M")
    left, span = set(), r"expires in [0-9:]+"
    until(lambda: left.update(re.findall(span, screen.text)) or len(left) > 2, what="the time to go by")
    screen.resize(90, 24)
    until(lambda: max(len(line) for line in screen.lines) in (89, 90), what="the picture of the new size")
    os.kill(screen.child(), number)
    screen.back()


def test_a_click_on_a_key_of_the_footer_presses_it(people, pane):
    screen = take_mouse(opened(pane(people)))

    def click(word):
        # The footer is drawn last.
        until(lambda: word in screen.lines[23], what=f"{word} in the footer of\n{screen.text}")
        press(screen, screen.lines[23].index(word) + 1, 24)

    click("help")
    screen.wait("Keys: Accounts")
    click("Esc")
    screen.wait("Accounts 3", gone=["Keys: "])
    click("quit")
    screen.back(0)


def test_a_report_that_nobody_asked_for_does_nothing(people, pane):
    screen = opened(pane(people))
    row = row_of(screen, GRACE)
    before = screen.text
    press(screen, 20, row)
    # What comes after it is read after it.
    screen.type("?").wait("Keys: Accounts")
    screen.keys("Escape").wait("Accounts 3", gone=["Keys: "])
    until(lambda: marked(screen) == [line for line in before.split("\n") if "▌" in line], what="the list as it was")


def test_the_mouse_is_given_back_on_ctrl_z_and_taken_again_on_fg(people, pane):
    screen = take_mouse(opened(pane(people)))
    screen.keys("C-z").wait("Stopped", gone=["Accounts 3"])
    assert not is_taken(screen)
    screen.run("fg").wait("Accounts 3", gone=["Stopped"])
    wait_for_mouse(screen, True)
    screen.keys("q").back()
    assert not is_taken(screen)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT])
def test_no_signal_and_no_crash_leaves_the_mouse_taken(people, pane, number):
    screen = pane(people)
    screen.run("ulimit -c 0; clear")
    take_mouse(opened(screen))
    os.kill(screen.child(), number)
    screen.back()
    wait_for_mouse(screen, False)


def test_a_setting_takes_it_from_the_start(people, pane):
    settings = people.home / "config" / "foyer" / "config.toml"
    settings.write_text("mouse = true   # when I want it\n" + settings.read_text())
    screen = opened(pane(people))
    wait_for_mouse(screen, True)
    screen.type(",").wait("settings file, line 1")
    screen.keys("Down", "Down", "Down").wait("mouse: on", "from the settings file, line 1")
    screen.keys("Enter").wait("mouse: off")
    wait_for_mouse(screen, False)
    # The rest of the line stays as it was written.
    assert settings.read_text().startswith("mouse = false   # when I want it\n")
