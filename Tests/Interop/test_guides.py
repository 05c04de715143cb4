"""The guides of the documentation: their commands are run as they stand, with servers of the tests in the place of the
hosts that they name."""

import os
import re
import shutil
import subprocess

import pytest
from git_server import GitServer
from harness import ADA, CONTOSO, FOYER, HEDY, REPOSITORY, add_settings, self_signed
from mail_servers import Servers
from test_aws import service  # noqa: F401
from test_docker import Registry
from test_endpoint import GRAPH
from test_keyring import WHEEL, index  # noqa: F401
from test_kubectl import SCOPE, cluster  # noqa: F401
from waiting import PATIENCE

PAGES = REPOSITORY / "Sources" / "foyer" / "foyer.docc"


def blocks(page, language):
    text = (PAGES / f"{page}.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_every_guide_is_run_here():
    guides = re.findall(r"^\| <doc:(\w+)>", (PAGES / "Programs.md").read_text(), re.MULTILINE)
    text = open(__file__).read()
    assert guides and [page for page in guides if f'follow("{page}"' not in text] == []


@pytest.fixture
def follow(person, sandbox, tmp_path):
    """Follows a guide: its settings are added, its files written, its commands run."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "foyer").symlink_to(FOYER)
    own = person.home / ".local" / "bin"
    python = REPOSITORY / ".build" / "test-environment" / "bin"
    person.environment |= {
        "PATH": f"{own}:{programs}:{python}:/usr/local/bin:/usr/bin:/bin",
        "GIT_CONFIG_NOSYSTEM": "1",
        "NO_PROXY": "127.0.0.1,localhost",
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    person.work_settings(sandbox)

    def run(page, stand_ins, **environment):
        def changed(text):
            for name, stand_in in stand_ins.items():
                text = text.replace(name, stand_in)
            return text

        for block in blocks(page, "toml"):
            if "[[rules]]" in block:
                add_settings(person, "\n" + changed(block))
        for block in blocks(page, "python"):
            (person.home / re.match(r"# (\S+)\n", block)[1]).write_text(block)
        script = "\n".join(["set -eu", "cd", *map(changed, blocks(page, "sh"))])
        more = {"input": script, "capture_output": True, "text": True, "start_new_session": True}
        return subprocess.run(["/bin/sh"], env=person.environment | environment, timeout=PATIENCE, **more)

    return run


def test_git(follow, person, sandbox, tmp_path):
    made = tmp_path / "served" / "repository.git"
    subprocess.run(["git", "init", "-q", "--bare", made], check=True)
    server = GitServer(made.parent, sandbox, [ADA])
    person.sign_in(ADA)
    try:
        url = f"http://{server.host}/repository.git"
        stand_ins = {"https://git.example.org/team/repository": url, "git.example.org": server.host}
        ended = follow("Git", stand_ins)
        assert ended.returncode == 0 and "rule on line" in ended.stdout, ended
        assert (person.home / "repository" / ".git").is_dir() and server.log[-1][2] is True
        # What the page says that is added is what was added.
        listing = ["git", "config", "--global", "--list"]
        shown = subprocess.run(listing, env=person.environment, capture_output=True, text=True).stdout
        assert "credential.helper=foyer\n" in shown
        assert "credential.https://dev.azure.com.usehttppath=true\n" in shown
    finally:
        server.stop()


def test_azure(follow, person):
    person.sign_in(ADA, "--scope", GRAPH + "/.default")
    person.sign_in(ADA, "--client", "cli", "--scope", GRAPH + "/.default")
    ended = follow("Azure", {})
    expiry, *_, kind = ended.stdout.strip().splitlines()
    assert ended.returncode == 0 and expiry.isdigit() and kind == "Bearer", ended


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kubectl(follow, person, sandbox, cluster):
    person.sign_in(ADA, "--scope", SCOPE)
    config = person.home / "kubeconfig"
    environment = person.environment | {"KUBECONFIG": str(config)}
    for words in (
        ["set-cluster", "c", f"--server={cluster.address}", f"--certificate-authority={cluster.certificate}"],
        ["set-context", "c", "--cluster=c"],
        ["use-context", "c"],
    ):
        subprocess.run(["kubectl", "config", *words], env=environment, check=True, capture_output=True)
    ended = follow("Kubernetes", {}, KUBECONFIG=str(config))
    assert ended.returncode == 0 and ended.stdout.endswith("good\n"), ended


@pytest.mark.skipif(shutil.which("skopeo") is None, reason="skopeo is not installed")
def test_docker(follow, person, sandbox, tmp_path):
    person.sign_in(ADA, "--scope", "https://containerregistry.azure.net/.default", "--tenant", CONTOSO)
    certificate, key = tmp_path / "registry.pem", tmp_path / "key.pem"
    self_signed(certificate, key, "registry", "IP:127.0.0.1")
    both = tmp_path / "both.pem"
    both.write_text(key.read_text() + certificate.read_text())
    registry = Registry(sandbox, certificate=both)
    try:
        ended = follow("Containers", {"registry.example.org": registry.host}, SSL_CERT_FILE=str(certificate))
        assert ended.returncode == 0 and '"schemaVersion": 2' in ended.stdout, ended
        assert "/oauth2/exchange" in registry.requests
    finally:
        registry.stop()


def test_pip(follow, person, index):
    person.sign_in(ADA)
    stand_ins = {f"https://{user}index.example.org": f"http://{user}{index.host}" for user in ("me@", "")}
    stand_ins["index.example.org"] = index.host
    ended = follow("PythonPackages", stand_ins, PIP_CONFIG_FILE=os.devnull)
    assert ended.returncode == 0 and (person.home / WHEEL).exists(), ended


@pytest.mark.skipif(shutil.which("msmtp") is None, reason="msmtp is not installed")
def test_mail(follow, person, sandbox, tmp_path):
    person.sign_in(ADA)
    mail = Servers(tmp_path, sandbox, [ADA])
    (text,) = blocks("Mail", "msmtprc")
    # A server of the test's own, and this sandbox's client.
    for name, stand_in in {
        "host smtp.office365.com": "host localhost",
        "port 587": f"port {mail.smtp.server_address[1]}",
        "tls on": f"tls on\ntls_starttls off\ntls_trust_file {mail.certificate}",
        "--client mail": "--client work",
    }.items():
        assert name in text
        text = text.replace(name, stand_in)
    (person.home / ".msmtprc").write_text(text)
    (person.home / ".msmtprc").chmod(0o600)
    try:
        ended = follow("Mail", {})
        assert ended.returncode == 0 and b"Subject: hello" in mail.mails[0], ended
    finally:
        mail.stop()


def test_aws(follow, person, service):
    person.sign_in(HEDY, "--client", "lab")
    ended = follow("OtherClouds", {}, XDG_RUNTIME_DIR=str(person.home), **service.environment)
    assert ended.returncode == 0 and ended.stdout.startswith("AKIA"), ended
    assert not (person.home / "web-identity-token").exists() and service.calls
