"""Signing in through a browser that comes back to a loopback address (RFC 8252), and by what a person pastes."""

import os
import pty
import signal
import socket
import subprocess
import termios
import time
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from harness import ADA, BY_BROWSER, CURL, GRACE, HEDY, LAB, TRY_OUT, Store, assert_no_secret, until
from waiting import PATIENCE

SIGN_IN = ("sign-in", "--json", "--via", "browser", "--browser")
TOLD = (*SIGN_IN, "none")


def asked_of(address):
    return parse_qs(urlsplit(address).query)


@pytest.fixture
def person(person, sandbox):
    person.work_settings(sandbox)
    return person


def follow(address, *options, **more):
    return subprocess.run(["curl", "-s", *options, address], capture_output=True, text=True, timeout=PATIENCE, **more)


def redirect_of(address):
    answer = follow(address, "-o", "/dev/null", "-w", "%{redirect_url}")
    assert "code=" in answer.stdout, answer
    return answer.stdout


def test_a_browser_command_signs_in(person, sandbox):
    """A code with PKCE, no password ever, and no more than was asked for."""
    result = person.foyer(*SIGN_IN, "curl -sL %s", "--login-hint", GRACE)
    assert result.status == 0, result
    assert result.json["account"]["username"] == GRACE
    names = [event["event"] for event in result.events if event["event"] not in ("step", "userAgent", "warning")]
    assert names == ["browser", "redirectReceived", "completed"]
    life = [event["state"] for event in result.events if event["event"] == "userAgent"]
    assert life == ["started", "loaded", "redirected", "completed"]
    browser = next(event for event in result.events if event["event"] == "browser")
    asked = asked_of(browser["authorizationUrl"])
    assert asked["code_challenge_method"] == ["S256"] and asked["response_type"] == ["code"]
    assert set(asked["scope"][0].split()) == {"User.Read", "openid", "profile", "offline_access"}
    assert sandbox.requests("token:password") == 0
    assert len(asked["state"][0]) >= 32 and len(asked["nonce"][0]) >= 32
    assert asked["redirect_uri"] == [browser["redirectUri"]] and browser["redirectUri"].startswith("http://localhost:")
    assert_no_secret(person.store, result)


def test_openid_connect_signs_in_the_same_way(person):
    assert person.sign_in(HEDY, "--client", "lab")["account"]["username"] == HEDY
    result = person.foyer("token", "--silent", "--json", "--client", "lab")
    assert result.status == 0 and result.json["source"] == "cache", result


def test_scopes_of_the_settings_are_sent_as_they_are(person, sandbox):
    """A client that is registered for some scopes only is refused any other, offline_access and profile too."""
    base = f'client = "strict"\n[clients.strict]\nclient_id = "{LAB}"\nauthority = "{sandbox.issuer}"\nkind = "oidc"\n'

    def asked(*arguments):
        running = person.start(*TOLD, *arguments)
        address = running.wait_event("browser")["authorizationUrl"]
        running.kill()
        return asked_of(address)["scope"][0]

    person.settings(base + 'scopes = ["notes.read"]\n')
    assert asked() == "notes.read openid"
    assert asked("--scope", "notes.write") == "notes.write openid"
    person.settings(base + 'scopes = ["openid", "notes.read", "offline_access"]\n')
    assert asked() == "openid notes.read offline_access"
    assert asked("--scope", "notes.write") == "notes.write openid offline_access"
    person.settings(base)
    assert asked() == "openid profile email offline_access"
    assert asked("--scope", "notes.write") == "notes.write openid profile offline_access"


def test_an_account_without_a_username_is_called_by_what_is_shown(person, sandbox):
    """A login hint proves nothing; what the list shows is what sign-out takes."""
    sandbox.fault("quirk", name="namelessIDToken")
    sandbox.fault("quirk", name="userinfoOfAnother")
    signed = person.foyer(*SIGN_IN, CURL, "--client", "lab", "--login-hint", HEDY)
    assert signed.status == 0 and signed.json["account"]["username"] == "", signed
    listed = person.foyer("accounts", "--client", "lab")
    assert HEDY in listed.stdout, listed
    left = person.foyer("remove", HEDY[:4], "--client", "lab")
    assert left.status == 0, left


def test_the_browser_command_is_no_shell(person, tmp_path):
    mark = tmp_path / "mark"
    result = person.foyer(*SIGN_IN, f"curl -sL %s ; touch {mark}", "--login-hint", ADA)
    assert result.status == 0 and not mark.exists(), result


def test_a_pasted_redirect_signs_in(person):
    running = person.start(*TOLD, "--paste", "--login-hint", ADA, stdin=subprocess.PIPE)
    redirect = redirect_of(running.wait_event("browser")["authorizationUrl"])
    running.send("http://localhost/?code=mine&state=of-another-sign-in\n")
    running.send(redirect + "\n")
    result = running.end()
    assert result.status == 0, result
    assert asked_of(redirect)["code"][0] not in result.stderr
    assert_no_secret(person.store, result)


def pasting(person):
    """A sign-in in words to which something can be pasted, and its address."""
    words = ("sign-in", "--via", "browser", "--browser", "none", "--paste", "--login-hint", ADA)
    running = person.start(*words, stdin=subprocess.PIPE)
    return running, running.wait_line(lambda line: line.startswith("http")).strip()


def test_a_pasted_code_signs_in(person):
    running, address = pasting(person)
    running.send(asked_of(redirect_of(address))["code"][0] + "\n")
    result = running.end()
    assert result.status == 0, result


def test_a_browser_that_is_only_told_of_waits_for_the_redirect_and_a_stray_answer_does_not_end_the_sign_in(person):
    """An answer with another state is sent away, and the real one still counts."""
    running = person.start(*TOLD, "--login-hint", ADA)
    event = running.wait_event("browser")
    for query in ("?code=x&state=y", "", "?error=access_denied"):
        stray = follow(event["redirectUri"] + "/" + query, "-o", "/dev/null", "-w", "%{http_code}")
        assert stray.stdout in ("400", "404"), query
    assert "You can close this page" in follow(event["authorizationUrl"], "-L").stdout
    assert running.end().status == 0


def test_an_error_in_the_redirect_is_told_with_its_description(person, sandbox):
    refusal = {"error": "access_denied", "description": "User declined to consent.", "codes": [65004]}
    sandbox.fault("error", endpoint="authorize", **refusal)
    result = person.foyer(*SIGN_IN, "curl -sL %s", "--login-hint", ADA)
    assert result.status == 130 and result.error["oauthError"] == "access_denied", result
    assert "consent was declined" in result.error["message"] and "declined" in result.error["description"]


def test_a_fixed_port_is_kept(person):
    running = person.start(*TOLD, "--redirect-uri", "http://127.0.0.1:18931", "--login-hint", ADA)
    event = running.wait_event("browser")
    assert event["redirectUri"].startswith("http://127.0.0.1:18931")
    follow(event["authorizationUrl"], "-L")
    assert running.end().status == 0


def test_ctrl_c_ends_the_wait(person):
    running = person.start(*TOLD)
    running.wait_event("browser")
    running.process.send_signal(signal.SIGINT)
    result = running.end()
    assert result.status == 130 and result.error["code"] == "cancelled", result


def program(folder, name, text):
    """A program of a few lines of shell."""
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def test_nothing_secret_is_in_the_arguments_of_any_process(person, sandbox, tmp_path):
    """Of a sign-in neither code nor state, of a sign-out no ID token: the browser is started with a one-time
    address."""
    # A browser that first writes down what everybody can see of every process.
    seen = tmp_path / "seen"
    spy = program(tmp_path, "spy", f"ps -eo args > {seen}.new\nmv {seen}.new {seen}\nexec " + CURL % '"$1"')
    running = person.start(*SIGN_IN, f"{spy} %s", "--login-hint", HEDY, "--client", "lab")
    asked = asked_of(running.wait_event("browser")["authorizationUrl"])
    until(seen.exists)
    assert running.end().status == 0
    shown = seen.read_text()
    secrets = Store(person.store).secrets()
    for secret in [*secrets, asked["state"][0], asked["nonce"][0], asked["code_challenge"][0]]:
        assert secret not in shown
    assert "code_verifier" not in shown and "refresh_token" not in shown and "/spy http://127.0.0.1:" in shown
    seen.unlink()
    left = person.foyer("sign-out", HEDY, "--json", "--browser", f"{spy} %s", "--client", "lab")
    assert left.status == 0 and left.json["sessionEnded"]["outcome"] == "opened", left
    for secret in secrets:
        assert secret not in seen.read_text() and secret not in left.stdout and secret not in left.stderr
    assert "id_token_hint" not in seen.read_text() and "id_token_hint" not in left.stdout
    assert sandbox.requests("logout") == 1


def test_what_the_browser_is_started_with_leads_on_once(person, tmp_path):
    note = tmp_path / "address"
    listing = program(tmp_path, "listing", f'echo "$1" > {note}.new\nmv {note}.new {note}\n')
    running = person.start(*SIGN_IN, f"{listing} %s", "--login-hint", ADA)
    asked = running.wait_event("browser")["authorizationUrl"]
    until(note.exists)
    once = note.read_text().strip()
    if os.geteuid() == 0:
        # The arguments are there for everybody to read; what they lead to is not.
        stranger = follow(once, "-o", "/dev/null", "-w", "%{http_code}", user=65534)
        assert stranger.stdout == "403", stranger
    assert follow(once, "-o", "/dev/null", "-w", "%{redirect_url}").stdout == asked
    again = follow(once, "-i")
    assert " 410 " in again.stdout.splitlines()[0] and "state" not in again.stdout
    follow(asked, "-L")
    assert running.end().status == 0


def test_a_browser_inherits_nothing(person, tmp_path):
    """Neither the listener nor a connection nor what the loop waits on."""
    seen = tmp_path / "descriptors"
    lister = program(tmp_path, "lister", f'ls /proc/self/fd > {seen}\nexec curl -sL -o /dev/null "$1"\n')
    person.sign_in(ADA, "--browser", f"{lister} %s")
    # The last is the folder that is being listed.
    assert seen.read_text().split() == ["0", "1", "2", "3"]


def test_a_browser_that_stays_keeps_neither_the_port_nor_a_connection(person, tmp_path):
    note = tmp_path / "process"
    stays = program(tmp_path, "stays", f"echo $$ > {note}.new\nmv {note}.new {note}\nexec tail -f /dev/null\n")
    place = ["--redirect-uri", "http://127.0.0.1:18932", "--login-hint", ADA]
    running = person.start(*SIGN_IN, f"{stays} %s", *place)
    running.wait_event("browser")
    until(note.exists)
    try:
        waiting = socket.create_connection(("127.0.0.1", 18932), timeout=PATIENCE)
        running.process.send_signal(signal.SIGINT)
        assert running.end().status == 130
        try:
            assert waiting.recv(1) == b"", "whoever waits for a page hears that none comes"
        except ConnectionResetError:
            pass
        waiting.close()
        assert os.path.exists(f"/proc/{note.read_text().strip()}"), "the browser is still there"
        person.sign_in(ADA, "--redirect-uri", "http://127.0.0.1:18932")
    finally:
        os.kill(int(note.read_text()), signal.SIGKILL)


def test_a_browser_of_ones_own_counts_without_a_display(person, tmp_path):
    """As remote editors and cloud workspaces have it: in a sign-in that chooses for itself, and in a sign-out."""
    seen = tmp_path / "environment"
    own = program(tmp_path, "browser.sh", f'env > {seen}\nexec curl -sL -o /dev/null "$1"\n')
    there = {
        "BROWSER": str(own),
        "SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22",
        "VSCODE_IPC_HOOK_CLI": "/run/hook.sock",
        "PRIVATE": "not for browsers",
    }
    result = person.foyer("sign-in", "--json", "--login-hint", HEDY, "--client", "lab", env=there)
    assert result.status == 0, result
    assert "VSCODE_IPC_HOOK_CLI=/run/hook.sock" in seen.read_text() and "PRIVATE" not in seen.read_text()
    left = person.foyer("sign-out", HEDY, "--json", "--client", "lab", env=there)
    assert left.status == 0 and left.json["sessionEnded"]["outcome"] == "opened", left


@pytest.mark.parametrize("name", ["firefox", "w3m"])
def test_a_browser_that_needs_a_display_or_the_terminal_does_not(person, tmp_path, name):
    own = program(tmp_path, name, "exit 0\n")
    running = person.start("sign-in", "--json", env={"BROWSER": str(own)})
    running.wait_event("deviceCode")
    running.process.send_signal(signal.SIGINT)
    assert running.end().status == 130


def test_a_sign_out_says_what_it_waits_for_and_on_ctrl_c_what_is_done(person, sandbox, tmp_path):
    person.sign_in(HEDY, "--client", "lab")
    idle = program(tmp_path, "idle", "exit 0\n")
    running = person.start("sign-out", HEDY, "--json", "--client", "lab", "--browser", f"{idle} %s")
    assert "browser" in running.wait_event("waiting")["detail"]
    running.process.send_signal(signal.SIGINT)
    result = running.end()
    assert result.status == 130 and result.error["code"] == "cancelled", result
    assert result.json["removed"]["outcome"] == "done" and result.json["sessionEnded"]["outcome"] == "failed", result
    assert "removed" in result.error["message"] and sandbox.issuer in result.error["hint"]
    assert person.foyer("token", "--silent", "--client", "lab").status == 3


def test_a_sign_out_that_nobody_comes_back_from_is_opened_not_done(person, sandbox):
    """Anybody on the machine can ask for the page without the state; who brings the state counts."""
    person.work_settings(sandbox, post_logout_redirect_uri="http://127.0.0.1:18933")
    person.sign_in(HEDY, "--client", "lab")
    left = person.foyer("sign-out", HEDY, "--json", "--client", "lab", "--browser", CURL)
    assert left.status == 0 and left.json["sessionEnded"]["outcome"] == "done", left
    assert "post_logout" not in left.json["endSessionUrl"]
    person.sign_in(HEDY, "--client", "lab")
    stranger = "curl -s -o /dev/null http://127.0.0.1:18933/ %s"
    left = person.foyer("sign-out", HEDY, "--json", "--client", "lab", "--browser", stranger)
    assert left.status == 0 and left.json["sessionEnded"]["outcome"] == "opened", left


def test_prompt_none_without_a_session_does_not_say_to_run_the_same_again(person, sandbox):
    sandbox.fault("error", endpoint="authorize", error="login_required", description="no session", codes=[])
    result = person.foyer(*SIGN_IN, CURL, "--prompt", "none", "--login-hint", ADA)
    assert result.status == 3 and result.error["oauthError"] == "login_required", result
    assert "--prompt none" in result.error["hint"] and "foyer sign-in" not in result.error["hint"]


def test_what_is_sent_away_or_does_not_fit_is_told_without_being_asked(person):
    running, address = pasting(person)
    place = asked_of(address)["redirect_uri"][0]
    follow(place + "/?code=x&state=of-another")
    running.wait_line(lambda line: "ignored a response to another sign-in" in line)
    for wrong in (place + "/?code=x&state=of-another", "two words?", "x" * 20_000):
        running.send(wrong + "\n")
        said = running.wait_line(lambda line: "the pasted text is not the response" in line)
        assert wrong[:40] not in said
    follow(address, "-L")
    assert running.end().status == 0


def test_a_longer_timeout_gives_the_browser_longer(person):
    for seconds, expected in ((["--timeout", "600"], 600), ([], 300), (["--timeout", "5"], 300)):
        before = time.time()
        running = person.start(*TOLD, *seconds)
        ends = datetime.fromisoformat(running.wait_event("browser")["expiresAt"].replace("Z", "+00:00"))
        # It is told in whole seconds.
        assert before - 1 < ends.timestamp() - expected < time.time() + 1
        running.process.send_signal(signal.SIGINT)
        result = running.end()
        # What a provider that never sends anybody back has probably said.
        hint = result.error["hint"]
        assert result.status == 130 and TRY_OUT in hint and "http://localhost" in hint, result


def test_ctrl_backslash_leaves_the_echo_on(person):
    outer, inner = pty.openpty()

    def echoes():
        return bool(termios.tcgetattr(inner)[3] & termios.ECHO)

    try:
        running = person.start(*TOLD, "--paste", stdin=inner)
        until(lambda: not echoes())
        running.process.send_signal(signal.SIGQUIT)
        assert running.end().status == -signal.SIGQUIT
        assert echoes()
    finally:
        os.close(outer)
        os.close(inner)


def test_what_has_an_option_of_its_own_is_in_the_request(person):
    lab = (*TOLD, "--client", "lab")
    options = "--acr urn:a --acr urn:b --max-age 600 --extra-query ui_locales=de --response-mode form_post"
    running = person.start(*lab, *options.split())
    asked = asked_of(running.wait_event("browser")["authorizationUrl"])
    running.kill()
    assert asked["acr_values"] == ["urn:a urn:b"] and asked["max_age"] == ["600"]
    assert asked["ui_locales"] == ["de"] and asked["response_mode"] == ["form_post"]
    for wrong in (["--max-age", "-1"], ["--extra-query", "x"], ["--extra-query", "state=1"], ["--response-mode", "x"]):
        refused = person.foyer(*lab, *wrong)
        assert refused.status == 64, (wrong, refused)


def test_a_sign_out_leaves_the_browsers_session_where_that_is_wanted(person):
    person.sign_in(HEDY, "--client", "lab")
    result = person.foyer("sign-out", HEDY, "--client", "lab", "--json", "--keep-browser-session", "--browser", "none")
    assert result.status == 0 and result.json["removed"]["outcome"] == "done", result
    assert result.json["sessionEnded"]["outcome"] != "done" and result.json["endSessionUrl"] is None, result


# Forms of apps and of other flows, which no program at a terminal can receive.
UNRECEIVABLE = [
    "msauth.com.example.app://auth",
    "com.example.app://oauth/redirect",
    "com.example.app:/oauth",
    "urn:ietf:wg:oauth:2.0:oob",
    "oob",
    "https://example.com/cb",
    "https://localhost/cb",
    "https://login.microsoftonline.com/common/oauth2/nativeclient",
    "http://example.com/cb",
    "http://192.168.0.1/cb",
    "http://localhost.example.com/",
    "http://127.0.0.1.example.com/",
    "http://user@localhost/",
    "http://localhost/?a=b",
    "http://localhost/#a",
    "http://localhost:0/",
    "http://localhost:99999/",
    "localhost:8400",
    "//localhost/",
    "",
]


@pytest.mark.parametrize("by", ["option", "settings"])
def test_a_redirect_uri_that_cannot_be_received_is_the_callers_mistake(person, sandbox, by):
    wrong = {}
    for address in UNRECEIVABLE if by == "option" else [each for each in UNRECEIVABLE if each]:
        person.work_settings(sandbox, **({"redirect_uri": address} if by == "settings" else {}))
        named = ["--redirect-uri", address] if by == "option" else []
        before = sandbox.state()["requests"]
        result = person.foyer("sign-in", "--json", "--client", "lab", *BY_BROWSER, *named)
        error = result.error
        code, status = ("usage", 64) if by == "option" else ("configuration", 78)
        is_right = result.status == status and error["code"] == code and "http://localhost" in (error["hint"] or "")
        if not is_right or sandbox.state()["requests"] != before:
            wrong[address] = result
    assert not wrong, wrong


def test_a_device_code_needs_no_redirect_uri(person, sandbox):
    person.work_settings(sandbox, redirect_uri="msauth.com.example.app://auth")
    running = person.start("sign-in", "--json", "--via", "device", "--client", "lab")
    code = running.wait_event("deviceCode")["userCode"]
    sandbox.approve(code, HEDY)
    assert running.end().status == 0
