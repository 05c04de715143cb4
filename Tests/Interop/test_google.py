"""foyer helper google, with google-auth before a token exchange of the test's own."""

import json
import subprocess
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from harness import FOYER, HEDY, LAB, Store, assert_no_secret
from test_endpoint import claims
from waiting import PATIENCE

pytest.importorskip("google.auth")
POOL = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/lab"
GET_TOKEN = """
import json, sys
import google.auth.transport.requests
from google.auth import identity_pool
pluggable = __import__("google.auth.pluggable").auth.pluggable
info = json.loads(sys.argv[1])
credentials = pluggable.Credentials.from_info(info)
credentials.refresh(google.auth.transport.requests.Request())
print(credentials.token)
"""


class Exchange:
    """As much of Google's security token service as a refresh needs."""

    def __init__(self):
        exchange = self
        self.calls = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                text = self.rfile.read(int(self.headers["Content-Length"])).decode()
                exchange.calls.append(dict(urllib.parse.parse_qsl(text)))
                answer = {"access_token": "google-token", "token_type": "Bearer", "expires_in": 3600}
                answer["issued_token_type"] = "urn:ietf:params:oauth:token-type:access_token"
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def exchange():
    exchange = Exchange()
    yield exchange
    exchange.stop()


@pytest.fixture
def google(person, sandbox, exchange):
    person.work_settings(sandbox)

    def run(**executable):
        info = {
            "type": "external_account",
            "audience": POOL,
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "token_url": f"http://127.0.0.1:{exchange.http.server_port}/v1/token",
            "universe_domain": "googleapis.com",
            "credential_source": {
                "executable": {"command": f"{FOYER} helper google --client lab", "timeout_millis": 30000, **executable}
            },
        }
        return subprocess.run(
            [sys.executable, "-c", GET_TOKEN, json.dumps(info)],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
            env=person.environment | {"GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1", "NO_PROXY": "127.0.0.1"},
        )

    return run


def test_google_auth_exchanges_the_persons_id_token(google, person, exchange):
    person.sign_in(HEDY, "--client", "lab")
    ended = google()
    assert ended.returncode == 0 and ended.stdout == "google-token\n", ended
    (call,) = exchange.calls
    assert claims(call["subject_token"])["aud"] == LAB and call["audience"] == POOL


def test_the_answer_is_kept_where_the_library_looks_for_it(google, person, exchange):
    person.sign_in(HEDY, "--client", "lab")
    kept = person.home / "google-answer.json"
    assert google(output_file=str(kept)).returncode == 0
    assert kept.stat().st_mode & 0o777 == 0o600 and json.loads(kept.read_text())["success"] is True
    # With that it is not asked again, not even where it could answer nothing.
    Store(person.store).change("IdToken", secret="x")
    assert google(output_file=str(kept)).returncode == 0 and len(exchange.calls) == 2


def test_where_a_person_is_needed_the_library_says_what_to_run(google, person):
    ended = google()
    assert ended.returncode == 1 and "foyer sign-in" in ended.stderr, ended


def test_what_is_no_id_token_and_a_revocation_are_refused_in_the_protocols_way(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    prefix = "GOOGLE_EXTERNAL_ACCOUNT_"
    for name, value in [("TOKEN_TYPE", "urn:ietf:params:oauth:token-type:saml2"), ("REVOKE", "1")]:
        result = person.foyer("helper", "google", "--client", "lab", env={prefix + name: value})
        assert result.status == 0 and result.stderr == "", result
        assert json.loads(result.stdout)["success"] is False and json.loads(result.stdout)["message"]
        assert_no_secret(person.store, result)
