// Entra ID errors about applications and consent.

import Identity

extension ServerCodeMeaning {
    static let applications: [ServerCodeMeaning] = [
        ServerCodeMeaning(100007, .owner, "the client may not use a regional endpoint", "use the global authority"),
        ServerCodeMeaning(
            221000, .owner, "the resource does not accept device tokens",
            "request a user token"),
        ServerCodeMeaning(
            28000, .you, "the scopes belong to more than one resource",
            "request the scopes of one resource at a time"),
        ServerCodeMeaning(
            28002, .you, "a scope is not valid for an access token",
            "check the spelling of the scopes"),
        ServerCodeMeaning(28003, .owner, "the request for a token has no scope", "report it to the app's developer"),
        ServerCodeMeaning(
            50001, .owner, "the requested resource is not in the tenant",
            "check the scope's resource; an administrator can add its application"),
        ServerCodeMeaning(
            500011, .administrator, "the tenant has no application with the resource's name",
            "check the spelling of the scope, and whether the resource was ever used in this tenant"),
        ServerCodeMeaning(
            5000224, .administrator, "the resource is not available",
            "check the resource in the scope, or ask the administrator"),
        ServerCodeMeaning(
            50003, .owner, "the application has no signing key",
            "check the certificate in its registration"),
        ServerCodeMeaning(
            50007, .owner, "the application's encryption certificate is missing",
            "ask its owner to add it"),
        ServerCodeMeaning(50010, .owner, "the application has no audience for its tokens", "check its registration"),
        ServerCodeMeaning(
            50011, .owner, "the redirect URI is not one that is registered for the client",
            .registerRedirectURI(
                registering: "register http://localhost as a redirect URI of a mobile and desktop application")),
        ServerCodeMeaning(
            50012, .owner, "the client could not authenticate",
            "check the client's credentials"),
        ServerCodeMeaning(
            50042, .administrator, "the directory has no salt for the account's identifier",
            "tell the administrator"),
        ServerCodeMeaning(
            50043, .administrator, "the directory has several salts for the account's identifier",
            "tell the administrator"),
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
            50146, .owner, "the application needs a signing key of its own, and has no valid one",
            "ask its owner to add one"),
        ServerCodeMeaning(
            501461, .owner, "the application may not receive mapped claims for this audience",
            "ask its owner to add a signing key of its own"),
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
            51000, .administrator, "a feature that the sign-in requires is disabled",
            "ask the administrator"),
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
            650054, .owner, "the client requests a resource that no longer exists",
            "remove it from the client's registration, or add the resource again"),
        ServerCodeMeaning(
            650056, .owner, "the client's registration lacks the resource, or no administrator has consented",
            "add the permission to the client's registration and let the administrator consent"),
        ServerCodeMeaning(
            650057, .owner, "the resource is not among those that the client's registration lists",
            "add it there"),
        ServerCodeMeaning(
            67003, .owner, "the service that acts for the user is not a valid one",
            "report it to the app's developer"),
        ServerCodeMeaning(
            70001, .administrator, "the application is disabled or not in this tenant",
            "ask the administrator to enable it or add it"),
        ServerCodeMeaning(
            700011, .administrator, "the tenant has no application with this client id",
            "check the client id and the tenant; an administrator may have to add the application"),
        ServerCodeMeaning(
            7000112, .administrator, "the application is disabled",
            "ask its owner, or the tenant's administrator"),
        ServerCodeMeaning(
            7000114, .owner, "the client may not request tokens on behalf of others",
            "use another client"),
        ServerCodeMeaning(
            700016, .administrator, "the tenant has no application with this client id",
            "check the client id and the tenant; an administrator may have to add the application"),
        ServerCodeMeaning(
            70002, .owner, "the client's credentials are wrong",
            "check the client's registration"),
        ServerCodeMeaning(
            7000215, .owner, "the client's secret is wrong",
            "check that it is the secret and not the secret's id"),
        ServerCodeMeaning(
            7000218, .owner, "the client's registration does not allow sign-ins without a secret",
            "allow public client flows in the client's registration"),
        ServerCodeMeaning(
            700022, .you, "the scopes belong to more than one resource",
            "request the scopes of one resource at a time"),
        ServerCodeMeaning(
            7000222, .owner, "the client's secret has expired",
            "create a new one"),
        ServerCodeMeaning(700023, .you, "a scope names no resource", "put the resource in front of the scope"),
        ServerCodeMeaning(
            700025, .owner, "the client is a public one and must not send a secret",
            "remove the secret from the request"),
        ServerCodeMeaning(
            700027, .owner, "the signature of the client's assertion is not valid",
            "check the certificate in the client's registration"),
        ServerCodeMeaning(
            70003, .owner, "this grant is not allowed for the client",
            "allow public client flows in its registration"),
        ServerCodeMeaning(
            700030, .owner, "the subject of the client's certificate is not authorized",
            "check the certificate in the client's registration"),
        ServerCodeMeaning(
            70004, .owner, "the redirect URI is not valid",
            .registerRedirectURI(registering: "register it")),
        ServerCodeMeaning(
            70005, .owner, "the client may not use this response type",
            "report it to the app's developer"),
        ServerCodeMeaning(
            700051, .owner, "the client may not use the implicit flow",
            "report it to the app's developer"),
        ServerCodeMeaning(
            700054, .owner, "the client may not use the implicit flow for ID tokens",
            "allow it in the client's registration"),
        ServerCodeMeaning(70007, .owner, "the response mode is not supported", "report it to the app's developer"),
        ServerCodeMeaning(
            70011, .you, "a scope is not valid, or scopes of several resources were mixed",
            "request the scopes of one resource at a time"),
        ServerCodeMeaning(
            700229, .owner, "a user's token cannot be used as a federated credential",
            "use a token of the application itself"),
        ServerCodeMeaning(
            90008, .owner, "the client requests a token for itself without the permission to read its user",
            "add User.Read of Microsoft Graph to the client's registration"),
        ServerCodeMeaning(
            90009, .owner, "the client requests a token for itself by a name other than its id",
            "name the resource by the client's id"),
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
            9002332, .you, "the client is for work and school accounts only",
            "use the authority …/organizations"),
        ServerCodeMeaning(
            9002346, .you, "the client is for personal accounts only",
            "use the authority …/consumers"),
        ServerCodeMeaning(
            90027, .owner, "personal accounts do not support this version of the protocol",
            "ask the developer of the client to use version 2.0"),
        ServerCodeMeaning(
            900382, .owner, "this kind of client may not request tokens of another cloud",
            "use the authority of that cloud"),
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
            900971, .owner, "the request has no redirect URI, and the client has none registered",
            .registerRedirectURI(
                registering: "register http://localhost as a redirect URI of a mobile and desktop application")),
        ServerCodeMeaning(
            90099, .administrator, "the application was not consented to in this tenant",
            "ask the administrator to consent"),
        ServerCodeMeaning(
            9010010, .owner, "\"resource\" and the scope name different resources",
            "name the resource in the scope only"),
        ServerCodeMeaning(
            90130, .you, "the client cannot be used at a shared authority",
            "use the authority of your tenant"),
    ]
}
