"""What real providers do that breaks clients: each quirk of the sandbox, and what a person has of it."""

import base64
import json
import re
import subprocess
import tomllib
import urllib.error
import urllib.request
from urllib.parse import parse_qs, urlsplit

import pytest
from harness import ADA, BY_BROWSER, CURL, HEDY, LAB, Store
from waiting import PATIENCE


@pytest.fixture
def lab(person, sandbox):
    def settle(more=""):
        return person.settings(
            f'[clients.lab]\nclient_id = "{LAB}"\nauthority = "{sandbox.issuer}"\nkind = "oidc"\n'
            f'scopes = ["openid", "profile", "email", "offline_access"]\n{more}'
        )

    person.resettle = settle
    settle()
    return person


def quirk(sandbox, name):
    sandbox.fault("quirk", name=name)


def by_code(person, sandbox, *arguments):
    running = person.start("sign-in", "--json", "--via", "device", "--client", "lab", *arguments)
    prompt = running.wait_event("deviceCode")
    sandbox.approve(prompt["userCode"], HEDY)
    result = running.end()
    assert result.status == 0, result
    return prompt


def lives(person):
    """Signed in: from the store, and renewed when that is over."""
    assert person.foyer("token", "--silent", "--json").json["source"] == "cache"
    for _ in range(2):
        Store(person.store).age()
        renewed = person.foyer("token", "--silent", "--json")
        assert renewed.status == 0 and renewed.json["source"] == "refresh", renewed


HARMLESS = """
onlyOAuthMetadata splitMetadata advertisesNone nonceRequired extraParameters tokenTypeCase expiresInText
expiresInEpoch shorterOnRefresh scopeAbsent scopeReordered scopeDuplicated noIDTokenOnRefresh fractionClaims
textClaims listAudience formAnswers jsonAsHTML replayTolerated rotationGrace noRotation namelessIDToken
userinfoOfAnother noUserinfo
"""


@pytest.mark.parametrize("name", HARMLESS.split())
def test_signs_in_and_renews_as_ever(lab, sandbox, name):
    quirk(sandbox, name)
    lab.sign_in(HEDY, "--client", "lab")
    lives(lab)


@pytest.mark.parametrize(
    "name", ["noIDTokenOnDevice", "noInterval", "dashlessCodes", "verificationQuery", "neverSlowDown", "slowDownOnce"]
)
def test_a_device_code_works_as_ever(lab, sandbox, name):
    quirk(sandbox, name)
    prompt = by_code(lab, sandbox)
    if name == "noInterval":
        assert prompt["interval"] == 5
    if name == "verificationQuery":
        assert " " not in prompt["verificationUri"]
    lives(lab)


def test_without_any_document_the_endpoints_are_given_by_hand(lab, sandbox):
    with urllib.request.urlopen(sandbox.issuer + "/.well-known/openid-configuration", timeout=PATIENCE) as reply:
        document = json.load(reply)
    quirk(sandbox, "noMetadata")
    refused = lab.foyer("sign-in", "--json", "--client", "lab", "--via", "device")
    assert refused.status == 5 and "metadata" in refused.error["message"], refused
    names = ("authorization", "token", "device_authorization", "jwks", "userinfo")
    addresses = {name: document["jwks_uri" if name == "jwks" else f"{name}_endpoint"] for name in names}
    lab.resettle("[clients.lab.endpoints]\n" + "".join(f'{key} = "{address}"\n' for key, address in addresses.items()))
    by_code(lab, sandbox)
    lives(lab)


def test_an_issuer_that_does_not_match_is_refused_with_both_names_and_taken_when_it_is_set(lab, sandbox):
    quirk(sandbox, "issuerMismatch")
    refused = lab.foyer("sign-in", "--json", "--client", "lab", "--via", "device")
    assert refused.status == 9, refused
    assert sandbox.issuer in refused.error["message"] and "/elsewhere" in refused.error["message"], refused
    lab.resettle(f'issuer = "{sandbox.base}/elsewhere"\n')
    running = lab.start("sign-in", "--json", "--via", "device", "--client", "lab")
    assert running.wait_event("deviceCode")["userCode"], "the document is believed now"
    running.process.terminate()
    running.end()


def test_a_redirect_uri_that_is_compared_with_its_port_never_comes_back_and_a_fixed_one_does(lab, sandbox):
    quirk(sandbox, "exactPort")
    running = lab.start("sign-in", "--json", "--via", "browser", "--browser", "none", "--client", "lab")
    address = running.wait_event("browser")["authorizationUrl"]
    page = subprocess.run(
        ["curl", "-sL", address + "&login_hint=" + HEDY], capture_output=True, text=True, timeout=PATIENCE
    )
    assert "html" in page.stdout.lower() and running.process.poll() is None, "it is a page, and nothing comes"
    running.process.terminate()
    assert running.end().status in (130, -15)


def test_offline_access_may_need_consent_to_be_asked_for(lab, sandbox):
    quirk(sandbox, "consentForOffline")
    lab.sign_in(HEDY, "--client", "lab")
    Store(lab.store).age()
    assert lab.foyer("token", "--silent").status == 3, "no refresh token was given"
    sandbox.control("auto", {"username": HEDY})
    lab.sign_in(HEDY, "--client", "lab", "--prompt", "consent")
    lives(lab)


def test_an_error_redirect_without_the_issuer_that_was_announced_is_the_error_that_it_is(lab, sandbox):
    quirk(sandbox, "noIssInErrors")
    sandbox.fault("denied", endpoint="authorize")
    result = lab.foyer("sign-in", "--json", *BY_BROWSER, "--login-hint", HEDY, "--client", "lab")
    assert result.status == 130 and result.error["oauthError"] == "access_denied", result
    assert sandbox.requests("token") == 0 and not lab.store.exists()


@pytest.mark.parametrize("name", ["noIss", "wrongIss"])
def test_a_redirect_of_another_issuer_or_of_none_stores_nothing(lab, sandbox, name):
    quirk(sandbox, name)
    result = lab.foyer("sign-in", "--json", *BY_BROWSER, "--login-hint", HEDY, "--client", "lab")
    assert result.status != 0 and result.error["code"] == "untrustedResponse", result
    assert sandbox.requests("token") == 0 and not lab.store.exists()


@pytest.mark.parametrize("name", ["emptyErrors", "detailErrors", "invalidRequestForGrant", "forbiddenErrors"])
def test_a_dead_refresh_token_means_sign_in_again_however_it_is_said(lab, sandbox, name):
    lab.sign_in(HEDY, "--client", "lab")
    Store(lab.store).age()
    sandbox.control("revoke", {"username": HEDY})
    quirk(sandbox, name)
    refused = lab.foyer("token", "--silent", "--json")
    assert refused.status == 3 and refused.error["code"] == "interactionRequired", refused


def test_a_code_that_the_provider_does_not_know_any_more_ends_the_wait(lab, sandbox):
    quirk(sandbox, "unknownCode404")
    running = lab.start("sign-in", "--json", "--via", "device", "--client", "lab")
    running.wait_event("deviceCode")
    sandbox.reset()
    quirk(sandbox, "unknownCode404")
    result = running.end()
    assert result.status in (3, 5), result


def test_a_failing_provider_spends_no_refresh_token(lab, sandbox):
    lab.sign_in(HEDY, "--client", "lab")
    Store(lab.store).age()
    sandbox.fault("status", status=503, endpoint="token")
    assert lab.foyer("token", "--silent").status == 6
    sandbox.control("faults", method="DELETE")
    for note in lab.store.parent.glob("*.throttle"):
        note.unlink()
    assert lab.foyer("token", "--silent").status == 0


@pytest.mark.parametrize(
    "name, revoked, ended",
    [
        ("revocationRefused", "failed", "opened"),
        ("noRevocation", "notOffered", "opened"),
        ("noEndSession", "done", "notOffered"),
        ("logoutDropsState", "done", "opened"),
        ("logoutPage", "done", "opened"),
        ("exactPostLogout", "done", "opened"),
    ],
)
def test_sign_out_goes_on_and_says_what_was_not_done(lab, sandbox, name, revoked, ended):
    lab.sign_in(HEDY, "--client", "lab")
    quirk(sandbox, name)
    outcome = lab.foyer("sign-out", HEDY, "--json", "--browser", CURL, "--client", "lab")
    assert outcome.status == 0, outcome
    assert outcome.json["removed"]["outcome"] == "done"
    assert (outcome.json["revoked"]["outcome"], outcome.json["sessionEnded"]["outcome"]) == (revoked, ended), outcome
    assert lab.foyer("token", "--silent", "--client", "lab").status == 3


@pytest.mark.parametrize("name", ["registrationSecret", "registrationSlashes", "registrationTextTimes"])
def test_registration_whatever_comes_back_with_it(person, sandbox, name):
    quirk(sandbox, name)
    registered = person.foyer("register", "mine", "--authority", sandbox.issuer, "--json")
    assert registered.status == 0, registered
    text = (person.home / "config" / "foyer" / "config.toml").read_text()
    assert registered.json["clientId"] in text and "secret" not in text
    assert ("/" in registered.json["clientId"]) == (name == "registrationSlashes")
    assert person.sign_in(HEDY, "--client", "mine")["account"]["username"]


def test_a_registration_with_a_secret_keeps_it_with_the_store(person, sandbox):
    quirk(sandbox, "registrationConfidential")
    registered = person.foyer("register", "mine", "--authority", sandbox.issuer, "--json")
    assert registered.status == 0, registered
    settings = tomllib.loads((person.home / "config" / "foyer" / "config.toml").read_text())["clients"]["mine"]
    assert settings["client_secret"] == "kept"
    assert settings["token_endpoint_auth_method"] == "client_secret_basic"
    kept = json.loads(person.store.with_name(person.store.name + ".secrets").read_text())["secrets"]
    assert [entry["client_id"] for entry in kept] == [registered.json["clientId"]]
    assert kept[0]["client_secret"] not in registered.stdout + registered.stderr
    assert person.sign_in(HEDY, "--client", "mine")["account"]["username"]


def test_a_registration_leaves_out_what_the_provider_does_not_have(person, sandbox):
    quirk(sandbox, "registrationStrictGrants")
    quirk(sandbox, "registrationStrictScopes")
    named = person.foyer("register", "mine", "--authority", sandbox.issuer, "--scope", "openid notes.read", "--json")
    assert named.status == 5 and "does not list notes.read" in named.error["hint"], named
    revocation = f"{sandbox.issuer}/elsewhere"
    words = ["--redirect-uri", "http://127.0.0.1:8400/", "--issuer", sandbox.issuer]
    words += ["--endpoint", f"revocation={revocation}"]
    registered = person.foyer("register", "mine", "--authority", sandbox.issuer, *words)
    assert registered.status == 0 and "port 8400" in registered.stdout, registered
    settings = tomllib.loads((person.home / "config" / "foyer" / "config.toml").read_text())["clients"]["mine"]
    assert settings["scopes"] == ["openid", "profile"] and settings["redirect_uri"] == "http://127.0.0.1:8400/"
    assert settings["issuer"] == sandbox.issuer and settings["endpoints"] == {"revocation": revocation}
    assert person.foyer("clients", "--json").status == 0


def test_a_registration_that_is_refused_says_what_to_do(person, sandbox):
    refused = person.foyer(
        "register", "mine", "--authority", sandbox.issuer, "--redirect-uri", "https://example.org/", "--json"
    )
    assert refused.status == 64 and "http://127.0.0.1:8400/" in refused.error["hint"], refused
    assert person.foyer("register", "mine", "--authority", sandbox.issuer, "--endpoint", "nothing=1").status == 64


def test_the_doctor_judges_a_provider_as_a_sign_in_does(lab, sandbox):
    for status, verdict, detail in ((0, "good", sandbox.issuer), (9, "bad", "issuer")):
        judged = lab.foyer("doctor", "--json", "--client", "lab")
        finding = next(finding for finding in judged.json["findings"] if finding["subject"] == "provider")
        assert (judged.status, finding["verdict"]) == (status, verdict) and detail in finding["detail"], judged
        quirk(sandbox, "issuerMismatch")


def test_a_request_that_must_be_pushed_is_pushed(lab, sandbox):
    quirk(sandbox, "pushedRequired")
    running = lab.start("sign-in", "--json", *BY_BROWSER, "--login-hint", HEDY, "--client", "lab")
    address = running.wait_event("browser")["authorizationUrl"]
    assert set(parse_qs(urlsplit(address).query)) == {"client_id", "request_uri"}
    assert running.end().status == 0
    lives(lab)


def test_a_resource_that_wants_more_of_a_valid_token_has_its_claims_asked_for(person, sandbox):
    person.work_settings(sandbox, capabilities=["cp1"])
    person.sign_in(ADA)
    quirk(sandbox, "continuousAccess")
    first = person.foyer("token").stdout.strip()
    status, challenge = ask_resource(sandbox, f"Bearer {first}")
    assert status == 401 and 'error="insufficient_claims"' in challenge
    claims = base64.b64decode(re.search('claims="([^"]+)"', challenge)[1] + "==").decode()
    renewed = person.foyer("token", "--json", "--claims", claims, *BY_BROWSER, "--account", ADA)
    assert renewed.status == 0 and renewed.json["source"] != "cache" and renewed.json["accessToken"] != first, renewed
    assert ask_resource(sandbox, f"Bearer {renewed.json['accessToken']}")[0] == 200, renewed


def ask_resource(sandbox, authorization):
    request = urllib.request.Request(sandbox.base + "/resource", headers={"Authorization": authorization})
    try:
        with sandbox.opener.open(request, timeout=PATIENCE) as reply:
            return reply.status, ""
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers["WWW-Authenticate"]


class NativeSignIn:
    """A sign-in at External ID without a browser; each question is answered by what it asks for."""

    def __init__(self, person, sandbox, username, *arguments):
        person.settings(
            '[clients.shop]\nclient_id = "c1a11111-2222-4333-8444-555555555555"\n'
            f'authority = "{sandbox.authority("woodgrove.example")}"\n'
            'kind = "ciam"\nscopes = ["openid", "profile"]\n'
        )
        self.sandbox, self.username, self.asked = sandbox, username, []
        self.running = person.start(
            "sign-in", "--json", "--via", "native", "--login-hint", username, *arguments, stdin=subprocess.PIPE
        )

    def answers(self, **answers):
        """Until somebody is signed in; an answer is found by a word of the question."""
        while True:
            events = ("question", "completed", "failed")
            line = json.loads(self.running.wait_line(lambda line: json.loads(line).get("event") in events))
            if line["event"] != "question":
                result = self.running.end()
                assert result.status == 0 and result.json["account"]["username"] == self.username, result
                return
            self.asked.append(line)
            word = next((word for word in answers if word in line["question"].lower()), None)
            assert word, f"the test has no answer to {line}"
            answer = answers[word]
            self.running.send((answer if isinstance(answer, str) else answer()) + "\n")

    def mailed(self):
        return self.sandbox.control(f"mailbox?user={self.username}")["mails"][0]["code"]


CHIEN = "chien@shop.example"


def test_a_mailed_code_in_place_of_a_password(person, sandbox):
    quirk(sandbox, "nativeCodes")
    sign_in = NativeSignIn(person, sandbox, CHIEN)
    sign_in.answers(code=sign_in.mailed)
    assert person.foyer("token", "--silent").status == 0


def test_who_signs_up_is_asked_for_what_the_provider_wants_to_know(person, sandbox):
    quirk(sandbox, "nativeAttributes")
    sign_in = NativeSignIn(person, sandbox, "new@shop.example", "--prompt", "create")
    sign_in.answers(code=sign_in.mailed, password="Long-enough-4-all", name="New Person", city="Bergen")
    assert [question["secret"] for question in sign_in.asked if "password" in question["question"].lower()] == [True]


def test_a_new_password_that_takes_its_time_to_be_set_is_waited_for(person, sandbox):
    quirk(sandbox, "nativeSlowReset")
    sign_in = NativeSignIn(person, sandbox, CHIEN)
    passwords = iter(["", "Another-1-of-mine"])
    sign_in.answers(code=sign_in.mailed, password=lambda: next(passwords))


def test_a_provider_that_wants_a_browser_after_all_gets_one(person, sandbox):
    quirk(sandbox, "nativeRedirect")
    sign_in = NativeSignIn(person, sandbox, CHIEN, "--browser", CURL)
    sign_in.answers()
    assert sign_in.asked == []


def test_a_token_endpoint_may_want_a_nonce_in_each_proof(lab, sandbox):
    quirk(sandbox, "proofNonce")
    lab.resettle("proof_of_possession = true\n")
    lab.sign_in(HEDY, "--client", "lab")
    lives(lab)


def test_a_resource_may_want_a_nonce_in_signed_requests(person, sandbox):
    quirk(sandbox, "popNonce")
    person.work_settings(sandbox)
    person.sign_in(ADA)

    def shown(*nonce):
        result = person.foyer("token", "--silent", "--pop", f"GET:{sandbox.base}/resource", *nonce)
        assert result.status == 0 and result.stdout.startswith("Authorization: "), result
        return ask_resource(sandbox, result.stdout.strip().removeprefix("Authorization: "))

    status, challenge = shown()
    assert status == 401
    (nonce,) = re.findall(r'^PoP nonce="([^"]+)"$', challenge)
    assert shown("--pop-nonce=" + nonce) == (200, "")
    assert shown("--pop-nonce=" + nonce)[0] == 401, "a nonce is good once"


# What only the OAuth servers have, which test_oauth_servers.py and the sandbox's own tests try.
OF_OAUTH_SERVERS = "sparseMetadata noIntrospection resourceRefused schemelessIssuer"


def test_every_quirk_of_the_sandbox_is_in_this_table(sandbox):
    source = open(__file__).read()
    for name in sandbox.control("quirks")["quirks"]:
        assert name in HARMLESS.split() + OF_OAUTH_SERVERS.split() or f'"{name}"' in source, name
