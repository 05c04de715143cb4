"""Another host for a test: a network namespace of its own with a real sshd, its own people, home folders and /tmp."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness import BINARIES, until
from waiting import PATIENCE

SSHD = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
ADDRESS = "10.77.1.2"
PEOPLE = {"ada": 6001, "eve": 6002}
FOYER_THERE = "/mnt/foyer"


def why_not():
    """Why there cannot be another host here; None when there can."""
    if os.geteuid() != 0:
        return "only root makes network namespaces"
    for program in ("ip", "ssh", "ssh-keygen", "unshare", "mount"):
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
            return f"{program} is not installed"
    if SSHD is None:
        return "sshd is not installed"
    name = f"fyt{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode != 0:
        return "network namespaces cannot be made here"
    subprocess.run(["ip", "netns", "del", name], check=True)
    return None


class FarHost:
    """sshd in one namespace; `home` is the namespace that connects to it."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="fyfar", dir="/tmp"))
        self.folder.chmod(0o755)
        number = os.getpid()
        self.home, self.far = f"fyh{number}", f"fyf{number}"
        self.key = self.folder / "key"
        self.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key)
        self.prepare()
        self.run("ip", "netns", "add", self.home)
        self.run("ip", "netns", "add", self.far)
        near, there = f"fyn{number}", f"fyt{number}"
        self.run("ip", "link", "add", near, "type", "veth", "peer", "name", there)
        for link, space, address in ((near, self.home, "10.77.1.1/24"), (there, self.far, ADDRESS + "/24")):
            self.run("ip", "link", "set", link, "netns", space)
            self.run("ip", "-n", space, "addr", "add", address, "dev", link)
            self.run("ip", "-n", space, "link", "set", link, "up")
            self.run("ip", "-n", space, "link", "set", "lo", "up")
        self.server = None
        self.serve()

    @staticmethod
    def run(*command):
        subprocess.run([str(word) for word in command], check=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)

    def prepare(self):
        """The files of the other host that differ from this one's."""
        for name in ("etc", "ssh", "home", "root", "tmp", "run"):
            (self.folder / name).mkdir()
        (self.folder / "tmp").chmod(0o1777)
        self.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "ssh" / "host_key")
        for name, line in (
            ("passwd", "{n}:x:{u}:{u}::/home/{n}:/bin/bash"),
            ("group", "{n}:x:{u}:"),
            ("shadow", "{n}:*:19000:0:99999:7:::"),
        ):
            there = [text for text in Path("/etc", name).read_text().splitlines() if text.split(":")[0] not in PEOPLE]
            there += [line.format(n=person, u=uid) for person, uid in PEOPLE.items()]
            (self.folder / "etc" / name).write_text("\n".join(there) + "\n")
        for person, uid in {**PEOPLE, "root": 0}.items():
            home = self.home_of(person)
            (home / ".ssh").mkdir(parents=True, exist_ok=True)
            (home / ".ssh" / "authorized_keys").write_text(Path(f"{self.key}.pub").read_text())
            for path in (home, home / ".ssh", home / ".ssh" / "authorized_keys"):
                os.chown(path, uid, uid)
            home.chmod(0o755)

    def home_of(self, person):
        return self.folder / "root" if person == "root" else self.folder / "home" / person

    @property
    def tmp(self):
        """/tmp of the other host."""
        return self.folder / "tmp"

    def sockets(self):
        return sorted(self.tmp.glob(".ssh-foyer-*.sock"))

    def serve(self, **settings):
        """sshd, anew when it runs already."""
        self.end_server()
        lines = {
            "Port": "22",
            "HostKey": "/etc/ssh/host_key",
            "PidFile": "none",
            "UsePAM": "no",
            "StrictModes": "no",
            "AcceptEnv": "LANG LC_*",
            "PermitRootLogin": "yes",
            "MaxStartups": "100",
            **settings,
        }
        (self.folder / "ssh" / "sshd_config").write_text("".join(f"{k} {v}\n" for k, v in lines.items()))
        mounts = [f"mount --bind {self.folder}/etc/{name} /etc/{name}" for name in ("passwd", "group", "shadow")]
        mounts += [f"mount --bind {self.folder}/{name} /{name}" for name in ("home", "root", "run")]
        mounts = [f"mount --bind {BINARIES} /mnt", f"mount --bind {self.folder}/ssh /etc/ssh", *mounts]
        mounts += ["mkdir -p /run/sshd", f"mount --bind {self.folder}/tmp /tmp"]
        script = "; ".join(["set -e", "mount --make-rprivate /", *mounts, f"exec {SSHD} -D -e -f /etc/ssh/sshd_config"])
        self.log = open(self.folder / "log", "ab")
        self.server = subprocess.Popen(
            ["ip", "netns", "exec", self.far, "unshare", "-m", "sh", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )
        until(lambda: self.plain("ada", "true").returncode == 0, what="sshd")

    def options(self, log_level="ERROR"):
        words = f"-o StrictHostKeyChecking=no -o LogLevel={log_level} -o UserKnownHostsFile=/dev/null"
        words += f" -o ConnectTimeout={PATIENCE}"
        return ["-F", "none", "-i", str(self.key), *words.split(), "-o", "BatchMode=yes"]

    @property
    def from_home(self):
        """What a command begins with that is to run in the network of home."""
        return ["ip", "netns", "exec", self.home]

    def plain(self, person, command, *options, **more):
        """ssh without foyer."""
        return subprocess.run(
            [*self.from_home, "ssh", *self.options(), *map(str, options), f"{person}@{ADDRESS}", command],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
            **more,
        )

    def end_server(self):
        if self.server is not None:
            self.server.terminate()
            self.server.wait(PATIENCE)
            self.log.close()
            self.server = None

    def stop(self):
        self.end_server()
        for space in (self.home, self.far):
            left = subprocess.run(["ip", "netns", "pids", space], capture_output=True, text=True).stdout.split()
            for pid in left:
                try:
                    os.kill(int(pid), 9)
                except ProcessLookupError:
                    pass
            subprocess.run(["ip", "netns", "del", space], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)
