"""foyer report: what belongs in a bug report. No token is in it, and no name, tenant, host or path that was not asked
for; it works where much is broken, asks nobody and sends nothing."""

import base64
import calendar
import functools
import json
import os
import re
import socket
import stat
import subprocess
import time
from urllib.parse import quote

import pexpect
import pytest
import sealed
from agents import Agent
from caches import cache
from harness import (
    ADA,
    AZURE_CLI,
    BY_BROWSER,
    CONTOSO,
    FABRIKAM,
    FOYER,
    GRACE,
    HEDY,
    UNSAFE,
    WHOLE_PROGRAM,
    Person,
    Store,
    until,
)
from waiting import answer_hidden, spawn

ISSUER = "https://id.aperture-labs.example/realms/portal-gun"
POLICY = "https://contosologin.b2clogin.com/contosologin.onmicrosoft.com/B2C_1_wheatley"
OWN_CLIENT = "5eb0c1f2-77aa-4bcd-9e01-a1b2c3d4e5f6"
PASSWORD = "hunter2-and-then-some"
USER = "wilhelmina"
# Values that are the same for everybody, and so tell nothing of anybody.
PUBLIC = """
127.0.0.1 xterm-256color C.UTF-8 Bearer AccessToken RefreshToken IdToken AppMetadata MSSTS Generic
interactionRequired serverError unavailable AADSTS device cache refresh azure-cli kubectl never always sleep
screen browser default another refused settings option powershell localhost debian ubuntu fedora docker
organizations linux openid profile email 1.0.0
"""
# Names of members of a cache.
MEMBERS = """
home_account_id environment client_id credential_type secret realm target username cached_at expires_on
extended_expires_on local_account_id authority_type client_info token_type family_id id_token_claims
last_modification_time account_source scopes foyer config token state program-uses.jsonl failures.json client
account version amr preferred_username Reader config.toml token_cache.json clients stores tenants local program tenant
"""


class Telling(Person):
    """Somebody whose home folder and environment say who they are."""

    def __init__(self, folder):
        (folder / USER).mkdir(mode=0o700)
        super().__init__(folder / USER)
        self.home = (folder / USER / "home").rename(folder / USER / f"{USER}-home")
        self.environment |= {
            "HOME": str(self.home),
            **{f"XDG_{kind.upper()}_HOME": str(self.home / kind) for kind in ("config", "data", "state")},
            **dict.fromkeys(["USER", "LOGNAME"], USER),
            "HOSTNAME": "cakebox.aperture-labs.example",
            "BROWSER": f"/opt/{USER}/browse --token {PASSWORD}",
            "SSH_CONNECTION": "198.51.100.23 50022 203.0.113.77 22",
            "TMUX": f"/tmp/tmux-{USER}/default,77,0",
            "NO_PROXY": "intranet.aperture-labs.example,127.0.0.1",
        }


@pytest.fixture
def telling(tmp_path):
    person = Telling(tmp_path)
    yield person
    person.stop()


def state(person, name):
    folder = person.environment.get("XDG_STATE_HOME") or person.home / ".local" / "state"
    return type(person.home)(folder) / "foyer" / name


def busy(person, sandbox):
    """Several accounts of several providers, failures of programs and of providers, settings with all that is there."""
    path = person.work_settings(sandbox)
    shared = person.home / "shared-with-glados.json"
    shared.touch(0o600)
    shared.write_text(cache(["chell.johnson", "cave.johnson"]))
    path.write_text(
        path.read_text().replace('client = "work"', 'client = "work"\ntheme = "potato-battery"\nmouse = true')
        + f"""
[clients.turret-control]
client_id = "{OWN_CLIENT}"
authority = "{ISSUER}"
kind = "oidc"
via = "device"
expiration_buffer = 77
scopes = ["openid", "{PASSWORD}"]
store = "file:{person.home}/companion-cube.json"

[clients.wheatley]
client_id = "ffffffff-1111-4222-8333-ababababcdcd"
authority = "{POLICY}"

[stores.glados]
path = "{shared}"

[agent]
start = false
lock_on = ["sleep"]
lock_after = "30m"

[forward]
clients = ["turret-control"]
accounts = ["chell.johnson@contoso.example"]
scopes = ["https://cake.example/{PASSWORD}"]

[[rules]]
host = "git.aperture-labs.example"
organization = "enrichment-center"
account = "{GRACE}"
tenant = "{FABRIKAM}"

[[rules]]
program = "kubectl"
account = "katherine@contoso.example"

[broker]
use = "never"

[keys.picker]
reload = "F5"
"""
    )
    person.sign_in(ADA)
    person.sign_in(ADA, "--tenant", FABRIKAM)
    person.sign_in(GRACE, "--client", "cli")
    person.sign_in(HEDY, "--client", "lab")
    Store(person.store).age()
    refusal = {"error": "invalid_grant", "description": f"AADSTS50076: {ADA} of {CONTOSO} must not be told"}
    sandbox.fault("error", endpoint="token:refresh_token", codes=[50076], times=9, **refusal)
    refused = person.foyer("token", "--silent", "--account", ADA, "--tenant", CONTOSO, "--json")
    assert refused.status == 3, refused
    assert person.foyer("helper", "kubectl").status != 0
    sandbox.control("faults", method="DELETE")
    return refused.error["correlationId"]


def strings(value):
    """Every text in a JSON value, names of members too."""
    if isinstance(value, dict):
        value = [text for pair in value.items() for text in pair]
    if isinstance(value, list):
        for member in value:
            yield from strings(member)
    elif isinstance(value, str):
        yield value


def claims(token):
    """What a token says, part by part."""
    for part in token.split("."):
        try:
            yield from strings(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))))
        except ValueError:
            continue


def kept(person):
    """Secrets and names: of every file of the person's, of the environment and of the machine."""
    found = {socket.gethostname(), USER, PASSWORD, "aperture-labs", "portal-gun", "enrichment-center", "companion-cube"}
    secrets = set()
    for path in person.home.rglob("*"):
        found.add(path.name if path.name not in os.listdir("/") else str(path))
        if not path.is_file() or path.stat().st_size > 1 << 20:
            continue
        text = path.read_text(errors="replace")
        try:
            content = json.loads(text)
        except ValueError:
            found |= {quoted for pair in re.findall(r'"([^"\n]*)"|\[\w+\.([^\]]+)\]', text) for quoted in pair}
            continue
        if not isinstance(content, dict):
            continue
        for section in ("AccessToken", "RefreshToken", "IdToken"):
            for entry in content.get(section, {}).values():
                secrets |= {entry["secret"], *entry["secret"].split(".")}
                found |= set(claims(entry["secret"]))
        for section in ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata"):
            found |= set(strings(content.get(section, {})))
    found |= {value for name, value in person.environment.items() if name != "PATH"}
    for text in list(found):
        found |= set(re.split(r"[@\s/,;:]+", text))
    found -= {"Azure CLI", *PUBLIC.split(), *MEMBERS.split()}
    # What is too short tells nothing.
    names = {text for text in found if len(text) > 4 and not text.isdigit()}
    return names, {text for text in secrets if len(text) > 8}


def forms(text):
    """A text as it is, and as it may look where it was packed up."""
    raw = text.encode()
    yield from (text, text.lower(), text.upper(), quote(text), quote(text, safe=""), raw.hex())
    for shift in range(3):
        # Wherever it begins in what is encoded, some letters are the same.
        for packed in (base64.b64encode(b"\0" * shift + raw), base64.urlsafe_b64encode(b"\0" * shift + raw)):
            inner = packed.decode().rstrip("=")[(0, 2, 3)[shift] : -1]
            if len(inner) > 7:
                yield inner


def told(texts, report):
    """Which of these a report tells, as words of their own."""
    low = report.lower()

    def is_told(form):
        return re.search(rf"(?<!\w){re.escape(form)}(?!\w)", low) if len(form) < 9 else form in low

    return sorted(text for text in texts if any(is_told(form.lower()) for form in forms(text)))


def test_nothing_of_anybody_is_in_it_unless_asked_for(telling, sandbox):
    correlation = busy(telling, sandbox)
    names, secrets = kept(telling)
    # What is looked for is there: else nothing would be found in any report.
    names_there = {ADA, GRACE, HEDY, "katherine@contoso.example", "chell.johnson@contoso.example"}
    names_there |= {CONTOSO, FABRIKAM, OWN_CLIENT, ISSUER, PASSWORD, USER, "Ada Lovelace", "Lovelace"}
    names_there |= {"turret-control", "glados", "enrichment-center", "potato-battery"}
    assert names_there <= names and len(secrets) > 20, names_there - names
    text, machine = telling.foyer("report"), telling.foyer("report", "--json")
    for result in (text, machine):
        assert result.status == 0 and result.stderr == "", result
        assert told(secrets | names, result.stdout) == []
        assert not UNSAFE.search(result.stdout) and "\x1b" not in result.stdout
    report = machine.json
    assert report["about"]["includes"] == []
    (failure,) = [one for one in report["failures"] if one["correlationId"] == correlation]
    assert failure["code"] == "interactionRequired" and failure["numbers"] == ["AADSTS50076"]
    assert failure["authority"] == "aad"
    assert abs(time.time() - calendar.timegm(time.strptime(failure["at"], "%Y-%m-%dT%H:%M:%SZ"))) < 300
    assert correlation in text.stdout and "AADSTS50076" in text.stdout
    refused = [(use["program"], use["code"]) for use in report["refusedToPrograms"]]
    assert refused == [("kubectl", "interactionRequired")], refused


def test_it_says_what_a_maintainer_asks_for(telling, sandbox):
    busy(telling, sandbox)
    report = telling.foyer("report", "--json").json
    version = telling.foyer("--version", "--json").json
    assert report["versions"]["foyer"] == version["version"] and report["versions"]["compiler"] == version["compiler"]
    libraries = {library["name"]: library["version"] for library in version["libraries"]}
    assert report["versions"]["libraries"] == libraries
    assert report["system"]["kernel"].split(".")[0] == os.uname().release.split(".")[0]
    shown = {"type": "xterm-256color", "colors": 256, "utf8": True, "ssh": True, "tmux": True, "screen": False}
    assert {name: report["terminal"][name] for name in shown} == shown
    assert "BROWSER" in report["environment"]["set"] and "FOYER_STORE" not in report["environment"]["set"]
    (own,) = [store for store in report["stores"] if store["place"] == "default place"]
    entries = Store(telling.store)
    assert own["kind"] == "file" and own["state"] == "readable" and own["mode"] == "0600"
    assert own["refreshTokens"] == len(entries.section("RefreshToken"))
    assert own["accessTokens"] == len(entries.section("AccessToken"))
    assert own["idTokens"] == len(entries.section("IdToken")) and own["bytes"] == telling.store.stat().st_size
    assert own["knownClients"] == ["Azure CLI"] and own["otherClients"] == 2 and own["accounts"] >= 3
    (other,) = [store for store in report["stores"] if store["namedBy"] == "otherProgram"]
    assert other["accounts"] == 2 and other["place"] == "in the home folder"
    tables = report["settings"]["tables"]
    assert tables[0]["table"] == "top" and tables[0]["values"] == {"theme": "another", "mouse": True}
    assert "client" in tables[0]["set"]
    clients = {(each["client"], each["kind"], each["cloud"]): each for each in tables if each["table"] == "clients"}
    assert ("Azure CLI", "aad", "this machine") in clients
    oidc = clients["another client", "oidc", "not Microsoft"]
    assert oidc["values"] == {"kind": "oidc", "scopes": {"entries": 2}, "via": "device", "expiration_buffer": 77}
    assert oidc["store"] == "file"
    assert ("another client", "b2c", "not Microsoft") in clients
    assert [table["changes"] for table in tables if table["table"] == "keys"] == [1]
    assert {check["subject"] for check in report["checks"]} >= {"settings", "store", "terminal", "sign-in", "broker"}
    assert not any(check["subject"] in ("network", "provider", "clock") for check in report["checks"])
    assert report["agent"] == {"state": "not running"} and report["broker"]["use"] == "never"
    assert {"program": "git", "state": "notSetUp", "firstOnPath": False} in report["programs"]


def test_names_tenants_and_paths_only_when_asked_for_and_never_a_secret(telling, sandbox):
    busy(telling, sandbox)
    _, secrets = kept(telling)
    for what, there, elsewhere in [
        ("names", [ADA, GRACE, HEDY, "turret-control"], [CONTOSO, ISSUER, "companion-cube", OWN_CLIENT]),
        ("tenants", [CONTOSO, FABRIKAM, ISSUER, OWN_CLIENT], [ADA, "turret-control", "companion-cube"]),
        ("paths", ["~/companion-cube.json", "~/shared-with-glados.json"], [ADA, CONTOSO, ISSUER, USER]),
    ]:
        result = telling.foyer("report", "--json", "--include", what)
        assert result.status == 0 and result.json["about"]["includes"] == [what], result
        assert all(text in result.stdout for text in there), (what, result)
        assert told(elsewhere, result.stdout) == [] and told(secrets, result.stdout) == [], what
    whole = telling.foyer("report", "--include", "names", "--include", "tenants", "--include", "paths")
    assert ADA in whole.stdout and ISSUER in whole.stdout and "~/companion-cube.json" in whole.stdout, whole
    assert told(secrets | {USER, PASSWORD, socket.gethostname()}, whole.stdout) == []
    wrong = telling.foyer("report", "--include", "tokens")
    assert wrong.status == 64 and wrong.stdout == "", wrong


def test_the_text_is_markdown_of_narrow_lines_that_says_what_the_json_says(ada):
    text = ada.foyer("report").stdout
    report = ada.foyer("report", "--json").json
    lines = text.split("\n")
    assert lines[0] == "# Foyer report" and all(len(line) <= 80 for line in lines), text
    titles = [line[3:] for line in lines if line.startswith("## ")]
    words = [re.sub("[A-Z]", lambda letter: " " + letter[0].lower(), name) for name in report]
    assert titles == [word[0].upper() + word[1:] for word in words]
    assert f"- compiler: {report['versions']['compiler']}" in text.replace("\n  ", " ")


def terminal(person, *arguments, folder, columns=80):
    return spawn(person, FOYER, "report", *arguments, cwd=str(folder), dimensions=(24, columns))


def end(child):
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def test_it_is_shown_before_it_is_written(ada, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    written, draft = folder / "foyer-report.md", folder / "foyer-report.md.new"

    def dialogue(*said, arguments=(), **more):
        """Questions with their answers, and what is said at the end."""
        child = terminal(ada, *arguments, folder=folder, **more)
        *questions, last = said
        for question, answer in questions:
            child.expect(question)
            child.send(answer + "\r")
        child.expect(last)
        assert end(child) == 0

    child = terminal(ada, folder=folder)
    child.expect("Foyer report")
    child.expect(r"Write it to foyer-report.md\?")
    assert os.listdir(folder) == []
    child.send("\r")
    child.expect("report written to foyer-report.md")
    assert end(child) == 0
    assert stat.S_IMODE(written.stat().st_mode) == 0o600 and written.read_text().startswith("# Foyer report\n")
    before = written.read_text()
    dialogue(("Write it to", ""), ("already exists. Replace it", ""), "nothing was written")
    assert written.read_text() == before
    written.write_text("mine")
    draft.write_text("mine, too")
    answers = [(r"Write it to foyer-report.md\?", ""), ("Replace it", "y"), "report written to foyer-report.md"]
    dialogue(*answers, arguments=("--output", "foyer-report.md"))
    assert written.read_text().startswith("# Foyer report\n")
    assert stat.S_IMODE(written.stat().st_mode) == 0o600 and draft.read_text() == "mine, too"
    draft.unlink()
    dialogue(("Write it to", "n"), "nothing was written", columns=30)
    assert os.listdir(folder) == ["foyer-report.md"]
    dialogue(("Write it to", "other.md"), "report written to other.md")
    assert (folder / "other.md").read_text().startswith("# Foyer report\n")


def test_without_a_terminal_nothing_is_written_that_was_not_asked_for(ada, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    run = functools.partial(ada.foyer, "report", cwd=folder)
    for arguments in ([], ["--json"], ["--yes"], ["--output", "x.md"]):
        result = run(*arguments)
        assert result.status == 0 and "versions" in result.stdout.lower() and os.listdir(folder) == [], result
    assert "add --yes" in result.stderr
    result = run("--output", "x.md", "--yes")
    assert result.status == 0 and (folder / "x.md").read_text() == result.stdout
    assert stat.S_IMODE((folder / "x.md").stat().st_mode) == 0o600
    (folder / "x.md").write_text("mine")
    os.symlink(tmp_path / "elsewhere", folder / "link")
    for name in ("x.md", "link"):
        again = run("--output", name, "--yes")
        assert again.status == 64 and "already" in again.stderr, again
    assert (folder / "x.md").read_text() == "mine" and not (tmp_path / "elsewhere").exists()
    nowhere = run("--output", "no/such/folder/x.md", "--yes")
    assert nowhere.status == 78 and "cannot write the report" in nowhere.stderr, nowhere
    result = run("--output", "x.json", "--yes", "--json")
    assert json.loads((folder / "x.json").read_text()) == result.json


def test_settings_that_cannot_be_read_are_said(person):
    path = person.settings('client = "work"\nthis is not TOML but has chell.johnson in it\n')
    broken = person.foyer("report", "--json")
    assert broken.status == 0 and broken.json["settings"]["file"] == "not TOML", broken
    assert broken.json["settings"]["problem"] == "configuration" and broken.json["settings"]["line"] == 2
    assert "chell" not in broken.stdout + broken.stderr
    assert broken.json["stores"][0]["state"] == "does not exist"
    path.write_text('client = "glados"\n[clients.wheatley]\nclient_id = "x"\nportal = "gun"\nvia = "device"\n')
    wrong = person.foyer("report", "--json").json["settings"]
    assert wrong["readable"] is False and wrong["file"] == "there" and wrong["line"] == 4, wrong
    assert wrong["tables"][1]["unknown"] == 1 and wrong["tables"][1]["values"] == {"via": "device"}
    assert not {"glados", "wheatley", "portal"} & set(re.findall(r"\w+", json.dumps(wrong)))
    path.write_bytes(b"\xff\xfe")
    assert person.foyer("report", "--json").json["settings"]["file"] == "not UTF-8"
    path.unlink()
    path.mkdir()
    assert person.foyer("report", "--json").json["settings"]["file"] == "unreadable"
    missing = person.foyer("report", "--json", "--config", person.home / "nothing.toml").json["settings"]
    assert missing["file"] == "none" and missing["readable"] is False and missing["namedBySomebody"] is True


def write_store(person, text):
    person.store.parent.mkdir(mode=0o700, parents=True)
    person.store.touch(0o600)
    person.store.write_text(text)


def test_a_damaged_store_a_missing_home_and_a_damaged_record_are_no_obstacle(person):
    write_store(person, '{"Account": chell')
    state(person, "x").parent.mkdir(mode=0o700, parents=True)
    state(person, "failures.json").write_text('{"version": 1, "failures": [{"code": "chell", "at": "x"}, 7]}')
    report = person.foyer("report", "--json")
    assert report.status == 0 and report.json["stores"][0]["state"] == "not JSON", report
    assert report.json["failures"] == [] and "chell" not in report.stdout
    bare = {name: person.environment[name] for name in ("PATH", "TMPDIR")}
    result = subprocess.run(
        [str(FOYER), "report", "--json"], env={**bare, "HOME": "relative", "TERM": "xterm"}, capture_output=True
    )
    assert result.returncode == 0 and json.loads(result.stdout)["versions"], result
    result = subprocess.run([str(FOYER), "report"], env=bare, capture_output=True)
    assert result.returncode == 0 and b"- type: none" in result.stdout, result


def test_a_locked_store_stays_locked_and_nobody_is_asked(person):
    write_store(person, cache(["chell", "cave"]))
    path = person.home / "sealed"
    words = ["store", "move", "--to", f"encrypted:{path}", "--store", str(person.store)]
    child = spawn(person, FOYER, *words)
    for question in ("New passphrase", "Repeat it"):
        answer_hidden(child, question, PASSWORD)
    assert end(child) == 0
    held = sealed.key_in_kernel(path.read_bytes()) is not None
    arguments = ["--store", f"encrypted:{path}"]
    store = person.foyer("report", "--json", *arguments).json["stores"][0]
    assert store["kind"] == "encrypted" and store["state"] == ("readable" if held else "locked")
    assert store.get("accounts") == (2 if held else None)
    assert person.foyer("store", "lock", *arguments).status == 0
    folder = person.home / "work"
    folder.mkdir()
    child = terminal(person, *arguments, folder=folder)
    child.expect(["state: locked", "assphrase"])
    assert child.after == "state: locked"
    child.expect("Write it to")
    child.send("n\r")
    assert end(child) == 0


def test_an_agent_is_told_and_its_lock(ada):
    with Agent(ada) as agent:
        agent.start()

        def is_told():
            """What the report says of the agent, which may not answer soon enough on a busy machine."""
            told = ada.foyer("report", "--json").json["agent"]
            return told if told["state"] == "running" else None

        told = until(is_told)
        assert told["sameVersion"] is True, told
        assert told["locked"] is False and told["tokens"] == 0, told
    assert ada.foyer("report", "--json").json["agent"] == {"state": "not running"}


def test_an_agent_that_does_not_answer_and_a_bus_that_is_dead_are_said(person):
    with Agent(person) as agent, socket.socket(socket.AF_UNIX) as silent:
        agent.path.parent.mkdir(mode=0o700)
        silent.bind(str(agent.path))
        silent.listen()
        bus = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={person.home}/no-such-bus"}
        report = person.foyer("report", "--json", env=bus)
    assert report.status == 0 and report.json["agent"]["state"] == "does not respond", report
    assert report.json["broker"] == {"use": "never", "bus": False}
    assert report.json["environment"]["sessionBus"] is True and "no-such-bus" not in report.stdout


def test_it_never_uses_the_network(ada, sandbox, tmp_path):
    before = sandbox.state()["requests"]
    assert ada.foyer("report").status == 0
    assert sandbox.state()["requests"] == before
    log = tmp_path / "calls"
    traced = ada.foyer("-f", "-qq", "-e", "trace=connect", "-o", log, WHOLE_PROGRAM, "report", program="strace")
    assert traced.status == 0 and "Foyer report" in traced.stdout, traced
    assert "AF_INET" not in log.read_text()


@pytest.mark.parametrize("type", ["evil\x1b]0;x\x07term", "xterm-chell", "../../etc/passwd", "x" * 4000, "dumb", ""])
def test_hostile_values_of_the_environment_are_left_out(person, type):
    hostile = {"TERM": type, "LC_ALL": "chell.UTF-8", "COLORTERM": "\x1b[31mchell", "TMUX": "\u202echell"}
    for arguments in ([], ["--json"]):
        result = person.foyer("report", *arguments, env=hostile)
        assert result.status == 0 and not UNSAFE.search(result.stdout), result
        assert not re.search("chell|evil|passwd|xxxx", result.stdout + result.stderr), result


def test_hostile_settings_are_clean_when_they_are_asked_for(person):
    person.settings(
        '[clients."che\\u001b[31mll\\u202e\\n## mine"]\nclient_id = "x"\nauthority = "https://login.example.org/a"\n'
    )
    for arguments in (["--include", "names"], ["--include", "names", "--json"]):
        result = person.foyer("report", *arguments)
        assert result.status == 0 and "che" in result.stdout and not UNSAFE.search(result.stdout), result
        assert "\n## mine" not in result.stdout


# The record of failures.


def test_failures_of_providers_are_recorded_and_those_of_nobody_are_not(ada, sandbox):
    path = state(ada, "failures.json")
    nobody = ada.foyer("token", "--silent", "--account", "stranger")
    assert nobody.status != 0 and not path.exists()
    Store(ada.store).age()
    for number in range(30):
        sandbox.fault(
            "error", endpoint="token:refresh_token", error="invalid_request", codes=[9900000 + number], times=1
        )
        assert ada.foyer("token", "--silent", "--account", ADA).status != 0
    text = path.read_text()
    record = json.loads(text)
    assert len(record["failures"]) == 20 and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert set(record["failures"][0]) == {"code", "numbers", "origin", "correlationId", "authority", "at"}
    assert [one["numbers"] for one in record["failures"][:2]] == [[9900029], [9900028]]
    assert not any(word in text for word in (ADA, CONTOSO, AZURE_CLI, "invalid_request", "127.0.0.1"))
    assert len(ada.foyer("report", "--json").json["failures"]) == 20


def test_a_sign_in_that_fails_is_recorded(person, sandbox):
    person.work_settings(sandbox)
    sandbox.fault("error", endpoint="token:authorization_code", error="invalid_client", codes=[7000218], times=1)
    failed = person.foyer("sign-in", "--json", *BY_BROWSER, "--login-hint", ADA)
    assert failed.status == 5, failed
    (failure,) = person.foyer("report", "--json").json["failures"]
    assert failure["numbers"] == ["AADSTS7000218"] and failure["code"] == "serverError"
    assert failure["correlationId"] == failed.error["correlationId"]
