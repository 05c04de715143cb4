"""Other programs on their page: what each was given and by which rule; and a question at the agent on every page."""

import pytest
from agents import Agent
from harness import ADA, GRACE, Store, until

PAGES = {"!": "Doctor", "P": "Programs", ",": "Settings"}


@pytest.fixture
def ada(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    agent = Agent(person)
    yield person
    agent.stop()


def settings(person):
    return person.home / "config" / "foyer" / "config.toml"


def write(person, text):
    settings(person).write_text(settings(person).read_text() + text)


def test_a_program_is_found_with_its_rule(ada, pane):
    write(ada, f'\n[[rules]]\nprogram = "kubectl"  # the cluster\naccount = "{ADA}"\n')
    line = settings(ada).read_text().splitlines().index('program = "kubectl"  # the cluster')
    screen = pane(ada, 110, 30).foyer(shows="Accounts 1")
    screen.type("P").wait("No program was given a token yet", "foyer why", "foyer help programs")
    given = ada.foyer("helper", "kubectl")
    assert given.status == 0, given
    screen.type("r").wait("✔ kubectl", "Programs 1", f"line {line} of", "What it would get now", "the rule names it")
    screen.keys("Enter").wait(f"config.toml, line {line}", "[[rules]]", "# the cluster", f'account = "{ADA}"')
    assert given.json["status"]["token"] not in screen.text
    screen.keys("Escape").wait("Enter rule", gone=["# the cluster"])
    screen.keys("Escape").wait("Accounts 1")


@pytest.mark.parametrize("columns, rows", [(40, 10), (80, 24), (200, 60)])
def test_without_a_rule_there_is_one_to_write(ada, pane, columns, rows):
    ada.sign_in(GRACE)
    assert ada.foyer("helper", "kubectl").status != 0
    assert ada.foyer("id-token", "--account", ADA).status == 0
    screen = pane(ada, columns, rows).foyer()
    screen.type("P").wait("kubectl", "id-token", "✖")
    # The rows are found by their words, as on every list.
    screen.type("/kube").keys("Enter")
    screen.keys("Enter").wait("No rule fits", "[[rules]]", 'program = "kubectl"')
    # One key for the search, one for the text.
    screen.type("qq").wait("✔ id-token")


def test_a_question_is_told_on_whatever_page(ada, pane):
    write(ada, '\n[agent]\nconfirm = ["work"]\n')
    Store(ada.store).age()
    screen = pane(ada, 80, 24).foyer(shows="Accounts 1")
    # Nobody is asked, and no agent is started by looking.
    assert ada.foyer("agent", "status").status == 8
    assert ada.foyer("agent", "start").status == 0
    for key, title in PAGES.items():
        screen.type(key).wait(title)
        asking = ada.start("token", "--silent", "--json")
        screen.wait("1 program waits for you: @ answers", title)
        screen.type("@").wait("1 program waiting for you", "foyer agent")
        screen.keys("Home", "Down", "Enter").wait("▌ Refuse")
        screen.keys("Enter").wait("refused")
        assert asking.end().status == 3
        screen.keys("Escape").wait(title)
        screen.keys("Escape").wait("Accounts 1")
    until(lambda: "waits for you" not in screen.text)
