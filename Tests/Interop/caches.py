"""Caches with as many accounts as wanted, made by MSAL's own writer."""

import base64
import json

import msal

TENANT = "c0000000-0000-4000-8000-00000000c001"
CLIENT = "11111111-2222-3333-4444-555555555555"


def event(name):
    """What MSAL is told when somebody has signed in."""
    info = base64.urlsafe_b64encode(json.dumps({"uid": name, "utid": TENANT}).encode()).decode().rstrip("=")
    return {
        "client_id": CLIENT,
        "scope": ["User.Read"],
        "token_endpoint": f"https://login.microsoftonline.com/{TENANT}/oauth2/v2.0/token",
        "response": {
            "token_type": "Bearer",
            "expires_in": 3600,
            "access_token": f"SECRET-AT-{name}",
            "refresh_token": f"SECRET-RT-{name}",
            "client_info": info,
            "id_token_claims": {"oid": name, "tid": TENANT, "preferred_username": f"{name}@contoso.example"},
        },
    }


def cache(names):
    """The text of a cache with these accounts."""
    made = msal.SerializableTokenCache()
    for name in names:
        made.add(event(name))
    return made.serialize()


def people(content):
    """Who is whole in a cache: account, access token and refresh token."""

    def homes(section):
        return {entry["home_account_id"].split(".")[0] for entry in content.get(section, {}).values()}

    return homes("Account") & homes("AccessToken") & homes("RefreshToken")


def anybody(content):
    """Who has any entry in it."""
    return {
        entry["home_account_id"].split(".")[0]
        for section in ("Account", "AccessToken", "RefreshToken")
        for entry in content.get(section, {}).values()
    }
