"""What .packaging/release makes of the programs: complete, signed, the same each time, and not before its owner has
named what only the owner can."""

import json
import os
import re
import shutil
import subprocess
import time
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
from test_package import PROGRAMS, TOP, run

MAINTAINER = "Ada Example <ada@foyer.invalid>"
MOMENT = 1767225600


def release(folder: Path, *words, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ("DEBEMAIL", "DEBFULLNAME")}
    return subprocess.run(
        [TOP / ".packaging/release", folder, "--programs", PROGRAMS, "--level", "0", *words],
        env=clean | {"SOURCE_DATE_EPOCH": str(MOMENT)} | environment,
        capture_output=True,
        text=True,
        timeout=1800,
    )


@contextmanager
def key(name: str, until: str):
    """An environment in which gpg has a key of June 2025, in a folder with a path that is short enough for a socket."""
    home = Path("/tmp") / f"foyer-gpg-{os.getpid()}-{name}"
    home.mkdir(mode=0o700)
    words = [
        "gpg",
        "--homedir",
        home,
        "--batch",
        "--quiet",
        "--passphrase",
        "",
        "--faked-system-time",
        "20250601T000000",
    ]
    try:
        run(*words, "--quick-generate-key", "release@foyer.invalid", "ed25519", "sign", until)
        yield {"GNUPGHOME": str(home)}
    finally:
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"])
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def gpg():
    with key("new", "never") as environment:
        yield environment


def make(folder: Path, gpg: dict, *words) -> Path:
    signed = ["--key", "release@foyer.invalid", "--unlicensed", "--maintainer", MAINTAINER]
    done = release(folder, *signed, *words, **gpg)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="session")
def released(tmp_path_factory, gpg) -> Path:
    return make(tmp_path_factory.mktemp("released"), gpg)


@pytest.fixture(scope="session")
def bill(released) -> dict:
    [file] = released.glob("*.spdx.json")
    return json.loads(file.read_text())


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.xdist_group("packaging")
def test_the_same_programs_and_key_give_the_same_release(released, gpg, tmp_path):
    again = contents(make(tmp_path / "again", gpg))
    first = contents(released)
    assert again.keys() == first.keys() and [name for name in first if again[name] != first[name]] == []


@pytest.mark.xdist_group("packaging")
def test_what_only_the_owner_can_name_is_asked_for(tmp_path):
    done = release(tmp_path / "new")
    assert done.returncode == 78 and not list((tmp_path / "new").iterdir())
    has_license = run(TOP / ".packaging/copyright", "--own") if list(TOP.glob("LICENSE*")) else ""
    assert ("no license" in done.stderr) == (not has_license)
    assert "no maintainer" in done.stderr and "no key" in done.stderr
    # Each alone stops it as well.
    for words in (["--unlicensed", "--unsigned"], ["--unlicensed", "--maintainer", MAINTAINER]):
        assert release(tmp_path / "new", *words).returncode == 78
    done = release(tmp_path / "new", "--unlicensed", "--unsigned", "--maintainer", "nobody")
    assert done.returncode == 64 and not list((tmp_path / "new").iterdir())


@pytest.mark.xdist_group("packaging")
def test_a_key_that_has_expired_signs_nothing(tmp_path):
    # At the time of the sources it is valid.
    with key("old", "20260201T000000") as environment:
        words = ["--unlicensed", "--maintainer", MAINTAINER, "--key", "release@foyer.invalid"]
        done = release(tmp_path / "new", *words, **environment)
    assert done.returncode == 1 and "expired" in done.stderr and not list((tmp_path / "new").iterdir())


@pytest.mark.xdist_group("packaging")
def test_the_signatures_and_checksums_cover_everything(released):
    repository = released / "apt"
    keys = ["gpgv", "--quiet", "--keyring", repository / "foyer-archive-keyring.gpg"]
    run(*keys, released / "SHA256SUMS.asc", released / "SHA256SUMS")
    run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=released)
    listed = {line.split("  ", 1)[1] for line in (released / "SHA256SUMS").read_text().splitlines()}
    assert listed == contents(released).keys() - {"SHA256SUMS", "SHA256SUMS.asc"}
    index = repository / "dists/stable"
    run(*keys, index / "Release.gpg", index / "Release")
    assert run(*keys, "--output", "-", index / "InRelease") == (index / "Release").read_text()
    # A byte more, and none of it holds.
    changed = released.parent / "changed"
    changed.write_bytes((index / "Release").read_bytes() + b"\n")
    assert subprocess.run([*map(str, keys), index / "Release.gpg", changed], capture_output=True).returncode != 0


def apt(folder: Path, repository: Path):
    """apt-get and apt-cache for a system that has this repository alone."""
    for name in ("state/lists/partial", "cache/archives/partial", "etc"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    signed = f"[signed-by={repository}/foyer-archive-keyring.gpg]"
    (folder / "sources").write_text(f"deb {signed} file:{repository} stable main\n")
    options = {
        "Dir::State": folder / "state",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "Dir::Etc::sourcelist": folder / "sources",
        "Dir::Etc::sourceparts": folder / "etc",
        "APT::Sandbox::User": "",
        # Images for continuous integration may switch them off.
        "Acquire::Check-Valid-Until": "true",
        "Acquire::Check-Date": "true",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    return lambda program, *more: subprocess.run(
        [program, *map(str, words), *more], capture_output=True, text=True, timeout=600
    )


def renew(folder: Path, gpg: dict, moment: int):
    return subprocess.run(
        [TOP / ".packaging/release", folder, "--renew", "--key", "release@foyer.invalid"],
        env=os.environ | {"SOURCE_DATE_EPOCH": str(moment)} | gpg,
        capture_output=True,
        text=True,
        timeout=600,
    )


def times(folder: Path) -> list[int]:
    """Date and Valid-Until of the index."""
    text = (folder / "apt/dists/stable/Release").read_text()
    return [
        int(parsedate_to_datetime(re.search(f"^{name}: (.*) UTC$", text, re.MULTILINE).group(1) + " +0000").timestamp())
        for name in ("Date", "Valid-Until")
    ]


@pytest.fixture
def current(released, gpg, tmp_path) -> Path:
    """The release, renewed today."""
    folder = tmp_path / "current"
    shutil.copytree(released, folder)
    done = renew(folder, gpg, int(time.time()))
    assert done.returncode == 0 and "apt takes it until" in done.stdout, done
    return folder


@pytest.mark.xdist_group("packaging")
def test_apt_finds_both_packages_in_the_repository(current, tmp_path):
    run_apt = apt(tmp_path, current / "apt")
    done = run_apt("apt-get", "update", "--error-on=any")
    assert done.returncode == 0, done
    version = run(PROGRAMS / "foyer", "--version").split()[1]
    for name in ("foyer", "foyer-demo"):
        assert f"| {version} |" in re.sub(" +", " ", run_apt("apt-cache", "madison", name).stdout)
        assert f"Maintainer: {MAINTAINER}" in run_apt("apt-cache", "show", name).stdout


@pytest.mark.xdist_group("packaging")
def test_apt_takes_the_repository_for_ninety_days_until_it_is_renewed(released, gpg, tmp_path):
    assert times(released) == [MOMENT, MOMENT + 90 * 86400]
    folder = tmp_path / "copy"
    shutil.copytree(released, folder)
    now = int(time.time())
    for age, status in ((91, 100), (89, 0), (0, 0)):
        moment = now - age * 86400
        assert renew(folder, gpg, moment).returncode == 0
        assert times(folder) == [moment, moment + 90 * 86400]
        done = apt(tmp_path / f"apt{age}", folder / "apt")("apt-get", "update", "--error-on=any")
        assert done.returncode == status and ("expired" in done.stderr) == (status != 0), done


@pytest.mark.xdist_group("packaging")
def test_renewing_changes_the_dates_alone(released, current, gpg):
    before, after = contents(released), contents(current)
    changed = {name for name in after if after[name] != before.get(name)}
    assert before.keys() == after.keys()
    signed = {f"apt/dists/stable/{name}" for name in ("Release", "InRelease", "Release.gpg")}
    assert changed == signed | {"SHA256SUMS", "SHA256SUMS.asc"}
    repository = current / "apt"
    keys = ["gpgv", "--quiet", "--keyring", repository / "foyer-archive-keyring.gpg"]
    run(*keys, current / "SHA256SUMS.asc", current / "SHA256SUMS")
    run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=current)
    run(*keys, repository / "dists/stable/Release.gpg", repository / "dists/stable/Release")


@pytest.mark.xdist_group("packaging")
@pytest.mark.parametrize("change", ["a package", "a file more", "another signer"])
def test_only_what_the_key_has_signed_before_is_signed_again(released, gpg, tmp_path, change):
    folder = tmp_path / "copy"
    shutil.copytree(released, folder)
    if change == "a package":
        package = next((folder / "apt/pool").iterdir())
        package.write_bytes(package.read_bytes() + b"\n")
    elif change == "a file more":
        (folder / "apt/pool/more.deb").touch()
    before = contents(folder)
    if change == "another signer":
        with key("other", "never") as other:
            done = renew(folder, other, MOMENT)
    else:
        done = renew(folder, gpg, MOMENT)
    assert done.returncode == 1 and contents(folder) == before, done


@pytest.mark.xdist_group("packaging")
def test_the_repository_keeps_earlier_versions(released, gpg, tmp_path):
    earlier = tmp_path / "earlier"
    root = tmp_path / "root"
    for package in released.glob("*.deb"):
        run("dpkg-deb", "--raw-extract", package, root)
        control = root / "DEBIAN/control"
        control.write_text(re.sub(r"^Version: .*$", "Version: 0.0.1", control.read_text(), flags=re.MULTILINE))
        earlier.mkdir(exist_ok=True)
        run("dpkg-deb", "-Znone", "--build", root, earlier)
        shutil.rmtree(root)
    index = next(make(tmp_path / "new", gpg, "--packages", earlier).glob("apt/dists/stable/main/*/Packages"))
    stanzas = index.read_text().strip().split("\n\n")
    assert len(stanzas) == 4 and sum("\nVersion: 0.0.1\n" in stanza for stanza in stanzas) == 2
    # A version is made once.
    done = release(tmp_path / "twice", "--unlicensed", "--unsigned", "--maintainer", MAINTAINER, "--packages", released)
    assert done.returncode == 1 and "is also in" in done.stderr


@pytest.mark.xdist_group("packaging")
def test_the_bill_of_materials_has_every_package_of_the_build(bill):
    pins = json.loads((TOP / "Package.resolved").read_text())["pins"]
    expected = {
        (pin["location"].removesuffix(".git").split("/")[-1], pin["state"]["version"], pin["state"]["revision"])
        for pin in pins
    }
    packages = {one["SPDXID"]: one for one in bill["packages"]}
    below = [one["relatedSpdxElement"] for one in bill["relationships"] if one["relationshipType"] == "DEPENDS_ON"]
    found = {
        (one["name"], one["versionInfo"], one["downloadLocation"].rsplit("@", 1)[1])
        for one in (packages[name] for name in below)
    }
    assert len(pins) > 10 and found == expected
    assert [packages[name]["name"] for name in below if packages[name]["licenseDeclared"] == "NOASSERTION"] == []


@pytest.mark.xdist_group("packaging")
def test_a_library_is_in_the_bill_where_a_program_carries_it(bill):
    needed = run("readelf", "--dynamic", PROGRAMS / "foyer-main")
    carried = {one["relatedSpdxElement"] for one in bill["relationships"] if one["relationshipType"] == "STATIC_LINK"}
    for name, library in (("ncurses", "libncursesw.so"), ("libqrencode", "libqrencode.so")):
        assert (f"SPDXRef-Package-{name}" in carried) == (library not in needed)


@pytest.mark.xdist_group("packaging")
def test_the_bill_of_materials_is_valid(released):
    """By the library of those who wrote the format."""
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    [file] = released.glob("*.spdx.json")
    assert validate_full_spdx_document(parse_file(str(file))) == []


@pytest.mark.xdist_group("packaging")
def test_the_notes_are_those_of_the_version(released):
    version = run(PROGRAMS / "foyer", "--version").split()[1]
    text = (TOP / "Sources/foyer/foyer.docc/Changelog.md").read_text()
    section = text.split(f"\n## {version}\n", 1)[1].split("\n## ")[0].strip()
    assert (released / "RELEASE-NOTES.md").read_text() == f"# foyer {version}\n\n{section}\n"
