"""The agent and logind: nothing is begun before the machine sleeps, and it locks itself where the settings want it."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from agents import Agent
from harness import HEDY, until

pytest.importorskip("dbus_next")

CONFIGURATION = """<busconfig><type>system</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy></busconfig>"""
TOKEN = ("token", "--silent", "--json", "--client", "lab")


class Logind:
    """A bus with a logind of the test's own."""

    def __init__(self, person):
        folder = Path(tempfile.mkdtemp(prefix="lg", dir="/tmp"))
        socket = folder / "bus"
        (folder / "bus.conf").write_text(CONFIGURATION.format(socket=socket))
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={folder / 'bus.conf'}"], start_new_session=True
        )
        until(socket.exists, what="the bus")
        person.environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={socket}"
        self.peer = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("logind_peer.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=person.environment,
        )
        self.said = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()
        assert self.hear() == ["here"]

    def listen(self):
        for line in self.peer.stdout:
            self.said.put(json.loads(line))

    def hear(self):
        return self.said.get(timeout=90)

    def tell(self, what):
        self.peer.stdin.write(what + "\n")
        self.peer.stdin.flush()

    def close(self):
        self.peer.kill()
        self.bus.kill()
        self.peer.communicate()
        self.bus.wait()


@pytest.fixture
def brief(person, own_sandbox):
    """A provider whose tokens live for twelve seconds, an agent, and a logind."""
    provider = own_sandbox("--access-token-lifetime", "12")
    person.work_settings(provider)
    person.sign_in(HEDY, "--client", "lab")
    agent = Agent(person)
    logind = Logind(person)
    yield person, provider, agent, logind
    agent.stop()
    logind.close()


def settings(person, text):
    path = person.home / "config" / "foyer" / "config.toml"
    path.write_text(path.read_text() + text)


def test_nothing_is_begun_before_the_machine_sleeps(brief):
    person, provider, agent, logind = brief
    agent.start()
    assert logind.hear() == ["taken", "sleep", "foyer agent", "a refresh is being stored", "delay"]
    assert person.foyer(*TOKEN, "--force-refresh").json["source"] == "refresh"
    logind.tell("sleep")
    assert logind.hear() == ["let go"]
    asked = provider.requests("token:refresh_token")
    # Beyond the token's life: it would have been refreshed ahead.
    time.sleep(13)
    assert provider.requests("token:refresh_token") == asked
    logind.tell("wake")
    assert logind.hear()[0] == "taken"
    until(lambda: provider.requests("token:refresh_token") == asked + 1)
    assert agent.status["locked"] is False


def test_the_machine_sleeps_once_what_is_on_its_way_is_stored(brief):
    person, provider, agent, logind = brief
    agent.start()
    assert logind.hear()[0] == "taken"
    provider.fault("late", endpoint="token:refresh_token", seconds=2, times=1)
    running = person.start(*TOKEN, "--force-refresh")
    until(lambda: provider.requests("token:refresh_token") == 1)
    began = time.monotonic()
    logind.tell("sleep")
    assert logind.hear() == ["let go"]
    assert 0.5 < time.monotonic() - began < 5
    assert running.end().json["source"] == "refresh"


@pytest.mark.parametrize("occasion", ["sleep", "lock"])
def test_it_locks_itself_where_the_settings_want_it(brief, occasion):
    person, _provider, agent, logind = brief
    settings(person, '\n[agent]\nlock_on = ["sleep", "screen"]\n')
    agent.start()
    assert logind.hear()[0] == "taken"
    logind.tell("lock-other")
    time.sleep(0.5)
    assert agent.status["locked"] is False
    logind.tell(occasion)
    until(lambda: agent.status["locked"])
    assert person.foyer(*TOKEN, "--force-refresh").status == 3
    assert person.foyer("agent", "unlock").status == 0
    assert person.foyer(*TOKEN, "--force-refresh").json["source"] == "refresh"


@pytest.mark.skipif(not os.environ.get("FOYER_LONG"), reason="takes more than a minute")
def test_it_locks_itself_when_nobody_asks(brief):
    person, _, agent, _ = brief
    settings(person, '\n[agent]\nlock_after = "1m"\n')
    agent.start()
    time.sleep(40)
    assert person.foyer(*TOKEN, "--force-refresh").json["source"] == "refresh"
    time.sleep(40)
    assert agent.status["locked"] is False
    until(lambda: agent.status["locked"])


def test_it_stays_open_where_they_do_not(brief):
    _person, _provider, agent, logind = brief
    agent.start()
    assert logind.hear()[0] == "taken"
    logind.tell("lock")
    logind.tell("sleep")
    assert logind.hear() == ["let go"]
    assert agent.status["locked"] is False


def test_wrong_words_in_the_settings_are_told(brief):
    person, _provider, _agent, _logind = brief
    path = person.home / "config" / "foyer" / "config.toml"
    before = path.read_text()
    for text in ('lock_on = ["dusk"]', 'lock_after = "30"', 'lock_after = "0m"'):
        path.write_text(before + f"\n[agent]\n{text}\n")
        result = person.foyer(*TOKEN)
        assert result.status == 78 and "lock_" in result.stderr and "write" in result.stderr, result
