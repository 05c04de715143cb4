"""A program of another package that embeds the library: Tests/EmbeddedClient, which knows nothing of foyer and must
show nothing of it.

Its package depends on this repository by path."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from embedding import COMPILING, compile_program, manifest, module_flags, resolved
from harness import ADA, REPOSITORY, TRY_OUT
from waiting import PATIENCE

PACKAGE = REPOSITORY / "Tests" / "EmbeddedClient"
PRODUCT = "TidePlanner/2.1"
# What only somebody at foyer's command line could make anything of.
COMMAND_LINE = re.compile(r"foyer|silent-first-example|run \"|(?<![\w-])--[a-z]|SSL_CERT_FILE|HTTPS?_PROXY")
# One worker, so that the program is compiled once.
pytestmark = [
    pytest.mark.xdist_group("embedding"),
    pytest.mark.skipif(not shutil.which("swiftc"), reason="there is no compiler here"),
]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    program = tmp_path_factory.mktemp("embedded") / "EmbeddedClient"
    compile_program(PACKAGE / "Sources" / "EmbeddedClient" / "main.swift", program)
    return program


def run(client, person, verb, sandbox):
    """How it ended, the token, and all that it said, which is nothing of foyer; who signs in is approved."""
    process = subprocess.Popen(
        [client, verb, sandbox.authority(), TRY_OUT, person.home / "planner"],
        env=person.environment,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    said = ""
    for line in process.stderr:
        said += line
        if line.startswith("open "):
            sandbox.approve(line.split()[-1], ADA)
    token = process.stdout.read()
    found = COMMAND_LINE.search(said)
    assert not found, said[max(0, found.start() - 80) : found.end() + 80]
    made = {path.relative_to(person.home).parts[0] for path in person.home.rglob("*") if path.is_file()}
    assert made <= {"planner"}, made
    return process.wait(PATIENCE), token, said


def test_its_package_depends_on_this_repository_by_path_and_on_nothing_but_the_library(tmp_path):
    theirs = manifest(PACKAGE, tmp_path)
    (dependency,) = theirs["dependencies"]
    assert dependency["fileSystem"][0]["path"] == str(REPOSITORY)
    (target,) = theirs["targets"]
    ((product, package, *_),) = [entry["product"] for entry in target["dependencies"]]
    assert (product, package) == ("SilentFirst", dependency["fileSystem"][0]["nameForTargetDependencyResolutionOnly"])
    (library,) = [found for found in manifest(REPOSITORY, tmp_path)["products"] if found["name"] == "SilentFirst"]
    source = (PACKAGE / "Sources" / "EmbeddedClient" / "main.swift").read_text()
    imported = set(re.findall(r"^import (\w+)$", source, re.MULTILINE))
    assert "library" in library["type"] and imported - {"Glibc"} <= set(library["targets"])


def test_its_package_resolves_what_the_library_needs_and_nothing_for_the_programs(tmp_path):
    packages = resolved(PACKAGE, tmp_path) - {REPOSITORY.name}
    ours = json.loads((REPOSITORY / ".build/workspace-state.json").read_text())["object"]["dependencies"]
    left_out = {each["packageRef"]["identity"] for each in ours} - packages
    assert left_out == {"swift-argument-parser", "tomlkit", "hummingbird", "swift-metrics"}
    assert {"async-http-client", "swift-crypto"} <= packages


def test_without_the_trait_of_the_programs_no_target_of_the_library_has_an_unsafe_flag(tmp_path):
    described = manifest(REPOSITORY, tmp_path)
    targets = {target["name"]: target for target in described["targets"]}
    (library,) = [product["targets"] for product in described["products"] if product["name"] == "SilentFirst"]
    waiting, seen = list(library), set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [entry["byName"][0] for entry in targets[name]["dependencies"] if "byName" in entry]
    unsafe = [each for name in seen for each in targets[name]["settings"] if "unsafeFlags" in each["kind"]]
    # In a build of this repository they are there, so that the programs are as fast as they can be.
    assert len(seen) > 5 and unsafe
    assert [each for each in unsafe if each.get("condition", {}).get("traits") != ["Programs"]] == []


def test_where_nobody_is_signed_in_or_the_store_cannot_be_used_it_says_so_in_its_own_words(client, person, sandbox):
    status, token, said = run(client, person, "silent", sandbox)
    assert status == 1 and token == ""
    assert "TidePlanner does not know you yet.\nChoose Account, Sign in.\nfailure: interactionRequired: " in said
    (person.home / "planner" / "tokens.json").mkdir(parents=True)
    status, token, said = run(client, person, "silent", sandbox)
    assert status == 1 and token == "" and "failure: storeError: " in said and "next step: " in said, said


def test_it_signs_in_by_device_code_and_then_gets_the_token_without_asking(client, person, own_sandbox):
    server = own_sandbox()
    status, token, said = run(client, person, "sign-in", server)
    assert status == 0 and len(token) > 100 and f"{ADA}, from interactive\nclaims: checked\n" in said, said
    before = server.state()
    # Browsers and control requests leave no name there, so that whoever asked was the program.
    assert before["userAgents"] == [PRODUCT] and before["skus"] == [PRODUCT]
    assert before["requests"]["token:device_code"] >= 1
    assert (person.home / "planner" / "tokens.json").is_file()
    assert all("foyer" not in path.name for path in person.home.rglob("*"))

    status, again, said = run(client, person, "silent", server)
    assert status == 0 and again == token and f"{ADA}, from cache\nclaims: cached\n" in said, said
    assert server.state()["requests"] == before["requests"]


FAILURES = [
    ("denied", "token:device_code", {}, "cancelled"),
    ("expired", "token:device_code", {}, "interactionRequired"),
    ("error", "token:device_code", {"error": "unauthorized_client"}, "serverError"),
    ("override", "token:device_code", {"fields": {"id_token": "e30.e30.AA"}}, "untrustedResponse"),
    ("status", "discovery", {"status": 503}, "unavailable"),
    ("html", "discovery", {}, "untrustedResponse"),
]


@pytest.mark.parametrize("kind, endpoint, members, code", FAILURES)
def test_a_failure_and_its_hint_name_no_command_of_foyer(client, person, sandbox, kind, endpoint, members, code):
    sandbox.fault(kind, endpoint=endpoint, **members)
    status, token, said = run(client, person, "sign-in", sandbox)
    assert status == 1 and token == "" and f"failure: {code}: " in said and "next step: " in said, said


def test_no_text_of_the_library_names_a_command_of_foyer(client):
    # Texts that no test provokes are in the program as well. The one exception is how a kind of file begins.
    texts = client.read_bytes().replace(b"foyer providers", b"")
    assert re.findall(rb"run \"foyer|foyer [a-z][a-z-]*|[^\w-]--via", texts) == []


# MARK: What no program can make


def typechecks(folder, text, *flags):
    (folder / "snippet.swift").write_text(text)
    check = ["swiftc", "-typecheck", *module_flags(), *flags, folder / "snippet.swift"]
    told = subprocess.run(check, capture_output=True, text=True, timeout=COMPILING)
    return told.returncode == 0, told.stderr


CHECKED_CLAIMS = 'import Identity\nlet made = CheckedClaims(passed: Claims(), subject: "mallory")'


@pytest.mark.parametrize("packages", [None, b'{"pins":[]}'])
def test_what_names_the_packages_compiles_in_a_fresh_clone_and_after_a_build(tmp_path, packages):
    """Git ignores Package.resolved, and only a build of this repository writes it."""
    place = tmp_path / "Sources" / "CBuild"
    shutil.copytree(REPOSITORY / "Sources" / "CBuild", place)
    if packages is not None:
        (tmp_path / "Package.resolved").write_bytes(packages)
    clang = Path(shutil.which("swift")).resolve().parent / "clang"
    (tmp_path / "main.c").write_text(
        '#include "Sources/CBuild/build.h"\nint main(void) { size_t n; foyer_build_packages(&n); return (int)n; }\n'
    )
    compile_main = [clang, "-o", "main", "main.c", place / "build.c"]
    built = subprocess.run(compile_main, cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert subprocess.run([tmp_path / "main"]).returncode == len(packages or b"")


MADE = {
    "claims": CHECKED_CLAIMS,
    "ID token": "import Identity\nimport Wire\n"
    'func made(_ claims: CheckedClaims) -> IDToken { IDToken(claims: claims, secret: Secret("")) }',
    "user info": 'import Identity\nimport Wire\nlet made = UserInfo(claims: Claims(), subject: "mallory")',
}


@pytest.mark.parametrize("made", MADE)
def test_in_this_package_nobody_but_the_check_makes_what_was_checked(tmp_path, made):
    works, told = typechecks(tmp_path, MADE[made], "-package-name", REPOSITORY.name.lower())
    refusal = "initializer is inaccessible due to '(@_spi|fileprivate|private)' protection level"
    assert not works and re.search(refusal, told), told


def test_a_program_that_embeds_the_library_makes_no_checked_claims(tmp_path):
    works, told = typechecks(tmp_path, CHECKED_CLAIMS)
    assert not works and "initializer is inaccessible due to '@_spi' protection level" in told, told


def test_a_program_of_this_package_sees_what_is_only_for_the_package(tmp_path):
    """Without it the tests above could pass for another reason than the one that they are about."""
    text = 'import Identity\nlet made = Failure(.cancelled, "cancelled")'
    works, told = typechecks(tmp_path, text, "-package-name", REPOSITORY.name.lower())
    assert works, told
    assert not typechecks(tmp_path, text)[0]
