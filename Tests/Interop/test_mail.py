"""msmtp, mbsync, neomutt and aerc with `foyer token` as the command that gets their password."""

import os
import shutil
import subprocess

import pytest
from harness import ADA, FOYER, Store, until
from mail_servers import Servers
from waiting import PATIENCE, spawn

COMMAND = f"{FOYER} token --silent --client work"


def installed(name):
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


@pytest.fixture
def mail(person, sandbox, tmp_path):
    person.work_settings(sandbox)
    servers = Servers(tmp_path, sandbox, [ADA])
    yield servers
    servers.stop()


def run(person, *arguments, text=None):
    more = {"input": text, "capture_output": True, "timeout": PATIENCE, "start_new_session": True}
    return subprocess.run([*map(str, arguments)], env=person.environment, **more)


def opens_the_inbox(person, mail, *command, **environment):
    """That a program for mail signs in with a good token; returns what it has shown until then."""
    screen = spawn(person, *command, env=person.environment | {"TERM": "xterm"} | environment)
    until(lambda: any(mail.challenge(token) is None for token in mail.tokens), what="a good token")
    shown = screen.before or ""
    screen.close(force=True)
    return shown


@installed("msmtp")
@pytest.mark.parametrize("mechanism", ["oauthbearer", "xoauth2"])
def test_msmtp_sends_with_a_fresh_token_and_its_mail_is_not_read(person, sandbox, mail, mechanism):
    person.sign_in(ADA)
    settings = person.home / "msmtprc"
    settings.write_text(
        f"account default\nhost 127.0.0.1\nport {mail.smtp.server_address[1]}\ntls on\ntls_starttls off\n"
        f"tls_trust_file {mail.certificate}\nfrom {ADA}\nuser {ADA}\nauth {mechanism}\npasswordeval {COMMAND}\n"
    )
    settings.chmod(0o600)

    def send():
        return run(person, "msmtp", "-C", settings, "to@b.example", text=b"Subject: one\n\nbody\n")

    sent = send()
    assert sent.returncode == 0 and b"body" in mail.mails[0], sent
    before = sandbox.requests("token")
    Store(person.store).age()
    assert send().returncode == 0
    assert sandbox.requests("token") == before + 1 and len(mail.mails) == 2
    # A person is needed: the mail stays with whoever sends it, and what to run is said.
    Store(person.store).change("RefreshToken", secret="x")
    Store(person.store).age()
    refused = send()
    assert refused.returncode != 0 and b"foyer sign-in" in refused.stderr and len(mail.mails) == 2, refused


@installed("mbsync")
@pytest.mark.skipif(
    not any(os.path.exists(f"/usr/lib/{kind}-linux-gnu/sasl2/libkdexoauth2.so") for kind in ("x86_64", "aarch64")),
    reason="no plugin of Cyrus SASL for XOAUTH2 is installed",
)
def test_mbsync_fetches_with_a_fresh_token(person, sandbox, mail):
    person.sign_in(ADA)
    folder = person.home / "mail"
    folder.mkdir()
    settings = person.home / "mbsyncrc"
    settings.write_text(
        f'IMAPAccount a\nHost localhost\nPort {mail.imap.server_address[1]}\nUser {ADA}\nPassCmd "{COMMAND}"\n'
        f"AuthMechs XOAUTH2\nSSLType IMAPS\nCertificateFile {mail.certificate}\n\nIMAPStore far\nAccount a\n\n"
        f"MaildirStore near\nPath {folder}/\nInbox {folder}/INBOX\n\nChannel c\nFar :far:\nNear :near:\nCreate Near\n"
        f"Sync Pull\nPatterns INBOX\n"
    )
    Store(person.store).age()
    fetched = run(person, "mbsync", "-c", settings, "c")
    assert fetched.returncode == 0, fetched
    assert any("hello" in path.read_text() for path in folder.rglob("INBOX/*/*") if path.is_file()), fetched
    assert mail.challenge(mail.tokens[-1]) is None


@installed("neomutt")
def test_neomutt_opens_the_inbox(person, sandbox, mail):
    person.sign_in(ADA)
    settings = person.home / "muttrc"
    settings.write_text(
        f'set folder = "imaps://localhost:{mail.imap.server_address[1]}/"\nset spoolfile = "+INBOX"\n'
        f'set imap_user = "{ADA}"\nset imap_authenticators = "oauthbearer:xoauth2"\n'
        f'set imap_oauth_refresh_command = "{COMMAND}"\nset ssl_verify_host = no\n'
        f'set certificate_file = "{mail.certificate}"\n'
    )
    Store(person.store).age()
    assert "Login failed" not in opens_the_inbox(person, mail, "neomutt", "-n", "-F", str(settings))


@installed("aerc")
def test_aerc_opens_the_inbox(person, sandbox, mail):
    person.sign_in(ADA)
    folder = person.home / "config" / "aerc"
    folder.mkdir(parents=True)
    accounts = folder / "accounts.conf"
    user = ADA.replace("@", "%40")
    accounts.write_text(
        f"[me]\nsource = imaps+oauthbearer://{user}@localhost:{mail.imap.server_address[1]}\n"
        f"source-cred-cmd = {COMMAND}\noutgoing = /bin/true\ndefault = INBOX\nfrom = {ADA}\n"
    )
    accounts.chmod(0o600)
    Store(person.store).age()
    places = {"XDG_CONFIG_HOME": str(person.home / "config"), "SSL_CERT_FILE": str(mail.certificate)}
    opens_the_inbox(person, mail, "aerc", **places)
