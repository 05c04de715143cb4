"""Sends an agent what no client would send, for so many minutes: mutated requests, broken lines, connections that end
in the middle. It must neither end nor grow, and answers an honest request all the time.

    fuzz_agent.py MINUTES [SEED]

Seeds are the requests of the documentation. Prints what was sent; the exit status is 1 when the agent did not bear it.
"""

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOYER = Path(os.environ["FOYER_BIN"]) / "foyer"
PASSPHRASE = "\u00e4 b"


def seeds(home):
    info = os.stat(home)
    token = {
        "op": "token",
        "client": "Azure CLI",
        "clientId": "c",
        "authority": "https://127.0.0.1:9/t",
        "scopes": ["a b", "c"],
        "account": "ada@example.org",
        "store": f"file:{home}/x.json",
        "tenant": "t",
        "claims": '{"access_token":{}}',
        "timeout": 500,
        "environment": {"HOME": str(home), "LANG": "C"},
        "folder": str(home),
        "storeFolder": f"{info.st_dev}:{info.st_ino}",
    }
    others = [
        {"op": "status"},
        {"op": "lock"},
        {"op": "unlock", "passphrase": PASSPHRASE},
        {"op": "requests"},
        {"op": "answer", "id": "1a2b", "answer": "session"},
        {**token, "op": "accounts"},
        {**token, "op": "signIn"},
        {"op": "lock", "store": f"encrypted:{home}/y"},
        {"op": "token", "client": "work", "scopes": ["User.Read"], "pop": "GET https://x/"},
    ]
    return [json.dumps(one, ensure_ascii=False).encode() for one in (token, *others)]


PRINTABLE = rb'{ } [ ] " : , \u0000 \ud800 null true -1 1e999 9223372036854775808 0.1 \ "" / ../ op token'
TOKENS = [
    *PRINTABLE.split(),
    *(b"stop ", b"\xff", b"\xc3\x28", b"\r", b"\t", b"\x00", b"\x1b[2J", b"\xe2\x80\xae"),
    *(b"A" * 300, b"[" * 200, b'{"a":' * 50),
]


def mutated(rng, seed, all_seeds):
    data = bytearray(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8, 30))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(7):
            case 0:
                data[at:at] = rng.choice(TOKENS)
            case 1:
                del data[at : at + rng.choice((1, 1, 2, 5, 40))]
            case 2:
                if at < len(data):
                    data[at] = rng.randrange(256)
            case 3:
                data[at:at] = bytes(data[rng.randrange(len(data) + 1) :][: rng.randrange(60)])
            case 4:
                data[at:] = rng.choice(all_seeds)[rng.randrange(40) :]
            case 5:
                if at < len(data):
                    data[at] ^= 1 << rng.randrange(8)
            case 6:
                data[at : at + 4] = rng.choice(TOKENS)
    return bytes(data).replace(b"\n", b" ")[:70_000]


def main():
    minutes = float(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    home = Path(tempfile.mkdtemp(prefix="fz", dir="/tmp"))
    home.chmod(0o700)
    runtime = home / "r"
    runtime.mkdir(0o700)
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "XDG_RUNTIME_DIR": str(runtime),
        "SWIFT_BACKTRACE": "enable=no",
    }
    log = open(home / "log", "wb")
    agent = None
    sent = connections = starts = 0
    first = last = 0.0

    def start():
        process = subprocess.Popen(
            [FOYER, "agent", "--foreground"], env=environment, stdin=subprocess.DEVNULL, stderr=log
        )
        until = time.monotonic() + 60
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(str(runtime / "foyer" / "agent.sock"))
                return process
            except OSError:
                assert process.poll() is None and time.monotonic() < until, "the agent does not start"
                time.sleep(0.05)

    def resident():
        status = Path(f"/proc/{agent.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    def connect(name):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(30)
        client.connect(str(runtime / "foyer" / name))
        return client

    def honest():
        with connect("agent.sock") as client, client.makefile("rb") as file:
            assert json.loads(file.readline())["foyer"] == 1
            client.sendall(b'{"op":"status"}\n')
            assert json.loads(file.readline())["running"] is True

    agent, starts = start(), 1
    all_seeds = seeds(home)
    print(f"seed {seed}", flush=True)
    end = time.monotonic() + minutes * 60
    while time.monotonic() < end:
        try:
            name = rng.choice(("agent.sock", "agent.sock", "agent.sock", "forward.sock"))
            with connect(name) as client, client.makefile("rb") as file:
                connections += 1
                file.readline()
                for _ in range(rng.randrange(1, 60)):
                    line = mutated(rng, rng.choice(all_seeds), all_seeds)
                    sent += 1
                    if rng.random() < 0.02:
                        client.sendall(line)
                        break
                    client.sendall(line + b"\n")
                    if rng.random() < 0.02:
                        break
                    answer = file.readline()
                    while answer and b'"event"' in answer[:12]:
                        answer = file.readline()
                    if not answer:
                        break
                    json.loads(answer)
        except (ConnectionError, FileNotFoundError, TimeoutError):
            pass
        if connections % 50 == 0 or agent.poll() is not None:
            try:
                honest()
            except (OSError, ValueError):
                # A mutation may well be a request to stop, which ends it with 0.
                ended = agent.wait(60)
                if ended != 0:
                    print(f"the agent ended with {ended} after {sent} requests; see {home}/log")
                    return 1
                agent, starts = start(), starts + 1
                honest()
            if connections == 1000:
                first = resident()
            last = resident()
    honest()
    print(
        f"{sent} requests on {connections} connections in {minutes:g} minutes, agent started {starts} times; "
        f"{first:.1f} MB after 1,000 connections, {last:.1f} MB at the end"
    )
    agent.terminate()
    return 0 if agent.wait(60) == 0 else 1


sys.exit(main())
