"""Servers that are known by their hosts, such as github.com: the form requests the same as the commands."""

import re
import signal
import ssl
import threading
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pexpect
import pytest
from harness import FOYER, HEDY, self_signed, until
from test_plain import answer

OAUTH_APP = "Ov23liFoyerOAuthApp1"


class Hosts:
    """A proxy for https, behind which the sandbox has the names of github.com and gitlab.com."""

    def __init__(self, folder, sandbox):
        certificate, key = folder / "hosts.pem", folder / "hosts.key"
        names = "DNS:github.com,DNS:api.github.com,DNS:gitlab.com"
        self_signed(certificate, key, "hosts", names)
        self.certificate, self.sandbox = certificate, sandbox
        # What came: the path with its query, and the form.
        self.requests = []
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, key)
        hosts = self

        class Handler(BaseHTTPRequestHandler):
            def do_CONNECT(self):
                self.send_response(200)
                self.end_headers()
                host = self.path.partition(":")[0]
                with context.wrap_socket(self.connection, server_side=True) as connection:
                    Inner(connection, host, self.server)
                self.close_connection = True

            def log_message(self, *arguments):
                pass

        class Inner(BaseHTTPRequestHandler):
            def do_GET(self):
                hosts.answer(self)

            do_POST = do_GET

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def answer(self, handler):
        host, path = handler.client_address, handler.path
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        self.requests.append((host, path, dict(urllib.parse.parse_qsl(body.decode()))))
        prefix = {"github.com": "", "api.github.com": "/api/v3", "gitlab.com": "/oidc"}[host]
        headers = {
            name: value for name, value in handler.headers.items() if name.lower() not in ("host", "content-length")
        }
        request = urllib.request.Request(
            self.sandbox.base + prefix + path, body or None, headers, method=handler.command
        )
        try:
            reply = self.sandbox.opener.open(request, timeout=60)
        except urllib.error.HTTPError as error:
            reply = error
        content = reply.read().replace(self.sandbox.issuer.encode(), b"https://gitlab.com")
        content = content.replace(self.sandbox.base.encode(), b"https://github.com")
        handler.send_response(reply.status)
        handler.send_header("Content-Type", reply.headers["Content-Type"])
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def scopes(self, path):
        return [form.get("scope") for _, asked, form in self.requests if asked == path]

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def hosts(tmp_path, sandbox, person):
    made = Hosts(tmp_path, sandbox)
    person.environment |= {"SSL_CERT_FILE": str(made.certificate), "HTTPS_PROXY": made.address, "NO_PROXY": ""}
    yield made
    made.stop()


@pytest.fixture
def plain(person):
    opened = []

    def start():
        child = pexpect.spawn(
            str(FOYER), ["--plain"], timeout=90, env=person.environment, encoding="utf-8", dimensions=(50, 200)
        )
        opened.append(child)
        child.expect("plain mode")
        return child

    yield start
    for child in opened:
        # A sign-in may be under way, which ends in its own time.
        if child.isalive():
            child.kill(signal.SIGKILL)
            child.wait()
        child.close()


def fill(child, field, text):
    answer(child, f"change the {field}")
    # Where there is a list, too, another one can be typed.
    child.expect(f"\n({field}|number): ")
    child.sendline(text)


def test_the_first_token_after_a_sign_in_by_the_form_comes_from_the_cache(plain, hosts, person, sandbox):
    child = plain()
    answer(child, "sign-in: ")
    fill(child, "authority", "https://github.com")
    fill(child, "client", OAUTH_APP)
    answer(child, "start: ")
    until(sandbox.waiting_codes, what="the device code")
    sandbox.approve(sandbox.waiting_codes()[0], HEDY)
    child.expect("saved in")
    assert hosts.scopes("/login/device/code") == ["repo read:user"]
    token = person.foyer("token", "--client", "github.com", "--silent", "--json")
    assert token.status == 0 and token.json["source"] == "cache", token
    assert "needs sign-in" not in person.foyer("accounts").stdout
    # The command asks for the same.
    running = person.start("sign-in", "--json", "github.com")
    until(sandbox.waiting_codes, what="the device code")
    sandbox.approve(sandbox.waiting_codes()[0], HEDY)
    assert running.end().status == 0
    assert hosts.scopes("/login/device/code") == ["repo read:user"] * 2


def authorization(text):
    """The redirect URI without its port, and the scopes, of an address that was shown."""
    found = re.search(r"https?://[^\s\"]*redirect_uri=[^\s\"]*", text.replace("\r\n", "\n"))
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(found[0]).query))
    return re.sub(r":\d+", "", query["redirect_uri"].removeprefix("http:")), query["scope"]


def test_the_form_asks_gitlab_for_what_the_command_asks_it_for(plain, hosts, person):
    running = person.start(
        "sign-in", "gitlab.com", "--client-id", "abc123", "--via", "browser", "--browser", "none", "--json"
    )
    asked = authorization(running.wait_event("browser")["authorizationUrl"])
    running.process.terminate()
    running.end()
    assert asked == ("//127.0.0.1/", "openid profile email read_repository write_repository")
    for first in ("sign-in: ", "GitHub or another git host"):
        child = plain()
        if first == "sign-in: ":
            answer(child, first)
        else:
            answer(child, "choose a way to start")
            child.expect(rf" (\d+)  {first}")
            number = child.match[1]
            child.expect("way to start: ")
            child.sendline(number)
            answer(child, "open: ")
        fill(child, "authority", "https://gitlab.com")
        fill(child, "client", "abc123")
        answer(child, "change the method: ", "browser", "start: ")
        child.expect(r"(https?://\S*redirect_uri=\S*)")
        assert authorization(child.match[1]) == asked, first
