// Entra ID errors about identity providers behind it.

import Identity

extension ServerCodeMeaning {
    static let federation: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            20001, .administrator, "the organization's identity provider returned an error",
            "ask the administrator of the identity provider"),
        ServerCodeMeaning(
            20012, .administrator, "the organization's identity provider sent an invalid message",
            "ask the administrator of the identity provider"),
        ServerCodeMeaning(
            20033, .administrator, "the metadata of the organization's identity provider names another tenant",
            "ask the administrator of the identity provider"),
        ServerCodeMeaning(
            399284, .administrator, "the ID token of the organization's identity provider has another issuer",
            "ask the administrator of the identity provider"),
        ServerCodeMeaning(
            40008, .administrator, "the identity provider behind the account had an error",
            "ask the administrator of the identity provider"),
        ServerCodeMeaning(
            40009, .you, "the identity provider behind the account requires a new sign-in",
            "sign in again"),
        ServerCodeMeaning(
            40010, .nobody, "the identity provider behind the account is temporarily unavailable",
            "try again later"),
        ServerCodeMeaning(
            40015, .you, "the identity provider behind the account did not accept its code",
            "sign in again"),
        ServerCodeMeaning(
            50008, .administrator, "the SAML assertion is missing or not valid",
            "ask the administrator of the identity provider"),
        ServerCodeMeaning(
            5000819, .administrator, "the email address in the SAML assertion is missing, or of another domain",
            "ask the administrator of the identity provider"),
        ServerCodeMeaning(50107, .administrator, "the directory has no such federation", "tell the administrator"),
        ServerCodeMeaning(50120, .administrator, "the header of a token is malformed", "tell the administrator"),
        ServerCodeMeaning(50124, .administrator, "a claims rule has invalid input", "tell the administrator"),
        ServerCodeMeaning(501241, .administrator, "a claims rule lacks its input", "tell the administrator"),
        ServerCodeMeaning(
            50169, .administrator, "the realm is not configured at the provider",
            "tell the administrator"),
        ServerCodeMeaning(75001, .owner, "the SAML message could not be written", "ask the owner of the application"),
        ServerCodeMeaning(
            75003, .owner, "the application requests an unsupported SAML binding",
            "ask the owner of the application"),
        ServerCodeMeaning(75005, .owner, "the SAML request is not supported", "ask the owner of the application"),
        ServerCodeMeaning(
            7500514, .owner, "there is no SAML response of a supported type",
            "ask the owner of the application"),
        ServerCodeMeaning(
            7500529, .owner, "the id of the SAML request is not valid",
            "ask the owner of the application"),
        ServerCodeMeaning(
            750054, .owner, "the SAML request or response is missing",
            "ask the owner of the application"),
        ServerCodeMeaning(
            75008, .owner, "the SAML request names another destination",
            "ask the owner of the application"),
        ServerCodeMeaning(
            75011, .owner, "the sign-in method is not the one that the application requires",
            "sign in with that method, or ask the owner of the application"),
        ServerCodeMeaning(
            75016, .owner, "the name policy of the SAML request is not valid",
            "ask the owner of the application"),
        ServerCodeMeaning(
            76021, .owner, "the application requires signed requests",
            "ask the owner of the application"),
        ServerCodeMeaning(76026, .you, "the SAML request has expired", "start the sign-in again"),
        ServerCodeMeaning(
            90020, .administrator, "the SAML assertion lacks the account's immutable id",
            "ask the administrator of the identity provider"),
        ServerCodeMeaning(
            900236, .owner, "the SAML request has an unsupported property",
            "ask the owner of the application"),
        ServerCodeMeaning(
            90081, .owner, "the WS-Federation message is not valid",
            "ask the owner of the application"),
        ServerCodeMeaning(
            90082, .administrator, "the authentication policy is not supported",
            "tell the administrator"),
        ServerCodeMeaning(90085, .nobody, "the tenant is not set up completely yet", "try again later"),
        ServerCodeMeaning(
            90087, .owner, "the WS-Federation message could not be read from its address",
            "ask the owner of the application"),
    ]
}
