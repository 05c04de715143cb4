"""The agent: started and stopped, asked by `foyer token`, missing, dead, hung, of another version and of another
user."""

import errno
import json
import os
import re
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from agents import Agent, Client, has_ended, wait_end
from faults import rule
from harness import ADA, FOYER, HEDY, TRY_OUT, WHOLE_PROGRAM, Store, assert_no_secret, has_open, until
from waiting import PATIENCE, attempt, linger

TOKEN = ("token", "--silent", "--json")
LAB_TOKEN = (*TOKEN, "--client", "lab")
with_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")


@pytest.fixture
def ada(ada):
    Store(ada.store).age()
    return ada


@pytest.fixture
def agent(ada):
    with Agent(ada) as agent:
        yield agent


def refreshes(sandbox):
    return sandbox.requests("token:refresh_token")


def held_refresh(agent, ada, sandbox, callers=1):
    """Starts the agent and callers, whose one refresh is at the provider until it is released; the agent's pid, and
    they."""
    sandbox.hold()
    pid = agent.start()
    # By the agent, whoever of them asks it.
    agent.asker = agent.refresh(timeout=1000 * PATIENCE)
    until(lambda: refreshes(sandbox) == 1)
    return pid, *(ada.start(*TOKEN, "--timeout", PATIENCE) for _ in range(callers))


# Life


def test_it_starts_once_serves_and_stops_and_a_hit_asks_nobody(agent, ada):
    pid = agent.start()
    assert agent.start() == pid
    result = agent.answers(*TOKEN, prepare=Store(ada.store).age)
    assert result.status == 0 and result.json["source"] == "refresh", result
    assert ada.foyer(*TOKEN).json["source"] == "cache"
    status = agent.status
    assert status["running"] and status["served"] == {"tokens": 1, "refreshed": 1, "failures": 0}, status
    assert status["askers"][0]["account"] == ADA and status["askers"][0]["client"] == "work"
    assert "foyer" in status["askers"][0]["program"]
    text = ada.foyer("agent", "status")
    assert f"running, pid {pid}" in text.stdout and "1 token, 1 of them refreshed" in text.stdout, text
    assert_no_secret(ada.store, text)
    assert result.json["accessToken"] not in agent.log and "token for work (refresh)" in agent.log
    stopped = ada.foyer("agent", "stop")
    assert (stopped.status, stopped.stdout) == (0, "agent stopped\n"), stopped
    assert has_ended(pid) and not agent.path.exists()
    none, asked = ada.foyer("agent", "status"), ada.foyer("agent", "status", "--json")
    assert none.status == 8 and "foyer agent start" in none.stderr, none
    assert asked.status == 8 and asked.json == {"running": False, "socket": str(agent.path)}
    assert ada.foyer("agent", "stop").status == 0


def test_it_is_detached_and_its_socket_is_its_owners(agent):
    pid = agent.start()
    session, terminal = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[3:5]
    assert int(session) == pid and terminal == "0"
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert os.stat(agent.path).st_mode & 0o777 == 0o600 and os.stat(agent.path.parent).st_mode & 0o777 == 0o700
    assert {os.readlink(f"/proc/{pid}/fd/{n}") for n in "01"} == {"/dev/null"}


def test_it_leaves_no_core_file(agent):
    process = agent.serve()
    until(agent.path.exists)
    resource.prlimit(process.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    os.kill(process.pid, signal.SIGABRT)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = -signal.SIGABRT
    assert os.WTERMSIG(status) == signal.SIGABRT and not os.WCOREDUMP(status)


def test_the_settings_can_have_it_started_by_need(agent, ada):
    assert ada.foyer(*TOKEN).json["source"] == "refresh" and not agent.path.exists()
    with open(ada.home / "config/foyer/config.toml", "a") as settings:
        settings.write("\n[agent]\nstart = true\n")
    assert ada.foyer(*TOKEN).json["source"] == "cache" and not agent.path.exists()
    assert ada.foyer(*TOKEN, "--force-refresh").json["source"] == "refresh"
    until(agent.path.exists)
    pid = until(lambda: agent.status)["pid"]
    assert agent.answers(*TOKEN, "--force-refresh").json["source"] == "refresh"
    assert agent.status["pid"] == pid and agent.status["served"]["tokens"] == 1


def test_of_two_that_start_at_once_one_stays(agent, ada):
    starting = [ada.start("agent", "start", "--json") for _ in range(4)]
    (pid,) = {running.end().json["agent"]["pid"] for running in starting}
    assert agent.status["pid"] == pid


def test_a_killed_one_leaves_a_socket_that_the_next_one_replaces(agent, ada):
    pid = agent.start()
    os.kill(pid, signal.SIGKILL)
    wait_end(pid)
    assert agent.path.exists()
    assert ada.foyer(*TOKEN).status == 0
    again = agent.start()
    assert again != pid and agent.status["pid"] == again


@pytest.mark.parametrize("wrong", ["a link", "others may enter", "others may write", "another file"])
def test_no_other_place_is_taken_for_its_own(agent, ada, tmp_path, wrong):
    folder = agent.path.parent
    if wrong == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    elif wrong.startswith("others"):
        folder.mkdir()
        folder.chmod(0o755 if wrong == "others may enter" else 0o777)
    else:
        folder.mkdir(mode=0o700)
        agent.path.write_text("mine")
    result = ada.foyer("agent", "start")
    if wrong == "others may enter":
        assert result.status == 0 and folder.stat().st_mode & 0o777 == 0o700
    else:
        assert result.status == 78 and (wrong != "another file" or agent.path.read_text() == "mine"), result
    assert ada.foyer(*TOKEN).status == 0


def test_it_ends_when_its_folder_is_gone(agent, ada):
    pid = agent.start()
    agent.path.unlink()
    agent.path.parent.rename(agent.runtime / "gone")
    assert ada.foyer(*TOKEN).status == 0
    wait_end(pid)
    assert "was removed" in agent.log


def test_without_a_runtime_folder_it_is_at_home(agent, ada):
    ada.environment |= {f"XDG_{n}": str(agent.runtime / n) for n in ("RUNTIME_DIR", "STATE_HOME")}
    pid = agent.start()
    try:
        socket_path = agent.status["socket"]
        assert socket_path.startswith(str(agent.runtime / "STATE_HOME/foyer/agent-")) and socket_path.endswith(".sock")
        assert agent.answers(*TOKEN, prepare=Store(ada.store).age).json["source"] == "refresh"
        assert agent.status["served"]["tokens"] == 1
    finally:
        os.kill(pid, signal.SIGKILL)


# Refreshes


def test_a_hundred_callers_make_one_refresh(agent, ada, sandbox):
    _, *running = held_refresh(agent, ada, sandbox, 100)
    # On a busy machine some do not wait for the agent, but for the refresh all the same.
    attempt(lambda: agent.status["connections"] > 100, 5)
    sandbox.release()
    results = [each.end() for each in running]
    assert [result for result in results if result.status] == []
    assert len({result.json["accessToken"] for result in results}) == refreshes(sandbox) == 1


def test_accounts_do_not_wait_for_each_other(agent, ada, sandbox):
    ada.sign_in(HEDY, "--client", "lab")
    agent.start()
    assert ada.foyer(*TOKEN).status == 0
    client, other = agent.client(), agent.client()
    sandbox.hold()
    before = refreshes(sandbox)
    other.send(agent.request(client="lab", forceRefresh=True))
    until(lambda: refreshes(sandbox) == before + 1)
    for _ in range(20):
        assert client.ask(agent.request(account=ADA))["source"] == "cache"
    assert other.line() == {"event": "waiting"}
    sandbox.release()
    assert other.answer()["source"] == "refresh"


def test_a_refusal_is_told_as_without_an_agent(agent, ada, sandbox):
    told = []
    for command in ("start", "stop"):
        assert ada.foyer("agent", command).status == 0
        ada.sign_in(ADA)
        Store(ada.store).age()
        sandbox.control("revoke", {"username": ADA})
        result = ada.foyer("token", "--silent")
        assert result.status == 3, result
        told.append(re.sub("correlation id .*", "", result.stderr))
    assert told[0] == told[1] and "AADSTS50173" in told[0] and "foyer sign-in" in told[0]


@pytest.mark.parametrize("arguments, status", [(["--account", "nobody"], 8), (["--client", "nobody"], 78)])
def test_what_is_wrong_with_a_request_is_told_as_without_an_agent(agent, ada, arguments, status):
    alone = ada.foyer(*TOKEN, *arguments)
    agent.start()
    result = ada.foyer(*TOKEN, *arguments)
    assert result.status == alone.status == status and result.error == alone.error


def test_who_hangs_up_loses_no_refresh(agent, ada, sandbox):
    before = Store(ada.store).section("RefreshToken")
    sandbox.hold()
    agent.start()
    asker = agent.refresh()
    until(lambda: refreshes(sandbox) == 1)
    asker.close()
    sandbox.release()
    until(lambda: Store(ada.store).section("RefreshToken") != before, what="the new refresh token")
    assert ada.foyer(*TOKEN).json["source"] == "cache"
    assert refreshes(sandbox) == 1


def test_a_killed_agent_costs_its_callers_no_token(agent, ada, sandbox):
    pid, *running = held_refresh(agent, ada, sandbox, 5)
    os.kill(pid, signal.SIGKILL)
    results = [each.end() for each in running]
    assert [result.status for result in results] == [0] * 5, results
    assert refreshes(sandbox) == 2


def test_an_agent_that_is_suspended_in_the_middle_loses_nothing(agent, ada, sandbox):
    before = Store(ada.store).section("RefreshToken")
    pid, running = held_refresh(agent, ada, sandbox)
    os.kill(pid, signal.SIGSTOP)
    # A caller goes on alone, and waits at the store's lock, which the agent has, as for any other process.
    until(lambda: has_open(running.process.pid, ".refresh"), what="the end of its patience")
    sandbox.release()
    linger(0.5)
    assert running.process.poll() is None and refreshes(sandbox) == 1
    os.kill(pid, signal.SIGCONT)
    result = running.end()
    assert result.status == 0 and refreshes(sandbox) == 1, result
    assert Store(ada.store).section("RefreshToken") != before
    assert result.json["accessToken"] in Store(ada.store).secrets()


def test_a_caller_that_is_suspended_holds_nobody_up(agent, ada, sandbox):
    _, suspended, *others = held_refresh(agent, ada, sandbox, 3)
    suspended.process.send_signal(signal.SIGSTOP)
    sandbox.release()
    assert [each.end().status for each in others] == [0, 0]
    assert agent.status["running"]
    suspended.process.send_signal(signal.SIGCONT)
    assert suspended.end().status == 0
    assert refreshes(sandbox) == 1


def listening(agent, backlog):
    """A socket at the agent's place."""
    agent.path.parent.mkdir(mode=0o700)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(agent.path))
    server.listen(backlog)
    return server


def test_a_full_backlog_holds_nobody_up(agent, ada):
    """Somebody listens and never accepts."""
    _server = listening(agent, 0)
    full = []
    for _ in range(5):
        full.append(socket.socket(socket.AF_UNIX))
        full[-1].setblocking(False)
        try:
            full[-1].connect(str(agent.path))
        except BlockingIOError:
            break
    assert ada.foyer(*TOKEN).json["source"] == "refresh"


def test_a_stop_waits_for_the_answer(agent, ada, sandbox):
    _, running = held_refresh(agent, ada, sandbox)
    stop = ada.start("agent", "stop")
    linger(1)
    assert stop.process.poll() is running.process.poll() is None
    sandbox.release()
    assert stop.end().status == 0
    result = running.end()
    assert result.status == 0 and result.json["source"] == "refresh", result
    assert refreshes(sandbox) == 1


# No agent to be had: what that costs is measured by `Tests/benchmarks`.


def refresh_alone(ada):
    result = ada.foyer(*TOKEN, "--force-refresh")
    assert result.status == 0 and result.json["source"] == "refresh" and result.stderr == "", result


class Impostor:
    """Listens at the agent's place and says one line, or nothing."""

    def __init__(self, agent, line=b""):
        self.server = listening(agent, 64)
        self.line, self.open = line, []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.open.append(connection)
            connection.sendall(self.line)


SAID = {
    "nothing": b"",
    "no JSON": b"SSH-2.0-OpenSSH_9.2\r\n",
    "another version": b'{"foyer":1,"version":"99.0.0"}\n',
    "another protocol": b'{"foyer":2,"version":"0.1.0"}\n',
    "a line without end": b"x" * 100_000,
}


@pytest.mark.parametrize("said", SAID)
def test_what_is_no_agent_is_asked_once_and_holds_nobody_up(agent, ada, said):
    impostor = Impostor(agent, SAID[said])
    for count in range(1, 6):
        refresh_alone(ada)
        until(lambda: len(impostor.open) >= count, what="its being asked")
        assert len(impostor.open) == count
    impostor.server.close()


LISTENER = """
import socket, sys, time
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(64)
time.sleep(600)
"""


def test_an_agent_that_hangs_holds_nobody_up(agent, ada, tmp_path):
    # One that is foyer as far as the system tells, and does nothing any more.
    program = tmp_path / "foyer-main"
    shutil.copy(os.path.realpath(sys.executable), program)
    agent.path.parent.mkdir(mode=0o700)
    environment = {**os.environ, "PYTHONHOME": sys.base_prefix}
    hanging = subprocess.Popen([program, "-S", "-c", LISTENER, agent.path], env=environment)
    until(agent.path.exists)
    refresh_alone(ada)
    assert hanging.poll() is None
    hanging.kill()
    hanging.wait()


def test_a_stopped_agent_holds_nobody_up(agent, ada):
    pid = agent.start()
    os.kill(pid, signal.SIGSTOP)
    refresh_alone(ada)
    assert ada.foyer("agent", "status").status == 6
    os.kill(pid, signal.SIGKILL)
    wait_end(pid)
    refresh_alone(ada)


def test_an_agent_that_answers_for_somebody_else_is_not_believed(agent, ada, sandbox):
    """One that gives the token of another client, provider or account, or nothing that is a token."""
    home = ada.foyer("accounts", "--json").json["accounts"][0]["homeAccountId"]
    account, authority = {"homeAccountId": home}, sandbox.authority()
    right = {"accessToken": "forged", "clientId": TRY_OUT, "authority": authority, "account": account}
    wrong = [
        {**right, "clientId": "another"},
        {**right, "account": {"homeAccountId": "another"}},
        {**right, "authority": "https://login.example.org/organizations"},
        {**right, "accessToken": 1},
        {},
        {"error": {"code": "nonsense"}},
        {"error": {"code": "notFound", "message": "no"}},
    ]
    for answer in [*wrong, right]:
        impostor = Impostor(agent, b'{"foyer":1,"version":"0.1.0"}\n' + json.dumps(answer).encode() + b"\n")
        result = ada.foyer(*TOKEN)
        assert result.status == 0, (answer, result)
        assert (result.json["accessToken"] == "forged") == (answer is right), answer
        Store(ada.store).age()
        impostor.server.close()
        agent.path.unlink()
        agent.path.parent.rmdir()


# Who is served


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_another_user_gets_nothing(agent, ada):
    agent.start()
    os.chmod(agent.runtime, 0o755)
    os.chmod(agent.path.parent, 0o755)
    os.chmod(agent.path, 0o777)
    program = (
        "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n"
        'try:\n s.sendall(b\'{"op":"status"}\\n\')\n print(len(s.recv(10)))\n'
        "except (BrokenPipeError, ConnectionResetError):\n print(0)"
    )
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    said = subprocess.run(
        [*nobody, "/usr/bin/python3", "-c", program, agent.path], capture_output=True, text=True, timeout=PATIENCE
    )
    assert said.stdout == "0\n", said
    os.chmod(agent.path.parent, 0o700)
    until(lambda: "rejected" in agent.log and "uid 65534" in agent.log)
    assert agent.status["connections"] == 1


BAD = {
    "no JSON": b"hello\n",
    "an array": b"[]\n",
    "another op": b'{"op":"reveal"}\n',
    "no op": b"{}\n",
    "an unknown member": b'{"op":"token","folder":"/","reveal":true}\n',
    "no folder": b'{"op":"token"}\n',
    "another variable": b'{"op":"token","folder":"/","environment":{"LD_PRELOAD":"/x"}}\n',
    "deep": b'{"op":' + b"[" * 50 + b"]" * 50 + b"}\n",
    "twice": b'{"op":"status","op":"stop"}\n',
    "more than the op": b'{"op":"stop","now":true}\n',
}


def test_a_wrong_request_or_another_store_is_refused_and_the_connection_stays(agent):
    agent.start()
    for bad, line in BAD.items():
        client = agent.client()
        assert client.ask(line)["error"]["code"] == "usage", bad
        assert client.ask({"op": "status"})["running"], bad
    # The store must be the one that the asker sees.
    elsewhere = client.ask(agent.request(storeFolder="1:1"))
    assert elsewhere["error"]["code"] == "configuration", elsewhere
    assert client.ask(agent.request())["source"] == "refresh"


def test_requests_are_bounded(agent):
    agent.start()
    client = agent.client()
    client.send(b"x" * 70_000)
    assert client.line() is None
    eager = agent.client()
    eager.send(b'{"op":"status"}\n' * 50)
    assert until(lambda: eager.line() is None)
    began = time.monotonic()
    slow = agent.client()
    slow.send(b'{"op":')
    assert slow.line() is None and time.monotonic() - began > 8
    assert agent.status["running"]


def test_many_connections_at_once_and_no_more_than_that(agent):
    agent.start()
    clients = [Client(agent.path, hello=False) for _ in range(300)]
    for client in clients:
        client.hello = client.line()
    served = [client for client in clients if client.hello]
    usual = [client for client in served if "busy" not in client.hello]
    assert 250 <= len(usual) <= 256 and len(served) <= len(usual) + 32
    assert all(client.ask({"op": "status"})["running"] for client in usual)
    for client in clients:
        client.close()
    until(lambda: agent.status and agent.status["connections"] == 1)


def test_a_full_agent_says_so_and_can_be_seen_locked_and_stopped(agent, ada):
    agent.start()
    idle = [Client(agent.path) for _ in range(256)]

    def ask():
        """The one more; nothing when it was given up before it had asked."""
        last = Client(agent.path)
        assert last.hello["busy"] == 256
        try:
            return last, last.ask(agent.request())["error"]
        except (OSError, TypeError):
            return None

    last, refused = until(ask)
    assert refused["code"] == "unavailable" and refused["message"] == "the agent is busy: 256 connections are open"
    assert last.line() is None
    said = ada.foyer("agent", "status")
    assert said.status == 0 and "too many connections" in said.stdout, said
    assert agent.status["busy"] is True
    assert ada.foyer("token", "--silent").status == 0
    for command in ("lock", "requests", "stop"):
        assert ada.foyer("agent", command).status == 0, command
    for client in idle:
        client.close()


@pytest.mark.parametrize("limit, serves", [(32, False), (60, False), (128, True)])
def test_an_agent_that_could_not_serve_says_so_at_its_start(agent, person, limit, serves):
    program = ("bash", "-c", f'ulimit -n {limit}; exec "$0" "$@"')
    started = person.start("agent", "start", program=program).end()
    if serves:
        assert started.status == 0 and agent.status["running"], started
    else:
        assert started.status == 78 and "ulimit -n" in started.stderr, started
        assert "64 more needed" in started.stderr and not agent.path.exists(), started


def test_who_does_not_read_is_not_waited_for(agent, ada):
    agent.start()
    deaf = [agent.client() for _ in range(20)]
    for client in deaf:
        client.send(agent.request())
    assert agent.client().ask(agent.request())["source"] in ("cache", "refresh")


# Service managers


def connected(path):
    """A client; None while nobody listens."""
    try:
        return Client(path)
    except (FileNotFoundError, ConnectionRefusedError):
        return None


def activated(agent, name, command, *paths):
    """A command that systemd starts with these sockets when somebody connects."""
    agent.path.parent.mkdir(mode=0o700)
    variables = (f"--setenv={key}={value}" for key, value in agent.person.environment.items())
    sockets = (f"--listen={path}" for path in paths)
    activate = subprocess.Popen(
        ["systemd-socket-activate", *sockets, f"--fdname={name}", *variables, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    agent.served.append(activate)
    return activate


@with_systemd
def test_systemd_s_socket_is_taken_over(agent):
    activate = activated(agent, "agent", [WHOLE_PROGRAM, "agent", "--foreground"], agent.path)
    client = until(lambda: connected(agent.path))
    assert client.hello["foyer"] == 1
    status = client.ask({"op": "status"})
    assert status["socketOf"] == "systemd" and status["pid"] == activate.pid
    assert client.ask(agent.request())["source"] == "refresh"
    activate.terminate()
    assert activate.wait(PATIENCE) == 0
    assert agent.path.exists()


@with_systemd
def test_the_units_are_what_systemd_accepts(agent, ada):
    installed = ada.foyer("agent", "install", "--json")
    assert installed.status == 0, installed
    *sockets, service = units = [Path(path) for path in installed.json["units"]]
    folder = ada.home / "config/systemd/user"
    assert sockets == [folder / "foyer-agent.socket", folder / "foyer-agent-forward.socket"]
    program = re.search('^ExecStart="(.*)" agent --foreground$', service.read_text(), re.M).group(1)
    assert os.path.samefile(program, FOYER)
    verify = ["systemd-analyze", "verify", "--user", *units]
    said = subprocess.run(verify, capture_output=True, text=True, env=ada.environment, timeout=PATIENCE)
    assert said.returncode == 0 and "foyer" not in said.stderr, said
    assert ada.foyer("agent", "install").status == 0
    assert ada.foyer("agent", "uninstall").stdout == "units removed\n"
    assert not any(unit.exists() for unit in units)
    assert ada.foyer("agent", "uninstall").stdout == "no units were installed\n"


@with_systemd
def test_the_service_has_the_limits_that_a_users_manager_can_set(agent, ada):
    service = Path(ada.foyer("agent", "install", "--json").json["units"][-1])
    words = ["systemd-analyze", "security", "--user", "--offline=true", "--no-pager", service]
    said = subprocess.run(words, capture_output=True, text=True, env=ada.environment, timeout=PATIENCE)
    score = re.search(r"Overall exposure level for foyer-agent.service: ([\d.]+)", said.stdout)
    # The rest are capabilities, which no user has to give up, and what needs a user namespace.
    assert score and float(score.group(1)) <= 6.3, said
    names = {line.split("=")[0] for line in service.read_text().splitlines() if "=" in line}
    # With the first four a user's manager starts nothing; with the others root's folders seem to be somebody else's.
    refused = "CapabilityBoundingSet ProtectClock ProtectKernelModules PrivateDevices ProtectKernelLogs PrivateUsers"
    refused += " ProtectSystem ProtectHome PrivateTmp PrivateMounts ProtectControlGroups ProtectKernelTunables"
    assert names.isdisjoint(refused.split()), names


def test_a_unit_of_somebody_else_is_left_alone(agent, ada):
    folder = ada.home / "config" / "systemd" / "user"
    folder.mkdir(parents=True)
    (folder / "foyer-agent.service").write_text("[Service]\nExecStart=/bin/true\n")
    for command in ("install", "uninstall"):
        result = ada.foyer("agent", command)
        assert result.status == 78 and "not written by foyer" in result.stderr, result
    assert [path.name for path in folder.iterdir()] == ["foyer-agent.service"]


@with_systemd
def test_what_the_unit_starts_serves_at_the_units_socket(agent, ada):
    """As systemd would: the socket of the unit, and the command of the service."""
    units = [Path(path) for path in ada.foyer("agent", "install", "--json").json["units"]]

    def setting(name, unit):
        return re.search(f"^{name}=(.*)$", unit.read_text(), re.M).group(1)

    path, forward = [Path(setting("ListenStream", unit).replace("%t", str(agent.runtime))) for unit in units[:2]]
    name = ":".join(setting("FileDescriptorName", unit) for unit in units[:2])
    assert path == agent.path and forward == agent.path.with_name("forward.sock")
    assert setting("Service", units[1]) == units[2].name
    activate = activated(agent, name, shlex.split(setting("ExecStart", units[2])), path, forward)
    until(path.exists)
    # The first caller starts it, and does not have to wait for it.
    assert ada.foyer(*TOKEN).status == 0
    status = until(lambda: agent.status)
    assert status["pid"] == activate.pid and status["socketOf"] == "systemd"
    assert agent.answers(*TOKEN, "--force-refresh").status == 0


def test_the_service_manager_is_told(agent, ada):
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(agent.runtime / "notify"))
    manager.settimeout(PATIENCE)
    process = agent.serve(NOTIFY_SOCKET=str(agent.runtime / "notify"))
    assert manager.recv(1000).startswith(b"READY=1\n")
    assert agent.status["pid"] == process.pid
    process.terminate()
    assert manager.recv(1000).startswith(b"STOPPING=1\n")
    assert process.wait(PATIENCE) == 0


def test_a_replaced_program_goes_on_as_the_new_one(agent, ada, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in (FOYER, WHOLE_PROGRAM):
        subprocess.run(["cp", program, folder], check=True)
    process = agent.serve(foyer=folder / "foyer")
    until(lambda: agent.status)
    before = agent.status["since"]
    subprocess.run(["cp", WHOLE_PROGRAM, folder / "new"], check=True)
    os.rename(folder / "new", folder / "foyer-main")
    client = agent.client()
    assert client.ask({"op": "status"})["isReplaced"]
    client.close()
    until(lambda: (agent.status or {}).get("isReplaced") is False and agent.status["since"] >= before)
    assert agent.status["pid"] == process.pid and agent.status["socketOf"] == "agent"
    assert Client(agent.path.with_name("forward.sock")).ask({"op": "status"})["error"]["code"] == "usage"
    token = agent.answers(*TOKEN, prepare=Store(ada.store).age)
    assert token.json["source"] == "refresh" and agent.status["served"]["tokens"] == 1
    assert ada.foyer("agent", "stop").status == 0 and not agent.path.exists()


def test_a_busy_agent_becomes_the_new_program_and_answers_everyone(agent, tmp_path):
    """Each client has a connection of its own: it gets the first line and its answer, from the old or the new one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in (FOYER, WHOLE_PROGRAM):
        subprocess.run(["cp", program, folder], check=True)
    agent.serve(foyer=folder / "foyer")
    before = until(lambda: agent.status)["since"]
    is_over, failed, served = threading.Event(), [], Counter()

    def ask():
        while not is_over.is_set():
            try:
                client = Client(agent.path)
                answer = client.ask({"op": "status"}) if client.hello else None
                client.close()
            except OSError as error:
                answer = error
            if not isinstance(answer, dict) or "since" not in answer:
                failed.append(answer)
            else:
                served[answer["isReplaced"]] += 1

    clients = [threading.Thread(target=ask) for _ in range(20)]
    for client in clients:
        client.start()
    try:
        # Its start is told in whole seconds.
        linger(1.1)
        subprocess.run(["cp", WHOLE_PROGRAM, folder / "new"], check=True)
        os.rename(folder / "new", folder / "foyer-main")
        until(lambda: (agent.status or {"since": before})["since"] > before)
        linger(0.5)
    finally:
        is_over.set()
        for client in clients:
            client.join()
    assert not failed and served[False] > 100, (failed[:5], len(failed), served)


# Ahead of need


@pytest.fixture
def brief(person, own_sandbox):
    """A provider whose tokens live for twelve seconds, and an agent that has been asked for one."""
    provider = own_sandbox("--access-token-lifetime", "12")
    person.work_settings(provider)
    person.sign_in(HEDY, "--client", "lab")
    with Agent(person) as agent:
        agent.start()
        assert agent.answers(*LAB_TOKEN, "--force-refresh").json["source"] == "refresh"
        yield person, provider, agent


def test_what_was_asked_for_is_refreshed_before_anybody_asks_again(brief):
    person, provider, agent = brief

    def is_planned():
        """After the first half of its life, and before its end; the token may be the next one by the second look."""
        for upcoming in agent.status["upcoming"]:
            assert upcoming["client"] == "lab" and upcoming["account"] == HEDY
            planned = datetime.fromisoformat(upcoming["at"]).timestamp()
            (token,) = Store(person.store).section("AccessToken").values()
            return int(token["cached_at"]) + 6 < planned < int(token["expires_on"])

    until(is_planned)
    assert "  lab  " in person.foyer("agent", "status").stdout
    asked = refreshes(provider)
    until(lambda: refreshes(provider) > asked)
    until(lambda: person.foyer(*LAB_TOKEN).json["source"] == "cache")
    asked = refreshes(provider)
    until(lambda: refreshes(provider) > asked)


def test_what_another_process_has_refreshed_is_left_alone(brief):
    person, provider, agent = brief
    before = agent.status["upcoming"][0]["at"]
    half = time.monotonic() + 5
    until(lambda: person.foyer(*LAB_TOKEN).status == 0 and time.monotonic() > half, what="half of its life")
    # With its steps told, it does not go through the agent.
    assert person.foyer(*LAB_TOKEN, "--force-refresh", "--verbose").status == 0
    asked = refreshes(provider)
    until(lambda: agent.status["upcoming"][0]["at"] != before)
    assert refreshes(provider) == asked


def test_a_sign_in_that_was_rejected_is_not_tried_again_and_again(brief):
    _, provider, agent = brief
    provider.control("revoke", {"username": HEDY})
    asked = refreshes(provider)
    until(lambda: agent.status["upcoming"] == [])
    assert refreshes(provider) == asked + 1
    assert "stopped refreshing" in agent.log


def test_a_signed_out_account_is_dropped_when_it_is_signed_out(agent, ada, sandbox):
    agent.start()
    assert agent.answers(*TOKEN, prepare=Store(ada.store).age).json["source"] == "refresh"
    assert agent.status["upcoming"]
    asked = refreshes(sandbox)
    # Whatever writes the store: its changes are heard of, long before the token is due.
    temporary = ada.store.with_suffix(".new")
    temporary.write_text(json.dumps({**Store(ada.store).read(), "RefreshToken": {}, "AccessToken": {}}))
    temporary.chmod(0o600)
    temporary.rename(ada.store)
    until(lambda: agent.status["upcoming"] == [])
    assert refreshes(sandbox) == asked


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change addresses")
def test_a_change_of_the_network_is_heard(agent, ada):
    agent.start()
    address = f"127.77.{os.getpid() % 250}.{os.getpid() // 250 % 250}/32"
    subprocess.run(["ip", "address", "add", address, "dev", "lo"], check=True)
    try:
        until(lambda: "network changed" in agent.log)
    finally:
        subprocess.run(["ip", "address", "delete", address, "dev", "lo"], check=True)


FAKETIME = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)


@pytest.mark.skipif(FAKETIME is None, reason="faketime is not installed")
def test_a_clock_that_jumps_loses_nothing_and_is_noticed(agent, ada, sandbox, tmp_path, faults):
    clock = tmp_path / "clock"
    clock.write_text("+0")
    # Monotonic clocks count on, as they do when a clock is set.
    faked = {"FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    # As in a container without reports of it.
    faked |= faults.meet(rule("timerfd_create", "/realtime", errno.EINVAL, lasts=True))
    agent.serve(**faked | {"LD_PRELOAD": f"{FAKETIME}:{faults.library}"})
    until(agent.path.exists)
    client, request = agent.client(), agent.request()
    assert client.ask(request)["source"] == "refresh"
    assert agent.status["upcoming"]
    asked = refreshes(sandbox)
    # Beyond four fifths of the token's life, and nobody has asked: the clocks are compared every quarter of a minute.
    clock.write_text("+50m")
    until(lambda: refreshes(sandbox) == asked + 1)
    assert client.ask(request)["source"] == "cache"
    clock.write_text("-1m")
    assert client.ask(request)["accessToken"]
    # So wrong that the answer's own end is past: said, and nothing is lost.
    clock.write_text("+2h")
    # A refresh that had begun before is shared.
    error = until(lambda: client.ask({**request, "forceRefresh": True}).get("error"))
    assert error["code"] == "untrustedResponse" and "clock" in error["message"], error
    # What was issued in what is the future here is the provider's answer all the same.
    clock.write_text("-1d")
    assert client.ask({**request, "forceRefresh": True})["source"] == "refresh"
    clock.write_text("+0")
    assert client.ask({**request, "forceRefresh": True})["source"] == "refresh"
    client.close()
