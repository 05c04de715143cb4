"""An agent of a test's own, and a client that speaks to it line by line."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from harness import FOYER, until
from waiting import PATIENCE


class Client:
    """One connection to an agent."""

    def __init__(self, path, hello=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.settimeout(PATIENCE)
        self.file = self.socket.makefile("rb")
        self.hello = self.line() if hello else None

    def line(self):
        """The next object; None when the agent has hung up."""
        try:
            text = self.file.readline()
        except ConnectionResetError:
            return None
        return json.loads(text) if text else None

    def send(self, request):
        data = request if isinstance(request, bytes) else json.dumps(request).encode() + b"\n"
        self.socket.sendall(data)

    def answer(self):
        while True:
            line = self.line()
            if line is None or "event" not in line:
                return line

    def ask(self, request):
        self.send(request)
        return self.answer()

    def close(self):
        self.file.close()
        self.socket.close()


class Agent:
    """The agent of a person, with a runtime folder of its own, short enough for a socket's path."""

    def __init__(self, person):
        self.person = person
        self.runtime = Path(tempfile.mkdtemp(prefix="fy", dir="/tmp"))
        person.environment["XDG_RUNTIME_DIR"] = str(self.runtime)
        person.environment["XDG_STATE_HOME"] = str(person.home / "state")
        self.path = self.runtime / "foyer" / "agent.sock"
        self.served, self.pids = [], set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        result = self.person.foyer("agent", "start", "--json")
        assert result.status == 0, (result, self.log)
        pid = result.json["agent"]["pid"]
        self.pids.add(pid)
        return pid

    def serve(self, *program, foyer=FOYER, **environment):
        """An agent in the foreground."""
        process = subprocess.Popen(
            [*map(str, program), str(foyer), "agent", "--foreground"],
            env={**self.person.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.served.append(process)
        return process

    @property
    def log(self):
        path = self.person.home / "state" / "foyer" / "agent.log"
        return path.read_text() if path.exists() else ""

    @property
    def status(self):
        result = self.person.foyer("agent", "status", "--json")
        return result.json if result.status == 0 else None

    def answers(self, *command, prepare=lambda: None):
        """How a command of the person's ends that the agent has answered. On a busy machine the agent may not say a
        word within the quarter of a second that foyer waits for one, and the command goes on alone: then it is given
        again, once it is prepared."""

        def answered():
            prepare()
            before = self.status["served"]
            result = self.person.foyer(*command)
            return result if self.status["served"] != before else None

        return until(answered, what="an answer by the agent")

    def refuses(self, *command, status=3, prepare=lambda: None):
        """How a command ends that the agent, which is locked, refuses; the same."""

        def refused():
            prepare()
            result = self.person.foyer(*command)
            return result if result.status == status else None

        return until(refused, what="a refusal by the agent")

    def refresh(self, **members):
        """A client that has asked the agent for a token that it has to refresh."""
        client = self.client()
        client.send(self.request(**members))
        return client

    def client(self):
        client = Client(self.path)
        assert client.hello["foyer"] == 1, client.hello
        return client

    def request(self, *, store=None, **members):
        folder = (store or self.person.store).parent
        info = os.stat(folder)
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "SSL_CERT_FILE")
        return {
            "op": "token",
            "folder": str(self.person.home),
            "storeFolder": f"{info.st_dev}:{info.st_ino}",
            "environment": {n: self.person.environment[n] for n in names if n in self.person.environment},
            **members,
        }

    def stop(self):
        for process in self.served:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.communicate()
        if self.path.exists():
            status = self.status
            if status:
                self.pids.add(status["pid"])
        for pid in self.pids:
            # One that is stopped does not answer. The number may be another's by now.
            command = Path(f"/proc/{pid}/cmdline")
            if not has_ended(pid) and command.read_bytes() == b"foyer\0agent\0--foreground\0":
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.runtime, ignore_errors=True)


def questions(person):
    """What waits for the person at the agent."""
    result = person.foyer("agent", "requests", "--json")
    return result.json["requests"] if result.status == 0 else []


def questioned(person, *command, prepare=lambda: None):
    """A running command about which the agent asks the person, and the question. On a busy machine the command may go
    on without the agent: then it is given again, once it is prepared."""

    def begun():
        prepare()
        running = person.start(*command)
        until(lambda: questions(person) or running.process.poll() is not None, what="a question")
        found = questions(person)
        return (running, found[0]) if found else None

    return until(begun)


def has_ended(pid):
    """Whether a process is gone, or only waits for its parent to look."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_end(pid):
    until(lambda: has_ended(pid), what="the end of the agent")
