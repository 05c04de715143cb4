"""docker-credential-foyer: the protocol, the exchange at registries of Azure's kind, and docker itself."""

import hashlib
import json
import os
import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest
from harness import ADA, CONTOSO, FOYER, Store
from token_check import TokenCheck
from waiting import PATIENCE

SCOPE = "https://containerregistry.azure.net/.default"
NOT_FOUND = "credentials not found in native keychain\n"
MANIFEST = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
    "config": {
        "mediaType": "application/vnd.docker.container.image.v1+json",
        "size": 2,
        "digest": "sha256:" + hashlib.sha256(b"{}").hexdigest(),
    },
    "layers": [],
}


class Registry(TokenCheck):
    """A registry that exchanges access tokens for identity tokens, and those for tokens of repositories."""

    def __init__(self, sandbox, realm=None, certificate=None):
        super().__init__(sandbox, [ADA])
        scheme = "https" if certificate else "http"
        self.requests, registry = [], self

        class Handler(BaseHTTPRequestHandler):
            def reply(self, status, value, **fields):
                body = json.dumps(value).encode()
                self.send_response(status)
                for name, text in {"Content_Type": "application/json", "Content_Length": len(body), **fields}.items():
                    self.send_header(name.replace("_", "-"), str(text))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def do_GET(self):
                registry.requests.append(self.path)
                if self.headers["Authorization"] == "Bearer of-a-repository":
                    if "/manifests/" in self.path:
                        digest = "sha256:" + hashlib.sha256(json.dumps(MANIFEST).encode()).hexdigest()
                        kind = {"Content_Type": MANIFEST["mediaType"], "Docker_Content_Digest": digest}
                        return self.reply(200, MANIFEST, **kind)
                    return self.reply(200, {})
                place = realm or f"{scheme}://{registry.host}/oauth2/token"
                challenge = f'Bearer realm="{place}",service="{registry.host}"'
                return self.reply(401, {"errors": []}, Www_Authenticate=challenge)

            do_HEAD = do_GET

            def body(self):
                if self.headers["Transfer-Encoding"] != "chunked":
                    return self.rfile.read(int(self.headers["Content-Length"]))
                read = b""
                while size := int(self.rfile.readline(), 16):
                    read += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return read

            def do_POST(self):
                registry.requests.append(self.path)
                form = parse_qs(self.body().decode())
                if self.path == "/oauth2/exchange":
                    right = form["grant_type"] == ["access_token"] and form["service"] == [registry.host]
                    if right and form["tenant"] == [CONTOSO] and registry.challenge(form["access_token"][0]) is None:
                        return self.reply(200, {"refresh_token": "identity-token"})
                elif self.path == "/oauth2/token" and form.get("refresh_token") == ["identity-token"]:
                    return self.reply(200, {"access_token": "of-a-repository", "token": "of-a-repository"})
                return self.reply(401, {"errors": [{"code": "UNAUTHORIZED"}]})

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.host = f"127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def registry(sandbox):
    registry = Registry(sandbox)
    yield registry
    registry.stop()


@pytest.fixture
def helper(person, sandbox, registry):
    programs = person.home / "bin"
    programs.mkdir()
    (programs / "docker-credential-foyer").symlink_to(FOYER)
    person.environment["PATH"] = f"{programs}:{os.environ['PATH']}"
    path = person.work_settings(sandbox)
    rule = f'\n[[rules]]\nregistry = "{registry.host}"\naccount = "{ADA}"\nscopes = ["{SCOPE}"]\n'
    path.write_text(path.read_text() + rule)

    def run(verb, text=""):
        how = {"input": text, "capture_output": True, "text": True, "timeout": PATIENCE, "start_new_session": True}
        return subprocess.run(["docker-credential-foyer", verb], env=person.environment, **how)

    return run


@pytest.fixture
def ada(helper, person):
    person.sign_in(ADA, "--scope", SCOPE)
    return person


def name_instead(person, registry, other):
    """In the rule."""
    path = person.home / "config" / "foyer" / "config.toml"
    path.write_text(path.read_text().replace(registry.host, other.host))


def test_an_access_token_is_exchanged_for_an_identity_token(helper, ada, sandbox, registry):
    before = sandbox.requests("token")
    ended = helper("get", registry.host)
    assert ended.returncode == 0 and ended.stderr == "", ended
    assert json.loads(ended.stdout) == {"ServerURL": registry.host, "Username": "<token>", "Secret": "identity-token"}
    assert sandbox.requests("token") == before
    Store(ada.store).age()
    assert helper("get", f"http://{registry.host}").returncode == 0 and sandbox.requests("token") == before + 1


def test_others_are_not_known_here(helper, ada):
    names = ("https://index.docker.io/v1/", "stranger.example", "evilazurecr.io", "azurecr.io", "", "a b", "x" * 9999)
    for name in names:
        ended = helper("get", name)
        assert (ended.returncode, ended.stdout, ended.stderr) == (1, NOT_FOUND, ""), ended
    stored = helper("store", json.dumps({"ServerURL": "stranger.example", "Username": "u", "Secret": "password"}))
    assert stored.returncode != 0 and "does not store registry passwords" in stored.stderr, stored
    assert "password\n" not in stored.stderr
    assert helper("erase", "stranger.example").returncode == 0


def test_the_token_goes_to_no_other_host_than_the_registry(helper, ada, sandbox, registry):
    misleading = Registry(sandbox, realm=f"http://{registry.host}/oauth2/token")
    name_instead(ada, registry, misleading)
    try:
        ended = helper("get", misleading.host)
        # A registry without an exchange of its own gets the token as a password, as a rule has named it.
        assert json.loads(ended.stdout)["Username"] == ADA and registry.requests == []
    finally:
        misleading.stop()


def test_only_what_needs_nobody_is_listed_and_where_a_person_is_needed_or_it_is_refused_it_says_what_to_do(
    helper, person, registry
):
    assert json.loads(helper("list").stdout) == {}
    ended = helper("get", registry.host)
    assert ended.returncode == 3 and ended.stdout == "" and "foyer sign-in" in ended.stderr, ended
    person.sign_in(ADA, "--scope", SCOPE)
    assert json.loads(helper("list").stdout) == {registry.host: "<token>"}
    registry.users = ["nobody"]
    ended = helper("get", registry.host)
    assert ended.returncode == 5 and ended.stdout == "" and "AcrPull" in ended.stderr, ended


@pytest.mark.parametrize(
    "client", [("docker", "manifest", "inspect", "--insecure"), ("skopeo", "inspect", "--raw", "--tls-verify=false")]
)
def test_a_client_reads_a_manifest_with_it(ada, sandbox, registry, tmp_path, client):
    if shutil.which(client[0]) is None:
        pytest.skip(f"{client[0]} is not installed")
    key, certificate, both = (tmp_path / name for name in ("key", "certificate", "both"))
    make = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=registry -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*make.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    both.write_text(key.read_text() + certificate.read_text())
    ada.environment["SSL_CERT_FILE"] = str(certificate)
    secure = Registry(sandbox, certificate=both)
    name_instead(ada, registry, secure)
    folder = ada.home / ".docker"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"credHelpers": {secure.host: "foyer"}}))
    image = f"{'docker://' if client[0] == 'skopeo' else ''}{secure.host}/things/one:latest"
    try:
        ended = subprocess.run([*client, image], timeout=PATIENCE, env=ada.environment, capture_output=True, text=True)
        assert ended.returncode == 0 and json.loads(ended.stdout)["schemaVersion"] == 2, (ended, secure.requests)
        assert "/oauth2/exchange" in secure.requests
    finally:
        secure.stop()
