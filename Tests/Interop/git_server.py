"""Git servers over HTTP that have each token checked by the sandbox."""

import base64
import os
import re
import subprocess
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from token_check import TokenCheck
from waiting import PATIENCE

BACKEND = subprocess.run(["git", "--exec-path"], capture_output=True, text=True).stdout.strip() + "/git-http-backend"


class GitServer(TokenCheck):
    """Serves the repositories of a folder to whoever brings a token of one of the users."""

    def __init__(self, folder, sandbox, users, tls=None, challenges=('Basic realm="git"',)):
        super().__init__(sandbox, users)
        self.folder, self.challenges = folder, challenges
        # What came, and whether it was good.
        self.log = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.answer(self)

            do_POST = do_GET

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls:
            self.http.socket = tls.wrap_socket(self.http.socket, server_side=True)
        self.host = f"127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()

    def token(self, header):
        scheme, _, rest = (header or "").partition(" ")
        if scheme == "Basic":
            return scheme, base64.b64decode(rest).decode().partition(":")[2]
        return scheme, rest

    def judge(self, header):
        """None for a good `Authorization`, else a challenge."""
        return self.challenge(self.token(header)[1])

    def answer(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        header = handler.headers.get("Authorization")
        scheme, token = self.token(header)
        challenge = self.judge(header)
        self.log.append((scheme, token, challenge is None))
        if challenge is not None:
            handler.send_response(401)
            if challenge:
                handler.send_header("WWW-Authenticate", challenge)
            for value in self.challenges:
                handler.send_header("WWW-Authenticate", value)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        # A proxy gets the whole address.
        path, _, query = re.sub("^http://[^/]*", "", handler.path).partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": handler.command,
            "REMOTE_USER": "x",
            "CONTENT_TYPE": handler.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(length),
            "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", ""),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }
        output = subprocess.run([BACKEND], input=body, env=environment, capture_output=True).stdout
        head, _, content = output.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n") if line]
        status = next((value for name, value in fields if name == "Status"), "200 OK")
        handler.send_response(int(status.split()[0]))
        for name, value in fields:
            if name != "Status":
                handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)


class OAuthGitServer(GitServer):
    """The git host of one of the sandbox's OAuth servers, which wants its own scheme and user name."""

    def __init__(self, folder, sandbox, server, scheme=None, tls=None):
        super().__init__(folder, sandbox, [], tls, challenges=())
        self.query = "server=" + server + (f"&scheme={scheme}" if scheme else "")

    def judge(self, header):
        request = urllib.request.Request(
            f"{self.sandbox.base}/_sandbox/git?{self.query}", headers={"Authorization": header} if header else {}
        )
        try:
            with self.sandbox.opener.open(request, timeout=PATIENCE):
                return None
        except urllib.error.HTTPError as error:
            assert error.code == 401, error
            return error.headers["WWW-Authenticate"]
