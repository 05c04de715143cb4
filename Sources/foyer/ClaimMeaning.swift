/// What the usual claims mean, in a few words each (RFC 7519, OpenID Connect Core, Microsoft's token reference).
enum ClaimMeaning {
    static func of(_ name: String) -> String? { meanings[name] }

    private static let meanings: [String: String] = [
        "iss": "who issued it", "sub": "the person, as this client knows them", "aud": "who it is for", "exp": "its end",
        "nbf": "its beginning",
        "iat": "when it was issued", "jti": "its own identifier", "nonce": "binds it to one sign-in", "azp": "the client that asked",
        "appid": "the client that asked", "at_hash": "binds the access token to it", "auth_time": "when the person signed in",
        "acr": "how strongly they signed in",
        "amr": "by what means they signed in", "oid": "the person's object in this tenant", "tid": "the tenant", "upn": "the username",
        "preferred_username": "the username, which may change", "name": "the display name",
        "email": "the mail address, not proof of who it is",
        "scp": "what the client may do for the person", "scope": "what the client may do for the person",
        "roles": "what the person or client is there",
        "groups": "groups the person is in", "wids": "directory roles of the person", "ver": "the format's version",
        "uti": "identifier for Microsoft's logs",
        "rh": "Microsoft's own", "idtyp": "user or app", "xms_cc": "what the client says it can do", "acct": "0 member, 1 guest",
        "idp": "who signed them in",
        "appidacr": "0 public client, 1 secret, 2 certificate", "azpacr": "0 public client, 1 secret, 2 certificate",
        "login_hint": "a hint for the next sign-in",
        "sid": "the browser session", "tenant_region_scope": "the tenant's region", "given_name": "first name", "family_name": "last name",
    ]
}
