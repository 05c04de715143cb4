"""foyer run --aws-role and token files, with botocore before a security token service of the test's own."""

import os
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from harness import ADA, HEDY, LAB, until
from test_endpoint import claims

pytest.importorskip("botocore")
ROLE = "arn:aws:iam::123456789012:role/me"
RUN = ("run", "--client", "lab", "--aws-role", ROLE, "--")
GET_CALLER = """
import json, os
import botocore.session
found = botocore.session.get_session().get_credentials()
frozen = found.get_frozen_credentials()
print(json.dumps({"method": found.method, "key": frozen.access_key, "session": os.environ.get("AWS_ROLE_SESSION_NAME"),
                  "file": os.environ["AWS_WEB_IDENTITY_TOKEN_FILE"]}))
"""
ANSWER = """<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>AKIA{subject}</AccessKeyId>
<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2036-01-01T00:00:00Z</Expiration>
</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>"""


class SecurityTokenService:
    def __init__(self):
        service = self
        self.calls = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["Content-Length"])
                form = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode(), keep_blank_values=True))
                service.calls.append(form)
                body = ANSWER.format(subject=claims(form["WebIdentityToken"])["aud"][:4].upper()).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/xml")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def environment(self):
        return {
            "AWS_ENDPOINT_URL_STS": f"http://127.0.0.1:{self.http.server_port}",
            "AWS_REGION": "eu-north-1",
            "AWS_DEFAULT_REGION": "eu-north-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "NO_PROXY": "127.0.0.1",
        }

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def service():
    service = SecurityTokenService()
    yield service
    service.stop()


@pytest.fixture
def lab(person, sandbox):
    person.work_settings(sandbox)
    person.sign_in(HEDY, "--client", "lab")
    person.environment["XDG_RUNTIME_DIR"] = str(person.home)
    return person


def left(person):
    return {each for each in os.listdir(person.home) if each.startswith("foyer-run-")}


def test_botocore_signs_in_as_the_role_with_the_persons_id_token(lab, service):
    # What would go before it.
    environment = service.environment | {"AWS_ACCESS_KEY_ID": "AKIAOLD", "AWS_SECRET_ACCESS_KEY": "old"}
    result = lab.foyer(*RUN, sys.executable, "-c", GET_CALLER, env=environment)
    assert result.status == 0, result
    told = result.json
    assert told["method"] == "assume-role-with-web-identity" and told["key"].startswith("AKIA" + LAB[:4].upper())
    (call,) = service.calls
    token = claims(call["WebIdentityToken"])
    assert call["RoleArn"] == ROLE and token["aud"] == LAB and not call["WebIdentityToken"].endswith("\n")
    assert call["RoleSessionName"] == HEDY[:64]
    # Nothing of it is left.
    assert not Path(told["file"]).exists() and not Path(told["file"]).parent.exists()


def test_a_token_file_serves_a_profile(lab, service):
    path = lab.home / "web-identity-token"
    assert lab.foyer("token-file", "add", "--client", "lab", path).status == 0
    profile = lab.home / "aws"
    profile.write_text(f"[default]\nrole_arn = {ROLE}\nweb_identity_token_file = {path}\n")
    script = "import botocore.session as s; print(s.get_session().get_credentials().get_frozen_credentials()[0])"
    environment = service.environment | {"AWS_CONFIG_FILE": str(profile)}
    result = lab.foyer("run", "--client", "lab", "--", sys.executable, "-c", script, env=environment)
    assert result.status == 0 and result.stdout.startswith("AKIA"), result
    assert service.calls[0]["WebIdentityToken"] == path.read_text()


def test_without_a_sign_in_the_command_is_not_started(person, sandbox, service, tmp_path):
    person.work_settings(sandbox)
    mark = tmp_path / "mark"
    result = person.foyer("run", "--aws-role", ROLE, "--", "touch", mark, env=service.environment)
    assert result.status == 3 and "foyer sign-in" in result.stderr and not mark.exists(), result
    wrong = person.foyer("run", "--aws-role", "me", "--", "touch", mark)
    assert wrong.status == 64 and not mark.exists(), wrong


def test_a_name_that_the_person_has_set_stays_and_a_signal_leaves_nothing(lab, service):
    script = "import os, signal; print(os.environ['AWS_ROLE_SESSION_NAME'], flush=True); os.kill(os.getpid(), 15)"
    result = lab.foyer(*RUN, sys.executable, "-c", script, env={"AWS_ROLE_SESSION_NAME": "mine"})
    assert result.stdout == "mine\n" and result.status == -15, result
    assert not left(lab)


def test_what_a_killed_run_leaves_is_named_and_goes_with_the_next(lab):
    def found():
        return [each for each in lab.foyer("doctor", "--json").json["findings"] if "left by a killed" in each["detail"]]

    (lab.home / "foyer-run-another").mkdir()
    living = lab.start(*RUN, "sleep", "1000")
    until(lambda: len(left(lab)) == 2)
    mine = left(lab)
    assert lab.foyer(*RUN, "sh", "-c", "kill -9 $PPID").status == -9
    (folder,) = left(lab) - mine
    (finding,) = found()
    assert folder in finding["detail"] and folder in finding["hint"], finding
    assert lab.foyer(*RUN, "true").status == 0
    assert left(lab) == mine and found() == [], "neither one that is used nor one that is not foyer's"
    living.process.terminate()
    living.end()


def test_the_token_is_in_no_argument_and_no_variable(lab, service):
    script = "import os; print(open('/proc/self/cmdline').read(), dict(os.environ))"
    result = lab.foyer(*RUN, sys.executable, "-c", script)
    token = lab.foyer("id-token", "--client", "lab").stdout.strip()
    assert result.status == 0 and token not in result.stdout + result.stderr and ADA not in result.stderr
