"""The public interface of the library: each symbol is documented, and what changes is said to be breaking or not.

Tests/PublicInterface has what each module declares, a line each. After an intended change, rewrite it, look at the
difference, and describe in the commit what breaks:

    UPDATE_INTERFACE=1 Tests/run packaging -k interface
"""

import functools
import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from site_script import MODULES, TOP, load

RECORD = TOP / "Tests/PublicInterface"
LIBRARY = ["Identity", "Explain", "SilentFirst", "SilentFirstTesting"]
REQUIREMENT = " (requirement)"
pytestmark = [
    pytest.mark.xdist_group("site"),
    pytest.mark.skipif(not shutil.which("swift"), reason="there is no compiler here"),
]


@functools.cache
def graphs(module):
    """What the compiler says of a module and of its extensions of other modules."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "graph"
        load().symbols(module, MODULES, folder)
        return [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]


def path(symbol):
    return ".".join(symbol["pathComponents"])


def interface(module):
    """A line for each declaration, and one for each conformance."""
    lines = set()
    for graph in graphs(module):
        symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
        relations = graph["relationships"]
        required = {each["source"] for each in relations if each["kind"] == "requirementOf"}
        required -= {each["target"] for each in relations if each["kind"] == "defaultImplementationOf"}
        for name, symbol in symbols.items():
            if symbol["kind"]["identifier"] == "swift.extension":
                continue
            fragments = symbol["declarationFragments"]
            declared = " ".join("".join(fragment["spelling"] for fragment in fragments).split())
            lines.add(f"{path(symbol)} | {declared}{REQUIREMENT if name in required else ''}")
        for each in relations:
            if each["kind"] == "conformsTo" and each["source"] in symbols:
                target = symbols.get(each["target"])
                protocol = path(target) if target else each["targetFallback"]
                lines.add(f"{path(symbols[each['source']])} : {protocol}")
    return lines


def breaks(line, before):
    """Whether a new line breaks programs that compile: they switch over the cases of an enum, and have every
    requirement of a protocol."""
    name, _, declared = line.partition(" | ")
    owner = name.rpartition(".")[0]
    was_there = any(each.startswith(f"{owner} | ") for each in before)
    return was_there and (declared.startswith(("case ", "indirect case ")) or declared.endswith(REQUIREMENT))


def differences(before, now):
    """What differs, worst first."""
    gone = [f"breaking: - {line}" for line in sorted(before - now)]
    new = [f"{'breaking' if breaks(line, before) else 'addition'}: + {line}" for line in sorted(now - before)]
    return gone + sorted(new, key=lambda line: line.startswith("addition"))


@pytest.mark.parametrize("module", LIBRARY)
def test_the_public_interface_is_the_recorded_one(module):
    record, now = RECORD / f"{module}.txt", interface(module)
    if os.environ.get("UPDATE_INTERFACE"):
        RECORD.mkdir(exist_ok=True)
        record.write_text("".join(f"{line}\n" for line in sorted(now)))
    found = differences(set(record.read_text().splitlines()), now)
    advice = "if that is meant: UPDATE_INTERFACE=1 Tests/run packaging -k interface"
    assert not found, "\n".join([f"{module} differs from {record.relative_to(TOP)}", *found, advice])


@pytest.mark.parametrize("module", LIBRARY)
def test_every_symbol_of_the_public_interface_is_documented(module):
    symbols = [symbol for graph in graphs(module) for symbol in graph["symbols"]]
    assert len(symbols) > 10
    bare = [
        path(each) for each in symbols if "docComment" not in each and each["kind"]["identifier"] != "swift.extension"
    ]
    assert not bare, f"{module}: no documentation comment: {', '.join(sorted(bare))}"


BEFORE = {"Code | enum Code", "Code.a | case a", "Store | protocol Store", "Code : Swift.Hashable", "f() | func f()"}


@pytest.mark.parametrize(
    "gone, new, said",
    [
        (set(), {"g() | func g()"}, ["addition: + g() | func g()"]),
        ({"f() | func f()"}, set(), ["breaking: - f() | func f()"]),
        ({"Code : Swift.Hashable"}, set(), ["breaking: - Code : Swift.Hashable"]),
        (
            {"f() | func f()"},
            {"f() | func f() throws"},
            ["breaking: - f() | func f()", "addition: + f() | func f() throws"],
        ),
        (set(), {"Code.b | case b"}, ["breaking: + Code.b | case b"]),
        (set(), {"New | enum New", "New.a | case a"}, ["addition: + New | enum New", "addition: + New.a | case a"]),
        (
            set(),
            {f"Store.load() | func load(){REQUIREMENT}", "Store.all() | func all()"},
            [f"breaking: + Store.load() | func load(){REQUIREMENT}", "addition: + Store.all() | func all()"],
        ),
    ],
)
def test_a_change_of_the_interface_is_breaking_or_an_addition(gone, new, said):
    assert differences(BEFORE, BEFORE - gone | new) == said
