"""Stores of other programs: found where they are, only read until the person allows more, and written as their own
programs write them."""

import json
import os
import threading

import msal
import pytest
from harness import ADA, AZURE_CLI, AZURE_POWERSHELL, REPOSITORY, add_settings, assert_no_secret
from msal_extensions import CrossPlatLock, FilePersistence, PersistedTokenCache

FIXTURES = REPOSITORY / "Tests" / "TokenCacheTests" / "Fixtures"
ALICE = "Alice@contoso.com"


def place(path, content):
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o600)
    return path


@pytest.fixture
def azure(person):
    """The Azure CLI's folder as it leaves it."""
    place(person.home / ".azure" / "azureProfile.json", (FIXTURES / "azureProfile.json").read_bytes())
    return place(person.home / ".azure" / "msal_token_cache.json", (FIXTURES / "msal_many.json").read_bytes())


@pytest.fixture
def written(person, azure):
    """The Azure CLI's store, where changes are allowed."""
    person.settings("[stores.azure-cli]\nwrite = true\n")
    return azure


def everybody(person):
    return person.foyer("accounts", "--all-stores", "--json").json["accounts"]


def alices(person):
    """The identifiers of her accounts."""
    return [each["homeAccountId"] for each in everybody(person) if each["username"].lower() == ALICE.lower()]


def stores(person):
    return {store["store"]: store for store in person.foyer("stores", "--json").json["stores"]}


def test_stores_are_found_and_told(person, azure):
    place(person.home / ".azd" / "auth" / "msal" / "cache.json", b"[]")
    place(person.home / ".IdentityService" / "msal.cache.nocae", (FIXTURES / "msal_dotnet_style.json").read_bytes())
    place(person.home / "config" / "Code" / "User" / "globalStorage" / "state.vscdb", b"SQLite format 3\0")
    found = stores(person)
    assert found["azure-cli"]["state"] == "usable" and found["azure-cli"]["accounts"] > 1
    assert not found["azure-cli"]["mayWrite"]
    assert found["azd"]["state"] == "refused" and "not a token cache" in found["azd"]["reason"]
    assert found["azure-identity-nocae"]["state"] == "usable" and found["vscode"]["state"] == "protected"
    assert found["foyer"]["state"] == "not there" and found["azure-powershell"]["state"] == "not there"
    words = person.foyer("stores")
    assert "Azure CLI" in words.stdout and "read-only" in words.stdout
    assert any(finding["subject"] == "azure-cli" for finding in person.foyer("doctor", "--json").json["findings"])


def test_listings_over_all_stores_name_the_store(person, azure):
    assert person.foyer("accounts", "--json").json["accounts"] == []
    accounts = everybody(person)
    assert accounts and {account["store"] for account in accounts} == {"azure-cli"}
    tokens = person.foyer("tokens", "--all-stores", "--json")
    assert {token["store"] for token in tokens.json["tokens"]} == {"azure-cli"}
    assert not any("secret" in token for token in tokens.json["tokens"])
    scopes = person.foyer("scopes", "--all-stores", "--json").json["scopes"]
    assert scopes and all(row["store"] == "azure-cli" for row in scopes)


def test_a_token_of_another_store_is_inspected_by_its_id(person, azure):
    tokens = person.foyer("tokens", "--all-stores", "--json").json["tokens"]
    token = next(token for token in tokens if token["type"] == "IdToken")
    looked = person.foyer("inspect", "--id", token["id"], "--json")
    assert looked.status == 0 and looked.json["payload"]["iss"].startswith("https://"), looked
    assert person.foyer("inspect", "--id", "nobody has this").status == 8


def test_nothing_is_removed_where_writing_is_not_allowed(person, azure):
    before = azure.read_bytes()
    refused = person.foyer("remove", ALICE, "--from", "azure-cli", "--yes", "--json")
    assert refused.status == 7 and "Azure CLI" in refused.stderr and "[stores.azure-cli]" in refused.stderr
    assert azure.read_bytes() == before
    assert sorted(os.listdir(azure.parent)) == ["azureProfile.json", "msal_token_cache.json"]


def test_removal_does_what_the_azure_cli_does(person, written):
    def accounts():
        cache = msal.SerializableTokenCache()
        cache.deserialize(written.read_text())
        return list(cache.search("Account"))

    others = [entry for entry in accounts() if entry["username"].lower() != ALICE.lower()]
    nobody = person.foyer("remove", ALICE, "--from", "azure-cli", "--json")
    assert nobody.status == 130 and ALICE.lower() in written.read_text().lower()
    for account in alices(person):
        assert person.foyer("remove", account, "--from", "azure-cli", "--yes", "--json").status in (0, 8)
    left = accounts()
    assert all(entry in left for entry in others)
    text = written.with_name("azureProfile.json").read_bytes()
    assert text.startswith(b"\xef\xbb\xbf")
    names = [each["user"]["name"].lower() for each in json.loads(text.decode("utf-8-sig"))["subscriptions"]]
    assert names and ALICE.lower() not in names


def test_a_store_of_the_settings_is_written_by_msal_and_foyer_at_once(person, azure):
    """MSAL for Python keeps writing entries under its own lock while accounts are removed: nothing of anybody else is
    lost."""
    path = place(person.home / "shared.json", (FIXTURES / "msal_many.json").read_bytes())
    person.settings(f'[stores.mine]\npath = "{path}"\nwrite = true\n')
    assert stores(person)["mine"]["mayWrite"]
    count = 30

    def write():
        cache = PersistedTokenCache(FilePersistence(str(path)))
        for number in range(count):
            entry = {"client_id": f"writer-{number}", "environment": "login.microsoftonline.com", "family_id": "1"}
            cache.modify(msal.TokenCache.CredentialType.APP_METADATA, entry, {"family_id": "1"})

    ids = [account["homeAccountId"] for account in everybody(person) if account["store"] == "mine"][:3]
    writer = threading.Thread(target=write)
    writer.start()
    removed = [person.foyer("remove", account, "--from", "mine", "--yes", "--json").status for account in ids]
    writer.join()
    assert set(removed) <= {0, 8}
    after = json.loads(path.read_text())
    assert len([entry for entry in after["AppMetadata"].values() if entry["client_id"].startswith("writer-")]) == count


@pytest.fixture
def theirs(person, sandbox):
    """Ada is signed in in the Azure CLI's store alone."""
    person.work_settings(sandbox)
    theirs = person.home / ".azure" / "msal_token_cache.json"
    theirs.parent.mkdir(mode=0o700)
    person.sign_in(ADA, "--client", "cli", "--store", f"file:{theirs}")
    return theirs


def test_a_family_token_of_another_store_serves_only_when_it_is_switched_on(person, theirs):
    before = theirs.read_bytes()
    refused = person.foyer("token", "--silent", "--json", "--client", "powershell")
    assert refused.status != 0
    (row,) = person.foyer("family", "--json", "--client-id", AZURE_POWERSHELL).json["family"]
    assert row["store"] == "azure-cli" and row["holder"] == AZURE_CLI and row["isUsed"] is False
    assert_no_secret(theirs, person.foyer("family"), person.foyer("tokens", "--all-stores"))
    add_settings(person, "\n[family]\nother_stores = true\n")
    served = person.foyer("token", "--silent", "--json", "--verbose", "--client", "powershell")
    assert served.status == 0 and served.json["clientId"] == AZURE_POWERSHELL
    assert "azure-cli" in served.stderr
    assert theirs.read_bytes() == before


def test_a_family_token_of_another_store_can_be_switched_on_for_some_clients(person, theirs):
    settings = person.home / "config" / "foyer" / "config.toml"
    text = settings.read_text()
    settings.write_text(text + '\n[family]\nother_stores = ["cli"]\n')
    assert person.foyer("token", "--silent", "--json", "--client", "powershell").status == 3
    assert not person.foyer("family", "--json", "--client", "powershell").json["otherStores"]
    settings.write_text(text + '\n[family]\nother_stores = ["powershell"]\n')
    assert "for powershell" in person.foyer("family").stdout
    assert person.foyer("token", "--silent", "--json", "--client", "powershell").status == 0
    settings.write_text(text + "\n[family]\nother_stores = [3]\n")
    wrong = person.foyer("family")
    assert wrong.status == 78 and "other_stores" in wrong.stderr


def test_signing_out_of_another_program_does_what_it_does(person, written):
    """As `az logout`: gone from its store and its profile; nothing is revoked, no browser is opened, foyer's own store
    is not touched."""
    account = alices(person)[0]
    sign_out = ("sign-out", account, "--from", "azure-cli", "--json")
    assert person.foyer(*sign_out, "--wipe").status == 64
    before = written.read_bytes()
    shown = person.foyer(*sign_out, "--dry-run")
    assert shown.status == 0 and written.read_bytes() == before, shown
    gone = person.foyer(*sign_out, "--yes")
    assert all(gone.json[member] == shown.json[member] for member in ("program", "entries", "subscriptions")), shown
    assert gone.status == 0 and gone.json["program"] == "Azure CLI" and gone.json["entries"] > 0
    assert account not in {each["homeAccountId"] for each in everybody(person)}
    assert not person.store.exists()


def test_while_azure_clis_store_is_locked_its_subscriptions_stay_as_well(person, written):
    """One without the other would leave somebody signed in whom `az account list` does not show."""
    profile = written.with_name("azureProfile.json")
    before = written.read_bytes(), profile.read_bytes()
    removal = ("remove", alices(person)[0], "--from", "azure-cli", "--yes", "--json")
    with CrossPlatLock(f"{written}.lockfile"):
        refused = person.foyer(*removal)
    assert refused.status == 7 and (written.read_bytes(), profile.read_bytes()) == before, refused
    assert person.foyer(*removal).status == 0
    assert written.read_bytes() != before[0] and profile.read_bytes() != before[1]
