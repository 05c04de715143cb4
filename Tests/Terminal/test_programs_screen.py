"""Other programs on their page: what each was given and by which rule, which are set up, and how that is done and taken
back; and a question at the agent on every page."""

import pytest
from agents import Agent, questioned
from harness import ADA, GRACE, Store, add_settings, until

PAGES = {"!": "checked", "P": "not set up", ",": "Settings"}


@pytest.fixture
def ada(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    agent = Agent(person)
    yield person
    agent.stop()


def at(screen, program):
    """The page of programs, with this one chosen by its name."""
    screen.type("P").wait("not set up")
    screen.type(f"/{program}").keys("Enter")
    return screen.keys("Enter")


def test_a_program_is_found_with_its_rule(ada, pane):
    settings = add_settings(ada, f'\n[[rules]]\nprogram = "kubectl"  # the cluster\naccount = "{ADA}"\n')
    line = settings.read_text().splitlines().index('program = "kubectl"  # the cluster')
    screen = pane(ada, 110, 30).foyer(shows="Accounts 1")
    screen.type("P").wait("No program has requested a token yet", "foyer why", "foyer help")
    given = ada.foyer("helper", "kubectl")
    assert given.status == 0, given
    # The cursor stays on the row that was there before.
    screen.type("r").wait("✔ kubectl", "▌ ○ git")
    screen.keys("Home").wait("▌ ✔ kubectl", f"line {line} of", "What it would get now", "set by the rule")
    screen.keys("Enter").wait(f"config.toml, line {line}", "[[rules]]", "# the cluster", f'account = "{ADA}"')
    assert given.json["status"]["token"] not in screen.text
    screen.keys("Escape").wait("Enter rule", gone=["# the cluster"])
    screen.keys("Escape").wait("Accounts 1")


@pytest.mark.parametrize("columns, rows", [(40, 10), (80, 24), (200, 60)])
def test_a_refusal_is_answered_where_it_is_read(ada, pane, columns, rows):
    ada.sign_in(GRACE)
    settings = add_settings(ada, "\n")
    before = settings.read_bytes()
    assert ada.foyer("helper", "kubectl").status != 0
    assert ada.foyer("id-token", "--account", ADA).status == 0
    screen = pane(ada, columns, rows).foyer()
    screen.type("P").wait("kubectl", "id-token", "✖")
    # The rows are found by their words, as on every list.
    screen.type("/kube").keys("Enter")
    # The line of the search covers one of the few rows.
    screen.type("q").wait("kubectl", gone=["n next"])
    # The last used account is the first answer.
    screen.keys("Enter").wait("▌ Always use ada for kubectl", "Enter write rule")
    screen.answer("Enter", "rule saved in")
    given = ada.foyer("helper", "kubectl")
    assert given.status == 0 and f'account = "{ADA}"' in settings.read_text(), given
    screen.type("u").wait("undone: rule for kubectl")
    assert settings.read_bytes() == before and ada.foyer("helper", "kubectl").status != 0
    screen.type("q").wait("✔ id-token")


@pytest.fixture
def own(ada):
    """A folder of the person's own programs is first on PATH, and git has a configuration."""
    ada.environment |= {"PATH": f"{ada.home / '.local/bin'}:{ada.environment['PATH']}", "GIT_CONFIG_NOSYSTEM": "1"}
    (ada.home / ".gitconfig").write_text("[user]\n\tname = Ada\n[http]\n\textraheader = sekret-sekret")
    return ada


@pytest.mark.parametrize("columns, rows", [(40, 10), (80, 24), (200, 60)])
def test_git_is_set_up_from_the_page_and_taken_back(own, pane, columns, rows):
    config, link = own.home / ".gitconfig", own.home / ".local/bin/git-credential-foyer"
    before = config.read_bytes()
    screen = pane(own, columns, rows).foyer()
    # The marked answer is the harmless one.
    at(screen, "git").wait("Set git up?", "[ Cancel ]")
    screen.answer("Enter", "Programs", gone=["Set git up?"])
    assert config.read_bytes() == before and not link.exists()
    screen.keys("Enter").wait("Set git up?")
    screen.answer("End", "as by   git config")
    assert "sekret" not in screen.text
    screen.answer("y", "git is set up", "✔")
    assert link.is_symlink() and b"helper = foyer" in config.read_bytes()
    assert next(p for p in own.foyer("setup", "--json").json["programs"] if p["name"] == "git")["state"] == "setUp"
    screen.keys("Enter").wait("● git", gone=["✔ git config"])
    screen.keys("Enter").wait("Undo git's setup?", "● git: set up")
    screen.answer("y", "undone; git is not set up")
    assert config.read_bytes() == before and not link.exists()
    screen.keys("Enter").wait("○ git")


def test_what_is_in_the_way_is_told_and_stays(own, pane):
    link = own.home / ".local/bin/git-credential-foyer"
    link.parent.mkdir(parents=True)
    link.write_text("#!/bin/sh\n")
    link.chmod(0o755)
    screen = pane(own, 80, 24).foyer()
    at(screen, "git").wait("belongs to", "another program", "elsewhere")
    screen.keys("Escape").wait("Programs", gone=["elsewhere"])
    link.unlink()
    screen.keys("Enter").wait("Set git up?")
    # Between the question and the answer.
    (own.home / ".gitconfig").write_text("[user]\n\tname = Grace\n")
    screen.answer("y", "files changed in the meantime", "run it again")
    assert (own.home / ".gitconfig").read_text() == "[user]\n\tname = Grace\n" and not link.exists()


def test_docker_gets_the_registries_of_the_rules_or_is_told_what_to_run(own, pane):
    screen = pane(own, 110, 40).foyer()
    at(screen, "docker").wait("Set docker up?", "foyer setup docker", "contoso.azurecr.io")
    screen.answer("n", "Programs", gone=["Set docker"])
    add_settings(own, '\n[[rules]]\nregistry = "shop.azurecr.io"\nclient = "work"\n')
    # One key for the search, one for the page.
    screen.type("qq").wait("Accounts 1")
    screen = pane(own, 110, 40).foyer()
    at(screen, "docker").wait("Set docker up?", '"shop.azurecr.io": "foyer"')
    screen.answer("y", "docker is set up")
    assert "shop.azurecr.io" in (own.home / ".docker/config.json").read_text()


def test_a_question_is_told_on_whatever_page(ada, pane):
    add_settings(ada, '\n[agent]\nconfirm = ["work"]\n')
    Store(ada.store).age()
    screen = pane(ada, 80, 24).foyer(shows="Accounts 1")
    # Nobody is asked, and no agent is started by looking.
    assert ada.foyer("agent", "status").status == 8
    assert ada.foyer("agent", "start").status == 0
    for key, title in PAGES.items():
        screen.type(key).wait(title)
        asking, _ = questioned(ada, "token", "--silent", "--json", prepare=Store(ada.store).age)
        screen.wait("1 pending request: open @")
        screen.type("@").wait("Agent 1", "foyer agent")
        screen.keys("Home", "Down", "Enter").wait("▌ Refuse")
        screen.answer("Enter", "refused", gone=["Pending requests are refused"])
        assert asking.end().status == 130
        # A view of the tab has made room for the agent's; another page lies below it.
        screen.keys("Escape").wait("Accounts 1" if key in "!P" else title)
        screen.keys("Escape").wait("Accounts 1")
    until(lambda: "1 pending request" not in screen.text)
