"""The tutorial of the library: every listing is built, and every command prints what the tutorial shows."""

import re
import shlex
import shutil
import socket
import subprocess
import threading
from dataclasses import dataclass

import pytest
from embedding import compile_program, manifest
from harness import ADA, LEFT, REPOSITORY
from waiting import PATIENCE

CATALOGUE = REPOSITORY / "Sources" / "SilentFirst" / "SilentFirst.docc"
LISTINGS = CATALOGUE / "Resources"
MANIFEST, SOURCE, TERMINAL = "Package.swift", "Sources/Hello/Hello.swift", "Terminal"
# What the tutorial shows in the place of what differs between two people.
PORT, HOME = 8765, "/home/ada"
# One worker with the other test that compiles and links.
pytestmark = [
    pytest.mark.xdist_group("embedding"),
    pytest.mark.skipif(not shutil.which("swiftc"), reason="there is no compiler here"),
]


@dataclass
class Section:
    title: str
    listings: list  # the name that a listing has for the reader, and its file

    def last(self, name):
        return [file for each, file in self.listings if each == name][-1]

    def runs(self):
        """The files of commands that the program takes part in."""
        files = [file for name, file in self.listings if name == TERMINAL]
        return [file for file in files if "swift run --quiet Hello" in file.read_text()]


def sections():
    text = (CATALOGUE / "SignInFromYourOwnProgram.tutorial").read_text()
    _, *parts = re.split(r'^    @Section\(title: "(.*)"\)', text, flags=re.MULTILINE)
    listing = re.compile(r'@Code\(name: "(.*?)", file: "(.*?)"')
    return [
        Section(title, [(name, LISTINGS / file) for name, file in listing.findall(body)])
        for title, body in zip(parts[::2], parts[1::2], strict=True)
    ]


def neutral(text):
    """Without what differs from one run to the next: device codes and minutes that are left."""
    return re.sub(LEFT + "$", "N min", re.sub(r"type [A-Z0-9]{6,12}$", "type CODE", text, flags=re.M), flags=re.M)


def play(transcript, program, folder, environment):
    """Runs the commands of a transcript in one shell, as a person types them; returns what the terminal then shows.

    `swift run --quiet Hello` runs the program that was compiled for the section; another use of `swift` fails."""
    shim = folder / "bin" / "swift"
    shim.parent.mkdir(exist_ok=True)
    shim.write_text(f'#!/bin/sh\n[ "$1 $2 $3" = "run --quiet Hello" ] || exit 64\nshift 3\nexec {program} "$@"\n')
    shim.chmod(0o755)
    commands = [line[2:] for line in transcript.splitlines() if line.startswith("$ ")]
    # The status of the command before is what "echo $?" prints, in spite of the line that shows the next one.
    lines = ["show() { local status=$?; printf '$ %s\\n' \"$1\"; return $status; }"]
    lines += [f"show {shlex.quote(command)}\n{command}" for command in commands]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    environment = environment | {"PATH": f"{shim.parent}:{environment['PATH']}"}
    command = ["bash", "-c", "\n".join(lines)]
    return subprocess.run(command, cwd=folder, env=environment, timeout=PATIENCE, **streams).stdout


@pytest.fixture
def provider(own_sandbox):
    """The provider as the tutorial starts it, but for its port."""
    (command,) = (LISTINGS / "2-provider.txt").read_text().splitlines()
    before, options = command.split(" foyer-sandbox ")
    assert before == "$ swift run --package-path ../foyer"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert str(PORT) in options
    server = own_sandbox(*options.replace(str(PORT), str(port)).split())
    assert server.port == port
    return server


@pytest.fixture
def somebody_types_the_codes(provider):
    """Ada, who goes to the provider's page with every code that waits."""
    done = threading.Event()

    def approve():
        while not done.wait(0.1):
            for code in provider.waiting_codes():
                provider.approve(code, ADA)

    person = threading.Thread(target=approve)
    person.start()
    yield
    done.set()
    person.join()


def test_each_section_builds_and_prints_what_it_shows(person, provider, somebody_types_the_codes, tmp_path):
    package = tmp_path / "Hello"
    package.mkdir()
    found = sections()
    assert len(found) == 5 and all(section.runs() for section in found)
    for number, section in enumerate(found, 1):
        program = tmp_path / f"built{number}" / "Hello"
        program.parent.mkdir()
        compile_program(section.last(SOURCE), program)
        for file in section.runs():
            shown = file.read_text()
            printed = play(shown.replace(str(PORT), str(provider.port)), program, package, person.environment)
            printed = printed.replace(str(provider.port), str(PORT)).replace(str(person.home), HOME)
            assert neutral(printed) == neutral(shown), f"{section.title}: {file.name}\n{printed}"
    # The sign-in of the second section was the only one.
    assert provider.state()["requests"]["devicecode"] == 1


def test_its_manifests_are_a_program_and_then_that_program_with_the_library(tmp_path):
    folder, shown = tmp_path / "Hello", (LISTINGS / "1-folder.txt").read_text()
    assert all(command.startswith("$ ") for command in shown.splitlines())
    commands = shown.replace("$ ", "")
    made = subprocess.run(
        ["bash", "-ec", commands + "pwd"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert made.stdout.strip() == str(folder), made.stderr
    (first, second) = [file for name, file in sections()[0].listings if name == MANIFEST]
    (folder / SOURCE).write_text("@main struct Hello { static func main() {} }\n")
    for file, dependencies in [(first, []), (second, ["SilentFirst"])]:
        shutil.copy(file, folder / MANIFEST)
        told = manifest(folder, tmp_path / "scratch")
        assert [target["name"] for target in told["targets"]] == ["Hello"]
        needs = [entry["product"] for target in told["targets"] for entry in target["dependencies"]]
        assert [product for product, *_ in needs] == dependencies
        paths = [entry["fileSystem"][0]["path"] for entry in told["dependencies"]]
        # A package by its path is known by the name of its folder.
        assert paths == [str(tmp_path / package) for _, package, *_ in needs]


def test_every_listing_is_in_a_step_and_the_program_of_every_section_is_built():
    steps = [each for section in sections() for each in section.listings]
    assert {file for _, file in steps} == {file for file in LISTINGS.iterdir() if file.suffix in (".swift", ".txt")}
    for section in sections():
        assert sum(name == SOURCE for name, _ in section.listings) == 1, section.title
