"""System calls that fail when a test says so: `faults` compiles faults.c once and gives the environment of a program
that is to meet them."""

import errno
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from waiting import PATIENCE

SOURCE = Path(__file__).resolve().with_name("faults.c")


def rule(call, path, code=errno.EIO, nth=1, lasts=False):
    """One call that fails: the nth of a process whose path contains `path`; with `lasts` all after it, too. The code
    "kill" ends the process there."""
    return f"{call} {nth}{'+' if lasts else ''} {code} {path}"


class Faults:
    def __init__(self, folder):
        self.library, self.folder, self.logs = folder / "faults.so", folder, 0
        compiler = shutil.which("cc") or shutil.which("clang")
        assert compiler, "the tests need a C compiler"
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-O1", "-o", self.library, SOURCE, "-ldl"], check=True, timeout=PATIENCE
        )

    def meet(self, *rules):
        """The environment in which these rules hold."""
        return {"LD_PRELOAD": str(self.library), "FAULTS": "\n".join(rules)}

    def watch(self, path):
        """The environment in which every call on such a path is written down, and what reads it: a list of pairs, call
        and path."""
        self.logs += 1
        log = self.folder / f"log{self.logs}"
        environment = {"LD_PRELOAD": str(self.library), "FAULTS_LOG": str(log), "FAULTS_WATCH": str(path)}
        return (
            environment,
            lambda: [tuple(line.split(" ", 1)) for line in log.read_text().splitlines()] if log.exists() else [],
        )

    def journal(self, path):
        """The environment in which every change below such a path is written down, and what reads the lines."""
        self.logs += 1
        log = self.folder / f"journal{self.logs}"
        environment = {"LD_PRELOAD": str(self.library), "FAULTS_JOURNAL": str(log), "FAULTS_WATCH": str(path)}
        return environment, lambda: log.read_text().splitlines() if log.exists() else []


def power_cuts(journal, before):
    """The files as a power cut may leave them: a list of {path: content}.

    A journalled file system keeps names in the order in which they were made, and of a file what was synced; what
    was not is lost."""
    names = {path: path for path in before}
    written, durable = {path: bytearray(content) for path, content in before.items()}, dict(before)
    states, source = [], None
    for line in journal:
        what, *words = line.split(" ")
        if what in ("create", "link"):
            if what == "create" and words[1] not in names:
                written[words[0]], durable[words[0]] = bytearray(), b""
            if what == "link" or words[1] not in names:
                names[words[1]] = words[0]
        elif what == "nameless":
            written[words[0]], durable[words[0]] = bytearray(), b""
        elif what == "write" and words[0] in written:
            place, content = int(words[1]), bytes.fromhex(words[2])
            written[words[0]][place : place + len(content)] = content
        elif what == "truncate" and words[0] in written:
            del written[words[0]][int(words[1]) :]
        elif what == "sync" and words[0] in written:
            durable[words[0]] = bytes(written[words[0]])
        elif what == "from":
            source = words[0]
        elif what == "rename":
            names[words[0]] = names.pop(source)
        elif what == "unlink":
            names.pop(words[0], None)
        state = {path: durable[number] for path, number in names.items()}
        if what != "from" and state not in states:
            states.append(state)
    return states


def each(calls, everything=bool(os.environ.get("EVERY_FAULT"))):
    """The calls of a log as (call, part of the path, number), so that each of them can be made to fail by itself.

    In the short run only the first and the last of a kind on one file: what is between them is the same code.
    """
    seen, found = Counter(), []
    for call, path in calls:
        name = kind(path)
        seen[call, name] += 1
        found.append((call, name, seen[call, name]))
    return [one for one in found if everything or one[2] in (1, seen[one[:2]])]


def kind(path):
    """The path as a rule names it in every run: without the number of a process, or of a file that has no name."""
    folder, _, name = path.removesuffix(" (deleted)").rpartition("/")
    if name.startswith("#"):
        return folder + "/#"
    head, mark, _ = name.partition(".tmp.")
    return f"{folder}/{head}{mark or '$'}"


@pytest.fixture(scope="session")
def faults(tmp_path_factory):
    return Faults(tmp_path_factory.mktemp("faults"))
