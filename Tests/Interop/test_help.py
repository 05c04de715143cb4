"""Help as it arrives: in a pipe, at a terminal, without UTF-8, and for a name that does not exist."""

import re
import subprocess

import pytest
from harness import FOYER
from waiting import spawn

LIST = """keys, settings, stores, exit-statuses, scripting, providers, programs, git, azure, kubectl, docker, pip, mail,
aws, identities, agent, broker, security, architecture, changes""".replace("\n", " ")
TOPICS = LIST.split(", ")


def test_an_unknown_topic_is_wrong_usage_and_lists_the_topics(person):
    result = person.foyer("help", "nonsense")
    assert result.status == 64 and not result.stdout, result
    assert 'no help for "nonsense"' in result.stderr and LIST in result.stderr, result
    mistyped = person.foyer("tokne")
    assert mistyped.status == 64 and 'did you mean "token"?' in mistyped.stderr, mistyped


@pytest.mark.parametrize("name", ["helper", "token-file", "agent", "broker"])
def test_a_command_that_does_nothing_alone_is_wrong_usage(person, name):
    result = person.foyer(name)
    assert result.status == 64 and not result.stdout, result
    assert f"foyer {name}: missing subcommand" in result.stderr and f"foyer {name} --help" in result.stderr, result


def test_help_lists_commands_and_topics_and_is_the_same_as_the_option(person):
    result = person.foyer("help")
    assert result.status == 0 and result.stdout == person.foyer("--help").stdout, result
    assert all(f"\n  {name} " in result.stdout for name in [*TOPICS, "token", "accounts", "doctor"]), result
    assert person.foyer("help", "token").stdout.strip() == person.foyer("token", "--help").stdout.strip()


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_in_a_pipe_is_plain_text_within_eighty_columns(person, topic):
    result = person.foyer("help", topic, env={"LC_ALL": "C.UTF-8", "PAGER": "false"})
    lines = result.stdout.split("\n")
    assert result.status == 0 and len(lines) > 30 and lines[0].isupper(), result
    assert all(len(line) <= 80 for line in lines)
    assert "\x1b" not in result.stdout and "```" not in result.stdout, result


@pytest.mark.parametrize("topic", TOPICS)
def test_a_locale_without_utf_8_gets_ascii(person, topic):
    result = person.foyer("help", topic, env={"LC_ALL": "C"})
    assert result.status == 0 and result.stdout.isascii(), result


def shown(person, *arguments, **variables):
    """What a terminal of 24 lines and 80 columns gets, and the exit status."""
    environment = {**person.environment, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **variables}
    child = spawn(person, FOYER, *arguments, env=environment)
    text = child.read().replace("\r\n", "\n")
    child.close()
    return text, child.exitstatus


def test_long_help_goes_through_the_pager_of_the_person(person):
    text, status = shown(person, "help", "keys", PAGER="sed s/^/PAGED:/")
    assert status == 0 and all(line.startswith("PAGED:") for line in text.split("\n")[:-1]), text


def test_the_pager_inherits_the_environment_as_it_was(person):
    # What the program changes for itself before it begins is not handed on.
    for value in ("", "enable=no"):
        text, _ = shown(person, "help", "keys", PAGER="cat > /dev/null; env", SWIFT_BACKTRACE=value)
        assert re.findall(r"SWIFT_BACKTRACE=(\S*)", text) == [value]
    text, _ = shown(person, "help", "keys", PAGER="cat > /dev/null; env")
    assert "SWIFT_BACKTRACE" not in text


def test_a_pager_that_is_not_there_loses_no_help(person):
    text, status = shown(person, "help", "keys", PAGER="no-such-pager")
    assert status == 0 and "CHANGE A KEY" in text, text


def test_headings_are_bold_at_a_terminal_unless_colour_is_unwanted(person):
    assert "\x1b[1mKEYS\x1b[0m" in shown(person, "help", "keys", PAGER="cat")[0]
    for arguments, variables in [(["help", "keys"], {"NO_COLOR": "1"}), (["help", "keys", "--no-color"], {})]:
        assert "\x1b" not in shown(person, *arguments, PAGER="cat", **variables)[0]


def test_a_dumb_terminal_gets_the_text_itself(person):
    text, status = shown(person, "help", "keys", PAGER="sed s/^/PAGED:/", TERM="dumb")
    assert status == 0 and "PAGED" not in text and "\x1b" not in text and text.startswith("KEYS\n"), text


def test_help_that_cannot_be_written_is_no_success(person):
    with open("/dev/full", "w") as full:
        command = [str(FOYER), "help", "keys"]
        result = subprocess.run(command, env=person.environment, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 1 and b"cannot write to standard output" in result.stderr
