// Entra ID errors about applications, consent, requests and the service.

import Identity

extension ServerCodeMeaning {
    static let applications: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            50001, .owner, "the requested resource is not in the tenant",
            "check the scope's resource; an administrator can add its application"),
        ServerCodeMeaning(
            500011, .administrator, "the tenant has no application with the resource's name",
            "check the spelling of the scope, and whether the resource was ever used in this tenant"),
        ServerCodeMeaning(
            50011, .owner, "the redirect URI is not one that is registered for the client",
            .registerRedirectURI(
                registering: "register http://localhost as a redirect URI of a mobile and desktop application")),
        ServerCodeMeaning(
            50012, .owner, "the client could not authenticate",
            "check the client's credentials"),
        ServerCodeMeaning(
            50049, .you, "unknown authority host",
            "check the authority"),
        ServerCodeMeaning(
            50059, .you, "no tenant in the request",
            "put the tenant into the authority, or give the username"),
        ServerCodeMeaning(
            50128, .you, "no tenant in the request, and the domain is unknown",
            "check the domain of the username"),
        ServerCodeMeaning(
            50147, .owner, "the code challenge is missing or too short",
            "report it to the app's developer"),
        ServerCodeMeaning(
            50194, .owner, "the client is for one tenant only, and was used at a shared authority",
            "use the authority of that tenant instead of …/common or …/organizations"),
        ServerCodeMeaning(
            50196, .nobody, "the same request came too often in a short time",
            "wait a few minutes, and find what keeps requesting"),
        ServerCodeMeaning(
            65001, .you, "consent is required",
            "sign in and consent"),
        ServerCodeMeaning(
            65002, .owner, "the resource has not preauthorized this Microsoft client",
            "use a client of your own for this resource"),
        ServerCodeMeaning(
            65005, .owner, "the client's registration does not include the resource, or the resource no longer exists",
            "add the permission to the client's registration"),
        ServerCodeMeaning(
            650052, .administrator, "the organization has no license for the service",
            "ask the administrator to subscribe, or to add the service's application"),
        ServerCodeMeaning(
            650053, .you, "the resource has no scope of this name",
            "check the spelling of the scope"),
        ServerCodeMeaning(
            650056, .owner, "the client's registration lacks the resource, or no administrator has consented",
            "add the permission to the client's registration and let the administrator consent"),
        ServerCodeMeaning(
            650057, .owner, "the resource is not among those that the client's registration lists",
            "add it there"),
        ServerCodeMeaning(
            70001, .administrator, "the application is disabled or not in this tenant",
            "ask the administrator to enable it or add it"),
        ServerCodeMeaning(
            70002, .owner, "the client's credentials are wrong",
            "check the client's registration"),
        ServerCodeMeaning(
            70003, .owner, "this grant is not allowed for the client",
            "allow public client flows in its registration"),
        ServerCodeMeaning(
            70004, .owner, "the redirect URI is not valid",
            .registerRedirectURI(registering: "register it")),
        ServerCodeMeaning(
            70005, .owner, "the client may not use this response type",
            "report it to the app's developer"),
        ServerCodeMeaning(
            70011, .you, "a scope is not valid, or scopes of several resources were mixed",
            "request the scopes of one resource at a time"),
        ServerCodeMeaning(
            700016, .administrator, "the tenant has no application with this client id",
            "check the client id and the tenant; an administrator may have to add the application"),
        ServerCodeMeaning(
            700025, .owner, "the client is a public one and must not send a secret",
            "remove the secret from the request"),
        ServerCodeMeaning(
            700051, .owner, "the client may not use the implicit flow",
            "report it to the app's developer"),
        ServerCodeMeaning(
            700054, .owner, "the client may not use the implicit flow for ID tokens",
            "allow it in the client's registration"),
        ServerCodeMeaning(
            7000112, .administrator, "the application is disabled",
            "ask its owner, or the tenant's administrator"),
        ServerCodeMeaning(
            7000215, .owner, "the client's secret is wrong",
            "check that it is the secret and not the secret's id"),
        ServerCodeMeaning(
            7000218, .owner, "the client's registration does not allow sign-ins without a secret",
            "allow public client flows in the client's registration"),
        ServerCodeMeaning(
            7000222, .owner, "the client's secret has expired",
            "create a new one"),
        ServerCodeMeaning(
            9002325, .owner,
            "the redirect URI is registered for a single-page application, which requires PKCE in a browser",
            "register http://localhost for mobile and desktop applications"),
        ServerCodeMeaning(
            9002327, .owner, "the redirect URI is registered for web applications, and this is a native one",
            "register it for mobile and desktop applications"),
        ServerCodeMeaning(
            9002331, .you, "the client is for personal accounts only",
            "use the authority …/consumers"),
        ServerCodeMeaning(
            9002346, .you, "the client is for personal accounts only",
            "use the authority …/consumers"),
        ServerCodeMeaning(
            90008, .owner, "the client requests a token for itself without the permission to read its user",
            "add User.Read of Microsoft Graph to the client's registration"),
        ServerCodeMeaning(
            90009, .owner, "the client requests a token for itself by a name other than its id",
            "name the resource by the client's id"),
        ServerCodeMeaning(
            90093, .administrator, "the account may not do this in the tenant",
            "ask the administrator"),
        ServerCodeMeaning(
            90094, .administrator, "only an administrator may consent to what the app requests",
            "ask the administrator to consent, or request fewer scopes"),
        ServerCodeMeaning(
            90095, .administrator, "only an administrator may consent; a request can be sent to one",
            "sign in in a browser, send the request, and wait for its approval"),
        ServerCodeMeaning(
            90099, .administrator, "the application was not consented to in this tenant",
            "ask the administrator to consent"),
        ServerCodeMeaning(
            221000, .owner, "the resource does not accept device tokens",
            "request a user token"),
    ]

    static let requests: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            50013, .owner, "the assertion is not valid: its issuer, audience or time is wrong",
            "report it to the app's developer"),
        ServerCodeMeaning(
            50027, .owner, "the token that was sent is not valid",
            "report it to the app's developer"),
        ServerCodeMeaning(
            501481, .you, "the code was issued to another client",
            "start the sign-in again"),
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
        ServerCodeMeaning(
            90019, .you, "no tenant in the request",
            "put the tenant into the authority"),
        ServerCodeMeaning(
            90023, .owner, "the request is not valid",
            "report it to the app's developer"),
        ServerCodeMeaning(
            900432, .owner, "this kind of client may not request tokens of another cloud",
            "use the authority of that cloud"),
        ServerCodeMeaning(
            90038, .you, "the tenant belongs to another cloud",
            "use the authority of that cloud"),
        ServerCodeMeaning(
            900439, .you, "the client does not exist in the cloud that the tenant belongs to",
            "use a client that is registered there"),
        ServerCodeMeaning(
            90056, .owner, "the request for the resource is not valid",
            "ask the authority of the tenant, and sign in again"),
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
        ServerCodeMeaning(
            90119, .you, "the code is missing or not right",
            "check the code, or start the sign-in again"),
        ServerCodeMeaning(
            90123, .administrator, "the identity provider behind the account refused the sign-in",
            "ask its administrator"),
        ServerCodeMeaning(
            90124, .you, "the resource cannot be used at a shared authority",
            "use the authority of your tenant"),
        ServerCodeMeaning(
            9001023, .you, "this way to sign in does not work at a shared authority",
            "use …/organizations or the tenant's own authority"),
        ServerCodeMeaning(
            9002313, .owner, "the request is malformed",
            "report it to the app's developer"),
    ]

    static let services: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            50000, .nobody, "the provider could not issue the token",
            "try again later"),
        ServerCodeMeaning(
            50033, .nobody, "the provider's directory has a temporary problem",
            "try again later"),
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
            90055, .nobody, "the tenant has too many concurrent requests",
            "wait, and send requests less often"),
        ServerCodeMeaning(
            90092, .nobody, "the provider's directory had an error",
            "try again later; if this persists, tell the administrator"),
    ]
}
