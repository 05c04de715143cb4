// Errors of Azure AD B2C about policies that do not work.

import Identity

extension ServerCodeMeaning {
    static let b2cPolicies: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            90002, .administrator, "a page of the policy was not found",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90019, .administrator, "a key of the policy is not valid",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90021, .administrator, "the policy has no such technical profile",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90022, .administrator, "the metadata of the policy is not available",
            "check the policy in the authority", origin: .b2c),
        ServerCodeMeaning(
            90023, .administrator, "a technical profile lacks metadata",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90025, .administrator, "a technical profile lacks a key",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90027, .administrator, "a service behind the policy refused its credentials",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90028, .administrator, "a service behind the policy refused its certificate",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90031, .administrator, "the policy has no default user journey",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90039, .administrator, "the policy lacks a client secret",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90040, .administrator, "the user journey does not send claims",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90044, .administrator, "the policy reads an unsupported claim",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90047, .administrator, "a page of the policy has script errors",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90051, .administrator, "the policy has no suitable identity provider",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90108, .administrator, "a step of the policy names no issuer",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90149, .administrator, "a script of the policy could not be loaded",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90165, .administrator, "the provider has lost the SAML request of the sign-in",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90168, .administrator, "a signed SAML request lacks a parameter",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90178, .administrator, "a signing certificate of the policy has no private key",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90188, .administrator, "the SAML metadata of a partner could not be fetched",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90194, .administrator, "a claim for a bearer token of the policy is missing",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90220, .administrator, "a certificate of the policy is not valid",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90223, .administrator, "a page of the policy could not be sanitized",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90242, .administrator, "the SAML metadata in the policy could not be loaded",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90243, .administrator, "the identity provider behind the policy has no valid secret",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90250, .administrator, "the generic sign-in endpoint is not supported",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90261, .administrator, "the response of a service behind the policy is not readable",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90274, .administrator, "the metadata of the identity provider has no sign-out service",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90276, .administrator, "the request does not fit the settings of the policy",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90277, .administrator, "a step of the user journey has no page",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90288, .administrator, "the policy has no user journey for refresh tokens",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            90296, .administrator, "the application is not configured correctly",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            99006, .administrator, "the extensions app of the tenant is missing",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            99011, .administrator, "a technical profile lacks a metadata value",
            "give the administrator the correlation id", origin: .b2c),
        ServerCodeMeaning(
            99015, .administrator, "the policy lacks input claims for passwords",
            "give the administrator the correlation id", origin: .b2c),
    ]
}
