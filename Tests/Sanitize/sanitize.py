"""The Swift tests under sanitizers, one after the other, and the running program beside others.

    sanitize.py thread|address … [--minutes MINUTES] [-k NAME]

Once, or again until the minutes of each are over: no two runs take turns in the same order. A name is of Swift tests,
which are all that is run then. Each sanitizer has a build folder of its own, .build-thread and .build-address, where
its reports are kept. Shows them and a summary; the exit status is 1 when there is a report, or a test fails.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from toolchain import ENVIRONMENT, LEAKS, NO_LEAKS, compiler

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
# Of reports of one kind from one place the first is shown, and of kinds so many; the rest is in the files.
MOST_SHOWN = 10
# Seconds that tests may take: a hang is a finding, too.
LONGEST = 1800
CORES = len(os.sched_getaffinity(0))
# Where programs do several things at once.
PROGRAM_TESTS = [
    "test_agent",
    "test_agent_permission",
    "test_busy_store",
    "test_endpoint",
    "test_refresh",
    "test_renewed_by_another",
    "test_sign_in_elsewhere",
    "test_token_file",
]
# The faults that are planted in the Swift tests, and what a report says when one is found.
PLANTED = {
    "thread": {"race": "WARNING: ThreadSanitizer: data race"},
    "address": {"overflow": "AddressSanitizer: heap-buffer-overflow", "leak": "LeakSanitizer: detected memory leaks"},
}
# The first loads a library of its own before all others; the others measure what the program costs.
NOT_WITH_SANITIZERS = "a_clock_that_jumps or costs_little or keep_nobody_waiting"


def environment(sanitizer, reports, temporary):
    """What tests under a sanitizer are started with; options end at a blank that is not quoted."""
    common = f"log_path='{reports}/report':external_symbolizer_path='{compiler('llvm-symbolizer')}'"
    # More tests at a time than cores only wait for each other.
    settings = {**ENVIRONMENT, "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": str(CORES)}
    if sanitizer == "thread":
        # The path of what is loaded before all others may have no blank.
        library = Path(temporary) / "mutex.so"
        subprocess.check_call([compiler("clang"), "-O1", "-fPIC", "-shared", HERE / "mutex.c", "-o", library])
        settings["LD_PRELOAD"] = str(library)
        settings["TSAN_OPTIONS"] = f"{common}:atexit_sleep_ms=0:exitcode=0"
    else:
        settings |= {"ASAN_OPTIONS": common, "LSAN_OPTIONS": LEAKS}
    return settings


def build(sanitizer, scratch):
    """Without `foyer`: a program that is linked statically cannot have a sanitizer."""
    for product in ("foyerPackageTests", "foyer-sandbox"):
        subprocess.check_call(
            [
                "swift",
                "build",
                "--product",
                product,
                "--scratch-path",
                scratch,
                f"--sanitize={sanitizer}",
                "-Xswiftc",
                "-gline-tables-only",
            ],
            cwd=ROOT,
            env=ENVIRONMENT,
        )


def link_programs(scratch):
    """A folder with the programs, `foyer` being of the ordinary build."""
    folder = scratch / "programs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "foyer").hardlink_to((ROOT / ".build" / "debug" / "foyer").resolve())
    for name in ("foyer-main", "foyer-sandbox"):
        (folder / name).hardlink_to((scratch / "debug" / name).resolve())
    return folder


def run_to_end(command, settings, log, lines):
    """Runs tests and shows the lines of what they said that tell how they ended; whether they passed."""
    with open(log, "wb") as file:
        try:
            status = subprocess.run(
                command, cwd=ROOT, env=settings, timeout=LONGEST, stdin=subprocess.DEVNULL, stdout=file, stderr=file
            ).returncode
        except subprocess.TimeoutExpired:
            status = f"none after {LONGEST} s"
    for line in re.findall(lines, log.read_text(errors="replace"), re.M):
        print(line)
    if status != 0:
        print(f"status {status}; {log.relative_to(ROOT)} has all of it")
    sys.stdout.flush()
    return status == 0


def swift_tests(scratch, name):
    tests = [scratch / "debug" / "foyerPackageTests.xctest", "--testing-library", "swift-testing"]
    return [*tests, *(["--filter", name] if name else [])]


def find_planted(sanitizer, scratch, settings, reports):
    """Ends the run unless each planted fault is found; its reports are removed."""
    for fault, words in PLANTED[sanitizer].items():
        subprocess.run(
            swift_tests(scratch, "PlantedFaultTests"),
            cwd=ROOT,
            env={**settings, "FOYER_PLANTED_FAULT": fault},
            timeout=LONGEST,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        found = [file for file in reports.iterdir() if words in file.read_text(errors="replace")]
        if not found:
            sys.exit(f"Tests/run sanitize: the {sanitizer} sanitizer has not found a planted {fault}")
        for file in reports.iterdir():
            file.unlink()
    print(f"{sanitizer}: planted and found: {', '.join(PLANTED[sanitizer])}", flush=True)


def run_swift_tests(scratch, settings, name):
    return run_to_end(
        swift_tests(scratch, name),
        settings,
        scratch / "swift-tests.log",
        r"^(?:\S+ Test .* (?:failed after|recorded an issue).*|.*Test run with .*)$",
    )


def run_program_tests(scratch, settings):
    python = ROOT / ".build" / "test-environment" / "bin" / "python"
    return run_to_end(
        [
            python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-n",
            str(CORES),
            "--dist",
            "loadgroup",
            "-k",
            f"not ({NOT_WITH_SANITIZERS})",
            *(f"Tests/Interop/{name}.py" for name in PROGRAM_TESTS),
        ],
        {
            **settings,
            "ASAN_OPTIONS": f"{settings.get('ASAN_OPTIONS', '')}:{NO_LEAKS}",
            "FOYER_BIN": str(link_programs(scratch)),
        },
        scratch / "program-tests.log",
        r"^(?:FAILED .*|ERROR .*|\d+ (?:passed|failed).*)$",
    )


def show_reports(folder):
    """Shows the first report of each kind; how many there are."""
    found = {}
    count = 0
    for file in sorted(folder.iterdir()):
        # One that ends the process may not come to its summary.
        for report in re.split(r"(?m)^(?==+\n(?:WARNING: |==\d+==ERROR: ))", file.read_text(errors="replace")):
            summary = re.search(r"^SUMMARY: (.*)$", report, re.M) or re.search(r"(?:WARNING|ERROR): (.*)", report)
            if summary:
                count += 1
                found.setdefault(summary[1], report)
    for report in list(found.values())[:MOST_SHOWN]:
        print(subprocess.run([compiler("swift-demangle")], input=report, capture_output=True, text=True).stdout)
    return count


def run(sanitizer, minutes, name):
    """Whether there was neither a report nor a test that failed."""
    scratch = ROOT / f".build-{sanitizer}"
    build(sanitizer, scratch)
    reports = scratch / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    start = time.monotonic()
    passed = []
    with tempfile.TemporaryDirectory() as temporary:
        settings = environment(sanitizer, reports, temporary)
        find_planted(sanitizer, scratch, settings, reports)
        while not passed or time.monotonic() - start < minutes * 60:
            passed.append(run_swift_tests(scratch, settings, name))
            if not name:
                passed.append(run_program_tests(scratch, settings))
    count = show_reports(reports)
    print(
        f"{sanitizer}: {sum(passed)} of {len(passed)} runs passed in {time.monotonic() - start:.0f} s, "
        f"{count} reports{f' in {reports.relative_to(ROOT)}' if count else ''}"
    )
    return all(passed) and count == 0


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("sanitizer", nargs="+", choices=["thread", "address"])
    arguments.add_argument("--minutes", type=int, default=0)
    arguments.add_argument("-k", metavar="NAME")
    wanted = arguments.parse_args()
    # All of them, whatever the first one finds.
    return 0 if all(run(sanitizer, wanted.minutes, wanted.k) for sanitizer in wanted.sanitizer) else 1


sys.exit(main())
