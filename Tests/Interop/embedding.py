"""Programs of other packages that use the library. Built by themselves, with everything below them, they would take as
long as this repository: their manifests are read as SwiftPM reads them, and their programs are compiled against the
modules and linked with the objects of the main build."""

import json
import shutil
import subprocess
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

from harness import BINARIES, REPOSITORY

# Seconds after which a compiler hangs, also on a machine that is busy with other builds.
COMPILING = 3600


def run(*command):
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=COMPILING)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def manifest(folder, scratch):
    """What a package says of itself, as SwiftPM reads it; asks nobody."""
    words = ("swift", "package", "--package-path", folder, "--scratch-path", scratch, "dump-package")
    return json.loads(run(*words))


def resolved(package, folder):
    """The packages that SwiftPM resolves for a copy of a package that depends on this repository, from the clones of
    the main build: asks nobody."""
    copy, mirrors, config = folder / "package", folder / "mirrors", folder / "config"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("Package.resolved", ".build"))
    text = (copy / "Package.swift").read_text()
    assert text.count('path: "../.."') == 1
    (copy / "Package.swift").write_text(text.replace('"../.."', json.dumps(str(REPOSITORY))))
    mirrors.mkdir()
    config.mkdir()
    pairs = []
    for clone in (REPOSITORY / ".build/repositories").iterdir():
        url = run("git", "-C", clone, "config", "remote.origin.url").strip().removesuffix(".git")
        # A package is known by the last part of its address.
        mirror = mirrors / url.rpartition("/")[2]
        mirror.symlink_to(clone)
        pairs += [{"original": each, "mirror": mirror.as_uri()} for each in (url, f"{url}.git")]
    (config / "mirrors.json").write_text(json.dumps({"object": pairs, "version": 1}))
    places = {"package": copy, "scratch": folder / "scratch", "cache": folder / "cache", "config": config}
    words = [word for name, place in places.items() for word in (f"--{name}-path", place)]
    run("swift", "package", *words, "resolve")
    state = json.loads((folder / "scratch/workspace-state.json").read_text())
    return {each["packageRef"]["identity"] for each in state["object"]["dependencies"]}


def module_flags():
    """Where the compiler finds the modules of the main build, and those of C below them."""
    site = SourceFileLoader("site_script_of_packaging", str(REPOSITORY / ".packaging/site"))
    script = module_from_spec(spec_from_loader(site.name, site))
    site.exec_module(script)
    maps = script.module_maps(BINARIES / "Modules")
    return ["-swift-version", "6", "-I", str(BINARIES / "Modules"), *maps]


def library_objects():
    """What the example program of the library is linked with, but for that program's own objects."""
    listed = BINARIES / "silent-first-example.product" / "Objects.LinkFileList"
    if not listed.exists():
        run("swift", "build", "--product", "silent-first-example")
    return [line for line in listed.read_text().split("\n") if line and "/silent_first_example.build/" not in line]


def compile_program(source, program):
    """Makes a program of one file: of top-level code when that is main.swift, else of a type marked @main."""
    objects = program.with_suffix(".objects")
    objects.write_text("\n".join(library_objects()))
    kind = [] if source.name == "main.swift" else ["-parse-as-library"]
    words = ["-module-name", program.name, source, f"@{objects}", "-lstdc++", "-o", program]
    run("swiftc", *module_flags(), *kind, *words)
