"""The toolchain, for what runs programs under sanitizers."""

import os
import shutil
from pathlib import Path

# A crash that prints its own backtrace may never end.
ENVIRONMENT = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
# Of the address sanitizer: the Swift runtime keeps what it has made of types for good, in places that the search for
# leaks does not see.
NO_LEAKS = "detect_leaks=0"


def compiler(name):
    """A program of the toolchain that `swift` is of."""
    return str(Path(os.path.realpath(shutil.which("swift"))).parent / name)
