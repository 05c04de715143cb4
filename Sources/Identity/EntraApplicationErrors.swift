// Entra ID's numbers about applications, consent, requests and the service itself; then those of B2C and AD FS.

extension ServerCode {
    /// Registrations, redirect addresses, secrets, consent.
    static let applications: [ServerCode] = [
        ServerCode(
            50001, "InvalidResource", .refused, .owner, "the resource that was asked for is not in the tenant",
            "check the scope's resource; an administrator can add its application"),
        ServerCode(
            500011, "InvalidResourceServicePrincipalNotFound", .refused, .administrator,
            "the tenant has no application with the resource's name",
            "check the spelling of the scope, and whether the resource was ever used in this tenant"),
        ServerCode(
            50011, "InvalidReplyTo", .refused, .owner,
            "the redirect address is not one that is registered for the client",
            """
            register http://localhost as a redirect address of a mobile and desktop application, or name a \
            registered one with --redirect-uri
            """
        ),
        ServerCode(
            50012, "AuthenticationFailed", .refused, .owner, "the client could not show who it is",
            "check the client's credentials"),
        ServerCode(
            50049, "NoSuchInstanceForDiscovery", .refused, .you, "the host of the authority is none of the provider's",
            "check the authority"),
        ServerCode(
            50059, "MissingTenantRealm", .refused, .you, "nothing in the request says which tenant is meant",
            "put the tenant into the authority, or give the user name"),
        ServerCode(
            50128, "InvalidDomain", .refused, .you,
            "nothing in the request says which tenant is meant, and the domain is not known",
            "check the domain of the user name"),
        ServerCode(
            50147, "MissingCodeChallenge", .refused, .owner, "the code challenge is missing or too short",
            "report it to who made the program"),
        ServerCode(
            50194, "ApplicationNotMultiTenant", .refused, .owner,
            "the client is for one tenant only, and was asked for at a shared authority",
            "use the authority of that tenant in place of …/common or …/organizations"),
        ServerCode(
            50196, "LoopDetected", .passing, .nobody, "the same request came too often in a short time",
            "wait some minutes, and find out what asks again and again"),
        ServerCode(
            65001, "DelegationDoesNotExist", .signIn, .you, "nobody has consented yet to what the program asks for",
            "sign in and consent"),
        ServerCode(
            65002, "PreauthorizationRequired", .refused, .owner,
            "the two applications are of the provider itself and one has not allowed the other",
            "use a client of your own for this resource"),
        ServerCode(
            65005, "MisconfiguredApplication", .refused, .owner,
            "the client's registration does not ask for the resource, or the resource is gone",
            "add the permission to the client's registration"),
        ServerCode(
            650052, "ServiceNotSubscribed", .refused, .administrator,
            "the organization has no subscription to the service that was asked for",
            "ask the administrator to subscribe, or to add the service's application"),
        ServerCode(
            650053, "ScopeDoesNotExist", .refused, .you, "the resource has no scope of this name",
            "check the spelling of the scope"),
        ServerCode(
            650056, "MisconfiguredApplication", .refused, .owner,
            "the client's registration lacks the resource, or no administrator has consented",
            "add the permission to the client's registration and let the administrator consent"),
        ServerCode(
            650057, "InvalidResource", .refused, .owner,
            "the resource is not among those that the client's registration lists",
            "add it there"),
        ServerCode(
            70001, "UnauthorizedClient", .refused, .administrator,
            "the application is switched off or not in this tenant",
            "ask the administrator to switch it on or add it"),
        ServerCode(
            70002, "InvalidClient", .refused, .owner, "the client's credentials are wrong",
            "check the client's registration"),
        ServerCode(
            70003, "UnsupportedGrantType", .refused, .owner, "this way of getting tokens is not allowed for the client",
            "allow public client flows in its registration"),
        ServerCode(
            70004, "InvalidRedirectUri", .refused, .owner, "the redirect address is not valid",
            "register it, or name a registered one with --redirect-uri"),
        ServerCode(
            70005, "UnsupportedResponseType", .refused, .owner, "the client may not ask for this kind of answer",
            "report it to who made the program"),
        ServerCode(
            70011, "InvalidScope", .refused, .you, "a scope is not valid, or scopes of several resources were mixed",
            "ask for the scopes of one resource at a time"),
        ServerCode(
            700016, "UnauthorizedClientNotFoundInDirectory", .refused, .administrator,
            "the tenant knows no application with this client id",
            "check the client id and the tenant; an administrator may have to add the application"),
        ServerCode(
            700025, "InvalidClientPublicClientWithCredential", .refused, .owner,
            "the client is a public one and must not send a secret",
            "take the secret out of the request"),
        ServerCode(
            700051, "ResponseTypeTokenNotEnabled", .refused, .owner, "the client may not get tokens by the redirect",
            "report it to who made the program"),
        ServerCode(
            700054, "ResponseTypeIDTokenNotEnabled", .refused, .owner,
            "the client may not get ID tokens by the redirect",
            "allow it in the client's registration"),
        ServerCode(
            7000112, "UnauthorizedClientApplicationDisabled", .refused, .administrator,
            "the application is switched off",
            "ask its owner, or the tenant's administrator"),
        ServerCode(
            7000215, "InvalidClientSecret", .refused, .owner, "the client's secret is wrong",
            "check that it is the secret and not the secret's id"),
        ServerCode(
            7000218, "PublicClientFlowsNotAllowed", .refused, .owner,
            "the client's registration does not allow sign-ins without a secret",
            "switch on public client flows in the client's registration"),
        ServerCode(
            7000222, "InvalidClientSecretExpired", .refused, .owner, "the client's secret has expired", "make a new one"
        ),
        ServerCode(
            9002325, "ProofKeyRequired", .refused, .owner,
            "the redirect address is one of a web page, which wants a code challenge and a browser",
            "register http://localhost for mobile and desktop applications"),
        ServerCode(
            9002327, "SpaTokenOnlyCrossOrigin", .refused, .owner,
            "the redirect address is registered for web pages, and this is a program",
            "register it for mobile and desktop applications"),
        ServerCode(
            9002331, "PersonalAccountsOnly", .refused, .you, "the client is for personal accounts only",
            "use the authority …/consumers"),
        ServerCode(
            9002346, "PersonalAccountsOnly", .refused, .you, "the client is for personal accounts only",
            "use the authority …/consumers"),
        ServerCode(
            90008, "TokenForItselfRequiresGraphPermission", .refused, .owner,
            "the client asks for a token for itself without the permission to read its user",
            "add User.Read of Microsoft Graph to the client's registration"),
        ServerCode(
            90009, "TokenForItselfMissingIdenticalAppIdentifier", .refused, .owner,
            "the client asks for a token for itself by another name than its id",
            "name the resource by the client's id"),
        ServerCode(
            90093, "GraphUserUnauthorized", .refused, .administrator, "the account may not do this in the tenant",
            "ask the administrator"),
        ServerCode(
            90094, "AdminConsentRequired", .refused, .administrator,
            "only an administrator may consent to what the program asks for",
            "ask the administrator to consent, or ask for fewer scopes"),
        ServerCode(
            90095, "AdminConsentRequiredRequestAccess", .refused, .administrator,
            "only an administrator may consent; a request can be sent to one",
            "sign in in a browser, send the request, and wait for its approval"),
        ServerCode(
            90099, "ApplicationNotAuthorizedInTenant", .refused, .administrator,
            "the application was not consented to in this tenant",
            "ask the administrator to consent"),
        ServerCode(
            221000, "DeviceOnlyTokensNotSupported", .refused, .owner, "the resource takes no tokens of devices",
            "ask for a token of a person"),
    ]

    /// How a request is written.
    static let requests: [ServerCode] = [
        ServerCode(
            50013, "InvalidAssertion", .refused, .owner,
            "the assertion is not valid: its issuer, audience or time is wrong",
            "report it to who made the program"),
        ServerCode(
            50027, "InvalidJwtToken", .refused, .owner, "the token that was sent is no valid one",
            "report it to who made the program"),
        ServerCode(
            501481, "CodeVerifierMismatch", .signIn, .you, "the code does not go with the program that brought it",
            "start the sign-in again"),
        ServerCode(
            70016, "AuthorizationPending", .passing, .nobody, "the code was not entered yet", "wait, or enter it"),
        ServerCode(
            70018, "BadVerificationCode", .signIn, .you, "the code that was entered is not right",
            "check the code, or start the sign-in again"),
        ServerCode(
            70019, "CodeExpired", .signIn, .you, "the code expired before it was entered",
            "start the sign-in again and enter the new code"),
        ServerCode(
            70020, "DeviceCodeExpired", .signIn, .you, "the code is not valid any more",
            "start the sign-in again and enter the new code"),
        ServerCode(
            90002, "InvalidTenantName", .refused, .you, "there is no such tenant",
            "check the tenant in the authority, and whether it is of this cloud"),
        ServerCode(
            90004, "InvalidRequestFormat", .refused, .owner, "the request is not well formed",
            "report it to who made the program"),
        ServerCode(
            90013, "InvalidUserInput", .refused, .you, "what was entered is not valid", "check it and try again"),
        ServerCode(
            90014, "MissingRequiredField", .refused, .owner, "a field of the request is missing",
            "report it to who made the program"),
        ServerCode(
            900144, "MissingRequiredParameter", .refused, .owner, "a parameter of the request is missing",
            "report it to who made the program"),
        ServerCode(
            90015, "QueryStringTooLong", .refused, .owner, "the address of the request is too long",
            "ask for fewer scopes or claims"),
        ServerCode(
            90019, "MissingTenantRealm", .refused, .you, "nothing in the request says which tenant is meant",
            "put the tenant into the authority"),
        ServerCode(
            90023, "InvalidRequest", .refused, .owner, "the request is not valid", "report it to who made the program"),
        ServerCode(
            900432, "CrossCloudNotSupported", .refused, .owner,
            "this kind of client may not ask for tokens of another cloud",
            "use the authority of that cloud"),
        ServerCode(
            90038, "NationalCloudTenantRedirection", .refused, .you, "the tenant belongs to another cloud",
            "use the authority of that cloud"),
        ServerCode(
            900439, "UnsupportedNationalCloud", .refused, .you,
            "the client is not known in the cloud that the tenant belongs to",
            "use a client that is registered there"),
        ServerCode(
            90056, "BadResourceRequest", .refused, .owner, "the request for the resource is not valid",
            "ask the authority of the tenant, and sign in anew"),
        ServerCode(
            90100, "InvalidRequestParameter", .refused, .owner, "a parameter of the request is empty or not valid",
            "check what was entered; else report it to who made the program"),
        ServerCode(
            901001, "NativeRequestInvalid", .refused, .owner, "the request to sign in without a browser is not valid",
            "sign in in a browser"),
        ServerCode(
            901002, "ResourceParameterNotSupported", .refused, .owner,
            "the resource was named the old way, which the new endpoint does not take", "name it in the scope"),
        ServerCode(
            90101, "InvalidEmailAddress", .refused, .you, "the mail address is not valid", "check its spelling"),
        ServerCode(
            90119, "InvalidUserCode", .signIn, .you, "the code is missing or not right",
            "check the code, or start the sign-in again"),
        ServerCode(
            90123, "IdentityProviderAccessDenied", .refused, .administrator,
            "the identity provider behind the account refused the sign-in",
            "ask its administrator"),
        ServerCode(
            90124, "V1ResourceV2GlobalEndpointNotSupported", .refused, .you,
            "the resource cannot be used at a shared authority",
            "use the authority of your tenant"),
        ServerCode(
            9001023, "GrantNotSupportedAtSharedAuthority", .refused, .you,
            "this way to sign in does not work at a shared authority",
            "use …/organizations or the tenant's own authority"),
        ServerCode(
            9002313, "InvalidRequest", .refused, .owner, "the request is malformed", "report it to who made the program"
        ),
    ]

    /// The service's own troubles; most pass.
    static let services: [ServerCode] = [
        ServerCode(
            50000, "TokenIssuanceError", .passing, .nobody, "the provider had an error while it made the token",
            "try again later"),
        ServerCode(
            50033, "RetryableError", .passing, .nobody, "the provider's directory has a trouble that passes",
            "try again later"),
        ServerCode(
            70012, "MsaServerError", .passing, .nobody, "the service for personal accounts had an error",
            "try again later"),
        ServerCode(
            80001, "OnPremiseStoreIsNotAvailable", .passing, .administrator,
            "the organization's own directory was not reached to check the password",
            "try again later; if it stays so, tell the administrator that the agents do not answer"),
        ServerCode(
            80002, "OnPremisePasswordValidatorRequestTimedout", .passing, .administrator,
            "the organization's own directory did not check the password in time",
            "try again later; if it stays so, tell the administrator"),
        ServerCode(
            80012, "OnPremisePasswordValidatorAccountLogonInvalidHours", .refused, .administrator,
            "the account may not sign in at this hour",
            "sign in at an hour that is allowed, or ask the administrator"),
        ServerCode(
            80013, "OnPremisePasswordValidationTimeSkew", .refused, .administrator,
            "the clocks of the organization's own directory do not agree", "tell the administrator to set the clocks"),
        ServerCode(
            80014, "OnPremisePasswordValidationAuthenticationAgentTimeout", .passing, .administrator,
            "the check of the password took too long", "try again later; if it stays so, tell the administrator"),
        ServerCode(
            90006, "ExternalServerRetryableError", .passing, .nobody, "a service behind the provider is away for now",
            "try again later"),
        ServerCode(90012, "RequestTimeout", .passing, .nobody, "the provider ran out of time", "try again"),
        ServerCode(
            90024, "RequestBudgetExceededError", .passing, .nobody, "the provider had a trouble that passes",
            "try again later"),
        ServerCode(
            90033, "MsodsServiceUnavailable", .passing, .nobody, "the provider's directory is away for now",
            "try again later"),
        ServerCode(
            90055, "TenantThrottlingError", .passing, .nobody, "the tenant has too many requests under way",
            "wait, and ask less often"),
        ServerCode(
            90092, "GraphNonRetryableError", .passing, .nobody, "the provider's directory had an error",
            "try again later; tell the administrator if it stays so"),
    ]

    /// B2C's and AD FS's own numbers.
    static let otherProviders: [ServerCode] = [
        b2c(
            90006, "InvalidRedirectUri", .refused, .owner, "the redirect address is not registered for the client",
            "register it, or name a registered one with --redirect-uri"),
        b2c(90007, "RedirectUriMissing", .refused, .owner, "the client has no redirect address", "register one"),
        b2c(
            90013, "ResponseTypeNotSupported", .refused, .owner,
            "the kind of answer that was asked for is not supported",
            "report it to who made the program"),
        b2c(
            90037, "UnexpectedError", .passing, .nobody, "the provider had an error while it did the request",
            "try again later; tell the administrator the correlation id if it stays so"),
        b2c(
            90057, "ImplicitFlowNotAllowed", .refused, .owner, "the client may not get tokens by the redirect",
            "allow it in the client's registration"),
        b2c(
            90068, "ApplicationNotValid", .refused, .owner,
            "the client was registered in the wrong place and cannot be used here",
            "register it in the B2C tenant anew"),
        b2c(
            90075, "ClaimsExchangeRefused", .refused, .administrator, "a service behind the policy refused",
            "tell the administrator the correlation id"),
        b2c(90077, "NoSession", .signIn, .you, "nobody has a session at the provider", "sign in"),
        b2c(90080, "GrantExpired", .signIn, .you, "the code or refresh token has expired", "sign in again"),
        b2c(
            90085, "InternalError", .signIn, .you, "the provider had an error and wants the sign-in anew",
            "sign in again"),
        b2c(
            90018, "ClientNotRegistered", .refused, .owner, "the tenant knows no application with this client id",
            "check the client id and the tenant"),
        b2c(
            90035, "ServiceUnavailable", .passing, .nobody, "the provider is away for now",
            "try again in some minutes"),
        b2c(
            90053, "UserNotFound", .refused, .you, "there is no account with these credentials",
            "sign up first, or check the address"),
        b2c(
            90058, "PublicClientNotAllowed", .refused, .owner,
            "the client's registration does not allow sign-ins without a secret",
            "switch on public client flows in the client's registration"),
        b2c(
            90092, "ApplicationDisabled", .refused, .administrator, "the application is switched off",
            "ask the administrator to switch it on"),
        b2c(
            90111, "AccountLocked", .refused, .administrator, "the account is locked",
            "ask the administrator to unlock it"),
        b2c(
            90114, "AccountTemporarilyLocked", .passing, .you, "the account is locked for a while against misuse",
            "wait, then sign in with the right password"),
        b2c(
            90146, "SeveralResources", .refused, .you, "the scopes belong to more than one resource",
            "ask for the scopes of one resource at a time"),
        b2c(
            90151, "TooManySecondFactors", .signIn, .you, "the second factor was wrong too often",
            "start the sign-in again"),
        b2c(
            90183, "CodeVerifierNotValid", .signIn, .you, "the code does not go with the program that brought it",
            "start the sign-in again"
        ),
        b2c(
            90225, "InvalidUserNameOrPassword", .signIn, .you, "the user name and the password do not go together",
            "sign in again with the right password"),
        b2c(
            90088, "GrantOfAnotherPolicy", .signIn, .you,
            "the refresh token was given out by another policy than the one that was asked",
            "sign in with the policy that is meant"),
        b2c(
            90091, "UserCancelled", .cancelled, .you, "the sign-in page was left by its cancel button",
            "sign in again, if you want to"),
        b2c(
            90117, "ScopeNotSupported", .refused, .you, "the client may not ask for one of the scopes",
            "check the spelling of the scope, and the client's permissions"),
        b2c(
            90118, "PasswordForgotten", .signIn, .you,
            "the link for a forgotten password was chosen on the sign-in page",
            "sign in with the policy that resets the password, then again as usual"),
        b2c(
            90128, "GrantOfUnknownAccount", .signIn, .you, "the account of the refresh token is gone or switched off",
            "sign in again, with another account if it stays so"),
        b2c(90129, "GrantRevoked", .signIn, .you, "the refresh token was called back", "sign in again"),
        b2c(90157, "TooManyAttempts", .signIn, .you, "there were too many wrong entries", "start the sign-in again"),
        b2c(
            90205, "ResourceNotAllowed", .refused, .administrator, "the client was not given access to the resource",
            "ask the administrator to grant it"),
        b2c(
            90273, "InvalidProviderResponse", .signIn, .you,
            "the provider behind the policy gave no valid answer, as when the sign-in there was left",
            "sign in again; tell the administrator if it stays so"),
        b2c(
            99002, "UserNotFound", .refused, .you, "there is no such account in this tenant",
            "sign up first, or check the address"),
        adfs(
            7065, "NoSuchEndpoint", .refused, .administrator, "the server has no such endpoint",
            "check the authority; the administrator can switch the endpoint on"),
        adfs(
            9223, "ClientNotFound", .refused, .administrator, "the server knows no client with this id",
            "check the client id"),
        adfs(
            9224, "RedirectUriNotRegistered", .refused, .administrator,
            "the redirect address is not registered for the client",
            "register it, or name a registered one with --redirect-uri"),
        adfs(
            9605, "ClientNotAllowed", .refused, .administrator, "the client was not given access to the resource",
            "ask the administrator to grant it"),
        adfs(9612, "CodeNotValid", .signIn, .you, "the code is not valid any more", "start the sign-in again"),
        adfs(9615, "RefreshTokenExpired", .signIn, .you, "the refresh token has expired", "sign in again"),
    ]

    private static func b2c(
        _ number: Int, _ name: String, _ effect: Effect, _ helper: Helper, _ explanation: String, _ remedy: String
    )
        -> ServerCode
    {
        ServerCode(number, name, effect, helper, explanation, remedy, origin: .b2c)
    }

    private static func adfs(
        _ number: Int, _ name: String, _ effect: Effect, _ helper: Helper, _ explanation: String, _ remedy: String
    )
        -> ServerCode
    {
        ServerCode(number, name, effect, helper, explanation, remedy, origin: .adfs)
    }
}
