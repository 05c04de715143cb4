"""Other programs' stores in the running interface: their accounts in the list, what is allowed, and a removal as the
program would do it."""

import json

import pytest
from caches import cache
from caches import people as whole
from harness import ADA, Store, until

SUBSCRIPTIONS = {
    "installationId": "x",
    "subscriptions": [
        {"id": str(number), "name": f"sub {number}", "user": {"name": f"{who}@contoso.example", "type": "user"}}
        for number, who in enumerate(["zed", "zed", "yan"])
    ],
}


@pytest.fixture
def azure(people):
    """Zed and Yan are signed in to the Azure CLI."""
    folder = people.home / ".azure"
    folder.mkdir(mode=0o700)
    (folder / "azureProfile.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(SUBSCRIPTIONS).encode())
    path = folder / "msal_token_cache.json"
    path.write_text(cache(["zed", "yan"]))
    path.chmod(0o600)
    return path


def settings(person):
    return (person.home / "config" / "foyer" / "config.toml").read_text()


def test_accounts_of_another_program_are_listed_and_grouped(people, azure, pane):
    screen = pane(people, 120, 30).foyer()
    screen.wait("Accounts 5", "zed@contoso.example", "° in another program's store")
    screen.type("zzzz").wait("by store", "in foyer", "in Azure CLI")
    lines = screen.text.splitlines()
    headings = ("▾ in foyer  ", "▾ in Azure CLI  ")
    foyer, theirs = (next(i for i, line in enumerate(lines) if words in line) for words in headings)
    ada, zed = (next(i for i, line in enumerate(lines) if who in line[:60]) for who in (ADA, "zed@contoso.example"))
    assert foyer < ada < theirs < zed


def test_their_tokens_are_looked_at_and_no_secret_is_on_the_screen(people, azure, pane):
    screen = pane(people, 120, 40).foyer(shows="Accounts 5")
    screen.type("/zed").keys("Enter", "Enter").wait("access token")
    screen.keys("Tab", "Tab", "Tab").wait("home_account_id")
    assert "SECRET" not in screen.text
    assert whole(json.loads(azure.read_text())) == {"zed", "yan"}


def test_a_store_is_changed_only_when_that_was_allowed_and_then_as_its_program_would(people, azure, pane):
    before, own = azure.read_bytes(), people.store.read_bytes()
    screen = pane(people).foyer(shows="Accounts 5")
    screen.type("/zed").keys("Enter")
    screen.type("x").wait("read-only")
    assert azure.read_bytes() == before
    screen.type("W").wait("Token stores", "read-only")
    screen.type("jw")
    until(lambda: "[stores.azure-cli]\nwrite = true" in settings(people), what="the settings")
    screen.keys("Escape").wait("zed@contoso.example", gone=["stores on"])
    screen.type("x").wait("Remove from Azure CLI?", "subscriptions")
    screen.answer("n", "zed@contoso.example", gone=["Remove from"])
    assert azure.read_bytes() == before
    screen.type("o").wait("Sign out of Azure CLI?")
    screen.answer("y", "removed from Azure CLI", "2 subscriptions")
    assert whole(json.loads(azure.read_text())) == {"yan"}
    profile = (azure.parent / "azureProfile.json").read_bytes()
    assert profile.startswith(b"\xef\xbb\xbf")
    left = json.loads(profile.decode("utf-8-sig"))["subscriptions"]
    assert [each["user"]["name"] for each in left] == ["yan@contoso.example"]
    screen.keys("Escape", "Escape").wait("Accounts 4")
    assert people.store.read_bytes() == own
    assert Store(people.store).secrets()


def test_what_is_hidden_is_not_in_the_list_the_next_time_either(people, azure, pane):
    screen = pane(people).foyer(shows="Accounts 5")
    screen.type("W").wait("Token stores", "read-only")
    screen.type("j").keys("Space").wait("hidden")
    screen.keys("Escape").wait("Accounts 3", gone=["stores on"])
    screen.type("q")
    screen.back(0)
    assert "[stores.azure-cli]\nhidden = true" in settings(people)
    again = pane(people).foyer(shows="Accounts 3")
    again.type("W").wait("hidden")
    again.type("j").keys("Space").wait(gone=["hidden"])
    again.keys("Escape").wait("Accounts 5", gone=["stores on"])


def test_settings_that_are_written_in_another_way_are_left_alone(people, azure, pane):
    file = people.home / "config" / "foyer" / "config.toml"
    text = "stores = { azure-cli = { hidden = false } }\n" + file.read_text()
    file.write_text(text)
    screen = pane(people).foyer(shows="Accounts 5")
    screen.type("W").wait("Token stores", "read-only")
    screen.type("jw").wait("not saved")
    assert file.read_text() == text
