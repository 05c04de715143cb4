"""Signing in through a browser that comes back to a loopback address (RFC 8252), and by what a person pastes."""

import subprocess
from urllib.parse import parse_qs, urlsplit

from harness import ADA, GRACE, HEDY, LAB, Store, assert_no_secret, until


def follow(address, *options):
    return subprocess.run(["curl", "-s", *options, address], capture_output=True, text=True, timeout=20)


def redirect_of(address):
    answer = follow(address, "-o", "/dev/null", "-w", "%{redirect_url}")
    assert "code=" in answer.stdout, answer
    return answer.stdout


def test_a_browser_command_signs_in(person, sandbox):
    """B4, B6, B7, B10: a code with PKCE, no password ever, and no more than was asked for."""
    person.work_settings(sandbox)
    result = person.foyer("sign-in", "--json", "--via", "browser", "--browser", "curl -sL %s", "--login-hint", GRACE)
    assert result.status == 0, result
    assert result.json["account"]["username"] == GRACE
    names = [event["event"] for event in result.events if event["event"] not in ("step", "userAgent", "warning")]
    assert names == ["browser", "redirectReceived", "completed"]
    life = [event["state"] for event in result.events if event["event"] == "userAgent"]
    assert life == ["started", "loaded", "redirected", "completed"]
    browser = next(event for event in result.events if event["event"] == "browser")
    asked = parse_qs(urlsplit(browser["authorizationUrl"]).query)
    assert asked["code_challenge_method"] == ["S256"] and asked["response_type"] == ["code"]
    assert set(asked["scope"][0].split()) == {"User.Read", "openid", "profile", "offline_access"}
    assert sandbox.requests("token:password") == 0
    assert len(asked["state"][0]) >= 32 and len(asked["nonce"][0]) >= 32
    assert asked["redirect_uri"] == [browser["redirectUri"]] and browser["redirectUri"].startswith("http://localhost:")
    assert_no_secret(person.store, result)


def test_openid_connect_signs_in_the_same_way(person, sandbox):
    person.work_settings(sandbox)
    assert person.sign_in(HEDY, "--client", "lab")["account"]["username"] == HEDY
    result = person.foyer("token", "--silent", "--json", "--client", "lab")
    assert result.status == 0 and result.json["source"] == "cache", result


def test_scopes_of_the_settings_are_sent_as_they_are(person, sandbox):
    """A client that is registered for some scopes only is refused any other, offline_access and profile too."""
    base = f'client = "strict"\n[clients.strict]\nclient_id = "{LAB}"\nauthority = "{sandbox.issuer}"\nkind = "oidc"\n'

    def asked(*arguments):
        running = person.start("sign-in", "--json", "--via", "browser", "--browser", "none", *arguments)
        address = running.wait_event("browser")["authorizationUrl"]
        running.kill()
        return parse_qs(urlsplit(address).query)["scope"][0]

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
    person.work_settings(sandbox)
    sandbox.fault("habit", name="namelessIDToken")
    sandbox.fault("habit", name="userinfoOfAnother")
    signed = person.foyer(
        "sign-in", "--json", "--client", "lab", "--via", "browser", "--browser", "curl -sL -o /dev/null %s", "--login-hint", HEDY)
    assert signed.status == 0 and signed.json["account"]["username"] == "", signed
    listed = person.foyer("accounts", "--client", "lab")
    assert HEDY in listed.stdout, listed
    left = person.foyer("remove", HEDY[:4], "--client", "lab")
    assert left.status == 0, left


def test_the_browser_command_is_no_shell(person, sandbox, tmp_path):
    """N12, atk-B4"""
    person.work_settings(sandbox)
    mark = tmp_path / "mark"
    result = person.foyer("sign-in", "--via", "browser", "--browser", f"curl -sL %s ; touch {mark}", "--login-hint", ADA)
    assert result.status == 0 and not mark.exists(), result


def test_a_browser_that_is_only_told_of_waits_for_the_redirect(person, sandbox):
    person.work_settings(sandbox)
    running = person.start("sign-in", "--json", "--via", "browser", "--browser", "none", "--login-hint", ADA)
    address = running.wait_event("browser")["authorizationUrl"]
    page = follow(address, "-L")
    assert "You can close this page" in page.stdout
    assert running.end().status == 0


def test_a_pasted_redirect_signs_in(person, sandbox):
    person.work_settings(sandbox)
    running = person.start(
        "sign-in", "--json", "--via", "browser", "--browser", "none", "--paste", "--login-hint", ADA, stdin=subprocess.PIPE)
    redirect = redirect_of(running.wait_event("browser")["authorizationUrl"])
    running.send("http://localhost/?code=mine&state=of-another-sign-in\n")
    running.send(redirect + "\n")
    result = running.end()
    assert result.status == 0, result
    assert parse_qs(urlsplit(redirect).query)["code"][0] not in result.stderr
    assert_no_secret(person.store, result)


def test_a_pasted_code_signs_in(person, sandbox):
    person.work_settings(sandbox)
    running = person.start("sign-in", "--via", "browser", "--browser", "none", "--paste", "--login-hint", ADA, stdin=subprocess.PIPE)
    address = running.wait_line(lambda line: line.startswith("http")).strip()
    running.send(parse_qs(urlsplit(redirect_of(address)).query)["code"][0] + "\n")
    result = running.end()
    assert result.status == 0, result


def test_a_stray_answer_does_not_end_the_sign_in(person, sandbox):
    """atk-C1, atk-H2: an answer with another state is sent away, and the real one still counts."""
    person.work_settings(sandbox)
    running = person.start("sign-in", "--json", "--via", "browser", "--browser", "none", "--login-hint", ADA)
    event = running.wait_event("browser")
    for query in ("?code=x&state=y", "", "?error=access_denied"):
        assert follow(event["redirectUri"] + "/" + query, "-o", "/dev/null", "-w", "%{http_code}").stdout in ("400", "404")
    follow(event["authorizationUrl"], "-L")
    assert running.end().status == 0


def test_an_error_in_the_redirect_is_told_with_its_description(person, sandbox):
    person.work_settings(sandbox)
    sandbox.fault("error", endpoint="authorize", error="access_denied", description="User declined to consent.", codes=[65004])
    result = person.foyer("sign-in", "--json", "--via", "browser", "--browser", "curl -sL %s", "--login-hint", ADA)
    assert result.status == 130 and result.error["oauthError"] == "access_denied", result
    assert "answered with no" in result.error["message"] and "declined" in result.error["description"]


def test_a_fixed_port_is_kept(person, sandbox):
    person.work_settings(sandbox)
    running = person.start(
        "sign-in", "--json", "--via", "browser", "--browser", "none", "--redirect-uri", "http://127.0.0.1:18931", "--login-hint", ADA)
    event = running.wait_event("browser")
    assert event["redirectUri"].startswith("http://127.0.0.1:18931")
    follow(event["authorizationUrl"], "-L")
    assert running.end().status == 0


def test_ctrl_c_ends_the_wait(person, sandbox):
    person.work_settings(sandbox)
    running = person.start("sign-in", "--json", "--via", "browser", "--browser", "none")
    running.wait_event("browser")
    running.process.send_signal(2)
    result = running.end(10)
    assert result.status == 130 and result.error["code"] == "cancelled", result


def test_nothing_secret_is_in_the_arguments_of_any_process(person, sandbox, tmp_path):
    person.work_settings(sandbox)
    seen = tmp_path / "seen"
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\nps -eo args > {seen}.new\nmv {seen}.new {seen}\nexec curl -sL \"$1\"\n")
    spy.chmod(0o755)
    running = person.start("sign-in", "--json", "--via", "browser", "--browser", f"{spy} %s", "--login-hint", ADA)
    until(seen.exists)
    assert running.end().status == 0
    for secret in Store(person.store).secrets():
        assert secret not in seen.read_text()
    assert "code_verifier" not in seen.read_text() and "refresh_token" not in seen.read_text()
