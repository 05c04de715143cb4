"""foyer setup: git, docker, kubectl and az are connected, checked with the real programs, and everything is taken back
byte for byte."""

import base64
import errno
import json
import os
import shutil
import stat
import subprocess

import pexpect
import pytest
from faults import rule
from harness import FOYER, WHOLE_PROGRAM
from waiting import PATIENCE, spawn

HELPER = "git-credential-foyer"
ADA = "[user]\n\tname = Ada\n"
needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


class Home:
    """A person's home folder, with the folder of their own programs first on PATH."""

    def __init__(self, person):
        self.person, self.path = person, person.home
        self.bin = person.home / ".local" / "bin"
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            del person.environment[name]
        person.environment |= {"PATH": f"{self.bin}:{os.environ['PATH']}", "GIT_CONFIG_NOSYSTEM": "1"}

    def setup(self, *arguments, **more):
        return self.person.foyer("setup", *arguments, **more)

    def done(self, *arguments, **more):
        ended = self.setup(*arguments, "--yes", **more)
        assert ended.status == 0, ended
        return ended

    def undone(self, program, before, **more):
        self.done(program, "--undo", **more)
        assert self.tree() == before

    def refused(self, *arguments, said="", status=78, **more):
        """With nothing changed."""
        before = self.tree()
        refused = self.setup(*arguments, "--yes", **more)
        assert refused.status == status and said in refused.stderr and self.tree() == before, refused

    def write(self, name, text, mode=0o644):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return path

    def tree(self):
        """Everything but what foyer keeps for itself."""
        found = {}
        for path in sorted(self.path.rglob("*")):
            name = str(path.relative_to(self.path))
            if name.startswith((".local/state", ".cache")) or (name == ".local" and not self.bin.exists()):
                continue
            info = path.lstat()
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[name] = (stat.filemode(info.st_mode), content)
        return found

    def git(self, *arguments):
        return self.person.foyer(*arguments, program="git", cwd=self.path)

    def kubectl(self, *words):
        environment = {**self.person.environment, "FOYER_SETUP": "1"}
        return subprocess.run(
            ["kubectl", *words], env=environment, check=True, timeout=PATIENCE, capture_output=True
        ).stdout

    def wrap_kubectl(self, script):
        """What a kubectl does before it is the real one."""
        self.program("../wrapped", "kubectl", f'{script}\nexec {shutil.which("kubectl")} "$@"')
        self.person.environment["PATH"] = f"{self.bin}:{self.path.parent / 'wrapped'}:{os.environ['PATH']}"

    def helpers(self):
        return self.git("config", "--global", "--get-all", "credential.helper").stdout.split()

    def state(self, name):
        return next(each["state"] for each in self.setup("--json").json["programs"] if each["name"] == name)

    def program(self, folder, name, text="exit 0"):
        """An executable of another's."""
        path = self.path / folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)
        return path


@pytest.fixture
def home(person):
    return Home(person)


# MARK: git


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "[user]\n\tname = Ada",
        "; mine\r\n[credential]\r\n\thelper = cache\r\n",
        '[credential "https://dev.azure.com"]\n\tusername = ada\n[http]\n\textraheader = sekret-sekret\n',
    ],
)
def test_git_asks_foyer_and_its_configuration_comes_back_byte_for_byte(home, text):
    if text is not None:
        home.write(".gitconfig", text, 0o640)
    before = home.tree()
    made = home.done("git")
    assert "sekret" not in made.stdout + made.stderr and "+    helper = foyer" in made.stdout, made
    assert home.helpers()[-1] == "foyer" and ("cache" in home.helpers()) == ("cache" in (text or ""))
    assert home.git("config", "--global", "--get", "credential.https://dev.azure.com.useHttpPath").stdout == "true\n"
    assert os.readlink(home.bin / HELPER) == str(FOYER) and home.state("git") == "setUp"
    assert stat.S_IMODE((home.path / ".gitconfig").stat().st_mode) == (0o600 if text is None else 0o640)
    record = home.path / ".local/state/foyer/setup-git.json"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    again = home.setup("git", "--dry-run")
    assert again.status == 0 and again.stdout == "", again
    home.done("git", "--undo")
    assert home.tree() == before and not record.exists() and home.state("git") == "notSetUp"


def test_git_finds_the_helper(home):
    home.done("git")
    environment = {"GIT_TERMINAL_PROMPT": "0", "GIT_TRACE": "1"}
    host = b"protocol=https\nhost=stranger.example\n\n"
    asked = home.person.foyer("credential", "fill", program="git", stdin=host, env=environment)
    assert "git-credential-foyer get" in asked.stderr and "not a git command" not in asked.stderr, asked


def test_a_link_of_a_dot_file_manager_stays_and_the_file_behind_it_is_changed(home):
    real = home.write("dotfiles/gitconfig", ADA)
    (home.path / ".gitconfig").symlink_to("dotfiles/gitconfig")
    before = home.tree()
    home.done("git")
    assert (home.path / ".gitconfig").is_symlink() and "foyer" in real.read_text() and home.helpers() == ["foyer"]
    home.undone("git", before)


@pytest.mark.parametrize("where", ["XDG", "GIT_CONFIG_GLOBAL"])
def test_the_file_is_the_one_that_git_changes(home, where):
    home.write("conf/git/config", ADA)
    value = home.path / "conf" if where == "XDG" else home.path / "conf/git/config"
    home.person.environment["XDG_CONFIG_HOME" if where == "XDG" else where] = str(value)
    before = home.tree()
    home.done("git")
    assert "foyer" in (home.path / "conf/git/config").read_text() and not (home.path / ".gitconfig").exists()
    home.undone("git", before)


def test_what_somebody_else_has_added_since_stays(home):
    home.write(".gitconfig", ADA)
    home.done("git")
    home.git("config", "--global", "--add", "credential.helper", "cache")
    home.git("config", "--global", "alias.st", "status")
    home.done("git", "--undo")
    assert home.helpers() == ["cache"] and home.git("config", "--get", "alias.st").stdout == "status\n"
    assert "foyer" not in (home.path / ".gitconfig").read_text() and not (home.bin / HELPER).exists()
    assert "useHttpPath" not in (home.path / ".gitconfig").read_text()


def test_a_line_of_setup_that_somebody_has_changed_is_said_and_nothing_is_done(home):
    home.done("git")
    text = (home.path / ".gitconfig").read_text().replace("helper = foyer", "helper = foyer --client work")
    home.write(".gitconfig", text, 0o600)
    home.refused("git", "--undo", said="git config --global --unset-all credential.helper")
    home.git("config", "--global", "--unset-all", "credential.helper")
    home.done("git", "--undo")
    assert not (home.path / ".gitconfig").exists() and not home.bin.exists()


def test_a_file_that_is_gone_since_stays_gone(home):
    home.write(".gitconfig", ADA)
    home.done("git")
    (home.path / ".gitconfig").unlink()
    home.done("git", "--undo")
    assert not (home.path / ".gitconfig").exists() and not home.bin.exists()


@pytest.mark.parametrize(
    "name, text, said",
    [
        (".gitconfig", "[user\n", "git config --global --list"),
        (".gitconfig.lock", "", ".gitconfig.lock"),
        (".local/bin", "a file", ""),
    ],
    ids=["git cannot read its configuration", "git is changing its configuration", "a folder cannot be made"],
)
def test_where_git_cannot_be_set_up_nothing_is_done(home, name, text, said):
    home.write(name, text)
    home.refused("git", said=said)
    assert home.state("git") == "notSetUp" and not (home.path / ".local/state/foyer/setup-git.json").exists()


# MARK: docker


@pytest.mark.parametrize(
    "text",
    [
        None,
        "{}",
        '{"auths": {"q": {"auth": "c2VrcmV0c2VrcmV0"}}, "x": 1.50}',
        '{\n\t"auths": {},\n\t"credHelpers": {\n\t\t"gcr.io": "gcloud"\n\t}\n}\n',
    ],
)
def test_docker_gets_its_registries_and_everything_else_stays(home, text):
    if text is not None:
        home.write(".docker/config.json", text, 0o600)
    before = home.tree()
    made = home.done("docker", "contoso.azurecr.io", "lab.azurecr.io")
    assert "c2Vrcm" not in made.stdout + made.stderr, made
    home.done("docker", "third.azurecr.io")
    config = json.loads((home.path / ".docker/config.json").read_text())
    names = ("contoso.azurecr.io", "lab.azurecr.io", "third.azurecr.io")
    assert {name: config["credHelpers"][name] for name in names} == dict.fromkeys(names, "foyer")
    assert {**config, "credHelpers": {}} == {**json.loads(text or "{}"), "credHelpers": {}}
    assert home.state("docker") == "setUp"
    home.undone("docker", before)


@pytest.mark.skipif(shutil.which("docker") is None, reason="docker is not installed")
def test_docker_itself_calls_the_helper_that_setup_has_named(home):
    home.done("docker", "contoso.azurecr.io")
    log = home.path / "calls"
    (home.bin / "docker-credential-foyer").unlink()
    home.program(".local/bin", "docker-credential-foyer", f'echo "$1 $(cat)" >> {log}')
    for registry in ("contoso.azurecr.io", "stranger.example"):
        command = ["docker", "logout", registry]
        subprocess.run(command, env=home.person.environment, timeout=PATIENCE, check=True, capture_output=True)
    assert set(log.read_text().splitlines()) == {"erase contoso.azurecr.io"}
    undone = home.done("docker", "--undo")
    assert "now belongs to another program" in undone.stderr and (home.bin / "docker-credential-foyer").exists(), undone


def test_docker_as_the_rules_name_registries_and_in_the_folder_that_docker_is_told(home):
    home.person.environment["DOCKER_CONFIG"] = str(home.path / "containers")
    rules = [f'[[rules]]\nregistry = "{name}"\naccount = "ada"\n' for name in ("lab.example", "*.a.example")]
    home.write(".config/foyer/config.toml", "\n".join(rules))
    home.done("docker")
    config = json.loads((home.path / "containers/config.json").read_text())
    assert config == {"credHelpers": {"lab.example": "foyer"}}


def test_what_docker_has_written_since_stays(home):
    path = home.write(".docker/config.json", '{"x": 1}')
    home.done("docker", "contoso.azurecr.io")
    config = json.loads(path.read_text())
    config["auths"] = {"other": {}}
    path.write_text(json.dumps(config, indent=2))
    home.done("docker", "--undo")
    assert json.loads(path.read_text()) == {"x": 1, "auths": {"other": {}}}


@pytest.mark.parametrize("text", ["{", "[]", '{"a":1,"a":2}', '{"credHelpers":{"contoso.azurecr.io":"other"}}', ""])
def test_a_configuration_of_docker_that_cannot_be_changed_is_left(home, text):
    home.write(".docker/config.json", text)
    home.refused("docker", "contoso.azurecr.io")


@pytest.mark.parametrize("folder", ["../dk", "gone/../../dk", "./new/./deep", "link/../dk", "../dk/"])
def test_a_relative_folder_that_is_not_there_yet_can_be_taken_back(home, folder):
    real = home.path / "real"
    for path in (home.path / "a", real / "inner"):
        path.mkdir(parents=True, mode=0o700)
    (home.path / "a" / "link").symlink_to(real / "inner")
    before = home.tree()
    home.person.environment["DOCKER_CONFIG"] = folder
    home.done("docker", "contoso.azurecr.io", cwd=home.path / "a")
    home.done("docker", "lab.azurecr.io", cwd=home.path / "a")
    place = (real if "link" in folder else home.path) / "dk"
    place = home.path / "a/new/deep" if "new" in folder else place
    config = json.loads((place / "config.json").read_text())
    assert set(config["credHelpers"]) == {"contoso.azurecr.io", "lab.azurecr.io"}
    record = json.loads((home.path / ".local/state/foyer/setup-docker.json").read_text())
    assert record["changes"][0]["path"] == str(place / "config.json")
    home.undone("docker", before, cwd=home.path)


def test_what_could_not_be_taken_back_is_not_done(home):
    names = [f"r{number}.azurecr.io" for number in range(300)]
    before = home.tree()
    home.refused("docker", *names, said="nothing changed")
    home.done("docker", *names[:200])
    home.refused("docker", *names[200:], said="nothing changed")
    home.undone("docker", before)


# MARK: kubectl


KUBECONFIG = """\
# mine
apiVersion: v1
kind: Config
clusters:
- cluster: {server: "https://127.0.0.1:9", certificate-authority: ca.crt}
  name: lab
contexts:
- {name: lab, context: {cluster: lab, user: old}}
users:
- name: old
  user: {token: sekret-sekret}
"""


@needs_kubectl
@pytest.mark.parametrize("text", [None, KUBECONFIG])
def test_a_user_in_the_kubeconfig_is_kubectls_own_work_and_is_taken_back(home, text):
    """No call of kubectl is one that starts a plugin."""
    if text is not None:
        home.write(".kube/config", text, 0o600)
    before = home.tree()
    log = home.person.scratch / "kubectl.log"
    home.wrap_kubectl(f'echo "$*" >> {log}')
    words = ("kubectl", "--user", "contoso", "--client", "work", "--scope", "a/.default")
    made = home.done(*words)
    assert "sekret" not in made.stdout + made.stderr and "+      command: kubectl-foyer" in made.stdout, made
    config = (home.path / ".kube/config").read_text()
    assert "command: kubectl-foyer" in config and "- --client" in config and "- a/.default" in config
    assert text is None or ("certificate-authority: ca.crt" in config and "sekret-sekret" in config)
    assert {path.name for path in home.bin.iterdir()} == {"kubectl-foyer", "kubelogin", "kubectl-oidc_login"}
    assert home.setup(*words, "--dry-run").status == 0
    home.refused("kubectl", "--user", "contoso", said="already")
    home.undone("kubectl", before)
    calls = log.read_text().splitlines()
    assert calls and all(call.startswith("config ") or call == "version --client" for call in calls), calls


@needs_kubectl
@pytest.mark.parametrize("width", [9, 24, 60])
def test_no_part_of_a_key_over_several_lines_is_shown(home, width):
    """kubectl writes it as one line, so that all of its lines are part of the change."""
    key = base64.b64encode(b"the private key of somebody else: 0123456789!" * 2 + b"?").decode()
    assert key.endswith("Pw==")
    rows = "".join(f"       {key[place : place + width]}\n" for place in range(0, len(key), width))
    text = f"apiVersion: v1\nkind: Config\nusers:\n- name: old\n  user:\n    client-key-data: |-\n{rows}"
    home.write(".kube/config", text, 0o600)
    for arguments in (["--dry-run"], ["--dry-run", "--json"], ["--yes"], ["--undo", "--dry-run"], ["--undo", "--yes"]):
        user = [] if "--undo" in arguments else ["--user", "contoso"]
        shown = home.setup("kubectl", *user, *arguments)
        assert shown.status in (0, 1) and "client-key-data: …" in shown.stdout, shown
        said = shown.stdout + shown.stderr
        assert not any(row.strip(" =") in said for row in rows.splitlines()), said
    assert (home.path / ".kube/config").read_text() == text


@needs_kubectl
def test_a_context_that_somebody_has_added_since_stays(home):
    home.write(".kube/config", KUBECONFIG, 0o600)
    home.done("kubectl", "--user", "contoso")
    home.kubectl("config", "set-context", "new", "--user=contoso")
    home.done("kubectl", "--undo")
    config = (home.path / ".kube/config").read_text()
    assert "kubectl-foyer" not in config and "name: new" in config and "sekret-sekret" in config


@needs_kubectl
def test_every_option_that_chooses_a_token_is_an_argument_of_the_plugin(home):
    work = home.path / "a, b"
    work.mkdir()
    (work / "own.toml").write_text("")
    before = home.tree()
    chosen = ["--client-id", "0123", "--authority", "https://idp.example/oidc", "--account", "ada", "--tenant", "t,u"]
    words = ["kubectl", "--user", "lab", *chosen, "--store", "s.json", "--config", "own.toml", "--scope", "openid a"]
    made = home.done(*words, cwd=work)

    def users():
        listed = json.loads(home.kubectl("config", "view", "-o", "json"))["users"]
        return [user["user"]["exec"]["args"] for user in listed]

    files = ["--store", f"file:{work}/s.json", "--config", f"{work}/own.toml"]
    arguments = [*chosen, *files, "--scope", "openid a"]
    assert users() == [arguments]
    by_hand = next(line for line in made.stdout.splitlines() if line.startswith("as by"))[len("as by") :]
    subprocess.run(
        by_hand.replace("set-credentials lab", "set-credentials copy"),
        env={**home.person.environment, "FOYER_SETUP": "1"},
        shell=True,
        check=True,
        timeout=PATIENCE,
    )
    assert users() == [arguments, arguments]
    again = home.setup(*words, "--dry-run", cwd=work)
    assert again.status == 0 and again.stdout == "", again
    home.kubectl("config", "delete-user", "copy")
    home.done("kubectl", "--undo")
    left = home.tree()
    left.pop(".kube/config", None), left.pop(".kube", None)
    assert left == before


@pytest.mark.parametrize(
    "option", ["--client", "--client-id", "--authority", "--account", "--tenant", "--store", "--config", "--scope"]
)
def test_an_option_that_cannot_be_carried_is_refused(home, option):
    home.write("x", "")
    for words in (["git"], ["docker", "a.azurecr.io"], ["az"], ["pip"], ["uv"], ["kubectl"]):
        said = f"{option} requires --user" if words == ["kubectl"] else f"{option} does not apply to {words[0]};"
        home.refused(*words, option, "x", said=said, status=64, cwd=home.path)
    before = home.tree()
    for words in (["git", "--undo"], [], ["npm"]):
        assert home.setup(*words, option, "x", cwd=home.path).status == 64
    assert home.tree() == before


def test_without_kubectl_the_links_are_made(home):
    tools = home.program("tools", "env", 'exec /usr/bin/env "$@"').parent
    home.person.environment["PATH"] = f"{home.bin}:{tools}"
    home.done("kubectl")
    assert home.state("kubectl") == "setUp"
    home.refused("kubectl", "--user", "x", said="kubectl is not on PATH", status=8)


CLUSTERS = """\
# mine
apiVersion: v1
kind: Config
current-context: aks
clusters:
- {name: aks.one, cluster: {server: "https://aks.example:443"}}
- {name: lab, cluster: {server: "https://lab.example", insecure-skip-tls-verify: true}}
- {name: own, cluster: {server: "https://own.example"}}
- {name: plain, cluster: {server: "http://plain.example"}}
contexts:
- {name: aks, context: {cluster: aks.one, user: clusterUser_rg.x_aks.one}}
- {name: lab, context: {cluster: lab, user: "lab user"}}
- {name: own, context: {cluster: own, user: own}}
- {name: robot, context: {cluster: own, user: robot}}
- {name: cloud, context: {cluster: own, user: cloud}}
- {name: plain, context: {cluster: plain, user: own}}
users:
- name: clusterUser_rg.x_aks.one
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: kubelogin, args: [get-token, --login,
      devicecode, --server-id, S, --client-id, 80faf920-1908-4b52-b5ef-a8e7bedfc67a], installHint: see, env: null}
- name: lab user
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: kubectl, interactiveMode: IfAvailable,
      provideClusterInfo: false, args: [oidc-login, get-token, "--oidc-issuer-url=https://id.example",
      --oidc-client-id=lab-cli], env: [{name: A, value: sekret-sekret}]}
- name: own
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: kubectl-foyer, interactiveMode: IfAvailable,
      provideClusterInfo: true, args: [--client, work, --scope, S/.default]}
- {name: robot, user: {token: sekret-sekret}}
- name: cloud
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, interactiveMode: Never}}
"""
WORK = 'client = "work"\n\n[clients.work]\nclient_id = "11111111-2222-3333-4444-555555555555"\n'
AKS_RULE = '[[rules]]\ncluster = "https://aks.example:443"\nclient = "kubelogin"\n'
LAB_RULE = '[[rules]]\ncluster = "https://lab.example"\n'
OWN_RULE = '[[rules]]\ncluster = "https://own.example"\nclient = "work"\n'


class Clusters:
    def __init__(self, home):
        self.home = home
        self.kubeconfig = home.write(".kube/config", CLUSTERS, 0o600)
        self.settings = home.write(".config/foyer/config.toml", WORK, 0o600)

    def view(self):
        return json.loads(self.home.kubectl("config", "view", "--raw", "-o", "json"))

    def tells(self):
        """Whose plugins are told the cluster."""
        return {user["name"] for user in self.view()["users"] if user["user"].get("exec", {}).get("provideClusterInfo")}


@pytest.fixture
def clusters(home):
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    return Clusters(home)


ALL = {"clusterUser_rg.x_aks.one", "lab user", "own"}


def test_clusters_of_the_kubeconfig_get_a_rule_and_their_plugins_are_told_which_it_is(home, clusters):
    before, view = home.tree(), clusters.view()
    shown = home.setup("kubectl", "--dry-run")
    assert shown.status == 1 and home.tree() == before and "sekret" not in shown.stdout + shown.stderr, shown
    assert {f"  +{line}" for line in (AKS_RULE + LAB_RULE + OWN_RULE).splitlines()} <= set(shown.stdout.splitlines()), (
        shown
    )
    assert "provideClusterInfo: true" in shown.stdout, shown
    by_hand = "kubectl config set-credentials '--exec-provide-cluster-info=true' -- 'lab user'"
    assert f"as by   {by_hand}" in shown.stdout and "TLS certificate of https://lab.example" in shown.stderr
    assert "http://plain.example gets no token" in shown.stderr, shown

    home.done("kubectl")
    assert clusters.settings.read_text() == "\n".join([WORK, AKS_RULE, LAB_RULE, OWN_RULE])
    assert clusters.tells() == ALL
    # Nothing else of a user has changed, secrets and arguments included.
    after = clusters.view()
    for user in after["users"]:
        old = next(old for old in view["users"] if old["name"] == user["name"])
        if "exec" in user["user"]:
            for one in (user, old):
                del one["user"]["exec"]["provideClusterInfo"]
    assert after == view
    again = home.setup("kubectl", "--dry-run")
    assert again.status == 0 and again.stdout == "", again

    home.undone("kubectl", before)


@pytest.mark.parametrize("left", [AKS_RULE, LAB_RULE])
def test_only_what_is_still_there_is_taken_back(home, clusters, left):
    home.done("kubectl")
    # One rule is gone, another one is changed, a third one has come; the kubeconfig has changed, too.
    other = '[[rules]]\ncluster = "https://lab.example"\naccount = "hedy"\n'
    mine = '[[rules]]\ncluster = "https://mine.example"\n# mine\nclient = "work"\n'
    clusters.settings.write_text("\n".join([WORK, left.replace(LAB_RULE, other), OWN_RULE, mine]))
    home.kubectl("config", "set-context", "new", "--user=own")
    home.kubectl("config", "delete-user", "lab user")
    home.done("kubectl", "--undo")
    kept = [WORK, mine] if left == AKS_RULE else [WORK, other, mine]
    assert clusters.settings.read_text() == "\n".join(kept)
    assert clusters.tells() == {"own"} and any(context["name"] == "new" for context in clusters.view()["contexts"])
    assert not home.bin.exists()


@pytest.mark.parametrize("named", ["https://aks.example", "https://aks.example:443", "*"])
def test_a_rule_that_is_there_is_left_alone(home, clusters, named):
    rule = f'[[rules]]\ncluster = "{named}"\naccount = "grace"\ndirectory = "~/work"\n'
    clusters.settings.write_text(WORK + rule)
    home.done("kubectl")
    rest = [] if named == "*" else [LAB_RULE, OWN_RULE]
    assert clusters.settings.read_text() == "\n".join([WORK + rule, *rest])
    home.done("kubectl", "--undo")
    assert clusters.settings.read_text() == WORK + rule


def test_of_several_kubeconfigs_the_one_is_changed_that_kubectl_reads_first(home, clusters):
    first = home.write("first", "apiVersion: v1\nkind: Config\nusers:\n- {name: own, user: {token: sekret-sekret}}\n")
    second = home.write("second", CLUSTERS.replace("provideClusterInfo: true, ", ""))
    home.person.environment["KUBECONFIG"] = f"{first}:{home.path}/missing:{second}"
    before = home.tree()
    home.done("kubectl")
    # The first file's user of that name has no plugin, and it is the one that counts.
    assert clusters.tells() == ALL - {"own"} and "own.example" not in clusters.settings.read_text()
    assert before["first"] == home.tree()["first"] and before[".kube/config"] == home.tree()[".kube/config"]
    home.undone("kubectl", before)


def test_a_user_is_added_to_a_kubeconfig_that_is_changed_besides(home, clusters):
    before = home.tree()
    words = ("kubectl", "--user", "me", "--scope", "S/.default")
    made = home.done(*words)
    assert clusters.tells() == ALL | {"me"} and made.stdout.count("as by") == 3, made
    assert home.setup(*words, "--dry-run").status == 0
    home.kubectl("config", "set-context", "own", "--user=me")
    home.done("kubectl", "--undo")
    assert clusters.tells() == {"own"} and "me" not in {user["name"] for user in clusters.view()["users"]}
    assert clusters.settings.read_text() == WORK and before[".kube/config"] != home.tree()[".kube/config"]


def test_a_kubeconfig_that_cannot_be_read_or_changed_holds_up_no_link(home, clusters):
    home.wrap_kubectl('case "$*" in *--exec-provide-cluster-info*) exit 1;; esac')
    made = home.done("kubectl")
    assert "add provideClusterInfo: true to" in made.stderr and "lab user" in made.stderr, made
    assert clusters.tells() == {"own"} and AKS_RULE in clusters.settings.read_text()
    home.done("kubectl", "--undo")
    home.write(".kube/config", "users: [", 0o600)
    broken = home.done("kubectl")
    assert "clusters skipped" in broken.stderr and (home.bin / "kubelogin").is_symlink(), broken
    assert clusters.settings.read_text() == WORK


def test_the_only_account_is_named_and_a_plugins_own_settings_are_changed(home, clusters, sandbox):
    own = home.write("own.toml", home.person.work_settings(sandbox).read_text())
    text = CLUSTERS.replace("[--client, work,", f"[--config, {own}, --client, work,").replace(
        "env: null", "env: [{name: FOYER_CONFIG, value: /missing.toml}]"
    )
    home.write(".kube/config", text, 0o600)
    home.person.sign_in("ada@contoso.example", "--config", str(own))
    text = own.read_text()
    made = home.done("kubectl")
    assert own.read_text() == text + "\n" + OWN_RULE + 'account = "ada@contoso.example"\n'
    # One whose settings are not there holds up no other.
    assert "https://aks.example:443 skipped" in made.stderr, made
    assert clusters.settings.read_text() == WORK + "\n" + LAB_RULE
    home.done("kubectl", "--undo")
    assert own.read_text() == text and clusters.settings.read_text() == WORK


@pytest.mark.parametrize(
    "name, word", [("kubectl-foyer", None), ("git-credential-foyer", "get"), ("kubelogin", "get-token")]
)
def test_a_helper_that_is_called_while_a_program_is_asked_ends_at_once(home, name, word):
    home.bin.mkdir(parents=True)
    (home.bin / name).symlink_to(FOYER)
    words = [word] if word else []
    ended = home.person.foyer(*words, program=home.bin / name, env={"FOYER_SETUP": "1"})
    assert ended.status == 64 and ended.stdout == "", ended


# MARK: az and PATH


def test_az_must_come_before_the_real_one(home):
    real = home.program("real", "az", "echo real")
    own, other = str(home.bin), str(real.parent)
    home.person.environment["PATH"] = f"{other}:{own}:/usr/bin:/bin"
    late = home.setup("az", "--yes")
    assert late.status == 78 and f"put {own} before {other}" in late.stderr, late
    assert home.state("az") == "overshadowed"
    home.person.environment["PATH"] = f"{own}:{other}:/usr/bin:/bin"
    assert home.state("az") == "setUp"
    passed = home.person.foyer("anything", program="az")
    assert passed.stdout == "real\n", passed
    home.done("az", "--undo")
    assert home.state("az") == "notSetUp" and not home.bin.exists() and real.exists()


def test_a_folder_that_is_not_on_path_is_said(home):
    home.person.environment["PATH"] = "/usr/bin:/bin"
    made = home.setup("git", "--yes")
    assert made.status == 78 and ".profile" in made.stderr and home.state("git") == "half", made

    def finding(subject):
        findings = home.person.foyer("doctor", "--json").json["findings"]
        return next(finding for finding in findings if finding["subject"] == subject)

    assert finding("git")["verdict"] == "note"
    home.done("git", "--undo")
    assert "git" in finding("programs")["detail"]


@pytest.mark.parametrize("target", [None, "/gone/git-credential-other", "../../mine"])
def test_another_program_of_that_name_stays(home, target):
    home.bin.mkdir(parents=True)
    home.program(".", "mine")
    if target is None:
        home.program(".local/bin", HELPER)
    else:
        (home.bin / HELPER).symlink_to(target)
    home.refused("git", said="belongs to another program")


def test_a_link_to_a_foyer_that_is_gone_is_replaced_and_comes_back(home):
    home.bin.mkdir(parents=True)
    (home.bin / HELPER).symlink_to("/gone/foyer")
    before = home.tree()
    home.done("git")
    assert os.readlink(home.bin / HELPER) == str(FOYER)
    home.undone("git", before)


def test_a_folder_goes_with_the_last_program_in_it(home):
    before = home.tree()
    home.done("git")
    home.done("docker", "contoso.azurecr.io")
    home.done("git", "--undo")
    assert home.state("docker") == "setUp"
    home.undone("docker", before)


def test_pip_and_uv_share_a_link_until_the_last_is_taken_back(home):
    before = home.tree()
    home.done("pip")
    home.done("uv")
    assert home.state("pip") == home.state("uv") == "setUp"
    home.done("pip", "--undo")
    assert os.readlink(home.bin / "keyring") == str(FOYER)
    home.undone("uv", before)


# MARK: Nothing by halves


def test_a_configuration_behind_a_link_that_leads_nowhere_is_not_made(home):
    (home.path / ".gitconfig").symlink_to("gone/gitconfig")
    home.refused("git", said="broken link")


FULL_AT = ["rename .gitconfig", "fsync .gitconfig", "write .gitconfig.foyer-new", "write setup-git.json"]


@pytest.mark.parametrize("place", FULL_AT)
def test_on_a_full_disk_nothing_is_half_done(home, faults, place):
    home.write(".gitconfig", ADA)
    before = home.tree()
    environment = faults.meet(rule(*place.split(), errno.ENOSPC, lasts=True))
    full = home.setup("git", "--yes", env=environment, program=WHOLE_PROGRAM)
    assert full.status in (7, 78) and home.tree() == before, full
    assert not (home.path / ".local/state/foyer/setup-git.json").exists()
    home.done("git")


def test_a_home_that_may_not_be_written_is_said(home):
    """Without the capability by which root writes anywhere."""
    home.write(".local/state/foyer/other", "")
    home.write(".gitconfig", ADA)
    before = home.tree()
    may_not = ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all") if os.geteuid() == 0 else ()
    for folder in (".", ".local"):
        (home.path / folder).chmod(0o500)
        try:
            refused = home.person.start("setup", "git", "--yes", program=may_not).end()
        finally:
            (home.path / folder).chmod(0o700)
        assert refused.status == 78 and "Permission denied" in refused.stderr, refused
        assert home.tree() == before


KILLED_AT = ["mkdir .local/bin", "link .gitconfig.lock", "rename .gitconfig", "rename setup-git.json"]
KILLED_AT += ["unlink .gitconfig.lock"]


@pytest.mark.parametrize("place", KILLED_AT)
def test_what_a_setup_that_was_killed_has_left_is_taken_back_or_finished(home, faults, place):
    home.write(".gitconfig", ADA)
    before = home.tree()
    for finish in (False, True):
        killed = home.setup("git", "--yes", env=faults.meet(rule(*place.split(), "kill")), program=WHOLE_PROGRAM)
        assert killed.status == -9, killed
        if finish:
            home.done("git")
            assert home.helpers() == ["foyer"] and home.git("config", "--global", "a.b", "c").status == 0
            home.git("config", "--global", "--unset", "a.b")
        home.done("git", "--undo")
        left = home.tree()
        assert left[".gitconfig"] == before[".gitconfig"] if finish else left == before


def test_several_at_once_make_one_change(home):
    home.write(".gitconfig", ADA)
    before = home.tree()
    running = [home.person.start("setup", "git", "--yes") for _ in range(6)]
    assert [one.end().status for one in running] == [0] * 6
    assert home.helpers() == ["foyer"]
    home.undone("git", before)


def test_a_dry_run_changes_nothing_and_its_status_tells(home):
    home.write(".docker/config.json", "{}")
    before = {path: path.lstat().st_mtime_ns for path in home.path.rglob("*")}
    for arguments in (["git"], ["docker", "a.azurecr.io"], ["az"]):
        shown = home.setup(*arguments, "--dry-run")
        assert shown.status == 1 and "link" in shown.stdout, shown
    assert {path: path.lstat().st_mtime_ns for path in home.path.rglob("*")} == before
    assert list(home.person.scratch.iterdir()) == []
    undo = home.setup("git", "--undo", "--dry-run")
    assert undo.status == 0 and "nothing" in undo.stderr, undo


def test_without_a_terminal_it_wants_to_be_told(home):
    before = home.tree()
    refused = home.setup("git")
    assert refused.status == 64 and "foyer setup git --yes" in refused.stderr and "helper = foyer" in refused.stdout
    assert home.tree() == before
    said = home.setup("git", "--json")
    assert said.status == 64 and said.error["code"] == "usage" and home.tree() == before, said
    made = home.setup("git", "--json", "--yes")
    assert made.json["changed"] and all(check["good"] for check in made.json["checks"]), made
    words = ("npm", "git x", "git --user x", "--yes", "git --yes --dry-run", "kubectl --user -x --yes")
    for arguments in (*map(str.split, words), ["docker", "a/../b c", "--yes"]):
        wrong = home.setup(*arguments)
        assert wrong.status == 64, wrong


@pytest.mark.parametrize(
    "text",
    [
        "",
        "junk",
        '{"version":1}',
        '{"version":1,"links":[{"path":"/tmp/x/ls","target":"/b/foyer","before":null}],"folders":[],"changes":[]}',
    ],
)
def test_a_record_that_setup_has_not_written_is_not_obeyed(home, text):
    home.done("git")
    home.write(".local/state/foyer/setup-git.json", text, 0o600)
    home.refused("git", "--undo", said="setup-git.json", status=65)


# MARK: At a terminal


def test_at_a_terminal_a_number_sets_up_and_one_with_a_minus_takes_back(home):
    before = home.tree()

    def at_terminal(*answers):
        child = spawn(home.person, FOYER, "setup", dimensions=(40, 200))
        for question, answer in answers:
            child.expect_exact(question)
            child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
        return child.exitstatus, child.before

    assert at_terminal(("to quit: ", ""))[0] == 0 and home.tree() == before
    assert at_terminal(("to quit: ", "1"), ("[y/N] ", ""))[0] == 130 and home.tree() == before
    status, text = at_terminal(("to quit: ", "1"), ("[y/N] ", "y"))
    assert status == 0 and "capability responds" in text and home.helpers() == ["foyer"], text
    assert at_terminal(("to quit: ", "1-"), ("[y/N] ", "y"))[0] == 0 and home.tree() == before
