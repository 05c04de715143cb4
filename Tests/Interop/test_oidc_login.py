"""kubectl-oidc_login: kubeconfigs written for int128/kubelogin go on working, with a person's ID token."""

import os
import shutil
import subprocess
import sys

import pexpect
import pytest
from harness import FOYER, HEDY, LAB, add_settings, until
from test_endpoint import claims
from test_id_token import life
from test_kubectl import cluster, get, kubeconfig, plugin  # noqa: F401
from waiting import PATIENCE, spawn

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


@pytest.fixture
def login(person, sandbox, cluster):
    """A kubeconfig as kubelogin's documentation has it, and kubectl on it."""
    programs = person.home / "bin"
    programs.mkdir()
    (programs / "kubectl-oidc_login").symlink_to(FOYER)
    person.environment["PATH"] = f"{programs}:{os.environ['PATH']}"
    person.work_settings(sandbox)
    add_settings(person, '\n[[rules]]\ncluster = "*"\n')
    cluster.users = [HEDY]
    # This one takes ID tokens, of this client alone.
    cluster.challenge = lambda token: (
        None if token and token not in cluster.revoked and claims(token)["aud"] == LAB else ""
    )
    return Login(person, sandbox, cluster)


class Login:
    def __init__(self, person, sandbox, cluster):
        self.person, self.sandbox, self.cluster = person, sandbox, cluster
        self.config = person.home / "kubeconfig"
        self.curl = "curl -sL -o /dev/null"
        self.get_token = ["get-token", f"--oidc-issuer-url={sandbox.issuer}", f"--oidc-client-id={LAB}"]

    def command(self, *options):
        extra = ["--oidc-extra-scope=email,profile", "--oidc-extra-scope", "offline_access"]
        browser = f"--browser-command={self.curl}"
        user = plugin("kubectl", "oidc-login", *self.get_token, *extra, browser, *options, provideClusterInfo=True)
        self.config.write_text(kubeconfig(self.cluster, u=user))
        return ["kubectl", "--kubeconfig", str(self.config), "get", "--raw", "/version"]

    def kubectl(self, *options):
        self.command(*options)
        return get(self.person, "--kubeconfig", str(self.config))


def test_a_kubeconfig_of_kubelogin_gets_the_id_token_silently(login, person, sandbox):
    person.sign_in(HEDY, "--client", "lab")
    before = sandbox.requests("token")
    ended = login.kubectl()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "good\n", ""), ended
    assert claims(login.cluster.tokens[-1])["aud"] == LAB and sandbox.requests("token") == before


def test_after_a_401_and_with_force_refresh_another_token_comes(login, person, sandbox):
    person.sign_in(HEDY, "--client", "lab")
    assert login.kubectl().returncode == 0
    before = sandbox.requests("token")
    assert login.kubectl("--force-refresh").returncode == 0 and sandbox.requests("token") == before + 1
    login.cluster.revoked |= {person.foyer("id-token", "--client", "lab").stdout.strip()}
    login.kubectl()
    assert sandbox.requests("token") == before + 2
    assert login.kubectl().stdout == "good\n"


def test_without_a_terminal_it_says_what_to_run(login, sandbox):
    ended = login.kubectl()
    assert ended.returncode != 0 and "foyer sign-in" in ended.stderr and ended.stdout == "", ended
    assert sandbox.requests("authorize") == 0


def test_ten_on_one_terminal_ask_once(login, person, sandbox, tmp_path):
    command = " ".join(f"'{word}'" for word in login.command("--oidc-auth-request-extra-params", f"login_hint={HEDY}"))
    script = tmp_path / "ten.sh"
    script.write_text("".join(f"{command} > '{tmp_path}/out{n}' &\n" for n in range(10)) + "wait\n")
    terminal = spawn(person, "/bin/sh", script)
    terminal.expect(pexpect.EOF)
    said = [(tmp_path / f"out{n}").read_text() for n in range(10)]
    assert said == ["good\n"] * 10, (said, terminal.before)
    assert sandbox.requests("authorize") == 1, terminal.before


def test_where_none_is_renewed_the_terminal_signs_in_again(login, person, sandbox):
    """The access token is still good, and is no answer."""
    person.sign_in(HEDY, "--client", "lab")
    life(person.store, -7200, -3600)
    sandbox.fault("noIDTokenOnRefresh")
    before = sandbox.requests("authorize")
    terminal = spawn(person, *login.command("--oidc-auth-request-extra-params", f"login_hint={HEDY}"))
    terminal.expect(pexpect.EOF)
    assert "good" in terminal.before and sandbox.requests("authorize") == before + 1, terminal.before
    assert login.kubectl().stdout == "good\n"


@pytest.mark.parametrize("options", [["--oidc-client-secret=s"], ["--grant-type=password"], ["--unknown"]])
def test_what_is_not_a_persons_sign_in_is_the_next_kubelogins(login, person, options):
    def run():
        command = ["kubectl-oidc_login", *login.get_token, *options]
        return subprocess.run(command, env=person.environment, capture_output=True, text=True, timeout=PATIENCE)

    none = run()
    assert none.returncode == 127 and "kubectl-oidc_login" in none.stderr, none
    other = person.home / "other"
    other.mkdir()
    (other / "kubectl-oidc_login").write_text(f'#!{sys.executable}\nprint("other")\n')
    (other / "kubectl-oidc_login").chmod(0o755)
    person.environment["PATH"] += f":{other}"
    found = run()
    assert found.stdout == "other\n", found


def test_the_redirect_uri_is_the_registered_one(login, person, sandbox):
    arguments = [*login.get_token, "--listen-address=127.0.0.1:18731", "--skip-open-browser"]
    shown = spawn(person, "kubectl-oidc_login", *arguments, dimensions=(40, 2000))
    shown.expect("redirect_uri=http%3A%2F%2Flocalhost%3A18731")
    shown.sendcontrol("c")
    until(lambda: not shown.isalive(), what="the end")


def test_a_rule_written_at_the_terminal_leaves_the_client_to_the_kubeconfig(login, person, sandbox):
    """No rule can name a client that the settings do not know."""
    path = person.settings("")
    person.sign_in(HEDY, "--client-id", LAB, "--authority", sandbox.issuer, "--scope", "openid email profile")
    command = login.command()
    terminal = spawn(person, *command)
    terminal.expect("Number \\(")
    terminal.sendline("1+")
    terminal.expect(pexpect.EOF)
    text = path.read_text()
    assert f'cluster = "{login.cluster.address}"' in text and "client" not in text and HEDY in text, terminal.before
    assert login.kubectl().stdout == "good\n"
