"""Sign-in by host, and git, at the sandbox's GitHub-like and plain OAuth servers."""

import json
import subprocess
import tomllib
import urllib.error
import urllib.request

import pytest
from git_server import OAuthGitServer
from harness import ADA, HEDY, Store, add_settings, assert_no_secret, until
from test_git_credential import Git, member, newer_request
from waiting import PATIENCE

EMMY = "emmy@lab.example"
OAUTH_APP = "Ov23liFoyerOAuthApp1"
GITHUB_APP = "Iv23liFoyerGitHubAp1"
DESKTOP = "1234567890-desktop.apps.googleusercontent.example"
DESKTOP_SECRET = "GOCSPX-foyer-sandbox-desktop"


class Forge(OAuthGitServer):
    """Repositories, sign-in and API at one host, as at GitHub's own servers."""

    def answer(self, handler):
        if not handler.path.startswith(("/login/", "/api/")):
            return super().answer(handler)
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        headers = {
            name: value for name, value in handler.headers.items() if name.lower() not in ("host", "content-length")
        }
        request = urllib.request.Request(
            self.sandbox.base + handler.path, body or None, headers, method=handler.command
        )
        try:
            reply = self.sandbox.opener.open(request, timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            reply = error
        content = reply.read()
        handler.send_response(reply.status)
        handler.send_header("Content-Type", reply.headers["Content-Type"])
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)
        return None


@pytest.fixture
def repositories(tmp_path):
    for name in ("repository.git", "contoso/engine.git"):
        made = tmp_path / "served" / name
        subprocess.run(["git", "init", "-q", "--bare", made], check=True)
        subprocess.run(["git", "-C", made, "config", "http.receivepack", "true"], check=True)
    return tmp_path / "served"


@pytest.fixture
def forge(repositories, sandbox):
    server = Forge(repositories, sandbox, "github")
    yield server
    server.stop()


@pytest.fixture
def git(person, forge, tmp_path):
    return Git(person, forge, tmp_path)


def settings(person):
    return tomllib.loads((person.home / "config" / "foyer" / "config.toml").read_text())


def sign_in(person, sandbox, *arguments, user=HEDY):
    """A device code, which the user enters elsewhere."""
    running = person.start("sign-in", "--json", *arguments)
    until(lambda: sandbox.waiting_codes() or running.process.poll() is not None, what="the device code")
    codes = sandbox.waiting_codes()
    if codes:
        sandbox.approve(codes[0], user)
    return running.end()


def at_forge(person, sandbox, forge, client=OAUTH_APP, user=HEDY):
    result = sign_in(person, sandbox, f"http://{forge.host}", "--server", "github", "--client-id", client, user=user)
    assert result.status == 0, result
    return result


def works(git, address=None):
    ends = [git("clone", address or git.url, git.clone)]
    for command in (["commit", "--allow-empty", "-m", "one"], ["push", "origin", "HEAD:main"], ["fetch"]):
        ends.append(git(*command, cwd=git.clone))
    assert all(end.returncode == 0 for end in ends), ends
    return ends


# MARK: A host and a client ID


def test_a_host_and_a_client_id_are_all_that_git_needs(git, forge, person, sandbox):
    result = at_forge(person, sandbox, forge)
    assert "clientSaved" in result.stderr
    client = settings(person)["clients"]["127.0.0.1"]
    assert client == {"client_id": OAUTH_APP, "authority": f"http://{forge.host}/login/oauth", "server": "github"}
    before = sandbox.requests("token")
    works(git)
    assert sandbox.requests("token") == before
    assert {(scheme, fine) for scheme, token, fine in forge.log if token} == {("Basic", True)}
    lines, errors = git.helper("get", "protocol=http", f"host={forge.host}")
    assert member(lines, "username") == "x-access-token" and errors == ""
    assert member(lines, "password").startswith("gho_") and member(lines, "password_expiry_utc") is None
    why = person.foyer("why", "git", git.url)
    assert why.status == 0 and "its provider's host" in why.stdout, why
    # From now on the host is enough.
    assert "no client ID" not in person.foyer("token", "--client", "127.0.0.1", "--silent").stderr
    again = sign_in(person, sandbox, f"http://{forge.host}", user=HEDY)
    assert again.status == 0 and "clientSaved" not in again.stderr, again
    assert list(settings(person)["clients"]) == ["127.0.0.1"]
    assert_no_secret(person.store, result, why, again)


def test_a_refreshed_token_of_a_github_app_is_what_git_gets(git, forge, person, sandbox):
    at_forge(person, sandbox, forge, GITHUB_APP)
    works(git)
    lines, _ = git.helper("get", "protocol=http", f"host={forge.host}")
    assert member(lines, "password").startswith("ghu_") and int(member(lines, "password_expiry_utc")) > 0
    Store(person.store).age()
    before = sandbox.requests("github:token:refresh_token")
    assert git("fetch", cwd=git.clone).returncode == 0
    assert sandbox.requests("github:token:refresh_token") == before + 1


def test_a_rejected_token_without_an_end_is_not_handed_out_again(git, forge, person, sandbox):
    at_forge(person, sandbox, forge)
    works(git)
    token = next(token for _, token, fine in forge.log if fine)
    body = json.dumps({"credentials": [token]}).encode()
    request = urllib.request.Request(sandbox.base + "/api/v3/credentials/revoke", body, {"User-Agent": "x"})
    sandbox.opener.open(request, timeout=PATIENCE).close()
    assert git("fetch", cwd=git.clone).returncode == 128
    forge.log.clear()
    second = git("fetch", cwd=git.clone)
    assert second.returncode == 128 and "foyer sign-in" in second.stderr, second
    assert not any(sent for _, sent, _ in forge.log)
    at_forge(person, sandbox, forge)
    assert git("fetch", cwd=git.clone).returncode == 0
    # At a terminal the sign-in follows at once.
    fresh = next(sent for _, sent, fine in forge.log if fine)
    body = json.dumps({"credentials": [fresh]}).encode()
    request = urllib.request.Request(sandbox.base + "/api/v3/credentials/revoke", body, {"User-Agent": "x"})
    sandbox.opener.open(request, timeout=PATIENCE).close()
    assert git("fetch", cwd=git.clone).returncode == 128
    child = git.at_terminal(f"exec git -C {git.clone} fetch")
    child.expect("needs sign-in")
    until(sandbox.waiting_codes, what="the device code")
    sandbox.approve(sandbox.waiting_codes()[0], HEDY)
    child.read()
    child.wait()
    assert child.exitstatus == 0


def test_a_rule_with_a_path_chooses_between_two_accounts_of_one_host(git, forge, person, sandbox, tmp_path):
    at_forge(person, sandbox, forge, user=HEDY)
    at_forge(person, sandbox, forge, user=EMMY)
    several = person.foyer("why", "git", git.url)
    assert several.status == 8 and 'path = "OWNER"' in several.stderr, several
    assert f"credential.https://{forge.host}.useHttpPath true" in several.stderr
    for path, account in (("contoso", "emmy"), ("repository.git", "hedy")):
        add_settings(person, f'\n[[rules]]\nhost = "{forge.host}"\npath = "{path}"\naccount = "{account}"\n')
    engine = f"http://{forge.host}/contoso/engine.git"
    why = person.foyer("why", "git", engine, cwd=person.home)
    assert why.status == 0 and "account: emmy" in why.stdout and "git does not send the path" in why.stderr, why
    assert git("clone", engine, tmp_path / "engine").returncode == 128
    assert git("config", "--global", f"credential.http://{forge.host}.useHttpPath", "true").returncode == 0
    why = person.foyer("why", "git", engine, cwd=person.home)
    assert why.status == 0 and "path" not in why.stderr, why
    assert git("clone", engine, tmp_path / "engine").returncode == 0
    works(git)


def test_git_over_ssh_is_left_alone_and_explained(git, person):
    why = person.foyer("why", "git", "git@github.com:owner/repository.git")
    assert why.status == 64 and "SSH" in why.stderr, why
    git("config", "--global", "url.git@github.com:.insteadOf", "https://github.com/")
    before = (person.home / ".gitconfig").read_text()
    why = person.foyer("why", "git", "https://github.com/owner/repository", cwd=person.home)
    assert "git uses SSH there" in why.stderr and "foyer sign-in github.com" in why.stderr, why
    shown = person.foyer("setup", "git", "--dry-run", cwd=person.home)
    assert "git uses SSH for https://github.com/" in shown.stdout + shown.stderr, shown
    assert (person.home / ".gitconfig").read_text() == before


# MARK: What is said before a sign-in


def test_without_a_client_id_or_secret_nothing_is_opened(person):
    missing = person.foyer("sign-in", "github.com")
    assert missing.status == 64 and "https://github.com/settings/developers" in missing.stderr, missing
    assert "foyer sign-in github.com --client-id ID" in missing.stderr
    for arguments in (["bitbucket.org"], ["bitbucket.org", "--client-id", "x"]):
        secret = person.foyer("sign-in", *arguments)
        assert secret.status == 64 and 'client_secret = "kept"' in secret.stderr, secret
        assert "foyer secret set bitbucket.org" in secret.stderr
    assert not (person.home / "config" / "foyer").exists()


def test_a_browser_is_not_opened_where_it_would_need_a_secret(person, sandbox, forge):
    refused = person.foyer(
        "sign-in",
        f"http://{forge.host}",
        "--server",
        "github",
        "--client-id",
        OAUTH_APP,
        "--via",
        "browser",
        "--browser",
        "false",
    )
    assert refused.status == 78 and "--via device" in refused.stderr and "client secret" in refused.stderr, refused


# MARK: The other servers


def test_git_at_a_plain_server_gets_a_password_and_what_it_demands_is_asked_for(git, person, sandbox, repositories):
    person.settings(
        f'[clients.plain]\nclient_id = "oauth-public"\nauthority = "{sandbox.base}/as/one"\nkind = "oauth2"\n'
        'scopes = ["profile", "notes.read"]\n'
    )
    person.sign_in(HEDY, "--client", "plain")
    plain = OAuthGitServer(repositories, sandbox, "as/one", scheme="basic")
    try:
        add_settings(person, f'\n[[rules]]\nhost = "{plain.host}"\nclient = "plain"\n')
        works(git, f"http://{plain.host}/repository.git")
        assert {fine for _, token, fine in plain.log if token} == {True}
        # What no refresh can meet is asked for, and only within the limits of a rule.
        before = sandbox.requests("token")
        for demand, command in [
            ('error="insufficient_user_authentication", acr_values="mfa", max_age="60"', "--acr mfa --max-age 60"),
            ('error="insufficient_scope", scope="admin"', 'scopes = ["profile", "notes.read", "admin"]'),
        ]:
            more = "state[]=foyer:1", f"wwwauth[]=Bearer {demand}"
            lines, errors = git.helper("get", *newer_request(plain.host), *more)
            assert lines == ["quit=1"] and command in errors, (lines, errors)
        add_settings(person, 'scopes = ["profile", "notes.read"]\n')
        lines, errors = git.helper("get", *newer_request(plain.host), *more)
        assert lines == ["quit=1"] and "sets the scopes profile notes.read" in errors, (lines, errors)
        assert sandbox.requests("token") == before
        # The token is never given to another host, or to another server of the same host.
        other = OAuthGitServer(repositories, sandbox, "as/two")
        lines, _ = git.helper("get", "protocol=http", f"host={other.host}")
        other.stop()
        assert lines == []
    finally:
        plain.stop()


# MARK: Step-up


def test_a_challenge_of_a_resource_leads_to_a_sign_in_with_its_demand(person, sandbox):
    person.settings(
        f'[clients.plain]\nclient_id = "oauth-public"\nauthority = "{sandbox.base}/as/one"\nkind = "oauth2"\n'
        'scopes = ["profile", "notes.read"]\n'
    )
    person.sign_in(HEDY, "--client", "plain")
    before = sandbox.requests("token")

    def challenge(path, token):
        headers = {"Authorization": f"Bearer {token}"}
        request = urllib.request.Request(f"{sandbox.base}/as/one/api/{path}", headers=headers)
        try:
            sandbox.opener.open(request, timeout=PATIENCE).close()
        except urllib.error.HTTPError as error:
            return error.headers["WWW-Authenticate"]
        return None

    token = person.foyer("token", "--silent").stdout.strip()
    missing = challenge("admin", token)
    refused = person.foyer("token", "--silent", "--challenge", missing)
    assert refused.status == 3 and "the resource requires more scopes: admin" in refused.stderr, refused
    assert "--scope profile --scope notes.read --scope admin" in refused.stderr
    assert sandbox.requests("token") == before
    curl = ["--via", "browser", "--browser", "curl -sL -o /dev/null %s"]
    stepped = person.foyer("token", *curl, "--challenge", missing)
    assert stepped.status == 0 and challenge("admin", stepped.stdout.strip()) is None, stepped
    # It is in the cache then.
    cached = person.foyer("token", "--silent", "--challenge", missing)
    assert cached.status == 0 and cached.stdout == stepped.stdout, cached

    demand = challenge("vault", token)
    refused = person.foyer("token", "--silent", "--challenge", demand)
    assert refused.status == 3 and "--acr mfa" in refused.stderr, refused
    strong = person.foyer("token", *curl, "--challenge", demand)
    assert strong.status == 0 and challenge("vault", strong.stdout.strip()) is None, strong
    # An AI agent's session is never asked.
    session = {"COPILOT_AGENT_SESSION_ID": "s1"}
    assert person.foyer("token", *curl, "--challenge", demand, env=session).status == 3
    wrong = person.foyer("token", "--challenge", "Bearer")
    assert wrong.status == 64 and "--challenge" in wrong.stderr, wrong


def test_git_at_a_google_like_server_gets_its_user(git, person, sandbox, repositories):
    secret = person.home / "secret"
    secret.write_text(DESKTOP_SECRET)
    secret.chmod(0o600)
    person.settings(
        f'[clients.google]\nclient_id = "{DESKTOP}"\nauthority = "{sandbox.base}/google"\nkind = "oidc"\n'
        f'server = "google"\nclient_secret_file = "{secret}"\nscopes = ["openid", "email", "profile"]\n'
    )
    sandbox.control("auto", {"username": HEDY})
    person.sign_in(HEDY, "--client", "google")
    google = OAuthGitServer(repositories, sandbox, "google")
    try:
        add_settings(person, f'\n[[rules]]\nhost = "{google.host}"\nclient = "google"\n')
        works(git, f"http://{google.host}/repository.git")
        assert {(scheme, fine) for scheme, token, fine in google.log if token} == {("Basic", True)}
        Store(person.store).age()
        assert git("fetch", cwd=git.clone).returncode == 0
    finally:
        google.stop()


def test_a_git_host_does_not_become_the_default_of_who_signed_in_elsewhere_before(person, sandbox):
    azure = ("--client", "Azure CLI", "--authority", sandbox.authority(), "--scope", "User.Read")
    person.sign_in(ADA, *azure)
    result = sign_in(person, sandbox, sandbox.base, "--server", "github", "--client-id", OAUTH_APP)
    assert result.status == 0, result
    listed = person.foyer("clients", "--json").json["clients"]
    assert [client["name"] for client in listed if client["isDefault"]] == ["azure-cli"], listed
    settings = (person.home / "config" / "foyer" / "config.toml").read_text()
    assert settings.startswith('client = "azure-cli"\n') and "[clients." in settings, settings
