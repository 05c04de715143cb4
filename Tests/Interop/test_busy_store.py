"""A store that others write all the time, and one in which others leave what cannot be read."""

import os
import subprocess
import sys
import time
from pathlib import Path

from harness import ADA, HEDY, Store
from waiting import PATIENCE

PEER = Path(__file__).resolve().with_name("keyring_peer.py")
# Seconds that four writers of MSAL work at once; 60 in the long run.
BUSY = float(os.environ.get("BUSY_SECONDS") or os.environ.get("FOYER_CROWD_SECONDS") or 4)
# On a slow machine it takes longer until each has written.
BUSY_LIMIT = BUSY + PATIENCE
TOKEN = ("token", "--silent", "--json", "--client", "lab", "--force-refresh")


def test_beside_four_busy_writers_of_msal_no_single_use_refresh_token_is_lost(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab", "--scope", "openid profile email offline_access")
    words = [[sys.executable, PEER, "add", person.store, f"comes{n}n", str(BUSY), str(BUSY_LIMIT)] for n in range(4)]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    writers = [subprocess.Popen(each, **quiet) for each in words]
    try:
        begin, count = time.monotonic(), 0
        while time.monotonic() < begin + (BUSY if count > 2 else BUSY_LIMIT):
            result = person.foyer(*TOKEN)
            assert result.status == 0 and result.stderr == "", result
            count += 1
        came = {
            f"comes{number}n{int(line):04}"
            for number, writer in enumerate(writers)
            for line in writer.communicate(timeout=BUSY_LIMIT + PATIENCE)[0].split()
        }
    finally:
        for writer in writers:
            if writer.poll() is None:
                writer.kill()
                writer.wait()
    assert count > 2 and came
    assert person.foyer(*TOKEN).status == 0
    kept = Store(person.store).section("RefreshToken").values()
    assert came <= {entry["home_account_id"].split(".")[0] for entry in kept}


def test_the_doctor_says_that_a_text_cannot_be_decoded_and_everything_goes_on(ada):
    store = Store(ada.store)
    store.change("Account", note="half \ud83d of a pair")
    store.age()
    assert ada.foyer("token", "--silent", "--json").json["source"] == "refresh"
    assert "half \\ud83d of a pair" in ada.store.read_text()
    findings = ada.foyer("doctor", "--json").json["findings"]
    (finding,) = [finding for finding in findings if finding["subject"] == "store"]
    assert finding["verdict"] == "note" and "invalid Unicode" in finding["detail"] and finding["hint"], finding
    assert store.section("RefreshToken")
    assert ada.foyer("accounts", "--json").json["accounts"][0]["username"] == ADA
