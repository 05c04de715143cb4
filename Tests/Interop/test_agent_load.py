"""How much the agent bears: requests one after the other and at once, and its memory afterwards. `FOYER_LONG` makes it
10,000 requests; what grows with each request shows in fewer."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from agents import Agent

REQUESTS = 10_000 if os.environ.get("FOYER_LONG") else 1_500
CONNECTIONS = 4


def resident(pid):
    """Megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


@pytest.fixture
def agent(ada):
    with Agent(ada) as agent:
        yield agent


def ask(agent, count):
    client = agent.client()
    request = agent.request()
    for _ in range(count):
        assert client.ask(request)["source"] == "cache"
    client.close()


def test_requests_do_not_pile_up(agent):
    pid = agent.start()
    # Threads, buffers and tables are made once.
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(lambda _: ask(agent, 100), range(CONNECTIONS)))
        before, descriptors = resident(pid), len(os.listdir(f"/proc/{pid}/fd"))
        began = time.monotonic()
        list(pool.map(lambda _: ask(agent, REQUESTS // CONNECTIONS), range(CONNECTIONS)))
        spent = time.monotonic() - began
    after = resident(pid)
    print(f"{REQUESTS / spent:.0f} requests a second; {before:.1f} MB before, {after:.1f} MB after {REQUESTS}")
    assert after < before + 10
    assert len(os.listdir(f"/proc/{pid}/fd")) <= descriptors + 4
    assert agent.status["served"]["tokens"] >= REQUESTS


def test_a_new_connection_for_each_request_leaves_nothing_behind(agent):
    pid = agent.start()
    for _ in range(50):
        ask(agent, 1)
    before = resident(pid)
    began = time.monotonic()
    for _ in range(REQUESTS // 10):
        ask(agent, 1)
    spent = time.monotonic() - began
    print(f"{REQUESTS / 10 / spent:.0f} connections a second; {resident(pid) - before:.1f} MB more")
    assert resident(pid) < before + 10
