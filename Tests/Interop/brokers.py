"""A session of a person's own, with a bus that starts what their service files name, and who speaks on it."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from agents import Agent
from harness import FOYER, until
from keyrings import KEYRING_DAEMON
from waiting import PATIENCE

PEER = Path(__file__).resolve().parent / "broker_peer.py"
RUNTIME_PEER = Path(__file__).resolve().parent / "msalruntime_peer.py"
SILENTLY, INTERACTIVELY = "acquireTokenSilently", "acquireTokenInteractively"
CONFIGURATION = """<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<servicedir>{services}</servicedir><servicedir>{package}</servicedir><policy context="default"><allow
send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


class Session:
    """The bus and the agent of a person."""

    def __init__(self, person, **environment):
        self.person = person
        # Sockets want short paths.
        self.agent = Agent(person)
        self.folder = Path(tempfile.mkdtemp(prefix="br", dir="/tmp"))
        socket = self.folder / "bus"
        self.services = person.home / "data" / "dbus-1" / "services"
        # Where a package would put its file.
        self.package = self.folder / "share" / "dbus-1" / "services"
        for folder in (self.services, self.package):
            folder.mkdir(parents=True)
        (self.folder / "bus.conf").write_text(
            CONFIGURATION.format(socket=socket, services=self.services, package=self.package)
        )
        person.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={socket}"
        person.environment["XDG_DATA_DIRS"] = str(self.folder / "share")
        person.environment.update(environment)
        self.running = []
        command = ("dbus-daemon", "--nofork", "--nopidfile", f"--config-file={self.folder / 'bus.conf'}")
        self.start(*command, stderr=open(self.folder / "log", "w"))
        until(socket.exists, what="the bus")

    def start(self, *command, **streams):
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams}
        self.running.append(
            subprocess.Popen([*map(str, command)], env=self.person.environment, start_new_session=True, **streams)
        )
        return self.running[-1]

    def start_keyring(self):
        daemon = self.start(*KEYRING_DAEMON, stdin=subprocess.PIPE)
        daemon.stdin.write(b"\n")
        daemon.stdin.close()
        until(lambda: self.has_owner("org.freedesktop.secrets"), what="the keyring")

    def has_owner(self, name):
        words = "dbus-send --session --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus"
        command = [*words.split(), "org.freedesktop.DBus.NameHasOwner", f"string:{name}"]
        return (
            b"true"
            in subprocess.run(command, env=self.person.environment, capture_output=True, timeout=PATIENCE).stdout
        )

    def enable(self):
        result = self.person.foyer("broker", "enable", "--json")
        assert result.status == 0, result
        return result.json

    def begin(self, method, request, correlation=None):
        """A call that is not waited for."""
        words = [sys.executable, str(PEER), "call", method, json.dumps(request)]
        words += [correlation] if correlation else []
        process = subprocess.Popen(words, env=self.person.environment, stdout=subprocess.PIPE, text=True)
        self.running.append(process)
        return process

    def call(self, method, request=None, correlation=None):
        process = self.begin(method, {} if request is None else request, correlation)
        out, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, self.log
        return json.loads(out)

    def peer(self, *arguments):
        command = [sys.executable, str(PEER), *arguments]
        done = subprocess.run(command, env=self.person.environment, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def serve(self, answers):
        """A broker of the test's own; returns the file with its answers, by which they can be changed."""
        path = self.folder / "answers.json"
        path.write_text(json.dumps(answers))
        process = self.start(sys.executable, PEER, "serve", path, stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"here\n"
        return path

    def asked(self):
        """What the test's broker was asked: the methods and the requests."""
        path = self.folder / "answers.json.asked"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def log(self):
        return (self.folder / "log").read_text() + self.agent.log

    @property
    def answers(self):
        path = self.person.home / "state" / "foyer" / "broker.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def requests(self):
        result = self.person.foyer("agent", "requests", "--json")
        return result.json["requests"] if result.status == 0 else []

    def stop(self):
        if FOYER.exists():
            self.person.foyer("broker", "disable")
        for process in reversed(self.running):
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stdin):
                if stream:
                    stream.close()
        self.agent.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Runtime:
    """A process with MSAL's run-time in it."""

    def __init__(self, session):
        self.errors = session.folder / "runtime.log"
        until(lambda: self.is_loaded(session), what="MSAL's run-time")

    def is_loaded(self, session):
        """Whether it has found the broker, for which it waits a few seconds: on a busy machine it is tried again."""
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": open(self.errors, "a")}
        self.process = session.start(sys.executable, RUNTIME_PEER, **streams)
        return self.process.stdout.readline() == b"here\n"

    def begin(self, step, client, authority, **more):
        line = json.dumps({"step": step, "client": client, "authority": authority, **more}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        assert line, self.errors.read_text()
        return json.loads(line)

    def ask(self, step, client, authority, **more):
        self.begin(step, client, authority, **more)
        return self.answer()
