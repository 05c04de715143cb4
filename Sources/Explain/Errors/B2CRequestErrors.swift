// Errors of Azure AD B2C about requests, and about what was entered.

import Identity

extension ServerCodeMeaning {
    static let b2cRequests: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            90008, .owner, "the request has no client id",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90010, .owner, "the request has no scope",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90011, .owner, "the policy belongs to another client id",
            "check the client id and the policy", origin: .b2c),
        ServerCodeMeaning(
            90012, .you, "the client may not request one of the scopes",
            "check the spelling of the scope, and the client's permissions", origin: .b2c),
        ServerCodeMeaning(
            90014, .owner, "the response mode is not supported",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90016, .owner, "the type of the client's assertion is not the expected one",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90017, .owner, "the client's assertion is not valid",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90036, .owner, "the sign-out request has no redirect URI",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90043, .owner, "the prompt in the request is not valid",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90046, .you, "the provider has lost the state of the sign-in",
            "start the sign-in again", origin: .b2c),
        ServerCodeMeaning(90048, .nobody, "the provider had an error", "try again later", origin: .b2c),
        ServerCodeMeaning(
            90052, .you, "the username or the password is wrong",
            "sign in again with the right password", origin: .b2c),
        ServerCodeMeaning(
            90054, .you, "the username or the password is wrong",
            "sign in again with the right password", origin: .b2c),
        ServerCodeMeaning(
            90055, .you, "a scope names no resource",
            "put the resource in front of the scope", origin: .b2c),
        ServerCodeMeaning(
            90067, .owner, "the redirect URI of the sign-out is not valid",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(90079, .owner, "the client must send its secret", "set the client's secret", origin: .b2c),
        ServerCodeMeaning(90081, .owner, "the client's secret is wrong", "check the secret", origin: .b2c),
        ServerCodeMeaning(
            90083, .owner, "a parameter of the request is missing",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90084, .owner, "the client is a public one and must not send a secret",
            "remove the secret from the request", origin: .b2c),
        ServerCodeMeaning(
            90086, .owner, "the grant type is not supported",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90087, .you, "the code or refresh token belongs to another version of the endpoint",
            "sign in again", origin: .b2c),
        ServerCodeMeaning(
            90107, .owner,
            "the client gets no ID token: the scope openid is missing, or the client is not authorized",
            "request openid, and check the registration of the client", origin: .b2c),
        ServerCodeMeaning(90110, .owner, "an ID token requires the scope openid", "request openid", origin: .b2c),
        ServerCodeMeaning(
            90115, .owner, "a code requires a scope for each token: a resource or the client id, and openid",
            "request them", origin: .b2c),
        ServerCodeMeaning(
            90120, .owner, "the maximum age in the request is not valid",
            "request another one", origin: .b2c),
        ServerCodeMeaning(
            90122, .owner, "the request contains characters that are not allowed",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90145, .administrator, "the account has no phone number, and none can be entered",
            "ask the administrator", origin: .b2c),
        ServerCodeMeaning(
            90152, .nobody, "the service for second factors did not answer",
            "try again later", origin: .b2c),
        ServerCodeMeaning(
            90154, .nobody, "the service for second factors started no session",
            "try again later", origin: .b2c),
        ServerCodeMeaning(90155, .you, "the second factor could not be verified", "sign in again", origin: .b2c),
        ServerCodeMeaning(90156, .you, "the second factor was not accepted", "sign in again", origin: .b2c),
        ServerCodeMeaning(90158, .you, "what was entered was not accepted", "sign in again", origin: .b2c),
        ServerCodeMeaning(90159, .you, "what was entered could not be verified", "sign in again", origin: .b2c),
        ServerCodeMeaning(90161, .you, "what was entered could not be sent", "sign in again", origin: .b2c),
        ServerCodeMeaning(
            90182, .you, "the code was issued to another client",
            "start the sign-in again", origin: .b2c),
        ServerCodeMeaning(
            90184, .owner, "the code challenge method is not supported",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(90206, .nobody, "the provider timed out", "try again later", origin: .b2c),
        ServerCodeMeaning(
            90208, .owner, "the ID token hint has expired",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90209, .owner, "the ID token hint has another audience",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90210, .owner, "the ID token hint could not be validated",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90211, .you, "the cookie of the sign-in is incomplete",
            "start the sign-in again", origin: .b2c),
        ServerCodeMeaning(
            90212, .you, "the cookie of the sign-in is not valid",
            "start the sign-in again", origin: .b2c),
        ServerCodeMeaning(
            90224, .owner, "the client may not send passwords",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90226, .owner, "the token exchange requires POST",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90232, .owner, "the ID token hint has another issuer",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90233, .owner, "the signature of the ID token hint is not valid",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90235, .owner, "the ID token that was sent has expired",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90237, .owner, "the ID token that was sent has another audience",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90238, .owner, "the ID token that was sent has another issuer",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90239, .owner, "the signature of the ID token that was sent is not valid",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90240, .owner, "the ID token that was sent is malformed",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90244, .nobody, "there are too many requests",
            "wait a few minutes, and send requests less often", origin: .b2c),
        ServerCodeMeaning(
            90248, .owner, "the client was registered in the wrong place and may not send passwords",
            "register it in the B2C tenant again", origin: .b2c),
        ServerCodeMeaning(
            90255, .you, "a step of the sign-in was not completed",
            "start the sign-in again", origin: .b2c),
        ServerCodeMeaning(
            90272, .owner, "the request has no ID token hint",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90279, .you, "the code or refresh token was issued to another client",
            "sign in again", origin: .b2c),
        ServerCodeMeaning(
            90284, .administrator, "the application has no consent",
            "ask the administrator to consent", origin: .b2c),
        ServerCodeMeaning(
            90285, .owner, "the tenant has no application with this client id",
            "check the client id and the tenant", origin: .b2c),
        ServerCodeMeaning(
            90287, .owner, "the redirect URI is not valid",
            .registerRedirectURI(registering: "register it"), origin: .b2c),
        ServerCodeMeaning(
            90289, .nobody, "the identity provider behind the policy is unreachable",
            "try again later", origin: .b2c),
        ServerCodeMeaning(
            99005, .you, "a scope contains a character that is not allowed",
            "check the spelling of the scopes", origin: .b2c),
        ServerCodeMeaning(
            99013, .owner, "the grant type does not support this token type",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            99059, .owner, "the request has no code challenge",
            "report it to the app's developer", origin: .b2c),
    ]
}
