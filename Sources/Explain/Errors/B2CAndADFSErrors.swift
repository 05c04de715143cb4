// Errors of Azure AD B2C about users, clients and refresh tokens, and of AD FS.

import Identity

extension ServerCodeMeaning {
    static let b2c: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            90006, .owner, "the redirect URI is not registered for the client",
            .registerRedirectURI(registering: "register it"), origin: .b2c),
        ServerCodeMeaning(
            90007, .owner, "the client has no redirect URI",
            "register one", origin: .b2c),
        ServerCodeMeaning(
            90013, .owner, "the requested response type is not supported",
            "report it to the app's developer", origin: .b2c),
        ServerCodeMeaning(
            90018, .owner, "the tenant has no application with this client id",
            "check the client id and the tenant", origin: .b2c),
        ServerCodeMeaning(
            90035, .nobody, "the provider is temporarily unavailable",
            "try again in a few minutes", origin: .b2c),
        ServerCodeMeaning(
            90037, .nobody, "the provider could not process the request",
            "try again later; if this persists, give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90053, .you, "there is no account with these credentials",
            "sign up first, or check the address", origin: .b2c),
        ServerCodeMeaning(
            90057, .owner, "the client may not use the implicit flow",
            "allow it in the client's registration", origin: .b2c),
        ServerCodeMeaning(
            90058, .owner, "the client's registration does not allow sign-ins without a secret",
            "allow public client flows in the client's registration", origin: .b2c),
        ServerCodeMeaning(
            90068, .owner, "the client was registered in the wrong place and cannot be used here",
            "register it in the B2C tenant again", origin: .b2c),
        ServerCodeMeaning(
            90075, .administrator, "a service behind the policy refused",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90077, .you, "no session at the provider",
            "sign in", origin: .b2c),
        ServerCodeMeaning(
            90080, .you, "the code or refresh token has expired",
            "sign in again", origin: .b2c),
        ServerCodeMeaning(
            90085, .you, "the provider had an error and requires a new sign-in",
            "sign in again", origin: .b2c),
        ServerCodeMeaning(
            90088, .you, "the refresh token was issued under a different policy",
            "sign in with the right policy", origin: .b2c),
        ServerCodeMeaning(
            90091, .you, "the sign-in was cancelled",
            "sign in again, if you want to", origin: .b2c),
        ServerCodeMeaning(
            90092, .administrator, "the application is disabled",
            "ask the administrator to enable it", origin: .b2c),
        ServerCodeMeaning(
            90111, .administrator, "the account is locked",
            "ask the administrator to unlock it", origin: .b2c),
        ServerCodeMeaning(
            90114, .you, "the account is temporarily locked (smart lockout)",
            "wait, then sign in with the right password", origin: .b2c),
        ServerCodeMeaning(
            90117, .you, "the client may not request one of the scopes",
            "check the spelling of the scope, and the client's permissions", origin: .b2c),
        ServerCodeMeaning(
            90118, .you, "the forgotten-password link was chosen on the sign-in page",
            "sign in with the policy that resets the password, then again as usual", origin: .b2c),
        ServerCodeMeaning(
            90128, .you, "the account of the refresh token was deleted or disabled",
            "sign in again, with another account if this persists", origin: .b2c),
        ServerCodeMeaning(
            90129, .you, "the refresh token was revoked",
            "sign in again", origin: .b2c),
        ServerCodeMeaning(
            90146, .you, "the scopes belong to more than one resource",
            "request the scopes of one resource at a time", origin: .b2c),
        ServerCodeMeaning(
            90151, .you, "too many MFA failures",
            "start the sign-in again", origin: .b2c),
        ServerCodeMeaning(
            90157, .you, "too many failed attempts",
            "start the sign-in again", origin: .b2c),
        ServerCodeMeaning(
            90183, .you, "the code was issued to another client",
            "start the sign-in again", origin: .b2c),
        ServerCodeMeaning(
            90205, .administrator, "the client was not given access to the resource",
            "ask the administrator to grant it", origin: .b2c),
        ServerCodeMeaning(
            90225, .you, "the username or the password is wrong",
            "sign in again with the right password", origin: .b2c),
        ServerCodeMeaning(
            90273, .you, "the provider behind the policy sent no valid response, for example after a cancelled sign-in",
            "sign in again; if this persists, tell the administrator", origin: .b2c),
        ServerCodeMeaning(
            99002, .you, "there is no such account in this tenant",
            "sign up first, or check the address", origin: .b2c),
    ]

    static let adfs: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            7065, .administrator, "the server has no such endpoint",
            "check the authority; the administrator can enable the endpoint", origin: .adfs),
        ServerCodeMeaning(
            9223, .administrator, "the server has no client with this id",
            "check the client id", origin: .adfs),
        ServerCodeMeaning(
            9224, .administrator, "the redirect URI is not registered for the client",
            .registerRedirectURI(registering: "register it"), origin: .adfs),
        ServerCodeMeaning(
            9605, .administrator, "the client was not given access to the resource",
            "ask the administrator to grant it", origin: .adfs),
        ServerCodeMeaning(
            9612, .you, "the code is no longer valid",
            "start the sign-in again", origin: .adfs),
        ServerCodeMeaning(
            9615, .you, "the refresh token has expired",
            "sign in again", origin: .adfs),
    ]
}
