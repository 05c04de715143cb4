"""foyer why: which account another program gets, and which rule says so."""

import pytest
from harness import ADA, GRACE, TRY_OUT, Store, assert_no_secret

RULES = f"""
[[rules]]
host = "github.com"
account = "nobody"

[[rules]]
host = "git.example.org"
path = "contoso"
account = "{GRACE}"

[[rules]]
program = "terraform"
directory = "~/work"
account = "{ADA}"
"""
KUBECTL = '\n[[rules]]\nprogram = "kubectl"\ncluster = "*"\nscopes = ["User.Read"]\n'


@pytest.fixture
def path(person, sandbox):
    """The settings of somebody who has signed in as Ada."""
    path = person.work_settings(sandbox)
    person.sign_in(ADA)
    return path


def test_why_names_the_rule_the_client_and_the_account(person, path):
    person.sign_in(GRACE)
    path.write_text(path.read_text() + RULES)
    line = path.read_text().splitlines().index('host = "git.example.org"')
    result = person.foyer("why", "git", "https://git.example.org/contoso/x", "--json")
    assert result.status == 0, result
    assert result.json["rule"] == {"line": line, "conditions": {"host": "git.example.org", "path": "contoso"}}
    assert result.json["passedOver"] == [{"line": line - 4, "condition": "host"}]
    assert result.json["account"]["username"] == GRACE and result.json["accountSource"] == "rule"
    assert result.json["clientId"] == TRY_OUT and result.json["hasToken"] is True
    text = person.foyer("why", "git", "https://git.example.org/contoso/x")
    assert f"rule on line {line - 4} does not match: its host is github.com" in text.stdout, text
    assert f"rule on line {line}" in text.stdout and f"account: {GRACE}" in text.stdout and "now: " in text.stdout
    assert_no_secret(person.store, result, text)


def test_why_says_when_no_rule_is_there(person, path):
    stranger = person.foyer("why", "git", "https://stranger.example/x")
    assert stranger.status == 8 and "[[rules]]" in stranger.stderr and stranger.stdout == "", stranger
    assert person.foyer("why", "terraform", "--json").json["accountSource"] == "only"
    person.sign_in(GRACE)
    several = person.foyer("why", "terraform", "--json")
    assert several.status == 8 and several.json["accountSource"] == "several", several
    assert {account["username"] for account in several.json["candidates"]} == {ADA, GRACE}
    path.write_text(path.read_text() + RULES)
    work = person.home / "work"
    work.mkdir()
    there = person.foyer("why", "terraform", cwd=work)
    assert there.status == 0 and ADA in there.stdout, there


@pytest.mark.parametrize(
    "words", [["kubectl", "https://cluster.example"], ["terraform"], ["git", "https://dev.azure.com/x/y"]]
)
def test_the_rule_of_a_hint_can_be_pasted(person, path, words):
    person.sign_in(GRACE)
    told = person.foyer("why", *words)
    lines = told.stderr.splitlines()
    assert told.status != 0 and "[[rules]]" in lines, told
    before = path.read_text()
    path.write_text(before + "\n" + "\n".join(lines[lines.index("[[rules]]") :]) + "\n")
    accounts = person.foyer("accounts", "--config", path, "--json")
    assert accounts.status == 0 and len(accounts.json["accounts"]) == 2, (accounts, told)
    hint = person.foyer("why", *words, "--json").json
    assert hint["rule"]["line"] == len(before.splitlines()) + 2, hint


def record(person):
    return person.home / ".local" / "state" / "foyer" / "program-uses.jsonl"


def test_the_record_says_what_programs_were_given_and_no_token(person, path):
    path.write_text(path.read_text() + KUBECTL + f'account = "{ADA}"\n')
    rule = path.read_text().splitlines().index('program = "kubectl"')
    assert person.foyer("why", "--recent", "--json").json == {"uses": []}
    assert "no program" in person.foyer("why", "--recent").stderr
    given = person.foyer("helper", "kubectl")
    assert given.status == 0 and given.json["status"]["token"], given
    Store(person.store).age()
    assert person.foyer("helper", "kubectl").status == 0
    assert person.foyer("id-token").status == 0
    person.sign_in(GRACE)
    address = "$IDENTITY_ENDPOINT?api-version=2019-08-01&resource=https://graph.microsoft.com"
    ran = person.foyer("run", "--", "sh", "-c", f'curl -s -H "X-IDENTITY-HEADER: $IDENTITY_HEADER" "{address}"')
    assert ran.status == 0, ran
    result = person.foyer("why", "--recent", "--json")
    uses = result.json["uses"]
    assert [use["program"] for use in uses] == ["sh", "id-token", "kubectl", "kubectl"], uses
    assert uses[0]["refused"] == "ambiguous" and uses[0]["rule"] is None and "why" in uses[0]
    assert uses[1]["source"] in ("cache", "refresh") and uses[1]["account"] == ADA
    assert [use["source"] for use in uses[2:]] == ["refresh", "cache"]
    assert all(use["account"] == ADA and use["rule"] == rule and use["clientId"] == TRY_OUT for use in uses[2:])
    assert all(use["homeAccountId"] and use["scopes"] and use["at"] > 1_700_000_000 for use in uses[2:])
    text = person.foyer("why", "kubectl", "--recent")
    assert text.stdout.count("kubectl") == 2 and f"line {rule}" in text.stdout and "id-token" not in text.stdout
    assert record(person).stat().st_mode & 0o777 == 0o600
    assert_no_secret(person.store, result, text)
    written = record(person).read_text()
    assert not [secret for secret in Store(person.store).secrets() if secret in written]
    assert given.json["status"]["token"] not in written


def test_a_token_of_the_command_is_in_the_record_unless_it_was_cached(person, path):
    def tokens():
        uses = person.foyer("why", "--recent", "--json").json["uses"]
        return [use for use in uses if use["program"] == "foyer token"]

    assert person.foyer("token").status == 0 and person.foyer("token", "--json").status == 0
    assert tokens() == []
    Store(person.store).age()
    token = person.foyer("token")
    assert token.status == 0 and [(use["source"], use["account"]) for use in tokens()] == [("refresh", ADA)]
    assert token.stdout.strip() not in record(person).read_text()
    assert person.foyer("token", "--silent", "--scope", "Mail.Send").status == 3
    assert [use.get("refused") for use in tokens()] == ["interactionRequired", None], tokens()


def test_the_record_has_who_was_refused_for_a_person_that_is_not_signed_in(person, path):
    path.write_text(path.read_text() + KUBECTL + f'account = "{GRACE}"\n')
    assert person.foyer("why", "kubectl").status == 3
    assert person.foyer("why", "--recent", "--json").json == {"uses": []}, "who only looks is not noted"
    assert person.foyer("helper", "kubectl").status == 3
    uses = person.foyer("why", "--recent", "--json").json["uses"]
    assert [(use["refused"], use["account"]) for use in uses] == [("interactionRequired", GRACE)], uses
    assert uses[0]["rule"] and GRACE in uses[0]["why"]


@pytest.mark.parametrize("trouble", ["folder", "link"])
def test_a_record_that_cannot_be_written_holds_up_nobody(person, path, trouble):
    path.write_text(path.read_text() + KUBECTL)
    place = record(person)
    place.parent.mkdir(parents=True, exist_ok=True)
    if trouble == "folder":
        place.mkdir()
    else:
        place.symlink_to(person.home / "elsewhere")
    given = person.foyer("helper", "kubectl")
    assert given.status == 0 and given.json["status"]["token"] and given.stderr == "", given
    assert not (person.home / "elsewhere").exists()
    assert person.foyer("why", "--recent", "--json").json == {"uses": []}


def test_why_wants_a_program_or_recent(person, sandbox):
    person.work_settings(sandbox)
    assert person.foyer("why").status == 64
    assert person.foyer("why", "git", "https://x.example", "--recent").status == 64
