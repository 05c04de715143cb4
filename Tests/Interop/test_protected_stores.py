"""Stores that protect secrets: sealed files, and the session's keyring, shared with MSAL for Python; what is lost when
writers are killed: nothing."""

import base64
import functools
import json
import os
import random
import resource
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE

import pexpect
import pytest
import sealed
from caches import CLIENT, anybody, cache, people
from harness import ADA, BY_BROWSER, CONTOSO, FOYER, HEDY, TRY_OUT, Person, until
from keyrings import Bus
from waiting import PATIENCE, answer_hidden, spawn

# One process runs these: they share a bus and its keyring.
pytestmark = pytest.mark.xdist_group("keyring")
PASSPHRASE = "correct horse battery"
# Seconds that eight writers work at once, and how often a writer is killed. The full lengths are 60 and 300; what goes
# wrong here goes wrong soon.
CROWD = float(os.environ.get("FOYER_CROWD_SECONDS") or 10)
# A crowd goes on until one of each kind has written, however slow the machine is, but no longer than this.
CROWD_LIMIT = CROWD + PATIENCE
KILLS = int(os.environ.get("FOYER_KILLS") or 60)
KEPT = [f"kept{number:02}" for number in range(20)]
SIGN_IN = ("sign-in", *BY_BROWSER, "--login-hint", ADA)
QUIET = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)


@pytest.fixture(scope="module")
def bus():
    bus = Bus()
    bus.start_keyring()
    yield bus
    bus.stop()


@pytest.fixture
def other_bus():
    bus = Bus()
    yield bus
    bus.stop()


def on(person, bus):
    """The person's session has this bus."""
    person.environment |= {name: bus.environment[name] for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")}
    return person


def at(person, bus):
    """The same with a keyring that answers. On a busy machine it does not always do so within the two seconds that
    foyer waits: then a command is given again."""
    once = person.foyer

    def foyer(*arguments, **more):
        def answered():
            result = once(*arguments, **more)
            return None if "did not respond within 2 seconds" in result.stderr else result

        return until(answered, what="an answer of the keyring")

    person.foyer = foyer
    return on(person, bus)


def at_terminal(person, *arguments):
    return spawn(person, FOYER, *arguments)


def typing(person, arguments, *answers):
    """Runs a command at a terminal and answers its questions."""
    child = at_terminal(person, *arguments)
    for question, text in answers:
        answer_hidden(child, question, text)
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before


def private(path, content):
    path.touch(0o600)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def plain(person, names):
    """A plain store with these people."""
    person.store.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return private(person.store, cache(names))


def seal(person):
    """Moves the plain store into a sealed file."""
    path = person.home / "sealed"
    move = ["store", "move", "--to", f"encrypted:{path}", "--store", person.store]
    status, said = typing(person, move, ("New passphrase", PASSPHRASE), ("Repeat it", PASSPHRASE))
    assert status == 0, said
    return path


def in_sealed(path, passphrase):
    """Who is in a sealed file that this passphrase opens."""
    data = path.read_bytes()
    return people(sealed.text(data, sealed.key_by_passphrase(data, passphrase)))


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A sealed store with twenty people, whose key the kernel holds."""
    person = Person(tmp_path_factory.mktemp("original"))
    plain(person, KEPT)
    data = seal(person).read_bytes()
    if sealed.key_in_kernel(data) is None:
        pytest.skip("the kernel keeps no keys here, so each command would ask")
    return data


@pytest.fixture
def sealed_store(person, original):
    return private(person.home / "sealed", original)


def remove(person, spec, name, *options):
    return person.foyer("remove", name, "--client-id", CLIENT, "--store", spec, *options)


# --- Sealed files


def test_a_sealed_store_is_what_its_description_says_and_shows_nothing(person):
    """strings over the store, what ps sees, the log: none of them knows a secret of it."""
    plain(person, ["ada"])
    path = person.home / "sealed"
    child = at_terminal(person, "store", "move", "--to", f"encrypted:{path}", "--remove-old", "--verbose")
    seen = []
    for question in ("New passphrase", "Repeat it"):
        answer_hidden(child, question, PASSPHRASE)
        for name in ("cmdline", "environ"):
            try:
                seen.append(Path(f"/proc/{child.pid}/{name}").read_bytes())
            except PermissionError:
                pass
    child.expect(pexpect.EOF)
    child.close()
    seen.append(child.before.encode())
    assert child.exitstatus == 0 and not person.store.exists() and path.stat().st_mode & 0o777 == 0o600
    everything = seen + [file.read_bytes() for file in person.home.rglob("*") if file.is_file()]
    for secret in (b"SECRET-", b"contoso.example", b"AccessToken", PASSPHRASE.encode()):
        assert not any(secret in text for text in everything), secret
    assert in_sealed(path, PASSPHRASE) == {"ada"}
    with pytest.raises(Exception):
        sealed.key_by_passphrase(path.read_bytes(), PASSPHRASE + "!")


def test_a_closed_store_asks_and_a_wrong_passphrase_changes_nothing(person, sealed_store, original):
    store = ("--store", f"encrypted:{sealed_store}")

    def accounts(*passphrases):
        return typing(person, ["accounts", *store], *[("Passphrase of", each) for each in passphrases])

    assert person.foyer("store", "show", "--json", *store).json["open"] is True
    try:
        assert person.foyer("store", "lock", *store).status == 0
        show = person.foyer("store", "show", "--json", *store).json
        assert show["open"] is False and show["kind"] == "encrypted"
        closed = person.foyer("accounts", "--json", *store)
        assert closed.status == 7 and "terminal" in closed.error["message"] and closed.error["hint"], closed
        silent = typing(person, ["token", "--silent", "--client-id", CLIENT, *store])
        assert silent[0] == 7 and "Passphrase" not in silent[1]
        status, said = accounts("wrong", "wrong", "wrong")
        assert status == 7 and "wrong passphrase" in said, said
        assert accounts("\x03")[0] == 130 and sealed_store.read_bytes() == original
    finally:
        status, said = accounts("wrong", PASSPHRASE)
    assert status == 0 and "kept00@contoso.example" in said and PASSPHRASE not in said, said
    assert len(person.foyer("accounts", "--json", *store).json["accounts"]) == 20


def test_nobody_without_the_key_says_where_its_refresh_tokens_go(person, sandbox, own_sandbox):
    """What is kept of providers names the endpoints that refresh tokens are sent to; beside a plain store it is as good
    as the store."""
    thief = own_sandbox()
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    kept = Path(f"{person.store}.providers").read_text()
    lie = kept.replace(f"{sandbox.port}/oidc/token", f"{thief.port}/oidc/token")
    assert lie != kept
    path = seal(person)
    beside = Path(f"{path}.providers")
    wanted = ("token", "--silent", "--json", "--client", "lab", "--store", f"encrypted:{path}", "--force-refresh")
    assert person.foyer(*wanted).status == 0
    beside.write_text(lie)
    renewed = person.foyer(*wanted)
    assert renewed.status == 0 and thief.state()["requests"] == {}, (renewed, thief.state()["requests"])


def test_a_store_sealed_anew_opens_with_the_new_passphrase_only(person):
    plain(person, ["ada"])
    path = seal(person)
    before = path.read_bytes()
    rekey = ["store", "rekey", "--store", f"encrypted:{path}"]
    status, said = typing(person, rekey, ("New passphrase", "another"), ("Repeat it", "another"))
    after = path.read_bytes()
    assert status == 0 and before[16:32] != after[16:32], said
    assert in_sealed(path, "another") == {"ada"}
    with pytest.raises(Exception):
        sealed.key_by_passphrase(after, PASSPHRASE)
    assert sealed.key_in_kernel(before) is None


def test_a_new_key_and_a_lock_during_a_refresh_lose_nothing(person, own_sandbox):
    """The old key, which the refresh has, fits the store until its response is stored."""
    sandbox = own_sandbox()
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    path = seal(person)
    store = ("--store", f"encrypted:{path}")
    ask = ("token", "--silent", "--json", "--client", "lab", *store)
    sandbox.hold()
    refreshing = person.start(*ask, "--force-refresh")
    until(lambda: sandbox.requests("token:refresh_token") == 1)
    child = at_terminal(person, "store", "rekey", *store)
    for question in ("New passphrase", "Repeat it"):
        answer_hidden(child, question, "another")
    sandbox.release()
    child.expect(pexpect.EOF)
    assert person.foyer("store", "lock", *store).status == 0
    done = refreshing.end()
    assert done.status == 0 and "memory" not in done.stderr, done
    status, said = typing(person, ["store", "unlock", *store], ("Passphrase", "another"))
    assert status == 0, said
    again = person.foyer(*ask, "--force-refresh")
    assert again.status == 0 and again.json["source"] == "refresh", again


def test_a_pinentry_of_the_desktop_is_asked_where_there_is_no_terminal(person):
    """Assuan over its standard input: never an argument."""
    plain(person, ["ada"])
    folder = person.home / "bin"
    folder.mkdir()
    program = folder / "pinentry"
    program.write_text(
        '#!/bin/sh\necho "$@" > "$HOME/arguments"\necho \'OK ready\'\n'
        'while read -r verb rest; do echo "$verb $rest" >> "$HOME/heard"\n'
        "case $verb in GETPIN) echo 'D a%25b'; echo OK;; BYE) echo OK; exit 0;; *) echo OK;; esac; done\n"
    )
    program.chmod(0o755)
    path = person.home / "sealed"
    desktop = {"DISPLAY": ":99", "PATH": f"{folder}:{person.environment['PATH']}"}
    moved = person.foyer("store", "move", "--to", f"encrypted:{path}", env=desktop)
    assert moved.status == 0 and in_sealed(path, "a%b") == {"ada"}, moved
    heard = (person.home / "heard").read_text()
    assert "SETDESC" in heard and "SETREPEAT" in heard and (person.home / "arguments").read_text() == "\n"
    program.write_text(
        "#!/bin/sh\necho OK\n"
        "while read -r verb rest; do [ $verb = GETPIN ] && echo 'ERR 83886179 cancelled' || echo OK; done\n"
    )
    person.foyer("store", "lock")
    given_up = person.foyer("accounts", env=desktop)
    assert given_up.status == 130 and given_up.stdout == "", given_up


def test_moved_there_and_back_every_entry_is_the_same(person):
    plain(person, [f"p{number}" for number in range(5)])
    text = person.store.read_text()
    path = seal(person)
    move = ("store", "move", "--json", "--store", f"encrypted:{path}", "--to")
    assert person.store.read_text() == text
    assert person.foyer(*move, person.store).status == 0, "the same content may be written over"
    person.store.write_text(cache(["somebody else"]))
    occupied = person.foyer(*move, person.store)
    assert occupied.status == 7 and people(json.loads(person.store.read_text())) == {"somebody else"}, occupied
    back = person.home / "back.json"
    moved = person.foyer(*move, back, "--remove-old")
    assert moved.status == 0 and moved.json["accounts"] == 5 and back.read_text() == text, moved
    assert not path.exists() and back.stat().st_mode & 0o777 == 0o600


# --- The keyring, with MSAL for Python


def test_foyer_uses_what_msal_keeps_in_the_keyring_and_the_other_way_round(person, tls_sandbox, bus, tmp_path):
    """Must-show 1: the same item, found by msal-extensions' own attributes."""
    at(person, bus).trust(tls_sandbox)
    person.work_settings(tls_sandbox)
    path = tmp_path / "shared.signal"
    spec = f"keyring:{path}"
    where = (path, tls_sandbox.authority(CONTOSO), tls_sandbox.ca, TRY_OUT, "User.Read")
    msal = subprocess.Popen(bus.command("sign-in", *where), env=bus.environment, stdout=subprocess.PIPE, text=True)
    tls_sandbox.approve(msal.stdout.readline().strip(), ADA)
    stored = msal.stdout.read().strip()
    assert msal.wait(PATIENCE) == 0
    (account,) = person.foyer("accounts", "--json", "--store", spec).json["accounts"]
    assert account["username"] == ADA
    more = ("--store", spec, "--authority", tls_sandbox.authority(CONTOSO))
    assert person.foyer("token", "--silent", *more).stdout.strip() == stored
    begin = time.time()
    fresh = person.foyer("token", "--silent", "--force-refresh", *more)
    assert fresh.status == 0 and fresh.stdout.strip() != stored, fresh
    # Ahead of the clock, so that whoever looked in the same moment sees that there is something new.
    assert path.stat().st_size == 0 and path.stat().st_mtime > begin + 1
    assert bus.peer("silent-token", *where).strip() == fresh.stdout.strip()
    assert person.foyer("sign-out", ADA, "--browser", "none", *more).status == 0
    assert anybody(bus.read(path)) == set()


DEVELOPER = "Microsoft.Developer.IdentityService"
# Which signal file, schema and attributes each program uses.
ITEMS = {
    "azure-cli-keyring": (".azure/msal_token_cache.bin", "my_schema_name", {"my_attr1": "foo", "my_attr2": "bar"}),
    "azure-identity-nocae": (".IdentityService/msal.cache.nocae", "msal.cache.nocae", {"MsalClientID": DEVELOPER}),
    "azure-powershell": (
        "data/.IdentityService/msal.cache",
        "msal.cache",
        {"MsalClientID": DEVELOPER, DEVELOPER: "1.0.0.0"},
    ),
}


@pytest.mark.parametrize("name", ITEMS)
def test_items_of_other_programs_are_found_read_and_changed_only_when_that_is_allowed(name, person, other_bus):
    at(person, other_bus)
    other_bus.start_keyring()
    signal_file, schema, attributes = ITEMS[name]
    is_base64 = name == "azure-powershell"  # as .NET writes its items
    place = person.home / signal_file
    place.parent.mkdir(mode=0o700, parents=True)
    place.touch(0o600)

    def coded(text):
        return base64.b64encode(text.encode()).decode() if is_base64 else text

    def kept():
        text = other_bus.peer("read-item", schema, json.dumps(attributes)).strip()
        return people(json.loads(base64.b64decode(text) if is_base64 else text))

    both = {"zed", "yan"}
    other_bus.peer("write-item", schema, json.dumps(attributes), stdin=coded(cache(both)))
    (found,) = [store for store in person.foyer("stores", "--json").json["stores"] if store["store"] == name]
    assert found["state"] == "usable" and found["accounts"] == 2 and found["kind"] == "keyring", found
    listed = person.foyer("accounts", "--all-stores", "--json").json["accounts"]
    assert {(each["username"], each["store"]) for each in listed} == {(f"{n}@contoso.example", name) for n in both}
    removal = ("remove", "zed@contoso.example", "--from", name, "--yes", "--json")
    assert person.foyer(*removal).status == 7 and kept() == both
    person.settings(f"[stores.{name}]\nwrite = true\n")
    before = place.stat().st_mtime_ns
    gone = person.foyer(*removal)
    assert gone.status == 0 and kept() == {"yan"}, gone
    assert place.stat().st_mtime_ns > before, "the program learns by the signal file's date that its item has changed"


def test_moved_into_the_keyring_and_out_again(person, bus):
    plain(at(person, bus), ["ada", "grace"])
    text = person.store.read_text()
    moved = person.foyer("store", "move", "--to", "keyring:tried", "--remove-old")
    assert moved.status == 0 and not person.store.exists(), moved
    assert 'store = "keyring:tried"' in (person.home / "config/foyer/config.toml").read_text()
    assert people(bus.read(person.store.parent / "tried.keyring")) == {"ada", "grace"}
    assert len(person.foyer("accounts", "--json").json["accounts"]) == 2
    assert person.foyer("store", "show", "--json").json["kind"] == "keyring"
    back = person.foyer("store", "move", "--to", person.store, "--remove-old")
    assert back.status == 0 and person.store.read_text() == text, back
    assert not (person.store.parent / "tried.keyring").exists()


def test_a_client_secret_is_an_item_of_the_keyring_and_moves_with_the_store(person, bus):
    plain(at(person, bus), ["ada"])
    person.settings(
        '[clients.lab]\nclient_id = "c"\nauthority = "https://id.example"\nkind = "oidc"\nclient_secret = "kept"\n'
    )
    file, item = person.store.with_name(person.store.name + ".secrets"), person.store.parent / "mine.keyring.secrets"
    assert person.foyer("secret", "set", "lab", stdin=b"one").status == 0 and file.exists()
    moved = person.foyer("store", "move", "--to", "keyring:mine", "--remove-old")
    assert moved.status == 0 and not file.exists(), moved
    assert bus.read(item)["secrets"][0]["client_secret"] == "one"
    assert person.foyer("secret", "set", "lab", stdin=b"two").status == 0
    assert bus.read(item)["secrets"][0]["client_secret"] == "two"
    assert person.foyer("secret", "--json").json["secrets"][0]["isKept"] is True
    back = person.foyer("store", "move", "--to", person.store, "--remove-old")
    assert back.status == 0 and json.loads(file.read_text())["secrets"][0]["client_secret"] == "two", back
    assert not item.exists()


def test_with_an_open_keyring_the_first_sign_in_goes_there_and_says_so(person, sandbox, bus):
    at(person, bus).work_settings(sandbox)

    def is_found():
        """On a busy machine the keyring may not be there soon enough for the first sign-in to wait for it."""
        person.store.unlink(missing_ok=True)
        result = person.foyer(*SIGN_IN)
        assert result.status == 0, result
        return "keyring:foyer" in result.stderr

    until(is_found)
    assert not person.store.exists() and anybody(bus.read(person.store.parent / "foyer.keyring"))
    assert person.foyer("token", "--silent").status == 0


def test_without_a_keyring_the_first_sign_in_goes_to_the_plain_file_and_says_so_once(person, sandbox):
    person.work_settings(sandbox)
    result = person.foyer(*SIGN_IN)
    assert result.status == 0 and person.store.exists(), result
    assert "plain file" in result.stderr and "store move" in result.stderr, result
    again = person.foyer(*SIGN_IN)
    assert again.status == 0 and "plain file" not in again.stderr, again


ACCOUNTS = ("accounts", "--store", "keyring:x")


def refused(person, *command):
    """What is said by a command that gives up."""
    result = person.foyer(*command, "--json")
    assert result.status == 7 and result.stdout == "" and result.error["hint"], result
    return result.error["message"]


def test_a_session_without_a_keyring_is_said_at_once(person, other_bus):
    assert "keyring:x" in refused(person, *ACCOUNTS)
    at(person, other_bus)
    refused(person, *ACCOUNTS)
    plain(person, ["ada"])
    refused(person, "store", "move", "--to", "keyring:x")
    assert people(json.loads(person.store.read_text())) == {"ada"}
    person.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
    refused(person, *ACCOUNTS)


def test_a_service_that_never_answers_is_left_after_two_seconds(person, other_bus):
    other_bus.start_silent_service()
    on(person, other_bus)
    assert "2 seconds" in refused(person, *ACCOUNTS)
    doctor = person.foyer("doctor", "--json")
    assert doctor.json["findings"], doctor


def test_a_locked_keyring_is_an_error_and_no_window(person, other_bus):
    other_bus.start_keyring()
    plain(at(person, other_bus), ["ada"])
    assert person.foyer("store", "move", "--to", "keyring:x").status == 0
    other_bus.peer("lock")
    for command in (ACCOUNTS, ("store", "move", "--store", person.store, "--to", "keyring:y")):
        assert "locked" in refused(person, *command)


# --- Whatever happens to a writer


class StoreWorld:
    """One store of a kind, and a look into it that is not foyer's."""

    def __init__(self, kind, person, bus, original):
        self.kind, self.person, self.bus = kind, person, bus
        self.path = person.home / f"store.{'signal' if kind == 'keyring' else kind}"
        self.spec = f"{kind}:{self.path}"
        self.good = original if kind == "encrypted" else cache(KEPT).encode()
        self.key = kind == "encrypted" and sealed.key_in_kernel(original)
        if kind == "keyring":
            at(person, bus)
            # One connection for all looks: a process for each would take longer than the rest.
            self.agent = Agent(bus, self.path)
        self.reset()

    def reset(self):
        if self.kind == "keyring":
            self.agent.ask(self.good.decode())
        else:
            private(self.path, self.good)

    def content(self):
        if self.kind == "keyring":
            return json.loads(self.agent.ask(None))
        data = self.path.read_bytes()
        return sealed.text(data, self.key) if self.kind == "encrypted" else json.loads(data)

    def close(self):
        if self.kind == "keyring":
            self.agent.close()


class Agent:
    """A process that reads and writes one item when it is told to."""

    PROGRAM = (
        "import sys, json; sys.path.append('/usr/lib/python3/dist-packages')\n"
        "from msal_extensions import LibsecretPersistence\n"
        "kept = LibsecretPersistence(sys.argv[1])\n"
        "for line in sys.stdin:\n"
        "    text = json.loads(line)\n"
        "    print(json.dumps(kept.load() if text is None else kept.save(text)), flush=True)\n"
    )

    def __init__(self, bus, path):
        self.process = subprocess.Popen(
            [bus.command()[0], "-c", self.PROGRAM, path], env=bus.environment, stdin=PIPE, stdout=PIPE, text=True
        )

    def ask(self, value):
        """Saves a text, or with None reads what is kept."""
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def store_worlds(kind, tmp_path, bus, original):
    """Makes so many stores of the kind."""
    made = []

    def make(count):
        for number in range(count):
            folder = tmp_path / f"lane{number}"
            folder.mkdir()
            made.append(StoreWorld(kind, Person(folder), bus, original))
        return made

    yield make
    for world in made:
        world.close()


@pytest.mark.parametrize("kind", ["file", "encrypted", "keyring"])
def test_killed_at_random_moments_of_writes_a_store_holds_the_old_or_the_new_state(kind, store_worlds):
    worlds = store_worlds(2)
    chance = random.Random(5)
    moments = [chance.random() for _ in range(KILLS)]

    def lane(world, moments):
        outcomes = {"old": 0, "new": 0}
        begin = time.monotonic()
        assert remove(world.person, world.spec, "kept00").status == 0
        # Where the write is changes with the machine's load: the moments follow it, and so lie thickest around it.
        usual = time.monotonic() - begin
        world.reset()
        for turn, moment in enumerate(moments):
            name = KEPT[turn % len(KEPT)]
            arguments = [FOYER, "remove", name, "--client-id", CLIENT, "--store", world.spec]
            writer = subprocess.Popen(arguments, env=world.person.environment, **QUIET)
            time.sleep(usual * (0.7 + 0.6 * moment))
            writer.kill()
            writer.wait()
            found = people(world.content())
            assert found in (set(KEPT), set(KEPT) - {name}), (turn, found)
            is_new = name not in found
            outcomes["new" if is_new else "old"] += 1
            usual *= 0.93 if is_new else 1.07
            if is_new:
                world.reset()
        # The next writer is not held up by what the dead left, and sweeps it.
        last = remove(world.person, world.spec, "kept01")
        assert last.status == 0 and people(world.content()) == set(KEPT) - {"kept01"}, last
        left = [path.name for path in world.path.parent.glob(world.path.name + "?*")]
        assert not [name for name in left if "tmp" in name or "lockfile" in name], left
        return outcomes

    with ThreadPoolExecutor(len(worlds)) as pool:
        done = list(pool.map(lane, worlds, [moments[index :: len(worlds)] for index in range(len(worlds))]))
    assert all(sum(outcome[state] for outcome in done) > KILLS * 0.05 for state in ("old", "new")), done


def crowd(spec, person, names, goes_on):
    """One process of foyer after another removes one of the people; returns who is gone."""
    gone, chance = [], random.Random(names[0])
    for name in names:
        if gone and not goes_on():
            break
        tries = []
        for _ in range(12):
            result = remove(person, spec, name)
            tries.append(result)
            if result.status != 7:
                break
        assert result.status == 0, tries
        gone.append(name)
        # No script starts one process the moment another ends; MSAL tries its lock four times a second only, and would
        # hardly ever find it free.
        time.sleep(chance.uniform(0.05, 0.25))
    return gone


@pytest.mark.parametrize("kind", ["file", "keyring"])
def test_four_writers_of_msal_and_four_of_foyer_at_once_lose_nothing(kind, person, bus, tmp_path):
    """Whoever MSAL put in is there, whoever foyer took out is gone, and everybody else is as before."""
    path = at(person, bus).home / ("shared.signal" if kind == "keyring" else "shared.json")
    # A keyring hands over the whole item each time: with fewer people in it there are more writes.
    leaving = [
        [f"leaves{writer}n{number:03}" for number in range(100 + int((1 if kind == "keyring" else 8) * (CROWD - 10)))]
        for writer in range(4)
    ]
    everybody = {name for names in leaving for name in names}
    if kind == "keyring":
        bus.peer("write", path, stdin=cache(sorted(everybody)))
    else:
        private(path, cache(sorted(everybody)))
    msal = [
        subprocess.Popen(
            bus.command("add", path, f"comes{writer}n", CROWD, CROWD_LIMIT),
            env=bus.environment,
            stdout=PIPE,
            stderr=PIPE,
            text=True,
        )
        for writer in range(4)
    ]
    came, complaints = set(), [None] * 4

    def listen(writer):
        for line in msal[writer].stdout:
            came.add(f"comes{writer}n{int(line):04}")

    def collect(writer):
        complaints[writer] = msal[writer].stderr.read()

    listeners = [threading.Thread(target=each, args=(writer,)) for writer in range(4) for each in (listen, collect)]
    for each in listeners:
        each.start()
    begin = time.monotonic()

    def goes_on():
        return time.monotonic() < begin + (CROWD if came else CROWD_LIMIT)

    with ThreadPoolExecutor(4) as pool:
        gone = set().union(*pool.map(lambda names: crowd(f"{kind}:{path}", person, names, goes_on), leaving))
    for each in listeners:
        each.join()
    assert [each.wait(PATIENCE) for each in msal] == [0] * 4, complaints
    content = bus.read(path) if kind == "keyring" else json.loads(path.read_text())
    found = people(content)
    assert gone and came and found >= came, (came - found, complaints)
    assert anybody(content) & gone == set() and found >= everybody - gone
    # Whom MSAL had only half put in when its time was over, because it did not get the lock, is listed too.
    listed = person.foyer("accounts", "--json", "--store", f"{kind}:{path}").json["accounts"]
    assert found <= {each["homeAccountId"].split(".")[0] for each in listed} <= anybody(content)


def test_four_writers_of_foyer_on_a_sealed_store_lose_nothing(person, sealed_store, original):
    spec, parts = f"encrypted:{sealed_store}", [KEPT[part:16:4] for part in range(4)]
    with ThreadPoolExecutor(4) as pool:
        gone = list(pool.map(lambda part: crowd(spec, person, part, lambda: True), parts))
    assert sum(map(len, gone)) == 16
    assert people(sealed.text(sealed_store.read_bytes(), sealed.key_in_kernel(original))) == set(KEPT[16:])


@pytest.mark.parametrize("kind", ["file", "encrypted", "keyring"])
def test_a_lock_held_by_a_stopped_process_is_told_with_its_number(kind, store_worlds):
    (world,) = store_worlds(1)
    lock = Path(f"{world.path}.lockfile")
    removal = ("remove", "kept00", "--client-id", CLIENT, "--store", world.spec)
    program = (
        "import fcntl, os, sys, time\nfd = os.open(sys.argv[1], os.O_CREAT | os.O_EXCL | os.O_RDWR)\n"
        "fcntl.flock(fd, fcntl.LOCK_EX)\n"
        "os.write(fd, b'%d holder' % os.getpid())\nprint('held', flush=True)\ntime.sleep(600)"
    )
    holder = subprocess.Popen(["python3", "-c", program, lock], stdout=PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        os.kill(holder.pid, signal.SIGSTOP)
        message = refused(world.person, *removal)
        assert str(holder.pid) in message and "holder" in message
        assert people(world.content()) == set(KEPT) and lock.exists()
    finally:
        holder.kill()
        holder.wait()
    assert world.person.foyer(*removal).status == 0
    assert people(world.content()) == set(KEPT) - {"kept00"}


@pytest.fixture
def disk(tmp_path):
    """A small file system of its own."""
    folder = tmp_path / "disk"
    folder.mkdir(mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=192k,mode=700", "none", folder]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root may mount a file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("kind", ["file", "encrypted"])
@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_a_disk_that_cannot_be_written_loses_nothing(kind, fault, person, original, disk):
    """Exit 7, and the store is unchanged."""
    path = private(disk / "store", original if kind == "encrypted" else cache(KEPT))
    before = path.read_bytes()
    if fault == "full":
        with open(disk / "filler", "wb", buffering=0) as filler, pytest.raises(OSError):
            while True:
                filler.write(bytes(4096))
    else:
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    refused(person, "remove", "kept00", "--client-id", CLIENT, "--store", f"{kind}:{path}")
    assert path.read_bytes() == before
    assert {entry.name for entry in disk.iterdir()} - {"filler", "store.lockfile"} == {"store"}


def test_no_core_file_shows_a_store(person, sandbox, sealed_store, tmp_path):
    """Aborted while the store's content is in its memory, the program leaves no core file, whatever the shell
    allows."""

    def aborted(arguments, ready, **more):
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_CORE, unlimited)
        process = subprocess.Popen(arguments, cwd=tmp_path, preexec_fn=limit, **QUIET, **more)
        ready()
        os.kill(process.pid, signal.SIGABRT)
        _, status = os.waitpid(process.pid, 0)
        process.returncode = -signal.SIGABRT
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGABRT
        return os.WCOREDUMP(status)

    person.work_settings(sandbox)
    assert not aborted(
        [FOYER, "sign-in", "--via", "device", "--account", "kept00", "--store", f"encrypted:{sealed_store}"],
        lambda: until(sandbox.waiting_codes, what="a code"),
        env=person.environment,
    )
    if not aborted(["sleep", "1000"], lambda: None):
        pytest.skip("this machine writes no core files at all")


def test_the_interface_asks_for_the_passphrase_before_its_screen(person, sealed_store, original):
    store = ("--store", f"encrypted:{sealed_store}")
    try:
        person.foyer("store", "lock", *store)
        child = at_terminal(person, *store)
        answer_hidden(child, "Passphrase of", PASSPHRASE)
        child.expect("encrypted file")
        child.expect("kept00@contoso.example")
        child.send("q")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0
    finally:
        is_closed = sealed.key_in_kernel(original) is None
        typing(person, ["store", "unlock", *store], *[("Passphrase of", PASSPHRASE)] * is_closed)
