"""What the tests hold in their hands: the two programs, a person's own environment, a store to look into."""

import json
import os
import queue
import re
import signal
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from waiting import PATIENCE, until

REPOSITORY = Path(__file__).resolve().parents[2]
# What programs that are built with a sanitizer are told by `Tests/run sanitize`, by its options.
SANITIZER_OPTIONS = ("TSAN_OPTIONS", "ASAN_OPTIONS")
SANITIZER = (*SANITIZER_OPTIONS, "LD_PRELOAD") if any(name in os.environ for name in SANITIZER_OPTIONS) else ()
BINARIES = Path(os.environ.get("FOYER_BIN") or REPOSITORY / ".build" / "debug")
FOYER = BINARIES / "foyer"
WHOLE_PROGRAM = BINARIES / "foyer-main"
SANDBOX = BINARIES / "foyer-sandbox"

TRY_OUT = "11111111-2222-3333-4444-555555555555"
AZURE_CLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
AZURE_POWERSHELL = "1950a258-227b-4e31-a9cf-717495945fc2"
LAB = "lab-cli"
CONTOSO = "c0000000-0000-4000-8000-00000000c001"
FABRIKAM = "f0000000-0000-4000-8000-00000000f001"
ADA = "ada@contoso.example"
GRACE = "grace@fabrikam.example"
TARO = "taro@contoso.example"
HEDY = "hedy@lab.example"

# C0 but for line feed, DEL, C1, line and paragraph separators, bidirectional controls, zero-width characters but for a
# joiner inside an emoji.
EMOJI = "[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]"
UNSAFE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
    f"|(?<!{EMOJI})\u200d|\u200d(?!{EMOJI})"
)


# What a token of an hour has left, in words: in its first second an hour, and minutes from then on.
LEFT = r"(?:\d+ min|1 h)"

# A run in the background, or under nohup, begins with signals ignored, and whoever is started would keep to that:
# foyer, too.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


class Sandbox:
    """One running foyer-sandbox."""

    def __init__(self, folder, *options, tls=False):
        arguments = [str(SANDBOX), "--json", "--exit-with-stdin", "--device-interval", "1", *options]
        if tls:
            arguments += ["--tls", "--ca-file", str(folder / "ca.pem")]
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self.description = json.loads(self.process.stdout.readline())
        self.port = self.description["port"]
        self.ca = self.description.get("caFile")
        self.base = ("https" if tls else "http") + f"://127.0.0.1:{self.port}"
        context = ssl.create_default_context(cafile=self.ca) if tls else None
        handlers = [urllib.request.ProxyHandler({})] + ([urllib.request.HTTPSHandler(context=context)] if tls else [])
        self.opener = urllib.request.build_opener(*handlers)

    def authority(self, tenant="organizations"):
        return f"{self.base}/{tenant}"

    @property
    def issuer(self):
        return self.base + "/oidc"

    def control(self, command, body=None, method=None):
        data = None if body is None and method is None else json.dumps({} if body is None else body).encode()
        request = urllib.request.Request(f"{self.base}/_sandbox/{command}", data, method=method)
        try:
            with self.opener.open(request, timeout=PATIENCE) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{command}: HTTP {error.code}: {error.read().decode()}") from None

    def state(self):
        return self.control("state")

    def requests(self, name):
        return self.state()["requests"].get(name, 0)

    def fault(self, kind, **members):
        self.control("faults", {"kind": kind, **members})

    def hold(self, endpoint="token:refresh_token", **members):
        """Lets the next answer of an endpoint wait until it is released, so that what is to happen meanwhile takes the
        time that it needs. A client gives up waiting by its own `--timeout`."""
        self.fault("held", **{"endpoint": endpoint, "times": 1, **members})

    def release(self):
        self.control("release", {})

    def approve(self, code, username, **members):
        self.control("approve", {"user_code": code, "username": username, **members})

    def waiting_codes(self):
        return [device["user_code"] for device in self.state()["pendingDevices"]]

    def reset(self):
        self.control("reset", {})

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()


class Result:
    """How a command ended, and what it said."""

    def __init__(self, status, stdout, stderr, arguments):
        self.status = status
        self.raw_stdout, self.raw_stderr = stdout, stderr
        self.stdout, self.stderr = stdout.decode(), stderr.decode()
        self.arguments = arguments

    @property
    def json(self):
        return json.loads(self.stdout)

    @property
    def events(self):
        """Every line of standard error, each of which must be a JSON object."""
        return [json.loads(line) for line in self.stderr.splitlines()]

    @property
    def error(self):
        """What is said last."""
        return json.loads(self.stderr.splitlines()[-1])["error"]

    def __repr__(self):
        return f"foyer {' '.join(self.arguments)}\nstatus {self.status}\nstdout {self.stdout}\nstderr {self.stderr}"


class Running:
    """A command that has been started and not waited for."""

    def __init__(self, arguments, environment, stdin=subprocess.DEVNULL, program=()):
        self.arguments = arguments
        self.process = subprocess.Popen(
            [*program, str(FOYER), *arguments],
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.lines, self.out, self.fresh = [], [], queue.Queue()
        self.readers = [
            threading.Thread(target=self._read, args=(self.process.stderr, self.lines, self.fresh)),
            threading.Thread(target=self._read, args=(self.process.stdout, self.out, None)),
        ]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(stream, lines, fresh):
        for line in stream:
            lines.append(line)
            if fresh:
                fresh.put(line)

    def wait_line(self, fits):
        """The first line of standard error that fits, of those not looked at before."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                line = self.fresh.get(timeout=0.1).decode()
            except queue.Empty:
                is_open = self.readers[0].is_alive() or not self.fresh.empty()
                assert is_open and time.monotonic() < deadline, (
                    f"{self.arguments} never said it, but: {b''.join(self.lines).decode()}"
                )
                continue
            if fits(line):
                return line

    def wait_event(self, name):
        return json.loads(self.wait_line(lambda line: json.loads(line).get("event") == name))

    def send(self, text):
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def end(self):
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"{self.arguments} did not end; it said {b''.join(self.lines).decode()}") from None
        for reader in self.readers:
            reader.join()
        return Result(self.process.returncode, b"".join(self.out), b"".join(self.lines), self.arguments)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Person:
    """Somebody with a home folder of their own, at a machine without a display."""

    def __init__(self, folder):
        self.home = folder / "home"
        self.scratch = folder / "tmp"
        for made in (self.home, self.scratch):
            made.mkdir(mode=0o700)
        self.environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "TMPDIR": str(self.scratch),
            "TZ": "UTC",
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_DATA_HOME": str(self.home / "data"),
            **{name: os.environ[name] for name in SANITIZER if name in os.environ},
        }
        self.started = []

    @property
    def store(self):
        return self.home / "data" / "foyer" / "token_cache.json"

    def trust(self, sandbox):
        self.environment["SSL_CERT_FILE"] = sandbox.ca

    def settings(self, text):
        path = self.home / "config" / "foyer" / "config.toml"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def work_settings(self, sandbox, **more):
        """Azure CLI, Azure PowerShell, the try-out client and the lab client at this sandbox; the try-out client is the
        default."""
        texts = ['client = "work"']
        for name, client, authority, scopes in [
            ("work", TRY_OUT, sandbox.authority(), ["User.Read"]),
            ("cli", AZURE_CLI, sandbox.authority(), ["User.Read"]),
            ("powershell", AZURE_POWERSHELL, sandbox.authority(), ["User.Read"]),
            ("lab", LAB, sandbox.issuer, ["openid", "profile", "email", "offline_access"]),
        ]:
            kind = "oidc" if client == LAB else "aad"
            texts.append(
                f'[clients.{name}]\nclient_id = "{client}"\nauthority = "{authority}"\nkind = "{kind}"\n'
                f"scopes = {json.dumps(scopes)}\n"
                + "".join(f"{key} = {json.dumps(value)}\n" for key, value in more.items())
            )
        return self.settings("\n\n".join(texts))

    def start(self, *arguments, stdin=subprocess.DEVNULL, env=None, program=()):
        running = Running(
            [str(argument) for argument in arguments], {**self.environment, **(env or {})}, stdin, program
        )
        self.started.append(running)
        return running

    def foyer(self, *arguments, stdin=None, env=None, program=FOYER, cwd=None):
        arguments = [str(argument) for argument in arguments]
        ended = subprocess.run(
            [str(program), *arguments],
            env={**self.environment, **(env or {})},
            cwd=cwd,
            capture_output=True,
            timeout=PATIENCE,
            start_new_session=True,
            **({"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}),
        )
        return Result(ended.returncode, ended.stdout, ended.stderr, arguments)

    def sign_in(self, username=ADA, *arguments):
        """Signs in with a browser that is signed in already; returns what the command printed."""
        curl = "curl -sL -o /dev/null %s"
        if "SSL_CERT_FILE" in self.environment:
            curl = f"curl -sL --cacert {self.environment['SSL_CERT_FILE']} -o /dev/null %s"
        result = self.foyer(
            "sign-in", "--json", "--via", "browser", "--browser", curl, "--login-hint", username, *arguments
        )
        assert result.status == 0, result
        return result.json

    def accounts(self, *options):
        """The usernames of the accounts that are listed, each once; an account has a row for each client's name."""
        rows = self.foyer("accounts", "--json", *options).json["accounts"]
        return sorted({(row["homeAccountId"], row["issuer"]): row["username"] for row in rows}.values())

    def stop(self):
        for running in self.started:
            running.kill()


class Store:
    """A token cache file, as another program would look into it."""

    def __init__(self, path):
        self.path = Path(path)

    def read(self):
        return json.loads(self.path.read_text())

    def section(self, name):
        return self.read().get(name, {})

    def change(self, section, **members):
        """Sets members of every entry of a section."""
        content = self.read()
        for entry in content.get(section, {}).values():
            entry.update(members)
        self.path.write_text(json.dumps(content))

    def age(self, seconds_left=-10):
        """Lets every access token end that many seconds from now."""
        now = int(time.time())
        self.change(
            "AccessToken",
            expires_on=str(now + seconds_left),
            extended_expires_on=str(now + seconds_left),
            cached_at=str(now - 4000),
        )

    def secrets(self):
        return [
            entry["secret"]
            for name in ("AccessToken", "RefreshToken", "IdToken")
            for entry in self.section(name).values()
        ]


def assert_no_secret(store, *results):
    """Neither a token nor a part of one that is long enough to be used."""
    for secret in Store(store).secrets():
        for result in results:
            for text in (result.stdout, result.stderr):
                assert secret not in text and secret[-40:] not in text, f"a secret in {result!r}"


# A sign-in by a browser that is signed in already.
CURL = "curl -sL -o /dev/null %s"
BY_BROWSER = ("--via", "browser", "--browser", CURL)


def held_refresh(person, sandbox, *command, **more):
    """The running command, whose refresh the provider has received and answers when the sandbox is told to release
    it."""
    count = sandbox.requests("token:refresh_token")
    sandbox.hold()
    running = person.start(*command, "--timeout", PATIENCE, **more)
    until(lambda: sandbox.requests("token:refresh_token") > count, "the refresh")
    return running


def children(process):
    """Those that any thread of the process has started."""
    found = []
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(child) for child in listed.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def has_open(process, ending):
    """Whether a process has a file open whose name ends so."""
    try:
        return any(os.readlink(each).endswith(ending) for each in Path(f"/proc/{process}/fd").iterdir())
    except FileNotFoundError:
        # It has just been closed, or the process is another program by now.
        return False


def self_signed(certificate, key, name, alternative):
    """Makes a certificate that is good for two days, and its key."""
    words = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -addext subjectAltName={alternative}"
    subprocess.run([*words.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)


def add_settings(person, text):
    path = person.home / "config" / "foyer" / "config.toml"
    path.write_text(path.read_text() + text)
    return path
