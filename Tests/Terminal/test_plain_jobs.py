"""Whatever can be done on the screens can be done in the plain mode, by number."""

import io
import json
import os
import re

import pytest
from agents import Agent
from caches import cache
from harness import ADA, FOYER, GRACE, REPOSITORY, TARO, UNSAFE, Store
from test_plain import account, answer, back, end, leave, redirect_of
from waiting import spawn

# For each command of the key tables, what the plain mode offers for it; or why there is nothing to offer.
MOVES = "moves a mark or a text on the screen; here everything is written out"
MOVING = """up down pageUp pageDown halfUp halfDown first last moveButton nextField previousField nextItem previousItem
previousView cycleGrouping"""
PAGES = "each page is offered by its name, already"
# Offered by the command's name in lower case, with hyphens.
BY_NAME = """
reload signIn deviceCode agent lockAgent programs takeBack undoSetting endAgent start lookUpProvider knownClients
switchMethod inspect scopes remove signOut cycleClient cycleSorting clearFilter themes stores allowWriting showInPicker
doctor activity failures settings renew verify reveal openBrowser paste toggleWipe toggleAccessTokens toggleSession mark
unmark pasteToken choose ask typeScope more nextView compare difference export open"""
PLAIN = {
    **{name: re.sub("[A-Z]", lambda capital: "-" + capital[0].lower(), name) + ": " for name in BY_NAME.split()},
    **dict.fromkeys(MOVING.split(), (MOVES,)),
    **dict.fromkeys(
        ["search", "searchNext", "searchPrevious", "keepSearch", "clearSearch"],
        ("the terminal's own scroll-back is searched",),
    ),
    **dict.fromkeys(["palette", "help"], ("every command is offered in words, and taken by its name, already",)),
    **dict.fromkeys(["redraw", "suspend", "toggleMouse"], ("nothing is drawn, and the terminal is the shell's",)),
    **dict.fromkeys(["accountsView", "consentView", "storesView", "activityView"], (PAGES,)),
    "toggleLeaked": ("offered for an account of GitHub",),
    "nextNeedingYou": ("offered where an account needs the user",),
    "tokensView": ("inspect: tells the tokens of each account",),
    "details": ("the account that is chosen is told at once, with all that is known of it",),
    "copy": ("the text stands there, and the terminal copies it",),
    "copyMenu": ("taken by its name: what stands there need not be read out as a choice of every page",),
    "copySecret": "reveal: ",
    "copyClaims": "export: ",
    **dict.fromkeys(["filter", "keepFilter"], "choose an account"),
    "complete": ("the words of the question are the accounts' names",),
    "qrCode": ("nothing is drawn; the address is text",),
    "edit": ("the terminal's own line editing",),
    "markRange": ("one account is marked after the other",),
    "askConsent": "change the prompt: ",
    "back": "back",
    "quit": "quit",
    "yes": "do-it: ",
    "no": "cancel: ",
}


def commands():
    source = (REPOSITORY / "Sources" / "AppModel" / "Keys" / "Command.swift").read_text().split("\n\n")[0]
    cases = ",".join(re.findall(r"^    case (.*)$", source, re.M)).split(",")
    return {re.findall(r"\w+", case)[-1] for case in cases}


@pytest.fixture
def plain(people):
    opened = []

    def start():
        child = spawn(people, FOYER, "--plain", dimensions=(24, 200))
        child.logfile_read = io.StringIO()
        opened.append(child)
        child.expect("plain mode")
        return child

    yield start
    for child in opened:
        child.close(force=True)


def test_every_command_of_the_key_tables_is_thought_of():
    assert commands() ^ set(PLAIN) == set(), "jobs of the screens of which the plain mode says nothing"


def in_azure_cli(person, *names):
    folder = person.home / ".azure"
    folder.mkdir(mode=0o700)
    path = folder / "msal_token_cache.json"
    path.write_text(cache(names))
    path.chmod(0o600)
    return path


def test_another_programs_store_is_allowed_and_changed(plain, people):
    theirs = in_azure_cli(people, "zed", "yan")
    before = theirs.read_bytes()
    child = plain()
    child.expect("3 accounts.*; 2 in other stores")
    account(child, "zed@contoso.example")
    child.expect("in Azure CLI's store, read-only")
    answer(child, "inspect: ")
    back(child)
    answer(child, "remove: ")
    child.expect("Azure CLI's store is read-only")
    assert theirs.read_bytes() == before
    answer(child, "stores: ", "choose a store", "azure-cli, Azure CLI, usable", "allow-writing: ")
    child.expect(r'\[x\] "allow-writing": allow changes')
    back(child)
    account(child, "zed@contoso.example")
    answer(child, "remove: ")
    child.expect("Azure CLI will remove the account")
    answer(child, "do-it: ")
    child.expect("removed from Azure CLI: [0-9]+ entries")
    assert "zed" not in theirs.read_text() and "yan" in theirs.read_text()
    back(child)
    answer(child, "stores: ", "choose a store", "azure-cli, Azure CLI, usable", "show-in-picker: ")
    child.expect(r'\[ \] "show-in-picker": show its accounts in the list')
    end(child, 2)


@pytest.fixture
def no_agent(people):
    """None runs yet; one that is started is found at a path that is short enough for a socket."""
    agent = Agent(people)
    yield
    agent.stop()


def test_git_is_set_up_and_taken_back_by_numbers(plain, people):
    own(people)
    before = (people.home / ".gitconfig").read_bytes()
    child = plain()
    take_git_through(child)
    end(child, 2)
    assert (people.home / ".gitconfig").read_bytes() == before
    assert not (people.home / ".local/bin/git-credential-foyer").is_symlink()


def own(person):
    """The person's own programs come first."""
    path = f"{person.home / '.local/bin'}:{person.environment['PATH']}"
    person.environment |= {"PATH": path, "GIT_CONFIG_NOSYSTEM": "1"}
    (person.home / ".gitconfig").write_text("[user]\n\tname = Ada")


def take_git_through(child):
    """Leaves it on the page of programs as it was."""
    answer(child, "programs: ")
    child.expect("not set up")
    answer(child, "choose a program", "git, not set up", "open: ")
    child.expect("link    .*git-credential-foyer -> ")
    child.expect(r"\+    helper = foyer")
    answer(child, "do-it: ")
    child.expect("git is set up")
    back(child)
    answer(child, "take-back: ")
    child.expect("unlink  ")
    answer(child, "do-it: ")
    child.expect("undone; git is not set up")
    back(child)


def test_a_refusal_is_answered_by_numbers(plain, people):
    refuse(people)
    answer_refusal(plain(), people)


def refuse(person):
    assert person.foyer("helper", "kubectl", "--client", "cli").status != 0


def answer_refusal(child, person):
    """Leaves the settings as they were, and the refusal open."""
    settings = person.home / "config" / "foyer" / "config.toml"
    before = settings.read_bytes()
    answer(child, "failures: ", "open: ")
    child.expect('"do-it" writes to .*config.toml, line ')
    answer(child, "do-it: ")
    child.expect("rule saved in")
    assert b'program = "kubectl"' in settings.read_bytes()
    child.expect("undo-setting: ")
    # By its name, as the numbers change once the refusal is answered.
    child.sendline("undo-setting")
    child.expect("undone: rule for kubectl")
    assert settings.read_bytes() == before


def test_every_job_of_the_screens_is_offered(no_agent, plain, people):
    in_azure_cli(people, "zed")
    own(people)
    child = plain()
    child.expect("number: ")
    child.sendline("?")
    answer(child, "mark: ", "unmark: ")
    account(child)
    answer(child, "inspect: ", "choose a token", "work ID token", "choose: ")
    answer(child, "choose a token", "cli ID token", "difference: ")
    child.expect(r"\+ aud")
    answer(child, "export: ")
    child.expect("write to .*: ")
    child.sendline("~/claims.json")
    child.expect("written to ~/claims.json")
    leave(child)
    back(child)
    assert json.loads((people.home / "claims.json").read_text())["payload"]["preferred_username"] == ADA
    answer(child, "scopes: ")
    child.expect(r"User\.Read: granted")
    answer(child, "compare: ")
    child.expect("granted to both")
    back(child)
    answer(child, "cycle-client: ", "clear-filter: ", "sign-out: ")
    back(child)
    answer(child, "remove: ")
    back(child)
    for page in ("themes: ", "settings: ", "activity: "):
        answer(child, page)
        back(child)
    take_git_through(child)
    back(child)
    refuse(people)
    answer_refusal(child, people)
    leave(child)
    leave(child)
    answer(child, "stores: ", "choose a store", "azure-cli, Azure CLI, usable")
    back(child)
    answer(child, "agent: ", "end-agent: ")
    child.expect("agent started")
    child.expect("served: 0 tokens")
    answer(child, "lock-agent: ")
    child.expect("agent locked")
    # What can be done is as before, and not told again.
    child.sendline("end-agent")
    child.expect("agent stopped")
    back(child)
    answer(child, "paste-token: ")
    child.expect("token .*: ")
    child.sendline("")
    answer(child, "sign-in: ", "change the method: ", "browser", "start: ")
    child.expect("open-browser: ")
    back(child, 2)
    answer(child, "open: ")
    child.expect("renew: ")
    end(child, 2)
    offered = re.findall(r"^ \d+  (.*?)\r?$", child.logfile_read.getvalue(), re.M)
    for command, words in PLAIN.items():
        if isinstance(words, str):
            assert any(words in each for each in offered), f"{command}: {words!r} is not offered in {offered}"


def test_a_new_token_scopes_a_signature_and_what_was_asked_for(plain, sandbox):
    child = plain()
    account(child)
    answer(child, "open: ", "renew: ")
    child.expect("from: refresh")
    assert sandbox.requests("token:refresh_token") == 1
    back(child)
    answer(child, "scopes: ")
    child.expect(r"User\.Read: granted, low risk; \S")
    back(child)
    answer(child, "inspect: ", "choose a token", "ID token", "verify: ")
    child.expect(r"signature valid \(key")
    leave(child)
    answer(child, "activity: ")
    child.expect(rf"the entry: [^\n]*foyer, {ADA}, from refresh, \d+ ms")
    answer(child, "choose an entry", f"foyer, {ADA}, from refresh")
    child.expect(r"took: \d+ ms")
    child.expect(r"correlation: [0-9a-f-]{36}")
    child.expect("refresh token: refreshed at |refresh: ")


def test_what_failed_is_told_with_what_to_do(plain, sandbox):
    said = {"error": "invalid_grant", "codes": [50076], "description": "Use multi-factor authentication."}
    sandbox.fault("error", endpoint="token:refresh_token", **said)
    child = plain()
    account(child)
    answer(child, "open: ", "renew: ")
    child.expect("sign-in: ")
    back(child)
    answer(child, "failures: ")
    child.expect(f"the failure: [^\n]*{ADA}")
    answer(child, "open: ")
    for words in ("What the provider said", "AADSTS50076 · invalid_grant", said["description"][:-1], "What you can do"):
        child.expect(words)
    end(child, 3)


def test_a_token_is_shown_only_when_asked_for(plain, people):
    child = plain()
    account(child)
    answer(child, "inspect: ", "choose a token", "ID token")
    child.expect("signature not checked")
    said = child.logfile_read.getvalue()
    assert not any(secret in said for secret in Store(people.store).secrets())
    answer(child, "reveal: ")
    child.expect(r"\n(eyJ[\w-]+\.[\w-]+\.[\w-]+)")
    assert child.match[1] in Store(people.store).secrets()


def test_a_pasted_token_is_inspected(plain):
    from hostile import jwt

    child = plain()
    answer(child, "paste-token: ")
    child.expect("token .*: ")
    child.sendline(jwt(name="pasted \x1b[31m\u202e", iss="https://issuer.example"))
    child.expect("name: pasted ")
    answer(child, "paste-token: ")
    child.expect("token .*: ")
    child.sendline("0123opaque")
    child.expect("opaque: ")
    end(child, 3)
    assert not UNSAFE.search(child.logfile_read.getvalue().replace("\r\n", "\n").replace("\r", ""))


def test_the_form_can_be_changed_before_the_sign_in(plain, people, sandbox):
    child = plain()
    answer(child, "sign-in: ", "change the client: ", "work", "change the scopes: ")
    child.expect("scopes: ")
    child.sendline("Mail.Read Files.Read")
    answer(child, "change the prompt: ", "login", "change the login hint")
    child.expect("login hint: ")
    child.sendline(TARO)
    child.expect("change the scopes: Mail.Read Files.Read")
    answer(child, "change the method: ", "browser")
    child.expect(f"change the login hint: {TARO}")
    answer(child, "start: ")
    child.expect(r"(http://127\S+authorize\S+)")
    for part in ("Mail.Read", "prompt=login", "login_hint=taro"):
        assert part in child.match[1]
    if redirect := redirect_of(child.match[1]):
        answer(child, "paste: ")
        child.expect("paste .*: ")
        child.sendline(redirect)
        child.expect(f"signed in as {TARO}")


def test_several_leave_at_once(plain, people):
    child = plain()
    for name in (ADA, GRACE):
        account(child, name)
        answer(child, "mark: ")
    answer(child, "remove: ")
    for words in ("Remove 2 accounts", ADA, GRACE):
        child.expect(words)
    answer(child, "toggle-wipe: ", "do-it: ")
    child.expect("2 accounts removed")
    back(child)
    child.expect("1 account")
    assert len(people.accounts()) == 1


def test_a_sign_out_says_how_far_it_goes(plain, people):
    child = plain()
    account(child, GRACE)
    answer(child, "sign-out: ", "toggle-access-tokens: ", "toggle-session: ")
    child.expect("the browser stays signed in")
    answer(child, "do-it: ")
    child.expect("not revoked: .*access tokens not revoked: .*removed here.*the browser stays signed in, as you chose")


def test_order_and_client_of_the_list(plain, people):
    child = plain()
    for order in ("by name", "last used first", "expiring first"):
        answer(child, "cycle-sorting: ")
        child.expect(f"listed: 3 accounts, {order}")
    for count, client in ((2, "cli"), (1, "lab"), (1, "work")):
        answer(child, "cycle-client: ")
        child.expect(f"listed: {count} of 3 accounts of {client}")
    child.expect(f"the account: {ADA}")


def test_the_doctor_and_the_settings(plain, people):
    child = plain()
    answer(child, "doctor: ")
    child.expect("settings: .*config.toml")
    child.expect("network: ")
    back(child)
    answer(child, "settings: ", "choose a setting", "theme: ", "open: ", "choose a theme", "nord", "open: ")
    child.expect("theme saved in ")
    assert 'theme = "nord"' in (people.home / "config" / "foyer" / "config.toml").read_text()
    child.expect("theme: nord")
    leave(child)
    end(child, 1)


def test_a_store_that_cannot_be_read_is_told_and_can_be_read_again(plain, people):
    kept = people.store.read_bytes()
    people.store.write_bytes(b"[]")
    child = plain()
    child.expect("the store cannot be used: ")
    people.store.write_bytes(kept)
    os.chmod(people.store, 0o600)
    answer(child, "reload: ")
    child.expect("3 accounts")
