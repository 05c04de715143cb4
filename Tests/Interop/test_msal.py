"""One store, two programs: Microsoft's own library for Python and foyer, each reading what the other wrote."""

import json
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import msal
import pytest
from harness import ADA, AZURE_CLI, AZURE_POWERSHELL, CONTOSO, FABRIKAM, GRACE, HEDY, TARO, TRY_OUT, Store, until
from msal_extensions import FilePersistence, PersistedTokenCache
from waiting import PATIENCE

SCOPES = ["User.Read"]
SILENT = ("token", "--silent", "--json", "--store")
EMMY, KATHERINE = "emmy@lab.example", "katherine@contoso.example"
# Seconds that eight programs write one store at once; the full length is 60.
CROWD = float(os.environ.get("FOYER_CROWD_SECONDS") or 6)


def application(sandbox, path, tenant=CONTOSO, client=TRY_OUT):
    """MSAL on the file as it is now, and the cache that it fills."""
    cache = msal.SerializableTokenCache()
    if path.exists():
        cache.deserialize(path.read_text())
    app = msal.PublicClientApplication(
        client, authority=sandbox.authority(tenant), instance_discovery=False, verify=sandbox.ca, token_cache=cache
    )
    return app, cache


def write(path, cache, mode=0o600):
    path.write_text(cache.serialize())
    path.chmod(mode)


def by_device(app, sandbox, username=ADA):
    flow = app.initiate_device_flow(scopes=SCOPES)
    sandbox.approve(flow["user_code"], username)
    result = app.acquire_token_by_device_flow(flow)
    assert "access_token" in result, result
    return result["access_token"]


def msal_signs_in(sandbox, path, mode=0o600, tenant=CONTOSO, client=TRY_OUT):
    app, cache = application(sandbox, path, tenant, client)
    token = by_device(app, sandbox)
    write(path, cache, mode)
    return token


def silent(app, **options):
    """What MSAL answers for the only account."""
    (account,) = app.get_accounts()
    return app.acquire_token_silent_with_error(SCOPES, account=account, **options)


@pytest.fixture
def shared(person, tls_sandbox, tmp_path):
    """The path of the file that both use; foyer trusts the provider's certificate authority."""
    person.trust(tls_sandbox)
    person.work_settings(tls_sandbox)
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o700)
    return folder / "cache.json"


@pytest.fixture
def at_contoso(shared, tls_sandbox):
    """The shared store, and the tenant that MSAL signs in to."""
    return "--store", shared, "--authority", tls_sandbox.authority(CONTOSO)


@pytest.mark.parametrize("mode", [0o600, 0o644])
@pytest.mark.parametrize("tenant", [CONTOSO, "organizations"])
def test_foyer_hands_out_what_msal_stored_without_the_network(person, tls_sandbox, shared, tmp_path, mode, tenant):
    stored = msal_signs_in(tls_sandbox, shared, mode, tenant)
    before, requests = shared.read_bytes(), tls_sandbox.state()["requests"]
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=socket,connect"]
    where = ("--store", shared, "--authority", tls_sandbox.authority(tenant))
    result = person.start("token", "--silent", *where, program=strace).end()
    assert result.status == 0 and result.stdout == stored + "\n", result
    assert "AF_INET" not in trace.read_text()
    assert tls_sandbox.state()["requests"] == requests
    assert shared.read_bytes() == before and shared.stat().st_mode & 0o777 == mode
    if mode == 0o644:
        assert "others" in result.stderr, "who else can read the file has to be said"


def test_foyer_refreshes_with_what_msal_stored_and_msal_finds_it(person, tls_sandbox, shared, at_contoso):
    msal_signs_in(tls_sandbox, shared)
    Store(shared).age()
    result = person.foyer("token", "--silent", "--json", *at_contoso)
    assert result.status == 0 and result.json["source"] == "refresh", result
    requests = tls_sandbox.requests("token")
    found = silent(application(tls_sandbox, shared)[0])
    assert found["token_source"] == "cache" and found["access_token"] == result.json["accessToken"]
    assert tls_sandbox.requests("token") == requests


def test_msal_finds_what_foyer_stored(person, tls_sandbox, shared):
    signed_in = person.sign_in(ADA, "--store", shared)
    token = person.foyer("token", "--silent", "--store", shared).stdout.strip()
    requests = tls_sandbox.requests("token")
    app, _ = application(tls_sandbox, shared)
    (account,) = app.get_accounts()
    assert account["username"] == ADA and account["home_account_id"] == signed_in["account"]["homeAccountId"]
    found = silent(app)
    assert found["token_source"] == "cache" and found["access_token"] == token
    assert tls_sandbox.requests("token") == requests


def test_msal_refreshes_with_what_foyer_stored(person, tls_sandbox, shared):
    person.sign_in(ADA, "--store", shared)
    app, cache = application(tls_sandbox, shared, "organizations")
    found = silent(app)
    assert found["token_source"] == "identity_provider", found
    write(shared, cache)
    for tenant in (CONTOSO, "organizations"):
        result = person.foyer(*SILENT, shared, "--authority", tls_sandbox.authority(tenant))
        assert result.status == 0 and result.json["source"] == "cache", result


def test_msal_can_search_every_file_that_foyer_writes(person, tls_sandbox, shared):
    """One entry without a whole number for its end breaks every call of MSAL."""
    person.sign_in(ADA, "--store", shared)
    person.sign_in(HEDY, "--store", shared, "--client", "lab")
    person.sign_in("alan@personal.example", "--store", shared, "--authority", tls_sandbox.authority("common"))
    Store(shared).age()
    person.foyer("token", "--silent", "--store", shared, "--account", ADA)
    for entry in Store(shared).section("AccessToken").values():
        for name in ("cached_at", "expires_on", "extended_expires_on"):
            assert entry[name] == str(int(entry[name]))
    app, cache = application(tls_sandbox, shared)
    # It knows no others than Entra's.
    assert [account["username"] for account in app.get_accounts()] == [ADA, "alan@personal.example"]
    for kind in ("ACCESS_TOKEN", "REFRESH_TOKEN", "ID_TOKEN"):
        assert list(cache.search(getattr(msal.TokenCache.CredentialType, kind)))


def test_an_account_that_msal_removed_is_gone_for_foyer(person, tls_sandbox, shared):
    person.sign_in(ADA, "--store", shared)
    app, cache = application(tls_sandbox, shared)
    app.remove_account(app.get_accounts()[0])
    write(shared, cache)
    listed = person.foyer("accounts", "--json", "--store", shared)
    assert listed.status == 0 and listed.json == {"accounts": []}, listed
    assert "no account is signed in" in person.foyer("accounts", "--store", shared).stderr
    result = person.foyer(*SILENT, shared)
    assert result.status == 3 and result.error["code"] == "interactionRequired", result


def test_an_account_that_foyer_removed_is_gone_for_msal(person, tls_sandbox, shared, at_contoso):
    msal_signs_in(tls_sandbox, shared)
    assert person.foyer("remove", ADA, *at_contoso).status == 0
    app, _ = application(tls_sandbox, shared)
    accounts = app.get_accounts()
    assert not accounts or app.acquire_token_silent(SCOPES, account=accounts[0]) is None


def test_what_foyer_does_not_know_stays_in_the_file(person, tls_sandbox, shared, at_contoso):
    msal_signs_in(tls_sandbox, shared)
    content = json.loads(shared.read_text())
    content["Future"] = {"key": {"number": 1.50, "deep": [None, True]}}
    for entry in content["RefreshToken"].values():
        entry["from_the_future"] = "kept"
    shared.write_text(json.dumps(content))
    Store(shared).age()
    assert person.foyer("token", "--silent", *at_contoso).status == 0
    after = Store(shared).read()
    assert after["Future"] == content["Future"]
    assert [entry["from_the_future"] for entry in after["RefreshToken"].values()] == ["kept"]


def test_a_sibling_of_the_family_needs_no_sign_in_and_a_client_outside_is_not_served(person, tls_sandbox, shared):
    """Azure CLI and Azure PowerShell are one family: the refresh token of either serves both."""
    msal_signs_in(tls_sandbox, shared, client=AZURE_CLI, tenant="organizations")
    outside = person.foyer(*SILENT, shared)
    assert outside.status == 3, outside
    result = person.foyer(*SILENT, shared, "--client", "powershell")
    assert result.status == 0 and result.json["source"] == "refresh", result
    assert result.json["clientId"] == AZURE_POWERSHELL
    assert silent(application(tls_sandbox, shared, client=AZURE_POWERSHELL)[0])["token_source"] == "cache"


def test_msal_takes_foyers_family_token_and_removed_from_one_client_the_sibling_keeps_its_own(
    person, tls_sandbox, shared
):
    person.sign_in(ADA, "--store", shared, "--client", "cli")
    assert [entry.get("family_id") for entry in Store(shared).section("RefreshToken").values()] == ["1"]
    found = silent(application(tls_sandbox, shared, client=AZURE_POWERSHELL)[0])
    assert found and found.get("token_source") == "identity_provider", found
    person.sign_in(ADA, "--store", shared, "--client", "powershell")
    assert person.foyer("remove", ADA, "--store", shared, "--client", "cli").status == 0
    assert [person.foyer(*SILENT, shared, "--client", each).status for each in ("cli", "powershell")] == [3, 0]


def test_foyer_answers_while_msal_rewrites_the_file(person, tls_sandbox, shared, at_contoso):
    """MSAL's writer truncates in place, so a reader may meet an empty or a half file."""
    msal_signs_in(tls_sandbox, shared)
    text, over = shared.read_text(), threading.Event()

    def rewrite():
        # Empty for some of the time, as when MSAL is at work; never for long.
        while not over.wait(0.003):
            with open(shared, "w", encoding="ascii") as file:
                file.write(text)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        results = [person.foyer("token", "--silent", *at_contoso) for _ in range(10)]
    finally:
        over.set()
        writer.join()
    assert [result.status for result in results] == [0] * 10, results


def test_a_certificate_that_nobody_vouches_for_is_refused(person, tls_sandbox):
    person.work_settings(tls_sandbox)
    result = person.foyer("sign-in", "--json", "--via", "device")
    assert result.status == 9 and result.error["code"] == "untrustedResponse", result
    assert tls_sandbox.requests("discovery") == 0


def test_two_programs_at_once_lose_no_account(person, tls_sandbox, shared):
    """Foyer's writers among themselves: ten sign-ins of different people at once, all of them there afterwards."""
    names = [ADA, TARO, KATHERINE, GRACE, "zoe@fabrikam.example"]
    curl = f"curl -sL --cacert {tls_sandbox.ca} -o /dev/null %s"
    sign_in = ("sign-in", "--via", "browser", "--browser", curl, "--store", shared, "--login-hint")
    running = [person.start(*sign_in, name, "--client", client) for name in names for client in ("work", "cli")]
    assert [each.end().status for each in running] == [0] * 10
    listed = person.foyer("accounts", "--json", "--store", shared).json["accounts"]
    assert sorted(account["username"] for account in listed) == sorted(names * 2)
    assert all(len(account["clients"]) == 2 for account in listed)
    until(lambda: not [name for name in os.listdir(shared.parent) if "tmp" in name], what="sweeping of temporary files")


def test_several_tenants_of_one_account_both_ways(person, tls_sandbox, shared, at_contoso):
    """MSAL signs in at home, foyer goes to the guest tenant without asking; MSAL then has a token there from the
    file."""
    msal_signs_in(tls_sandbox, shared)
    guest = person.foyer("token", "--silent", "--json", *at_contoso, "--tenant", FABRIKAM)
    assert guest.status == 0 and guest.json["tenantId"] == FABRIKAM, guest
    before = tls_sandbox.requests("token")
    there, home = (silent(application(tls_sandbox, shared, each)[0])["access_token"] for each in (FABRIKAM, CONTOSO))
    assert there == guest.json["accessToken"] and home != there and tls_sandbox.requests("token") == before


def test_refresh_in_is_honoured_by_both(person, tls_sandbox, shared, at_contoso):
    tls_sandbox.fault("override", endpoint="token", fields={"refresh_in": 1800})
    msal_signs_in(tls_sandbox, shared)
    arguments = ["token", "--silent", "--json", *at_contoso]
    assert person.foyer(*arguments).json["source"] == "cache", "it is not due yet"

    def make_due():
        assert all("refresh_on" in token for token in Store(shared).section("AccessToken").values())
        Store(shared).change("AccessToken", refresh_on="1000")

    make_due()
    renewed = person.foyer(*arguments).json
    assert renewed["source"] == "refresh"
    assert silent(application(tls_sandbox, shared)[0])["access_token"] == renewed["accessToken"]
    make_due()
    before = tls_sandbox.requests("token:refresh_token")
    assert silent(application(tls_sandbox, shared)[0])["access_token"] != renewed["accessToken"]
    assert tls_sandbox.requests("token:refresh_token") == before + 1
    # A provider in trouble takes nothing from a token that is only due.
    make_due()
    tls_sandbox.control("faults", method="DELETE")
    tls_sandbox.fault("status", status=503, endpoint="token")
    assert person.foyer(*arguments).json["source"] == "cache"


def test_a_claims_challenge_passes_over_the_cache_in_both(person, tls_sandbox, shared, at_contoso):
    claims = '{"access_token":{"nbf":{"essential":true,"value":"1795252257"}}}'
    stored = msal_signs_in(tls_sandbox, shared)
    challenged = person.foyer("token", "--silent", "--json", *at_contoso, "--claims", claims).json
    assert challenged["source"] == "refresh" and challenged["accessToken"] != stored
    app, _ = application(tls_sandbox, shared)
    before = tls_sandbox.requests("token:refresh_token")
    assert silent(app, claims_challenge=claims)["access_token"] != challenged["accessToken"]
    assert tls_sandbox.requests("token:refresh_token") == before + 1
    assert silent(app)["access_token"], "without a challenge the cache serves again"


def test_force_refresh_of_msal_is_seen_by_foyer(person, tls_sandbox, shared, at_contoso):
    msal_signs_in(tls_sandbox, shared)
    app, cache = application(tls_sandbox, shared)
    forced = silent(app, force_refresh=True)["access_token"]
    write(shared, cache)
    assert person.foyer("token", "--silent", *at_contoso).stdout == forced + "\n"


@pytest.mark.parametrize("held_by_others", [False, True])
def test_removed_here_signed_in_there_and_back(person, tls_sandbox, shared, at_contoso, held_by_others):
    """What foyer notes of a removal hides nobody whom MSAL, which knows nothing of it, has signed in again."""
    here = [*at_contoso, "--client", "cli"]
    token = ("token", "--silent", "--json", *here)
    if held_by_others:
        person.sign_in(ADA, "--store", shared, "--client", "powershell")
    stored = msal_signs_in(tls_sandbox, shared, client=AZURE_CLI)
    assert person.foyer("remove", ADA, *here).status == 0
    assert person.foyer(*token).status == 3
    assert person.foyer("accounts", "--json", *here).json["accounts"] == []

    again = msal_signs_in(tls_sandbox, shared, client=AZURE_CLI)
    assert again != stored
    assert person.foyer("token", "--silent", *here).stdout == again + "\n"
    assert [account["username"] for account in person.foyer("accounts", "--json", *here).json["accounts"]] == [ADA]
    Store(shared).age()
    renewed = person.foyer(*token)
    assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed
    app, cache = application(tls_sandbox, shared, client=AZURE_CLI)
    assert silent(app)["access_token"] == renewed.json["accessToken"]

    # Removed there, and signed in here.
    app.remove_account(app.get_accounts()[0])
    write(shared, cache)
    assert person.foyer(*token).status == 3
    person.sign_in(ADA, "--store", shared, "--client", "cli")
    assert person.foyer(*token).status == 0
    app, cache = application(tls_sandbox, shared, client=AZURE_CLI)
    assert silent(app, force_refresh=True)["access_token"]
    write(shared, cache)
    # And once more the first way: it is found to be removed.
    assert person.foyer("remove", ADA, *here).status == 0
    assert person.foyer(*token).status == 3


def test_four_writers_of_each_lose_no_sign_in(person, tls_sandbox, shared):
    """MSAL renews four people's tokens over and over; four foyers share two sign-ins whose refresh tokens work once,
    and a second use ends them."""
    shared.write_text("{}")
    shared.chmod(0o600)

    names = [ADA, TARO, KATHERINE, GRACE]
    organizations = {"authority": tls_sandbox.authority("organizations"), "verify": tls_sandbox.ca}
    caches = [PersistedTokenCache(FilePersistence(str(shared))) for _ in names]
    apps = [
        msal.PublicClientApplication(TRY_OUT, instance_discovery=False, token_cache=cache, **organizations)
        for cache in caches
    ]
    for app, name in zip(apps, names):
        by_device(app, tls_sandbox, name)
    for name in (HEDY, EMMY):
        person.sign_in(name, "--store", shared, "--client", "lab")
    begin = time.monotonic()

    def goes_on(count):
        """Until its time is over, and on a slow machine until each has renewed something."""
        return time.monotonic() < begin + (CROWD if count else CROWD + PATIENCE)

    def msal_renews(app, name):
        count = 0
        while goes_on(count):
            accounts = app.get_accounts(username=name)
            if not accounts:
                continue  # MSAL reads without the lock, and its own writers truncate the file before they write it
            try:
                result = app.acquire_token_silent_with_error(SCOPES, account=accounts[0], force_refresh=True)
            except Exception as error:
                assert "lock" in type(error).__name__.lower(), error
                continue
            if result is None:
                continue  # the same: nothing was to be seen in the file for a moment
            assert "access_token" in result, result
            count += 1
        return count

    def renewed_by_foyer(name, client):
        forced = (*SILENT, shared, "--force-refresh", "--client", client, "--account", name)
        return person.foyer(*forced)

    def foyer_renews(name):
        results, chance = [], random.Random(name)
        while goes_on(len(results)):
            results.append(renewed_by_foyer(name, "lab"))
            # As between two commands of a script; MSAL tries its lock four times a second only.
            time.sleep(chance.uniform(0.05, 0.25))
        return results

    with ThreadPoolExecutor(8) as pool:
        by_msal = [pool.submit(msal_renews, app, name) for app, name in zip(apps, names)]
        by_foyer = [pool.submit(foyer_renews, name) for name in (HEDY, EMMY, HEDY, EMMY)]
        renewed = [each.result() for each in by_msal]
        results = [result for each in by_foyer for result in each.result()]
    assert all(renewed) and results, renewed
    assert [result for result in results if result.status != 0] == []
    assert not any("locked" in result.stderr for result in results)
    # Whoever was signed in still is.
    for name in (HEDY, EMMY, *names):
        last = renewed_by_foyer(name, "work" if name in names else "lab")
        assert last.status == 0 and last.json["source"] == "refresh", last
