"""Keys that come faster than they can be drawn."""

import pytest
from emulator import Emulator
from harness import ADA

TEXT = "lorem ipsum dolor sit amet " * 120


@pytest.fixture
def screen(people):
    screen = Emulator(people.environment)
    screen.wait("Accounts 3", ADA)
    yield screen
    screen.close()


def search_of_a_token(screen):
    if "Accounts 3" in screen.read():
        screen.type("i")
        screen.wait("Tokens of")
        screen.type("\r")
        screen.wait("signature", gone=["Tokens of"])
    screen.type("/")


def filter_of_accounts(screen):
    screen.type("/")


def commands(screen):
    screen.type(":")


@pytest.mark.parametrize("place", [commands, search_of_a_token, filter_of_accounts], ids=lambda place: place.__name__)
def test_what_ends_a_text_is_heard_behind_it(screen, place):
    place(screen)
    screen.type("xyz")
    screen.wait("xyz")
    before = len(screen.written)
    screen.type(TEXT[:3000])
    screen.type("\x1b")
    screen.wait("help", gone=["xyz", "lorem"])
    # A picture for each letter would take many more bytes. How soon it is heard is measured by `Tests/benchmarks`.
    assert len(screen.written) - before < 10_000
    place(screen)
    screen.type(TEXT[:3000] + "\x03")
    screen.end()
