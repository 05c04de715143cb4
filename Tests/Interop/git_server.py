"""A git server over HTTP that has each token checked by the sandbox's protected resource."""

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from token_check import TokenCheck

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

    def answer(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        scheme, token = self.token(handler.headers.get("Authorization"))
        challenge = self.challenge(token)
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
        path, _, query = handler.path.partition("?")
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
