"""The plain mode: numbered questions, answered by a script as by a person; text is only added, nothing is painted."""

import re
import subprocess

import pexpect
import pytest
from harness import ADA, FOYER, UNSAFE, until


@pytest.fixture
def plain(people):
    opened = []

    def start(*arguments, **environment):
        child = pexpect.spawn(
            str(FOYER),
            list(arguments),
            env={**people.environment, **environment},
            encoding="utf-8",
            timeout=90,
            dimensions=(24, 80),
        )
        opened.append(child)
        child.expect(r"plain mode")
        return child

    yield start
    for child in opened:
        child.close(force=True)


def answer(child, words):
    """Gives the number that stands before the words."""
    child.expect(rf" (\d+)  [^\n]*{re.escape(words)}[^\n]*\n")
    number = child.match.group(1)
    child.expect(r"(number|account|token): ")
    child.sendline(number)


@pytest.mark.parametrize(
    "how", [["--plain"], {"ACCESSIBLE": "1"}, {"TERM": "dumb"}], ids=["--plain", "ACCESSIBLE", "dumb"]
)
def test_choose_an_account_inspect_a_token_and_remove_it(plain, people, how):
    child = plain(*how) if isinstance(how, list) else plain(**how)
    answer(child, "choose an account")
    answer(child, ADA)
    answer(child, "look at its tokens")
    answer(child, "IdToken")
    child.expect("preferred_username: " + ADA)
    child.expect("number: ")
    child.sendline("0")
    child.expect("token: ")
    child.sendline("0")
    answer(child, "get a token silently")
    answer(child, "work")
    child.expect("a token until .* from cache")
    answer(child, "remove from this store")
    answer(child, "work")
    child.expect("other clients and the browser keep theirs")
    answer(child, "remove")
    child.expect("removed, ")
    accounts = people.foyer("accounts", "--json", "--client", "work").json["accounts"]
    assert ADA not in [account["username"] for account in accounts]
    child.expect("number: ")
    child.sendline("0")
    child.expect("number: ")
    child.sendline("0")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_sign_in_by_device_code(plain, people, sandbox):
    people.foyer("remove", ADA, "--client", "work")
    child = plain("--plain")
    answer(child, "sign in")
    answer(child, "work")
    answer(child, "device: ")
    child.expect(r"\n    ([A-Z0-9-]+)\r?\n")
    sandbox.approve(child.match.group(1), ADA)
    child.expect(f"{ADA} signed in for work")
    child.sendline("0")
    child.expect(pexpect.EOF)


def test_sign_in_by_pasting_the_address(plain, people, sandbox):
    child = plain("--plain")
    answer(child, "sign in")
    answer(child, "work")
    answer(child, "browser: ")
    child.expect(r"(http://127\S+authorize\S+)")
    address = child.match.group(1)
    ended = subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{redirect_url}", address + "&login_hint=" + ADA],
        capture_output=True,
        text=True,
    )
    child.sendline(ended.stdout)
    child.expect(f"{ADA} signed in for work")


def test_ctrl_c_gives_up_what_is_under_way_and_then_leaves(plain, sandbox):
    child = plain("--plain")
    answer(child, "sign in")
    answer(child, "work")
    answer(child, "device: ")
    until(sandbox.waiting_codes)
    child.sendintr()
    child.expect("it did not work: the sign-in was given up")
    child.expect("number: ")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


def test_wrong_answers_are_asked_again_and_nothing_is_painted(plain):
    child = plain("--plain")
    for wrong in ["", "12", "-1", "x", "99999999999999999999"]:
        child.expect("number: ")
        child.sendline(wrong)
        child.expect("write a number from 0 to 11")
    child.expect("number: ")
    child.sendline("2")
    child.expect("account: ")
    child.sendline("nobody-like-this")
    child.expect("no account has")
    child.expect("account: ")
    child.sendline("grace")
    child.expect(r" 1  grace@fabrikam.example[^\n]*\n 0  back")
    child.expect("account: ")
    child.sendeof()
    child.expect(pexpect.EOF)
    assert not UNSAFE.search((child.before or "").replace("\r\n", "\n"))
