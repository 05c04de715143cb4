"""A session bus of its own with GNOME's keyring on it, and what MSAL for Python does there."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import until
from waiting import PATIENCE

CONFIGURATION = """<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow
own="*"/></policy></busconfig>"""
KEYRING_DAEMON = ("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
PEER = Path(__file__).resolve().parent / "keyring_peer.py"


class Bus:
    """A bus that starts nothing by itself."""

    def __init__(self):
        # Sockets want short paths.
        self.folder = Path(tempfile.mkdtemp(prefix="kr", dir="/tmp"))
        socket = self.folder / "bus"
        (self.folder / "bus.conf").write_text(CONFIGURATION.format(socket=socket))
        command = ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={self.folder / 'bus.conf'}"]
        self.running = [subprocess.Popen(command, stderr=subprocess.DEVNULL)]
        self.environment = {
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={socket}",
            "XDG_RUNTIME_DIR": str(self.folder),
            "HOME": str(self.folder),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
        }
        until(socket.exists, what="the bus")

    def start_keyring(self):
        """The login keyring, made with an empty password and open, as after a sign-in at a desktop."""
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        daemon = subprocess.Popen(KEYRING_DAEMON, env=self.environment, **streams)
        daemon.stdin.write(b"\n")
        daemon.stdin.close()
        self.running.append(daemon)
        until(lambda: self.peer("ready").strip() == "yes", what="the keyring")

    def start_silent_service(self):
        """Something that has the service's name and never answers."""
        self.running.append(
            subprocess.Popen(self.command("silent"), env=self.environment, stdout=subprocess.PIPE, text=True)
        )
        assert self.running[-1].stdout.readline() == "here\n"
        # GLib would answer on a thread of its own that there is nothing here.
        self.running[-1].send_signal(signal.SIGSTOP)

    @staticmethod
    def command(*arguments):
        return [sys.executable, str(PEER), *map(str, arguments)]

    def peer(self, *arguments, stdin=""):
        done = subprocess.run(
            self.command(*arguments),
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def read(self, path):
        """The cache that is kept for a signal file."""
        return json.loads(self.peer("read", path))

    def stop(self):
        for process in reversed(self.running):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
