"""foyer sign-in at a terminal: which client, what to do, how long there is still time; and what takes over a second
says so."""

import re

import pytest
from harness import ADA, AZURE_CLI, FOYER, TRY_OUT, Store
from waiting import spawn


@pytest.fixture
def terminal(person):
    opened = []

    def start(*arguments, rows=24):
        child = spawn(person, FOYER, *arguments, dimensions=(rows, 80))
        opened.append(child)
        return child

    yield start
    for child in opened:
        child.close(force=True)


def ended(child):
    text = child.read()
    child.close()
    return text, child.exitstatus


def test_without_a_client_the_well_known_ones_are_offered(person, sandbox, terminal):
    child = terminal("sign-in", "--via", "device", "--authority", sandbox.authority())
    child.expect(r" 1  azure-cli\r\n 2  azure-powershell\r\n")
    child.expect(r"Number, name or client ID \[1\]: ")
    child.sendline("no such client")
    child.expect('unknown client "no such client"')
    child.expect(r"\[1\]: ")
    child.sendline("1")
    child.expect(r'To skip this question, set client = "azure-cli" in ~/')
    sandbox.approve(code_of(child), ADA)
    text, status = ended(child)
    assert status == 0 and ADA in text and "for azure-cli" in text, text
    assert {entry["client_id"] for entry in Store(person.store).section("RefreshToken").values()} == {AZURE_CLI}


def test_a_client_id_is_taken_for_a_client(person, sandbox, terminal):
    child = terminal("sign-in", "--via", "device", "--authority", sandbox.authority(), "--scope", "User.Read")
    child.expect(r"\[1\]: ")
    child.sendline(TRY_OUT)
    sandbox.approve(code_of(child), ADA)
    assert ended(child)[1] == 0


def test_nobody_is_asked_for_a_client_where_nobody_is(person):
    result = person.foyer("sign-in", "--via", "device")
    assert result.status == 78 and "--client azure-cli" in result.stderr and "foyer clients --all" in result.stderr


def code_of(child):
    child.expect(r"    (?:\x1b\[1m)?([A-Z0-9]{6,})(?:\x1b\[0m)?\r\n")
    return child.match[1]


def test_a_device_code_is_bold_and_a_line_says_how_long_there_is_time(person, sandbox, terminal):
    person.work_settings(sandbox)
    child = terminal("sign-in", "--via", "device")
    child.expect(r"    \x1b\[1m([A-Z0-9]+)\x1b\[0m\r\n")
    code = child.match[1]
    child.expect(r"It expires in \d\d:\d\d\.\s")
    child.expect(r"waiting for you, the code expires in (\d\d:\d\d)")
    first = child.match[1]
    child.expect(r"\r\x1b\[K. waiting for you, the code expires in (\d\d:\d\d)")
    assert child.match[1] < first
    sandbox.approve(code, ADA)
    text, status = ended(child)
    assert status == 0 and re.search(r"\r\x1b\[K" + re.escape(ADA), text), text


@pytest.mark.parametrize("rows, option, shown", [(24, [], False), (60, [], True), (24, ["--qr"], True)])
def test_the_address_is_a_qr_code_where_there_is_room_or_on_request(person, sandbox, terminal, rows, option, shown):
    person.work_settings(sandbox)
    child = terminal("sign-in", "--via", "device", *option, rows=rows)
    code = code_of(child)
    child.expect("waiting for you")
    assert ("▀▄" in child.before) == shown, child.before
    sandbox.approve(code, ADA)
    assert ended(child)[1] == 0


def test_no_line_is_written_where_standard_error_is_no_terminal(person, sandbox):
    person.work_settings(sandbox)
    running = person.start("sign-in", "--json", "--via", "device")
    sandbox.approve(running.wait_event("deviceCode")["userCode"], ADA)
    result = running.end()
    assert result.status == 0 and "waiting" not in result.stderr and "\x1b" not in result.stderr, result


def test_a_token_that_takes_over_a_second_says_whom_is_asked(person, sandbox, terminal):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    sandbox.fault("late", endpoint="token:refresh_token", seconds=3, times=1)
    child = terminal("token", "--silent", "--force-refresh")
    child.expect(r"\r\x1b\[K. asking 127\.0\.0\.1[:\d]*, (\d+) s")
    text, status = ended(child)
    assert status == 0 and text.splitlines()[-1].count(".") >= 2, text
    quick = terminal("token", "--silent")
    assert "asking" not in quick.read()


def test_json_is_indented_at_a_terminal_and_one_line_in_a_pipe(person, sandbox, terminal):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    for command in (["accounts", "--json"], ["token", "--silent", "--json"]):
        text, status = ended(terminal(*command))
        assert status == 0 and text.startswith('{\r\n    "') and text.endswith("}\r\n"), text
        assert person.foyer(*command).stdout.count("\n") == 1
