"""What the files survive: each system call of a write made to fail, the process ended at each, and a power cut after
each."""

import errno
import json
import os
import shutil
import time
from pathlib import Path

import pytest
from faults import each, power_cuts, rule
from harness import ADA, BY_BROWSER, HEDY, TARO, Person, Store, add_settings

FIXTURES = Path(__file__).resolve().parents[1] / "LegacyCachesTests" / "Fixtures"
# Calls on the home folder of a command that does not wait: a list of accounts, which decides each row, makes 110 to
# 160, and who waits makes 60 more each second.
AT_ONCE = 250
# How many calls of a command are tried in the short run, evenly over all of it.
MOST = 10
SIGN_IN = ["sign-in", "--json", *BY_BROWSER, "--login-hint", TARO]


class Home:
    """A person's home that is put back as it was before each try."""

    def __init__(self, folder, sandbox, faults):
        self.person = Person(folder)
        self.sandbox, self.faults = sandbox, faults
        self.person.work_settings(sandbox)
        add_settings(self.person, "proof_of_possession = true\n")
        self.person.sign_in(ADA)
        self.person.sign_in(HEDY, "--client", "lab")
        assert self.person.foyer("secret", "set", "lab", stdin=b"s3cret").status == 0
        legacy = self.person.home / "old" / "accessTokens.json"
        legacy.parent.mkdir(mode=0o700)
        shutil.copy(FIXTURES / "accessTokens.json", legacy)
        self.moved = self.person.home / "moved" / "cache.json"
        self.template = folder / "template"
        shutil.copytree(self.person.home, self.template)
        self.before = self.content()
        self.commands = {
            "sign-in": SIGN_IN,
            "remove": ["remove", HEDY, "--client", "lab", "--json"],
            "move": ["store", "move", "--to", f"file:{self.moved}", "--remove-old", "--json"],
            "import": ["import", legacy, "--json"],
        }

    def restore(self, files=None):
        shutil.rmtree(self.person.home)
        if files is None:
            shutil.copytree(self.template, self.person.home)
            return
        long_ago = time.time() - 10
        for name, content in {str(self.person.home) + "/.": None, **files}.items():
            path = Path(name)
            for folder in [*reversed(path.parents), path] if content is None else reversed(path.parents):
                folder.mkdir(mode=0o700, exist_ok=True)
            if content is not None:
                path.write_bytes(content)
                path.chmod(0o600)
                os.utime(path, (long_ago, long_ago))

    def content(self):
        return {str(path): path.read_bytes() for path in self.person.home.rglob("*") if path.is_file()}

    def run(self, name, environment=None):
        return self.person.foyer(*self.commands[name], env=environment)

    def is_done(self, name):
        """Whether the files say what the command was to do; whatever they say, they say it as a whole."""
        is_moved = f"file:{self.moved}" in (self.person.home / "config/foyer/config.toml").read_text()
        store = self.moved if is_moved else self.person.store
        people = {entry["username"] for entry in Store(store).section("Account").values()}
        assert {ADA, HEDY} - people <= ({HEDY} if name == "remove" else set()), people
        keys = json.loads(Path(f"{store}.keys").read_text())["keys"]
        secrets = json.loads(Path(f"{store}.secrets").read_text())["secrets"]
        assert [entry["client_secret"] for entry in secrets] == ["s3cret"]
        if name == "remove":
            assert len(keys) <= 1 and (HEDY not in people or len(keys) == 1)
            return HEDY not in people
        assert len(keys) == 1
        if name == "move":
            return is_moved
        return store.read_bytes() != self.before[str(store)]

    def looks_on(self):
        """The next command works at once, and leaves nothing of the one before."""
        environment, read = self.faults.watch(self.person.home)
        result = self.person.foyer("accounts", "--json", env=environment)
        assert result.status == 0 and 0 < len(read()) < AT_ONCE, (result, read())
        assert {ADA} <= {account["username"] for account in result.json["accounts"]}, result
        names = [Path(path).name for path in self.content()]
        assert not [name for name in names if any(word in name for word in ("lockfile", ".tmp.", ".new"))], names


def some(found, first=0):
    wants_all = os.environ.get("EVERY_FAULT") or os.environ.get("FOYER_LONG")
    return found if wants_all else found[first :: max(1, len(found) // MOST)]


NAMES = ["sign-in", "remove", "move", "import"]


@pytest.fixture(scope="module")
def home(tmp_path_factory, running_sandbox, faults):
    running_sandbox.reset()
    home = Home(tmp_path_factory.mktemp("home"), running_sandbox, faults)
    yield home
    home.person.stop()


@pytest.fixture(params=NAMES)
def calls(request, home, faults):
    """A command, and each call that it makes on the home folder."""
    home.restore()
    environment, read = faults.watch(home.person.home)
    result = home.run(request.param, environment)
    assert result.status == 0 and home.is_done(request.param), result
    home.looks_on()
    return request.param, each(read())


def test_a_call_that_fails_leaves_the_old_state_or_the_new_one_and_no_lie(home, faults, calls):
    name, found = calls
    for call, path, number in some(found):
        home.restore()
        result = home.run(name, faults.meet(rule(call, path, errno.EIO, number)))
        what = (call, path, number, result)
        # 65: the file to import could not be read.
        assert result.status in (0, 7, 78) or (result.status == 65 and "accessTokens" in path), what
        assert home.is_done(name) == (result.status == 0) or "could not be removed" in result.error["message"], what
        if result.status != 0 and not home.is_done(name):
            ends = (".json", ".keys", ".secrets", ".toml")
            now, kept = home.content(), [path for path in home.before if path.endswith(ends)]
            assert all(now.get(path) == home.before[path] for path in kept), what
            assert not any(Path(f"{home.moved}{suffix}").exists() for suffix in ("", ".keys", ".secrets")), what
        home.looks_on()


def test_a_signal_in_the_middle_of_a_call_is_no_failure(home, faults, calls):
    name, found = calls
    # What the system interrupts: not looks at names.
    for call in sorted({call for call, _, _ in found} - {"access", "opendir", "readlink"}):
        home.restore()
        interrupted = [rule(call, path, errno.EINTR, number) for other, path, number in found if other == call]
        result = home.run(name, faults.meet(*interrupted[:30]))
        assert result.status == 0 and home.is_done(name), (call, result)
        home.looks_on()


def test_killed_at_any_call_the_files_say_the_old_or_the_new_and_nothing_is_left_behind(home, faults, calls):
    name, found = calls
    for call, path, number in some(found, first=1):
        home.restore()
        result = home.run(name, faults.meet(rule(call, path, "kill", number)))
        assert result.status in (-9, 0), (call, path, number, result)
        home.is_done(name)
        home.looks_on()


@pytest.mark.parametrize("name", NAMES)
def test_after_a_power_cut_the_files_say_the_old_or_the_new(home, faults, name):
    home.restore()
    before = home.content()
    environment, journal = faults.journal(home.person.home)
    result = home.run(name, environment)
    assert result.status == 0, result
    for files in power_cuts(journal(), before):
        home.restore(files)
        home.is_done(name)
        home.looks_on()


def test_a_copy_that_a_killed_move_has_left_is_named_by_doctor(person, sandbox, faults):
    settings = person.work_settings(sandbox)
    person.sign_in(ADA)
    copy = person.home / "copy.json"
    move = ("store", "move", "--to", f"file:{copy}")
    killed = person.foyer(*move, env=faults.meet(rule("rename", settings.name, "kill")))
    assert killed.status < 0 and copy.exists() and str(copy) not in settings.read_text(), killed

    def named():
        found = person.foyer("doctor", "--json").json["findings"]
        return [each for each in found if "was interrupted" in each["detail"]]

    (finding,) = named()
    assert str(copy) in finding["detail"] and f"rm -f {copy} {copy}.keys" in finding["hint"], finding
    moved = person.foyer(*move)
    assert moved.status == 0 and named() == [] and str(copy) in settings.read_text(), moved
    assert not [path for path in person.store.parent.iterdir() if path.name.endswith(".moving")]
