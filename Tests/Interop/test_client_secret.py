"""A client with a secret, against endpoints that demand it: where the secret comes from, and where it must never be."""

import base64
import errno
import json
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote_plus

import pexpect
import pytest
from faults import each, rule
from harness import FOYER, HEDY, LAB, WHOLE_PROGRAM, Store
from test_interrupted_writes import some
from waiting import PATIENCE, answer_hidden, spawn

SECRET = "s3cret:+/%-of-the-lab-client"
SCOPES = ["openid", "profile", "email", "offline_access"]


def processes_that_show(text):
    """Processes with the text in their arguments or environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try:
                if text.encode() in (process / name).read_bytes():
                    found.append(f"{process}/{name}")
            except OSError:
                continue
    return found


class Gate:
    """The endpoints of the lab's provider for a confidential client: nothing passes without its secret."""

    def __init__(self, sandbox):
        self.asked, self.shown = [], []
        gate = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                fields = {name: values[0] for name, values in parse_qs(body).items()}
                gate.asked.append((self.path, fields.get("grant_type"), self.headers["Authorization"] or "", fields))
                gate.shown += processes_that_show(SECRET)
                pair = f"{quote_plus(LAB)}:{quote_plus(SECRET)}".encode()
                header = self.headers["Authorization"] == "Basic " + base64.b64encode(pair).decode()
                if header == (fields.get("client_secret") == SECRET):
                    # Says back what it was sent, as some providers do.
                    said = f'{{"error":"invalid_client","error_description":"not {fields.get("client_secret")}"}}'
                    return self.answer(401, said.encode())
                fields.pop("client_secret", None)
                data = "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in fields.items())
                try:
                    with urllib.request.urlopen(
                        f"{sandbox.issuer}{self.path}", data.encode(), timeout=PATIENCE
                    ) as reply:
                        return self.answer(reply.status, reply.read())
                except urllib.error.HTTPError as error:
                    return self.answer(error.code, error.read())

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def gate(sandbox):
    gate = Gate(sandbox)
    yield gate
    gate.stop()


@pytest.fixture
def lab(person, sandbox, gate):
    """Settings of the client with these lines in addition."""

    def settle(*lines):
        head = [f'client_id = "{LAB}"', f'authority = "{sandbox.issuer}"', 'kind = "oidc"', f"scopes = {SCOPES}"]
        ends = [f'{name} = "{gate.base}/{path}"' for name, path in
                [("token", "token"), ("device_authorization", "device"), ("revocation", "revoke")]]  # fmt: skip
        person.settings("\n".join(["[clients.lab]", *head, *lines, "", "[clients.lab.endpoints]", *ends, ""]))
        return person

    return settle


def private(path, text, mode=0o600):
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def sign_in(person, sandbox, *arguments):
    running = person.start("sign-in", "--json", "--verbose", "--via", "device", "--client", "lab", *arguments)
    sandbox.approve(running.wait_event("deviceCode")["userCode"], HEDY)
    return running.end()


def places(person):
    """The files below the home that have the secret in them."""
    files = [path for folder in (person.home, person.scratch) for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(person.home.parent)) for path in files if SECRET.encode() in path.read_bytes()}


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
@pytest.mark.parametrize("source", ["file", "command", "kept", "public"])
def test_signs_in_refreshes_and_signs_out_and_shows_the_secret_to_nobody(lab, gate, sandbox, source, method):
    person = lab()
    script = f'#!/bin/sh\n[ "$1" = "the lab" ] || exit 9\nenv > {person.home}/env\nread -r x < {person.home}/secret\n'
    program = private(person.home / "print", script + 'echo "$x"\n', 0o700)
    line, expected = {
        "file": ('client_secret_file = "~/secret"', {"home/secret"}),
        "command": (f'client_secret_command = ["{program}", "the lab"]', {"home/secret"}),
        "kept": ('client_secret = "kept"', {"home/data/foyer/token_cache.json.secrets"}),
        "public": (f'client_secret_public = "{SECRET}"', {"home/config/foyer/config.toml"}),
    }[source]
    lab(line, f'token_endpoint_auth_method = "{method}"')
    if source == "kept":
        kept = person.foyer("secret", "set", "lab", "--json", stdin=SECRET.encode() + b"\n")
        assert kept.status == 0 and kept.json["isUsed"], kept
    elif source in ("file", "command"):
        private(person.home / "secret", SECRET + "\n")
    ended = [sign_in(person, sandbox)]
    ended.append(person.foyer("token", "--silent", "--json", "--verbose", "--client", "lab"))
    assert [result.status for result in ended] == [0, 0] and ended[-1].json["source"] == "cache", ended
    Store(person.store).age()
    ended.append(person.foyer("token", "--silent", "--json", "--verbose", "--client", "lab"))
    assert ended[-1].json["source"] == "refresh", ended[-1]
    ended.append(person.foyer("secret", "list", "--json"))
    ended.append(person.foyer("clients", "--json"))
    ended.append(person.foyer("doctor", "--json", "--client", "lab"))
    ended += [person.foyer("report"), person.foyer("report", "--include", "names")]
    ended.append(person.foyer("sign-out", HEDY, "--json", "--verbose", "--client", "lab", "--keep-browser-session"))
    asked = [path for path, _, _, _ in gate.asked]
    assert "/revoke" in asked and "/device" in asked and asked.count("/token") >= 2, (asked, ended[-1])
    # Not in an argument, an environment, an output, a log or another file.
    assert gate.shown == []
    assert all(SECRET not in result.stdout + result.stderr for result in ended)
    assert places(person) == expected
    if source == "command":
        assert SECRET not in (person.home / "env").read_text()


def test_a_cached_token_reads_no_secret(lab, sandbox):
    person = lab('client_secret_file = "~/secret"')
    secret = private(person.home / "secret", SECRET)
    assert sign_in(person, sandbox).status == 0
    secret.unlink()
    cached = person.foyer("token", "--silent", "--json", "--client", "lab")
    assert cached.status == 0 and cached.json["source"] == "cache"
    Store(person.store).age()
    missing = person.foyer("token", "--silent", "--json", "--client", "lab")
    assert missing.status == 6 or missing.error["code"] == "configuration", missing
    assert str(secret) in missing.error["message"]
    findings = person.foyer("doctor", "--json", "--client", "lab").json["findings"]
    assert [finding["verdict"] for finding in findings if finding["subject"] == "client secret"] == ["bad"]
    # Nothing was spent: with the file the same refresh token is good.
    private(secret, SECRET)
    assert person.foyer("token", "--silent", "--json", "--client", "lab").json["source"] == "refresh"


def test_a_provider_that_misses_the_secret_leads_to_the_setting(lab, sandbox):
    person = lab()
    refused = person.foyer("sign-in", "--json", "--via", "device", "--client", "lab")
    assert refused.error["code"] == "serverError" and "client_secret_file" in refused.error["hint"], refused
    lab('client_secret_public = "another-one-than-it-wants"', 'token_endpoint_auth_method = "client_secret_post"')
    refused = person.foyer("sign-in", "--json", "--via", "device", "--client", "lab")
    assert "and its secret" in refused.error["hint"] and "another-one" not in refused.stderr, refused


def test_an_option_that_names_another_provider_does_not_lead_the_secret_there(lab, gate, sandbox):
    person = lab(f'client_secret_public = "{SECRET}"')
    other = f"{sandbox.base}/realms/other"
    running = person.start("sign-in", "--json", "--via", "device", "--client", "lab", "--authority", other)
    running.end()
    assert all(not header and "client_secret" not in fields for _, _, header, fields in gate.asked), gate.asked


@pytest.mark.parametrize("mode", [0o644, 0o620])
def test_a_file_that_others_can_reach_is_refused_with_what_to_run(lab, gate, mode):
    person = lab('client_secret_file = "~/secret"')
    private(person.home / "secret", SECRET, mode)
    refused = person.foyer("sign-in", "--json", "--via", "device", "--client", "lab")
    assert refused.error["code"] == "configuration" and "chmod" in refused.error["hint"], refused
    assert gate.asked == [] and SECRET not in refused.stderr


def test_a_kept_secret_is_named_when_it_is_missing_and_goes_with_the_store(lab, sandbox):
    person = lab('client_secret = "kept"')
    missing = person.foyer("sign-in", "--json", "--via", "device", "--client", "lab")
    assert missing.error["code"] == "configuration" and "foyer secret set" in missing.error["hint"], missing
    for typed in (b"", b"\n", b"a\tb\n", b"x" * 5000):
        assert person.foyer("secret", "set", "lab", "--json", stdin=typed).status == 64
    assert person.foyer("secret", "set", "nobody", "--json", stdin=b"x").status != 0
    assert person.foyer("secret", "set", "lab", stdin=SECRET.encode()).status == 0
    assert sign_in(person, sandbox).status == 0
    moved = person.home / "moved.json"
    assert person.foyer("store", "move", "--to", f"file:{moved}", "--remove-old").status == 0
    assert places(person) == {"home/moved.json.secrets"} and Path(f"{moved}.secrets").stat().st_mode & 0o777 == 0o600
    Store(moved).age()
    assert person.foyer("token", "--silent", "--json", "--client", "lab").json["source"] == "refresh"
    assert person.foyer("secret", "--json").json["secrets"][0]["isKept"] is True
    assert person.foyer("secret", "remove", "lab", "--json").json["removed"] is True
    assert places(person) == set()
    assert person.foyer("secret", "remove", "lab", "--json").json["removed"] is False


def test_the_prompt_does_not_show_what_is_typed(lab):
    person = lab('client_secret = "kept"')
    child = spawn(person, FOYER, "secret", "set", "lab")
    answer_hidden(child, "Client secret of lab: ", SECRET)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0 and "is kept" in child.before, child.before
    assert SECRET not in child.before
    assert places(person) == {"home/data/foyer/token_cache.json.secrets"}


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC, "kill"])
def test_whatever_call_fails_the_kept_secret_is_the_old_or_the_new_one(lab, faults, code):
    person = lab('client_secret = "kept"')
    file = person.store.with_name(person.store.name + ".secrets")

    def keep(secret, environment=None):
        arguments = ("secret", "set", "lab", "--json")
        return person.foyer(*arguments, stdin=secret, env=environment, program=WHOLE_PROGRAM)

    assert keep(b"the old one").status == 0
    before = file.read_bytes()
    environment, read = faults.watch(file.parent)
    assert keep(b"the new one", environment).status == 0
    for call, path, number in some(each(read())):
        file.write_bytes(before)
        result = keep(b"the new one", faults.meet(rule(call, path, code, number)))
        kept = [entry["client_secret"] for entry in json.loads(file.read_text())["secrets"]]
        what = (call, path, number, result, kept)
        assert kept in (["the old one"], ["the new one"]) and (kept == ["the new one"] or result.status != 0), what
        assert keep(b"the newest one").status == 0, what
        # A lock that a killed process held stays, empty and free.
        names = {file.name, person.store.name, person.store.name + ".refresh"}
        assert {other.name for other in file.parent.iterdir()} <= names, what


def test_a_registration_whose_secret_cannot_be_kept_is_not_used(person, sandbox):
    sandbox.fault("quirk", name="registrationConfidential")
    person.store.with_name(person.store.name + ".secrets").mkdir(mode=0o700, parents=True)
    refused = person.foyer("register", "mine", "--authority", sandbox.issuer, "--json")
    assert refused.status != 0 and "could not be kept" in refused.error["message"], refused
    assert "the registration of" in refused.error["hint"]
    assert not (person.home / "config" / "foyer" / "config.toml").exists()


def registered(sandbox):
    """Requests to the provider's registration endpoint so far."""
    return sum(count for path, count in sandbox.state()["requests"].items() if "register" in path)


def test_a_client_is_registered_only_if_the_settings_can_be_written(person, own_sandbox):
    """Settings that cannot be read, or replaced, or hold the client: nothing is sent."""
    sandbox = own_sandbox()
    settings = person.home / "config" / "foyer" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('theme = "nord"\n')
    beside = settings.with_name("config.toml.foyer-new")
    beside.mkdir()
    refused = person.foyer("register", "mine", "--authority", sandbox.issuer, "--json")
    assert refused.status == 78 and registered(sandbox) == 0, refused
    assert settings.read_text() == 'theme = "nord"\n'


@pytest.mark.parametrize("deletes", [False, True])
@pytest.mark.parametrize("quirk", [None, "registrationConfidential"])
def test_a_registration_that_was_killed_is_named_and_finished_or_deleted(person, own_sandbox, faults, quirk, deletes):
    """Killed right before the settings are replaced."""
    sandbox = own_sandbox()
    if quirk:
        sandbox.fault("quirk", name=quirk)
    settings = person.home / "config" / "foyer" / "config.toml"
    register = ("register", "mine", "--authority", sandbox.issuer, "--json")
    killed = person.foyer(*register, env=faults.meet(rule("rename", "foyer/config.toml", "kill")))
    assert killed.status < 0 and not settings.exists(), killed
    listed = person.foyer("secret", "list", "--json").json["unfinished"]
    assert [each["client"] for each in listed] == ["mine"] and listed[0]["clientId"], listed
    told = [each for each in person.foyer("doctor", "--json").json["findings"] if each["subject"] == "registration"]
    assert len(told) == 1 and "foyer register mine" in told[0]["hint"], told
    before = registered(sandbox)
    if deletes:
        gone = person.foyer("register", "mine", "--delete", "--json")
        assert gone.status == 0 and gone.json["deleted"] is True, gone
        assert not settings.exists()
    else:
        done = person.foyer(*register)
        assert done.status == 0 and done.json["clientId"] == listed[0]["clientId"], done
        assert registered(sandbox) == before and "mine" in settings.read_text()
        assert person.foyer("register", "mine", "--delete", "--json").status == 0
    assert person.foyer("secret", "list", "--json").json["unfinished"] == []
    kept = person.store.with_name(person.store.name + ".secrets")
    assert not kept.exists() or "client_id" not in kept.read_text()


def test_settings_that_fail_after_the_registration_take_it_back(person, own_sandbox, faults):
    sandbox = own_sandbox()
    sandbox.fault("quirk", name="registrationConfidential")
    broken = faults.meet(rule("rename", "foyer/config.toml", errno.EROFS, lasts=True))
    refused = person.foyer("register", "mine", "--authority", sandbox.issuer, "--json", env=broken)
    assert refused.status == 78 and "was deleted again" in refused.error["hint"], refused
    assert person.foyer("secret", "list", "--json").json["unfinished"] == []
    assert "client_secret" not in person.store.with_name(person.store.name + ".secrets").read_text()


@pytest.mark.parametrize("kind", ["late", "status", "refused"])
def test_a_registration_without_an_answer_is_named(person, own_sandbox, kind):
    """The provider may have registered the client; one that refused has not."""
    sandbox = own_sandbox()
    fault = {"late": {"kind": "held"}, "status": {"kind": "status", "status": 502}}.get(
        kind, {"kind": "error", "error": "invalid_client_metadata"}
    )
    sandbox.control("faults", {**fault, "endpoint": "register", "times": 9})
    failed = person.foyer("register", "mine", "--authority", sandbox.issuer, "--json", "--timeout", "2")
    listed = person.foyer("secret", "list", "--json").json["unfinished"]
    if kind == "refused":
        assert failed.status == 5 and listed == [], (failed, listed)
    else:
        assert failed.status == 6 and "may have registered" in failed.error["message"], failed
        assert [each["client"] for each in listed] == ["mine"], listed
    sandbox.control("faults", {}, method="DELETE")
    sandbox.release()
    assert person.foyer("register", "mine", "--authority", sandbox.issuer).status == 0
    assert person.foyer("secret", "list", "--json").json["unfinished"] == []


def test_an_unfinished_registration_is_not_taken_for_another_providers(person, own_sandbox, faults):
    one, other = own_sandbox(), own_sandbox()
    broken = faults.meet(rule("rename", "foyer/config.toml", "kill"))
    assert person.foyer("register", "mine", "--authority", one.issuer, env=broken).status < 0
    refused = person.foyer("register", "mine", "--authority", other.issuer, "--json")
    assert refused.status == 64 and one.issuer in refused.error["message"], refused
    assert "--delete" in refused.error["hint"] and registered(other) == 0
    assert person.foyer("register", "mine", "--authority", one.issuer).status == 0
