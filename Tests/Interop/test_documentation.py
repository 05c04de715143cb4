"""What the documentation names is there: each command with its options, and each file that a page links to."""

import json
import re
import shlex

import pytest
from harness import REPOSITORY, Person

PAGES = sorted([REPOSITORY / "README.md", *REPOSITORY.glob(".github/*.md"), *REPOSITORY.glob("Sources/*/*.docc/*.md")])


def commands(text):
    """The command lines of foyer in a page: what stands as code in a sentence, and in listings of the shell."""
    inline = re.findall(r"`(foyer\s[^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    listed = "".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)).replace("\\\n", " ")
    for line in [*inline, *re.split(r"[|;&()\n]", listed)]:
        words = shlex.split(line, comments=True)
        if words and words[0].split("/")[-1] == "foyer":
            yield words


def unknown(words, command):
    """The words of a command line that are neither a command nor an option of the commands before; what stands for
    something is written in capital letters or follows an option."""
    # The parser's own, which it does not list.
    options = {"--generate-completion-script": True, "--help": False}
    waits = False
    for word in words:
        for argument in command.get("arguments", []):
            names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names", [])]
            options |= dict.fromkeys(names, argument["kind"] == "option")
        if any(argument.get("parsingStrategy") == "allRemainingInput" for argument in command.get("arguments", [])):
            return  # All words are another program's.
        children = {child["commandName"]: child for child in command.get("subcommands", [])}
        if waits:
            waits = False
        elif word == "--":
            return
        elif word.startswith("-") and word != "-":
            name, equals, _ = word.partition("=")
            if name not in options:
                yield word
            waits = options.get(name, False) and not equals
        elif word in children:
            command = children[word]
        elif not any(argument["kind"] == "positional" for argument in command.get("arguments", [])):
            if not word.isupper():
                yield word


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    person = Person(tmp_path_factory.mktemp("documentation"))
    return json.loads(person.foyer("--experimental-dump-help").stdout)["command"]


def test_every_command_that_is_named_exists_and_takes_its_options(tree):
    named = [(page.name, words) for page in PAGES for words in commands(page.read_text())]
    assert len(named) > 100
    assert [(page, words) for page, words in named if list(unknown(words[1:], tree))] == []


@pytest.mark.parametrize("line", ["tokne", "token --sielnt", "agent stop --now", "setup git --no"])
def test_what_does_not_exist_is_found(tree, line):
    assert len(list(unknown(line.split(), tree))) == 1


def test_every_link_to_a_file_leads_to_one():
    links = [
        (page, link)
        for page in PAGES
        for link in re.findall(r"\]\(([^)#]+)", page.read_text())
        if not re.match(r"[a-z]+:", link)
    ]
    assert len(links) > 5
    assert [(page.name, link) for page, link in links if not (page.parent / re.sub(r"\s+", "", link)).exists()] == []
