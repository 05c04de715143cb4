"""Whatever can be done on the screens can be done in the plain mode, by number."""

import json
import os
import re
import subprocess

import pexpect
import pytest
from caches import cache
from harness import ADA, FOYER, GRACE, REPOSITORY, TARO, UNSAFE, Store
from test_plain import answer

# For each command of the key tables, what the plain mode offers for it; or why there is nothing to offer.
MOVES = "moves a mark or a text on the screen; here everything is written out"
PLAIN = {
    **dict.fromkeys(
        [
            "up",
            "down",
            "pageUp",
            "pageDown",
            "halfUp",
            "halfDown",
            "first",
            "last",
            "moveButton",
            "nextField",
            "previousField",
        ],
        (MOVES,),
    ),
    **dict.fromkeys(
        ["search", "searchNext", "searchPrevious", "keepSearch", "clearSearch"],
        ("the terminal's own scroll-back is searched",),
    ),
    **dict.fromkeys(["palette", "help"], ("every answer is offered in words already",)),
    **dict.fromkeys(["redraw", "suspend", "toggleMouse"], ("nothing is drawn, and the terminal is the shell's",)),
    **dict.fromkeys(["edit"], ("the terminal's own line editing",)),
    "open": "get a token silently",
    "back": "back",
    "quit": "quit",
    "reload": "read the store again",
    "signIn": "sign in",
    "start": "device: ",
    "switchMethod": "browser: ",
    "inspect": "look at its tokens",
    "scopes": "look at what each client was granted",
    "remove": "remove from this store",
    "signOut": "sign out",
    "cycleClient": "the accounts of one client",
    "cycleSorting": "another order of the accounts",
    "themes": "theme: ",
    "stores": "where programs keep tokens on this machine",
    "allowWriting": "foyer may remove accounts from it",
    "showInPicker": "its accounts shall not be in the list",
    "doctor": "doctor",
    "activity": "what was asked for in this session",
    "failures": "what was asked for in this session",
    "settings": "settings",
    "renew": "get a new token from the provider",
    "verify": "check its signature with the issuer's keys",
    "reveal": "show the token itself",
    "copySecret": "show the token itself",
    "filter": "choose an account",
    "keepFilter": "choose an account",
    "clearFilter": "back",
    "askConsent": "change the prompt",
    "copy": "device: ",
    "openBrowser": "browser: ",
    "paste": "browser: ",
    "yes": "remove",
    "no": "no, keep it",
    "toggleWipe": "every client, instead",
    "toggleAccessTokens": "revoke access tokens that are out, too",
    "toggleSession": "keep the browser's session",
    "mark": "remove or sign out several accounts",
    "unmark": "back",
    "markRange": ("one account is marked after the other, by its number",),
    "pasteToken": "inspect a token that you paste",
    **dict.fromkeys(["choose", "ask", "typeScope", "more"], "change the scopes"),
    **dict.fromkeys(["cycleGrouping", "nextView"], (MOVES,)),
    "compare": "compare two clients",
    "difference": "compare it with another token",
    **dict.fromkeys(["export", "copyClaims"], "write header and claims as JSON into a new file"),
}


def commands():
    sources = (REPOSITORY / "Sources" / "AppModel").rglob("*.swift")
    return {name for source in sources for name in re.findall(r'= Command\("(\w+)"\)', source.read_text())}


@pytest.fixture
def plain(people):
    opened = []

    def start():
        child = pexpect.spawn(
            str(FOYER), ["--plain"], env=people.environment, encoding="utf-8", timeout=90, dimensions=(24, 200)
        )
        child.said = []
        child.logfile_read = type(
            "Log", (), {"write": lambda _, text: child.said.append(text), "flush": lambda _: None}
        )()
        opened.append(child)
        child.expect("plain mode")
        return child

    yield start
    for child in opened:
        child.close(force=True)


def back(child, times=1):
    for _ in range(times):
        child.expect(r"(number|account|token): ")
        child.sendline("0")


def account(child, name=ADA):
    answer(child, "choose an account")
    answer(child, name)


def test_every_command_of_the_key_tables_is_thought_of():
    assert commands() == set(PLAIN), "a job of the screens of which the plain mode says nothing: " + str(
        commands() ^ set(PLAIN)
    )


def in_azure_cli(person, *names):
    folder = person.home / ".azure"
    folder.mkdir(mode=0o700)
    path = folder / "msal_token_cache.json"
    path.write_text(cache(names))
    path.chmod(0o600)
    return path


def test_another_programs_store_is_allowed_and_changed_by_number(plain, people):
    theirs = in_azure_cli(people, "zed", "yan")
    before = theirs.read_bytes()
    child = plain()
    child.expect("3 accounts; 2 more in other programs' stores")
    account(child, "zed@contoso.example")
    child.expect("of Azure CLI, read-only")
    answer(child, "look at its tokens")
    back(child)
    answer(child, "sign out of Azure CLI")
    answer(child, "remove it there")
    child.expect("read-only for foyer; nothing was changed")
    assert theirs.read_bytes() == before
    back(child)
    answer(child, "where programs keep tokens on this machine")
    answer(child, "azure-cli: Azure CLI, usable, 2 accounts, read-only")
    answer(child, "foyer may remove accounts from it")
    child.expect("it is in .*config.toml now")
    back(child)
    account(child, "zed@contoso.example")
    answer(child, "sign out of Azure CLI")
    answer(child, "remove it there")
    child.expect("removed from Azure CLI, [0-9]+ entries")
    assert "zed" not in theirs.read_text() and "yan" in theirs.read_text()
    answer(child, "where programs keep tokens on this machine")
    answer(child, "azure-cli: ")
    answer(child, "its accounts shall not be in the list")
    child.expect("azure-cli: .*, hidden")
    back(child, 2)
    child.expect(pexpect.EOF)


def test_every_job_of_the_screens_is_offered(plain, people):
    in_azure_cli(people, "zed")
    child = plain()
    account(child)
    answer(child, "look at its tokens")
    answer(child, "IdToken of work")
    answer(child, "compare it with another token")
    answer(child, "IdToken of cli")
    child.expect("~ aud: ")
    answer(child, "write header and claims as JSON into a new file")
    child.expect("name of the new file: ")
    child.sendline("~/claims.json")
    child.expect("are in ~/claims.json")
    assert json.loads((people.home / "claims.json").read_text())["payload"]["preferred_username"] == ADA
    back(child, 2)
    answer(child, "look at what each client was granted")
    answer(child, "compare two clients")
    answer(child, "work")
    child.expect("both: .*User.Read")
    back(child)
    answer(child, "sign out")
    answer(child, "work")
    answer(child, "every client, instead")
    back(child)
    answer(child, "remove from this store")
    answer(child, "work")
    back(child, 2)
    answer(child, "settings")
    back(child)
    answer(child, "where programs keep tokens on this machine")
    answer(child, "azure-cli: Azure CLI, usable")
    back(child, 2)
    answer(child, "sign in")
    answer(child, "work")
    back(child, 2)
    child.expect(pexpect.EOF)
    offered = re.findall(r"^ \d+  (.*?)\r?$", "".join(child.said), re.M)
    for command, words in PLAIN.items():
        if isinstance(words, str):
            assert any(words in each for each in offered), f"{command}: {words!r} is not offered in {offered}"


def test_a_new_token_scopes_a_signature_and_what_was_asked_for(plain, sandbox):
    child = plain()
    account(child)
    answer(child, "get a new token from the provider")
    answer(child, "work")
    child.expect("a token until .* from refresh")
    assert sandbox.requests("token:refresh_token") == 1
    answer(child, "look at what each client was granted")
    child.expect(r"User\.Read: \S.*\(low risk\)")
    back(child)
    answer(child, "look at its tokens")
    answer(child, "IdToken")
    answer(child, "check its signature")
    child.expect("signature: right, by the issuer's key")
    back(child, 3)
    answer(child, "what was asked for in this session")
    answer(child, f"new token of {ADA} for work: refresh")
    child.expect(r"took \d+ ms")
    child.expect(r"correlation identifier: [0-9a-f-]{36}")
    child.expect("refresh token: ")


def test_a_token_is_shown_only_when_asked_for(plain, people):
    child = plain()
    account(child)
    answer(child, "look at its tokens")
    answer(child, "IdToken")
    child.expect("SIGNATURE")
    said = "".join(child.said)
    assert not any(secret in said for secret in Store(people.store).secrets())
    answer(child, "show the token itself")
    child.expect(r"\n(eyJ[\w-]+\.[\w-]+\.[\w-]+)")
    assert child.match[1] in Store(people.store).secrets()


def test_a_pasted_token_is_inspected(plain):
    from hostile import jwt

    child = plain()
    answer(child, "inspect a token that you paste")
    child.expect("token: ")
    child.sendline(jwt(name="pasted \x1b[31m\u202e", iss="https://issuer.example"))
    child.expect("name: pasted ")
    back(child)
    answer(child, "inspect a token that you paste")
    child.expect("token: ")
    child.sendline("0123opaque")
    child.expect("an opaque token of 10 bytes")
    back(child, 2)
    child.expect(pexpect.EOF)
    assert not UNSAFE.search("".join(child.said).replace("\r\n", "\n").replace("\r", ""))


def test_the_form_can_be_changed_before_the_sign_in(plain, people, sandbox):
    child = plain()
    answer(child, "sign in")
    answer(child, "work")
    answer(child, "change the scopes: ")
    child.expect("scopes, parted by spaces: ")
    child.sendline("Mail.Read Files.Read")
    answer(child, "change the prompt: ")
    answer(child, "login")
    answer(child, "change the login hint: ")
    child.expect("login hint, empty for none: ")
    child.sendline(TARO)
    child.expect("change the scopes: Mail.Read Files.Read")
    child.expect("change the prompt: login")
    child.expect(f"change the login hint: {TARO}")
    child.expect("number: ")
    child.sendline("2")
    child.expect(r"(http://127\S+authorize\S+)")
    for part in ("Mail.Read", "prompt=login", "login_hint=taro"):
        assert part in child.match[1]
    ended = subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{redirect_url}", child.match[1]], capture_output=True, text=True
    )
    if ended.stdout:
        child.sendline(ended.stdout)
        child.expect(f"{TARO} signed in for work")


def test_several_leave_at_once(plain, people):
    child = plain()
    answer(child, "remove or sign out several accounts")
    for name in (ADA, GRACE):
        answer(child, "mark an account")
        answer(child, name)
    child.expect(f"marked: {ADA}, {GRACE}")
    answer(child, "remove the marked ones")
    answer(child, "work")
    answer(child, "every client, instead")
    answer(child, "remove")
    child.expect("removed, ")
    answer(child, "remove")
    child.expect("removed, ")
    child.expect("1 account")
    assert len(people.foyer("accounts", "--json").json["accounts"]) == 1


def test_a_sign_out_says_how_far_it_goes(plain, people):
    child = plain()
    account(child, GRACE)
    answer(child, "sign out")
    answer(child, "revoke access tokens that are out, too")
    answer(child, "keep the browser's session")
    answer(child, "sign out")
    for part in (
        "revoked at the provider: ",
        "access tokens revoked: ",
        "removed from cli: yes",
        "browser session ended: ",
    ):
        child.expect(part)


def test_order_and_client_of_the_list(plain, people):
    child = plain()
    answer(child, "now by name")
    answer(child, "now last used first")
    answer(child, "now ending first")
    answer(child, "the accounts of one client: now all")
    answer(child, "lab")
    answer(child, "choose an account")
    child.expect(r" 1  hedy@lab.example[^\n]*\n 0  back")


def test_the_doctor_and_the_settings(plain, people):
    child = plain()
    answer(child, "doctor")
    child.expect("settings: .*config.toml")
    child.expect("network: ")
    answer(child, "settings")
    answer(child, "theme: ")
    answer(child, "nord")
    child.expect("theme is in .* now")
    assert 'theme = "nord"' in (people.home / "config" / "foyer" / "config.toml").read_text()
    answer(child, "theme: nord")
    back(child, 3)
    child.expect(pexpect.EOF)


def test_a_store_that_cannot_be_read_is_told_and_can_be_read_again(plain, people):
    kept = people.store.read_bytes()
    people.store.write_bytes(b"[]")
    child = plain()
    child.expect("it did not work: ")
    people.store.write_bytes(kept)
    os.chmod(people.store, 0o600)
    answer(child, "read the store again")
    child.expect("3 accounts")
