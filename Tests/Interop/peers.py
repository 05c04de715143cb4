"""Identity providers that nobody here wrote, each started by the tests that need it, over TLS with a certificate
authority of its own."""

import json
import os
import socket
import ssl
import subprocess
import urllib.request
from pathlib import Path

import pytest
from harness import REPOSITORY, until
from waiting import PATIENCE

HERE = Path(__file__).resolve().parent / "providers"
PYTHON = REPOSITORY / ".build" / "provider-environment" / "bin" / "python"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


CERTIFICATES = """
req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 7 -keyout ca.key -out ca.pem -subj /CN=authority \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj /CN=provider
x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 7 -extfile names -out server.pem
genrsa -out signing.pem 2048
"""


def certificates(folder):
    """A certificate authority, and what it vouches for: 127.0.0.1."""
    (folder / "names").write_text(
        "basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=IP:127.0.0.1\n"
    )
    for command in CERTIFICATES.replace("\\\n", "").strip().splitlines():
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)


class Provider:
    """One site of a folder, served by gunicorn."""

    def __init__(self, site, folder, issuer_path, username):
        self.folder, self.username, self.port = folder, username, free_port()
        certificates(folder)
        self.ca = str(folder / "ca.pem")
        self.origin = f"https://127.0.0.1:{self.port}"
        self.issuer = self.origin + issuer_path
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(HERE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PROVIDER_FOLDER": str(folder),
            "PROVIDER_PORT": str(self.port),
        }
        subprocess.run([PYTHON, HERE / f"{site}.py"], env=self.environment, check=True, capture_output=True)
        self.log = open(folder / "log", "wb")
        words = f"-b 127.0.0.1:{self.port} -w 1 --threads 8 --no-control-socket {site}:application"
        files = [f"--certfile={folder}/server.pem", f"--keyfile={folder}/server.key"]
        files += [f"--access-logfile={folder}/access"]
        self.process = subprocess.Popen(
            [PYTHON, "-m", "gunicorn", *files, *words.split()],
            env=self.environment,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )
        context = ssl.create_default_context(cafile=self.ca)
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
        )
        until(self.metadata, what=f"the start of {site}")

    def metadata(self):
        try:
            with self.opener.open(self.issuer + "/.well-known/openid-configuration", timeout=PATIENCE) as reply:
                return json.load(reply)
        except OSError:
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            return None

    def requests(self, path):
        """How often a path was asked for so far."""
        lines = (self.folder / "access").read_text().splitlines()
        return sum(f" {path} " in line or f" {path}?" in line for line in lines)

    def browser(self, person, **more):
        """A command line for --browser that signs in and says yes."""
        wish = person.scratch / f"wish-{len(list(person.scratch.iterdir()))}.json"
        wish.write_text(json.dumps({"user": self.username, "password": "correct horse", "ca": self.ca, **more}))
        return f"{PYTHON} {HERE / 'form_browser.py'} {wish} %s"

    def visit(self, person, address, **more):
        """The same, waited for; returns what the last page said."""
        command = [address if word == "%s" else word for word in self.browser(person, **more).split()]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, env={"PATH": os.environ["PATH"]}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


@pytest.fixture(scope="session")
def allauth(tmp_path_factory):
    provider = Provider("allauth_site", tmp_path_factory.mktemp("allauth"), "", "ada")
    yield provider
    provider.stop()


@pytest.fixture(scope="session")
def toolkit(tmp_path_factory):
    provider = Provider("toolkit_site", tmp_path_factory.mktemp("toolkit"), "/o", "grace")
    yield provider
    provider.stop()
