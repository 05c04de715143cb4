"""What .packaging/build makes of the programs: installed, run and removed as a person does."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("FOYER_BIN", TOP / ".build/debug"))


def run(*words, **options) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=1800, **options)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def pack(folder: Path, programs: Path, **environment) -> Path:
    """Quickly, since how hard is compressed is not what is tested."""
    words = [TOP / ".packaging/build", folder, "--programs", programs, "--level", 0]
    # Before the first commit of a copy without history there is no time to take.
    run(*words, env=os.environ | {"SOURCE_DATE_EPOCH": "1767225600"} | environment)
    return folder


@pytest.fixture(scope="session")
def packed(tmp_path_factory) -> Path:
    return pack(tmp_path_factory.mktemp("packed"), PROGRAMS)


@pytest.fixture(scope="session")
def package(packed) -> Path:
    [package] = packed.glob("foyer_*.deb")
    return package


@pytest.fixture(scope="session")
def demo(packed) -> Path:
    """The package with the local provider."""
    [package] = packed.glob("foyer-demo_*.deb")
    return package


@pytest.fixture(scope="session")
def unpacked(package, demo, tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("unpacked")
    for each in (package, demo):
        run("dpkg-deb", "--extract", each, root)
    return root


def files(package: Path) -> set[str]:
    lines = run("dpkg-deb", "--contents", package).splitlines()
    return {line.split()[5].removeprefix("./") for line in lines if not line.startswith("d")}


def person(home: Path) -> dict:
    return {"HOME": str(home), "XDG_RUNTIME_DIR": str(home), "PATH": "/usr/bin:/bin", "TERM": "xterm-256color"}


@pytest.mark.xdist_group("packaging")
def test_the_same_programs_give_the_same_bytes(packed, tmp_path):
    """From another folder, in another time zone and language, by somebody with another mask."""
    programs, folder = tmp_path / "programs", tmp_path / "elsewhere"
    programs.mkdir()
    folder.mkdir()
    for name in ("foyer", "foyer-main", "foyer-sandbox"):
        shutil.copy(PROGRAMS / name, programs / name)
    mask = os.umask(0o077)
    try:
        pack(tmp_path / "again", programs, TMPDIR=str(folder), TZ="Asia/Tokyo", LANG="de_DE.UTF-8")
    finally:
        os.umask(mask)
    made = sorted(file.name for file in packed.iterdir())
    assert len(made) == 4 and made == sorted(file.name for file in (tmp_path / "again").iterdir())
    for name in made:
        assert (packed / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


@pytest.mark.xdist_group("packaging")
@pytest.mark.parametrize("program", ["usr/bin/foyer-sandbox", "usr/libexec/foyer/foyer-main"])
def test_stripping_keeps_what_hardens_a_program(unpacked, program):
    segments = run("readelf", "--wide", "--program-headers", unpacked / program)
    assert "GNU_RELRO" in segments and "DYN (" in segments
    assert "BIND_NOW" in run("readelf", "--wide", "--dynamic", unpacked / program)


@pytest.mark.xdist_group("packaging")
def test_packed_relocations_need_the_c_library_that_reads_them(packed, unpacked):
    package = next(packed.glob("foyer_*.deb"))
    needs = run("readelf", "--wide", "--version-info", unpacked / "usr/libexec/foyer/foyer-main")
    least = re.search(r"libc6 \(>= 2\.(\d+)\)", run("dpkg-deb", "--field", package, "Depends"))
    assert int(least[1]) >= (36 if "GLIBC_ABI_DT_RELR" in needs else 0)


@pytest.mark.xdist_group("packaging")
def test_an_unpacked_package_runs(unpacked, tmp_path):
    foyer = unpacked / "usr/bin/foyer"
    assert run(foyer, "--version", env=person(tmp_path)).startswith("foyer ")
    # That is the whole program's, which is in another folder.
    assert run(foyer, "accounts", "--json", env=person(tmp_path)).strip() == '{"accounts":[]}'


@pytest.mark.xdist_group("packaging")
def test_the_tarball_has_what_the_packages_have(packed, unpacked):
    [tarball] = packed.glob("*.tar.xz")
    lines = run("tar", "--list", "--verbose", "--file", tarball).splitlines()
    assert all(line.split()[1] == "0/0" for line in lines)
    listed = {line.split()[5].partition("/")[2].rstrip("/") for line in lines} - {""}
    ours = {str(path.relative_to(unpacked / "usr")) for path in (unpacked / "usr").rglob("*")}
    assert ours - listed == {"share/doc/foyer-demo", "share/lintian/overrides/foyer-demo"} and not listed - ours


@pytest.mark.xdist_group("packaging")
def test_the_local_provider_is_a_package_of_its_own(package, demo, tmp_path):
    provider = {
        "usr/bin/foyer-sandbox",
        "usr/share/bash-completion/completions/foyer-sandbox",
        "usr/share/doc/foyer-demo",
        "usr/share/fish/vendor_completions.d/foyer-sandbox.fish",
        "usr/share/lintian/overrides/foyer-demo",
        "usr/share/man/man1/foyer-sandbox.1.gz",
        "usr/share/zsh/vendor-completions/_foyer-sandbox",
    }
    assert files(demo) == provider and not [file for file in files(package) if "sandbox" in file]
    version = run("dpkg-deb", "--field", package, "Version").strip()
    assert f"foyer (= {version})" in run("dpkg-deb", "--field", demo, "Depends")
    for field in ("Breaks", "Replaces"):
        assert run("dpkg-deb", "--field", demo, field).strip() == f"foyer (<< {version})"
    # A person who has foyer alone is told what to install.
    run("dpkg-deb", "--extract", package, tmp_path)
    words = ["script", "-qec", f"{tmp_path}/usr/bin/foyer demo", "/dev/null"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800, env=person(tmp_path))
    assert done.returncode == 8 and "install the package foyer-demo" in done.stdout
    assert "starting" not in done.stdout


@pytest.mark.xdist_group("packaging")
@pytest.mark.parametrize(
    "shell, file",
    [
        ("bash", "bash-completion/completions/foyer"),
        ("zsh", "zsh/vendor-completions/_foyer"),
        ("fish", "fish/vendor_completions.d/foyer.fish"),
    ],
)
def test_shells_read_the_completion(unpacked, shell, file):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = unpacked / "usr/share" / file
    assert "sign-in" in script.read_text()
    run(shell, "-n", script)


@pytest.mark.xdist_group("packaging")
def test_units_start_the_installed_program(unpacked, tmp_path):
    units = unpacked / "usr/lib/systemd/user"
    names = {unit.name for unit in units.iterdir()}
    assert names == {"foyer-agent.service", "foyer-agent.socket", "foyer-agent-forward.socket"}
    service = (units / "foyer-agent.service").read_text()
    assert 'ExecStart="/usr/bin/foyer" agent --foreground\n' in service
    assert "Written by" not in "".join(unit.read_text() for unit in units.iterdir())
    # Where it is verified the program is elsewhere.
    for unit in units.iterdir():
        (tmp_path / unit.name).write_text(unit.read_text().replace("/usr/bin/foyer", f"{unpacked}/usr/bin/foyer"))
    if shutil.which("systemd-analyze"):
        run("systemd-analyze", "--user", "verify", *sorted(tmp_path.iterdir()), env=os.environ | person(tmp_path))
    example = unpacked / "usr/share/doc/foyer/examples/com.microsoft.identity.broker1.service"
    assert 'Exec="/usr/bin/foyer" broker --foreground\n' in example.read_text()
    assert not (unpacked / "usr/share/dbus-1").exists()


@pytest.mark.xdist_group("packaging")
def test_installing_and_removing_leaves_nothing(package, demo, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("dpkg installs for root only")
    root = tmp_path / "root"
    (root / "var/lib/dpkg/info").mkdir(parents=True)
    (root / "var/lib/dpkg/updates").mkdir()
    (root / "var/lib/dpkg/status").touch()
    # What it depends on is not in that root.
    dpkg = ["dpkg", f"--root={root}", "--force-depends", f"--log={tmp_path}/log"]
    run(*dpkg, "--install", package)
    assert run(root / "usr/bin/foyer", "--version", env=person(tmp_path)).startswith("foyer ")
    run(*dpkg, "--install", demo)
    assert (root / "usr/share/doc/foyer-demo/copyright").exists()
    run(*dpkg, "--verify", "foyer", "foyer-demo")
    run(*dpkg, "--purge", "foyer-demo")
    assert run(root / "usr/bin/foyer", "--version", env=person(tmp_path)).startswith("foyer ")
    run(*dpkg, "--purge", "foyer")
    assert [path for path in root.rglob("*") if "var/lib/dpkg" not in str(path) and not path.is_dir()] == []
    assert not (root / "usr").exists()


@pytest.mark.xdist_group("packaging")
def test_whose_code_is_in_the_programs_is_said(unpacked):
    text = (unpacked / "usr/share/doc/foyer/copyright").read_text()
    packages = [folder.name for folder in (TOP / ".build/checkouts").iterdir()]
    carried = ["toml++", "The BoringSSL Authors", "The OpenSSL Project Authors", "WIDE Project", "ncurses"]
    system = ["GNU C Library", "libstdc++", "Swift's standard library", "Runtime Library Exception"]
    assert packages and [name for name in packages + carried + system if name not in text] == []


@pytest.mark.xdist_group("packaging")
def test_lintian_finds_no_error(package, demo):
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    # Programs of a debug build find Swift's own libraries by a path of the toolchain.
    suppressed = "custom-library-search-path"
    done = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "error", "--suppress-tags", suppressed, package, demo],
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.xdist_group("packaging")
def test_every_command_has_a_manual_page_that_renders_without_a_warning(unpacked, tmp_path):
    man = unpacked / "usr/share/man"
    root = json.loads(run(unpacked / "usr/bin/foyer", "--experimental-dump-help", env=person(tmp_path)))["command"]
    commands = {one["commandName"] for one in root["subcommands"] if one["shouldDisplay"]} - {"help"}
    pages = {page.name.removesuffix(".gz") for page in man.rglob("*.gz")}
    assert len(commands) > 20 and {f"foyer-{command}.1" for command in commands} <= pages
    assert {"foyer.1", "foyer-sandbox.1", "foyer-config.5", "foyer-stores.7", "foyer-agent.7"} <= pages
    if not shutil.which("man"):
        pytest.skip("man is not installed")
    environment = os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANROFFSEQ": "", "MANPAGER": "cat"}
    for page in sorted(man.rglob("*.gz")):
        words = ["man", "--warnings", "--local-file", page]
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), page.name
        assert f"{page.name.split('.')[0]} - " in done.stdout and "SEE ALSO" in done.stdout, page.name
