"""The agent and logind: nothing is begun before the machine sleeps, and it locks itself where the settings want it."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from agents import Agent
from harness import HEDY, Store, until
from waiting import PATIENCE, linger

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
        bus = ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={folder / 'bus.conf'}"]
        self.bus = subprocess.Popen(bus, start_new_session=True)
        until(socket.exists, what="the bus")
        person.environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={socket}"
        peer = [sys.executable, Path(__file__).with_name("logind_peer.py")]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.peer = subprocess.Popen(peer, **pipes, text=True, env=person.environment)
        self.said = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()
        assert self.hear() == ["here"]

    def listen(self):
        for line in self.peer.stdout:
            self.said.put(json.loads(line))

    def hear(self):
        return self.said.get(timeout=PATIENCE)

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
    """A provider whose tokens live for eight seconds, an agent, and a logind."""
    provider = own_sandbox("--access-token-lifetime", "8")
    person.work_settings(provider)
    person.sign_in(HEDY, "--client", "lab")
    agent = Agent(person)
    logind = Logind(person)
    yield person, provider, agent, logind
    agent.stop()
    logind.close()


def settings(person, text):
    with open(person.home / "config/foyer/config.toml", "a") as file:
        file.write(f"\n[agent]\n{text}\n")


def test_nothing_is_begun_before_the_machine_sleeps(brief):
    _, provider, agent, logind = brief
    agent.start()
    assert logind.hear() == ["taken", "sleep", "foyer agent", "a refresh is being stored", "delay"]
    assert agent.answers(*TOKEN, "--force-refresh").json["source"] == "refresh"
    logind.tell("sleep")
    assert logind.hear() == ["let go"]
    asked = provider.requests("token:refresh_token")
    # Beyond the token's life: it would have been refreshed ahead.
    linger(9)
    assert provider.requests("token:refresh_token") == asked
    logind.tell("wake")
    assert logind.hear()[0] == "taken"
    until(lambda: provider.requests("token:refresh_token") > asked)
    assert agent.status["locked"] is False


def test_the_machine_sleeps_once_what_is_on_its_way_is_stored_and_the_agent_stays_open(brief):
    person, provider, agent, logind = brief
    agent.start()
    assert logind.hear()[0] == "taken"
    before = Store(person.store).section("RefreshToken")
    provider.hold()
    asked = provider.requests("token:refresh_token")
    asker = agent.refresh(client="lab", forceRefresh=True)
    until(lambda: provider.requests("token:refresh_token") > asked)
    logind.tell("lock")
    logind.tell("sleep")
    linger(0.5)
    assert logind.said.empty()
    provider.release()
    assert logind.hear() == ["let go"]
    assert Store(person.store).section("RefreshToken") != before
    assert asker.answer()["source"] == "refresh"
    assert agent.status["locked"] is False


@pytest.mark.parametrize("occasion", ["sleep", "lock"])
def test_it_locks_itself_where_the_settings_want_it(brief, occasion):
    person, _provider, agent, logind = brief
    settings(person, 'lock_on = ["sleep", "screen"]')
    agent.start()
    assert logind.hear()[0] == "taken"
    logind.tell("lock-other")
    linger(0.5)
    assert agent.status["locked"] is False
    logind.tell(occasion)
    until(lambda: agent.status["locked"])
    assert agent.refuses(*TOKEN, "--force-refresh")
    assert person.foyer("agent", "unlock").status == 0
    assert person.foyer(*TOKEN, "--force-refresh").json["source"] == "refresh"


@pytest.mark.skipif(not os.environ.get("FOYER_LONG"), reason="takes more than a minute")
def test_it_locks_itself_when_nobody_asks(brief):
    person, _, agent, _ = brief
    settings(person, 'lock_after = "1m"')
    agent.start()
    linger(40)
    assert person.foyer(*TOKEN, "--force-refresh").json["source"] == "refresh"
    linger(40)
    assert agent.status["locked"] is False
    until(lambda: agent.status["locked"])


@pytest.mark.parametrize("text", ['lock_on = ["dusk"]', 'lock_after = "30"', 'lock_after = "0m"'])
def test_wrong_words_in_the_settings_are_told(person, sandbox, text):
    person.work_settings(sandbox)
    settings(person, text)
    result = person.foyer(*TOKEN)
    assert result.status == 78 and "lock_" in result.stderr and "write" in result.stderr, result
