"""foyer why: which account another program gets, and which rule says so."""

import subprocess

from harness import ADA, FOYER, GRACE, TRY_OUT, assert_no_secret

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


def test_why_names_the_rule_the_client_and_the_account(person, sandbox):
    path = person.work_settings(sandbox)
    person.sign_in(ADA)
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
    assert f"rule of line {line}" in text.stdout and f"account: {GRACE}" in text.stdout and "now: " in text.stdout
    assert_no_secret(person.store, result, text)


def test_why_says_when_no_rule_is_there(person, sandbox):
    path = person.work_settings(sandbox)
    person.sign_in(ADA)
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
    there = subprocess.run([str(FOYER), "why", "terraform"], cwd=work, env=person.environment, capture_output=True)
    assert there.returncode == 0 and ADA in there.stdout.decode(), there
