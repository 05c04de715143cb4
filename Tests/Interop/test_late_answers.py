"""Answers of the token endpoint that come after the caller's time, at a provider where each refresh token is good for
one use: the old one is spent, and the answer is the only copy of the new one."""

import time

import pytest
from harness import HEDY, Store, until

ASK = ("token", "--silent", "--json", "--client", "lab", "--scope", "openid profile email")


@pytest.fixture
def hedy(expired_hedy):
    return expired_hedy


def test_an_answer_after_the_callers_time_is_stored_and_the_caller_is_told_at_its_time(hedy, sandbox):
    before = dict(Store(hedy.store).section("RefreshToken"))
    sandbox.hold()
    began = time.monotonic()
    running = hedy.start(*ASK, "--timeout", "1")
    until(lambda: sandbox.requests("token:refresh_token") == 1)
    running.wait_line(lambda line: "timed out" in line)
    assert time.monotonic() - began < 10
    sandbox.release()
    assert running.end().status == 6
    assert Store(hedy.store).section("RefreshToken") != before
    again = hedy.foyer(*ASK)
    assert again.status == 0 and again.json["source"] == "cache", again
    assert sandbox.requests("token:refresh_token") == 1


def test_who_asks_while_the_answer_is_late_spends_nothing(hedy, sandbox):
    sandbox.hold()
    first = hedy.start(*ASK, "--timeout", "1")
    until(lambda: sandbox.requests("token:refresh_token") == 1)
    first.wait_line(lambda line: "timed out" in line)
    second = hedy.start(*ASK)
    until((hedy.store.parent / (hedy.store.name + ".refresh")).exists)
    sandbox.release()
    assert first.end().status == 6
    result = second.end()
    assert result.status == 0 and sandbox.requests("token:refresh_token") == 1, result


def test_a_request_that_was_not_sent_ends_at_the_callers_time(hedy, sandbox):
    sandbox.hold("discovery", times=None)
    for kept in hedy.store.parent.glob("*.providers"):
        kept.unlink()
    began = time.monotonic()
    assert hedy.foyer(*ASK, "--timeout", "1").status == 6
    assert time.monotonic() - began < 10


def test_a_refusal_after_a_lost_answer_does_not_read_like_a_theft(hedy, sandbox):
    """The provider has the first request, whose answer nobody got, and sees the refresh token a second time."""
    sandbox.hold()
    first = hedy.start(*ASK, "--timeout", "1")
    until(lambda: sandbox.requests("token:refresh_token") == 1)
    first.wait_line(lambda line: "timed out" in line)
    first.process.kill()
    first.process.wait()
    sandbox.release()
    for _ in range(2):
        refused = hedy.foyer(*ASK)
        assert refused.status == 3 and "the answer to a refresh" in refused.error["message"], refused
    hedy.sign_in(HEDY, "--client", "lab")
    Store(hedy.store).change("RefreshToken", secret="x")
    Store(hedy.store).age()
    other = hedy.foyer(*ASK)
    assert other.status == 3 and "was lost" not in other.error["message"], other
