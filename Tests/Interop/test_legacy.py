"""What ADAL left behind: read as it is, upgraded by the first silent call, and then used by MSAL for Python."""

import json
import sys
from pathlib import Path

import adal
import msal
import pytest
from harness import ADA, AZURE_CLI, AZURE_POWERSHELL, CONTOSO, TARO, TRY_OUT, Store, assert_no_secret

FIXTURES = Path(__file__).resolve().parents[1] / "LegacyCachesTests" / "Fixtures"
UNIFIED = FIXTURES.parents[1] / "TokenCacheTests" / "Fixtures"
sys.path.insert(0, str(FIXTURES))
import make_legacy  # noqa: E402

MANAGEMENT = "https://management.core.windows.net/"
DEFAULT = MANAGEMENT + "/.default"
ADA_AT_CONTOSO = "ada00000-0000-4000-8000-000000000001"


def adal_signs_in(sandbox, client=AZURE_CLI, username=ADA, tenant=CONTOSO, resource=MANAGEMENT, cache=None):
    """The real package on the first endpoints; returns its cache."""
    cache = cache or adal.TokenCache()
    context = adal.AuthenticationContext(
        sandbox.authority(tenant), validate_authority=False, cache=cache, api_version=None, verify_ssl=sandbox.ca
    )
    code = context.acquire_user_code(resource, client)
    sandbox.approve(code["user_code"], username)
    answer = context.acquire_token_with_device_code(resource, code, client)
    assert answer["userId"] == username and answer["refreshToken"]
    return cache


def settings(person, sandbox):
    """Clients that say no scopes, so that a legacy token's resource is what is asked for."""
    person.trust(sandbox)
    person.settings(
        'client = "cli"\n'
        + "".join(
            f'[clients.{name}]\nclient_id = "{client}"\nauthority = "{sandbox.authority()}"\nkind = "aad"\n'
            for name, client in (("cli", AZURE_CLI), ("powershell", AZURE_POWERSHELL), ("work", TRY_OUT))
        )
    )


@pytest.fixture
def azure(person, tls_sandbox):
    """accessTokens.json of the old Azure CLI, where it was."""
    settings(person, tls_sandbox)
    folder = person.home / ".azure"
    folder.mkdir(mode=0o700)
    path = folder / "accessTokens.json"
    path.write_text(adal_signs_in(tls_sandbox).serialize())
    path.chmod(0o600)
    return path


def msal_on(store, sandbox, client):
    """MSAL with the store as it is, and the cache that it fills."""
    cache = msal.SerializableTokenCache()
    cache.deserialize(store.read_text())
    where = {"authority": sandbox.authority(CONTOSO), "verify": sandbox.ca}
    return msal.PublicClientApplication(client, instance_discovery=False, token_cache=cache, **where), cache


def refresh_tokens(path):
    return [entry["refreshToken"] for entry in json.loads(path.read_text()) if entry.get("refreshToken")]


def accounts(person, *arguments):
    result = person.foyer("accounts", "--json", *arguments)
    assert result.status == 0, result
    return result.json["accounts"]


def test_a_cache_of_the_real_package_is_taken_over_upgraded_by_one_silent_call_and_used_by_msal(
    person, tls_sandbox, azure
):
    before, seen = azure.read_bytes(), azure.stat()
    taken = person.foyer("import", "--json", azure)
    assert taken.status == 0 and taken.json["taken"] == 1, taken
    (item,) = taken.json["files"][0]["items"]
    wanted = {"outcome": "taken", "username": ADA, "clientId": AZURE_CLI, "scopes": [DEFAULT]}
    assert item | wanted == item
    assert azure.read_bytes() == before and azure.stat().st_mtime_ns == seen.st_mtime_ns
    assert person.store.stat().st_mode & 0o777 == 0o600
    (account,) = accounts(person)
    assert account["origin"] == "adal" and account["username"] == ADA and account["clients"] == [AZURE_CLI]

    requests = tls_sandbox.requests("token:refresh_token")
    token = person.foyer("token", "--silent", "--json", "--verbose", "--account", ADA.upper())
    assert token.status == 0 and token.json["source"] == "refresh" and token.json["account"]["username"] == ADA, token
    assert tls_sandbox.requests("token:refresh_token") == requests + 1
    assert any(
        step.get("step") == "legacyRefreshToken" and "upgraded from an ADAL cache" in step["detail"]
        for step in token.events
    )
    (account,) = accounts(person)
    assert account["origin"] == "msal" and account["homeAccountId"] == f"{ADA_AT_CONTOSO}.{CONTOSO}"
    assert not Store(person.store).section("LegacyRefreshToken")
    assert azure.read_bytes() == before
    again = person.foyer("token", "--silent", "--json", "--account", ADA, "--scope", DEFAULT)
    assert again.json["source"] == "cache" and again.json["accessToken"] == token.json["accessToken"], again

    app, _ = msal_on(person.store, tls_sandbox, AZURE_CLI)
    (known,) = app.get_accounts()
    found = app.acquire_token_silent([DEFAULT], account=known)
    assert found["token_source"] == "cache" and found["access_token"] == token.json["accessToken"]
    renewed = app.acquire_token_silent([DEFAULT], account=known, force_refresh=True)
    assert renewed["token_source"] == "identity_provider", renewed
    # Taken over once more, there is nothing left to take.
    repeated = person.foyer("import", "--json", azure)
    assert repeated.json["files"][0]["items"][0]["outcome"] == "signedIn" and repeated.json["taken"] == 0


def test_who_was_signed_out_stays_signed_out_and_import_says_so(person, tls_sandbox, azure):
    person.sign_in(ADA, "--client", "powershell")
    person.sign_in(ADA)
    assert person.foyer("remove", ADA).status == 0
    requests = tls_sandbox.requests("token:refresh_token")
    taken = person.foyer("import", "--json", azure)
    assert taken.status == 0 and taken.json["taken"] == 0, taken
    assert taken.json["files"][0]["items"][0]["outcome"] == "signedOut", taken
    assert f"foyer sign-in --client-id {AZURE_CLI} --account {ADA}" in person.foyer("import", azure).stdout
    for _ in range(2):
        assert person.foyer("token", "--silent", "--json").status == 3
    assert tls_sandbox.requests("token:refresh_token") == requests
    assert not Store(person.store).section("LegacyRefreshToken")
    person.sign_in(ADA)
    assert person.foyer("token", "--silent", "--json").status == 0


def test_msal_keeps_what_waits(person, tls_sandbox, azure):
    """Its own sign-in of somebody else goes beside the section that it does not know."""
    assert person.foyer("import", azure).status == 0
    waiting = Store(person.store).section("LegacyRefreshToken")
    app, cache = msal_on(person.store, tls_sandbox, TRY_OUT)
    flow = app.initiate_device_flow(scopes=["User.Read"])
    tls_sandbox.approve(flow["user_code"], TARO)
    assert "access_token" in app.acquire_token_by_device_flow(flow)
    person.store.write_text(cache.serialize())
    assert waiting and Store(person.store).section("LegacyRefreshToken") == waiting
    assert {account["username"]: account["origin"] for account in accounts(person)} == {ADA: "adal", TARO: "msal"}


def test_the_old_azure_clis_accounts_are_found_where_they_are(person, azure):
    before = azure.read_bytes()
    result = person.foyer("accounts", "--json")
    assert [(each["username"], each["origin"]) for each in result.json["accounts"]] == [(ADA, "adal")]
    assert "import" in result.stderr and not person.store.exists()
    refused = person.foyer("token", "--silent", "--json", "--account", ADA)
    assert refused.status == 8 and refused.error["code"] == "notFound", refused
    assert "foyer import" in refused.error["hint"]
    assert azure.read_bytes() == before
    azure.write_text("[broken")
    assert accounts(person) == []


def test_a_dead_token_is_forgotten_and_an_absent_provider_costs_nothing(person, tls_sandbox, azure):
    assert person.foyer("import", azure).status == 0
    tls_sandbox.fault("status", status=503, endpoint="token:refresh_token", times=3)
    away = person.foyer("token", "--silent", "--json", "--account", ADA)
    assert away.status == 6, away
    assert Store(person.store).section("LegacyRefreshToken")
    tls_sandbox.control("faults", method="DELETE")
    tls_sandbox.control("revoke", {"username": ADA})
    Path(str(person.store) + ".throttle").unlink(missing_ok=True)
    dead = person.foyer("token", "--silent", "--json", "--account", ADA)
    assert dead.status == 3 and dead.error["oauthError"] == "invalid_grant", dead
    assert not Store(person.store).section("LegacyRefreshToken")
    assert person.foyer("token", "--silent", "--json", "--account", ADA).status == 8


def test_a_waiting_account_is_removed_without_the_network(person, tls_sandbox, azure):
    assert person.foyer("import", azure).status == 0
    before = tls_sandbox.state()["requests"]
    result = person.foyer("remove", ADA, "--json", "--client", "cli")
    assert result.status == 0 and result.json["entries"] == 1, result
    assert not Store(person.store).section("LegacyRefreshToken") and tls_sandbox.state()["requests"] == before


def live_fixtures(refresh):
    """Each other format with a refresh token that the provider takes."""
    home, authority = f"{ADA_AT_CONTOSO}.{CONTOSO}", f"https://127.0.0.1/{CONTOSO}"
    token = make_legacy.id_token(ADA, ADA_AT_CONTOSO, CONTOSO)
    bare = make_legacy.id_token(ADA, ADA_AT_CONTOSO, CONTOSO, parts=1)
    item = {"authority": authority, "client": AZURE_CLI, "refresh": refresh}
    archive = make_legacy.Archive()
    text, dictionary = archive.text, archive.dictionary
    entries = dictionary([(archive.key(authority, client=AZURE_CLI), archive.item(**item, id_token=token, home=home))])
    cache = dictionary([(text("tokens"), dictionary([(text(ADA), entries)]))])
    mac = archive.bytes(dictionary([(text("version"), archive.put(1.0)), (text("tokenCache"), cache)]))
    more = {"tenant": CONTOSO, "oid": ADA_AT_CONTOSO, "info": False, "provider": CONTOSO}
    net = make_legacy.net([make_legacy.net_item(authority + "/", MANAGEMENT, AZURE_CLI, ADA, refresh, **more)])
    return {
        "objc-before-2.7": make_legacy.one_item(**item, id_token=bare),
        "objc-2.7": make_legacy.one_item(**item, id_token=token, home=home),
        "objc-xml": make_legacy.one_item(make_legacy.plistlib.FMT_XML, **item, id_token=token),
        "objc-mac": mac,
        "net-v3": net,
    }


@pytest.mark.parametrize("name", ["objc-before-2.7", "objc-2.7", "objc-xml", "objc-mac", "net-v3"])
def test_every_other_format_is_taken_over_and_upgraded(person, tls_sandbox, azure, tmp_path, name):
    (refresh,) = refresh_tokens(azure)
    path = tmp_path / name
    path.write_bytes(live_fixtures(refresh)[name])
    before = path.read_bytes()
    taken = person.foyer("import", "--json", path)
    assert taken.status == 0 and taken.json["taken"] == 1, taken
    (account,) = accounts(person)
    assert account["origin"] == "adal" and account["username"] == ADA
    # Before 2.7 no home account identifier was known, and none is made up.
    assert (account["homeAccountId"] is not None) == (name in ("objc-2.7", "objc-mac")), account
    token = person.foyer("token", "--silent", "--json", "--account", ADA, "--scope", DEFAULT)
    assert token.status == 0 and token.json["source"] == "refresh", token
    assert accounts(person)[0]["homeAccountId"] == f"{ADA_AT_CONTOSO}.{CONTOSO}" and path.read_bytes() == before
    # What scripts have kept from earlier versions still finds the account.
    again = person.foyer("token", "--silent", "--json", "--account", f"adal:{ADA}", "--scope", DEFAULT)
    assert again.status == 0 and again.json["source"] == "cache", again


@pytest.mark.parametrize(
    "name, status, words",
    [
        ("accessTokens.json", 0, ["imported"]),
        ("adal_net_v3.dat", 0, ["skipped", "guest"]),
        ("adal_objc_mac.bplist", 0, ["usable by every client of its family", "skipped: no refresh token"]),
        ("adal_objc_keychain.bplist", 0, ["several accounts have this name", "damaged"]),
        ("adal_net_v4.dat", 65, ["version 4"]),
        ("adal_objc_mac_no_version.bplist", 65, []),
        ("msal_one_account.json", 65, ["--store"]),
        ("hostile_truncated.json", 65, []),
    ],
)
def test_each_file_says_what_came_of_its_items(person, name, status, words):
    file = FIXTURES / name
    result = person.foyer("import", file if file.exists() else UNIFIED / name)
    assert result.status == status, result
    for word in words:
        assert word in result.stdout + result.stderr, result
    if status == 0:
        assert_no_secret(person.store, result)
        assert "FAKE" not in result.stdout + result.stderr


def test_a_file_that_is_none_does_not_keep_the_others_from_being_read(person, tmp_path):
    protected = tmp_path / "TokenCache.dat"
    protected.write_bytes(bytes.fromhex("01000000d08c9ddf0115d1118c7a00c04fc297eb") + bytes(64))
    result = person.foyer("import", "--json", tmp_path / "nowhere", protected, FIXTURES / "adal_objc_2.7.bplist")
    assert result.status == 65 and result.json["taken"] == 1, result
    missing, dpapi, good = result.json["files"]
    assert missing["problem"] and "DPAPI" in dpapi["problem"] and good["problem"] is None
    assert result.error["code"] == "invalidInput"
    assert person.foyer("import", "-").status == 64


def knot():
    """A keychain whose ten thousand items are all one item, and that a list of a hundred thousand times the same
    number: 340 kB of property list."""

    def sized(mark, count, content):
        return bytes([mark | 15, 0x12]) + count.to_bytes(4, "big") + content

    def places(numbers):
        return b"".join(number.to_bytes(3, "big") for number in numbers)

    def file(objects):
        content, offsets = b"bplist00", b""
        for each in objects:
            offsets += len(content).to_bytes(4, "big")
            content += each
        ends = len(objects), len(objects) - 1, len(content)
        return content + offsets + bytes([0, 0, 0, 0, 0, 0, 4, 3]) + b"".join(end.to_bytes(8, "big") for end in ends)

    inner = file([bytes([0x12]) + (1).to_bytes(4, "big"), sized(0xA0, 100_000, places([0] * 100_000))])
    keychain = [sized(0x40, len(inner), inner), sized(0x50, 6, b"v_Data"), sized(0xD0, 1, places([1, 0]))]
    return file([*keychain, sized(0xA0, 9_999, places([2] * 9_999))])


def test_a_knotted_file_is_left_off_after_a_while(person, tmp_path):
    path = tmp_path / "keychain.bplist"
    path.write_bytes(knot())
    result = person.foyer("import", "--json", path)
    assert result.status in (0, 65) and result.json["taken"] == 0, result
    assert "repeated references" in result.stdout, result
