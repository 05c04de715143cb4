"""What "foyer inspect" and "foyer scopes" tell beyond the claims: the difference, the raw form, a file for the claims,
what was declined."""

import base64
import json
import os
import re
import stat
import time

import pytest
from harness import ADA, HEDY, Store, assert_no_secret


@pytest.fixture
def people(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    person.sign_in(HEDY, "--client", "lab")
    return person


def id_tokens(person):
    tokens = person.foyer("tokens", "--json").json["tokens"]
    return {token["clientId"]: token["id"] for token in tokens if token["type"] == "IdToken"}


def test_the_difference_of_two_tokens(people):
    lab, work = (id for client, id in sorted(id_tokens(people).items(), key=lambda pair: pair[0] != "lab-cli"))
    result = people.foyer("inspect", "--json", "--id", work, "--compare", lab)
    assert result.status == 0, result
    changes = {change["name"]: change for change in result.json["difference"]["payload"]}
    assert changes["tid"]["change"] == "added" and changes["iss"]["change"] == "changed"
    assert changes["iss"]["from"] != changes["iss"]["to"]
    words = people.foyer("inspect", "--id", work, "--compare", lab).stdout
    assert "  + tid: " in words and "  ~ iss: " in words
    same = people.foyer("inspect", "--id", work, "--compare", work)
    assert same.stdout == "no differences\n"
    assert people.foyer("inspect", "--id", work, "--compare", "nobody").status == 8
    assert_no_secret(people.store, result, same)


def test_the_raw_form_is_json_without_the_signature(people):
    id = id_tokens(people)["lab-cli"]
    result = people.foyer("inspect", "--raw", "--id", id)
    assert result.status == 0 and json.loads(result.stdout).keys() == {"header", "payload"}
    assert_no_secret(people.store, result)


def test_claims_are_written_into_a_new_file_for_its_owner_alone(people, tmp_path):
    os.umask(0o022)
    id = id_tokens(people)["lab-cli"]
    file = tmp_path / "claims.json"
    result = people.foyer("inspect", "--id", id, "--export", str(file))
    assert result.status == 0 and str(file) in result.stderr, result
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text()
    assert json.loads(text)["payload"]["iss"] and not any(secret in text for secret in Store(people.store).secrets())
    assert text == people.foyer("inspect", "--raw", "--id", id).stdout
    again = people.foyer("inspect", "--id", id, "--export", str(file))
    assert again.status == 64 and "already exists" in again.stderr and file.read_text() == text


def test_a_link_in_the_place_of_the_file_is_not_followed(people, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    export = ("inspect", "--id", id_tokens(people)["lab-cli"], "--export")
    assert people.foyer(*export, tmp_path / "link").status == 64 and not (tmp_path / "elsewhere").exists()
    assert people.foyer(*export, tmp_path / "no" / "file").status == 7


def test_an_issuer_that_nobody_configured_is_not_asked(people, tmp_path, sandbox):
    """A token that somebody hands over must not choose whom this machine talks to, least of all on this machine."""
    token = people.foyer("token", "--silent", "--client", "lab").stdout.strip()
    nobody = tmp_path / "config.toml"
    nobody.write_text("")
    before = sandbox.state()["requests"]
    verify = ("inspect", "--json", "--verify", "--config", nobody, "-")
    result = people.foyer(*verify, stdin=token.encode())
    assert result.status == 64 and "not configured or well known" in result.error["message"], result
    assert sandbox.state()["requests"] == before and len(result.events) == 1
    named = people.foyer(*verify, "--authority", sandbox.issuer, stdin=token.encode())
    assert named.status == 0 and named.json["signature"]["status"] == "verified", named
    assert named.events == [{"event": "asking", "host": sandbox.issuer.split("//")[1].split("/")[0]}]
    assert "for the issuer's keys" in people.foyer("inspect", "--verify", "-", stdin=token.encode()).stderr


def test_the_same_explanations_in_words_and_in_json(people):
    id = id_tokens(people)["lab-cli"]
    meanings = people.foyer("inspect", "--json", "--id", id).json["meanings"]
    words = people.foyer("inspect", "--id", id).stdout
    assert meanings["iss"] and all(meaning in words for meaning in meanings.values())


def test_what_is_dangerous_in_a_token_is_told_first(people):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    claims = {
        "exp": int(time.time()) - 3000,
        "aud": "https://graph.microsoft.com",
        "scp": "Group.ReadWrite.All User.Read",
        "wids": ["62e90394-69f5-4237-9190-012177145e10"],
    }
    token = f"{part({'alg': 'none'})}.{part(claims)}.".encode()
    first, *rest = people.foyer("inspect", "-", stdin=token).stdout.splitlines()
    assert re.fullmatch(r"expired 5\d min ago . unsigned \(alg none\) . critical scope . Global Administrator", first)
    assert "  Group.ReadWrite.All  — creates, changes and deletes groups and their content (critical risk)" in rest
    told = people.foyer("inspect", "--json", "-", stdin=token).json
    findings = ["expired", "unsigned", "criticalRiskScopes", "criticalRiskDirectoryRoles"]
    assert told["verdict"] == {"level": "danger", "findings": findings}
    assert {each["name"]: each["risk"] for each in told["permissions"]} == {
        "Group.ReadWrite.All": "critical",
        "Global Administrator": "critical",
        "User.Read": "low",
    }


def test_what_was_declined_survives_the_process_and_ends_with_the_consent(person, sandbox):
    person.work_settings(sandbox)

    def ask(scopes, granted):
        running = person.start("sign-in", "--json", "--via", "device", "--scope", scopes)
        sandbox.approve(running.wait_event("deviceCode")["userCode"], ADA, scopes=granted)
        return running.end().status

    assert ask("User.Read Mail.Read", ["User.Read"]) == 4
    (row,) = person.foyer("scopes", "--json").json["scopes"]
    assert "Mail.Read" in row["declined"] and "User.Read" in row["granted"] and "Mail.Read" in row["requested"]
    assert row["meanings"]["Mail.Read"]["risk"] and "adminOnly" in row
    assert "Mail.Read" in person.foyer("scopes").stdout
    assert ask("User.Read Mail.Read", ["User.Read", "Mail.Read"]) == 0
    (row,) = person.foyer("scopes", "--json").json["scopes"]
    assert row["declined"] == [] and "Mail.Read" in row["granted"]
