"""The interface on a store that real sign-ins have filled, key by key."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from harness import ADA, HEDY, TARO, UNSAFE, Store, until
from waiting import PATIENCE

SIZES = [(80, 24), (200, 60)]


def no_secret_on(pane, person):
    text = pane.text.replace("\n", "")
    for secret in Store(person.store).secrets():
        assert secret[-30:] not in text and secret[:30] not in text


def fits(pane, columns, rows):
    lines = pane.lines
    assert len(lines) <= rows and all(len(line) <= columns for line in lines)
    assert lines[0].lstrip().startswith("foyer"), "the title is on the first line, so nothing has scrolled"


@pytest.mark.parametrize("columns, rows", SIZES)
def test_the_picker_shows_everybody(people, pane, columns, rows):
    screen = pane(people, columns, rows).foyer()
    text = screen.wait("Accounts 3", ADA, "grace@", HEDY, " min", "plain file")
    assert "Enter token" in text.splitlines()[-1] and "? help" in text.splitlines()[-1]
    fits(screen, columns, rows)
    if columns == 200:
        screen.wait("Ada Lovelace", "token_cache.json")
    no_secret_on(screen, people)


def test_a_filter_narrows_the_list_letter_by_letter_and_t_goes_through_the_clients(people, pane):
    screen = pane(people).foyer()
    screen.type("/gra")
    screen.wait("Accounts 1 of 3", "grace@", gone=[HEDY])
    screen.keys("Enter").wait("Accounts 1 of 3", gone=["keep"])
    screen.keys("Escape").wait("Accounts 3", HEDY, gone=["1 of 3"])
    screen.type("/zzz").wait("no account matches")
    screen.keys("Escape").wait("Accounts 3", ADA, HEDY)
    screen.keys("t").wait("Accounts 2 of 3", " cli", gone=[HEDY])
    screen.keys("t").wait("Accounts 1 of 3")
    screen.keys("Escape").wait("Accounts 3", HEDY)


def test_the_selection_moves_and_enter_gets_a_token_silently(people, pane, sandbox):
    requests = sandbox.state()["requests"]
    screen = pane(people).foyer()
    screen.keys("Enter").wait("A token from", "token ready", ADA, "User.Read")
    assert sandbox.state()["requests"] == requests
    screen.keys("Escape").wait("Accounts 3", gone=["A token from"])
    screen.keys("j", "Enter").wait("A token from", "token ready", "grace@")
    no_secret_on(screen, people)


def test_a_token_that_has_ended_is_refreshed_before_ones_eyes(people, pane, sandbox):
    Store(people.store).age()
    screen = pane(people).foyer()
    screen.wait("renews on use", gone=["token, expires"])
    screen.keys("Enter").wait("token ready", "refresh")
    screen.keys("Escape").wait("token, expires")
    assert sandbox.requests("token:refresh_token") == 1


def test_a_refusal_leads_to_the_sign_in(people, pane, sandbox):
    Store(people.store).age()
    said = {"error": "invalid_grant", "codes": [50076], "description": "Use multi-factor authentication."}
    sandbox.fault("error", endpoint="token:refresh_token", **said)
    screen = pane(people, 100, 30).foyer()
    screen.keys("Enter").wait("second factor", "AADSTS50076", "Enter sign in again")
    screen.answer("m", "Sign in", "login hint", ADA)
    screen.keys("Escape").wait("Accounts 3")
    screen.keys("Enter").wait("Enter sign in again")
    screen.answer("Enter", "waiting for you", ADA)


@pytest.mark.parametrize("columns, rows", SIZES)
def test_a_sign_in_by_device_code_brings_the_new_account(people, pane, sandbox, columns, rows):
    """It is said which program is signed in to, and where."""
    screen = pane(people, columns, rows).foyer()
    screen.keys("a").wait("client", "authority", "scopes", "method", "work")
    screen.keys("Enter")
    code = until(sandbox.waiting_codes, what="a device code")[0]
    text = screen.wait("Never enter a code that someone sent you", "expires in", "deviceauth")
    assert code in text or " ".join(code) in text
    sandbox.approve(code, TARO)
    screen.wait("signed in as " + TARO, gone=[code])
    screen.keys("Enter").wait("Accounts 4", "taro@")
    if columns == 200:
        screen.wait("山田 太郎")
    no_secret_on(screen, people)


def test_escape_and_a_key_that_arrive_together_are_both_heard(people, pane):
    """As over a slow line, or while the machine is busy with a picture: a terminal sends the same for Alt with the
    key."""
    screen = pane(people).foyer()
    screen.keys("?").wait("Keys: Accounts")
    screen.keys("Escape", "q").back(0)


def waiting(screen, sandbox):
    """A sign-in by device code is under way; returns the code."""
    screen.keys("a").wait("authority")
    screen.keys("Enter")
    return until(sandbox.waiting_codes, what="a device code")[0]


def test_esc_gives_up_a_sign_in(people, pane, sandbox):
    screen = pane(people).foyer()
    waiting(screen, sandbox)
    screen.wait("expires in")
    screen.keys("Escape").wait("authority", gone=["expires in"])
    screen.keys("Escape").wait("Accounts 3")
    polls = sandbox.requests("token:device_code")
    screen.keys("?").wait("Keys: Accounts")
    assert sandbox.requests("token:device_code") <= polls + 1


def test_a_declined_sign_in_says_so(people, pane, sandbox):
    screen = pane(people).foyer()
    sandbox.control("approve", {"user_code": waiting(screen, sandbox), "deny": True})
    screen.wait("declined", "Enter try again")


def test_the_form_says_what_is_wrong_where_it_is(people, pane):
    screen = pane(people).foyer()
    screen.keys("a").wait("authority")
    screen.keys("BTab", "C-u").type("http://login.example/organizations").keys("Enter")
    screen.wait("authority: http is allowed on loopback only")


def test_the_browser_way_waits_on_a_port_and_sends_strangers_away(people, pane, sandbox):
    screen = pane(people, 200, 60).foyer()
    screen.keys("a").wait("authority")
    screen.keys("Tab", "Tab", "Right").wait("browser on this machine")
    address = sandbox.base + "/organizations/oauth2/v2.0/authorize"
    text = screen.keys("Enter").wait("waiting for the redirect on localhost:", address)
    port = re.search(r"waiting for the redirect on localhost:(\d+)", text)[1]
    stray = ["curl", "-s", f"http://127.0.0.1:{port}/?code=x&state=y"]
    subprocess.run(stray, check=True, capture_output=True, timeout=PATIENCE)
    screen.wait("not the response to this sign-in: 1 request")
    screen.keys("p").wait("paste:")
    screen.keys("Escape", "Escape").wait("login hint", gone=["waiting for the redirect"])


@pytest.mark.parametrize("columns, rows", SIZES)
def test_removal_asks_first_and_cancel_is_the_answer_that_is_marked(people, pane, columns, rows):
    screen = pane(people, columns, rows).foyer()
    screen.keys("x").wait("Remove the account?", ADA, "[ Cancel ]", "[ Remove ]")
    screen.answer("Enter", "Accounts 3", gone=["Remove the account?"])
    assert ADA in people.foyer("accounts").stdout
    screen.keys("j", "j", "j", "x").wait("Remove the account?", HEDY, "no server is contacted")
    screen.answer("y", "removed here")
    screen.keys("Escape").wait("Accounts 2", gone=[HEDY])
    assert HEDY not in people.foyer("accounts").stdout


def test_what_was_typed_ahead_does_not_answer_the_question(people, pane):
    screen = pane(people).foyer()
    screen.tmux("send-keys", "-l", "xy")
    screen.wait("Remove the account?")
    assert len(people.accounts()) == 3


def test_an_answer_a_moment_after_the_question_does_not_count(people, pane):
    """Keys that are still on their way are no answer: nobody has seen the question yet."""
    screen = pane(people).foyer()

    def is_dropped(milliseconds):
        """Whether the account stays; on a busy machine the moment may be over before the key is there."""
        pause = f"0.00{milliseconds}"
        screen.tmux("send-keys", "-l", "x", ";", "run-shell", "-d", pause, ";", "send-keys", "-l", "y")
        until(lambda: screen.shows("Remove the account?") or screen.shows("removed here"))
        screen.keys("Escape").wait("Accounts", "quit", gone=["Remove the account?", "removed here"])
        if len(people.accounts()) == 3:
            return True
        people.sign_in(ADA)
        people.sign_in(ADA, "--client", "cli")
        screen.wait("Accounts 3")
        return False

    for milliseconds in (3, 4, 5):
        until(lambda: is_dropped(milliseconds))


def test_a_token_that_was_copied_goes_with_the_program(people, pane):
    screen = pane(people, 100, 30)
    screen.tmux("set", "-s", "set-clipboard", "on")
    screen.foyer()
    screen.keys("i").wait("Tokens of " + ADA)
    screen.keys("Y").wait("cleared in 60 s")
    until(lambda: screen.tmux("list-buffers"))
    token = screen.tmux("show-buffer")
    assert token.strip() in Store(people.store).secrets()
    screen.keys("C-c").back()
    until(lambda: not screen.tmux("show-buffer").strip())


def test_sign_out_tells_its_three_parts(people, pane, sandbox):
    screen = pane(people, 100, 30).foyer()
    screen.keys("G", "o").wait("Sign out?", HEDY)
    screen.answer("y", "removed here", "browser session")
    screen.keys("Escape").wait("Accounts 2")


@pytest.mark.parametrize("columns, rows", SIZES)
def test_the_inspector_shows_tokens_and_claims_but_no_secret(people, pane, columns, rows):
    screen = pane(people, columns, rows).foyer()
    screen.keys("i").wait("Tokens of " + ADA, "access", "refresh", "ID", "Microsoft Graph")
    screen.keys("Enter").wait("signature not checked")
    fits(screen, columns, rows)
    no_secret_on(screen, people)
    screen.keys("G").wait("bytes, hidden")
    no_secret_on(screen, people)
    screen.keys("Escape", "Escape").wait("Accounts 3")


@pytest.mark.parametrize("columns, rows", SIZES)
def test_scopes(people, pane, columns, rows):
    screen = pane(people, columns, rows).foyer()
    screen.keys("s").wait("Consent of " + ADA, "User.Read", "reads your own profile", "work", "cli")
    fits(screen, columns, rows)
    screen.keys("q").wait("Accounts 3")


def test_help_is_made_for_the_place_from_which_it_was_asked(people, pane):
    screen = pane(people, 110, 60).foyer()
    screen.keys("?").wait("Keys: Accounts", "filter by words", "^L")
    screen.type("redraw").wait("redraw the screen", gone=["filter by words"])
    screen.keys("Escape").wait("filter by words")
    screen.keys("Escape").wait("Accounts 3", gone=["Keys:"])
    screen.keys("i").wait("Tokens of")
    screen.keys("F1").wait("Keys: Tokens")
    screen.keys("Escape").wait("Tokens of", gone=["Keys:"])


def test_r_reads_what_another_program_wrote(people, pane):
    screen = pane(people).foyer()
    people.sign_in(TARO)
    screen.keys("r").wait("Accounts 4", "taro@")
    people.foyer("remove", TARO)
    screen.keys("r").wait("Accounts 3", gone=["taro@"])


def test_an_empty_store_says_what_to_do(person, sandbox, pane):
    person.work_settings(sandbox)
    screen = pane(person).foyer()
    screen.wait("No accounts yet", "Work or school account", "Another provider", "Demo")


def test_a_store_that_cannot_be_used_says_why_and_stays(people, pane):
    people.store.write_bytes(b"[]")
    screen = pane(people).foyer()
    screen.wait("the store cannot be used", "r: retry")
    assert people.store.read_bytes() == b"[]"
    screen.keys("q").back(0)


@pytest.mark.parametrize("columns, rows", SIZES)
def test_names_that_somebody_else_chose_move_nothing(person, pane, tmp_path, columns, rows):
    store = tmp_path / "hostile.json"
    shutil.copy(Path(__file__).parents[1] / "Interop" / "fixtures" / "hostile_text.json", store)
    store.chmod(0o600)
    screen = pane(person, columns, rows, FOYER_STORE=str(store)).foyer(shows="Accounts 1")
    title = screen.ask("pane_title")
    for place in [("i", "Tokens of"), ("s", "Consent of"), ("x", "Remove the account?")]:
        for key, text in (place, ("Escape", "Accounts 1")):
            screen.keys(key).wait(text)
            assert not UNSAFE.search(screen.text.replace("\n", "")), screen.text
            fits(screen, columns, rows)
    assert screen.ask("pane_title") == title and "pwned" not in title


def test_themes_are_tried_before_ones_eyes_and_one_is_kept(people, pane):
    settings = people.home / "config" / "foyer" / "config.toml"
    before = settings.read_text()
    settings.write_text(f'# mine\ntheme = "default"  # the quiet one\n{before}')
    settings.chmod(0o640)
    screen = pane(people, 120, 30).foyer()

    def colours():
        return screen.tmux("capture-pane", "-p", "-e")

    shown = colours()
    screen.keys("T").wait("Themes", "nord", "colour-blind")
    screen.keys("j", "j")
    until(lambda: (colours() != shown and "48;2;" in colours()) or "48;5;" in colours(), what="another ground")
    screen.keys("Escape").wait("Accounts 3", gone=["Themes"])
    until(lambda: colours() == shown, what="the old colours")
    assert 'theme = "default"' in settings.read_text()
    screen.keys("T", "j", "Enter").wait("theme saved in")
    assert settings.read_text() == f'# mine\ntheme = "high-contrast"  # the quiet one\n{before}'
    assert settings.stat().st_mode & 0o777 == 0o640 and list(settings.parent.iterdir()) == [settings]


def test_a_signature_is_checked_with_the_issuers_keys(people, pane, sandbox):
    screen = pane(people, 160, 50).foyer()
    screen.keys("i").wait("Tokens of", "refresh", "ID")
    screen.keys("j", "j")
    screen.wait("preferred_username", "signature not checked")
    screen.keys("v").wait("signature valid")
    no_secret_on(screen, people)
