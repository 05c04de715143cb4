"""git-credential-foyer: clone, fetch and push with a server that has each token checked, and git's own protocol."""

import os
import socket
import ssl
import subprocess
import sys
import threading
import time

import pexpect
import pytest
from git_server import GitServer
from harness import ADA, CONTOSO, FABRIKAM, FOYER, GRACE, Store, add_settings, self_signed
from test_endpoint import claims
from test_places import ASK
from waiting import PATIENCE, spawn

DEV_OPS = "499b84ac-1321-427f-aa17-267ca6975798/.default"


class Git:
    """A person's git with foyer as its helper, and a repository to clone."""

    def __init__(self, person, server, folder):
        self.person, self.server = person, server
        programs = person.home / "bin"
        programs.mkdir()
        (programs / "git-credential-foyer").symlink_to(FOYER)
        person.environment["PATH"] = f"{programs}:{os.environ['PATH']}"
        person.environment["GIT_CONFIG_NOSYSTEM"] = "1"
        for who in ("AUTHOR", "COMMITTER"):
            person.environment |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@b"}
        assert self("config", "--global", "credential.helper", "foyer").returncode == 0
        self.clone = folder / "clone"
        self.url = f"http://{server.host}/repository.git"

    def __call__(self, *arguments, cwd=None):
        return subprocess.run(
            ["git", *map(str, arguments)],
            env=self.person.environment,
            cwd=cwd or self.person.home,
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            start_new_session=True,
        )

    def helper(self, verb, *lines, name="git-credential-foyer", options=()):
        """The helper as git calls it, and what it answers."""
        ended = subprocess.run(
            [str(self.person.home / "bin" / name), *options, verb],
            env=self.person.environment,
            timeout=PATIENCE,
            input="".join(line + "\n" for line in lines).encode(),
            capture_output=True,
            start_new_session=True,
        )
        return ended.stdout.decode().splitlines(), ended.stderr.decode()

    def at_terminal(self, script):
        """A shell at a terminal, where questions can be asked."""
        return spawn(self.person, "sh", "-c", script, cwd=str(self.person.home))

    def ask(self, program):
        return f"printf 'protocol=http\\nhost={self.server.host}\\n\\n' | {program}"


@pytest.fixture
def git(person, sandbox, tmp_path):
    made = tmp_path / "served" / "repository.git"
    subprocess.run(["git", "init", "-q", "--bare", made], check=True)
    subprocess.run(["git", "-C", made, "config", "http.receivepack", "true"], check=True)
    server = GitServer(made.parent, sandbox, [ADA])
    person.work_settings(sandbox)
    git = Git(person, server, tmp_path)
    add_settings(person, f'\n[[rules]]\nprogram = "git"\nhost = "{server.host}"\naccount = "{ADA}"\n')
    yield git
    server.stop()


@pytest.fixture
def settings(person):
    return person.home / "config" / "foyer" / "config.toml"


@pytest.fixture
def open_rule(git, settings):
    """The rule of the server names a client, and so any account may be meant."""
    settings.write_text(settings.read_text().replace(f'account = "{ADA}"', 'client = "work"'))


@pytest.fixture
def two(open_rule, person):
    """Two people who may be meant."""
    person.sign_in(ADA)
    person.sign_in(GRACE)


def member(lines, name):
    return next((line.split("=", 1)[1] for line in lines if line.startswith(name + "=")), None)


def username(token):
    held = claims(token)
    return held["upn" if "upn" in held else "preferred_username"]


# MARK: The real git


def test_git_clones_pushes_and_fetches_silently_and_after_a_refresh_as_the_rules_account_of_several(
    git, person, sandbox
):
    person.sign_in(GRACE)
    person.sign_in(ADA)
    before = sandbox.requests("token")
    cloned = git("clone", git.url, git.clone)
    assert cloned.returncode == 0 and "foyer" not in cloned.stderr, cloned
    assert git("commit", "--allow-empty", "-m", "one", cwd=git.clone).returncode == 0
    assert git("push", "origin", "HEAD:main", cwd=git.clone).returncode == 0
    assert git("fetch", cwd=git.clone).returncode == 0
    assert sandbox.requests("token") == before
    assert {fine for _, token, fine in git.server.log if token} == {True}
    Store(person.store).age()
    assert git("fetch", cwd=git.clone).returncode == 0
    assert sandbox.requests("token") == before + 1


def test_a_person_in_the_url_gets_their_own_token_or_git_asks_its_other_helpers(git, open_rule, person, settings):
    person.sign_in(ADA)
    request = ("protocol=http", f"host={git.server.host}", f"username={GRACE}")
    assert git.helper("get", *request) == ([], "")
    why = person.foyer("why", "git", git.url.replace("://", f"://{GRACE.replace('@', '%40')}@"))
    assert why.status == 3 and GRACE in why.stderr and f"--login-hint {GRACE}" in why.stderr, why
    person.sign_in(GRACE)
    for name in (GRACE, ADA):
        lines, _ = git.helper("get", *request[:2], f"username={name}")
        assert member(lines, "username") == name and username(member(lines, "password")) == name
    first, rule = settings.read_text().split("[[rules]]")
    settings.write_text(first + "[[rules]]" + rule.replace('client = "work"', f'account = "{ADA}"'))
    lines, said = git.helper("get", *request)
    assert lines == ["quit=1"] and ADA in said and GRACE in said, said


def test_a_token_that_the_server_refuses_is_not_given_out_again(git, person, sandbox):
    person.sign_in(ADA)
    assert git("clone", git.url, git.clone).returncode == 0
    git.server.revoked |= {token for _, token, _ in git.server.log}
    before = sandbox.requests("token")
    first = git("fetch", cwd=git.clone)
    # A newer git asks again within the same command.
    assert first.returncode == 128 or sandbox.requests("token") == before + 1
    second = git("fetch", cwd=git.clone)
    assert second.returncode == 0, second
    assert sandbox.requests("token") == before + 1
    noted = (person.home / ".local/state/foyer/refused-tokens.json").read_text()
    assert not any(token and token in noted for _, token, _ in git.server.log)


def test_where_a_person_is_needed_git_ends_with_what_to_run(git):
    cloned = git("clone", git.url, git.clone)
    assert cloned.returncode == 128 and "foyer sign-in" in cloned.stderr, cloned
    assert "Username" not in cloned.stderr


def test_a_host_that_nobody_named_is_not_answered(git, person, sandbox, tmp_path):
    person.sign_in(ADA)
    stranger = GitServer(tmp_path / "served", sandbox, [ADA])
    try:
        cloned = git("clone", f"http://{stranger.host}/repository.git", git.clone)
        assert cloned.returncode == 128 and all(not token for _, token, _ in stranger.log), cloned
    finally:
        stranger.stop()


# MARK: The protocol


def request(host, *more):
    return ["protocol=http", f"host={host}", *more]


def newer_request(host):
    return request(host, "capability[]=authtype", "capability[]=state", 'wwwauth[]=Bearer realm=""')


def test_an_older_git_gets_a_password_and_a_newer_one_a_bearer_token(git, person):
    person.sign_in(ADA)
    lines, errors = git.helper("get", *request(git.server.host))
    assert [line.split("=")[0] for line in lines] == ["username", "password", "password_expiry_utc"] and errors == ""
    assert int(member(lines, "password_expiry_utc")) > time.time() + 300
    newer = newer_request(git.server.host)
    lines, errors = git.helper("get", *newer)
    assert member(lines, "authtype") == "Bearer" and member(lines, "continue") == "1" and errors == ""
    assert git.server.challenge(member(lines, "credential")) is None
    assert git.helper("capability") == (["version 0", "capability authtype", "capability state"], "")
    assert git.helper("store", *newer) == ([], "") and git.helper("novelty") == ([], "")


def test_the_second_chance_brings_a_token_for_the_servers_claims(git, person, sandbox, settings):
    settings.write_text(settings.read_text().replace("[clients.work]\n", '[clients.work]\ncapabilities = ["cp1"]\n'))
    person.sign_in(ADA)
    newer = newer_request(git.server.host)
    first = member(git.helper("get", *newer)[0], "credential")
    sandbox.fault("continuousAccess")
    challenge = git.server.challenge(first)
    assert "insufficient_claims" in challenge
    lines, _ = git.helper("get", *newer, "state[]=foyer:1", "wwwauth[]=" + challenge)
    second = member(lines, "credential")
    assert second != first and git.server.challenge(second) is None and member(lines, "continue") is None, lines


@pytest.mark.parametrize(
    "lines",
    [
        ["protocol=https", "host=stranger.example"],
        ["protocol=http", "host=git.example.org"],
        ["protocol=smtp", "host=dev.azure.com"],
        ["protocol=https"],
        [],
        ["protocol=https", "host=dev.azure.com.evil.example", "path=contoso"],
    ],
)
def test_nothing_is_said_for_others(git, person, lines):
    person.sign_in(ADA)
    assert git.helper("get", *lines) == ([], "")


def test_the_helper_asks_nobody_without_a_terminal_and_names_the_rule(git, two):
    lines, errors = git.helper("get", *request(git.server.host))
    assert lines == ["quit=1"] and "[[rules]]" in errors and f'host = "{git.server.host}"' in errors


# MARK: Azure DevOps


def dev_ops(*more):
    return ["protocol=https", "host=dev.azure.com", "path=contoso/x/_git/y", "capability[]=authtype", *more]


def test_azure_devops_gets_a_token_of_the_tenant_that_its_challenge_names(git, person):
    person.sign_in(ADA, "--scope", DEV_OPS)
    # An organization of another tenant, in which Ada is a guest; and a challenge that names a stranger.
    for named, tenant in [
        (f"login.microsoftonline.com/{CONTOSO}", CONTOSO),
        (f"login.microsoftonline.com/{CONTOSO.upper()}", CONTOSO),
        (f"login.microsoftonline.com/{FABRIKAM}", FABRIKAM),
        (f"evil.example/{FABRIKAM}", CONTOSO),
    ]:
        lines, errors = git.helper("get", *dev_ops(f'wwwauth[]=Bearer authorization_uri="https://{named}"'))
        token = claims(member(lines, "credential"))
        assert errors == "" and token["tid"] == tenant and token["aud"].startswith(DEV_OPS[:36]), (lines, errors)


@pytest.fixture
def dev_ops_tls(person, tmp_path):
    """A certificate of dev.azure.com that the person's programs trust."""
    certificate, key = str(tmp_path / "certificate.pem"), str(tmp_path / "key.pem")
    self_signed(certificate, key, "dev.azure.com", "DNS:dev.azure.com")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    person.environment |= {"SSL_CERT_FILE": certificate, "GIT_SSL_CAINFO": certificate}
    return context


def head_of(connection):
    """What is asked for by a request, whose head is read to its end."""
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096)
    return head.split()[1].decode()


class Proxy:
    """Tells of each connection in a thread of its own, until it is closed."""

    def __init__(self, take):
        self.take = take
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            try:
                self.take(connection)
            except OSError:
                connection.close()


@pytest.fixture
def organization(git, person, dev_ops_tls):
    """dev.azure.com behind a proxy of the test's, which answers each request for an organization as it is told."""
    seen, headers = [], []

    def take(connection):
        seen.append(head_of(connection))
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        with dev_ops_tls.wrap_socket(connection, server_side=True) as inner:
            seen.append(head_of(inner))
            fields = "".join(f"{field}\r\n" for field in headers)
            inner.sendall(f"HTTP/1.1 401 Unauthorized\r\n{fields}Content-Length: 0\r\n\r\n".encode())

    proxy = Proxy(take)
    person.environment["HTTPS_PROXY"] = proxy.address
    yield seen, headers
    proxy.listener.close()


@pytest.mark.parametrize(
    "field",
    [
        f'WWW-Authenticate: Bearer authorization_uri="https://login.windows.net/{CONTOSO}"',
        f"X-VSS-ResourceTenant: 00000000-0000-0000-0000-000000000000,{CONTOSO}",
    ],
)
def test_an_older_git_names_no_tenant_and_the_organization_is_asked_once(git, person, organization, field):
    seen, headers = organization
    headers.append(field)
    person.sign_in(ADA, "--scope", DEV_OPS)
    for _ in range(2):
        lines, errors = git.helper("get", *dev_ops())
        assert errors == "" and claims(member(lines, "credential"))["tid"] == CONTOSO, (lines, errors)
    assert seen == ["dev.azure.com:443", "/contoso/_apis/connectionData"]
    # A refusal forgets it.
    git.helper("erase", *dev_ops("credential=x"))
    headers[:] = []
    lines, errors = git.helper("get", *dev_ops())
    assert errors == "" and len(seen) == 4


def tunnel_to(port):
    """A proxy that leads each tunnel to one port of this machine, whatever was asked for."""

    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def take(connection):
        head_of(connection)
        there = socket.create_connection(("127.0.0.1", port))
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for ends in (connection, there), (there, connection):
            threading.Thread(target=copy, args=ends, daemon=True).start()

    return Proxy(take)


def test_on_a_new_machine_a_clone_from_azure_devops_leaves_everything_as_it_was(person, sandbox, dev_ops_tls, tmp_path):
    """No settings, one sign-in as Azure CLI: git takes a client of its family, and the default one stays."""
    repository = tmp_path / "served" / "contoso" / "engine" / "_git" / "analytical"
    subprocess.run(["git", "init", "-q", "--bare", repository], check=True)
    challenges = ['Basic realm="git"', f'Bearer authorization_uri="https://login.windows.net/{CONTOSO}"']
    server = GitServer(tmp_path / "served", sandbox, [ADA], tls=dev_ops_tls, challenges=challenges)
    tunnel = tunnel_to(server.http.server_port)
    person.environment |= {"FOYER_AUTHORITY": sandbox.authority()}
    person.environment |= dict.fromkeys(("HTTPS_PROXY", "https_proxy"), tunnel.address)
    git = Git(person, server, tmp_path)
    person.sign_in(ADA, "--client", "Azure CLI")
    cloned = git("clone", "https://dev.azure.com/contoso/engine/_git/analytical", git.clone)
    assert cloned.returncode == 0 and "foyer" not in cloned.stderr, cloned
    brought = [claims(token) for _, token, good in server.log if good]
    assert brought and all(token["tid"] == CONTOSO and token["aud"].startswith(DEV_OPS[:36]) for token in brought)
    assert {token["appid"] for token in brought} == {"872cd9fa-d31f-45e0-9eab-6e460a02d1f1"}
    assert person.foyer("token", "--silent").status == 0
    ran = person.foyer("run", "--", sys.executable, "-c", ASK)
    assert ran.status == 0 and "access_token" in ran.stdout, ran
    for program in ("git https://dev.azure.com/contoso", "terraform"):
        assert person.foyer("why", *program.split()).status == 0
    assert person.foyer("why", "terraform", "--json").json["client"] == "azure-cli"
    gone = person.foyer("sign-out", ADA, "--wipe", "--yes", "--browser", "none")
    assert gone.status == 0 and Store(person.store).section("RefreshToken") == {}, gone
    assert person.foyer("token", "--silent").status == 3
    tunnel.listener.close()
    server.stop()


# MARK: At a terminal


def test_at_a_terminal_the_account_is_asked_for_and_a_plus_writes_the_rule(git, two, settings):
    child = git.at_terminal(git.ask("git credential fill"))
    child.expect("Which account for git at")
    listed = [child.expect([ADA, GRACE]), child.expect([ADA, GRACE])]
    number = listed.index(0) + 1
    child.expect("Number")
    child.sendline("9")
    child.expect("a number from 1 to 2")
    child.sendline(f"{number}+")
    child.expect("saved in")
    child.expect("password=(\\S+)")
    assert username(child.match[1]) == ADA
    child.expect(pexpect.EOF)
    child.wait()
    # It stands before the rule that names no account, and from now on nobody is asked.
    rules = settings.read_text().split("[[rules]]")
    assert len(rules) == 3 and f'account = "{ADA}"' in rules[1] and f'host = "{git.server.host}"' in rules[1]
    child = git.at_terminal(git.ask("git credential fill"))
    child.expect("password=(\\S+)")
    assert "Which account" not in child.before
    child.expect(pexpect.EOF)
    child.wait()


def test_ten_callers_put_one_question_and_share_the_answer(git, two, tmp_path):
    ask = git.ask(f"git-credential-foyer get >{tmp_path}/answer.$i")
    child = git.at_terminal(f"for i in 1 2 3 4 5 6 7 8 9 10; do {ask} & done; wait; echo all done")
    child.expect("Number")
    child.sendline("1")
    child.expect("all done")
    assert "Which account" not in child.before
    child.wait()
    tokens = {member((tmp_path / f"answer.{i}").read_text().splitlines(), "password") for i in range(1, 11)}
    assert len(tokens) == 1 and None not in tokens


def test_at_a_terminal_the_person_signs_in_and_git_goes_on(git, open_rule, person, sandbox):
    sandbox.control("auto", {"username": ADA})
    person.environment["BROWSER"] = "curl -sL -o /dev/null %s"
    child = git.at_terminal(f"exec git clone {git.url} {git.clone}")
    child.expect("needs sign-in")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0 and git("fetch", cwd=git.clone).returncode == 0


@pytest.mark.parametrize("signs_in", [GRACE, ADA])
def test_at_a_terminal_the_person_in_the_url_signs_in_and_another_ones_token_is_kept(
    git, open_rule, person, sandbox, signs_in
):
    person.sign_in(ADA)
    sandbox.control("auto", {"username": signs_in})
    person.environment["BROWSER"] = "curl -sL -o /dev/null %s"
    request = f"protocol=http\\nhost={git.server.host}\\nusername={GRACE}\\n\\n"
    child = git.at_terminal(f"printf '{request}' | git-credential-foyer get; echo all done")
    child.expect("needs sign-in")
    child.expect("all done")
    said = child.before
    child.wait()
    if signs_in == GRACE:
        assert username(said.split("password=")[1].split()[0]) == GRACE
    else:
        assert "password=" not in said and ADA in said and GRACE in said


def test_who_is_told_no_is_not_asked_again_for_a_minute(git, two):
    ask = git.ask("git-credential-foyer get; ")
    child = git.at_terminal(ask * 3 + "echo all done")
    child.expect("Number")
    child.sendeof()
    child.expect("all done")
    said = child.before
    child.wait()
    assert said.count("quit=1") == 3 and "Which account" not in said
    # Another caller is asked.
    child = git.at_terminal(ask)
    child.expect("Number")
    child.sendline("1")
    child.expect("password=")
    child.wait()
