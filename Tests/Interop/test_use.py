"""The sign-in that is used if none is named: for a shell, a folder or everywhere, and what comes before it."""

import shlex
import shutil
import subprocess

import pytest
from harness import ADA, FABRIKAM, GRACE, HEDY


@pytest.fixture
def people(person, sandbox):
    """Ada with two clients, Grace with one, Hedy at an OpenID Connect provider; the default client is Ada's alone."""
    person.work_settings(sandbox)
    person.sign_in(ADA)
    person.sign_in(ADA, "--client", "cli")
    person.sign_in(GRACE, "--client", "cli")
    person.sign_in(HEDY, "--client", "lab")
    return person


@pytest.fixture
def folder(people):
    made = people.home / "customers" / "fabrikam"
    made.mkdir(parents=True)
    return made


def settings(people):
    return people.home / "config" / "foyer" / "config.toml"


def whose(people, *arguments, env=None, cwd=None):
    """The account of the token that `foyer token` gets, or its status."""
    result = people.foyer("token", "--silent", "--json", *arguments, env=env, cwd=cwd)
    return result.json["account"]["username"] if result.status == 0 else result.status


def variables(people, *arguments, env=None):
    """What a shell has after evaluating the lines."""
    result = people.foyer("use", *arguments, env=env)
    assert result.status == 0, result
    names = "FOYER_CLIENT FOYER_ACCOUNT FOYER_TENANT FOYER_AUTHORITY"
    shown = " ".join(f'"${{{name}-unset}}"' for name in names.split())
    script = f"{result.stdout}\nprintf '%s\\n' {shown}"
    shell = {**people.environment, **(env or {})}
    run = subprocess.run(["sh", "-ec", script], env=shell, capture_output=True, text=True)
    assert run.returncode == 0, run
    return dict(zip(names.split(), run.stdout.splitlines(), strict=True))


def test_a_shell_has_the_sign_in_that_was_named(people):
    assert whose(people) == ADA and whose(people, "--client", "cli") == 8
    set_up = variables(people, GRACE)
    assert set_up == {
        "FOYER_CLIENT": "cli",
        "FOYER_ACCOUNT": GRACE,
        "FOYER_TENANT": "unset",
        "FOYER_AUTHORITY": "unset",
    }
    shell = {name: value for name, value in set_up.items() if value != "unset"}
    assert whose(people, env=shell) == GRACE and whose(people, "--client", "cli", env=shell) == GRACE
    # The account is of that client alone, and an option comes first.
    assert whose(people, "--client", "lab", env=shell) == HEDY
    assert whose(people, "--account", ADA, env=shell) == ADA
    shown = people.foyer("use", "--json", env=shell).json
    assert (shown["client"], shown["clientSource"], shown["accountSource"]) == ("cli", "environment", "environment")
    assert shown["account"]["username"] == GRACE
    assert [place["place"] for place in shown["places"] if place["isUsed"]] == ["shell"]
    words = people.foyer("use", env=shell).stdout
    assert "client: cli, set by FOYER_CLIENT" in words and f"account: {GRACE}, set by FOYER_ACCOUNT" in words
    unset = variables(people, "--unset", env={**shell, "FOYER_TENANT": "t"})
    assert set(unset.values()) == {"unset"}
    tenant = variables(people, ADA, "--client", "work", "--tenant", FABRIKAM)
    assert (tenant["FOYER_CLIENT"], tenant["FOYER_TENANT"]) == ("work", FABRIKAM)


@pytest.mark.parametrize("shell", ["fish", "tcsh"])
def test_other_shells_read_the_lines(people, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    syntax = {"fish": "fish", "tcsh": "csh"}[shell]
    lines = people.foyer("use", GRACE, "--syntax", syntax).stdout
    run = subprocess.run([shell, "-c", f"{lines}\nprintenv FOYER_ACCOUNT"], capture_output=True, text=True)
    assert run.stdout == GRACE + "\n", run


def test_a_folder_has_a_sign_in_of_its_own(people, folder):
    done = people.foyer("use", GRACE, "--here", cwd=folder)
    assert done.status == 0 and "~/customers/fabrikam: " + GRACE in done.stdout, done
    rule = f'[[rules]]\ndirectory = "~/customers/fabrikam"\nclient = "cli"\naccount = "{GRACE}"\n'
    assert settings(people).read_text().endswith("\n" + rule)
    deep = folder / "deep"
    deep.mkdir()
    assert whose(people, cwd=folder) == whose(people, cwd=deep) == GRACE and whose(people, cwd=folder.parent) == ADA
    # Programs have it, too, and the shell comes first.
    assert people.foyer("why", "terraform", "--json", cwd=folder).json["account"]["username"] == GRACE
    assert whose(people, env={"FOYER_CLIENT": "lab"}, cwd=folder) == HEDY
    shown = people.foyer("use", "--json", env={"FOYER_CLIENT": "lab"}, cwd=folder).json
    assert [(place["place"], place["isUsed"]) for place in shown["places"]][:3] == [
        ("shell", True),
        ("folder", False),
        ("everywhere", False),
    ]
    told = people.foyer("use", ADA, "--client", "work", "--folder", deep, env={"FOYER_CLIENT": "lab"})
    assert told.status == 0 and "takes precedence: FOYER_CLIENT in this shell" in told.stderr, told
    assert whose(people, cwd=deep) == ADA and whose(people, cwd=folder) == GRACE
    assert people.foyer("use", HEDY, "--here", cwd=folder).status == 0
    assert settings(people).read_text().count("[[rules]]") == 2 and whose(people, cwd=folder) == HEDY
    for place in (folder, deep):
        assert people.foyer("use", "--unset", "--here", cwd=place).status == 0
    assert "[[rules]]" not in settings(people).read_text() and whose(people, cwd=deep) == ADA
    assert people.foyer("use", GRACE, "--folder", people.home / "nowhere").status == 64


def test_everywhere_is_the_top_of_the_settings(people, folder):
    before = settings(people).read_text()
    done = people.foyer("use", GRACE, "--everywhere", "--json")
    assert done.status == 0 and done.json["changed"] == "everywhere" and done.json["stronger"] == [], done
    assert whose(people) == GRACE and whose(people, "--client", "work") == ADA
    assert people.foyer("why", "terraform", "--json").json["accountSource"] == "settings"
    # A rule for the program and an account that it names come first.
    ruled = settings(people).read_text() + f'\n[[rules]]\nprogram = "terraform"\naccount = "{ADA}"\n'
    settings(people).write_text(ruled)
    found = people.foyer("why", "terraform", "--json", env={"FOYER_ACCOUNT": GRACE}).json
    assert (found["account"]["username"], found["accountSource"]) == (ADA, "rule")
    settings(people).write_text(ruled.partition("\n[[rules]]")[0] + "\n")
    assert people.foyer("use", "--unset", "--everywhere").status == 0
    assert settings(people).read_text().strip() == before.replace('client = "work"\n', "").strip()


def test_only_a_sign_in_that_exists_is_taken(people):
    before = settings(people).read_text()
    for words, status, said in [
        ((ADA,), 8, "--client cli"),
        (("ada@contoso.exampel",), 8, f'did you mean "{ADA}"?'),
        (("nobody",), 8, '"foyer accounts" lists them'),
        ((GRACE, "--client", "work"), 8, "--client cli"),
        (("--client", "powershell"), 8, "no account has signed in by powershell"),
        (("--client", "cli"), 8, GRACE),
        (("--client", "azure-cil"), 78, 'did you mean "azure-cli"?'),
        (("--here",), 64, "name an account"),
        ((ADA, "--here", "--everywhere"), 64, "exclude each other"),
        ((ADA, "--unset"), 64, "--unset takes no account"),
    ]:
        for place in ((), ("--everywhere",)) if status in (8, 78) else ((),):
            result = people.foyer("use", *words, *place)
            assert result.status == status and said in result.stderr and result.stdout == "", result
    assert settings(people).read_text() == before


def test_an_account_that_is_signed_out_is_replaced_by_nobody(people):
    shell = {"FOYER_CLIENT": "cli", "FOYER_ACCOUNT": GRACE}
    assert people.foyer("remove", GRACE, "--client", "cli").status == 0
    refused = people.foyer("token", "--silent", env=shell)
    assert refused.status == 3 and f"--login-hint {GRACE}" in refused.stderr, refused
    assert people.foyer("use", env=shell).status == 3
    # A sign-in and a sign-out are of those who are named.
    people.environment |= shell
    assert people.sign_in(ADA)["account"]["username"] == ADA


def test_nothing_else_changes_the_default(people):
    people.settings(settings(people).read_text().replace('client = "work"\n', ""))
    people.sign_in(ADA, "--client", "work")
    people.foyer("use", GRACE)
    first = people.foyer("use", "--json").json
    assert (first["client"], first["clientSource"]) == ("work", "remembered")
    people.sign_in(HEDY, "--client", "lab")
    assert people.foyer("use", "--json").json["client"] == "work"
    people.sign_in(HEDY, "--client", "lab", "--default")
    last = people.foyer("use", "--json").json
    assert (last["client"], last["clientSource"], last["account"]["username"]) == ("lab", "remembered", HEDY)


def test_a_sign_in_without_settings_is_named_by_what_lists_print(person, sandbox):
    person.sign_in(HEDY, "--authority", sandbox.issuer, "--client-id", "lab-cli")
    assert person.foyer("use", HEDY, "--everywhere").status == 0
    text = settings(person).read_text()
    assert 'client = "lab-cli"' in text and f'account = "{HEDY}"' in text and "[clients.lab-cli]" in text
    assert whose(person) == HEDY


def test_a_well_known_client_has_one_word_for_a_name(person, sandbox):
    person.environment["FOYER_AUTHORITY"] = sandbox.authority()
    person.sign_in(ADA, "--client", "Azure CLI")
    person.sign_in(ADA, "--client", "azure-cli")
    names = {row["client"] for row in person.foyer("accounts", "--json").json["accounts"]}
    names |= {client["name"] for client in person.foyer("tokens", "--json").json["clients"]}
    listed = person.foyer("clients", "--all", "--json").json["clients"]
    names |= {client["name"] for client in listed if client["isDefault"]}
    assert names == {"azure-cli"}
    assert all(shlex.quote(client["name"]) == client["name"] for client in listed)
    assert {client["title"] for client in listed if client["name"] == "azure-cli"} == {"Azure CLI"}
    for name in ("azure-cli", "Azure CLI"):
        assert whose(person, "--client", name) == ADA


def test_a_device_code_says_for_whom_it_is(people, sandbox):
    for words, account, where in [
        (("--client", "lab", "--login-hint", "emmy"), "emmy", sandbox.issuer),
        (("--client", "work", "--account", ADA, "--tenant", FABRIKAM), ADA, f"(tenant {FABRIKAM})"),
        (("--client", "work"), None, "(any"),
    ]:
        running = people.start("sign-in", "--via", "device", "--json", *words)
        event = running.wait_event("deviceCode")
        assert (event["account"], event["client"]) == (account, words[1]), event
        assert event["authority"].startswith(sandbox.base), event
        running.kill()
        running = people.start("sign-in", "--via", "device", *words)
        line = running.wait_line(lambda line: line.startswith("To sign in to "))
        assert f"To sign in to {words[1]}" + (f" as {account} at " if account else " at ") in line and where in line
        running.kill()


def test_another_user_than_the_suggested_one_is_told(people, sandbox):
    running = people.start("sign-in", "--via", "device", "--json", "--client", "lab", "--account", "emmy")
    sandbox.approve(running.wait_event("deviceCode")["userCode"], HEDY)
    result = running.end()
    assert result.status == 0, result
    warnings = [event["message"] for event in result.events if event.get("event") == "warning"]
    assert [warning for warning in warnings if HEDY in warning and "emmy" in warning], result
