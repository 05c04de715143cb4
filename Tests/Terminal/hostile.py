"""Text as an attacker would write it, wherever a person's eyes may meet it: in a store, in a token, in a provider's
error."""

import base64
import json
import os
import time

from harness import TRY_OUT

# One for each way to steer a terminal or to deceive a reader.
TEXTS = {
    "colour and clearing": "\x1b[2J\x1b[48;5;201mred\x1b[0;8mhidden",
    "clipboard": "\x1b]52;c;cHduZWQ=\x07\x1b]52;p;cHduZWQ=\x1b\\clip",
    "title": "\x1b]0;pwned\x07\x1b]2;pwned\x1b\\\x1bkpwned\x1b\\title",
    "device control": "\x1bPtmux;\x1b\x1b]0;pwned\x07\x1b\\\x1bP$q m\x1b\\\x1b_Gpwned\x1b\\\x1b^pwned\x1b\\dcs",
    "modes": "\x1b[?1000h\x1b[?1003h\x1b[?1049l\x1b[?25l\x1b[?2004h\x1b[4h\x1b[3;9r\x1b=\x1b[?6h\x1b(0modes",
    "eight bits": "\x9b31m\x9d0;pwned\x9c\x90pwned\x9c\x84c1",
    "questions": "\x1b[6n\x1b[c\x1b[21t\x05\x1b[?1$pasked",
    "lines": "one\ntwo\r\nthree\rfour\x0bfive\x0csix\u2028seven\u2029eight\x85nine\ttab\bback",
    "other direction": "ada\u202egro.elpmaxe@live\u2066x\u2069\u200f\u061c",
    "nothing to see": "a\u200bd\u200ca\u2060\ufeff\u00ad\U000e0041\u180e",
    "four thousand": "W" * 4000,
    "wide": "広" * 4000,
    "combining": "e" + "\u0301" * 4000,
}


def jwt(**claims):
    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    return ".".join([part(b'{"alg":"none","typ":"JWT"}'), part(json.dumps(claims).encode()), part(b"signature")])


def store(path):
    """A cache with an account for each text, which stands in each of its names, scopes and claims."""
    now, content = (
        int(time.time()),
        {name: {} for name in ("Account", "AccessToken", "RefreshToken", "IdToken", "AppMetadata")},
    )
    for number, (_kind, text) in enumerate(TEXTS.items()):
        # In the order of the texts, and always found by the filter.
        name, home, realm = f"{number:02}{text}", f"person-{number:02}.{text}", text[:300]
        common = {"home_account_id": home, "environment": "login.windows.net", "client_id": TRY_OUT, "realm": realm}
        profile = {"tenantId": realm, "localAccountId": text, "name": text, "username": text, "isHomeTenant": False}
        content["Account"][f"{home}-login.windows.net-{realm}"] = {
            **common,
            "local_account_id": text,
            "username": name,
            "name": text,
            "authority_type": "MSSTS",
            "tenantProfiles": [json.dumps(profile)],
        }
        claims = jwt(
            **{
                "iss": text,
                "aud": text,
                "sub": text,
                "name": text,
                "tid": text,
                "tenant_display_name": text,
                "scp": text,
                "roles": [text, text],
                "exp": now + 3000,
                "iat": now,
                "preferred_username": text,
                text: text,
                "deep": {text: {text: [text]}},
            }
        )
        scopes = f"User.Read {text}"
        content["AccessToken"][f"{number}-access"] = {
            **common,
            "credential_type": "AccessToken",
            "secret": claims,
            "target": scopes,
            "cached_at": str(now),
            "expires_on": str(now + 3000),
            "extended_expires_on": str(now + 3000),
            "token_type": "Bearer",
        }
        content["AccessToken"][f"{number}-opaque"] = {
            **common,
            "credential_type": "AccessToken",
            "secret": "opaque",
            "target": text,
            "cached_at": str(now),
            "expires_on": str(now - 9),
            "token_type": text,
            "client_id": text,
        }
        content["IdToken"][f"{number}-id"] = {**common, "credential_type": "IdToken", "secret": claims}
        content["RefreshToken"][f"{number}-refresh"] = {
            **common,
            "credential_type": "RefreshToken",
            "secret": "refresh",
            "target": scopes,
            "family_id": text,
        }
    path.write_text(json.dumps(content))
    os.chmod(path, 0o600)
    return path


def use(text):
    """A line of what programs were given, in which somebody else has chosen every text."""
    names = ("program", "host", "path", "client", "clientId", "clientSource", "account", "homeAccountId", "tenant")
    return (
        json.dumps(
            dict.fromkeys(names, text)
            | {"scopes": [text], "rule": None, "refused": text, "why": text, "at": 1763900000}
        )
        + "\n"
    )
