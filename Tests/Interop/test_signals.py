"""Signals while a refresh token is on its way: at a provider that rotates, the new one is stored before the program
dies."""

import os
import signal
import time

import pytest
from harness import Store, held_refresh, until
from waiting import PATIENCE, linger

ASK = ("token", "--silent", "--client", "lab", "--scope", "openid profile email")
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def hedy(expired_hedy):
    return expired_hedy


def files(person):
    return set(os.listdir(person.store.parent))


@pytest.mark.parametrize("number", [*SIGNALS, signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM, signal.SIGXCPU])
def test_a_signal_between_the_question_and_the_answer_waits_for_the_answer(hedy, sandbox, number):
    before = Store(hedy.store).section("RefreshToken")
    running = held_refresh(hedy, sandbox, *ASK)
    for _ in range(3):
        running.process.send_signal(number)
    linger(0.5)
    sandbox.release()
    result = running.end()
    assert result.status == -number and result.stdout == "" and result.stderr == "", result
    assert Store(hedy.store).section("RefreshToken") != before
    again = hedy.foyer(*ASK, "--json")
    assert again.status == 0 and again.json["source"] == "cache", again
    assert sandbox.requests("token:refresh_token") == 1


def test_what_nohup_ignores_stays_ignored(hedy, sandbox):
    running = held_refresh(hedy, sandbox, *ASK, program=("nohup",))
    running.process.send_signal(signal.SIGHUP)
    linger(0.5)
    sandbox.release()
    result = running.end()
    assert result.status == 0 and result.stdout, result


def test_a_refresh_that_was_not_sent_is_given_up_at_once(hedy, sandbox):
    sandbox.hold("discovery", times=None)
    for kept in hedy.store.parent.glob("*.providers"):
        kept.unlink()
    running = hedy.start(*ASK, "--timeout", PATIENCE)
    until(lambda: sandbox.requests("discovery") >= 1)
    running.process.send_signal(signal.SIGINT)
    result = running.end()
    assert result.status == -signal.SIGINT, result
    assert sandbox.requests("token:refresh_token") == 0


def test_a_signal_at_any_moment_loses_nothing_and_leaves_nothing(hedy, sandbox):
    started = time.monotonic()
    assert hedy.foyer(*ASK).status == 0
    whole = time.monotonic() - started
    moments = 150 if os.environ.get("FOYER_LONG") else 15
    for moment in range(moments):
        Store(hedy.store).age()
        number = SIGNALS[moment % len(SIGNALS)]
        running = hedy.start(*ASK)
        # A moment of the run is what this is about: nothing can be waited for.
        try:
            running.process.wait(whole * (moment + 1) / moments)
        except Exception:
            running.process.send_signal(number)
        assert running.end().status in (0, -number)
        left = {n for n in files(hedy) if ("lock" in n and not n.endswith(".refresh")) or n.endswith(".new")}
        result = hedy.foyer(*ASK)
        assert result.status == 0 and not left & files(hedy), (moment, result, left)
    until(lambda: not [name for name in files(hedy) if "lock" in name or ".new" in name])
    assert len(Store(hedy.store).section("RefreshToken")) == 1


def test_eight_at_a_provider_that_hangs_end_with_the_first(hedy, sandbox):
    sandbox.hold(times=None)
    first = hedy.start(*ASK, "--json", "--timeout", "8")
    until(lambda: sandbox.requests("token:refresh_token") == 1)
    others = [hedy.start(*ASK, "--json", "--timeout", "8") for _ in range(7)]
    results = [each.end() for each in [first, *others]]
    assert [result.status for result in results] == [6] * 8, results
    # One after the other would have asked eight times.
    assert sandbox.requests("token:refresh_token") <= 2
    assert all("lock" not in result.error["hint"] for result in results)
