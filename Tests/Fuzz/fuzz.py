"""Gives hostile bytes to what reads them, for so many minutes in all: every target of foyer-fuzz under libFuzzer, and
an agent at its socket.

    fuzz.py MINUTES [TARGET]

Targets share the minutes and run beside each other, one for each core. Ends with a table; the exit status is 1 when
something was found. What was found is kept in .build-fuzz/findings, what was learnt in .build-fuzz/corpus.
"""

import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / ".build-fuzz"
SOCKET = "agent-socket"
sys.path.insert(0, str(ROOT / "Tests" / "Sanitize"))

from toolchain import ENVIRONMENT, LEAKS, compiler  # noqa: E402


def build():
    resources = Path(subprocess.check_output([compiler("clang"), "--print-resource-dir"], text=True).strip())
    archives = sorted(resources.glob("lib/*linux*/libclang_rt.fuzzer_no_main*.a"))
    # One folder for all machines has their names in those of its files.
    own = [file for file in archives if os.uname().machine in str(file)]
    if not own:
        sys.exit(f"Tests/run fuzz: libFuzzer is not in {resources}/lib")
    options = ["-c", "release", "--scratch-path", str(SCRATCH), "--sanitize=address", "-Xswiftc", "-gline-tables-only"]
    environment = {**ENVIRONMENT, "FOYER_FUZZ": str(own[0])}
    subprocess.check_call(["swift", "build", *options, "--product", "foyer-fuzz"], cwd=ROOT, env=environment)
    return SCRATCH / "release" / "foyer-fuzz"


# MARK: Seeds

HEADER = '{"alg":"RS256","typ":"JWT","kid":"k"}'
CLAIMS = (
    '{"iss":"https://op.example","aud":["a","b"],"exp":1795237200,"iat":1795233600,"nbf":1795233600,"tid":"t",'
    '"scp":"User.Read Directory.ReadWrite.All","roles":["Mail.Send"],"wids":["62e90394-69f5-4237-9190-012177145e10"],'
    '"preferred_username":"ada@example.org","address":{"country":"UK","list":[1,[2,{"a":null}]]}}'
)
ASK = (
    '{"op":"token","client":"Azure CLI","clientId":"c","authority":"https://127.0.0.1:9/t","scopes":["a b","c"],'
    '"account":"ada@example.org","store":"file:/x.json","tenant":"t","claims":"{}","timeout":500,'
    '"environment":{"HOME":"/h","LANG":"C"},"folder":"/h","storeFolder":"1:2"}'
)
METADATA = (
    '{"issuer":"https://op.example","authorization_endpoint":"https://op.example/a","token_endpoint":'
    '"https://op.example/t","jwks_uri":"https://op.example/k","code_challenge_methods_supported":["S256"],'
    '"scopes_supported":["openid","email"],"userinfo_endpoint":"https://op.example/u"}'
)
GIT = "protocol=https\nhost=dev.azure.com\npath=org/_git/repository\nusername=org\ncapability[]=authtype\n"
REQUEST = "GET /back?code=c&state=s&iss=https%3A%2F%2Fop.example HTTP/1.1\r\nHost: localhost:8400\r\n\r\n"
FORM = (
    "POST /back HTTP/1.1\r\nHost: localhost:8400\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    "Content-Length: 14\r\n\r\ncode=c&state=s"
)
WRITTEN = {
    "json": ['{"a":{"b":{"c":[1,-0.5e3,true,null,"\\ud83d\\ude00\\n"]}},"d":"\\u00e9"}', '[[],{}," "]', "1e400"],
    "json-edit": [
        'abcd{ "a" : { "b" : { "c" : "d", "e" : [] }, "f" : {} }, "g" : 1 }',
        '\1\0\1\2{"a":{"b":{"c":"d"}}}',
        '\3\1\3\2{\n  "a": {\n    "b": {\n      "c": "d"\n    }\n  }\n}\n',
    ],
    "json-pieces": ['\x08{"a":{"b":{"secret":"d"},"c":{}},"AccessToken":{"e":{"a":"f"}},"x":{"y":{}}}'],
    "token": [HEADER + "\0" + CLAIMS, '{"alg":"none"}\0{"sub":"a","groups":["a","b"]}', "e30.e30.", "a.b.c.d.e"],
    "text": ["\x20ada@example.org \u202e\u200d e\u0301 \U0001f468\u200d\U0001f469\u200d\U0001f467 \ud55c \u2026"],
    "loopback": ["\xf8" + REQUEST, "\xf9" + REQUEST, "\xfa" + FORM, "\x04" + REQUEST],
    "toml": ['a = 1\n[b]\nc = ["d", \'e\', """f\ng"""] # h\n[[i]]\nj.k = 1979-05-27T07:32:00Z\n', '\u00e9 \t"\\'],
    "agent": [
        "\x10" + ASK + "\n" + '{"op":"status"}\n{"op":"lock","store":"file:/x"}\n',
        "\x01" + ASK + "\n",
        '\x40{"op":"signIn","client":"a","account":"b","instruction":"c","forProcess":7}\n'
        '{"op":"answer","id":"1a","answer":"session"}\n{"op":"token","client":"w","pop":"GET https://x/"}\n',
    ],
    "terminal": ["\0abc\x1b[A\x1bOP\xff\x1b[200~pasted\x1b[201~\xff\x1b", "\2\x1b[<0;5;5M\x1b[M !!\xff\x1b]0;t\x07q"],
    "git": [
        GIT + "\n",
        GIT + "wwwauth[]=Bearer authorization_uri=https://login.microsoftonline.com/"
        "10000000-0000-4000-8000-000000000000\npassword=p\n\n",
        "https://user@dev.azure.com/org/_git/r",
    ],
    "challenge": [
        'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common", '
        'error="insufficient_claims", claims="eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZX19fQ=="',
        'PoP nonce="abc", Negotiate YWJj==\nBasic realm="a\\"b"',
    ],
    "discovery": [
        METADATA,
        '{"error":"invalid_grant","error_description":"AADSTS50076: a\\r\\nTrace ID: b",'
        '"suberror":"basic_action","error_codes":[50076],"claims":"{}"}',
        '{"kty":"RSA","n":"AQAB","e":"AQAB","use":"sig"}',
        "https://login.microsoftonline.com/common/v2.0",
    ],
    "redirect": ["http://localhost:8400/back?code=c&state=s", "error=access_denied&state=s", "a+b%20c=%C3%A9", "code"],
    "docker": [
        '{\n\t"auths": {\n\t\t"a": {}\n\t},\n\t"credHelpers": {\n\t\t"b": "c"\n\t}\n}\n',
        "{}",
        '{"credHelpers":{"example.azurecr.io":"foyer"}}',
    ],
}


def seeds(name):
    """The bytes of a target's seeds: fixtures of the tests, examples of the reference, and those above."""
    found = [text.encode("latin-1" if name == "loopback" else "utf-8") for text in WRITTEN.get(name, [])]

    def fixtures(folder, pattern="*"):
        return [
            file.read_bytes()
            for file in sorted((ROOT / "Tests" / folder / "Fixtures").glob(pattern))
            if file.suffix != ".py"
        ]

    if name in ("cache", "json"):
        found += fixtures("TokenCacheTests", "*.json")
    elif name in ("index", "json-pieces"):
        found += [b"\x40" + text for text in fixtures("TokenCacheTests", "*.json")]
    elif name == "json-edit":
        found += [b"\1\2\3\4" + text for text in fixtures("TokenCacheTests", "*.json")]
    elif name == "azure-profile":
        found += fixtures("TokenCacheTests", "azureProfile.json")
    elif name == "legacy":
        found += fixtures("LegacyCachesTests")
    elif name == "property-list":
        found += fixtures("LegacyCachesTests", "*plist")
    elif name == "theme":
        found += [file.read_bytes() for file in sorted((ROOT / "Themes").glob("*.toml"))]
    elif name == "settings":
        for page in sorted((ROOT / "Sources/foyer/foyer.docc").glob("*.md")):
            found += [block.encode() for block in re.findall(r"```toml\n(.*?)```", page.read_text(), re.S)]
    return found


# MARK: Runs

# The faults that are planted, and what the log says when one is found.
PLANTED = {
    "planted-overflow": "AddressSanitizer: heap-buffer-overflow",
    "planted-leak": "LeakSanitizer: detected memory leaks",
    "planted-claim": "a claim that never holds",
}


def environment(name):
    return {
        **ENVIRONMENT,
        "FOYER_FUZZ_TARGET": name,
        "LSAN_OPTIONS": LEAKS,
        "ASAN_SYMBOLIZER_PATH": compiler("llvm-symbolizer"),
    }


def find_planted(program):
    """Ends the run unless each planted fault is found."""
    for name, words in PLANTED.items():
        ended = subprocess.run(
            [program, "-runs=100", "-artifact_prefix=" + str(SCRATCH / "planted-")],
            env=environment(name),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=120,
        )
        if ended.returncode == 0 or words not in ended.stdout:
            sys.exit(f"Tests/run fuzz: {name} was not found (status {ended.returncode})\n{ended.stdout[-2000:]}")
    print(f"planted and found: {', '.join(name.removeprefix('planted-') for name in PLANTED)}", flush=True)


class Row:
    def __init__(self, name):
        self.name, self.runs, self.coverage, self.corpus, self.found = name, "", "", "", []
        # The command that shows it once more.
        self.again = None


def fuzz(program, name, longest, seconds):
    """One target under libFuzzer, for so many seconds or until something is found."""
    # What was found before is tried again.
    folders = [SCRATCH / folder / name for folder in ("corpus", "seeds", "findings")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(seeds(name)):
        if len(text) <= longest:
            (folders[1] / str(number)).write_bytes(text)
    words = SCRATCH / "seeds" / f"{name}.dict"
    words.write_bytes(subprocess.check_output([program, "words", name], env=ENVIRONMENT))
    findings = folders[2]
    before = {file: file.stat().st_mtime_ns for file in findings.iterdir()}
    log = SCRATCH / f"{name}.log"
    with open(log, "wb") as file:
        status = subprocess.run(
            [
                program,
                *map(str, folders),
                f"-max_len={longest}",
                f"-max_total_time={seconds}",
                "-timeout=10",
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
                f"-dict={words}",
                f"-artifact_prefix={findings}/",
            ],
            env=environment(name),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        ).returncode
    text = log.read_text(errors="replace")
    row = Row(name)
    lines = re.findall(r"^#(\d+)\s.* cov: (\d+) ft: \d+ corp: (\d+)", text, re.M)
    if lines:
        row.runs, row.coverage, row.corpus = lines[-1]
    executed = re.search(r"stat::number_of_executed_units: *(\d+)", text)
    if executed:
        row.runs = executed[1]
    # One that was found before has the same name again.
    found = sorted(file for file in findings.iterdir() if file.stat().st_mtime_ns != before.get(file))
    row.found = [str(file.relative_to(ROOT)) for file in found]
    if found:
        run = [os.path.relpath(program, ROOT), row.found[0]]
        row.again = f"SWIFT_BACKTRACE=enable=no FOYER_FUZZ_TARGET={name} {shlex.join(run)}"
    elif status != 0:
        row.found = [f"{log.relative_to(ROOT)} (status {status})"]
    return row


def fuzz_socket(binaries, seconds):
    """An agent at its socket: no coverage is counted."""
    log = SCRATCH / f"{SOCKET}.log"
    with open(log, "wb") as file:
        status = subprocess.run(
            [sys.executable, "Tests/Interop/fuzz_agent.py", str(seconds / 60)],
            cwd=ROOT,
            stdout=file,
            stderr=file,
            env={**ENVIRONMENT, "FOYER_BIN": binaries},
        ).returncode
    row = Row(SOCKET)
    sent = re.search(r"^(\d+) requests", log.read_text(errors="replace"), re.M)
    row.runs = sent[1] if sent else ""
    if status != 0:
        row.found = [str(log.relative_to(ROOT))]
        seed = re.search(r"^seed (\S+)", log.read_text(errors="replace"), re.M)
        run = ["python3", "Tests/Interop/fuzz_agent.py", f"{seconds / 60:g}", *([seed[1]] if seed else [])]
        row.again = f"FOYER_BIN={shlex.quote(binaries)} {shlex.join(run)}"
    return row


def main():
    minutes = float(sys.argv[1])
    wanted = sys.argv[2] if len(sys.argv) > 2 else None
    parts = {}
    if wanted != SOCKET:
        program = build()
        listed = subprocess.check_output([program, "list"], text=True, env=ENVIRONMENT).splitlines()
        parts = {name: int(longest) for name, longest in map(str.split, listed)}
    if wanted in (None, SOCKET):
        parts[SOCKET] = 0
    if wanted:
        if wanted not in parts:
            sys.exit(f"Tests/run fuzz: {wanted} is none of: {' '.join([*parts, SOCKET])}")
        parts = {wanted: parts[wanted]}
    SCRATCH.mkdir(exist_ok=True)
    if wanted != SOCKET:
        find_planted(program)
    if SOCKET in parts:
        subprocess.check_call(["swift", "build"], cwd=ROOT, env=ENVIRONMENT)
        binaries = (
            os.environ.get("FOYER_BIN")
            or subprocess.check_output(
                ["swift", "build", "--show-bin-path"], cwd=ROOT, text=True, env=ENVIRONMENT
            ).strip()
        )
    cores = min(len(os.sched_getaffinity(0)), len(parts))
    seconds = max(1, int(minutes * 60 * cores / len(parts)))
    print(f"{len(parts)} targets, {seconds} s each, {cores} at a time", flush=True)
    said = threading.Lock()

    def run(part):
        name, longest = part
        row = fuzz_socket(binaries, seconds) if name == SOCKET else fuzz(program, name, longest, seconds)
        for place in row.found:
            with said:
                print(f"{name}: found {place}", flush=True)
        return row

    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        rows = list(pool.map(run, parts.items()))
    print(f"\n{'target':<14} {'executions':>11} {'coverage':>8} {'corpus':>6}  findings")
    for row in rows:
        print(f"{row.name:<14} {row.runs:>11} {row.coverage:>8} {row.corpus:>6}  {', '.join(row.found) or 'none'}")
    found = [row for row in rows if row.found]
    for row in found:
        print(f"\n{row.name}: .build-fuzz/{row.name}.log says what it was{'; once more:' if row.again else ''}")
        if row.again:
            print(f"  {row.again}")
    return 1 if found else 0


sys.exit(main())
