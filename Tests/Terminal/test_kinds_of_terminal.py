"""Terminals from then and now, colour or none, and places without UTF-8: the same screens, and nothing astray."""

import random
import re

import pexpect
import pytest
from emulator import Emulator
from harness import ADA, FOYER, LEFT, until
from waiting import attempt, spawn

TERMINALS = ["linux", "vt100", "vt220", "screen", "screen-256color", "tmux-256color", "xterm", "xterm-256color", "rxvt"]
LOOKS = {
    "plain": {},
    "no-colour": {"NO_COLOR": "1"},
    "truecolour": {"COLORTERM": "truecolor"},
    "ascii": {"LC_ALL": "C", "LANG": "C"},
}
# 39 and 49 are the terminal's own colours, and so none.
# Ctrl-L has the screen painted anew: from nothing.
CLEARED = re.compile(rb"\x1b\[H\x1b\[2J")
COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;[25];[0-9;]+)(?:;[0-9;]*)?m")
# Everything that a terminal's description may have foyer send: CSI, two-character escapes, charsets, keypad, and the
# padding of old ones.
SEQUENCE = re.compile(
    rb"\x1b\[[?>=!]?[0-9;:]*[ $]?[A-Za-z@`]|\x1b[()][A-Za-z0-9]|\x1b[=>78DMEHcNO]"
    rb"|\x1b\][0-9]*[^\x07\x1b]*(?:\x07|\x1b\\)|\x1b#\d"
)


@pytest.fixture
def emulator():
    opened = []

    def open_emulator(person, *arguments, columns=80, rows=24, **environment):
        opened.append(Emulator({**person.environment, **environment}, *arguments, columns=columns, rows=rows))
        return opened[-1]

    yield open_emulator
    for each in opened:
        each.close()


def leave(screen):
    screen.type("q")
    assert screen.end() == 0


def walk(screen):
    """Through every screen that needs nobody else; returns what was seen."""
    seen = [screen.wait("Accounts 3", ADA, "grace@", "help")]
    for key, texts, gone in [
        ("i", ["Tokens of", "access"], ["Accounts 3"]),
        ("\r", ["bytes, hidden"], []),
        ("q", ["refresh"], []),
        ("q", ["Accounts 3"], []),
        ("s", ["Consent of"], []),
        ("q", ["Accounts 3"], ["Consent of"]),
        ("?", ["Keys: Accounts"], []),
        ("\x1b", ["Accounts 3"], ["Keys:"]),
        ("a", ["authority", "login hint"], []),
        ("\x1b", ["Accounts 3"], ["login hint"]),
        ("x", ["Remove the account?"], []),
        ("\x1b", ["Accounts 3"], ["Remove the"]),
        ("\r", ["token ready"], []),
        ("q", ["Accounts 3"], ["token ready"]),
        ("/gra", ["1 of 3"], []),
        ("\x1b", ["Accounts 3"], ["1 of 3"]),
    ]:
        seen.append(screen.type(key).wait(*texts, gone=gone))
    assert screen.screen.trespasses == []
    leave(screen)
    return seen


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("terminal", TERMINALS)
def test_every_screen_stays_inside_and_nothing_is_astray(people, emulator, terminal, look):
    screen = emulator(people, TERM=terminal, **LOOKS[look])
    seen = walk(screen)
    for picture in seen:
        assert "\x1b" not in picture and not re.search(r"\[\?\d+|\[\d+;\d+[A-Za-z]|\^\[", picture), picture
    rest = SEQUENCE.sub(b"", screen.written)
    assert b"\x1b" not in rest, rest[max(0, rest.index(b"\x1b") - 40) :][:80]
    assert not re.search(rb"[\x01-\x06\x10-\x1a\x1c-\x1f\x7f]", rest.replace(b"\x0e", b"").replace(b"\x0f", b""))
    if look == "no-colour" or terminal in ("vt100", "vt220"):
        assert not COLOUR.search(screen.written), COLOUR.search(screen.written)
    if look == "ascii":
        assert max(screen.written) < 0x80, "bytes beyond ASCII where the locale has none"


@pytest.mark.parametrize(
    "columns, rows", [(40, 10), (41, 11), (56, 14), (79, 23), (110, 24), (132, 43), (200, 60), (300, 100)]
)
def test_every_size_stays_inside(people, emulator, columns, rows):
    screen = emulator(people, columns=columns, rows=rows)
    screen.wait("foyer", "help")
    for key in "is?":
        screen.type(key)
        screen.read()
        # In the help every letter is looked for.
        screen.type("\x1b")
        screen.read()
    assert screen.screen.trespasses == []
    leave(screen)


def test_times_are_those_of_the_person(people, emulator):
    screen = emulator(people, TZ="<+0545>-05:45")
    screen.wait("Accounts 3")
    screen.type("\r")
    screen.wait("+05:45")
    screen.type("q")
    screen.wait("Accounts 3")
    leave(screen)
    assert b" UTC" not in screen.written


@pytest.mark.parametrize("arguments", [["--no-color"], []], ids=["--no-color", "none"])
def test_colour_is_there_unless_an_option_forbids_it(people, emulator, arguments):
    screen = emulator(people, *arguments)
    screen.wait("Accounts 3")
    leave(screen)
    assert bool(COLOUR.search(screen.written)) == (not arguments)


def test_without_colour_the_selection_can_still_be_seen(people, emulator):
    screen = emulator(people, TERM="vt100", NO_COLOR="1")
    screen.wait("Accounts 3")
    row, _ = [number for number, line in enumerate(screen.screen.display) if ADA in line and re.search(LEFT, line)]
    line = screen.screen.display[row]
    assert line.lstrip()[0] in ">▌" or any(screen.screen.buffer[row][column].reverse for column in range(80))
    screen.type("q")
    screen.end()


@pytest.mark.parametrize(
    "size", [{"COLUMNS": "0", "LINES": "-1"}, {"COLUMNS": "1000000000", "LINES": "1000000000"}, {"COLUMNS": "x"}]
)
def test_sizes_in_the_environment_that_cannot_be_do_no_harm(people, emulator, size):
    screen = emulator(people, **size)
    screen.wait("foyer", "help")
    leave(screen)


@pytest.mark.parametrize("locale", ["tr_TR.UTF-8", "xx_YY.UTF-8", "POSIX", "C.UTF-8", "en_US.ISO-8859-1"])
def test_no_locale_does_harm(people, emulator, locale):
    screen = emulator(people, LC_ALL=locale)
    screen.wait("Accounts 3", ADA)
    leave(screen)


def test_a_flood_of_input_does_no_harm(people, emulator):
    screen = emulator(people)
    screen.wait("Accounts 3")
    screen.type("/")
    screen.type("\x1b[200~" + "A\x1b[31mB" * 20_000 + "\x1b[201~")
    # Keys that come together with the end of a paste are dropped on purpose: press them when it has been taken.
    screen.wait("the paste is too long")
    screen.type("\x15\x1b")
    screen.wait("Accounts 3", ADA)
    for answer in ("\x1b[?62;4c", "\x1b[12;40R", "\x1bP1$r0m\x1b\\", "\x1b]11;rgb:0000/0000/0000\x1b\\", "\xff\xfe"):
        screen.type(answer)
    screen.type("\x1b")
    screen.wait("Accounts 3", ADA)
    assert len(people.accounts()) == 3


def test_whatever_is_typed_ctrl_l_is_drawn_and_ctrl_c_ends_it(people, emulator):
    """Keys at random, reports of a mouse and beginnings of sequences among them."""
    screen = emulator(people, TERM="xterm-256color")
    screen.wait("Accounts 3")
    chosen = random.Random(1500)
    # Not what leaves, and not what starts another program.
    letters = [chr(code) for code in range(0x20, 0x7F) if chr(code) not in "qb"]
    sequences = ["", "[", "[<", "[M", "[<0;9;9M", "[<0;9;9m", "[<66;1;1M", "[200~", "]0;", "P", "[1;", "O"]
    sequences = ["\x1b" + rest for rest in sequences] + ["\r", "\t", "\x7f", "é", "\xc3", "\x1b[A", "\x1b[B", "%", "%"]
    for turn in range(50):
        keys = [chosen.choice(sequences if chosen.random() < 0.4 else letters) for _ in range(30)]
        screen.type("".join(keys).encode("latin-1"))
        screen.read()
        before = len(screen.written)
        # What was typed ahead of a question is thrown away, and Ctrl-L with it: it is pressed until it is heard.

        def is_drawn(before=before):
            screen.type("\x0c")
            return attempt(lambda: screen.read() and CLEARED.search(screen.written[before:]), 0.2)

        until(is_drawn, what=f"the picture of turn {turn} after\n{screen.read()}")

    # The same holds for Ctrl-C.
    def is_over():
        screen.type("\x03")
        return attempt(lambda: screen.read() and not screen.process.isalive(), 0.5)

    until(is_over, what="the end")
    assert screen.end() == 0


def test_a_type_that_is_not_known_here_is_taken_for_an_xterm_where_the_terminal_answers(people, pane, tmp_path):
    screen = pane(people)
    before = screen.stty(tmp_path, "before")

    def is_asked():
        """Whether the terminal has answered in time, which it does not always on a busy machine."""
        screen.run(f"clear; TERM=no-such-terminal {FOYER}")
        until(lambda: "using xterm-256color" in screen.text or "account: " in screen.text)
        if "using plain mode" not in screen.text:
            return True
        screen.run("q").back(0)
        return False

    until(is_asked)
    screen.wait("Accounts 3", "TERM=no-such-terminal unknown: using xterm-256color")
    screen.keys("Down").wait("Accounts 3", gone=["not known here"])
    screen.type("?").wait("Keys: Accounts")
    screen.keys("Escape").wait("Accounts 3", gone=["Keys: "])
    screen.keys("q").back(0)
    assert not re.search(r"[0-9;]+c", screen.text.split("ended=0")[0]), "an answer was left to the shell"
    assert screen.stty(tmp_path, "after") == before


@pytest.mark.parametrize("says", ["", "\x1b[?62;1", "hello\r", "\x1b]11;rgb:0000/0000/0000\x1b\\"])
def test_a_type_that_is_not_known_here_is_told_in_plain_mode_where_nothing_answers(people, says):
    environment = {**people.environment, "TERM": "no-such-terminal"}
    child = spawn(people, FOYER, env=environment)
    child.expect_exact("\x1b[c")
    child.send(says)
    child.expect_exact('foyer: the terminal type "no-such-terminal" is unknown on this system; using plain mode')
    child.expect("account: ")
    assert "not known here" not in child.before and "62;1" not in child.before
    child.sendline("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
