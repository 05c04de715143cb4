"""Programs of other packages that use the library. Built by themselves, with everything below them, they would take as
long as this repository: their manifests are read as SwiftPM reads them, and their programs are compiled against the
modules and linked with the objects of the main build."""

import json
import subprocess

from harness import BINARIES, REPOSITORY


def manifest(folder, scratch):
    """What a package says of itself, as SwiftPM reads it; asks nobody."""
    told = subprocess.run(
        ["swift", "package", "--package-path", folder, "--scratch-path", scratch, "dump-package"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def module_flags():
    """Where the compiler finds the modules of the main build, and those of C below them."""
    built = {found.parent.name.removesuffix(".build"): found for found in BINARIES.glob("*.build/module.modulemap")}
    own = {found.parent.name: found for found in REPOSITORY.glob("Sources/C*/module.modulemap")}
    checkouts = REPOSITORY.glob(".build/checkouts/*/Sources/*/include/module.modulemap")
    theirs = {found.parents[1].name: found for found in checkouts}
    maps = [word for found in (theirs | own | built).values() for word in ("-Xcc", f"-fmodule-map-file={found}")]
    return ["-swift-version", "6", "-I", str(BINARIES / "Modules"), *maps]


def library_objects():
    """What the example program of the library is linked with, but for that program's own objects."""
    listed = BINARIES / "silent-first-example.product" / "Objects.LinkFileList"
    if not listed.exists():
        built = subprocess.run(
            ["swift", "build", "--product", "silent-first-example"],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=3600,
        )
        assert built.returncode == 0, built.stdout + built.stderr
    return [line for line in listed.read_text().split("\n") if line and "/silent_first_example.build/" not in line]


def compile_program(source, program):
    """Makes a program of one file: of top-level code when that is main.swift, else of a type marked @main."""
    objects = program.with_suffix(".objects")
    objects.write_text("\n".join(library_objects()))
    kind = [] if source.name == "main.swift" else ["-parse-as-library"]
    told = subprocess.run(
        [
            "swiftc",
            *module_flags(),
            *kind,
            "-module-name",
            program.name,
            source,
            f"@{objects}",
            "-lstdc++",
            "-o",
            program,
        ],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert told.returncode == 0, told.stdout + told.stderr
