"""kubectl with foyer as its credential plugin, by its own name and as kubelogin, before a server that checks tokens."""

import json
import os
import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from harness import ADA, CONTOSO, FOYER, TRY_OUT, Store
from test_endpoint import claims
from token_check import TokenCheck

SERVER = "6dae42f8-4368-4678-94ff-3960e28e3630"
SCOPE = SERVER + "/.default"
pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


class Cluster(TokenCheck):
    """As much of an API server as `kubectl get --raw` needs."""

    def __init__(self, folder, sandbox):
        super().__init__(sandbox, [ADA])
        self.tokens = []
        cluster = self
        self.certificate = folder / "cluster.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "cluster.key", "-out",
             self.certificate, "-days", "2", "-subj", "/CN=cluster", "-addext", "subjectAltName=IP:127.0.0.1"],
            check=True, capture_output=True)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                token = (self.headers["Authorization"] or "").removeprefix("Bearer ")
                cluster.tokens.append(token)
                is_good = cluster.challenge(token) is None
                body = b"good\n" if is_good else b'{"kind":"Status","status":"Failure","code":401}'
                self.send_response(200 if is_good else 401)
                self.send_header("Content-Type", "text/plain" if is_good else "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, folder / "cluster.key")
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def cluster(tmp_path, sandbox):
    cluster = Cluster(tmp_path, sandbox)
    yield cluster
    cluster.stop()


@pytest.fixture
def kubectl(person, sandbox, cluster):
    programs = person.home / "bin"
    programs.mkdir()
    for name in ("kubectl-foyer", "kubelogin"):
        (programs / name).symlink_to(FOYER)
    person.environment["PATH"] = f"{programs}:{os.environ['PATH']}"
    person.work_settings(sandbox)

    def run(command, *arguments, version="v1"):
        plugin = {"apiVersion": "client.authentication.k8s.io/" + version, "command": command, "args": list(arguments),
                  "interactiveMode": "IfAvailable", "provideClusterInfo": True}
        address = f"https://127.0.0.1:{cluster.http.server_port}"
        config = person.home / "kubeconfig"
        config.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [
                {"name": "c", "cluster": {"server": address, "certificate-authority": str(cluster.certificate)}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "users": [{"name": "u", "user": {"exec": plugin}}]}))
        return subprocess.run(
            ["kubectl", "--kubeconfig", config, "get", "--raw", "/version"], env=person.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, start_new_session=True)

    return run


def aks(sandbox):
    """The plugin as `az aks get-credentials` and `kubelogin convert-kubeconfig` write it."""
    return ["kubelogin", "get-token", "--login", "interactive", "--server-id", SERVER, "--client-id", TRY_OUT,
            "--tenant-id", CONTOSO, "--environment", "AzurePublicCloud", "--authority-host", sandbox.base]


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_kubectl_gets_a_token_silently_and_after_a_refresh(kubectl, person, sandbox, cluster, version):
    person.sign_in(ADA, "--scope", SCOPE)
    before = sandbox.requests("token")
    ended = kubectl("kubectl-foyer", "--scope", SCOPE, version=version)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "good\n", ""), ended
    assert sandbox.requests("token") == before
    Store(person.store).age()
    assert kubectl("kubectl-foyer", "--scope", SCOPE, version=version).stdout == "good\n"
    assert sandbox.requests("token") == before + 1


def test_a_kubeconfig_of_aks_goes_on_working(kubectl, person, sandbox, cluster):
    person.sign_in(ADA, "--scope", SCOPE, "--tenant", CONTOSO)
    ended = kubectl(*aks(sandbox), version="v1beta1")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "good\n", ""), ended
    token = claims(cluster.tokens[-1])
    assert token["aud"].removeprefix("api://") == SERVER and token["tid"] == CONTOSO


def test_after_a_401_the_same_kubectl_brings_another_token(kubectl, person, sandbox, cluster):
    person.sign_in(ADA, "--scope", SCOPE)
    assert kubectl("kubectl-foyer", "--scope", SCOPE).returncode == 0
    # Another process that asks again was not refused.
    before = sandbox.requests("token")
    assert kubectl("kubectl-foyer", "--scope", SCOPE).returncode == 0 and sandbox.requests("token") == before
    cluster.revoked |= set(cluster.tokens)
    refused = kubectl("kubectl-foyer", "--scope", SCOPE)
    assert sandbox.requests("token") == before + 1, refused
    assert kubectl("kubectl-foyer", "--scope", SCOPE).stdout == "good\n"
    assert sandbox.requests("token") == before + 1


def test_where_a_person_is_needed_kubectl_says_what_to_run(kubectl, sandbox):
    ended = kubectl("kubectl-foyer", "--scope", SCOPE)
    assert ended.returncode != 0 and "foyer sign-in" in ended.stderr and ended.stdout == "", ended
    assert sandbox.requests("devicecode") == 0


def test_a_rule_chooses_the_account_of_a_cluster(kubectl, person, sandbox, cluster):
    person.sign_in("grace@fabrikam.example", "--scope", SCOPE)
    person.sign_in(ADA, "--scope", SCOPE)
    several = kubectl("kubectl-foyer", "--scope", SCOPE)
    address = f"https://127.0.0.1:{cluster.http.server_port}"
    assert several.returncode != 0 and f'cluster = "{address}"' in several.stderr, several
    path = person.home / "config" / "foyer" / "config.toml"
    path.write_text(path.read_text() + f'\n[[rules]]\ncluster = "{address}"\naccount = "{ADA}"\n')
    assert kubectl("kubectl-foyer", "--scope", SCOPE).stdout == "good\n"
