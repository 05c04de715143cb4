"""An answer counts only for a question that was on the screen: keys typed ahead and pastes at every page that asks."""

import threading

import pytest
from agents import Agent, questioned
from emulator import Emulator
from harness import ADA, GRACE, Store, add_settings, until
from routes import HELP, ROUTES
from waiting import linger

# Seconds between the key that opens a question and the one that would answer it.
GAPS = [0, 0.005, 0.05, 0.15, 0.24, 0.4]

# Each place of the key tables is here or below; those of the demo with the keys that lead there, the last of which
# opens the question, the keys that would answer it, and what is shown only once it is answered.
ASKING = {
    "Confirmation": (["x"], "y", "removed here"),
    "Review the request": (["s", " ", "a"], "y", "Sign in to"),
    "Text input": (["p"], "e30.e30.\r", "pasted here"),
}
# Shown by tests of their own, because they need a provider, an agent or a program that was refused.
ELSEWHERE = {
    "A token": "test_a_failure_is_read_before_it_is_acted_on",
    "Activity: one entry": "test_a_rule_is_not_written_by_keys_typed_ahead",
    "Failures: details": "test_a_rule_is_not_written_by_keys_typed_ahead",
    "Programs: one program": "test_a_rule_is_not_written_by_keys_typed_ahead",
    "Agent: one entry": "test_a_permission_is_not_given_by_keys_typed_ahead",
    "Sign in: provider's question": "ScreenQuestionTests",
    "Sign in: waiting": "ScreenQuestionTests",
    "Sign in: paste the response": "ScreenQuestionTests",
    "Removed or signed out": "it tells a result, and Enter closes it",
}
# Lists, forms that the user fills in, and texts: nothing there permits, writes or sends what was not on the screen.
ASKING_NOTHING = {
    "Accounts", "One account", "Filter", "Sign in: the form", "Sign in: clients", "Tokens", "One token", "Consent",
    "Copy", "Help", "Help: find a key", "Themes", "Doctor", "Doctor: one finding", "Activity", "Failures", "Settings",
    "One setting", "Stores", "One store", "Agent", "Programs", "Commands", "Search",
}  # fmt: skip


def test_of_every_place_it_is_known_whether_it_asks():
    known = [set(ASKING), set(ELSEWHERE), ASKING_NOTHING]
    assert set().union(*known) == set(ROUTES), "a place of which this is not known: show it here"
    assert sum(map(len, known)) == len(ROUTES), "a place is named twice"


def heard(screen):
    """All keys so far were handled: the help, which is heard at any time, is drawn and closed."""
    screen.type(HELP)
    screen.wait("Keys: ")
    screen.type("\x1b")
    return screen.wait(gone=["Keys: "])


def typed(screen, first, then, gap):
    if gap == 0:
        screen.type(first + then)
    else:
        screen.type(first)
        linger(gap)
        screen.type(then)


def answered(screen, key, *shows, gone=None):
    """Presses a key until its answer counts."""

    def press():
        screen.type(key)
        linger(0.7)
        seen = screen.read()
        return all(text in seen for text in shows) and (gone is None or gone not in seen)

    until(press, f"{shows} without {gone} after {key!r}")


def home(screen):
    def is_there():
        seen = screen.read()
        if " quit" in seen.rstrip().split("\n")[-1] and "Esc all" not in seen:
            return True
        screen.type("\x1b")
        linger(0.1)
        return False

    until(is_there, "the way back")


@pytest.fixture
def demo(person):
    screen = Emulator(person.environment, "demo", columns=110, rows=40)
    screen.wait("Accounts 11")
    yield screen
    screen.close()


def opened(screen, keys):
    home(screen)
    screen.type("gj")
    for key in keys[:-1]:
        screen.type(key)
        linger(0.2)
    return keys[-1]


@pytest.mark.parametrize("place", ASKING)
def test_keys_typed_ahead_do_not_answer(demo, place):
    keys, answer, done = ASKING[place]
    for gap in GAPS:
        typed(demo, opened(demo, keys), answer, gap)
        assert done not in heard(demo), f"{gap} s after the question"


@pytest.mark.parametrize("place", ["Confirmation", "Review the request"])
@pytest.mark.parametrize("size, count", [(40_000, 1), (40_000, 3), (3_000_000, 1)])
def test_a_paste_does_not_answer(demo, place, size, count):
    keys, answer, done = ASKING[place]
    demo.type(opened(demo, keys))
    linger(0.7)
    send(demo, pasted((answer + "\r") * (size // 2)) * count)
    assert done not in heard(demo)
    answered(demo, answer, done)


@pytest.fixture
def refused(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    person.sign_in(GRACE)
    settings = add_settings(person, "\n")
    agent = Agent(person)
    assert person.foyer("helper", "kubectl").status != 0
    yield person, settings
    agent.stop()


def test_a_rule_is_not_written_by_keys_typed_ahead(refused):
    person, settings = refused
    before = settings.read_bytes()
    screen = Emulator(person.environment, columns=110, rows=30)
    screen.wait("Accounts 2")
    for page in "FAP":
        for gap in GAPS:
            home(screen)
            screen.type(page)
            screen.wait("kubectl", "answer…")
            typed(screen, "\r", "\r", gap)
            assert "rule saved" not in heard(screen), f"{gap} s after the question on {page}"
            assert settings.read_bytes() == before
        answered(screen, "\r", "rule saved in")
        screen.type("u")
        screen.wait("undone: rule for kubectl")
        assert settings.read_bytes() == before
    screen.close()


def test_a_permission_is_not_given_by_keys_typed_ahead(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    add_settings(person, '\n[agent]\nconfirm = ["work"]\n')
    with Agent(person):
        assert person.foyer("agent", "start").status == 0
        asking, _ = questioned(person, "token", "--silent", "--json", prepare=Store(person.store).age)
        screen = Emulator(person.environment, columns=110, rows=30)
        screen.wait("Accounts 1")
        for gap in GAPS:
            home(screen)
            screen.type("@")
            screen.wait("foyer agent", "1 pending")
            screen.type("gj")
            linger(0.2)
            typed(screen, "\r", "\x1b[A\r", gap)
            assert "1 pending" in heard(screen), f"{gap} s after the question"
        answered(screen, "\r", gone="1 pending")
        assert asking.end().status == 130
        screen.close()


def test_a_failure_is_read_before_it_is_acted_on(people, sandbox):
    screen = Emulator(people.environment, columns=110, rows=30)
    screen.wait("Accounts 3")
    sandbox.fault("error", endpoint="token:refresh_token", error="invalid_grant", times=100)
    Store(people.store).age()
    screen.type("\x0c")
    for gap in GAPS:
        home(screen)
        screen.type("g")
        linger(0.2)
        typed(screen, "\r", "\r\r", gap)
        linger(0.5)
        assert "Sign in to" not in heard(screen)
    screen.close()


# Pastes


def pasted(text):
    return f"\x1b[200~{text}\x1b[201~"


def send(screen, text):
    """Writes much while what is written back is read, which neither side waits for otherwise."""
    writing = threading.Thread(target=lambda: screen.process.send(text))
    writing.start()
    while writing.is_alive():
        screen.read()
    screen.read()


# Would group, remove, sign in, paste and end the program.
DEEDS = "gxyap\rsqQ:quit\r"


@pytest.fixture
def accounts(people):
    screen = Emulator(people.environment, columns=110, rows=30)
    screen.wait("Accounts 3", ADA)
    yield screen
    screen.close()


@pytest.mark.parametrize("size, count", [(40_000, 1), (20_000, 2), (40_000, 2), (40_000, 7), (65_000, 2)])
def test_pastes_in_a_row_are_never_typed(accounts, size, count):
    before = accounts.read()
    send(accounts, pasted(DEEDS * (size // len(DEEDS))) * count)
    assert heard(accounts) == before


@pytest.mark.parametrize("size, count", [(70_000, 1), (1_000_000, 2), (3_000_000, 1)])
def test_a_paste_that_is_too_long_is_said_at_once(accounts, size, count):
    whole = pasted(DEEDS * (size // len(DEEDS))) * count
    send(accounts, whole[:69_000])
    accounts.wait("paste is too long")
    send(accounts, whole[69_000:])
    assert "Accounts 3" in heard(accounts)
    accounts.type("/gra")
    accounts.wait("gra", GRACE, gone=[ADA])


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[200~{0}\x1b[200~{0}\x1b[201~{0}\x1b[201~",
        "\x1b[200~{0}\x1b[201~{0}\x1b[201~{0}\x1b[200~{0}\x1b[201~",
        "\x1b[200~{0}\x9b201~\x1b\x1b[A\x1bO\x1b]0;x\x07{0}\x03\x04\x1b[201~",
    ],
    ids=["a paste within", "an end within", "escapes and C1 within"],
)
def test_marks_within_a_paste_type_nothing(accounts, text):
    before = accounts.read()
    send(accounts, text.format(DEEDS * 500))
    assert heard(accounts) == before


def test_marks_in_parts_are_marks(accounts):
    before = accounts.read()
    for _ in range(2):
        whole = pasted(DEEDS)
        accounts.type(whole[:6])
        for part in whole[6:]:
            accounts.type(part)
        # What comes in one read with the end of a paste was not typed.
        accounts.read()
    assert heard(accounts) == before


def test_a_paste_without_an_end_gives_way_to_a_key(accounts):
    before = accounts.read()
    send(accounts, "\x1b[200~" + DEEDS * 2000)
    linger(1.2)
    accounts.type(HELP)
    accounts.wait("Keys: Accounts")
    accounts.type("\x1b")
    accounts.wait(gone=["Keys: "])
    assert "Accounts 3" in before
    send(accounts, "\x1b[200~" + DEEDS * 2000)
    linger(0.1)
    accounts.type("\x03")
    assert accounts.end() == 0
