"""The sandbox's OAuth servers, with clients that nobody here wrote: gh, Google's library, oauthlib and git."""

import json
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request

import pytest
from git_server import OAuthGitServer
from harness import HEDY, until
from waiting import PATIENCE

OAUTH_APP = "Ov23liFoyerOAuthApp1"
DESKTOP = "1234567890-desktop.apps.googleusercontent.example"
DESKTOP_SECRET = "GOCSPX-foyer-sandbox-desktop"
EMAIL = "https://www.googleapis.com/auth/userinfo.email"


@pytest.fixture
def served(tmp_path):
    """The folder of an empty repository."""
    made = tmp_path / "served" / "repository.git"
    subprocess.run(["git", "init", "-q", "--bare", made], check=True)
    subprocess.run(["git", "-C", made, "config", "http.receivepack", "true"], check=True)
    return made.parent


@pytest.fixture
def git_server(sandbox, served):
    made = []

    def make(server, **more):
        made.append(OAuthGitServer(served, sandbox, server, **more))
        return made[-1]

    yield make
    for server in made:
        server.stop()


@pytest.fixture
def run(person):
    """Runs a program of a person who has no settings of git's."""
    person.environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    for who in ("AUTHOR", "COMMITTER"):
        person.environment |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@b"}

    def run(*arguments, cwd=None, **environment):
        return subprocess.run(
            [str(argument) for argument in arguments],
            env=person.environment | environment,
            cwd=cwd or person.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    return run


def clone_and_push(run, folder, address, *options):
    """A clone, a commit, a push and a fetch, with the same options of git."""
    commands = ["clone", "-q", address, folder], ["commit", "-q", "--allow-empty", "-m", "one"]
    for command in (*commands, ["push", "-q", "origin", "HEAD:main"], ["fetch"]):
        ended = run("git", *options, *command, cwd=folder if folder.exists() else None)
        assert ended.returncode == 0, ended


# MARK: GitHub's command line


@pytest.fixture
def gh(person, sandbox):
    """gh, whose GitHub is the sandbox: it knows a host for tests, and takes it from its proxy."""
    if not shutil.which("gh"):
        pytest.skip("gh is not installed")
    person.environment |= {
        "HTTP_PROXY": sandbox.base,
        "BROWSER": "true",
        "GH_CONFIG_DIR": str(person.home / "gh"),
        "GH_NO_UPDATE_NOTIFIER": "1",
    }

    def start(*arguments):
        return subprocess.Popen(
            ["gh", *arguments],
            env=person.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    return start


def sign_in(gh, sandbox, user):
    running = gh("auth", "login", "--hostname", "github.localhost", "--web", "--git-protocol", "https")
    try:
        until(lambda: sandbox.waiting_codes() or running.poll() is not None, what="the device code")
        (code,) = sandbox.waiting_codes()
        sandbox.approve(code, user)
        said = running.communicate(timeout=PATIENCE)[0]
    finally:
        running.kill()
    return running.returncode, said


def test_gh_signs_in_with_the_device_flow_and_knows_its_scopes(gh, sandbox, run):
    status, said = sign_in(gh, sandbox, HEDY)
    assert status == 0 and "Logged in as hedy" in said, said
    assert sandbox.requests("github:devicecode") == 1
    shown = run("gh", "auth", "status", "--hostname", "github.localhost")
    assert shown.returncode == 0 and "hedy" in shown.stderr + shown.stdout, shown
    account = run("gh", "api", "user", "--hostname", "github.localhost")
    assert json.loads(account.stdout)["id"] == 1007, account
    # What it has is a token of an OAuth App, and a revoked one is noticed.
    token = run("gh", "auth", "token", "--hostname", "github.localhost").stdout.strip()
    assert token.startswith("gho_")
    body = json.dumps({"credentials": [token]}).encode()
    request = urllib.request.Request(sandbox.base + "/api/v3/credentials/revoke", body, {"User-Agent": "x"})
    with sandbox.opener.open(request, timeout=PATIENCE) as reply:
        assert reply.status == 202
    refused = run("gh", "api", "user", "--hostname", "github.localhost")
    assert refused.returncode != 0 and "Bad credentials" in refused.stdout + refused.stderr, refused


def test_gh_stops_at_a_slow_down(gh, sandbox):
    """As Debian's does: it takes the error for a final one."""
    sandbox.fault("slowDownOnce")
    status, said = sign_in(gh, sandbox, HEDY)
    assert status != 0 and "slow_down" in said, said


def test_git_clones_and_pushes_with_ghs_token(gh, sandbox, run, git_server, tmp_path):
    assert sign_in(gh, sandbox, HEDY)[0] == 0
    server = git_server("github")
    # gh answers only for https.
    question = "printf 'protocol=https\\nhost=github.localhost\\n\\n'"
    helper = f"!{question} | gh auth git-credential get | grep -E '^(username|password)=' #"
    options = ["-c", f"http.proxy=http://{server.host}", "-c", f"credential.helper={helper}"]
    clone_and_push(run, tmp_path / "clone", "http://github.localhost/repository.git", *options)
    assert {(scheme, fine) for scheme, token, fine in server.log if token} == {("Basic", True)}
    assert any(not fine for _, token, fine in server.log)


# MARK: Google's library

GOOGLE_SIGN_IN = """
import json, subprocess, sys, webbrowser
from google.auth.transport.requests import Request
from google_auth_oauthlib.flow import InstalledAppFlow

class Curl:
    def open(self, url, *rest, **more):
        subprocess.Popen(["curl", "-sL", "-o", "/dev/null", url + "&login_hint=" + sys.argv[2]])
        return True

webbrowser.get = lambda *rest, **more: Curl()
flow = InstalledAppFlow.from_client_config(json.loads(sys.argv[1]), scopes=sys.argv[3].split(" "))
credentials = flow.run_local_server(port=0, timeout_seconds=60)
first = [credentials.token, credentials.refresh_token, credentials.id_token, credentials.granted_scopes]
credentials.refresh(Request())
print(json.dumps({"first": first, "second": [credentials.token, credentials.refresh_token]}))
"""


def test_googles_library_signs_in_and_refreshes(person, sandbox):
    pytest.importorskip("google_auth_oauthlib")
    issuer = sandbox.base + "/google"
    with sandbox.opener.open(issuer + "/.well-known/openid-configuration", timeout=PATIENCE) as reply:
        document = json.load(reply)
    client = {
        "client_id": DESKTOP,
        "client_secret": DESKTOP_SECRET,
        "auth_uri": document["authorization_endpoint"],
        "token_uri": document["token_endpoint"],
        "redirect_uris": ["http://localhost"],
    }
    relaxed = {"OAUTHLIB_INSECURE_TRANSPORT": "1", "OAUTHLIB_RELAX_TOKEN_SCOPE": "1", "NO_PROXY": "127.0.0.1"}
    ended = subprocess.run(
        [sys.executable, "-c", GOOGLE_SIGN_IN, json.dumps({"installed": client}), HEDY, f"openid {EMAIL}"],
        env=person.environment | relaxed,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == 0, ended
    result = json.loads(ended.stdout.splitlines()[-1])
    access, refresh, id_token, scopes = result["first"]
    assert id_token and sorted(scopes.split() if isinstance(scopes, str) else scopes) == [EMAIL, "openid"]
    # The refresh token stays.
    assert result["second"][0] not in ("", access) and result["second"][1] == refresh
    with sandbox.opener.open(f"{issuer}/tokeninfo?access_token={result['second'][0]}", timeout=PATIENCE) as reply:
        assert json.load(reply)["email"] == HEDY


# MARK: oauthlib


def test_oauthlib_signs_in_at_a_plain_server_and_rotates(sandbox, monkeypatch):
    sessions = pytest.importorskip("requests_oauthlib")
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with sandbox.opener.open(
        f"{sandbox.base}/.well-known/oauth-authorization-server/as/one", timeout=PATIENCE
    ) as reply:
        document = json.load(reply)
    session = sessions.OAuth2Session(
        "oauth-post", redirect_uri="http://127.0.0.1:1/", scope=["notes.read"], pkce="S256"
    )
    address, _ = session.authorization_url(document["authorization_endpoint"], login_hint=HEDY)
    visited = subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{redirect_url}", address],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(visited.stdout).query)
    assert query["iss"] == [document["issuer"]]
    secret = {"client_secret": "post&secret=2", "include_client_id": True}
    first = session.fetch_token(document["token_endpoint"], authorization_response=visited.stdout, **secret)
    assert session.get(f"{document['issuer']}/api/notes").json()["username"] == HEDY
    second = session.refresh_token(
        document["token_endpoint"], client_id="oauth-post", client_secret=secret["client_secret"]
    )
    assert second["refresh_token"] != first["refresh_token"] and second["access_token"] != first["access_token"]


# MARK: git


@pytest.mark.parametrize(
    ("server", "client", "scope", "user"),
    [
        ("github", OAUTH_APP, "repo", "x-access-token"),
        ("google", DESKTOP, "email", "oauth2accesstoken"),
        ("as/one", "oauth-public", "notes.read", "oauth2"),
    ],
)
def test_git_clones_and_pushes_as_each_host_wants_it(sandbox, run, git_server, tmp_path, server, client, scope, user):
    host = git_server(server, scheme="basic" if server.startswith("as/") else None)
    token = sandbox.control("issue", {"username": HEDY, "client_id": client, "scope": scope})["access_token"]
    helper = f"credential.helper=!f() {{ echo username={user}; echo password={token}; }}; f"
    clone_and_push(run, tmp_path / "clone", f"http://{host.host}/repository.git", "-c", helper)
    # The host of another server refuses it.
    other = git_server("google" if server == "github" else "github")
    refused = run("git", "-c", helper, "ls-remote", f"http://{other.host}/repository.git")
    assert refused.returncode != 0 and "Authentication failed" in refused.stderr, refused


def test_git_sends_a_bearer_token_to_a_host_that_wants_one(sandbox, run, git_server, tmp_path):
    host = git_server("as/one", scheme="bearer")
    issued = sandbox.control("issue", {"username": HEDY, "client_id": "oauth-endless", "scope": "notes.read"})
    header = f"http.extraHeader=Authorization: Bearer {issued['access_token']}"
    clone_and_push(run, tmp_path / "clone", f"http://{host.host}/repository.git", "-c", header)
    assert {(scheme, fine) for scheme, _, fine in host.log} == {("Bearer", True)}
