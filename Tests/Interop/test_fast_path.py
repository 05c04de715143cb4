"""`foyer`, the small program in front, says what `foyer-main` says, whatever the situation, and answers a token from
the cache without it."""

import json
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pexpect
import pytest
import sealed
from harness import ADA, FOYER, HEDY, LEFT, TRY_OUT, WHOLE_PROGRAM, Store, add_settings, until
from waiting import PATIENCE, answer_hidden, linger, spawn


@pytest.fixture
def people(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    person.sign_in(HEDY, "--client", "lab")
    return person


def untouched(people):
    pass


def aged(people):
    Store(people.store).age()


def due(people):
    Store(people.store).change("AccessToken", refresh_on=str(int(time.time()) - 10))


def nobody(people):
    people.store.unlink()


def malformed(people):
    people.store.write_text('{"AccessToken": {')


def readable_by_others(people):
    people.store.chmod(0o644)


def damaged_entry(people):
    content = Store(people.store).read()
    content["AccessToken"]["half an entry"] = {"credential_type": "AccessToken", "secret": 7}
    people.store.write_text(json.dumps(content))


def lone_surrogate(people):
    content = Store(people.store).read()
    text = json.dumps(content).replace('"Account": {', '"Account": {"x": {"name": "\\ud800"}, ', 1)
    people.store.write_text(text)


def settings_with_a_typo(people):
    add_settings(people, "\nscopes = [}\n")


def settings_with_keys(people):
    add_settings(people, '\n[keys.accounts]\nnothing-such = "x"\n')


def family_of_other_stores(people):
    add_settings(people, "\n[family]\nother_stores = true\n")


SITUATIONS = [untouched, aged, due, nobody, malformed, readable_by_others, damaged_entry, lone_surrogate]
SITUATIONS += [settings_with_a_typo, settings_with_keys, family_of_other_stores]
# With --dry-run where the silent call would send something: both ways are run one after the other, and the first of
# them would change what the second finds.
COMMANDS = [
    ["token", "--dry-run"],
    ["token", "--dry-run", "--json"],
    ["token", "--dry-run", "--account", ADA, "--scope", "https://graph.microsoft.com/User.Read"],
    ["token", "--dry-run", "--account", "nobody@contoso.example"],
    ["token", "--dry-run", "--force-refresh", "--account", ADA],
    ["token", "--dry-run", "--client", "lab"],
    ["token", "--dry-run", "--client-id", TRY_OUT, "--account=ada"],
    ["token", "--dry-run", "--tenant", "a b"],
    ["token", "--dry-run", "--scope", 'a"b'],
    ["token", "--dry-run", "--client", "work", "--client-id", TRY_OUT],
    ["token", "--dry-run", "--config", "/nonexistent/config.toml"],
    ["token", "--dry-run", "--store", "encrypted:/nonexistent/store"],
    ["token", "--dry-run", "--store", "relative:no"],
    ["token", "--dry-run", "--pop", "GET:https://api.example.org/things"],
    ["token", "--silent", "--pop", "no request"],
    ["token", "--nonsense"],
    ["tokne"],
    ["--version"],
    ["--help"],
    ["accounts"],
]
CACHED = [
    ["token", "--silent", "--account", ADA],
    ["token", "--silent", "--json", "--account", ADA],
    ["token", "--silent", "--verbose", "--account", ADA],
    ["token", "--silent", "--verbose", "--json", "--account", ADA],
    ["token", "--account=ada", "--client", "work"],
    ["token", "--silent", "--client", "lab"],
    ["token", "--silent", "--client-id", TRY_OUT],
    ["token", "--dry-run", "--account", ADA],
    ["--version"],
]


def run(program, people, arguments, read=b"", **environment):
    more = {"env": {**people.environment, **environment}, "input": read, "capture_output": True}
    found = subprocess.run([program, *arguments], timeout=PATIENCE, **more)
    return found.returncode, found.stdout, found.stderr


def without_chance(said):
    """Each call has an identifier of its own, and the seconds go on between two of them."""
    status, out, err = said
    if out.startswith(b"{"):
        value = json.loads(out)
        value.pop("correlationId", None)
        value.pop("expiresIn", None)
        out = json.dumps(value).encode()
    return status, out, re.sub(b"expires in " + LEFT.encode(), b"expires in N min", err)


def alone(folder):
    """A copy of `foyer` with no `foyer-main` beside it."""
    place = folder / "alone"
    place.mkdir()
    return shutil.copy(FOYER, place / "foyer")


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda found: found.__name__)
def test_both_programs_say_the_same(people, situation):
    situation(people)

    def check(arguments):
        for _ in range(10):
            second = int(time.time())
            front, whole = (without_chance(run(program, people, arguments)) for program in (FOYER, WHOLE_PROGRAM))
            # Spans are told in seconds: both have to be asked within one.
            if front == whole or int(time.time()) == second:
                break
        assert front == whole, arguments

    # What is not to be understood is looked at again for a while, in case somebody is writing it.
    with ThreadPoolExecutor(8 if situation is malformed else 1) as threads:
        commands = COMMANDS + (CACHED if situation in (untouched, readable_by_others, damaged_entry) else [])
        list(threads.map(check, commands))


@pytest.mark.parametrize("arguments", CACHED, ids=" ".join)
def test_what_the_cache_has_needs_no_other_program(people, tmp_path, arguments):
    found = without_chance(run(alone(tmp_path), people, arguments))
    assert found[0] == 0 and found[1], found
    assert found == without_chance(run(WHOLE_PROGRAM, people, arguments))


GRAPH = "https://graph.microsoft.com"
CREDENTIAL = b"protocol=https\nhost=git.example\n\n"
# The program's name, its words and what it reads.
HELPED = [
    ("git-credential-foyer", ["get"], CREDENTIAL),
    ("keyring", ["get", "https://git.example/simple", "user"], b""),
    ("kubectl-foyer", ["--client", "work", "--account", ADA], b""),
    ("kubelogin", ["get-token", "--server-id", GRAPH, "--login", "azurecli"], b""),
    ("az", ["account", "get-access-token", "--resource", GRAPH], b""),
    ("azd", ["auth", "token", "--output", "json", "--scope", GRAPH + "/.default"], b""),
    ("foyer", ["id-token", "--client", "lab", "--json"], b""),
]


@pytest.fixture
def helped(people):
    people.sign_in(ADA, "--scope", GRAPH + "/.default")
    places = [("git", "host", "git.example"), ("keyring", "host", "git.example"), ("kubectl", "cluster", "*")]
    for program, condition, place in places:
        client = "" if program == "kubectl" else f'client = "work"\naccount = "{ADA}"\n'
        add_settings(people, f'\n[[rules]]\nprogram = "{program}"\n{condition} = "{place}"\n{client}')
    return people


def uses(people):
    return json.loads(run(WHOLE_PROGRAM, people, ["why", "--recent", "--json"])[1])["uses"]


@pytest.mark.parametrize("name, words, read", HELPED, ids=[name for name, _, _ in HELPED])
def test_a_helper_with_a_cached_token_needs_no_other_program(helped, tmp_path, sandbox, name, words, read):
    place = alone(tmp_path)
    link = place.parent / name
    whole = tmp_path / name
    whole.symlink_to(WHOLE_PROGRAM)
    if name != "foyer":
        link.symlink_to(place)
    if name == "kubelogin":
        words = [*words, "--authority-host", sandbox.authority().rsplit("/", 1)[0]]
    front = run(link, helped, words, read)
    assert front[0] == 0 and front[1], front
    [use] = uses(helped)
    assert use["source"] == "cache" and use["account"]
    # With a state of its own, as a second call of the same process is a retry for kubectl.
    assert run(whole, helped, words, read, XDG_STATE_HOME=str(tmp_path)) == front


def test_a_helper_without_a_cached_token_hands_its_request_on(helped, tmp_path, sandbox):
    link = tmp_path / "git-credential-foyer"
    link.symlink_to(FOYER)
    aged(helped)
    before = sandbox.requests("token")
    status, out, err = run(link, helped, ["get"], CREDENTIAL)
    assert status == 0 and b"password=" in out and sandbox.requests("token") == before + 1, (out, err)
    assert [use["source"] for use in uses(helped)] == ["refresh"]
    # What is too long for git is refused as a whole, not by what fits.
    status, out, err = run(link, helped, ["get"], b"protocol=https\nhost=git.example\npath=" + b"a" * 70_000 + b"\n\n")
    assert status != 0 and b"not a git credential request" in err


def test_an_encrypted_store_needs_no_other_program_while_the_kernel_has_its_key(people, tmp_path):
    place = people.home / "sealed"
    child = spawn(people, FOYER, "store", "move", "--to", f"encrypted:{place}")
    for question in ("New passphrase", "Repeat it"):
        answer_hidden(child, question, "correct horse battery staple")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, child.before
    if sealed.key_in_kernel(place.read_bytes()) is None:
        pytest.skip("the kernel keeps no keys here")
    front = alone(tmp_path)
    store = ["--store", f"encrypted:{place}", "--account", ADA]
    for arguments in (["token", "--silent", "--json", *store], ["token", "--dry-run", *store]):
        found = without_chance(run(front, people, arguments))
        assert found[0] == 0 and found == without_chance(run(WHOLE_PROGRAM, people, arguments))
    assert run(FOYER, people, ["store", "lock", "--store", f"encrypted:{place}"])[0] == 0
    silent = ["token", "--silent", *store]
    status, out, err = run(front, people, silent)
    assert (status, out) == (78, b"") and b"foyer-main is not installed" in err
    assert run(FOYER, people, silent) == run(WHOLE_PROGRAM, people, silent)


def test_without_the_whole_program_it_is_said_where_it_belongs(people, tmp_path):
    status, out, err = run(alone(tmp_path), people, ["accounts"])
    assert (status, out) == (78, b"") and b"foyer-main is not installed" in err and b"libexec/foyer" in err


def test_the_whole_program_is_found_where_it_is_installed(people, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "libexec" / "foyer").mkdir(parents=True)
    shutil.copy(FOYER, tmp_path / "bin" / "foyer")
    (tmp_path / "libexec" / "foyer" / "foyer-main").symlink_to(WHOLE_PROGRAM)
    (tmp_path / "elsewhere").symlink_to(tmp_path / "bin" / "foyer")
    for program in (tmp_path / "bin" / "foyer", tmp_path / "elsewhere"):
        status, out, _ = run(program, people, ["accounts"])
        assert status == 0 and ADA.encode() in out


@pytest.fixture
def mismatched(tmp_path):
    """A folder with foyer-main and a `foyer` of version 0.0.1."""
    version = subprocess.run([FOYER, "--version"], capture_output=True).stdout.split()[1]
    shutil.copy(WHOLE_PROGRAM, tmp_path / "foyer-main")
    foyer = tmp_path / "foyer"
    foyer.write_bytes(FOYER.read_bytes().replace(version, b"0.0.1"))
    foyer.chmod(0o755)
    assert subprocess.run([foyer, "--version"], capture_output=True).stdout == b"foyer 0.0.1\n"
    return tmp_path


def test_two_programs_of_different_versions_do_not_work_together(people, mismatched):
    status, out, err = run(mismatched / "foyer", people, ["accounts"])
    assert (status, out) == (78, b"") and b"0.0.1" in err and b"same build" in err


def test_who_is_started_in_the_middle_of_an_upgrade_gets_the_new_version(people, mismatched):
    """The package manager replaces the two programs one after the other."""
    add_settings(people, '\n[[rules]]\nhost = "git.example"\nclient = "work"\nscopes = ["User.Read"]\n')
    request = b"protocol=https\nhost=git.example\n\n"
    old = (mismatched / "foyer").read_bytes()

    def both():
        """What they get, if they have waited. They do so for five seconds, which on a busy machine may be over before
        the new one is there."""
        aged(people)
        (mismatched / "foyer").unlink()
        (mismatched / "foyer").write_bytes(old)
        (mismatched / "foyer").chmod(0o755)
        shutil.copy(FOYER, mismatched / "new")
        with ThreadPoolExecutor() as pool:
            helper = pool.submit(run, mismatched / "foyer", people, ["helper", "git", "get"], request)
            token = pool.submit(run, mismatched / "foyer", people, ["token", "--force-refresh"])
            linger(0.3)
            are_waiting = not helper.done() and not token.done()
            (mismatched / "new").rename(mismatched / "foyer")
        return are_waiting and helper.result()[0] == token.result()[0] == 0 and (helper.result(), token.result())

    helper, token = until(both)
    assert b"password=ey" in helper[1] and token[1].startswith(b"ey")


def test_what_is_handed_over_does_not_reach_other_programs(people, tmp_path):
    browser = tmp_path / "browser"
    kept = tmp_path / "environment"
    browser.write_text(f"#!/bin/sh\nenv > {kept}.new\nmv {kept}.new {kept}\n")
    browser.chmod(0o755)
    call = people.start("sign-in", "--via", "browser", "--browser", str(browser), "--client", "lab")
    try:
        environment = until(lambda: kept.exists() and kept.read_text())
        assert "FOYER_HANDOVER" not in environment and "HOME=" in environment
    finally:
        call.kill()


def test_a_token_from_the_cache_starts_no_program_and_no_thread(people):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    trace = people.home / "trace"
    traced = ["-f", "-o", trace, "-e", "trace=process,network", FOYER, "token", "--silent", "--account", ADA]
    status, out, _ = run("strace", people, traced)
    assert status == 0 and out
    calls = [line.split(maxsplit=1)[1].split("(")[0] for line in trace.read_text().splitlines()]
    assert calls.count("execve") == 1 and not {"clone", "clone3", "fork", "vfork", "socket"} & set(calls), calls


# A large store, of which the front program reads only the entries of the account that is named.

TENANT = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
ENVIRONMENT = "login.microsoftonline.com"


def identity(number):
    return f"ad0a0000-0000-0000-0000-{number:012d}.{TENANT}"


def large_store():
    """More than a megabyte of 400 people, each with a token of two scopes."""
    now = int(time.time())
    store = {"AccessToken": {}, "RefreshToken": {}, "IdToken": {}, "Account": {}, "AppMetadata": {}}
    for number in range(400):
        home = identity(number)
        place = {"home_account_id": home, "environment": ENVIRONMENT}
        common = {**place, "client_id": TRY_OUT}
        for scope, life in (("User.Read", 3600), ("Mail.Read", 1800)):
            store["AccessToken"][f"{home}-{ENVIRONMENT}-accesstoken-{TRY_OUT}-{TENANT}-{scope}"] = {
                **common,
                "credential_type": "AccessToken",
                "secret": f"token-{number}-{scope}-" + "x" * 1500,
                "realm": TENANT,
                "target": scope,
                "token_type": "Bearer",
                "cached_at": str(now - 10),
                **dict.fromkeys(("expires_on", "extended_expires_on"), str(now + life + number)),
            }
        refresh = {**common, "credential_type": "RefreshToken", "secret": f"refresh-{number}"}
        store["RefreshToken"][f"{home}-{ENVIRONMENT}-refreshtoken-{TRY_OUT}--"] = refresh
        store["Account"][f"{home}-{ENVIRONMENT}-{TENANT}"] = {
            **place,
            "realm": TENANT,
            "local_account_id": home[:36],
            "username": f"Person{number}@contoso.example",
            "authority_type": "MSSTS",
            "name": f"Zoë {number}" if number % 7 else 'brace } " {',
        }
    return store


def second_account_of_the_name(store):
    store["Account"]["twin"] = {**account(store, 7), "home_account_id": identity(8)}


def guest(store):
    store["Account"]["guest"] = {**account(store, 7), "realm": "guest-tenant", "username": "person7_c#EXT#@x.example"}


def escaped_name(store):
    account(store, 9)["username"] = "person7\u00e4"


def no_name(store):
    account(store, 9)["username"] = ""


def foreign_keys(store):
    store["AccessToken"] = {f"key {n}": token for n, token in enumerate(store["AccessToken"].values())}


def signed_out(store):
    state = {"home_account_id": identity(7), "environment": ENVIRONMENT, "client_id": TRY_OUT}
    store["AccountMetadata"] = {"m": {**state, "sign_in_state": "signed_out"}}


def newer_token(store):
    (key, token), *_ = [item for item in store["AccessToken"].items() if "-7-User" in item[1]["secret"]]
    later = {**token, "secret": "the-newer-one", "expires_on": str(int(token["expires_on"]) + 99)}
    store["AccessToken"][key + "-again"] = later


def accounts_first(store):
    for section in ("AccessToken", "RefreshToken"):
        store[section] = store.pop(section)


def as_it_is(store):
    pass


def account(store, number):
    return next(entry for entry in store["Account"].values() if entry["home_account_id"] == identity(number))


CHANGES = [as_it_is, second_account_of_the_name, guest, escaped_name, no_name, foreign_keys, signed_out, newer_token]
CHANGES += [accounts_first]
NAMED = ["Person7@contoso.example", "PERSON7@contoso.EXAMPLE", "Person7", "Person399", identity(7), identity(7)[:36]]
NAMED += ["person40", "nobody", "zoë 8"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("change", CHANGES, ids=lambda found: found.__name__)
def test_both_programs_say_the_same_of_a_large_store(person, tmp_path, change, indent):
    store = large_store()
    change(store)
    path = tmp_path / "large.json"
    path.write_text(json.dumps(store, indent=indent, ensure_ascii=indent is not None))
    path.chmod(0o600)
    assert path.stat().st_size > 1 << 20
    authority = f"https://{ENVIRONMENT}/{TENANT}"
    options = ["token", "--silent", "--client-id", TRY_OUT, "--authority", authority, "--store", path]
    front = alone(tmp_path)
    for named in NAMED:
        for scope in ("User.Read", "mail.read"):
            arguments = [*options, "--account", named, "--scope", scope]
            whole = without_chance(run(WHOLE_PROGRAM, person, arguments))
            assert without_chance(run(FOYER, person, arguments)) == whole, arguments
            certain = ("Person7@contoso.example", "Person399", identity(7))
            if change in (as_it_is, guest, newer_token) and named in certain:
                assert without_chance(run(front, person, arguments)) == whole, arguments
