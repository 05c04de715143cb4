"""What SecurityModel says of the addresses of both programs, read from the files that were built."""

import subprocess

import pytest
from harness import FOYER, WHOLE_PROGRAM


def headers(program, *options):
    return subprocess.run(["readelf", "-W", *options, program], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("program", [FOYER, WHOLE_PROGRAM], ids=lambda path: path.name)
def test_relocations_are_read_only_and_no_stack_or_writable_part_is_executable(program):
    segments = [line.split() for line in headers(program, "--program-headers").splitlines() if " 0x" in line]
    flags = {}
    for segment in segments:
        flags.setdefault(segment[0], []).append("".join(segment[6:-1]))
    assert flags["GNU_STACK"] == ["RW"]
    assert len(flags["GNU_RELRO"]) == 1
    assert all("W" not in flag or "E" not in flag for flag in flags["LOAD"])


def test_the_whole_program_is_position_independent_and_binds_before_it_starts():
    assert "DYN (Position-Independent Executable" in headers(WHOLE_PROGRAM, "--file-header")
    assert "NOW" in headers(WHOLE_PROGRAM, "--dynamic")


def test_the_small_program_needs_no_shared_library():
    assert "NEEDED" not in headers(FOYER, "--dynamic")
    assert "INTERP" not in headers(FOYER, "--program-headers")


def test_the_constants_of_a_release_are_read_only():
    if "(RELR)" not in headers(WHOLE_PROGRAM, "--dynamic"):
        pytest.skip("only a release packs its relocations")
    constants = [line for line in headers(WHOLE_PROGRAM, "--sections").splitlines() if " .rodata " in line]
    assert [line.split()[-4] for line in constants] == ["A"]
