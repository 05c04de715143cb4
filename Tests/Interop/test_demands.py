"""A server that demands more than its place has: one question, and never a wider token without it."""

import json
import tomllib
from concurrent.futures import ThreadPoolExecutor

import pytest
from agents import Agent, questions
from git_server import OAuthGitServer
from harness import FOYER, HEDY, Store, add_settings, until
from test_git_credential import Git, member, newer_request
from waiting import PATIENCE, spawn

CURL = "curl -sL -o /dev/null %s"


@pytest.fixture
def place(person, sandbox, tmp_path):
    """A git host at a plain OAuth server, whose rule names no scopes; hedy is signed in with two."""
    (tmp_path / "served").mkdir()
    person.settings(
        f'[clients.plain]\nclient_id = "oauth-public"\nauthority = "{sandbox.base}/as/one"\nkind = "oauth2"\n'
        'scopes = ["profile", "notes.read"]\n'
    )
    person.sign_in(HEDY, "--client", "plain")
    sandbox.control("auto", {"username": HEDY})
    person.environment["BROWSER"] = CURL
    server = OAuthGitServer(tmp_path / "served", sandbox, "as/one", scheme="basic")
    add_settings(person, f'\n[[rules]]\nhost = "{server.host}"\nclient = "plain"\n')
    yield Git(person, server, tmp_path)
    server.stop()


def demanding(place, scopes="admin", error="insufficient_scope"):
    challenge = f'wwwauth[]=Bearer error="{error}", scope="{scopes}"'
    return [*newer_request(place.server.host), "state[]=foyer:1", challenge]


def script(lines):
    text = "".join(line + "\\n" for line in lines).replace('"', '\\"')
    return f'printf "{text}" | git-credential-foyer get; echo all done'


def scopes_of(person, token):
    return {
        tuple(sorted(e["target"].split()))
        for e in Store(person.store).section("AccessToken").values()
        if e["secret"] == token
    }


def grant_of(person, said):
    return scopes_of(person, said.split("credential=")[1].split()[0])


def test_without_a_terminal_nothing_is_sent_and_the_rule_to_write_is_told(place, person, sandbox):
    before = sandbox.state()["requests"]
    lines, errors = place.helper("get", *demanding(place))
    assert lines == ["quit=1"] and "requires more scopes: admin" in errors, errors
    assert 'scopes = ["profile", "notes.read", "admin"]' in errors
    assert sandbox.state()["requests"] == before


def test_the_persons_wider_token_is_not_given_to_the_place(place, person, sandbox):
    wide = person.foyer(
        "token", "--via", "browser", "--browser", CURL, "--scope", "profile notes.read admin", "--force-refresh"
    )
    if wide.status != 0:
        wide = person.foyer("sign-in", "--via", "browser", "--browser", CURL, "--scope", "profile notes.read admin")
    assert wide.status == 0, wide
    held = {e["secret"]: e["target"].split() for e in Store(person.store).section("AccessToken").values()}
    assert any("admin" in scopes for scopes in held.values())
    # Not by a demand, and not by an ordinary request: its refresh asks for the place's scopes alone.
    lines, errors = place.helper("get", *demanding(place))
    assert lines == ["quit=1"], lines
    lines, errors = place.helper("get", *newer_request(place.server.host))
    given = member(lines, "credential")
    assert scopes_of(person, given) == {("notes.read",)}, (lines, errors)
    count = sandbox.requests("token:refresh_token")
    assert member(place.helper("get", *newer_request(place.server.host))[0], "credential") == given
    # The person keeps the wide one, from the cache.
    mine = person.foyer("token", "--silent", "--json", "--scope", "admin")
    assert mine.status == 0 and mine.json["source"] == "cache", mine
    assert sandbox.requests("token:refresh_token") == count


@pytest.mark.parametrize("reply", ["1", "", "7", "4"], ids=["not now", "nothing", "another number", "never"])
def test_a_refused_demand_opens_nothing_and_costs_nothing(place, person, sandbox, reply):
    before = sandbox.requests("authorize")
    child = place.at_terminal(script(demanding(place)))
    child.expect_exact("asks for more")
    child.expect("wants +admin")
    child.expect_exact("Number: ")
    child.sendline(reply)
    if reply == "7":
        child.expect_exact("Number: ")
        child.sendeof()
    child.expect("all done")
    assert "credential=" not in child.before and "quit=1" in child.before
    child.wait()
    assert sandbox.requests("authorize") == before
    settings = tomllib.loads((person.home / "config/foyer/config.toml").read_text())
    scopes = [rule.get("scopes") for rule in settings["rules"]]
    assert scopes == ([["profile", "notes.read"], None] if reply == "4" else [None])
    if reply == "4":
        _, errors = place.helper("get", *demanding(place))
        assert "sets the scopes profile notes.read" in errors, errors
    assert "credential=" in str(place.helper("get", *newer_request(place.server.host))[0])


def test_once_is_for_this_request_alone(place, person, sandbox):
    child = place.at_terminal(script(demanding(place)))
    child.expect_exact("Number: ")
    child.sendline("2")
    child.expect("all done")
    assert grant_of(person, child.before) == {("admin", "notes.read")}, child.before
    child.wait()
    lines, _ = place.helper("get", *demanding(place))
    assert lines == ["quit=1"]
    lines, _ = place.helper("get", *newer_request(place.server.host))
    assert scopes_of(person, member(lines, "credential")) == {("notes.read",)}


def test_always_writes_the_rule_that_was_shown(place, person, sandbox):
    child = place.at_terminal(script(demanding(place)))
    child.expect_exact('scopes = ["profile", "notes.read", "admin"]')
    child.expect_exact("Number: ")
    child.sendline("3")
    child.expect("all done")
    assert grant_of(person, child.before) == {("admin", "notes.read")}, child.before
    child.wait()
    lines, errors = place.helper("get", *newer_request(place.server.host))
    assert scopes_of(person, member(lines, "credential")) == {("admin", "notes.read")}, errors
    lines, errors = place.helper("get", *demanding(place, "notes.write"))
    assert lines == ["quit=1"] and "sets the scopes" in errors


@pytest.mark.parametrize("words, wants", [(["allow"], "once"), (["allow", "--always"], "always"), (["refuse"], "")])
def test_in_an_open_interface_the_question_comes_first(place, person, sandbox, words, wants):
    """No page opens for the challenge alone; the sign-in that it needs is shown after the answer."""
    with Agent(person) as agent:
        agent.start()
        before = sandbox.state()["requests"]
        lines, _ = place.helper("get", *demanding(place))
        assert lines == ["quit=1"] and questions(person) == []
        person.environment["TERM"] = "xterm-256color"
        child = spawn(person, FOYER, dimensions=(24, 80))
        until((agent.path.parent / "interface.lock").exists)
        # As git starts it, without a terminal.
        helper = ThreadPoolExecutor().submit(place.helper, "get", *demanding(place))
        question = until(lambda: questions(person))[0]
        assert question["scopes"] == "admin" and "wants more than notes.read" in question["asker"], question
        assert sandbox.state()["requests"] == before
        assert person.foyer("agent", "requests", words[0], question["id"], *words[1:]).status == 0
        lines, errors = helper.result(PATIENCE)
        assert ("credential=" in "".join(lines)) == bool(wants), (lines, errors)
        settings = tomllib.loads((person.home / "config/foyer/config.toml").read_text())
        scopes = [rule.get("scopes") for rule in settings["rules"]]
        assert scopes[0] == (["profile", "notes.read", "admin"] if wants == "always" else None), scopes
        child.close(force=True)


def test_a_stronger_sign_in_is_asked_about_before_a_page_opens(place, person, sandbox):
    lines = demanding(place, error="insufficient_user_authentication")
    before = sandbox.requests("authorize")
    child = place.at_terminal(script(lines))
    child.expect_exact("Sign in now? [y/N]")
    child.sendline("")
    child.expect("all done")
    child.wait()
    assert sandbox.requests("authorize") == before


def test_a_scope_of_another_resource_is_never_given(person, sandbox, tmp_path):
    (tmp_path / "served").mkdir()
    person.work_settings(sandbox)
    person.sign_in()
    server = OAuthGitServer(tmp_path / "served", sandbox, "as/one", scheme="basic")
    git = Git(person, server, tmp_path)
    try:
        add_settings(person, f'\n[[rules]]\nhost = "{server.host}"\nclient = "work"\n')
        before = json.dumps(sandbox.state()["requests"])
        lines, errors = git.helper("get", *demanding(git, "https://management.azure.com/user_impersonation"))
        assert lines == ["quit=1"] and "of another resource" in errors, errors
        child = git.at_terminal(script(demanding(git, "https://management.azure.com/user_impersonation")))
        child.expect("all done")
        assert "Number" not in child.before and "of another resource" in child.before
        child.wait()
        assert json.dumps(sandbox.state()["requests"]) == before
    finally:
        server.stop()
