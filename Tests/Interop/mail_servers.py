"""An IMAP server and an SMTP server that take a token by OAUTHBEARER and XOAUTH2, and have it checked."""

import base64
import socketserver
import ssl
import subprocess
import threading

from token_check import TokenCheck

MAIL = b"From: a@b\r\nSubject: hello\r\n\r\nhi\r\n"


def token_of(text):
    """Of the initial answer of either mechanism."""
    parts = base64.b64decode(text).decode().split("\x01")
    return next((part[len("auth=Bearer ") :] for part in parts if part.startswith("auth=Bearer ")), "")


class Servers(TokenCheck):
    def __init__(self, folder, sandbox, users):
        super().__init__(sandbox, users)
        self.tokens, self.mails = [], []
        self.certificate = folder / "mail.pem"
        words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout mail.key -out mail.pem -subj /CN=localhost"
        names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
        subprocess.run([*words.split(), *names], cwd=folder, check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, folder / "mail.key")
        self.imap, self.smtp = self.listen(self.serve_imap), self.listen(self.serve_smtp)

    def listen(self, serve):
        servers = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    with servers.context.wrap_socket(self.request, server_side=True) as secure:
                        serve(secure.makefile("rwb", buffering=0))
                except (OSError, ValueError):
                    pass

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads, allow_reuse_address = True, True

        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def takes(self, text):
        token = token_of(text)
        self.tokens.append(token)
        return self.challenge(token) is None

    def serve_smtp(self, stream):
        def say(text):
            stream.write(text.encode() + b"\r\n")

        say("220 mail")
        is_in = False
        while line := stream.readline().decode().strip():
            verb, _, rest = line.partition(" ")
            if verb.upper() == "EHLO":
                say("250-mail\r\n250 AUTH OAUTHBEARER XOAUTH2")
            elif verb.upper() == "AUTH":
                _, _, text = rest.partition(" ")
                if not text:
                    say("334 ")
                    text = stream.readline().decode().strip()
                is_in = self.takes(text)
                say("235 welcome" if is_in else "535 no")
            elif verb.upper() == "DATA" and is_in:
                say("354 go on")
                lines = []
                while (part := stream.readline()) not in (b".\r\n", b""):
                    lines.append(part)
                self.mails.append(b"".join(lines))
                say("250 taken")
            elif verb.upper() == "QUIT":
                return say("221 bye")
            else:
                say("250 well" if is_in else "530 sign in first")

    def serve_imap(self, stream):
        def say(text):
            stream.write(text.encode() + b"\r\n")

        say("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=OAUTHBEARER AUTH=XOAUTH2] mail")
        while line := stream.readline().decode().strip():
            tag, _, rest = line.partition(" ")
            words = rest.split()
            verb = words[0].upper() if words else ""
            if verb == "CAPABILITY":
                say("* CAPABILITY IMAP4rev1 SASL-IR AUTH=OAUTHBEARER AUTH=XOAUTH2")
                say(tag + " OK")
            elif verb == "AUTHENTICATE":
                text = words[2] if len(words) > 2 else None
                if text is None:
                    say("+ ")
                    text = stream.readline().decode().strip()
                if self.takes(text):
                    say(tag + " OK [CAPABILITY IMAP4rev1] welcome")
                else:
                    say(tag + " NO no")
            elif verb in ("LIST", "LSUB"):
                say(f'* {verb} () "/" INBOX')
                say(tag + " OK")
            elif verb in ("SELECT", "EXAMINE"):
                say(
                    "* FLAGS (\\Seen)\r\n* 1 EXISTS\r\n* 0 RECENT\r\n* OK [UIDVALIDITY 1] x\r\n* OK [UIDNEXT 2] x\r\n"
                    + tag
                    + " OK [READ-WRITE] selected"
                )
            elif verb == "UID" and words[1].upper() == "FETCH":
                asked = rest.upper()
                items = b"UID 1" + (b" FLAGS ()" if "FLAGS" in asked else b"")
                if "RFC822.SIZE" in asked:
                    items += b" RFC822.SIZE %d" % len(MAIL)
                if "BODY" in asked:
                    items += b" BODY[] {%d}\r\n" % len(MAIL) + MAIL
                stream.write(b"* 1 FETCH (" + items + b")\r\n")
                say(tag + " OK")
            elif verb == "LOGOUT":
                say("* BYE")
                return say(tag + " OK")
            else:
                say(tag + " OK")

    def stop(self):
        for server in (self.imap, self.smtp):
            server.shutdown()
            server.server_close()
