// Entra ID errors about requests, and of its service.

import Identity

extension ServerCodeMeaning {
    static let requests: [ServerCodeMeaning] = [
        ServerCodeMeaning(140000, .owner, "the request has no nonce", "report it to the app's developer"),
        ServerCodeMeaning(
            165004, .owner, "only the provider's description says what is wrong",
            "give the administrator the correlation id"),
        ServerCodeMeaning(165900, .owner, "the request is not valid", "report it to the app's developer"),
        ServerCodeMeaning(
            220501, .administrator, "the list of revoked certificates could not be downloaded",
            "tell the administrator"),
        ServerCodeMeaning(
            230109, .you, "the request went directly to the provider's backup service",
            "check the authority"),
        ServerCodeMeaning(
            240002, .owner, "the ID token cannot be exchanged: a claim is missing",
            "report it to the app's developer"),
        ServerCodeMeaning(50006, .owner, "a signature is not valid", "report it to the app's developer"),
        ServerCodeMeaning(
            50013, .owner, "the assertion is not valid: its issuer, audience or time is wrong",
            "report it to the app's developer"),
        ServerCodeMeaning(
            500133, .owner, "the assertion has expired, or is not valid yet",
            "request a new one, and check the clocks"),
        ServerCodeMeaning(
            50017, .administrator, "the certificate could not be validated",
            "tell the administrator, who can check the trusted authorities and revocation lists"),
        ServerCodeMeaning(
            50027, .owner, "the token that was sent is not valid",
            "report it to the app's developer"),
        ServerCodeMeaning(50029, .owner, "the domain name contains invalid characters", "check the domain"),
        ServerCodeMeaning(50032, .owner, "an RSA key is too weak", "use a key of at least 2048 bits"),
        ServerCodeMeaning(
            50048, .owner, "the subject of the client's assertion is not its issuer",
            "report it to the app's developer"),
        ServerCodeMeaning(
            50050, .owner, "the request for the provider's endpoints is malformed",
            "report it to the app's developer"),
        ServerCodeMeaning(50061, .owner, "the sign-out request is not valid", "report it to the app's developer"),
        ServerCodeMeaning(
            50068, .owner, "the app that signs out does not take part in the session",
            "sign out at the provider's page"),
        ServerCodeMeaning(50070, .owner, "there is no such session to end", "sign out at the provider's page"),
        ServerCodeMeaning(50071, .owner, "the sign-out request has expired", "sign out again"),
        ServerCodeMeaning(
            50134, .you, "the code was entered in another region than it was issued in",
            "sign in in a browser instead of by device code"),
        ServerCodeMeaning(
            501481, .you, "the code was issued to another client",
            "start the sign-in again"),
        ServerCodeMeaning(
            501491, .owner, "the code challenge has the wrong length",
            "report it to the app's developer"),
        ServerCodeMeaning(51001, .owner, "the domain hint is missing", "report it to the app's developer"),
        ServerCodeMeaning(51005, .nobody, "the provider redirected the request", "try again"),
        ServerCodeMeaning(
            70016, .nobody, "the code was not entered yet",
            "wait, or enter it"),
        ServerCodeMeaning(
            70018, .you, "the code that was entered is not right",
            "check the code, or start the sign-in again"),
        ServerCodeMeaning(
            70019, .you, "the code expired before it was entered",
            "start the sign-in again and enter the new code"),
        ServerCodeMeaning(
            70020, .you, "the code is no longer valid",
            "start the sign-in again and enter the new code"),
        ServerCodeMeaning(
            90002, .you, "there is no such tenant",
            "check the tenant in the authority, and whether it is in this cloud"),
        ServerCodeMeaning(
            90004, .owner, "the request is not well formed",
            "report it to the app's developer"),
        ServerCodeMeaning(
            90005, .owner, "an identifier and a login hint cannot be used together",
            "report it to the app's developer"),
        ServerCodeMeaning(
            90010, .owner, "the request is not supported at this authority",
            "use the tenant's own authority"),
        ServerCodeMeaning(
            9001023, .you, "this way to sign in does not work at a shared authority",
            "use …/organizations or the tenant's own authority"),
        ServerCodeMeaning(
            90013, .you, "what was entered is not valid",
            "check it and try again"),
        ServerCodeMeaning(
            90014, .owner, "a field of the request is missing",
            "report it to the app's developer"),
        ServerCodeMeaning(
            900144, .owner, "a parameter of the request is missing",
            "report it to the app's developer"),
        ServerCodeMeaning(
            90015, .owner, "the address of the request is too long",
            "request fewer scopes or claims"),
        ServerCodeMeaning(90016, .owner, "the token that was sent lacks a claim", "report it to the app's developer"),
        ServerCodeMeaning(
            90019, .you, "no tenant in the request",
            "put the tenant into the authority"),
        ServerCodeMeaning(90022, .owner, "the principal name is malformed", "report it to the app's developer"),
        ServerCodeMeaning(
            90023, .owner, "the request is not valid",
            "report it to the app's developer"),
        ServerCodeMeaning(
            9002313, .owner, "the request is malformed",
            "report it to the app's developer"),
        ServerCodeMeaning(
            90038, .you, "the tenant belongs to another cloud",
            "use the authority of that cloud"),
        ServerCodeMeaning(
            900384, .owner, "the signature of the token that was sent is not valid",
            "report it to the app's developer"),
        ServerCodeMeaning(90043, .you, "the code belongs to another cloud", "use the authority of that cloud"),
        ServerCodeMeaning(
            900432, .owner, "this kind of client may not request tokens of another cloud",
            "use the authority of that cloud"),
        ServerCodeMeaning(
            900439, .you, "the client does not exist in the cloud that the tenant belongs to",
            "use a client that is registered there"),
        ServerCodeMeaning(90051, .owner, "there is no such cloud", "report it to the app's developer"),
        ServerCodeMeaning(
            90056, .owner, "the request for the resource is not valid",
            "ask the authority of the tenant, and sign in again"),
        ServerCodeMeaning(
            900561, .owner, "the endpoint does not accept this HTTP method",
            "report it to the app's developer"),
        ServerCodeMeaning(
            90100, .owner, "a parameter of the request is empty or not valid",
            "check what was entered; or report it to the app's developer"),
        ServerCodeMeaning(
            901001, .owner, "the request to sign in without a browser is not valid",
            "sign in in a browser"),
        ServerCodeMeaning(
            901002, .owner,
            "\"resource\" is a v1 parameter, which the v2 endpoint does not accept",
            "name the resource in the scope"),
        ServerCodeMeaning(
            90101, .you, "the email address is not valid",
            "check its spelling"),
        ServerCodeMeaning(90102, .owner, "a parameter is not an absolute URI", "report it to the app's developer"),
        ServerCodeMeaning(
            90107, .owner, "the request contains invalid characters",
            "report it to the app's developer"),
        ServerCodeMeaning(
            90114, .owner, "the requested token would already have expired",
            "report it to the app's developer"),
        ServerCodeMeaning(90117, .owner, "the input of the request is not valid", "report it to the app's developer"),
        ServerCodeMeaning(
            90119, .you, "the code is missing or not right",
            "check the code, or start the sign-in again"),
        ServerCodeMeaning(90120, .you, "the code was already accepted or declined", "start the sign-in again"),
        ServerCodeMeaning(90121, .owner, "the request is empty", "report it to the app's developer"),
        ServerCodeMeaning(
            90123, .administrator, "the identity provider behind the account refused the sign-in",
            "ask its administrator"),
        ServerCodeMeaning(
            90124, .you, "the resource cannot be used at a shared authority",
            "use the authority of your tenant"),
    ]

    static let services: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            50000, .nobody, "the provider could not issue the token",
            "try again later"),
        ServerCodeMeaning(
            50033, .nobody, "the provider's directory has a temporary problem",
            "try again later"),
        ServerCodeMeaning(
            501621, .nobody, "the provider took too long to transform a claim",
            "try again; if this persists, tell the administrator"),
        ServerCodeMeaning(
            70012, .nobody, "the service for personal accounts had an error",
            "try again later"),
        ServerCodeMeaning(
            80001, .administrator, "the organization's own directory could not be reached to check the password",
            "try again later; if this persists, tell the administrator that the agents do not respond"),
        ServerCodeMeaning(
            80002, .administrator, "the organization's own directory did not check the password in time",
            "try again later; if this persists, tell the administrator"),
        ServerCodeMeaning(
            80012, .administrator, "the account may not sign in at this time",
            "sign in at an allowed time, or ask the administrator"),
        ServerCodeMeaning(
            80013, .administrator, "the clocks of the organization's own directory do not agree",
            "tell the administrator to set the clocks"),
        ServerCodeMeaning(
            80014, .administrator, "the check of the password took too long",
            "try again later; if this persists, tell the administrator"),
        ServerCodeMeaning(
            90006, .nobody, "a service behind the provider is temporarily unavailable",
            "try again later"),
        ServerCodeMeaning(
            90012, .nobody, "the provider timed out",
            "try again"),
        ServerCodeMeaning(
            90024, .nobody, "the provider had a temporary problem",
            "try again later"),
        ServerCodeMeaning(
            90033, .nobody, "the provider's directory is temporarily unavailable",
            "try again later"),
        ServerCodeMeaning(
            90036, .administrator, "the provider's directory had an error that does not pass",
            "tell the administrator"),
        ServerCodeMeaning(
            90055, .nobody, "the tenant has too many concurrent requests",
            "wait, and send requests less often"),
        ServerCodeMeaning(90090, .nobody, "the provider's directory is temporarily unavailable", "try again later"),
        ServerCodeMeaning(90091, .nobody, "the provider's directory is unreachable", "try again later"),
        ServerCodeMeaning(
            90092, .nobody, "the provider's directory had an error",
            "try again later; if this persists, tell the administrator"),
    ]
}
