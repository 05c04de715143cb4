"""Signing in on the screens: questions instead of a browser, another method while one waits, and what the activity
tells of it."""

from harness import until
from waiting import attempt


def demo(pane, person):
    return pane(person, 100, 30).foyer("demo", shows="Accounts 11", prefix="TERM=xterm-256color")


def test_questions_are_answered_on_the_screen_and_the_password_is_never_drawn(person, pane):
    screen = demo(pane, person)
    screen.type("a").wait("authority")
    screen.type("\x1b[D").wait("← shop →")
    screen.type("\t\t\x1b[D").wait("← native →")
    screen.keys("Enter").wait("email address", "answer:")
    screen.type("chien@shop.example").wait("answer: chien@shop.example")
    screen.answer("Enter", "password of chien@shop.example", "password:")
    screen.type("not the password").wait("password: ••••")
    screen.answer("Enter", "▲", "password: type it")

    def typed():
        # What comes within a moment of the question counts as typed ahead.
        screen.keys("C-u").type("sandbox")
        return attempt(lambda: screen.shows("password: •••••••", gone=["sandbox"]), 2)

    until(typed, what="the password as dots")
    screen.answer("Enter", "✔ signed in as chien@shop.example", "Enter: show the account")
    screen.keys("Enter").wait("Accounts 11")
    screen.type("A").wait("foyer", "chien@shop.example", "from sign-in")
    screen.keys("Enter").wait("native sign-in", "signed in as", "correlation", "took")


def test_another_method_is_taken_while_one_waits_and_the_old_one_is_given_up(person, pane):
    screen = demo(pane, person)
    screen.type("a").wait("authority")
    screen.keys("Enter").wait("waiting for you", "m other method")
    screen.type("m").wait("waiting for the redirect on localhost:", gone=["waiting for you"])
    screen.type("q").wait("browser on this machine")
    screen.type("\x1b").wait("Accounts 11", "quit")
    screen.type("A").wait("who asked", "Enter details")

    def given_up():
        return [line for line in screen.lines if "cancelled" in line and "no account" in line]

    until(lambda: len(given_up()) == 2, what=f"two sign-ins in\n{screen.text}")
    screen.keys("Enter").wait("cancelled", "method", "browser")


def test_a_doctor_a_command_line_and_a_search_on_one_screen(person, pane):
    screen = demo(pane, person)
    screen.type(":doct").keys("Enter").wait("no problems")
    screen.type("/clock").wait("n next")
    screen.keys("Enter")
    screen.type("q").wait("no problems", gone=["n next"])
    screen.type("q").wait("Accounts 11", gone=["no problems"])
    screen.type(":").keys("Up").wait(":doctor")
    screen.type("\x1b").wait("quit", gone=["Commands"])
