"""Every status of the contract, provoked from outside."""

import json
import os
import re
import shlex
import socket

import pytest
from harness import ADA, BY_BROWSER, CONTOSO, GRACE, HEDY, TARO, TRY_OUT, Store


def expect(result, status, code):
    assert result.status == status and result.stdout == "", result
    assert result.error["code"] == code and result.error["message"], result
    return result.error


TOKEN = ("token", "--silent", "--json")
BY_DEVICE = ("sign-in", "--json", "--via", "device")


def sign_in(person, *arguments):
    return person.foyer("sign-in", "--json", *BY_BROWSER, "--login-hint", ADA, *arguments)


# 3, interactionRequired


def test_nobody_signed_in_is_3_and_without_a_terminal_nobody_is_asked(person, sandbox):
    person.work_settings(sandbox)
    assert "foyer sign-in" in expect(person.foyer(*TOKEN), 3, "interactionRequired")["hint"]
    expect(person.foyer("token", "--json"), 3, "interactionRequired")
    assert sandbox.requests("devicecode") == 0


def test_a_scope_that_nobody_consented_to_is_3(ada):
    error = expect(ada.foyer(*TOKEN, "--scope", "Calendars.Read"), 3, "interactionRequired")
    assert error["serverCodes"] == [65001] and error["suberror"] == "consent_required"


# 4, declinedScopes


def test_a_scope_declined_on_the_consent_page_is_4_and_both_lists_are_told(person, sandbox):
    person.work_settings(sandbox)
    running = person.start(*BY_DEVICE, "--scope", "User.Read Mail.Read")
    sandbox.approve(running.wait_event("deviceCode")["userCode"], ADA, scopes=["User.Read"])
    error = expect(running.end(), 4, "declinedScopes")
    assert "User.Read" in error["grantedScopes"] and error["declinedScopes"] == ["Mail.Read"]
    kept = person.foyer(*TOKEN, "--scope", "User.Read")
    assert kept.status == 0 and kept.json["source"] == "cache", kept


# 5, serverError


def test_a_client_that_the_provider_does_not_know_is_5(person, sandbox):
    unknown = ("--client-id", "99999999-0000-4000-8000-000000000000", "--authority", sandbox.authority())
    error = expect(person.foyer(*BY_DEVICE, *unknown), 5, "serverError")
    assert error["oauthError"] == "unauthorized_client" and error["serverCodes"] == [700016]


def test_a_refusal_that_no_sign_in_mends_is_5(ada, sandbox):
    Store(ada.store).age()
    sandbox.fault("error", endpoint="token:refresh_token", error="invalid_request", codes=[90014])
    expect(ada.foyer(*TOKEN), 5, "serverError")


# 6, unavailable


def test_a_port_where_nobody_listens_is_6(person):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        authority = f"http://127.0.0.1:{taken.getsockname()[1]}/organizations"
    expect(person.foyer(*BY_DEVICE, "--client-id", TRY_OUT, "--authority", authority), 6, "unavailable")


TROUBLES = [
    ("status", {"status": 503}),
    ("status", {"status": 429, "retry_after": 30}),
    ("cutOff", {}),
    ("late", {"seconds": 20}),
]


@pytest.mark.parametrize("kind, members", TROUBLES)
def test_a_provider_in_trouble_is_6_and_the_refresh_token_stays(ada, sandbox, kind, members):
    Store(ada.store).age()
    before = ada.store.read_bytes()
    sandbox.fault(kind, endpoint="token:refresh_token", **members)
    expect(ada.foyer(*TOKEN, "--timeout", "1"), 6, "unavailable")
    assert ada.store.read_bytes() == before
    sandbox.control("faults", method="DELETE")
    # A provider that was down, or asked to wait, is left alone for a while; here the while is over.
    for note in ada.store.parent.glob("*.throttle"):
        note.unlink()
    assert ada.foyer("token", "--silent").status == 0


# 8, notFound and ambiguous


def test_two_accounts_and_no_name_or_a_beginning_that_fits_both_is_8_with_the_list(ada, sandbox):
    ada.sign_in(TARO)
    error = expect(ada.foyer(*TOKEN), 8, "ambiguous")
    assert ADA in error["message"] and TARO in error["message"] and "--account" in error["hint"]
    assert ada.foyer("token", "--silent", "--account", "ta").status == 0
    ada.sign_in("alan@personal.example", "--authority", sandbox.authority("common"))
    error = expect(ada.foyer("remove", "--json", "a"), 8, "ambiguous")
    assert ADA in error["message"] and "alan@personal.example" in error["message"]


def test_what_is_not_there_is_8(ada):
    for command in ("token --silent --account", "remove", "sign-out", "tokens --account", "scopes --account"):
        expect(ada.foyer(*command.split(), GRACE, "--json"), 8, "notFound")
    expect(ada.foyer("inspect", "--id", "no-such-id", "--json"), 8, "notFound")


# 9, untrustedResponse


MUTATIONS = "wrongIssuer wrongAudience wrongNonce missingNonce algNone hs256WithPublicKey badSignature missingSub"


@pytest.mark.parametrize("kind", [*MUTATIONS.split(), "futureIat", "missing"])
def test_an_id_token_that_fails_a_check_is_9_and_nothing_is_stored(person, sandbox, kind):
    person.work_settings(sandbox)
    sandbox.fault("idToken", mutation=kind)
    expect(sign_in(person), 9, "untrustedResponse")
    assert not person.store.exists() or not Store(person.store).secrets()


NO_ANSWERS = {"redirect": {"location": "https://elsewhere.invalid/"}, "html": {}, "hugeBody": {"bytes": 8 << 20}}


@pytest.mark.parametrize("kind", NO_ANSWERS)
@pytest.mark.parametrize("endpoint", ["discovery", "token", "devicecode"])
def test_an_answer_that_is_no_answer_is_9(person, sandbox, kind, endpoint):
    person.work_settings(sandbox)
    sandbox.fault(kind, endpoint=endpoint, **NO_ANSWERS[kind])
    expect(person.foyer(*BY_DEVICE) if endpoint == "devicecode" else sign_in(person), 9, "untrustedResponse")


def test_an_issuer_that_does_not_match_is_9_and_both_are_shown(person, sandbox):
    person.work_settings(sandbox)
    sandbox.fault("override", endpoint="discovery", fields={"issuer": "https://issuer.invalid"})
    error = expect(sign_in(person, "--client", "lab"), 9, "untrustedResponse")
    said = error["message"] + error["hint"]
    assert "https://issuer.invalid" in said and sandbox.issuer in said, said


def test_an_answer_of_another_provider_is_9(person, sandbox):
    person.work_settings(sandbox)
    sandbox.fault("override", endpoint="authorize", fields={"iss": "https://issuer.invalid"})
    expect(sign_in(person, "--client", "lab", "--login-hint", HEDY), 9, "untrustedResponse")


# 64, usage


WRONG = ["no-such-command", "token --no-such-option", "token --via pigeon", "remove", "token --claims []", "inspect"]
WRONG += ["token --client a --client-id b", "token --timeout -1", 'token --scope a"b', "inspect --id a b"]


def test_a_wrong_command_line_is_64(ada):
    for line in WRONG:
        expect(ada.foyer(*line.split(), "--json"), 64, "usage")


@pytest.mark.parametrize("arguments", [[], ["demo"]])
def test_the_interface_without_a_terminal_is_64(person, arguments):
    result = person.foyer(*arguments)
    assert result.status == 64 and result.stdout == "" and "terminal" in result.stderr, result


# 65, invalidInput


NO_TOKENS = [b"no-token", b"a.b.c", b"eyJhbGciOiJub25lIn0.bm90IGpzb24.", b"..", b"x" * 5000, b"\xff\xfe\x00"]


@pytest.mark.parametrize("token", NO_TOKENS)
def test_a_token_that_is_none_and_bytes_that_are_no_text_are_65(person, token):
    expect(person.foyer("inspect", "--json", "-", stdin=token), 65, "invalidInput")


# 78, configuration


@pytest.mark.parametrize(
    "text, line",
    [
        ('client = "work"\n[clients.work\n', 2),
        ('client = "work"\n\n[clients.work]\nauthority = "https://a.example/organizations"\n', 3),
        ("[clients.work]\nclient_id = 5\n", 2),
        ('[clients.work]\nclient_id = "x"\nscopes = "one"\n', 3),
        ('colour = "red"\n', 1),
        ('[clients.work]\nclient_id = "x"\n\nauthority = "http://login.example/organizations"\n', 4),
        ('client = "nobody"\n', 1),
        ('[clients.work]\nclient_id = "x"\nkind = "entra"\n', 3),
        ('[clients.work]\nclient_id = "x"\nauthority = "login.example"\n', 3),
        ('[clients.work]\nclient_id = "x"\nissuer = "ftp://a"\n', 3),
        ('[clients.work]\nclient_id = "x"\nendpoints = { token = "ftp://x" }\n', 3),
        ('[clients.work]\nclient_id = "x"\n[clients.work.endpoints]\n\njwks_uri = "https://x"\n', 5),
        ('[clients.work]\nclient_id = "x"\nexpiration_buffer = 86400\n', 3),
        ('[clients.work]\nclient_id = "x"\nvia = "fax"\n', 3),
        ('[keys.picker]\nremove = "D"\nsignOut = "D"\n', 2),
        ('[keys.picker]\nremove = "a"\n', 2),
        ('[keys.form]\nstart = "s"\n', 2),
        ('[keys.nowhere]\nstart = "F2"\n', 1),
        ('[keys.picker]\n\nfly = "F2"\n', 3),
        ('[keys.picker]\nremove = "Hyper-x"\n', 2),
    ],
)
def test_wrong_settings_are_78_with_file_line_and_remedy(person, text, line):
    path = person.settings(text)
    error = expect(person.foyer("accounts", "--json"), 78, "configuration")
    assert f"{path}:{line}:" in error["message"] and error["hint"].startswith("write ")
    for command in (["accounts"], ["token", "--silent"], ["why", "git"]):
        words = person.foyer(*command)
        assert words.status == 78 and f"{path}:{line}:" in words.stderr, words


AUTHORITIES = ["http://login.example/organizations", "http://127.0.0.1.example/x", "http://user@127.0.0.1/x"]


@pytest.mark.parametrize("authority", [*AUTHORITIES, "ftp://127.0.0.1/x", "nothing"])
def test_an_authority_that_may_not_be_used_is_78(person, authority):
    expect(person.foyer("sign-in", "--json", "--client-id", TRY_OUT, "--authority", authority), 78, "configuration")


@pytest.mark.parametrize("name", ["FOYER_AUTHORITY", "FOYER_CONFIG", "FOYER_CLIENT"])
def test_a_wrong_environment_is_78(person, sandbox, name):
    client = [] if name == "FOYER_CLIENT" else ["--client-id", TRY_OUT]
    expect(person.foyer(*TOKEN, *client, env={name: "http://nowhere.example/x"}), 78, "configuration")


TYPOS = [
    ('client = "work"\n[clients.work]\nscopes = [}\n', 3),
    ("[=\n", 1),
    ("\n[,\n", 2),
    ("[\\\\\n", 1),
    ("theme = 1979-05-27 1\n", 1),
    ("a" + ".a" * 20_000 + " = 1\n", 1),
    ('theme = "nord"\n\0[clients.work]\n', 2),
]


@pytest.mark.parametrize("text, line", TYPOS)
def test_a_typo_is_78_with_its_line_whatever_it_is(person, text, line):
    """The library that reads TOML ends the process over these."""
    path = person.settings(text)
    error = expect(person.foyer("accounts", "--json"), 78, "configuration")
    assert f"{path}:{line}:" in error["message"], error


def test_settings_that_somebody_else_could_have_written_are_not_obeyed(person, sandbox):
    path = person.work_settings(sandbox)
    path.chmod(0o666)
    error = expect(person.foyer("accounts", "--json"), 78, "configuration")
    assert "can be written by others (mode 0666)" in error["message"] and f"chmod go-w {path}" in error["hint"], error
    path.chmod(0o644)
    assert person.foyer("accounts", "--json").status == 0
    path.parent.chmod(0o777)
    error = expect(person.foyer("accounts", "--json"), 78, "configuration")
    assert f"chmod go-w {path.parent}" in error["hint"], error


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_settings_and_folders_of_somebody_else_are_not_obeyed(person, sandbox, tmp_path):
    path = person.work_settings(sandbox)
    os.chown(path, 12345, 12345)
    error = expect(person.foyer("accounts", "--json"), 78, "configuration")
    assert "belongs to another user (uid 12345)" in error["message"], error
    # XDG_CONFIG_HOME of somebody else is no more believed than their HOME.
    path.unlink()
    theirs = tmp_path / "theirs"
    (theirs / "foyer").mkdir(parents=True)
    (theirs / "foyer" / "config.toml").write_text('client = "theirs"\n[clients.theirs]\nclient_id = "theirs"\n')
    mine = person.home / ".config" / "foyer"
    mine.mkdir(parents=True)
    (mine / "config.toml").write_text('client = "mine"\n[clients.mine]\nclient_id = "mine"\n')
    env = {"XDG_CONFIG_HOME": str(theirs)}
    assert "theirs" in person.foyer("clients", "--json", env=env).stdout
    os.chown(theirs, 12345, 12345)
    listed = person.foyer("clients", "--json", env=env)
    assert "mine" in listed.stdout and "theirs" not in listed.stdout, listed


def test_a_certificate_file_that_is_not_there_is_78_when_a_provider_is_asked(ada):
    missing = str(ada.home / "no such ca.pem")
    env = {"SSL_CERT_FILE": missing}
    assert ada.foyer(*TOKEN, env=env).json["source"] == "cache"
    error = expect(ada.foyer(*TOKEN, "--force-refresh", env=env), 78, "configuration")
    assert missing in error["message"] and "SSL_CERT_FILE" in error["hint"], error
    assert ada.foyer("remove", ADA, env=env).status == 0


def test_a_hint_can_be_pasted_into_a_shell(ada):
    """What a provider calls a person is text, not a command."""
    Store(ada.store).change("Account", username="ada $(touch pwned) 'x'")
    ada.store.write_text(json.dumps({**Store(ada.store).read(), "AccessToken": {}, "RefreshToken": {}}))
    hint = expect(ada.foyer(*TOKEN, "--account", "ada"), 3, "interactionRequired")["hint"]
    command = re.search(r'run "(foyer sign-in .*)"$', hint)[1]
    assert shlex.split(command) == ["foyer", "sign-in", "--account", "ada $(touch pwned) 'x'"], hint
    odd = ada.home / "a b;c"
    odd.mkdir(mode=0o700)
    store = odd / "cache.json"
    store.write_text(ada.store.read_text())
    store.chmod(0o666)
    hint = expect(ada.foyer(*TOKEN, "--store", f"file:{store}"), 7, "storeError")["hint"]
    assert shlex.split(hint.split(": ", 1)[1]) == ["chmod", "600", str(store)], hint


@pytest.mark.parametrize("name", ['with "quotes"', "back\\slash\\u0041", "hash # and 'single'"])
def test_a_store_moves_to_any_path_and_the_settings_stay_toml(ada, name):
    path, settings = ada.home / "data" / "foyer" / name, ada.home / "config" / "foyer" / "config.toml"
    before = settings.read_text()
    moved = ada.foyer("store", "move", "--json", "--to", f"file:{path}")
    assert moved.status == 0 and path.exists(), moved
    after = settings.read_text()
    assert after.endswith(before) and after != before
    assert ada.foyer(*TOKEN).json["source"] == "cache"
    assert str(path) in ada.foyer("store", "show", "--json").json["path"]


def test_settings_that_cannot_be_changed_by_line_are_left_as_they_are(ada):
    path = ada.home / "config" / "foyer" / "config.toml"
    text = 'store = """\n' + str(ada.store) + '"""\n' + path.read_text()
    path.write_text(text)
    refused = ada.foyer("store", "move", "--json", "--to", f"file:{ada.store.with_name('other.json')}")
    assert refused.status == 78 and "edit it yourself" in refused.error["hint"], refused
    assert path.read_text() == text


def test_no_client_at_all_is_78(person):
    assert "--client" in expect(person.foyer(*TOKEN), 78, "configuration")["hint"]


@pytest.mark.parametrize("words", [("sign-in", "--via", "nonsense"), ("token", "--frobnicate"), ("register",)])
def test_what_the_argument_parser_says_is_one_line_of_ours(person, words):
    result = person.foyer(*words)
    said = result.stderr.splitlines()
    assert result.status == 64 and len(said) == 2 and "\u2039" not in result.stderr, result
    assert said[0].startswith("foyer: ") and said[0][7].islower() and not said[0].endswith("."), result


def test_options_beat_the_environment_and_that_the_settings(ada, sandbox, tmp_path):
    ada.environment["FOYER_CLIENT"] = "cli"
    expect(ada.foyer(*TOKEN), 3, "interactionRequired")
    work = (*TOKEN, "--client", "work")
    assert ada.foyer(*work).status == 0
    other = {"FOYER_STORE": str(tmp_path / "other.json")}
    assert ada.foyer(*work, env=other).status == 3
    assert ada.foyer(*work, "--store", f"file:{ada.store}", env=other).status == 0
    assert ada.foyer(*work, "--authority", sandbox.authority(CONTOSO)).status == 0


@pytest.mark.parametrize("proxy", ["://", "socks4://10.0.0.1:1080", "ftp://ada:S3cretPass@10.0.0.1:3128"])
def test_a_proxy_is_judged_when_a_request_goes_through_it(ada, proxy):
    # A proxy that cannot be used is nobody's trouble who asks nobody, or only this machine.
    ada.environment["HTTPS_PROXY"] = proxy
    for words in (("token", "--silent"), ("token", "--silent", "--force-refresh"), ("accounts",)):
        assert ada.foyer(*words).status == 0
    elsewhere = ada.foyer(*BY_DEVICE, "--authority", "https://id.invalid", "--client-id", "x")
    error = expect(elsewhere, 78, "configuration")
    assert "HTTPS_PROXY" in error["message"] and "S3cretPass" not in elsewhere.stderr
    assert ada.foyer("remove", ADA).status == 0
