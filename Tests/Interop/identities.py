"""Stand-ins for what SDKs sign in at, and the surroundings in which a shell holds the identity of somebody else."""

import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from test_endpoint import claims

ROLE = "arn:aws:iam::123456789012:role/me"
OTHER_ROLE = "arn:aws:iam::999999999999:role/production"


class Service:
    """An HTTP server on loopback, whose calls are listed."""

    def __init__(self):
        service = self
        self.calls = []

        class Handler(BaseHTTPRequestHandler):
            def do(self):
                body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
                call = (self.command, self.path, self.headers, body)
                status, content = service.answer(*call)
                self.send_response(status)
                self.send_header("Content-Type", "application/json" if content.startswith("{") else "text/xml")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content.encode())

            do_GET = do_POST = do_PUT = do_CONNECT = do

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.http.server_port}"

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


class OtherIdentity(Service):
    """Gives the tokens of somebody else, as a provider behind a proxy or as a machine's metadata service."""

    def answer(self, method, path, headers, body):
        self.calls.append(f"{method} {path}")
        if method == "CONNECT":
            return 502, "{}"
        answer = {"access_token": "other", "expires_on": "4000000000", "expires_in": "3600", "resource": "x"}
        keys = {"AccessKeyId": "AKIAOTHER", "SecretAccessKey": "s", "Token": "t", "Expiration": "2036-01-01T00:00:00Z"}
        return 200, json.dumps({**answer, "token_type": "Bearer", **keys})


class SecurityTokenService(Service):
    """AWS's: which role was assumed, how, and who called with which keys."""

    @property
    def environment(self):
        return {"AWS_ENDPOINT_URL_STS": self.address, "NO_PROXY": "127.0.0.1"}

    def answer(self, method, path, headers, body):
        form = dict(urllib.parse.parse_qsl(body, keep_blank_values=True))
        action = form["Action"]
        if action == "GetCallerIdentity":
            key = headers["Authorization"].split("Credential=")[1].split("/")[0]
            region = headers["Authorization"].split("/")[2]
            self.calls.append((action, key, region))
            result = f"<Arn>{key}</Arn><UserId>u</UserId><Account>1</Account>"
        else:
            person = claims(form["WebIdentityToken"])["aud"] if "WebIdentityToken" in form else None
            self.calls.append((action, form["RoleArn"], person))
            key = "AKIAPERSON" if action == "AssumeRoleWithWebIdentity" else "AKIAOTHER"
            result = (
                f"<Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>"
                "<SessionToken>t</SessionToken><Expiration>2036-01-01T00:00:00Z</Expiration></Credentials>"
            )
        namespace = "https://sts.amazonaws.com/doc/2011-06-15/"
        return (
            200,
            f'<{action}Response xmlns="{namespace}"><{action}Result>{result}</{action}Result></{action}Response>',
        )


class Vault(Service):
    """Signs in by an ID token, and lists who read a secret with which token."""

    def answer(self, method, path, headers, body):
        if path == "/v1/auth/jwt/login":
            token = "vault:" + claims(json.loads(body)["jwt"])["email"]
            return 200, json.dumps({"auth": {"client_token": token, "policies": [], "lease_duration": 60}})
        self.calls.append(headers["X-Vault-Token"])
        return 200, json.dumps({"data": {"data": {"a": "b"}, "metadata": {}}})


def aws_shells(home, other):
    """Each holds another identity at AWS, and the region eu-west-3 in the profile that it uses."""
    keys = "aws_access_key_id = AKIAOTHER\naws_secret_access_key = s\n"
    variables = {"AWS_ACCESS_KEY_ID": "AKIAOTHER", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"}
    region = "region = eu-west-3\n"
    assumed = f"[profile base]\n{keys}[profile prod]\nrole_arn = {OTHER_ROLE}\nsource_profile = base\n{region}"
    process = home / "other-process"
    answer = json.dumps({"Version": 1, "AccessKeyId": "AKIAOTHER", "SecretAccessKey": "s"})
    process.write_text(f"#!/bin/sh\necho '{answer}'\n")
    process.chmod(0o755)
    named = home / "named"
    named.write_text(f"[default]\nrole_arn = {OTHER_ROLE}\nsource_profile = base\n{region}[profile base]\n{keys}")
    secret = home / "named-keys"
    secret.write_text(f"[default]\n{keys}")
    old = home / "old-keys"
    old.write_text("AWSAccessKeyId=AKIAOTHER\nAWSSecretKey=s\n")
    boto = home / "boto"
    boto.write_text(f"[Credentials]\n{keys}")
    token = home / "other-token"
    token.write_text("e30.e30.e30")
    plain = f"[default]\n{region}"
    sso = "[default]\nsso_start_url = https://other.example\nsso_region = eu-west-3\n"
    sso += "sso_account_id = 9\nsso_role_name = r\n"
    return {
        "profile": (assumed, "", {"AWS_PROFILE": "prod"}),
        "default profile by name": (assumed, "", {"AWS_DEFAULT_PROFILE": "prod"}),
        "role of the default profile": (named.read_text(), "", {}),
        "process of the default profile": (f"[default]\ncredential_process = {process}\n{region}", "", {}),
        "sso of the default profile": (sso + region, "", {}),
        "keys in the configuration": (f"[default]\n{keys}{region}", "", {}),
        "keys in the credentials": (plain, f"[default]\n{keys}", {}),
        "another configuration": ("", "", {"AWS_CONFIG_FILE": str(named)}),
        "another credentials file": (plain, "", {"AWS_SHARED_CREDENTIALS_FILE": str(secret)}),
        "keys": (plain, "", variables),
        "keys and a profile": (assumed, "", {**variables, "AWS_PROFILE": "prod"}),
        "another web identity": (plain, "", {"AWS_ROLE_ARN": OTHER_ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE": str(token)}),
        "older files": (plain, "", {"AWS_CREDENTIAL_FILE": str(old), "BOTO_CONFIG": str(boto)}),
        "container": (plain, "", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": other.address + "/role"}),
        "machine": (plain, "", {"AWS_EC2_METADATA_SERVICE_ENDPOINT": other.address}),
        "a missing profile": (plain.replace("default", "profile x"), "", {"AWS_PROFILE": "none", "AWS_REGION": ""}),
    }


def azure_shells(home, other, certificate):
    """Each holds another identity at Azure."""
    application = {"AZURE_CLIENT_ID": "10000000-0000-4000-8000-000000000001", "AZURE_TENANT_ID": "t"}
    token = home / "other-token"
    token.write_text("e30.e30.e30")
    workload = {
        **application,
        "AZURE_FEDERATED_TOKEN_FILE": str(token),
        "AZURE_AUTHORITY_HOST": "https://login.example",
    }
    secret = {**application, "AZURE_CLIENT_SECRET": "s"}
    endpoint = {"IDENTITY_ENDPOINT": other.address, "IDENTITY_HEADER": "x"}
    return {
        "secret": secret,
        "certificate": {**application, "AZURE_CLIENT_CERTIFICATE_PATH": str(certificate)},
        "username and password": {**application, "AZURE_USERNAME": "other@x.example", "AZURE_PASSWORD": "p"},
        "workload identity": workload,
        "client ID": {"AZURE_CLIENT_ID": application["AZURE_CLIENT_ID"]},
        "developer's tools": {"AZURE_TOKEN_CREDENTIALS": "dev"},
        "Azure CLI": {"AZURE_TOKEN_CREDENTIALS": "AzureCliCredential"},
        "environment by name": {**secret, "AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential"},
        "Service Fabric": {**endpoint, "IDENTITY_SERVER_THUMBPRINT": "0" * 40},
        "Arc": {"IDENTITY_ENDPOINT": other.address, "IMDS_ENDPOINT": other.address},
        "Azure ML": {"MSI_ENDPOINT": other.address, "MSI_SECRET": "x"},
        "Cloud Shell": {"MSI_ENDPOINT": other.address},
        "pod identity": {"AZURE_POD_IDENTITY_AUTHORITY_HOST": other.address},
        "empty variables": dict.fromkeys([*secret, "AZURE_TOKEN_CREDENTIALS"], ""),
        "usual sign-in": {"FOYER_CLIENT": "cli", "FOYER_ACCOUNT": "grace@fabrikam.example"},
    }
