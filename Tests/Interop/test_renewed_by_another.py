"""Who only waits for the refresh of another process is answered by `foyer`, the small program in front; the one who
refreshes hands the lock over to `foyer-main`."""

import fcntl
import os
import shutil
import signal
import struct
import subprocess

import pytest
from harness import ADA, FOYER, WHOLE_PROGRAM, Store, has_open, until
from waiting import PATIENCE, linger

TOKEN = ("token", "--silent", "--timeout", str(PATIENCE))


def start(command, environment, **more):
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, **pipes, **more)


class Front:
    """A copy of `foyer` beside a `foyer-main` that writes a line of what it was handed over each time that it is
    started, and then does what `first` says, the first time, or becomes the real one, at once or when the gate is
    opened."""

    def __init__(self, folder, first="", has_gate=False):
        folder.mkdir()
        self.program = shutil.copy(FOYER, folder / "foyer")
        self.log, self.gate = folder / "log", folder / "gate"
        if has_gate:
            first = f"until [ -e {self.gate} ]; do sleep 0.05; done"
        main = folder / "foyer-main"
        first = f"mkdir {folder}/first 2>/dev/null && {{ {first}; }}\n" if first else ""
        main.write_text(f'#!/bin/sh\necho "$$ $FOYER_HANDOVER" >> {self.log}\n{first}exec {WHOLE_PROGRAM} "$@"\n')
        main.chmod(0o755)

    @property
    def starts(self):
        return [line.split() for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def start(self, person, *arguments):
        return start([self.program, *(arguments or TOKEN)], person.environment)


@pytest.fixture
def ada(ada):
    Store(ada.store).age()
    return ada


def ended(running):
    said = [process.communicate(timeout=PATIENCE) for process in running]
    return [(process.returncode, *texts) for process, texts in zip(running, said)]


def are_waiting(running):
    """Once each has looked for the lock."""
    until(lambda: all(each.poll() is not None or has_open(each.pid, ".refresh") for each in running))
    linger(0.5)
    return [process.poll() for process in running] == [None] * len(running)


def assert_one_new_token(person, results):
    assert [(status, err) for status, _, err in results] == [(0, b"")] * len(results), results
    ((_, token, _),) = set(results)
    assert token.decode().strip() in Store(person.store).secrets()


@pytest.mark.parametrize("seconds", [0, 1.5])
def test_of_twenty_processes_one_becomes_the_whole_program(ada, sandbox, tmp_path, seconds):
    if seconds:
        sandbox.fault("late", endpoint="token:refresh_token", seconds=seconds, times=1)
    front = Front(tmp_path / "bin")
    assert_one_new_token(ada, ended([front.start(ada) for _ in range(20)]))
    assert sandbox.requests("token:refresh_token") == 1 and len(front.starts) == 1, front.starts


def test_a_forced_refresh_of_another_serves_who_waited_for_it(ada, sandbox, tmp_path):
    front = Front(tmp_path / "bin", has_gate=True)
    one = front.start(ada, *TOKEN, "--force-refresh")
    until(lambda: front.starts)
    others = [front.start(ada, *TOKEN, "--force-refresh", "--json") for _ in range(3)]
    assert are_waiting([one, *others])
    front.gate.touch()
    assert_one_new_token(ada, ended([one]))
    results = ended(others)
    assert [(status, err) for status, _, err in results] == [(0, b"")] * 3, results
    assert all(b'"source": "cache"' in out or b'"source":"cache"' in out for _, out, _ in results), results
    assert sandbox.requests("token:refresh_token") == 1 and len(front.starts) == 1, front.starts


def test_the_lock_is_handed_over_without_a_gap(ada, sandbox, tmp_path):
    """Another program that tries for it all the time never gets it between the two programs."""
    front = Front(tmp_path / "bin", first="sleep 1")
    one = front.start(ada)
    ((_, _, _, waited, _, _, place),) = until(lambda: [line for line in front.starts if len(line) == 7])
    assert waited == "0"
    with open(f"{ada.store}.refresh", "r+b") as file:
        while sandbox.requests("token:refresh_token") == 0:
            with pytest.raises(BlockingIOError):
                lock(file, int(place))
    assert_one_new_token(ada, ended([one]))


@pytest.mark.parametrize("waiting", [0, 5])
def test_who_is_killed_before_it_is_the_whole_program_leaves_the_turn_to_the_next(ada, sandbox, tmp_path, waiting):
    front = Front(tmp_path / "bin", first="exec sleep 1000")
    one = front.start(ada)
    until(lambda: front.starts)
    others = [front.start(ada) for _ in range(waiting)]
    assert are_waiting(others) and sandbox.requests("token:refresh_token") == 0
    one.kill()
    others += [front.start(ada)]
    assert_one_new_token(ada, ended(others))
    assert ended([one])[0][0] == -signal.SIGKILL
    assert sandbox.requests("token:refresh_token") == 1 and len(front.starts) == 2, front.starts


def test_who_is_killed_as_the_whole_program_leaves_the_turn_to_the_next(ada, sandbox, tmp_path):
    sandbox.hold()
    front = Front(tmp_path / "bin")
    one = front.start(ada)
    until(lambda: sandbox.requests("token:refresh_token") == 1)
    others = [front.start(ada) for _ in range(5)]
    assert are_waiting(others)
    one.kill()
    assert_one_new_token(ada, ended(others))
    ended([one])
    assert sandbox.requests("token:refresh_token") == 2 and len(front.starts) == 2, front.starts


def refreshing(person, sandbox, folder):
    """One who waits for the provider, until it is released."""
    sandbox.hold()
    front = Front(folder / "bin")
    one = front.start(person)
    until(lambda: sandbox.requests("token:refresh_token") == 1)
    return one, front


def test_who_is_stopped_while_waiting_holds_nobody_up(ada, sandbox, tmp_path):
    one, front = refreshing(ada, sandbox, tmp_path)
    running = [one, *(front.start(ada) for _ in range(5))]
    assert are_waiting(running)
    running[3].send_signal(signal.SIGSTOP)
    sandbox.release()
    assert_one_new_token(ada, ended(running[:3] + running[4:]))
    Store(ada.store).age()
    assert_one_new_token(ada, ended([front.start(ada)]))
    running[3].send_signal(signal.SIGCONT)
    assert_one_new_token(ada, ended([running[3]]))
    assert sandbox.requests("token:refresh_token") == 2


def test_a_signal_ends_the_wait(ada, sandbox, tmp_path):
    one, front = refreshing(ada, sandbox, tmp_path)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    others = [front.start(ada) for _ in numbers]
    assert are_waiting(others)
    for number, other in zip(numbers, others):
        other.send_signal(number)
    assert ended(others) == [(-number, b"", b"") for number in numbers] and one.poll() is None
    sandbox.release()
    assert_one_new_token(ada, ended([one]))


def test_when_a_person_is_needed_those_who_waited_say_it_too(ada, sandbox, tmp_path):
    sandbox.control("revoke", {"username": ADA})
    one, front = refreshing(ada, sandbox, tmp_path)
    running = [one, *(front.start(ada) for _ in range(3))]
    assert are_waiting(running)
    sandbox.release()
    results = ended(running)
    assert [(status, out) for status, out, _ in results] == [(3, b"")] * 4, results
    assert all(b"foyer sign-in" in err for _, _, err in results), results
    whole = subprocess.run([WHOLE_PROGRAM, *TOKEN], env=ada.environment, capture_output=True, timeout=PATIENCE)
    assert {err for _, _, err in results[1:]} == {whole.stderr}
    assert sandbox.requests("token:refresh_token") == 1


def test_who_wants_to_see_the_steps_sees_them_while_waiting(ada, sandbox, tmp_path):
    one, _ = refreshing(ada, sandbox, tmp_path)
    other = ada.start(*TOKEN, "--verbose")
    other.wait_line(lambda line: "waiting for another refresh" in line)
    assert one.poll() is None
    sandbox.release()
    assert_one_new_token(ada, ended([one]))
    result = other.end()
    assert result.status == 0 and "another process stored a new token" in result.stderr, result
    assert result.stderr.count("waiting for another refresh") == 1


# What the whole program makes of what it is handed.


def lock(file, place, kind=fcntl.F_WRLCK):
    fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", kind, os.SEEK_SET, place, 1, 0))


@pytest.fixture
def handed(ada, tmp_path):
    """What `foyer` hands over when it has the lock: version, since, waited, spent, descriptor, place."""
    front = Front(tmp_path / "asked", first="exit 1")
    assert ended([front.start(ada)])[0][0] == 1
    ((_, *words),) = front.starts
    assert len(words) == 6 and words[2:4] == ["0", "0"], words
    return words


def whole(person, words, descriptors=(), arguments=TOKEN):
    environment = {**person.environment, "FOYER_HANDOVER": " ".join(map(str, words))}
    return start([WHOLE_PROGRAM, *arguments], environment, pass_fds=descriptors)


def test_the_lock_is_taken_over(ada, sandbox, handed):
    with open(f"{ada.store}.refresh", "r+b") as file:
        lock(file, int(handed[5]))
        running = whole(ada, [*handed[:4], file.fileno(), handed[5]], [file.fileno()])
        assert_one_new_token(ada, ended([running]))
    assert sandbox.requests("token:refresh_token") == 1


@pytest.mark.parametrize("wrong", ["another file", "opened again", "another place", "closed", "no numbers"])
def test_what_is_not_the_lock_is_not_taken_for_it(ada, sandbox, handed, tmp_path, wrong):
    other = tmp_path / "other"
    other.write_bytes(b"")
    path = f"{ada.store}.refresh"
    with open(path, "r+b") as file, open(path, "r+b") as again, open(other, "r+b") as copy:
        lock(file, int(handed[5]))
        lock(copy, int(handed[5]))
        given = {"another file": copy, "opened again": again, "another place": again}.get(wrong)
        number = {"closed": 99, "no numbers": "x"}.get(wrong) or given.fileno()
        place = int(handed[5]) + (1 if wrong == "another place" else 0)
        running = whole(ada, [*handed[:4], number, place], [given.fileno()] if given else [])
        assert are_waiting([running]) and sandbox.requests("token:refresh_token") == 0
        lock(file, int(handed[5]), fcntl.F_UNLCK)
        assert_one_new_token(ada, ended([running]))


def test_the_time_that_was_waited_counts(ada, sandbox, handed):
    with open(f"{ada.store}.refresh", "r+b") as file:
        lock(file, int(handed[5]))
        # Who waits from now on is given up later.
        other = whole(ada, [*handed[:3], 0])
        ((status, out, err),) = ended([whole(ada, [handed[0], handed[1], 1, 60_000])])
        assert (status, out) == (6, b"") and other.poll() is None, err
        assert b"waiting for another refresh" in err, err
        other.kill()
        ended([other])
    assert sandbox.requests("token:refresh_token") == 0


def test_the_lock_reaches_no_other_program(ada, handed, tmp_path):
    found = tmp_path / "found"
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\n(ls -l /proc/self/fd; env) > {found}.new\nmv {found}.new {found}\n")
    browser.chmod(0o755)
    with open(f"{ada.store}.refresh", "r+b") as file:
        lock(file, int(handed[5]))
        words = [*handed[:4], file.fileno(), handed[5]]
        running = whole(ada, words, [file.fileno()], ["sign-in", "--via", "browser", "--browser", str(browser)])
        try:
            text = until(lambda: found.exists() and found.read_text())
            assert ".refresh" not in text and "FOYER_HANDOVER" not in text and "HOME=" in text
        finally:
            running.kill()
            ended([running])
