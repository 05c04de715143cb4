"""How the tests wait: for an event, with an end that is far away, and never for a time. What a test claims about time
it shows as a count or an order, or `Tests/benchmarks` measures it."""

import os
import subprocess
import time

import pexpect

# Seconds after which a wait is given up, here and in child processes and requests. They only guard against a hang, and
# suffice on a machine that is busy with other work.
PATIENCE = int(os.environ.get("FOYER_PATIENCE", "300"))


def attempt(find, seconds=1):
    """The answer that counts, or the last one if none does so soon; for what is then tried again."""
    deadline = time.monotonic() + seconds
    while True:
        found = find()
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.02)


def until(find, what="it"):
    """Asks again and again until there is an answer that counts, and returns it."""
    found = attempt(find, PATIENCE)
    assert found, f"{what} did not happen within {PATIENCE} s"
    return found


def linger(seconds):
    """Gives what must not happen the time to happen. On a busy machine a mistake may be missed here, and nothing fails
    that is right."""
    time.sleep(seconds)


def completed(command, **more):
    """A program that has ended, with its output as text."""
    return subprocess.run(command, **{"capture_output": True, "text": True, "timeout": PATIENCE, **more})


def spawn(person, program, *arguments, **form):
    """A program at a terminal of the person's, whose output is waited for."""
    form = {"env": person.environment, "encoding": "utf-8", "dimensions": (24, 80), "timeout": PATIENCE, **form}
    return pexpect.spawn(str(program), [str(argument) for argument in arguments], **form)


def answer_hidden(child, question, text):
    """Answers a question at a terminal that must not show the answer."""
    child.expect(question)
    assert child.waitnoecho(PATIENCE), "what is typed is shown"
    child.send(text + "\r")
