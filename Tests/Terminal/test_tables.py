"""Tables of the commands at a terminal of 80 and of 110 columns: they fit, those that need somebody come first, colours
are the theme's; in a pipe they are lines of cells between tabs. And a token's short identifier leads to it."""

import json
import re
import shutil
import time
from pathlib import Path

import pytest
from harness import ADA, AZURE_CLI, CONTOSO, FABRIKAM, FOYER, GRACE, HEDY, LAB, LEFT, UNSAFE, Store
from waiting import spawn

HOSTILE = Path(__file__).parent.parent / "Interop" / "fixtures" / "hostile_text.json"
SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


def at_terminal(person, *arguments, columns=80, rows=40, **variables):
    """What a terminal gets, line by line, and the exit status."""
    environment = {**person.environment, **variables}
    child = spawn(person, FOYER, *arguments, env=environment, dimensions=(rows, columns))
    text = child.read().replace("\r\n", "\n")
    child.close()
    return text.removesuffix("\n").split("\n"), child.exitstatus


def plain(lines):
    return [SEQUENCE.sub("", line) for line in lines]


def without_tokens(person, username):
    """Nothing that could be used is left of this account."""
    content = Store(person.store).read()
    (home,) = {entry["home_account_id"] for entry in content["Account"].values() if entry["username"] == username}
    for section in ("AccessToken", "RefreshToken"):
        content[section] = {key: entry for key, entry in content[section].items() if entry["home_account_id"] != home}
    person.store.write_text(json.dumps(content))


@pytest.mark.parametrize("columns", [80, 110])
def test_accounts_fit_and_those_that_need_a_sign_in_come_first(people, columns):
    without_tokens(people, GRACE)
    lines, status = at_terminal(people, "accounts", columns=columns)
    assert status == 0 and re.fullmatch(r"  ACCOUNT +CLIENT +TOKEN +NAME( +TENANT)?", plain(lines)[0]), lines
    assert [line.split()[:2] for line in plain(lines)[1:4]] == [["○", GRACE], ["●", ADA], ["●", ADA]], lines
    assert plain(lines)[4].split()[:2] == ["●", HEDY], lines
    assert "needs sign-in" in lines[1] and re.search(LEFT, lines[2]) and lines[5] == "3 accounts, 1 needs sign-in", (
        lines
    )
    assert all(len(line) <= columns for line in plain(lines)), lines
    assert ("contoso.example" in lines[2].replace(ADA, "")) == (columns == 110), lines
    assert lines[1].startswith("\x1b[1;4;31m○"), lines
    only, _ = at_terminal(people, "accounts", "--needs-sign-in", columns=columns)
    assert [GRACE in line for line in only] == [False, True, False], only
    assert len(at_terminal(people, "accounts", "--limit", "1", columns=columns)[0]) == 3


def test_accounts_in_a_pipe_are_cells_between_tabs(people):
    without_tokens(people, GRACE)
    result = people.foyer("accounts")
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[0] == ["ACCOUNT", "CLIENT", "TOKEN", "NOTE", "NAME", "TENANT", "ID"], result
    assert [row[0] for row in rows[1:]] == [GRACE, ADA, ADA, HEDY] and {len(row) for row in rows} == {7}, result
    assert [row[1] for row in rows[1:]] == ["cli", "cli", "work", "lab"], result
    assert "\x1b" not in result.stdout and not result.stderr, result


@pytest.mark.parametrize(
    "arguments, variables", [([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"}), (["--no-color"], {})]
)
def test_no_colour_where_it_is_unwanted(people, arguments, variables):
    lines, status = at_terminal(people, "accounts", *arguments, **variables)
    assert status == 0 and "\x1b" not in "".join(lines) and ADA in "".join(lines), lines


def test_a_terminal_without_utf_8_gets_ascii(people):
    lines, status = at_terminal(people, "accounts", columns=40, LANG="C", NO_COLOR="1")
    assert status == 0 and all(line.isascii() for line in lines) and lines[1].startswith("* "), lines


@pytest.mark.parametrize("columns", [40, 80, 110])
def test_two_hundred_accounts_with_real_names_are_two_hundred_different_rows(people, columns):
    content = Store(people.store).read()
    (pattern,) = [entry for entry in content["Account"].values() if entry["username"] == ADA]
    given = ["maria.fernanda", "jean-baptiste", "alexandra.sofia", "giovanni.battista", "katharina.elisabeth"]
    family = ["lindqvist", "lindstroem", "lindholm", "lindberg"]
    for index in range(200):
        name = f"{given[index % 5]}.{family[index // 5 % 4]}{index // 20}@subsidiary.contoso-international.example"
        content["Account"][name] = dict(pattern, username=name, home_account_id=f"person{index}.{CONTOSO}")
    people.store.write_text(json.dumps(content))
    lines, status = at_terminal(people, "accounts", columns=columns, rows=300)
    rows = plain(lines)[1:-1]
    assert status == 0 and len(rows) == len(set(rows)) == 204, rows
    assert all(len(line) <= columns for line in rows), max(rows, key=len)
    assert lines[-1] == "203 accounts, 200 need sign-in"


@pytest.mark.parametrize("columns", [79, 110])
def test_tokens_stand_in_sections_with_short_identifiers(people, columns):
    lines, status = at_terminal(people, "tokens", columns=columns)
    lines = plain(lines)
    assert status == 0 and lines[0].split()[:2] == ["ID", "KIND"] and lines[-1] == "12 tokens", lines
    place = next(number for number, line in enumerate(lines) if line.startswith(f"cli  {ADA}"))
    assert "Microsoft family" in lines[place] and (AZURE_CLI in lines[place]) == (columns == 110), lines
    kinds = [line.split()[1] for line in lines[place + 1 : place + 4]]
    assert kinds == ["access", "refresh", "ID"], lines
    assert all(re.match(r"  [0-9a-f]{4}-[air]\d{3} ", line) for line in lines[place + 1 : place + 4]), lines
    assert all(len(line) <= columns for line in lines), lines


def test_tokens_and_scopes_of_one_account_are_told_apart_and_what_expires_first_is_at_the_top(people):
    assert people.foyer("token", "--silent", "--account", ADA, "--client", "work", "--tenant", FABRIKAM).status == 0
    content, soon = Store(people.store).read(), str(int(time.time()) + 70)
    for entry in content["AccessToken"].values():
        if entry["client_id"] == LAB:
            entry.update(expires_on=soon, extended_expires_on=soon)
    people.store.write_text(json.dumps(content))
    lines = plain(at_terminal(people, "tokens", columns=80)[0])
    assert lines[1].startswith(f"lab  {HEDY}"), lines
    place = next(number for number, line in enumerate(lines) if line.startswith(f"work  {ADA}"))
    rows = [line.split("access", 1)[1] for line in lines[place + 1 : place + 3]]
    assert len(set(rows)) == 2 and all("Microsoft Graph" in row for row in rows), lines
    scopes = plain(at_terminal(people, "scopes", columns=80)[0])
    hers = [line for line in scopes if line.startswith(ADA) and " work " in line]
    assert len(set(hers)) == len(hers) == 2, scopes


def test_tokens_in_a_pipe_name_client_account_and_key(people):
    rows = [line.split("\t") for line in people.foyer("tokens").stdout.splitlines()]
    head = rows[0]
    assert {len(row) for row in rows} == {len(head)} and len(rows) == 13, rows
    keys = {token["id"] for token in people.foyer("tokens", "--json").json["tokens"]}
    assert {row[head.index("KEY")] for row in rows[1:]} == keys
    assert {row[head.index("CLIENT")] for row in rows[1:]} == {"work", "cli", "lab"}
    wide = "\n".join(plain(at_terminal(people, "tokens", "--wide")[0]))
    assert all(key in wide for key in keys)


def test_a_short_identifier_is_the_same_in_the_next_call_and_leads_to_its_token(people):
    def listed():
        rows = [line.split("\t") for line in people.foyer("tokens").stdout.splitlines()]
        id, key = rows[0].index("ID"), rows[0].index("KEY")
        return {row[key]: row[id] for row in rows[1:]}

    ids = listed()
    assert len(set(ids.values())) == 12
    key = next(key for key in ids if "-idtoken-" in key.lower() and AZURE_CLI in key)
    whole = people.foyer("inspect", "--json", "--id", key)
    assert whole.status == 0, whole
    for text in (ids[key], ids[key].upper(), ids[key][:-1], "--id=" + ids[key]):
        assert people.foyer("inspect", "--json", text).json == whole.json, text
    group = people.foyer("inspect", ids[key][:4])
    assert group.status == 8 and "3 tokens match" in group.stderr, group
    assert all(ids[other] in group.stderr for other in ids if ids[other][:4] == ids[key][:4]), group
    assert people.foyer("inspect", "ffff-i999").status == 8
    assert people.foyer("remove", HEDY, "--client", "lab").status == 0
    assert listed().items() <= ids.items() and len(listed()) == 9


def test_only_configured_clients_are_listed_unless_all_are_wanted(people, person):
    names = [line.split("\t")[0] for line in people.foyer("clients").stdout.splitlines()]
    assert names == ["NAME", "cli", "lab", "powershell", "work"], names
    all_names = [line.split("\t")[0] for line in people.foyer("clients", "--all").stdout.splitlines()]
    assert all_names[:5] == names and "vs-code" in all_names and "azure-cli" not in all_names, all_names
    lines, _ = at_terminal(people, "clients")
    assert "foyer clients --all" in lines[-1], lines


def test_an_empty_list_is_one_sentence_on_standard_error(person):
    for command, words in [
        (["accounts"], "no account is signed in"),
        (["tokens"], "no tokens are cached"),
        (["scopes"], "no permissions yet"),
        (["clients"], "no client is configured"),
        (["family"], "no family refresh token"),
    ]:
        result = person.foyer(*command)
        assert result.status == 0 and result.stdout == "" and result.stderr.count("\n") == 1, result
        assert result.stderr.startswith("foyer: " + words), result
    for command in ("accounts", "tokens", "scopes"):
        said = person.foyer(command).stderr
        assert """run "foyer sign-in --client azure-cli\"""" in said and "foyer clients --all" in said, said


def test_scopes_that_were_declined_come_first(people, sandbox):
    running = people.start("sign-in", "--json", "--via", "device", "--client", "work", "--scope", "User.Read Mail.Read")
    sandbox.approve(running.wait_event("deviceCode")["userCode"], ADA, scopes=["User.Read"])
    assert running.end().status == 4
    lines, status = at_terminal(people, "scopes", columns=80)
    assert status == 0 and plain(lines)[0].split()[:2] == ["ACCOUNT", "CLIENT"], lines
    assert plain(lines)[1].startswith(ADA) and "\x1b[1;4;31mMail.Read" in lines[1], lines
    assert all(len(line) <= 80 for line in plain(lines)), lines


@pytest.mark.parametrize("columns", [80, 110])
def test_damaged_entries_stand_below_the_tokens(people, columns):
    content = Store(people.store).read()
    content["IdToken"]["empty-" + "x" * 200] = dict(next(iter(content["IdToken"].values())), secret="")
    people.store.write_text(json.dumps(content))
    lines, status = at_terminal(people, "tokens", columns=columns, rows=60)
    lines = plain(lines)
    place = lines.index("damaged: 1 entry")
    assert status == 0 and lines[place - 2] == "" and "it has no secret" in lines[place + 1], lines
    assert "12 tokens, 1 damaged" in lines and all(len(line) <= columns for line in lines if "hint" not in line), lines


@pytest.mark.parametrize("command", ["accounts", "tokens", "scopes"])
def test_hostile_names_steer_no_terminal(person, tmp_path, command):
    store = tmp_path / "hostile.json"
    shutil.copy(HOSTILE, store)
    store.chmod(0o600)
    for width in (60, 110):
        lines, status = at_terminal(person, command, "--store", store, columns=width, rows=100)
        assert status == 0 and not any(UNSAFE.search(line) for line in plain(lines)), lines
        colours = set(SEQUENCE.findall("\n".join(lines)))
        assert colours <= {f"\x1b[{codes}m" for codes in ("0", "1", "2", "32", "33", "36", "1;31")}, colours


def test_stores_fit_with_the_own_one_first(people):
    for columns in (80, 110):
        lines, status = at_terminal(people, "stores", "--all", columns=columns)
        assert status == 0 and plain(lines)[1].startswith("foyer ") and all(len(x) <= columns for x in plain(lines))
