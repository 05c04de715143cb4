/// The plain meaning of the claims that operators meet (RFC 7519, OpenID Connect Core, Entra ID).
package enum ClaimMeanings {
    package static let times: Set<String> = ["exp", "iat", "nbf", "auth_time", "updated_at", "xms_tcdt"]

    package static func of(_ name: String) -> String? { meanings[name] }

    private static let meanings: [String: String] = [
        // Header.
        "alg": "how it is signed", "kid": "which of the issuer's keys signed it", "typ": "the type of the token",
        "x5t": "the fingerprint of the signing certificate", "x5c": "the signing certificate",
        "nonce": "ties the token to one request",
        // RFC 7519 and OpenID Connect.
        "iss": "who issued it", "sub": "the user at this app", "aud": "audience",
        "exp": "expires", "nbf": "valid from", "iat": "issued",
        "jti": "token id",
        "auth_time": "when the person last proved who they are", "amr": "how the person proved who they are",
        "acr": "how strong the sign-in was",
        "azp": "the client that asked for it", "at_hash": "ties the ID token to its access token",
        "c_hash": "ties the ID token to its code",
        "sid": "the browser's session", "name": "to show, not to rely on", "given_name": "the first name",
        "family_name": "the last name",
        "preferred_username": "to show, not to rely on", "email": "email address",
        "email_verified": "whether the email address was verified",
        "locale": "the person's language", "zoneinfo": "the person's time zone",
        "picture": "where the person's picture is",
        "scope": "what the token may do", "client_id": "the client that asked for it",
        "cnf": "the key that the sender must prove to hold",
        "groups": "the groups the person is in", "roles": "the roles that were assigned for this resource",
        // Entra ID.
        "tid": "the tenant", "oid": "the user in this tenant", "upn": "the sign-in name",
        "unique_name": "to show, not to rely on", "ver": "token version",
        "scp": "what was delegated: the scopes",
        "appid": "the client that asked for it", "appidacr": "how the client proved itself; 0 is a public client",
        "azpacr": "how the client proved itself; 0 is a public client", "app_displayname": "the client's name",
        "idtyp": "app or user: in whose name it speaks", "idp": "who vouched for the person",
        "ipaddr": "the address the sign-in came from",
        "deviceid": "the device the sign-in came from", "wids": "the directory roles of the person",
        "hasgroups": "too many groups to list here",
        "puid": "the person's old number", "uti": "id in the sign-in logs",
        "rh": "Entra's own mark",
        "aio": "Entra's own mark", "xms_cc": "what the client says it can do; CP1 is continuous access evaluation",
        "xms_ssm": "1: this token may live long, as access is evaluated continuously",
        "xms_tcdt": "when the tenant was made",
        "acrs": "the authentication contexts that were satisfied",
        "onprem_sid": "the person's number in the local directory",
        "login_hint": "what to offer at the next sign-in or sign-out", "tenant_region_scope": "where the tenant is",
        "signin_state": "what was known of the device: inknownntwk, kmsi, dvc_mngd",
        "uid": "the person's number at home",
        "utid": "the person's home tenant", "tfp": "the user flow", "idtype": "what kind of person",
        "tenant_ctry": "the tenant's country",
    ]
}
