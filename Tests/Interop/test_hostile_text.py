"""Names that somebody else chose: no control character, no bidirectional control and no broken line reaches the
terminal."""

import json
import shutil
from pathlib import Path

import pytest
from harness import ADA, AZURE_CLI, UNSAFE, Person

FIXTURE = Path(__file__).parent / "fixtures" / "hostile_text.json"


@pytest.fixture
def hostile(person, tmp_path) -> Person:
    store = tmp_path / "hostile.json"
    shutil.copy(FIXTURE, store)
    store.chmod(0o600)
    person.environment["FOYER_STORE"] = str(store)
    return person


def assert_clean(*results):
    for result in results:
        for text in (result.stdout, result.stderr):
            assert not UNSAFE.search(text), (UNSAFE.findall(text), result)


COMMANDS = (["accounts"], ["tokens"], ["scopes"], ["clean"], ["tokens", "--reveal"])


@pytest.mark.parametrize("command", COMMANDS)
def test_in_words_nothing_unsafe_is_written(hostile, command):
    result = hostile.foyer(*command)
    assert result.status == 0, result
    # A tab stands between two cells and nowhere else: every line has as many.
    assert len({line.count("\t") for line in result.stdout.splitlines()}) <= 1, result
    assert not UNSAFE.search(result.stdout.replace("\t", " ")) and not UNSAFE.search(result.stderr), result


@pytest.mark.parametrize("command", COMMANDS)
def test_in_json_it_is_escaped_and_whole(hostile, command):
    result = hostile.foyer(*command, "--json")
    assert result.status == 0, result
    assert_clean(result)
    assert len(result.stdout.splitlines()) == 1


def test_json_gives_the_name_back_as_it_was(hostile):
    (stored,) = json.loads(FIXTURE.read_text())["Account"].values()
    (account,) = hostile.foyer("accounts", "--json").json["accounts"]
    assert account["username"] == stored["username"] and account["name"] == stored["name"]


def test_an_account_is_one_line(hostile):
    assert len(hostile.foyer("accounts").stdout.splitlines()) == 2


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_errors_are_clean_too(hostile, form):
    escape = "\x1b[31mred\u202eder\x9b0m"
    for arguments in (
        ["remove", escape, "--client-id", AZURE_CLI],
        ["inspect", "--id", escape],
        ["no" + escape],
        ["token", "--silent", "--client", escape],
        ["token", "--silent", "--client-id", AZURE_CLI, "--authority", "https://" + escape],
        ["accounts", "--store", "/nowhere/" + escape + "/x"],
        ["accounts", "--config", escape],
        ["token", "--silent", "--client-id", AZURE_CLI],
    ):
        assert_clean(hostile.foyer(*arguments, *form))


def test_what_a_provider_says_is_clean(person, sandbox):
    person.work_settings(sandbox)
    said = {"error": "bad\x1b]0;title\x07", "description": "line\r\n\x1b[2Jtwo\u202e\x9b", "suberror": "\x1b[1m"}
    for form in ([], ["--json"]):
        sandbox.fault("error", endpoint="devicecode", **said)
        result = person.foyer("sign-in", "--via", "device", *form)
        assert result.status == 5, result
        assert_clean(result)


def test_a_name_in_a_fresh_sign_in_is_clean(person, sandbox):
    person.work_settings(sandbox)
    for form in ([], ["--json"]):
        sandbox.fault("override", endpoint="devicecode", fields={"user_code": "AB\x1b[31mCD"}, times=1)
        result = person.foyer("sign-in", "--via", "device", *form)
        assert result.status == 9, result
        assert_clean(result)


def test_a_token_with_other_characters_than_tokens_have_is_not_printed(person, sandbox):
    person.work_settings(sandbox)
    sandbox.fault("override", endpoint="token:authorization_code", fields={"access_token": "abc\x1b[31mdef"}, times=1)
    result = person.foyer("token", "--via", "browser", "--browser", "curl -sL %s", "--login-hint", ADA)
    assert result.status == 9 and result.stdout == "", result
    assert_clean(result)


def test_claims_are_shown_clean(person):
    import base64

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    token = part({"alg": "none"}) + "." + part({"name": "a\x1b[31mb\u202ec\nd\x9be", "x\x1b]0;t\x07": "y"}) + "."
    for form in ([], ["--json"]):
        result = person.foyer("inspect", "-", *form, stdin=token.encode())
        assert result.status == 0, result
        assert_clean(result)
