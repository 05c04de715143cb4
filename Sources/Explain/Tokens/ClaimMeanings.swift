/// Short explanations of common claims (RFC 7519, OpenID Connect Core, Entra ID).
package enum ClaimMeanings {
    package static let times: Set<String> = ["exp", "iat", "nbf", "auth_time", "updated_at", "xms_tcdt"]

    package static func of(_ name: String) -> String? { meanings[name] }

    private static let meanings: [String: String] = [
        // Header.
        "alg": "signature algorithm", "kid": "signing key ID", "typ": "token type",
        "x5t": "signing certificate fingerprint", "x5c": "signing certificate",
        "nonce": "ties the token to one request",
        // RFC 7519 and OpenID Connect.
        "iss": "issuer", "sub": "user ID (per app)", "aud": "audience",
        "exp": "expires", "nbf": "valid from", "iat": "issued",
        "jti": "token ID",
        "auth_time": "last authentication", "amr": "authentication methods",
        "acr": "authentication context",
        "azp": "client that requested it", "at_hash": "ties the ID token to its access token",
        "c_hash": "ties the ID token to its code",
        "sid": "browser session", "name": "display only", "given_name": "given name",
        "family_name": "family name",
        "preferred_username": "display only", "email": "email address",
        "email_verified": "whether the email address was verified",
        "locale": "locale", "zoneinfo": "time zone",
        "picture": "picture URL",
        "scope": "scopes", "client_id": "client that requested it",
        "cnf": "proof-of-possession key",
        // Answers of servers about an opaque token (RFC 7662, GitHub, Google, GitLab).
        "active": "whether the server accepts it", "username": "name of the account", "login": "name of the account",
        "id": "ID of the account", "token_type": "how it is sent", "expires_in": "seconds until it expires",
        "resource_owner_id": "ID of the account", "application": "client that requested it",
        "access_type": "offline: with a refresh token", "hd": "Google Workspace domain",
        "groups": "groups", "roles": "roles assigned for this resource",
        // Entra ID.
        "tid": "tenant", "oid": "user ID in this tenant", "upn": "sign-in name",
        "unique_name": "display only", "ver": "token version",
        "scp": "delegated permissions (scopes)",
        "appid": "client that requested it", "appidacr": "client authentication: 0 public, 1 secret, 2 certificate",
        "azpacr": "client authentication: 0 public, 1 secret, 2 certificate", "app_displayname": "client name",
        "idtyp": "app or user token", "idp": "identity provider",
        "ipaddr": "IP address of the sign-in",
        "deviceid": "device of the sign-in", "wids": "directory roles",
        "hasgroups": "too many groups to list here",
        "puid": "legacy user ID (PUID)", "uti": "ID in the sign-in logs",
        "rh": "internal to Entra ID",
        "aio": "internal to Entra ID", "xms_cc": "client capabilities; CP1: continuous access evaluation",
        "xms_ssm": "1: long-lived, access is evaluated continuously",
        "xms_tcdt": "tenant creation time",
        "acrs": "satisfied authentication contexts",
        "onprem_sid": "on-premises SID",
        "login_hint": "hint for the next sign-in or sign-out", "tenant_region_scope": "tenant region",
        "signin_state": "known facts of the device: inknownntwk, kmsi, dvc_mngd",
        "uid": "user ID in the home tenant",
        "utid": "home tenant", "tfp": "user flow", "idtype": "user or app",
        "tenant_ctry": "tenant country",
    ]
}
