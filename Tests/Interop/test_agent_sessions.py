"""An AI agent's session is no person: every door, with the variables of several agents, at Entra ID and elsewhere."""

import tomllib

import pytest
from agents import Agent, questioned, questions
from harness import ADA, FOYER, HEDY, Store, add_settings
from test_endpoint import Endpoint, claims
from test_places import ARM, AZURE, INFO
from waiting import spawn, until

# What each agent sets; a session of the last two has an ID.
AGENTS = {
    "CLAUDECODE": "1",
    "GEMINI_CLI": "1",
    "AI_AGENT": "hal_1",
    "COPILOT_CLI": "1",
    "OPENCODE": "1",
    "CURSOR_AGENT": "1",
    "CODEX_THREAD_ID": "0199-thread",
    "COPILOT_AGENT_SESSION_ID": "s1",
}
HOST = "git.lab.example"
# Of az.
CORE = "https://management.core.windows.net//.default"
RULES = f"""
[[rules]]
host = "{HOST}"
client = "lab"

[[rules]]
host = "pip.lab.example"
client = "lab"

[[rules]]
registry = "registry.lab.example"
client = "lab"

[[rules]]
cluster = "https://x"
client = "lab"
"""
GOOGLE = {
    "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1",
    "GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE": "//iam.googleapis.com/x",
    "GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE": "urn:ietf:params:oauth:token-type:id_token",
    "GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE": "0",
}
CLUSTER = {"KUBERNETES_EXEC_INFO": INFO}
GET = f"protocol=https\nhost={HOST}\n\n".encode()
# Each door to a token of the lab's, an OpenID Connect provider: arguments, input and environment.
LAB = {
    "token": (["token", "--client", "lab"], None, {}),
    "token --silent": (["token", "--silent", "--client", "lab"], None, {}),
    "token --json": (["token", "--json", "--client", "lab"], None, {}),
    "token --force-refresh": (["token", "--force-refresh", "--client", "lab"], None, {}),
    "id-token": (["id-token", "--client", "lab"], None, {}),
    "token-file": (["token-file", "add", "--client", "lab", "lab-token"], None, {}),
    "token-file access": (["token-file", "add", "--access-token", "--client", "lab", "lab-access"], None, {}),
    "git": (["helper", "git", "get"], GET, {}),
    "keyring": (["helper", "keyring", "get", "https://pip.lab.example/simple/", "x"], None, {}),
    "docker": (["helper", "docker", "get"], b"registry.lab.example", {}),
    "kubectl": (["helper", "kubectl"], None, CLUSTER),
    "kubectl --id-token": (["helper", "kubectl", "--id-token"], None, CLUSTER),
    "google": (["helper", "google", "--client", "lab"], None, GOOGLE),
    "run --aws-role": (
        [
            *("run", "--client", "lab", "--aws-role", "arn:aws:iam::123456789012:role/me", "--"),
            *("sh", "-c", 'cat "$AWS_WEB_IDENTITY_TOKEN_FILE"'),
        ],
        None,
        {},
    ),
}
# Doors that answer in a way of their own where they refuse.
QUIET = {"google", "docker"}


@pytest.fixture
def both(person, sandbox, tmp_path):
    """Ada at Entra ID and hedy at the lab, each with tokens in the cache."""
    person.environment["XDG_STATE_HOME"] = str(person.home / "state")
    person.work_settings(sandbox)
    add_settings(person, RULES)
    for client, scope in (("cli", ARM), ("work", ARM), ("work", CORE)):
        person.sign_in(ADA, "--client", client, "--scope", scope)
    person.sign_in(HEDY, "--client", "lab")
    return person


def ask(person, door, env=None, doors=LAB):
    arguments, stdin, own = doors[door]
    return person.foyer(*arguments, stdin=stdin, env={**own, **(env or {})}, cwd=person.home)


def written(person):
    """What is in the token files."""
    files = [person.home / name for name in ("lab-token", "lab-access")]
    return "".join(file.read_text() for file in files if file.exists())


def secrets_of(person):
    """The tokens of persons: those without a session."""
    store = Store(person.store)
    sections = ("AccessToken", "RefreshToken", "IdToken")
    return {
        entry["secret"]
        for section in sections
        for entry in store.section(section).values()
        if "ext_cache_key" not in entry
    }


@pytest.mark.parametrize("door", LAB)
def test_no_door_gives_a_session_the_persons_token(both, sandbox, door):
    if door == "docker":
        # The registry is not there; the token is what matters.
        assert "[[rules]]" not in ask(both, door).stderr
    else:
        mine = ask(both, door)
        assert mine.status == 0, mine
    for name in ("lab-token", "lab-access"):
        if (both.home / name).exists():
            assert both.foyer("token-file", "remove", name, cwd=both.home).status == 0
    before = sandbox.requests("token")
    held = secrets_of(both)
    for variable, value in AGENTS.items():
        refused = ask(both, door, {variable: value})
        said = refused.stdout + refused.stderr + written(both)
        assert not any(secret in said for secret in held), (variable, refused)
        assert variable in said, (variable, refused)
        if door not in QUIET:
            assert refused.status == 3 and "agents = true" in refused.stderr, (variable, refused)
    assert sandbox.requests("token") == before, "a refresh token was sent for a session"


@pytest.mark.parametrize("variable", [*AGENTS, "MY_AGENT"])
def test_at_entra_each_door_gives_a_session_a_token_of_its_own(both, sandbox, variable):
    add_settings(both, '\n[agents]\nvariables = ["MY_AGENT"]\n')
    session = {variable: AGENTS.get(variable, "mine")}
    doors = {
        "token": (["token", "--client", "cli", "--scope", ARM], None, {}),
        "token --silent": (["token", "--silent", "--client", "cli", "--scope", ARM], None, {}),
        "token-file": (
            ["token-file", "add", "--access-token", "--client", "cli", "--scope", ARM, "lab-access"],
            None,
            {},
        ),
        "kubectl": (["helper", "kubectl", "--client", "cli", "--scope", ARM], None, {}),
        "az": (AZURE["az"][0], None, {}),
        "azd": (AZURE["azd"][0], None, {}),
        "run": (AZURE["run"][0], None, {}),
    }
    own = secrets_of(both)
    ids = set()
    for door in doors:
        result = ask(both, door, session, doors)
        assert result.status == 0, (door, result)
        said = result.stdout + written(both)
        assert not any(secret in said for secret in own), (door, result)
        token = next(part for part in said.replace('"', " ").split() if part.startswith("ey"))
        ids.add(claims(token)["xms_cli_sid"])
        again = sandbox.requests("token")
        # A file is there, and kubectl asks again at once only for a token that was refused.
        if door not in ("token-file", "kubectl"):
            assert ask(both, door, session, doors).status == 0 and sandbox.requests("token") == again, door
    assert len(ids) == 1 and (variable not in AGENTS or not variable.endswith("_ID") or ids == {AGENTS[variable]}), ids
    as_id = both.foyer("id-token", "--client", "cli", env=session)
    assert as_id.status == 3 and as_id.stdout == "" and "agents = true" in as_id.stderr, as_id
    # It is apart from the person's, who gets theirs as before.
    mine = both.foyer("token", "--silent", "--client", "cli", "--scope", ARM)
    assert mine.stdout.strip() in own and "xms_cli_sid" not in claims(mine.stdout), mine


def test_the_endpoint_of_a_session_gives_a_token_of_its_own(both):
    both.environment["CLAUDECODE"] = "1"
    status, body = Endpoint(both, "--client", "cli").get(resource="https://management.azure.com")
    assert status == 200 and claims(body["access_token"])["xms_cli_sid"].startswith("claude-code-"), body


def rule_in(text):
    """The rule that a hint says to write."""
    lines = [line.strip() for line in text[text.index("[[rules]]") :].split("\n")]
    return "\n".join(["[[rules]]", *(line for line in lines[1:] if " = " in line)])


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("door", [name for name in LAB if name not in QUIET | {"token --json"}])
def test_the_rule_of_the_hint_allows_the_door(both, door, place):
    session = {"CLAUDECODE": "1"}
    refused = ask(both, door, session)
    assert refused.status == 3, refused
    path = both.home / "config" / "foyer" / "config.toml"
    clients, rules = path.read_text().split("[[rules]]", 1)
    rule = rule_in(refused.stderr)
    if place == "first":
        path.write_text(f"{clients}{rule}\n\n[[rules]]{rules}")
    else:
        path.write_text(f"{clients}[[rules]]{rules}\n\n{rule}\n")
    assert tomllib.loads(path.read_text())["rules"][0 if place == "first" else -1]["agents"] is True
    allowed = ask(both, door, session)
    assert allowed.status == 0, (allowed, path.read_text())
    said = allowed.stdout + written(both)
    assert any(secret in said for secret in secrets_of(both)), allowed


def test_a_rule_can_refuse_sessions_also_at_entra(both):
    add_settings(both, "\n[[rules]]\nagents = false\n")
    for arguments in (["token", "--client", "cli", "--scope", ARM], AZURE["az"][0]):
        refused = both.foyer(*arguments, env={"CLAUDECODE": "1"})
        assert refused.status == 3 and "agents = false" in refused.stderr, refused
        assert both.foyer(*arguments).status == 0


def test_a_rule_below_counts_and_nobodys_token_is_revealed(both):
    session = {"CLAUDECODE": "1"}
    add_settings(both, "\n[[rules]]\nagents = false\n")
    assert ask(both, "git", session).status == 3
    hidden = both.foyer("tokens", "--reveal", env=session)
    assert hidden.status == 3 and hidden.stdout == "" and "may not see your tokens" in hidden.stderr, hidden
    assert both.foyer("tokens", env=session).status == 0 and both.foyer("tokens", "--reveal").status == 0
    allowing = both.foyer("agent", "requests", "allow", "1", env=session)
    assert allowing.status == 3 and "in your place" in allowing.stderr, allowing


def test_a_reply_that_is_none_is_no_refusal(both):
    session = {"CLAUDE_CODE_SESSION_ID": "u-1"}
    child = at_terminal(both, "helper", "git", "get", env=session)
    child.expect(f"account +{HEDY} by lab")
    child.expect_exact("Number: ")
    child.sendeof()
    child.expect("all done")
    again = at_terminal(both, "helper", "git", "get", env=session)
    again.expect_exact("Number: ")
    again.sendline("2")
    again.expect("password=")
    again.expect("all done")


def test_a_token_that_is_allowed_once_is_not_kept_in_a_file(both):
    """The file outlives the session."""
    session = {"CLAUDE_CODE_SESSION_ID": "u-1"}
    child = spawn(both, FOYER, "token", "--client", "lab", env={**both.environment, **session})
    child.expect_exact("Number: ")
    child.sendline("2")
    child.expect("ey[A-Za-z0-9_-]+[.]")
    path = both.home / "file"
    add = ["token-file", "add", "--access-token", "--client", "lab", str(path)]
    refused = both.foyer(*add, env=session)
    assert refused.status == 3 and "agents = true" in refused.stderr and not path.exists(), refused
    add_settings(both, '\n[[rules]]\nprogram = "foyer"\nclient = "lab"\nagents = true\n')
    assert both.foyer(*add, env=session).status == 0 and path.exists()


def at_terminal(person, *arguments, env):
    # Standard error is the terminal; standard input is what git wrote.
    line = f"printf 'protocol=https\\nhost={HOST}\\n\\n' | {FOYER} {' '.join(arguments)}; echo all done"
    return spawn(person, "/bin/sh", "-c", line, env={**person.environment, **env})


@pytest.mark.parametrize("reply", ["1", "2", "3", "4"], ids=["not now", "once", "always", "never"])
def test_one_question_for_a_session_and_a_place(both, reply):
    session = {"CLAUDE_CODE_SESSION_ID": "u-1"}
    other = {"CLAUDE_CODE_SESSION_ID": "u-2"}
    child = at_terminal(both, "helper", "git", "get", env=session)
    child.expect_exact("an AI agent's session (Claude Code, by CLAUDE_CODE_SESSION_ID) asks for your token")
    child.expect_exact("git at " + HOST)
    child.expect_exact("agents = true")
    child.expect_exact("Number: ")
    child.sendline(reply)
    child.expect("all done")
    assert ("password=" in child.before) == (reply in "23"), child.before
    # It is asked no more in this session; without a rule another session and another place are.
    child = at_terminal(both, "helper", "git", "get", env=session)
    child.expect("all done")
    assert "Number:" not in child.before and ("password=" in child.before) == (reply in "23"), child.before
    assert ask(both, "git", session).status == (0 if reply in "23" else 3)
    assert ask(both, "git", other).status == (0 if reply == "3" else 3)
    assert ask(both, "keyring", session).status == 3
    assert ask(both, "git").status == 0
    settings = tomllib.loads((both.home / "config/foyer/config.toml").read_text())
    assert [rule.get("agents") for rule in settings["rules"]][:1] == {"3": [True], "4": [False]}.get(reply, [None])


def test_foyer_token_asks_once_for_a_session(both):
    session = {**both.environment, "CLAUDECODE": "1"}
    refused = both.foyer("token", "--silent", "--client", "lab", env={"CLAUDECODE": "1"})
    assert refused.status == 3 and 'program = "foyer"' in refused.stderr, refused
    child = spawn(both, FOYER, "token", "--client", "lab", env=session)
    child.expect_exact("Number: ")
    child.sendline("2")
    child.expect("ey[A-Za-z0-9_-]+[.]")
    child.expect("\n")
    child = spawn(both, FOYER, "token", "--silent", "--client", "lab", env=session)
    child.expect("ey[A-Za-z0-9_-]+[.]")


@pytest.mark.parametrize("answer, status", [("allow", 0), ("refuse", 3), ("--always", 0)])
def test_a_person_at_an_interface_is_asked_through_the_agent(both, answer, status):
    session = {"CODEX_THREAD_ID": "t1"}
    with Agent(both) as agent:
        agent.start()
        # Nobody looks at the agent: the program is not kept waiting.
        assert ask(both, "git", session).status == 3
        assert questions(both) == []
        both.environment["TERM"] = "xterm-256color"
        child = spawn(both, FOYER, dimensions=(24, 80))
        until((agent.path.parent / "interface.lock").exists)
        both.environment["CODEX_THREAD_ID"] = "t1"
        running, question = questioned(both, "token", "--client", "lab")
        del both.environment["CODEX_THREAD_ID"]
        # With the ID: another session of the same agent is another question.
        assert "by CODEX_THREAD_ID), t1" in question["asker"] and question["account"] == HEDY, question
        words = ["allow", question["id"], "--always"] if answer == "--always" else [answer, question["id"]]
        assert both.foyer("agent", "requests", *words).status == 0
        assert running.end().status == status
        again = both.foyer("token", "--silent", "--client", "lab", env=session)
        assert again.status == status, again
        elsewhere = both.foyer("token", "--silent", "--client", "lab", env={"CODEX_THREAD_ID": "t2"})
        assert elsewhere.status == (0 if answer == "--always" else 3)
        child.close(force=True)


def test_an_agent_that_a_session_has_started_serves_persons(both):
    with Agent(both) as agent:
        both.environment["CLAUDECODE"] = "1"
        agent.start()
        del both.environment["CLAUDECODE"]
        Store(both.store).age()
        mine = agent.answers("token", "--json", "--silent", "--client", "lab", prepare=Store(both.store).age)
        assert mine.status == 0, mine
        # And a session's token comes through it as its own.
        Store(both.store).age()
        own = both.foyer("token", "--client", "cli", "--scope", ARM, env={"CODEX_THREAD_ID": "t1"})
        assert own.status == 0 and claims(own.stdout)["xms_cli_sid"] == "t1", own


def test_explanations_name_the_session_and_its_variable(both):
    session = {"GEMINI_CLI": "1"}
    why = both.foyer("why", "git", f"https://{HOST}", env=session)
    assert why.status == 3 and "(Gemini CLI, by GEMINI_CLI)" in why.stdout and "agents = true" in why.stderr, why
    why = both.foyer("why", "git", f"https://{HOST}", "--json", env=session).json["agentSession"]
    assert (why["variable"], why["access"]) == ("GEMINI_CLI", "unanswered"), why
    assert both.foyer("why", "git", f"https://{HOST}", "--json").json["agentSession"] is None
    dry = both.foyer("token", "--dry-run", "--client", "lab", env=session)
    assert dry.status == 3 and "by GEMINI_CLI" in dry.stdout and "agents = true" in dry.stderr, dry
    dry = both.foyer("token", "--dry-run", "--json", "--client", "cli", "--scope", ARM, env=session)
    assert dry.status == 0 and dry.json["agentSession"]["access"] == "own", dry
    for command in ("run", "endpoint"):
        assert "by GEMINI_CLI" in both.foyer(command, "--explain", env=session).stdout
        assert both.foyer(command, "--explain", "--json", env=session).json["agentSession"]["agent"] == "Gemini CLI"


def test_two_runs_of_an_agent_without_an_id_are_two_sessions(both):
    """The process without the variable that starts all others is the agent."""
    script = "CLAUDECODE=1 sh -c '{0} token --client cli --scope {1}; sh -c \"{0} token --client cli --scope {1}\"'"
    ids = []
    for _ in range(2):
        ran = both.foyer("-c", script.format(FOYER, ARM) + "; :", program="/bin/sh")
        first, second = (claims(line)["xms_cli_sid"] for line in ran.stdout.split())
        assert first == second, ran
        ids.append(first)
    assert len(set(ids)) == 2 and all(name.startswith("claude-code-") for name in ids), ids


def test_a_session_whose_id_cannot_be_sent_gets_nothing(both):
    for variable in ("COPILOT_AGENT_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"):
        for value in ("x" * 300, "a b"):
            for arguments in (LAB["token --silent"][0], AZURE["az"][0], LAB["id-token"][0]):
                refused = both.foyer(*arguments, env={variable: value})
                assert refused.status not in (0, 3) and refused.stdout == "" and variable in refused.stderr, refused


def test_variables_of_the_settings_of_agents_mark_nobody(both):
    names = ["CLAUDE_CONFIG_DIR", "ANTHROPIC_API_KEY", "CODEX_HOME", "GEMINI_API_KEY", "CURSOR_TRACE_ID"]
    assert ask(both, "token --silent", dict.fromkeys(names, "x")).status == 0
    assert ask(both, "git", {"CLAUDECODE": "", "AGENT": "007"}).status == 0
