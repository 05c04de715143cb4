"""What holds for every helper, each of which some client needs: what is on which stream, what is read, how long a token
must still live."""

import json
import os
import subprocess

import pytest
from harness import ADA, FOYER, TRY_OUT, Store, add_settings
from test_endpoint import GRAPH
from test_kubectl import SCOPE as AKS
from waiting import PATIENCE

# The name that it is called by, its arguments, and what the protocol sends on standard input.
HELPERS = {
    "git": ("git-credential-foyer", ["get"], "protocol=https\nhost=host.example\n"),
    "kubectl": ("kubectl-foyer", ["--scope", AKS], None),
    "kubectl with an ID token": ("kubectl-foyer", ["--id-token"], None),
    "kubelogin": (
        "kubelogin",
        f"get-token --server-id {AKS.removesuffix('/.default')} --client-id {TRY_OUT} --authority-host HOST".split(),
        None,
    ),
    "az": ("az", ["account", "get-access-token", "--resource", GRAPH], None),
    "azd": ("azd", ["auth", "token", "--output", "json", "--scope", GRAPH + "/.default"], None),
    "keyring": ("keyring", ["get", "https://host.example/simple/", "me"], None),
    "google": ("foyer", ["helper", "google"], None),
    "foyer token": ("foyer", ["token", "--silent"], None),
    "foyer id-token": ("foyer", ["id-token"], None),
}
# What gives ID tokens: theirs live as long as the sign-in says.
OF_ID_TOKENS = ("kubectl with an ID token", "google", "foyer id-token")


@pytest.fixture
def helper(person, sandbox):
    programs = person.home / "bin"
    programs.mkdir()
    for name in {name for name, _, _ in HELPERS.values()}:
        (programs / name).symlink_to(FOYER)
    person.environment["PATH"] = f"{programs}:{os.environ['PATH']}"
    person.work_settings(sandbox)
    add_settings(person, f'\n[[rules]]\nhost = "host.example"\naccount = "{ADA}"\n\n[[rules]]\ncluster = "*"\n')

    def start(which, stdin=None, **environment):
        name, arguments, text = HELPERS[which]
        words = [sandbox.base if word == "HOST" else word for word in arguments]
        return subprocess.Popen(
            [str(programs / name), *words],
            env=person.environment | environment,
            cwd="/",
            stdin=subprocess.PIPE if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ), text

    return start


def sign_in(person):
    for scope in (GRAPH + "/.default", AKS):
        person.sign_in(ADA, "--scope", scope)
    person.sign_in(ADA)
    person.sign_in(ADA, "--client", "cli", "--scope", GRAPH + "/.default")


def answer(process, text):
    out, err = process.communicate(text, timeout=PATIENCE)
    return process.returncode, out, err


@pytest.mark.parametrize("which", HELPERS)
def test_the_answer_stands_alone_on_standard_output_and_nothing_on_standard_error(helper, person, which):
    sign_in(person)
    status, out, err = answer(*helper(which))
    assert status == 0 and out and err == "", (out, err)
    if out.startswith("{"):
        json.loads(out)
    else:
        assert "\n\n" not in out and out.endswith("\n")
    # The same after a refresh.
    Store(person.store).age()
    status, out, err = answer(*helper(which))
    assert status == 0 and out and err == "", (out, err)


@pytest.mark.parametrize("which", [which for which, (_, _, text) in HELPERS.items() if text is None])
def test_standard_input_is_not_read_where_the_protocol_sends_nothing(helper, person, which):
    sign_in(person)
    reading, writing = os.pipe()
    os.write(writing, b"a mail, or what a person types\n")
    process, _ = helper(which, stdin=reading)
    status, out, err = answer(process, None)
    assert status == 0 and out, err
    # All of it is there for whoever comes next.
    assert os.read(reading, 100) == b"a mail, or what a person types\n"
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("which", HELPERS)
def test_without_a_person_it_fails_with_an_empty_answer_and_what_to_run(helper, person, which):
    status, out, err = answer(*helper(which))
    if which == "google":
        assert status == 0 and "foyer sign-in" in json.loads(out)["message"]
        return
    assert "foyer sign-in" in err, err
    # git is told to ask nobody else; its exit status is nothing that git looks at.
    assert out == ("quit=1\n" if which == "git" else "") and status == 3, (out, err)


@pytest.mark.parametrize("which", [which for which in HELPERS if which not in OF_ID_TOKENS])
def test_a_token_that_is_about_to_end_is_refreshed_first(helper, person, sandbox, which):
    sign_in(person)
    Store(person.store).age(seconds_left=200)
    before = sandbox.requests("token:refresh_token")
    status, out, err = answer(*helper(which))
    assert status == 0 and sandbox.requests("token:refresh_token") == before + 1, (out, err)


@pytest.mark.parametrize("which", HELPERS)
def test_no_token_is_in_its_arguments_or_in_what_it_keeps(helper, person, which):
    sign_in(person)
    process, text = helper(which)
    arguments = open(f"/proc/{process.pid}/cmdline").read()
    answer(process, text)
    secrets = Store(person.store).secrets()
    kept = [path for path in (person.home / ".local").rglob("*") if path.is_file()]
    for secret in secrets:
        assert secret not in arguments
        for path in kept:
            assert secret.encode() not in path.read_bytes(), path
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
