"""foyer run and foyer endpoint: Azure SDKs get the tokens of the person's own accounts."""

import base64
import concurrent.futures
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import pexpect
import pytest
from harness import ADA, AZURE_CLI, CONTOSO, FOYER, GRACE, Store, children, until
from waiting import PATIENCE, completed, spawn

GRAPH = "https://graph.microsoft.com"
GET_TOKEN = """
import json, sys
from azure.identity import {credential}
token = {credential}({arguments}).get_token("https://graph.microsoft.com/.default")
print(json.dumps({{"token": token.token, "left": token.expires_on}}))
"""


def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def owner(text):
    """Whose token it is that GET_TOKEN has printed, and what the token says."""
    got = claims(json.loads(text)["token"])
    return got.get("preferred_username") or got.get("upn"), got


# Another user, who can only be played by root.
PYTHON = ["/usr/bin/python3", "-I", "-c"]
NOBODY = {"user": 65534, "extra_groups": [], "cwd": "/", "env": {}}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="another user can only be played by root")


def sign_in(person, username, *options):
    """With consent to what the programs of these tests ask for."""
    person.sign_in(username, "--scope", GRAPH + "/.default", *options)


def python(person, credential="ManagedIdentityCredential", arguments=""):
    """A program that uses azure-identity, under `foyer run`."""
    program = GET_TOKEN.format(credential=credential, arguments=arguments)
    return person.foyer("run", "--", sys.executable, "-c", program)


@pytest.fixture
def ada(person, sandbox):
    person.work_settings(sandbox)
    sign_in(person, ADA)
    return person


@pytest.fixture
def endpoint(ada):
    """A running endpoint of Ada's, and a connection to it."""
    return Endpoint(ada)


class Endpoint:
    def __init__(self, person, *options):
        self.running = person.start("endpoint", "--json", "--azd", *options)
        until(lambda: self.running.out, what="the environment of the endpoint")
        self.variables = json.loads(self.running.out[0])
        self.secret = self.variables["IDENTITY_HEADER"]

    def get(self, headers=None, *, resource=GRAPH, method="GET", path=None, body=None, **query):
        address = urlsplit(self.variables["IDENTITY_ENDPOINT"])
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
        text = "".join(f"&{name}={quote(value)}" for name, value in query.items())
        connection.request(
            method,
            path or f"{address.path}?api-version=2019-08-01&resource={quote(resource)}{text}",
            body,
            {"X-IDENTITY-HEADER": self.secret} if headers is None else headers,
        )
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


# MARK: The real client


@pytest.mark.parametrize("credential", ["ManagedIdentityCredential", "DefaultAzureCredential"])
def test_azure_identity_gets_a_token_of_the_person(ada, sandbox, credential):
    before = sandbox.requests("token")
    result = python(ada, credential)
    assert result.status == 0 and sandbox.requests("token") == before, result
    assert owner(result.stdout)[0] == ADA and result.json["left"] > time.time() + 300
    Store(ada.store).age()
    assert python(ada, credential).status == 0
    assert sandbox.requests("token") == before + 1


def test_azure_identity_says_what_to_do_when_a_person_is_needed(person, sandbox):
    person.work_settings(sandbox)
    result = python(person)
    assert result.status == 1, result
    assert "no account is signed in" in result.stderr and "foyer sign-in" in result.stderr, result


def test_an_identity_is_a_client_of_the_settings_or_an_account_and_a_rule_chooses_one_for_a_command(ada):
    sign_in(ada, GRACE)
    sign_in(ada, GRACE, "--client", "cli")
    several = python(ada)
    assert several.status == 1 and "[[rules]]" in several.stderr and ADA in several.stderr, several
    for identity, client in [(GRACE, None), ("cli", AZURE_CLI), (AZURE_CLI, AZURE_CLI)]:
        result = python(ada, arguments=f"client_id={identity!r}")
        assert result.status == 0, result
        user, got = owner(result.stdout)
        assert user == GRACE and (client is None or got["appid" if "appid" in got else "azp"] == client), got
    unknown = python(ada, arguments="client_id='nobody@nowhere.example'")
    assert unknown.status == 1 and "nobody@nowhere.example" in unknown.stderr, unknown
    with open(ada.home / "config/foyer/config.toml", "a") as settings:
        settings.write(f'\n[[rules]]\nprogram = "{Path(sys.executable).name}"\naccount = "{GRACE}"\n')
    result = python(ada)
    assert result.status == 0 and owner(result.stdout)[0] == GRACE, result


# MARK: Who is refused


def test_a_wrong_secret_another_name_and_a_browser_are_refused(endpoint):
    own = {"X-IDENTITY-HEADER": endpoint.secret}
    assert endpoint.get()[0] == 200
    for headers, status in [
        ({}, 401),
        ({"X-IDENTITY-HEADER": endpoint.secret[:-1] + "!"}, 401),
        ({**own, "Origin": "http://evil.example"}, 403),
        ({**own, "Sec-Fetch-Site": "cross-site"}, 403),
        ({**own, "X-Forwarded-For": "10.0.0.1"}, 403),
        ({**own, "Forwarded": "for=10.0.0.1"}, 403),
        ({**own, "Via": "1.1 proxy.example"}, 403),
        ({**own, "Host": "rebound.example"}, 400),
    ]:
        found, answer = endpoint.get(headers)
        assert found == status and "token" not in json.dumps(answer).replace("IDENTITY", ""), (headers, answer)
    assert endpoint.get(method="POST")[0] == 405
    assert endpoint.get(path="/")[0] == 404
    assert endpoint.get(path="/msi/token?api-version=2017-09-01&resource=x")[0] == 400


@as_root
def test_another_user_is_refused_even_with_the_secret(endpoint):
    program = (
        "import json,sys,urllib.request as u\n"
        "r=u.Request(sys.argv[1]+'?api-version=2019-08-01&resource=x',headers={'X-IDENTITY-HEADER':sys.stdin.read()})\n"
        "try: u.build_opener(u.ProxyHandler({})).open(r,timeout=60)\n"
        "except u.HTTPError as e: print(e.code, e.read().decode())"
    )

    def ask(**user):
        command = [*PYTHON, program, endpoint.variables["IDENTITY_ENDPOINT"]]
        asking = {"input": endpoint.secret, "capture_output": True, "text": True, "timeout": PATIENCE}
        return subprocess.run(command, **asking, **{**NOBODY, **user}).stdout

    assert ask().startswith("403 ") and "same user" in ask()
    # The same request of the same user fails for another reason: there is no such resource.
    assert ask(user=os.geteuid()).startswith("400 ")


# MARK: Answers


def test_an_answer_has_the_forms_that_every_sdk_reads_and_no_secret_is_in_a_command_line_or_left_behind(endpoint):
    status, answer = endpoint.get()
    assert status == 200 and set(answer) == {"access_token", "expires_on", "resource", "token_type", "client_id"}
    assert answer["expires_on"].isdigit() and int(answer["expires_on"]) > time.time() + 300
    assert answer["resource"] == GRAPH and answer["token_type"] == "Bearer"
    assert endpoint.secret.encode() not in Path(f"/proc/{endpoint.running.process.pid}/cmdline").read_bytes()
    said = b"".join(endpoint.running.lines)
    assert endpoint.secret.encode() not in said and answer["access_token"].encode() not in said


def test_the_azure_developer_cli_is_answered_by_its_own_contract(endpoint):
    body = json.dumps({"scopes": [GRAPH + "/.default"], "tenantId": CONTOSO})
    headers = {"Authorization": "Bearer " + endpoint.variables["AZD_AUTH_KEY"], "Content-Type": "application/json"}
    path = "/token?api-version=2023-07-12-preview"
    status, answer = endpoint.get(headers, method="POST", path=path, body=body)
    assert status == 200 and answer["status"] == "success" and claims(answer["token"])["tid"] == CONTOSO
    assert answer["expiresOn"].endswith("Z") and "." not in answer["expiresOn"]
    headers["Authorization"] = "Bearer wrong"
    status, answer = endpoint.get(headers, method="POST", path=path, body=body)
    assert status == 401 and answer["status"] == "error"


def test_many_at_once_share_one_refresh(endpoint, person, sandbox):
    assert endpoint.get()[0] == 200
    Store(person.store).age()
    before = sandbox.requests("token")
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: endpoint.get(), range(16)))
    assert [status for status, _ in answers] == [200] * 16
    assert sandbox.requests("token") == before + 1


def test_a_refusal_of_the_provider_is_a_4xx_with_what_to_do(endpoint, person, sandbox):
    Store(person.store).age()
    Store(person.store).change("RefreshToken", secret="not-a-refresh-token")
    status, answer = endpoint.get()
    assert status == 400 and answer["statusCode"] == 400 and "foyer sign-in" in answer["message"], answer


# MARK: A Unix socket


def test_at_a_unix_socket_only_its_user_is_answered(ada, tmp_path):
    path = tmp_path / "e.sock"
    endpoint = Endpoint(ada, "--socket", path)
    assert endpoint.variables["socket"] == str(path) and path.stat().st_mode & 0o777 == 0o600

    def ask():
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(path))
        connection.sendall(
            b"GET /msi/token?api-version=2019-08-01&resource=https://graph.microsoft.com HTTP/1.1\r\nHost: x\r\n"
            b"X-IDENTITY-HEADER: " + endpoint.secret.encode() + b"\r\n\r\n"
        )
        return connection.makefile("rb").read()

    assert ask().startswith(b"HTTP/1.1 200 ")
    taken = ada.foyer("endpoint", "--socket", path)
    assert taken.status == 78 and "already" in taken.stderr, taken
    endpoint.running.process.send_signal(signal.SIGTERM)
    assert endpoint.running.end().status == 0 and not path.exists()
    # What a killed one has left is taken over.
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    Endpoint(ada, "--socket", path)
    assert ask().startswith(b"HTTP/1.1 401 ")


# MARK: The command


def connect(variables, said=b""):
    """A connection that says so much, and then nothing."""
    address = urlsplit(variables["IDENTITY_ENDPOINT"])
    connection = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
    connection.sendall(said)
    return connection


@pytest.fixture
def stuck(ada, sandbox):
    """Lets the next answer of an endpoint wait for a provider that is silent, and waits for that."""
    Store(ada.store).age()
    for kept in ada.store.parent.glob("*.providers"):
        kept.unlink()
    sandbox.hold("discovery", times=None)
    asked = sandbox.requests("discovery")
    return lambda: until(lambda: sandbox.requests("discovery") > asked)


def request(variables):
    host = urlsplit(variables["IDENTITY_ENDPOINT"]).netloc
    return (
        f"GET /msi/token?api-version=2019-08-01&resource=x HTTP/1.1\r\nHost: {host}\r\n"
        f"X-IDENTITY-HEADER: {variables['IDENTITY_HEADER']}\r\n\r\n"
    ).encode()


def is_closed(variables):
    """Whether nobody listens there any more."""
    port = f":{urlsplit(variables['IDENTITY_ENDPOINT']).port:04X}"
    sockets = [line.split()[1:4] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return not any(local.endswith(port) and state == "0A" for local, _, state in sockets)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_endpoint_does_not_wait_for_connections_that_ask_nothing(endpoint, number):
    begun = request(endpoint.variables)[:-2]
    waiting = [connect(endpoint.variables), connect(endpoint.variables, begun)]
    assert endpoint.get()[0] == 200
    endpoint.running.process.send_signal(number)
    result = endpoint.running.end()
    assert result.status == 0, result
    assert [connection.recv(1) for connection in waiting] == [b"", b""]


def test_an_answer_that_is_under_way_is_given_when_the_endpoint_ends(endpoint, person, sandbox):
    Store(person.store).age()
    before = sandbox.requests("token:refresh_token")
    sandbox.hold()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        answer = pool.submit(endpoint.get)
        until(lambda: sandbox.requests("token:refresh_token") > before)
        endpoint.running.process.send_signal(signal.SIGINT)
        until(lambda: is_closed(endpoint.variables), what="the end of its listening")
        sandbox.release()
        assert answer.result()[0] == 200
    assert endpoint.running.end().status == 0


@pytest.mark.parametrize("signals, status, least", [(1, 0, 4), (2, -signal.SIGINT, 0)])
def test_an_answer_that_does_not_come_is_waited_for_a_while_or_until_the_next_signal(
    person, stuck, signals, status, least
):
    endpoint = Endpoint(person, "--client", "work", "--timeout", PATIENCE)
    asker = connect(endpoint.variables, request(endpoint.variables))
    stuck()
    started = time.monotonic()
    for _ in range(signals):
        endpoint.running.process.send_signal(signal.SIGINT)
        # Two at the same time may come as one.
        until(lambda: is_closed(endpoint.variables), what="the end of its listening")
    result = endpoint.running.end()
    assert result.status == status and least < time.monotonic() - started, result
    asker.close()


@as_root
def test_another_users_connection_is_not_kept(endpoint):
    address = urlsplit(endpoint.variables["IDENTITY_ENDPOINT"])
    program = "import socket,sys; print(socket.create_connection(('127.0.0.1',int(sys.argv[1])),60).makefile().read())"
    said = completed([*PYTHON, program, str(address.port)], **NOBODY)
    assert said.stdout == "\n" and said.returncode == 0, said


# Keeps 400 connections that ask nothing, and opens another for each that is closed.
IDLE = """
import os, socket, sys, time
os.nice(19)
idle = []
while True:
    try:
        while len(idle) < 400:
            idle.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60))
            idle[-1].setblocking(False)
    except OSError:
        pass
    print(len(idle), flush=True)
    for connection in idle[:]:
        try:
            if connection.recv(1):
                continue
        except BlockingIOError:
            continue
        except OSError:
            pass
        connection.close()
        idle.remove(connection)
    time.sleep(0.05)
"""


@as_root
def test_connections_of_another_user_keep_nobody_waiting(endpoint):
    port = str(urlsplit(endpoint.variables["IDENTITY_ENDPOINT"]).port)
    other = subprocess.Popen([*PYTHON, IDLE, port], stdout=subprocess.PIPE, text=True, **NOBODY)
    try:
        while int(other.stdout.readline()) < 256:
            pass
        # How long an answer takes beside them is measured by `Tests/benchmarks`.
        for _ in range(100):
            assert endpoint.get()[0] == 200
    finally:
        other.kill()
        other.wait()
    assert len(os.listdir(f"/proc/{endpoint.running.process.pid}/fd")) < 320


def test_foyer_run_ends_with_the_command_whoever_has_a_connection_still(person, sandbox):
    person.work_settings(sandbox)
    program = (
        "exec 3<>/dev/tcp/127.0.0.1/$(cut -d/ -f3 <<<$IDENTITY_ENDPOINT | cut -d: -f2) || exit 9;"
        "sleep 1000 >/dev/null 2>&1 & echo $!; sleep 1; exit 5"
    )
    ended = person.foyer("run", "--", "bash", "-c", program)
    # It still has the connection.
    os.kill(int(ended.stdout), signal.SIGKILL)
    assert ended.status == 5, ended


def test_after_the_command_a_signal_ends_foyer_run(person, stuck):
    program = (
        "host=$(cut -d/ -f3 <<<$IDENTITY_ENDPOINT); exec 3<>/dev/tcp/127.0.0.1/${host#*:} || exit 9;"
        "printf 'GET /msi/token?api-version=2019-08-01&resource=x HTTP/1.1\\r\\nHost: %s\\r\\n' $host >&3;"
        r"printf 'X-IDENTITY-HEADER: %s\r\n\r\n' $IDENTITY_HEADER >&3;"
        "read line; sleep 1000 >/dev/null 2>&1 & echo $!; exit 5"
    )
    running = person.start("run", "--client", "work", "--", "bash", "-c", program, stdin=subprocess.PIPE)
    stuck()
    running.send("\n")
    other = int(until(lambda: running.out, what="the end of the command")[0])
    until(lambda: not children(running.process.pid), what="the end of the command")
    running.process.send_signal(signal.SIGTERM)
    result = running.end()
    os.kill(other, signal.SIGKILL)
    assert result.status == -signal.SIGTERM, result


STATUSES = [(["--", "sh", "-c", f"exit {status}"], status) for status in (0, 1, 42)]
STATUSES += [(["--", "sh", "-c", "kill -TERM $$"], -signal.SIGTERM)]
STATUSES += [(["--", "no-such-command"], 127), (["--", "/etc/passwd"], 126), ([], 64)]


@pytest.mark.parametrize("words, status", STATUSES)
def test_the_exit_status_is_the_commands_or_as_in_a_shell(person, sandbox, words, status):
    person.work_settings(sandbox)
    assert person.foyer("run", *words).status == status


def test_the_command_has_the_limit_of_core_files_that_foyer_came_with(person):
    program = f"ulimit -Sc 0; {FOYER} run -- sh -c 'ulimit -Sc; ulimit -Hc'; ulimit -Hc"
    limits = subprocess.run(["/bin/sh", "-c", program], env=person.environment, capture_output=True, text=True)
    assert limits.returncode == 0, limits
    soft, hard, outside = limits.stdout.split()
    assert soft == "0" and hard == outside != "0"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_is_the_commands(person, sandbox, number):
    person.work_settings(sandbox)
    name = signal.Signals(number).name[3:]
    program = f"trap 'echo got; exit 7' {name}; echo ready; while :; do sleep 0.1; done"
    running = person.start("run", "--", "sh", "-c", program)
    until(lambda: running.out, what="the command")
    running.process.send_signal(number)
    result = running.end()
    assert result.status == 7 and result.stdout == "ready\ngot\n", result


def test_ctrl_c_reaches_the_command_once(person, sandbox):
    person.work_settings(sandbox)
    program = (
        "trap 'got=1; echo got' INT; echo ready; until [ $got ]; do sleep 0.1; done;"
        "for i in 1 2; do sleep 0.5; done; echo end; exit 5"
    )
    child = spawn(person, FOYER, "run", "--", "bash", "-c", program)
    child.expect("ready")
    child.sendintr()
    child.expect("end")
    assert child.before.count("got") == 1, child.before
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 5


def test_the_endpoint_ends_with_the_command_and_the_command_gets_what_foyer_got(person, sandbox):
    person.work_settings(sandbox)
    read, write = os.pipe()
    program = f"cat; echo $IDENTITY_ENDPOINT; echo $MSI_SECRET-; cat <&{read}; ls /proc/self/fd"
    os.write(write, b"through a descriptor\n")
    os.close(write)
    ended = subprocess.run(
        [str(FOYER), "run", "--", "bash", "-c", program],
        input=b"typed\n",
        capture_output=True,
        timeout=PATIENCE,
        pass_fds=[read],
        env={**person.environment, "MSI_SECRET": "other"},
    )
    os.close(read)
    lines = ended.stdout.decode().splitlines()
    assert lines[0] == "typed" and lines[2] == "-" and lines[3] == "through a descriptor", ended
    # Standard streams, what was passed, and ls's own.
    assert len(lines[4:]) == 5, lines
    address = urlsplit(lines[1])
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
