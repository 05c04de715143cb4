"""kubectl with foyer as its credential plugin, by its own name and as kubelogin, before a server that checks tokens."""

import json
import os
import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from harness import ADA, CONTOSO, FOYER, GRACE, TRY_OUT, Store, add_settings, self_signed
from test_endpoint import claims
from token_check import TokenCheck
from waiting import PATIENCE

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
        self_signed(self.certificate, folder / "cluster.key", "cluster", "IP:127.0.0.1")

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

    @property
    def address(self):
        return f"https://127.0.0.1:{self.http.server_port}"

    @property
    def entry(self):
        """What a kubeconfig says of it."""
        return {"server": self.address, "certificate-authority": str(self.certificate)}

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def cluster(tmp_path, sandbox):
    cluster = Cluster(tmp_path, sandbox)
    yield cluster
    cluster.stop()


def plugin(command, *arguments, version="v1", **more):
    """A user of a kubeconfig."""
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/" + version,
            "command": command,
            "args": list(arguments),
            "interactiveMode": "IfAvailable",
            **more,
        }
    }


def kubeconfig(cluster, **users):
    """A context for each user, the first one the current; a name may have dots."""
    names = [name.replace("_dot_", ".") for name in users]
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": names[0],
            "clusters": [{"name": "c", "cluster": cluster.entry}],
            "contexts": [{"name": name, "context": {"cluster": "c", "user": name}} for name in names],
            "users": [{"name": name, "user": user} for name, user in zip(names, users.values())],
        }
    )


def get(person, *options):
    """What kubectl answers, with the kubeconfig that is there."""
    more = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "start_new_session": True}
    return subprocess.run(
        ["kubectl", *options, "get", "--raw", "/version"], env=person.environment, timeout=PATIENCE, **more
    )


@pytest.fixture
def kubectl(person, sandbox, cluster):
    """kubectl with one user whose plugin is called as it is told. A rule names the cluster."""
    programs = person.home / "bin"
    programs.mkdir()
    for name in ("kubectl-foyer", "kubelogin"):
        (programs / name).symlink_to(FOYER)
    person.environment["PATH"] = f"{programs}:{os.environ['PATH']}"
    person.work_settings(sandbox)
    add_settings(person, f'\n[[rules]]\ncluster = "{cluster.address}"\n')

    def run(command, *arguments, version="v1"):
        config = person.home / "kubeconfig"
        config.write_text(kubeconfig(cluster, u=plugin(command, *arguments, version=version, provideClusterInfo=True)))
        return get(person, "--kubeconfig", config)

    return run


def aks(sandbox):
    """The plugin as `az aks get-credentials` and `kubelogin convert-kubeconfig` write it."""
    words = "kubelogin get-token --login interactive --environment AzurePublicCloud"
    more = f"--server-id {SERVER} --client-id {TRY_OUT} --tenant-id {CONTOSO} --authority-host {sandbox.base}"
    return f"{words} {more}".split()


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


def test_without_a_network_who_asks_twice_gets_the_token_that_there_is(person, sandbox):
    """A shell that calls the plugin again was refused nothing."""
    person.work_settings(sandbox)
    person.sign_in(ADA, "--scope", SCOPE)
    call = ("helper", "kubectl", "--client", "work", "--scope", SCOPE, "--timeout", "1")
    first = person.foyer(*call)
    sandbox.fault("status", endpoint="token:refresh_token", status=503)
    again = person.foyer(*call)
    assert (first.status, again.status, again.stderr) == (0, 0, ""), (first, again)
    assert again.json["status"]["token"] == first.json["status"]["token"]


def test_where_a_person_is_needed_kubectl_says_what_to_run(kubectl, sandbox):
    ended = kubectl("kubectl-foyer", "--scope", SCOPE)
    assert ended.returncode != 0 and "foyer sign-in" in ended.stderr and ended.stdout == "", ended
    assert sandbox.requests("devicecode") == 0


def test_a_rule_chooses_the_account_of_a_cluster(kubectl, person, sandbox, cluster):
    person.work_settings(sandbox)
    person.sign_in(GRACE, "--scope", SCOPE)
    person.sign_in(ADA, "--scope", SCOPE)
    several = kubectl("kubectl-foyer", "--scope", SCOPE)
    assert several.returncode != 0 and f'cluster = "{cluster.address}"' in several.stderr, several
    add_settings(person, f'\n[[rules]]\ncluster = "{cluster.address}"\naccount = "{ADA}"\n')
    assert kubectl("kubectl-foyer", "--scope", SCOPE).stdout == "good\n"


# foyer setup kubectl and foyer why kubectl, on kubeconfigs that are there


@pytest.fixture
def set_up(person, sandbox):
    """A home as a person has it, with nothing linked and no rule."""
    person.environment |= {
        "PATH": f"{person.home}/.local/bin:{os.environ['PATH']}",
        "KUBECONFIG": str(person.home / "kubeconfig"),
    }
    return person.work_settings(sandbox)


def rules(text):
    return [part.strip() for part in text.split("[[rules]]")[1:]]


def test_one_setup_lets_kubectl_into_the_clusters_of_the_kubeconfig(set_up, person, sandbox, cluster):
    (person.home / "kubeconfig").write_text(kubeconfig(cluster, clusterUser_rg_dot_x_aks=plugin(*aks(sandbox))))
    person.sign_in(ADA, "--scope", SCOPE, "--tenant", CONTOSO)
    done = person.foyer("setup", "kubectl", "--yes")
    assert done.status == 0, done
    assert rules(set_up.read_text()) == [f'cluster = "{cluster.address}"\nclient = "work"\naccount = "{ADA}"']
    ended = get(person)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "good\n", ""), ended
    # The cluster is named: another one gets nothing.
    other = kubeconfig(cluster, u=plugin(*aks(sandbox), provideClusterInfo=True)).replace("127.0.0.1", "localhost")
    (person.home / "other").write_text(other)
    cluster.tokens.clear()
    refused = get(person, "--kubeconfig", str(person.home / "other"))
    assert refused.returncode != 0 and "localhost" in refused.stderr and cluster.tokens == [], refused


def test_why_tells_what_kubectl_gets_by_the_arguments_of_the_kubeconfig(set_up, person, sandbox, cluster):
    own = plugin("kubectl-foyer", "--client", "cli", "--scope", SCOPE, "--account", ADA)
    (person.home / "kubeconfig").write_text(kubeconfig(cluster, aks_dot_one=plugin(*aks(sandbox)), own=own))
    person.sign_in(GRACE, "--client", "cli", "--scope", SCOPE)
    person.sign_in(ADA, "--client", "cli", "--scope", SCOPE)
    person.sign_in(ADA, "--scope", SCOPE, "--tenant", CONTOSO)
    # Until it is set up kubectl does not tell which cluster it is, and none is named.
    before = person.foyer("why", "kubectl", cluster.address)
    assert before.status == 3 and "foyer setup kubectl" in before.stderr, before
    assert person.foyer("setup", "kubectl", "--yes").status == 0
    why = person.foyer("why", "kubectl", cluster.address, "--json")
    assert why.status == 0 and why.json["clientId"] == TRY_OUT and why.json["account"]["username"] == ADA, why
    assert "the user aks.one of the context aks.one" in why.stderr and "for this cluster: own" in why.stderr, why
    assert why.json["rule"]["conditions"] == {"cluster": cluster.address} and why.json["tenant"] == CONTOSO
    assert get(person).stdout == "good\n" and claims(cluster.tokens[-1])["appid"] == TRY_OUT
    # The current context's user comes first, and without an address it is its cluster.
    subprocess.run(["kubectl", "config", "use-context", "own"], env=person.environment, check=True, capture_output=True)
    own = person.foyer("why", "kubectl", "--json")
    assert own.json["client"] == "cli" and own.json["account"]["username"] == ADA, own
    assert own.json["scopes"] == [SCOPE] and own.json["accountSource"] == "rule", own


@pytest.mark.parametrize("text", [None, "{}", "users: [", "current-context: c"])
def test_why_says_where_no_plugin_is_known(set_up, person, text):
    if text is not None:
        (person.home / "kubeconfig").write_text(text)
    add_settings(person, f'\n[[rules]]\ncluster = "*"\nscopes = ["{SCOPE}"]\n')
    person.sign_in(ADA, "--scope", SCOPE)
    why = person.foyer("why", "kubectl", "https://k.example")
    assert why.status == 0 and "kubeconfig" in why.stderr and "client: work" in why.stdout, why
