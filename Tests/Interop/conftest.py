import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
# A certificate authority that the machine names for every program beats the one that a test names to MSAL.
for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
    os.environ.pop(name, None)

from faults import faults  # noqa: E402, F401
from shared_fixtures import (  # noqa: E402, F401
    ada,
    expired_hedy,
    own_sandbox,
    person,
    running_sandbox,
    running_tls_sandbox,
    sandbox,
    session,
    stand_in,
    tls_sandbox,
)
