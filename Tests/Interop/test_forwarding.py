"""The agent for other hosts: two network namespaces with a real sshd between them, and what each side gets and does
not."""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from agents import Agent, Client
from harness import ADA, FOYER, GRACE, HEDY, LAB, TRY_OUT, Store, assert_no_secret, until
from hosts import ADDRESS, FOYER_THERE, FarHost, why_not
from test_completion import offered
from waiting import PATIENCE

SCOPES = ["User.Read"]
ASK = f"{FOYER_THERE} token --silent --json --client work"
WRITE = "mkdir -p ~/.config/foyer; printf '%s' > ~/.config/foyer/config.toml; "
OPENID = ["openid", "profile", "email", "offline_access"]
# Speaks to the socket as any program of the other host can: each line of standard input is a request.
TALK = (
    "python3 -c 'import os, socket, sys\ns = socket.socket(socket.AF_UNIX)\n"
    's.connect(sys.argv[1] if len(sys.argv) > 1 else os.environ["LC_FOYER_SOCK"])\nf = s.makefile("rb")\n'
    'print(f.readline().decode(), end="")\n'
    'for line in sys.stdin.buffer:\n s.sendall(line)\n print(f.readline().decode(), end="")\' '
)


@pytest.fixture(scope="module")
def there():
    reason = why_not()
    if reason:
        pytest.skip(reason)
    host = FarHost()
    yield host
    host.stop()


@pytest.fixture
def ada(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(ADA)
    person.sign_in(HEDY, "--client", "lab")
    return person


@pytest.fixture
def agent(ada):
    agent = Agent(ada)
    yield agent
    agent.stop()


@pytest.fixture
def far(there, agent, ada):
    """The other host as it is at first: nobody has foyer's files there; one client is forwarded without a question."""
    ada.far = there
    forward(ada)
    yield there
    for path in [*there.sockets(), *there.tmp.glob("*.py")]:
        path.unlink()
    there.plain("ada", "rm -rf ~/.config ~/.local")


def forward(person, **settings):
    """Writes [forward] of the settings at home."""
    settings = {"clients": ["work"], "scopes": SCOPES, "confirm": False, **settings}
    path = person.home / "config" / "foyer" / "config.toml"
    text = path.read_text().split("\n[forward]")[0]
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items() if value is not None)
    path.write_text(text + "\n[forward]\n" + lines)


def start(ada, command, *options, who="ada", **more):
    """`foyer ssh` at home."""
    far = ada.far
    return ada.start("ssh", *far.options(**more), *options, f"{who}@{ADDRESS}", command, program=far.from_home)


def ssh(ada, command, *options, who="ada", **more):
    return start(ada, command, *options, who=who, **more).end()


def talk(ada, *requests, who="ada"):
    """What the agent says to these, first its greeting."""
    lines = "".join((r if isinstance(r, str) else json.dumps(r)) + "\\n" for r in requests).replace("'", "")
    result = ssh(ada, f"printf '{lines}' | {TALK}", who=who)
    assert result.status == 0, result
    return [json.loads(line) for line in result.stdout.splitlines()]


def is_dead(path):
    """Whether nobody listens at a socket any more."""
    with socket.socket(socket.AF_UNIX) as file:
        try:
            file.connect(str(path))
        except ConnectionRefusedError:
            return True
    return False


def question(ada):
    """What waits for the person; the agent is started by `foyer ssh`."""

    def look():
        result = ada.foyer("agent", "requests", "--json")
        return result.status == 0 and result.json["requests"]

    return until(look, what="a question")[0]


def decide(ada, answer, *options):
    """Answers the question that waits, and returns it."""
    asked = question(ada)
    assert ada.foyer("agent", "requests", answer, asked["id"], *options).status == 0
    return asked


def connected(ada, command="sleep 300"):
    """A connection that stays, and its socket there."""
    running = start(ada, command)
    return running, until(ada.far.sockets, what="the socket")[0]


# What is served


def test_nothing_is_served_unless_the_settings_at_home_name_it(far, ada, sandbox):
    ada.work_settings(sandbox)
    result = ssh(ada, ASK)
    assert result.status == 78 and result.stdout == "", result
    assert "nothing is forwarded yet" in result.stderr and "[forward]" in result.stderr, result


def test_a_token_of_home_is_printed_there_and_nothing_stays_there(far, agent, ada, sandbox):
    result = ssh(ada, f"{ASK}; find ~ /tmp -user ada -newer /etc/ssh/sshd_config -type f")
    assert result.status == 0, result
    token = result.json
    assert token["accessToken"] in Store(ada.store).secrets() and token["forwarded"] is True
    assert token["source"] == "cache" and token["account"]["username"] == ADA and token["clientId"] == TRY_OUT
    assert token["idTokenClaims"] == {}
    others = {e["secret"] for name in ("RefreshToken", "IdToken") for e in Store(ada.store).section(name).values()}
    assert not any(secret in result.stdout for secret in others)
    alone = ssh(ada, f"{FOYER_THERE} token --silent --client work; ls -A ~")
    assert alone.stdout.splitlines() == [token["accessToken"], ".ssh"]
    assert [asker["forwarded"] for asker in agent.status["askers"]] == [f"ssh ada@{ADDRESS}"] * 2


def test_a_refresh_is_made_at_home_and_stored_there(far, agent, ada, sandbox):
    # Where the provider can be reached, which ssh's network is not.
    agent.start()
    Store(ada.store).age()
    asked = sandbox.requests("token:refresh_token")
    result = ssh(ada, ASK)
    assert result.status == 0, result
    assert result.json["source"] == "refresh" and sandbox.requests("token:refresh_token") == asked + 1
    assert result.json["accessToken"] in Store(ada.store).secrets()


def test_a_client_of_there_is_meant_by_its_identifier(far, ada, sandbox):
    def with_authority(authority):
        text = f'[clients.mine]\\nclient_id = "{TRY_OUT}"\\nauthority = "{authority}"\\nscopes = ["User.Read"]\\n'
        return ssh(ada, WRITE % text + f"{FOYER_THERE} token --silent")

    result = with_authority(sandbox.authority())
    assert result.status == 0 and result.stdout.strip() in Store(ada.store).secrets(), result
    elsewhere = with_authority(sandbox.authority("common"))
    assert elsewhere.status == 78 and "authority differs" in elsewhere.stderr, elsewhere


def test_a_person_is_asked_and_told_who_it_is_for(far, agent, ada):
    forward(ada, confirm=None)
    running = start(ada, f"{ASK}; true")
    asked = decide(ada, "allow")
    assert f"ada@{ADDRESS}, forwarded by ssh" in asked["asker"] and "bash there" in asked["asker"], asked
    assert (asked["client"], asked["account"], asked["scopes"]) == ("work", ADA, "User.Read")
    result = running.end()
    assert result.status == 0 and result.json["accessToken"] in Store(ada.store).secrets(), result
    assert "waiting for permission on your machine" in result.stderr


def test_an_answer_for_the_session_holds_for_the_host_and_the_account(far, agent, ada):
    forward(ada, clients=["work", "lab"], scopes=[*SCOPES, *OPENID], confirm=None)
    running = start(ada, ASK)
    decide(ada, "allow", "--session")
    assert running.end().status == 0
    assert ssh(ada, ASK).status == 0
    other = start(ada, ASK, who="root")
    assert f"root@{ADDRESS}" in question(ada)["asker"]
    other.kill()


def test_a_refusal_is_the_end_and_the_same_is_not_asked_again_at_once(far, agent, ada):
    forward(ada, confirm=None)
    running = start(ada, f"{ASK}; echo $?; {ASK}; echo $?")
    decide(ada, "refuse")
    result = running.end()
    assert result.stdout.split() == ["130", "130"] and result.stderr.count("refused on your machine") == 2, result


def test_only_what_is_named_is_served_whatever_is_asked(far, ada):
    forward(ada, accounts=[ADA])
    cases = [
        ({"client": "lab"}, "configuration", "not forwarded"),
        ({"client": "nobody"}, "configuration", "not forwarded"),
        ({"clientId": LAB}, "configuration", "not forwarded"),
        ({"scopes": ["Mail.Read"]}, "configuration", "Mail.Read"),
        ({"scopes": ["https://graph.microsoft.com/.default"]}, "configuration", "not forwarded"),
        ({"account": GRACE}, "notFound", "no forwarded account"),
        ({"account": "ada"}, None, ""),
        ({"tenant": "contoso.example"}, "configuration", "tenant"),
        ({"authority": "https://login.microsoftonline.com/organizations"}, "configuration", "authority"),
        ({"forceRefresh": True}, "usage", "force"),
        ({"store": "file:/nowhere", "config": "/nowhere"}, None, ""),
        ({"environment": {"FOYER_STORE": "file:/nowhere"}, "folder": "/", "storeFolder": "1:1"}, None, ""),
        ({"verbose": True}, "usage", "unknown or invalid member"),
    ]
    hello, *answers = talk(ada, *[{"op": "token", "client": "work", **more} for more, _, _ in cases])
    assert hello["foyer"] == 1
    for (more, code, word), answer in zip(cases, answers, strict=True):
        if code is None:
            assert answer["accessToken"] in Store(ada.store).secrets(), (more, answer)
            continue
        assert answer["error"]["code"] == code and word in answer["error"]["message"], (more, answer)
        assert str(ada.home) not in str(answer) and HEDY not in str(answer)


def test_a_token_that_is_good_for_more_stays_at_home(far, ada):
    assert ada.sign_in(ADA, "--scope", "User.Read Mail.Read")
    _, answer = talk(ada, {"op": "token", "client": "work"})
    assert answer["error"]["code"] == "configuration" and "would grant more" in answer["error"]["message"], answer
    assert_no_secret(ada.store, ssh(ada, ASK))


# What whoever is root there can do


def test_root_of_there_gets_what_is_forwarded_while_it_is_and_no_more(far, agent, ada):
    running, path = connected(ada)
    until(lambda: agent.status is not None)
    requests = [{"op": "token", "client": "work"}, {"op": "status"}, {"op": "requests"}, {"op": "stop"}]

    def asking(who, requests):
        return far.plain(who, "".join(f"echo '{json.dumps(r)}' | {TALK} /tmp/{path.name}; " for r in requests))

    said = asking("root", requests).stdout.splitlines()
    answers = [json.loads(line) for line in said if '"foyer"' not in line]
    assert answers[0]["accessToken"] in Store(ada.store).secrets(), "root can use the person's socket"
    for answer in answers[1:]:
        assert answer["error"]["code"] == "usage" and "only request tokens" in answer["error"]["message"], answer
    for request in ({"op": "lock"}, {"op": "unlock"}, {"op": "answer", "id": "1", "answer": "always"}):
        assert talk(ada, request)[1]["error"]["code"] == "usage"
    assert agent.status["running"] and not agent.status["locked"]
    # Another person of that host gets nothing.
    denied = asking("eve", requests[:1])
    assert denied.returncode != 0 and "PermissionError" in denied.stderr, denied
    eve = far.plain("eve", f"LC_FOYER_SOCK=/tmp/{path.name} {ASK}")
    assert eve.returncode == 78 and "unknown client" in eve.stderr, eve
    assert path.exists(), "nobody but its owner takes it away"
    running.kill()
    until(lambda: not agent.status["forwardings"], what="the end of the forwarding")
    gone = asking("root", requests[:1])
    assert gone.returncode != 0 and "accessToken" not in gone.stdout


def test_an_ssh_at_the_main_socket_and_a_mount_get_no_more(far, agent, ada):
    agent.start()
    wrong = "/tmp/.ssh-foyer-wrong.sock"
    for request, key in (
        ({"op": "status"}, "error"),
        ({"op": "stop"}, "error"),
        (agent.request(client="lab"), "error"),
        (agent.request(client="work"), "accessToken"),
    ):
        talk_wrong = f"echo '{json.dumps(request)}' | {TALK} {wrong}; rm {wrong}"
        said = far.plain("ada", talk_wrong, "-R", f"{wrong}:{agent.path}")
        assert key in json.loads(said.stdout.splitlines()[1]), said
    assert agent.status["running"]
    other = agent.path.with_name("forward.sock")
    client = Client(other)
    assert client.ask({"op": "status"})["error"]["code"] == "usage"
    assert client.ask({"op": "token", "client": "lab"})["error"]["code"] == "configuration"
    assert client.ask({"op": "token", "client": "work"})["account"]["username"] == ADA
    assert other.stat().st_mode & 0o777 == 0o600


# Lost connections


def test_a_dead_socket_is_passed_over_and_taken_away(far, agent, ada):
    running, dead = connected(ada)
    running.kill()
    until(lambda: is_dead(dead), what="the end of sshd's side")
    assert dead.exists(), "sshd leaves it behind"
    alone = far.plain("ada", f"LC_FOYER_SOCK=/tmp/{dead.name} {ASK}")
    assert alone.returncode == 78 and "unknown client" in alone.stderr, alone
    assert dead.exists(), "a new one is not judged"
    os.utime(dead, (time.time() - 60,) * 2)
    # A shell that outlived its connection has the old name in its environment.
    again = ssh(ada, f"LC_FOYER_SOCK=/tmp/{dead.name} {ASK}")
    assert again.status == 0 and again.json["forwarded"], again
    assert not dead.exists()


def test_sockets_of_connections_that_have_ended_are_taken_away_beside_a_live_one(far, agent, ada):
    for _ in range(3):
        assert ssh(ada, "true").status == 0
    dead = far.sockets()
    assert len(dead) == 3 and all(map(is_dead, dead))
    for path in dead[:2]:
        os.utime(path, (time.time() - 60,) * 2)
    again = ssh(ada, ASK)
    assert again.status == 0 and again.json["forwarded"], again
    # A new one may be of an sshd that does not listen yet; the last is that of the connection itself.
    left = set(far.sockets())
    assert not left & set(dead[:2]) and dead[2] in left and len(left) == 2


def test_a_connection_is_made_again_while_the_old_one_hangs(far, agent, ada):
    running, old = connected(ada)
    os.kill(running.process.pid, signal.SIGSTOP)
    try:
        again = ssh(ada, f"LC_FOYER_SOCK=/tmp/{old.name} {ASK}")
        assert again.status == 0 and again.json["forwarded"], again
        assert old.exists(), "somebody listens there"
    finally:
        os.kill(running.process.pid, signal.SIGCONT)


def test_what_the_other_host_forbids_is_said_and_ends_the_session_where_that_is_wanted(far, ada):
    far.serve(AllowStreamLocalForwarding="no")
    try:
        result = ssh(ada, f"{ASK}; true", log_level="INFO")
        assert result.status == 0 and "remote port forwarding failed" in result.stderr, result
        assert "unknown client" in result.stderr, result
        strict = ssh(ada, "true", "-o", "ExitOnForwardFailure=yes")
        assert strict.status == 255, strict
    finally:
        far.serve()


def test_the_lines_for_ssh_config_do_the_same(far, agent, ada):
    agent.start()
    printed = ada.foyer("ssh", "--print-config", ADDRESS)
    assert printed.status == 0 and printed.stdout.startswith(f"Host {ADDRESS}\n"), printed
    config = Path(ada.scratch, "ssh_config")
    config.write_text(printed.stdout)
    plain = [*far.from_home, "ssh", "-n", "-F", str(config), *far.options(log_level="INFO")[2:], f"ada@{ADDRESS}"]
    first = subprocess.Popen([*plain, "sleep 300"])
    try:
        until(far.sockets, what="the socket")
        # The name is taken: ssh warns, and the first connection serves both.
        second = subprocess.run([*plain, ASK], capture_output=True, text=True, timeout=PATIENCE)
        assert second.returncode == 0 and json.loads(second.stdout)["forwarded"], second
        assert "remote port forwarding failed" in second.stderr
        strict = subprocess.run([*plain, "-o", "ExitOnForwardFailure=yes", "true"], timeout=PATIENCE)
        assert strict.returncode == 255
    finally:
        first.kill()
        first.wait()


# The command


def test_ssh_is_run_as_it_would_be_without_foyer(far, agent, ada):
    forward(ada, confirm=None)
    assert ssh(ada, "exit 7").status == 7
    odd = ssh(ada, "printf '%s|' \"$LC_FOYER_SOCK\" 'a b' '$HOME;`id`'")
    assert odd.stdout.split("|")[1:3] == ["a b", "$HOME;`id`"] and odd.stdout.startswith("/tmp/.ssh-foyer-"), odd
    names = {ssh(ada, "echo $LC_FOYER_SOCK").stdout for _ in range(3)}
    assert len(names) == 3 and all(len(name.strip()) == len("/tmp/.ssh-foyer-.sock") + 32 for name in names), names
    assert agent.status["pid"], "the agent was started"
    set_there = ssh(ada, "echo $LC_MINE", "-o", "SetEnv=LC_MINE=yes")
    assert set_there.stdout == "yes\n", "a SetEnv of the person's own holds"


def test_ssh_without_a_host_is_wrong_usage(ada):
    for arguments in (["ssh"], ["ssh", "--print-config"], ["ssh", "--print-config", "-oX"]):
        assert ada.foyer(*arguments).status == 64, arguments
    assert "foyer ssh" in ada.foyer("ssh", "--help").stdout


# Who is forwarded, and its end


def test_who_is_forwarded_is_listed_and_ended(far, agent, ada):
    running, path = connected(ada, f"{FOYER_THERE} token --silent --client work; sleep 300")
    way = until(lambda: [w for w in (agent.status or {}).get("forwardings", []) if w["tokens"]], what="a use")[0]
    assert way["words"].startswith(f"ada@{ADDRESS}, forwarded by ssh") and way["program"] == "bash", way
    listed = ada.foyer("agent", "forwarded")
    assert f"{way['id']}  ada@{ADDRESS}" in listed.stdout and "1 token  last request: bash" in listed.stdout, listed
    assert way["words"] in ada.foyer("agent", "status").stdout
    words = ("agent", "forwarded", "end")
    assert until(lambda: offered(ada, *words, "", command=list(words), argument="positional@0")) == [way["id"]]
    assert ada.foyer(*words, "1").status == 8
    ended = ada.foyer(*words, way["id"])
    assert (ended.status, ended.stdout) == (0, "ended\n"), ended
    again = far.plain("ada", f"LC_FOYER_SOCK=/tmp/{path.name} {ASK}")
    assert again.returncode == 78 and "unknown client" in again.stderr, again
    assert agent.status["forwardings"][0]["ended"] and running.process.poll() is None
    assert ssh(ada, ASK).status == 0, "a new one is served"
    running.kill()


def test_a_question_ends_with_the_connection(far, agent, ada):
    forward(ada, confirm=None)
    running = start(ada, ASK)
    question(ada)
    way = agent.status["forwardings"][0]
    assert ada.foyer("agent", "forwarded", "end", way["id"]).status == 0
    until(lambda: not ada.foyer("agent", "requests", "--json").json["requests"], what="the end of the question")
    assert running.end().status != 0


# Proofs


def test_a_proof_is_made_at_home_and_its_key_stays(far, agent, ada, sandbox):
    ada.work_settings(sandbox, proof_of_possession=True)
    assert ada.sign_in(HEDY, "--client", "lab")
    forward(ada, clients=["lab"], scopes=OPENID)
    agent.start()
    request = "GET:https://api.example.org/things"
    ask = f"{FOYER_THERE} token --silent --pop {request} --client"
    result = ssh(ada, f"{ask} lab")
    fields = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    assert result.status == 0 and set(fields) == {"Authorization", "DPoP"}, result
    header, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in fields["DPoP"].split(".")[:2])
    assert claims["htm"] == "GET" and claims["htu"] == "https://api.example.org/things" and "d" not in header["jwk"]
    answer = ssh(ada, f"{ask} lab --json").json
    assert answer["proof"]["dpop"] != fields["DPoP"], "each request has a proof of its own"
    refused = ssh(ada, f"{ask} work")
    assert refused.status == 78 and "not forwarded" in refused.stderr, refused


# A sign-in that is asked for there


def asked_there(ada, agent, **environment):
    """Nobody is signed in, and as at a terminal there somebody may be asked; the agent has no desktop, the ssh may have
    one."""
    forward(ada, accounts=[ADA])
    assert ada.foyer("remove", ADA).status == 0
    agent.start()
    ada.environment |= environment
    return start(ada, f"{FOYER_THERE} token --json --client work --via browser")


def test_a_sign_in_that_is_asked_for_there_is_made_at_home(far, agent, ada):
    running = asked_there(ada, agent, BROWSER="curl -sL -o /dev/null %s")
    asked = decide(ada, "allow")
    assert "requesting a sign-in here" in asked["asker"] and asked["account"] == ADA, asked
    result = running.end()
    assert result.status == 0 and result.json["account"]["username"] == ADA, (result, agent.log)
    assert result.json["forwarded"] and result.json["accessToken"] in Store(ada.store).secrets()
    assert "waiting for the sign-in on your machine" in result.stderr


def test_without_a_browser_it_is_waited_for(far, agent, ada):
    running = asked_there(ada, agent)
    decide(ada, "allow")
    running.wait_line(lambda line: "cannot open a browser on your machine" in line)
    ada.sign_in(ADA)
    assert running.end().json["account"]["username"] == ADA


def test_a_sign_in_that_is_refused_is_not_opened(far, agent, ada):
    running = asked_there(ada, agent, BROWSER=f"touch {ada.scratch}/opened %s")
    decide(ada, "refuse")
    result = running.end()
    assert result.status == 130 and "refused on your machine" in result.stderr, result
    assert not (ada.scratch / "opened").exists()
    silent = ssh(ada, ASK)
    assert silent.status == 8 and not ada.foyer("agent", "requests", "--json").json["requests"], silent


# Containers


def test_a_container_is_told_by_its_control_group(far, agent, ada):
    """A process in namespaces of its own, with a control group as container engines name theirs, and the mounted
    socket."""
    name = "ab" * 32
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    places = [place for _, place, kind, *_ in mounts if kind in ("cgroup2", "cgroup") and os.access(place, os.W_OK)]
    try:
        group = Path(*places[:1], f"docker-{name}.scope")
        if not places:
            raise OSError("no control groups are mounted")
        group.mkdir()
    except OSError as error:
        pytest.skip(f"control groups cannot be made here: {error}")
    try:
        forward(ada, confirm=None)
        agent.start()
        inside = Path(ada.scratch, "forward.sock")
        inside.touch()
        script = (
            f"echo $$ > {group}/cgroup.procs && mount --bind {agent.path.with_name('forward.sock')} {inside} && "
            f"rm -rf {ada.scratch}/home && mkdir {ada.scratch}/home && "
            f'exec unshare --pid --fork --mount-proc env HOME={ada.scratch}/home FOYER_SOCK={inside} "$@"'
        )
        running = subprocess.Popen(
            ["unshare", "-m", "sh", "-ec", script, "sh", str(FOYER), "token", "--silent", "--client", "work"],
            env={k: v for k, v in ada.environment.items() if not k.startswith("XDG_")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        asked = decide(ada, "allow")
        assert f"container {name[:12]}" in asked["asker"] and asked["program"] == f"container {name[:12]}", asked
        out, said = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0 and out.strip() in Store(ada.store).secrets(), (out, said)
    finally:
        until(lambda: not (group / "cgroup.procs").read_text(), what="an empty control group")
        group.rmdir()


def test_helpers_of_there_ask_home_too(far, agent, ada):
    graph = "https://graph.microsoft.com"
    forward(ada, clients=["work", "cli"], scopes=[*SCOPES, graph + "/.default"])
    ada.sign_in(ADA, "--client", "cli", "--scope", graph + "/.default")
    az = ssh(ada, f"{FOYER_THERE} helper az account get-access-token --resource {graph} --query accessToken -o tsv")
    assert az.status == 0 and az.stdout.strip() in Store(ada.store).secrets(), az
    rule = (
        f'[clients.mine]\\nclient_id = "{TRY_OUT}"\\n[[rules]]\\nhost = "git.example.org"\\nclient = "mine"\\n'
        'scopes = ["User.Read"]\\n[[rules]]\\nprogram = "az"\\naccount = "nobody"\\n'
    )
    ask = f"printf 'protocol=https\\nhost=%s\\n\\n' | {FOYER_THERE} helper git get"
    git = ssh(ada, WRITE % rule + ask.replace("%s", "git.example.org"))
    token = next((line[9:] for line in git.stdout.splitlines() if line.startswith("password=")), "")
    assert git.status == 0 and token in Store(ada.store).secrets(), git
    # A host that nobody named there, and an account that is not forwarded, get nothing from home either.
    stranger = ssh(ada, WRITE % rule + ask.replace("%s", "stranger.example"))
    assert "password" not in stranger.stdout, stranger
    nobody = ssh(ada, WRITE % rule + f"{FOYER_THERE} helper az account get-access-token --resource {graph}")
    assert nobody.status != 0 and "accessToken" not in nobody.stdout, nobody


# How often


@pytest.fixture
def beside(agent, ada):
    """The socket for other hosts, reached by a program of this machine, as of a container."""
    forward(ada)
    agent.start()
    return agent.path.with_name("forward.sock")


def claims(number):
    return json.dumps({"access_token": {"nbf": {"essential": True, "value": str(number)}}})


def asked(path, **members):
    client = Client(path)
    try:
        return client.ask({"op": "token", "client": "work", **members})
    finally:
        client.close()


def test_claims_of_another_host_refresh_an_account_a_few_times_and_then_have_to_wait(beside, ada, sandbox):
    before = sandbox.requests("token:refresh_token")
    answers = [asked(beside, claims=claims(number)) for number in range(20)]
    given = [answer for answer in answers if "error" not in answer]
    assert sandbox.requests("token:refresh_token") == before + len(given) and 0 < len(given) < 10, answers
    refused = answers[len(given)]["error"]
    assert refused["code"] == "unavailable" and re.search(r"try again in \d+ s$", refused["message"]), refused
    # The same claims have the token that they brought, as long as it is the account's; other requests are as ever.
    for _ in range(3):
        again = asked(beside, claims=claims(len(given) - 1))
        assert again["accessToken"] == given[-1]["accessToken"] and again["source"] == "cache", again
    assert asked(beside)["accessToken"] == given[-1]["accessToken"]
    assert asked(beside, claims=claims(0))["error"]["code"] == "unavailable", "its token was replaced"
    assert sandbox.requests("token:refresh_token") == before + len(given)
    # This machine's own programs have no such limit.
    assert ada.foyer("token", "--silent", "--client", "work", "--claims", claims(99)).status == 0
    assert sandbox.requests("token:refresh_token") == before + len(given) + 1


def test_the_same_claims_at_the_same_time_are_one_refresh(beside, sandbox):
    before = sandbox.requests("token:refresh_token")
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda number: asked(beside, claims=claims(1), timeout=30_000 + number), range(20)))
    assert len({answer.get("accessToken") for answer in answers}) == 1, answers
    assert sandbox.requests("token:refresh_token") == before + 1
