"""The toolchain, for what runs programs under sanitizers."""

import os
import shutil
from pathlib import Path

# A crash that prints its own backtrace may never end.
ENVIRONMENT = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
# Of the address sanitizer, beside its own options: what is no leak of ours.
LEAKS = f"suppressions='{Path(__file__).resolve().parent / 'leaks.txt'}':print_suppressions=0"
# For programs that no other process may look into, the search for leaks among them.
NO_LEAKS = "detect_leaks=0"


def compiler(name):
    """A program of the toolchain that `swift` is of."""
    return str(Path(os.path.realpath(shutil.which("swift"))).parent / name)
