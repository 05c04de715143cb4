"""The plain mode: a page as text and what can be done as a numbered list; text is only added, nothing is painted."""

import re
import subprocess

import pexpect
import pytest
from harness import ADA, FOYER, GRACE, UNSAFE, until
from waiting import PATIENCE, spawn

TEXT = {"capture_output": True, "text": True}
PROMPT = r"(number|account|answer|token|scope|store|entry|setting|theme|failure|program): "


@pytest.fixture
def plain(people):
    opened = []

    def start(*arguments, **environment):
        child = spawn(people, FOYER, *arguments, env={**people.environment, **environment})
        opened.append(child)
        child.expect(r"plain mode")
        return child

    yield start
    for child in opened:
        child.close(force=True)


def answer(child, *choices):
    """Gives the numbers that stand before the words, or the command's name and a colon, one after another. The first
    page names some commands only, and lists the others for "more"."""
    for words in choices:
        name = words.removesuffix(": ")
        line = rf" (\d+)  [^\n]*{re.escape(words)}[^\n]*\n"
        if name != words:
            line = rf" (\d+)  {re.escape(name)}(?:: [^\n]*)?\r?\n"
        if child.expect([line, r" \d+  more: [^\n]*\n"]) == 1:
            child.expect(PROMPT)
            child.sendline("more")
            child.expect(line)
        number = child.match[1]
        child.expect(PROMPT)
        child.sendline(number)


def back(child, times=1):
    for _ in range(times):
        child.expect(r" 0  [^\n]*\n")
        child.expect(PROMPT)
        child.sendline("0")


def end(child, times):
    back(child, times)
    child.expect(pexpect.EOF)


def leave(child):
    """The same where the list was not told again."""
    child.expect(PROMPT)
    child.sendline("0")


def account(child, name=ADA):
    answer(child, "choose an account", name)


def redirect_of(address):
    """Where the provider sends a browser at once; nothing where it asks first."""
    return subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{redirect_url}", address], **TEXT).stdout


def sign_in(child, method):
    """The form, with a client and a method, sent off."""
    answer(child, "sign-in: ", "change the client: ", "work", "change the method: ", method, "start: ")


@pytest.mark.parametrize(
    "how", [["--plain"], {"ACCESSIBLE": "1"}, {"TERM": "dumb"}], ids=["--plain", "ACCESSIBLE", "dumb"]
)
def test_choose_an_account_inspect_a_token_and_remove_it(plain, people, how):
    child = plain(*how) if isinstance(how, list) else plain(**how)
    account(child, f"{ADA} by work")
    answer(child, "inspect: ", "choose a token", "ID token")
    child.expect("preferred_username: " + ADA)
    back(child)
    for _ in range(20):
        answer(child, "open: ")
        child.expect("token ready")
        # A result that comes within a second is all that is told; on a busy machine it may take longer.
        is_all = "working" not in child.before
        child.expect("from: cache")
        back(child)
        if is_all:
            break
    assert is_all
    answer(child, "remove: ")
    child.expect("client: work")
    child.expect("nothing is revoked: no server is contacted")
    answer(child, "do-it: ")
    child.expect("removed here: ")
    accounts = people.foyer("accounts", "--json", "--client", "work").json["accounts"]
    assert ADA not in [account["username"] for account in accounts]
    end(child, 2)
    child.close()
    assert child.exitstatus == 0


def test_sign_in_by_device_code(plain, people, sandbox):
    people.foyer("remove", ADA, "--client", "work")
    child = plain("--plain")
    sign_in(child, "device code")
    child.expect(r"\ncode: ([A-Z0-9-]+)\r?\n")
    sandbox.approve(child.match[1], ADA)
    child.expect(f"signed in as {ADA}")
    end(child, 2)


def test_sign_in_by_pasting_the_address(plain, people, sandbox):
    child = plain("--plain")
    sign_in(child, "browser")
    child.expect(r"(http://127\S+authorize\S+)")
    redirect = redirect_of(f"{child.match[1]}&login_hint={ADA}")
    answer(child, "paste: ")
    child.expect("paste .*: ")
    child.sendline(redirect)
    child.expect(f"signed in as {ADA}")


def test_ctrl_c_gives_up_what_is_under_way_and_then_leaves(plain, sandbox):
    child = plain("--plain")
    sign_in(child, "device code")
    until(sandbox.waiting_codes)
    child.sendintr()
    child.expect("cancelled")
    child.expect("change the method: ")
    child.expect("number: ")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


def test_wrong_answers_are_asked_again_and_nothing_is_painted(plain):
    child = plain("--plain")
    for wrong in ["99", "-1", "nothing of that name", "99999999999999999999"]:
        child.expect("number: ")
        child.sendline(wrong)
        child.expect(r"type a number from 0 to \d+")
    child.expect("number: ")
    child.sendline("1")
    child.expect("account: ")
    child.sendline("nobody-like-this")
    child.expect("no account matches")
    child.expect("account: ")
    child.sendline("grace")
    child.expect(r" 1  grace@fabrikam.example[^\n]*\n 0  back")
    child.expect("account: ")
    child.sendeof()
    child.expect(pexpect.EOF)
    assert not UNSAFE.search((child.before or "").replace("\r\n", "\n"))


def test_what_another_process_changes_is_said_in_one_line_and_the_next_answer_is_of_the_new_list(plain, people):
    child = plain("--plain")
    child.expect("number: ")
    assert people.foyer("remove", GRACE, "--client", "cli").status == 0
    child.expect(f"{GRACE} removed by another program\r\n")
    child.expect("number: ")
    child.sendline("1")
    child.expect("account: ")
    assert ADA in child.before and GRACE not in child.before


def test_a_command_is_taken_by_its_name_and_by_its_key(plain):
    child = plain("--plain")
    for name in ("settings", ","):
        child.expect("number: ")
        child.sendline(name)
        child.expect(r"config\.toml")
        back(child)
    child.expect("number: ")
    child.sendline("quit")
    child.expect(pexpect.EOF)


def test_lines_are_as_wide_as_the_terminal_and_addresses_stay_whole(plain):
    child = plain("--plain")
    child.expect("number: ")
    child.setwinsize(24, 40)
    child.sendline("?")
    child.expect("number: ")
    home = child.before.split("\r\n")
    assert any(line.startswith(" 13  ") for line in home) and max(map(len, home)) <= 40, home
    assert any(re.match(r" {5,}\S", line) for line in home), "nothing was too long to stand on one line"
    child.sendline("sign-in")
    answer(child, "change the method: ", "browser", "start: ")
    child.expect(r"\n(http://127\S+authorize\S+)\r\n")
    assert len(child.match[1]) > 80


def test_what_is_pasted_into_a_sign_in_is_not_seen(plain):
    child = plain("--plain")
    sign_in(child, "browser")
    answer(child, "paste: ")
    child.expect("hidden.*: ")
    child.waitnoecho(PATIENCE)
    child.sendline("http://localhost/?code=very-secret&state=unknown")
    child.expect("the pasted text is not the response")
    assert "very-secret" not in child.before
    until(child.getecho)
