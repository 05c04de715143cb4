"""keyring, as pip calls it for the password of a package index that checks tokens."""

import base64
import os
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from harness import ADA, CONTOSO, FOYER, GRACE, Store, add_settings
from test_endpoint import claims
from token_check import TokenCheck
from waiting import PATIENCE

ALONE = {
    "stdin": subprocess.DEVNULL,
    "capture_output": True,
    "text": True,
    "timeout": PATIENCE,
    "start_new_session": True,
}
DEV_OPS = "499b84ac-1321-427f-aa17-267ca6975798"
WHEEL = "hello-1.0-py3-none-any.whl"


class Index(TokenCheck):
    """A package index with one package, for whoever brings a good token as the password."""

    def __init__(self, folder, sandbox):
        super().__init__(sandbox, [ADA])
        self.tokens = []
        index = self
        wheel = folder / WHEEL
        with zipfile.ZipFile(wheel, "w") as made:
            made.writestr("hello.py", "")
            made.writestr("hello-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: hello\nVersion: 1.0\n")
            made.writestr("hello-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nTag: py3-none-any\n")
            made.writestr("hello-1.0.dist-info/RECORD", "")

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                kind, _, text = (self.headers["Authorization"] or "").partition(" ")
                user, _, token = base64.b64decode(text).decode().partition(":") if kind == "Basic" else ("", "", "")
                if token:
                    index.tokens.append((user, token))
                if index.challenge(token) is not None:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="index"')
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                is_page = self.path.endswith("/hello/")
                body = f'<a href="/{WHEEL}">{WHEEL}</a>'.encode() if is_page else wheel.read_bytes()
                self.send_response(200)
                self.send_header("Content-Type", "text/html" if is_page else "application/octet-stream")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def index(tmp_path, sandbox):
    index = Index(tmp_path, sandbox)
    yield index
    index.stop()


@pytest.fixture
def keyring(person, sandbox):
    programs = person.home / "bin"
    programs.mkdir()
    (programs / "keyring").symlink_to(FOYER)
    person.environment["PATH"] = f"{programs}:/usr/bin:/bin"
    person.work_settings(sandbox)

    def run(*arguments):
        return subprocess.run(["keyring", *arguments], env=person.environment, **ALONE)

    return run


@pytest.fixture
def pip(person, index, keyring, sandbox):
    add_settings(person, f'\n[[rules]]\nhost = "{index.host}"\naccount = "{ADA}"\n')
    options = ["--no-deps", "--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    options += ["--keyring-provider", "subprocess", "--dest", person.home / "got"]
    environment = {"PIP_CONFIG_FILE": os.devnull, "NO_PROXY": "127.0.0.1"}

    def run(user=""):
        command = [sys.executable, "-m", "pip", "download", *options]
        command += ["--index-url", f"http://{user}{index.host}/simple/", "hello"]
        return subprocess.run(command, env=person.environment | environment, **ALONE)

    return run


def test_pip_gets_the_token_silently_and_after_a_refresh(pip, person, sandbox, index):
    person.sign_in(ADA)
    before = sandbox.requests("token")
    ended = pip("me@")
    assert ended.returncode == 0 and (person.home / "got" / WHEEL).exists(), ended
    assert index.tokens and index.tokens[0][0] == "me" and sandbox.requests("token") == before
    Store(person.store).age()
    (person.home / "got" / WHEEL).unlink()
    assert pip("me@").returncode == 0 and sandbox.requests("token") == before + 1


def test_pip_says_what_to_run_when_a_person_is_needed(pip):
    ended = pip("me@")
    assert ended.returncode == 1 and "foyer sign-in" in ended.stderr, ended


def test_both_forms_of_the_answer(pip, keyring, person, sandbox, index):
    person.sign_in(ADA)
    token = person.foyer("token", "--silent").stdout.strip()
    url = f"http://{index.host}/simple/"
    assert keyring("get", url, "me").stdout == token + "\n"
    creds = keyring("--mode=creds", "--output=json", "get", url)
    assert (creds.returncode, creds.stderr) == (0, ""), creds
    assert creds.stdout == f'{{"username":"oauth2","password":"{token}"}}\n'
    assert keyring("--mode", "creds", "get", url, "me").stdout == f"me\n{token}\n"


@pytest.mark.parametrize(
    "url",
    [
        "https://pkgs.dev.azure.com/contoso/_packaging/feed/pypi/simple/",
        "https://contoso.pkgs.visualstudio.com/_packaging/feed/pypi/simple/",
    ],
)
def test_azure_artifacts_gets_a_token_for_its_own_resource(keyring, person, sandbox, url):
    person.sign_in(ADA, "--scope", DEV_OPS + "/.default", "--tenant", CONTOSO)
    person.sign_in(GRACE, "--scope", DEV_OPS + "/.default")
    add_settings(person, f'\n[[rules]]\norganization = "contoso"\naccount = "{ADA}"\ntenant = "{CONTOSO}"\n')
    ended = keyring("--mode=creds", "--output=json", "get", url)
    assert ended.returncode == 0, ended
    assert '"username":"VssSessionToken"' in ended.stdout
    token = claims(ended.stdout.split('"password":"')[1].split('"')[0])
    assert token["aud"].removeprefix("api://") == DEV_OPS and ADA in token.values()


@pytest.mark.parametrize(
    "arguments",
    [
        ("get", "https://stranger.example/simple", "me"),
        ("get", "login.keyring", "me"),
        ("set", "a", "b"),
        ("--list-backends",),
        ("--help",),
        ("get", "a", "b", "--verbose", "--scope", "c"),
        ("get", "https://pkgs.dev.azure.com.stranger.example/contoso/", "me"),
    ],
)
def test_all_else_is_the_next_keyrings(keyring, person, sandbox, arguments):
    person.sign_in(ADA)
    none = keyring(*arguments)
    assert (none.returncode, none.stdout, none.stderr) == (1, "", ""), none
    other = person.home / "other"
    other.mkdir()
    (other / "keyring").write_text('#!/bin/sh\necho "other $*"\n')
    (other / "keyring").chmod(0o755)
    person.environment["PATH"] += f":{other}"
    assert keyring(*arguments).stdout == f"other {' '.join(arguments)}\n"
