"""What bash, zsh and fish offer for a value, with the generated scripts, at a terminal. Nothing is asked for it: no
provider, no passphrase, no agent that does not run."""

import fcntl
import json
import os
import re
import shutil
import struct
import termios
from pathlib import Path

import pexpect
import pytest
from agents import Agent, questioned, questions
from harness import ADA, FOYER, GRACE, TRY_OUT, UNSAFE, Store, children, until
from waiting import answer_hidden, spawn

SHELLS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed"))
    for name in ("bash", "zsh", "fish")
]
START = {
    "bash": (
        ["--norc", "--noprofile", "-i"],
        "PS1='RE''ADY> '; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; source {script}",
    ),
    "zsh": (
        ["-f", "-i"],
        "PS1='RE''ADY> '; unset zle_bracketed_paste; setopt no_beep no_prompt_cr; autoload -Uz compinit; "
        "compinit -u -d {folder}/dump; source {script}; compdef _foyer foyer",
    ),
    "fish": (["--no-config", "-i"], "function fish_prompt; echo -n 'RE''ADY> '; end; source {script}"),
}

# read(2), and poll(2), select(2) and those like them, as the system numbers them.
CALLS = {"x86_64": "0 7 23 232 270 271 281", "aarch64": "63 22 72 73"}
READ, *WAITS = CALLS[os.uname().machine].split()


class Shell:
    """A shell with the completions of its script."""

    def __init__(self, name, person, folder):
        self.name, self.said = name, folder / "said"
        program = folder / "bin" / "foyer"
        program.parent.mkdir(parents=True)
        script = folder / ("_foyer" if name == "zsh" else f"foyer.{name}")
        written = person.foyer("--generate-completion-script", name)
        assert written.status == 0, written
        script.write_text(written.stdout)
        # Instead of foyer the line that was completed is written down: what is tried is not carried out.
        program.write_text(
            f'#!/bin/sh\ncase $1 in ---completion) exec {FOYER} "$@";; esac\nprintf "%s\\n" "$@" END > {self.said}\n'
        )
        program.chmod(0o755)
        arguments, start = START[name]
        environment = {**person.environment, "PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "xterm"}
        self.child = spawn(person, shutil.which(name), *arguments, env=environment, dimensions=(50, 200))
        self.terminal = os.readlink(f"/proc/{self.child.pid}/fd/0")
        self.child.sendline(start.format(script=script, folder=folder))
        self.child.expect("READY> ")

    def arguments(self, line):
        """What foyer is called with when Tab is pressed after a line, and then Enter."""
        self.said.unlink(missing_ok=True)
        self.child.send(line + "\t")
        until(self._is_waiting, what="completion")
        self.child.send("\n")
        text = until(lambda: self.said.exists() and self.said.read_text().endswith("END\n") and self.said.read_text())
        self.child.expect("READY> ")
        return text.split("\n")[:-2]

    def _is_waiting(self):
        """Whether the shell has read all that was typed, and waits for a key."""
        try:
            self.child.read_nonblocking(65536, timeout=0)
        except pexpect.TIMEOUT:
            pass
        terminal = os.open(self.terminal, os.O_RDONLY | os.O_NOCTTY)
        (unread,) = struct.unpack("i", fcntl.ioctl(terminal, termios.FIONREAD, bytes(4)))
        os.close(terminal)
        process = Path(f"/proc/{self.child.pid}")
        call, *arguments = (process / "syscall").read_text().split()
        if unread or children(self.child.pid) or call not in (READ, *WAITS):
            return False
        return call != READ or os.readlink(process / "fd" / str(int(arguments[0], 16))) in (self.terminal, "/dev/tty")


@pytest.fixture
def people(ada):
    ada.sign_in(GRACE)
    return ada


@pytest.fixture
def shell(request, people, tmp_path):
    shell = Shell(request.param, people, tmp_path / "shell")
    yield shell
    shell.child.close(force=True)


def offered(person, *words, command=None, argument=None, shell=None):
    """What is offered for the last word, as a script asks for it; how often it is one, in any order."""
    words = ["foyer", *words]
    asking = ["---completion", *(command or [words[1]]), "--", argument or words[-2], len(words) - 1, len(words[-1])]
    asked = person.foyer(*asking, *words, env={"SAP_SHELL": shell} if shell else None)
    assert asked.status == 0 and asked.stderr == "", asked
    return [line for line in asked.stdout.split("\n") if line.strip()]


@pytest.mark.parametrize("shell", SHELLS, indirect=True)
def test_values_at_a_terminal(shell, people):
    content = Store(people.store).read()
    for entry in content["AccessToken"].values():
        entry["target"] += " https://graph.microsoft.com/Calendars.Read"
    people.store.write_text(json.dumps(content))
    scope = "--client work --scope https\\://graph" if shell.name == "zsh" else "--client=work --scope https://graph"
    for line, last in [
        ("foyer token --client powers", "powershell"),
        ("foyer token --client azure-cl", "azure-cli"),
        ("foyer token --account gr", GRACE),
        ("foyer token --account ada@c", ADA),
        ("foyer sign-out grace@f", GRACE),
        ("foyer remove ad", ADA),
        ("foyer help exit", "exit-statuses"),
        ("foyer help store mo", "move"),
        ("foyer setup ku", "kubectl"),
        ("foyer token --store file:", f"file:{people.store}"),
        (f"foyer token {scope}", "https://graph.microsoft.com/Calendars.Read"),
    ]:
        assert shell.arguments(line)[-1] == last, line


def test_what_is_offered(people):
    assert offered(people, "token", "--client", "")[:4] == ["cli", "lab", "powershell", "work"]
    assert "azure-cli" in offered(people, "token", "--client", "")
    assert sorted(offered(people, "token", "--account", "")) == [ADA, GRACE]
    assert sorted(offered(people, "remove", "", argument="positional@0")) == [ADA, GRACE]
    assert "User.Read" in offered(people, "token", "--scope", "")
    assert offered(people, "token", "--store", "")[0] == f"file:{people.store}"
    ids = set(re.findall(r"\b[0-9a-f]{4}-[ari][0-9]{3}\b", people.foyer("tokens").stdout))
    assert ids and set(offered(people, "inspect", "--id", "")) == ids


def test_the_line_says_which_store_and_settings(people, tmp_path):
    other = tmp_path / "other.json"
    content = Store(people.store).read()
    for account in content["Account"].values():
        account["username"] = "other@contoso.example"
    other.write_text(json.dumps(content))
    other.chmod(0o600)
    for words in (["--store", str(other)], [f"--store={other}"]):
        assert offered(people, "token", *words, "--account", "") == ["other@contoso.example"]
    settings = tmp_path / "config.toml"
    settings.write_text(f'[clients.elsewhere]\nclient_id = "{TRY_OUT}"\n')
    assert offered(people, "token", "--config", f"'{settings}'", "--client", "")[0] == "elsewhere"


def test_nothing_is_asked_and_nothing_written(people, sandbox):
    requests = sandbox.state()["requests"]
    before = {path: path.lstat().st_mtime_ns for path in people.home.rglob("*")}
    for option in ("--client", "--account", "--scope", "--store"):
        offered(people, "token", option, "")
    assert sandbox.state()["requests"] == requests
    assert {path: path.lstat().st_mtime_ns for path in people.home.rglob("*")} == before


@pytest.fixture
def sealed(people):
    """The store in a sealed file, whose key is held."""
    path = people.home / "sealed"
    move = ["store", "move", "--to", f"encrypted:{path}"]
    child = spawn(people, FOYER, *move)
    for question in ("New passphrase", "Repeat it"):
        answer_hidden(child, question, "correct horse")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, child.before
    yield f"encrypted:{path}"
    people.foyer("store", "lock", "--store", f"encrypted:{path}")


def test_a_locked_store_offers_nobody(people, sealed):
    held = people.foyer("store", "show", "--json", "--store", sealed).json["open"]
    names = offered(people, "token", "--store", sealed, "--account", "")
    assert sorted(names) == ([ADA, GRACE] if held else [])
    assert people.foyer("store", "lock", "--store", sealed).status == 0
    assert offered(people, "token", "--store", sealed, "--account", "") == []
    assert offered(people, "inspect", "--store", sealed, "--id", "") == []


def test_broken_settings_offer_nothing_and_say_nothing(people):
    (people.home / "config" / "foyer" / "config.toml").write_text("client = [}")
    assert offered(people, "token", "--client", "") == []


def positional(person, *command):
    return offered(person, *command, "", command=list(command), argument="positional@0")


def test_what_waits_at_an_agent_is_offered_and_without_one_nothing(people):
    allow = ("agent", "requests", "allow")
    assert positional(people, *allow) == []
    with open(people.home / "config/foyer/config.toml", "a") as settings:
        settings.write('\n[agent]\nconfirm = ["work"]\n')
    Store(people.store).age()
    with Agent(people) as agent:
        agent.start()
        questioned(people, "token", "--silent", "--account", ADA, prepare=Store(people.store).age)
        listed = questions(people)
        # An agent that has no time for it within 5 ms offers nothing.
        assert until(lambda: positional(people, *allow)) == [request["id"] for request in listed]


def test_token_files_are_offered(people):
    path = people.home / "token"
    assert people.foyer("token-file", "add", path, "--account", ADA, "--access-token").status == 0
    for verb in ("remove", "update"):
        assert positional(people, "token-file", verb) == [str(path)]


@pytest.fixture
def hostile(people, tmp_path):
    """Accounts whose names are orders to a shell, or to a terminal."""
    content = Store(people.store).read()
    key, ada = next(iter(content["Account"].items()))
    people.mark = mark = tmp_path / "mark"
    names = [
        f"zz$(touch {mark})@x.example",
        f"zz`touch {mark}`@x.example",
        f"zz;touch {mark}",
        "--store=file:/zz",
        "zz\x1b]0;zz\x07@x.example",
        "zz\u202egro@x.example",
        "zz\n--client\nzz",
        "zz\\",
        "~root",
        "zz'o\"",
    ]
    for number, name in enumerate(names):
        home = f"{number:08}-0000-4000-8000-000000000001.c0000000-0000-4000-8000-00000000c001"
        content["Account"][key + str(number)] = {**ada, "home_account_id": home, "username": name}
        for section in ("AccessToken", "RefreshToken"):
            entry = next(iter(content[section].values()))
            content[section][f"{home}{number}"] = {**entry, "home_account_id": home}
    people.store.write_text(json.dumps(content))
    return people


@pytest.mark.parametrize("shell", [None, "bash", "zsh", "fish"])
def test_names_that_are_orders_are_not_offered(hostile, shell):
    names = offered(hostile, "token", "--account", "", shell=shell)
    assert sorted(re.sub(r"\\(.)", r"\1", name) for name in names) == [ADA, GRACE], names
    assert not UNSAFE.search("".join(names))


@pytest.mark.parametrize("shell", SHELLS, indirect=True)
def test_a_shell_carries_out_no_name(hostile, shell):
    assert shell.arguments("foyer token --account zz")[-1] == "zz"
    assert shell.arguments("foyer token --account gr")[-1] == GRACE
    shell.child.close(force=True)
    assert not hostile.mark.exists()
