/// Real providers' behavior that breaks clients, to be enabled individually. Unlike a fault, a quirk lasts, and several
/// can be combined. Quirks apply to the plain OpenID Connect issuer and the plain OAuth servers unless stated
/// otherwise.
package enum Quirk: String, Sendable, CaseIterable {
    // MARK: Documents

    /// Only the RFC 8414 document exists.
    case onlyOAuthMetadata
    /// Endpoints that only the RFC 8414 document lists are missing from the OpenID Connect document.
    case splitMetadata
    case noMetadata
    /// The documents also offer the algorithm `none`.
    case advertisesNone
    /// The documents name an issuer at another path.
    case issuerMismatch
    /// At the plain OAuth servers, the document has only the required members of RFC 8414 section 2, and the two
    /// endpoints.
    case sparseMetadata

    // MARK: Authorization

    /// Redirect URIs must match including the port; a mismatch shows a page with status 200, so the client gets no
    /// response.
    case exactPort
    case nonceRequired
    /// OpenID Connect Core section 11: `offline_access` is ignored unless the request has `prompt=consent`.
    case consentForOffline
    /// Authorization requests must be pushed (RFC 9126).
    case pushedRequired
    case extraParameters
    /// Error redirects lack `iss` although the document announces it.
    case noIssInErrors
    /// All redirects lack `iss` although the document announces it.
    case noIss
    /// The redirects name another issuer.
    case wrongIss
    /// Resource indicators are rejected, as at Entra ID.
    case resourceRefused

    // MARK: Tokens, at every issuer

    /// `token_type` is `bEARER`.
    case tokenTypeCase
    /// Proofs must contain a nonce of the token endpoint, each valid once (RFC 9449 section 8).
    case proofNonce
    case expiresInText
    /// `expires_in` is the expiry time in seconds since 1970.
    case expiresInEpoch
    /// A refreshed token lives half as long as the first.
    case shorterOnRefresh
    case scopeAbsent, scopeReordered, scopeDuplicated
    case noIDTokenOnRefresh, noIDTokenOnDevice
    /// Times in the ID token and userinfo are decimal fractions, and `email_verified` is a string.
    case fractionClaims
    /// These times are strings.
    case textClaims
    /// The ID token identifies the user only by subject; userinfo has the names (OpenID Connect Core section 5.4).
    case namelessIDToken
    case userinfoOfAnother
    case noUserinfo
    /// The issuer in Google's ID tokens has no scheme.
    case schemelessIssuer
    /// The audience of the ID token is a list of one; that of the access token is an empty list.
    case listAudience

    // MARK: Refusals of the token endpoint, at every issuer

    /// Status 400 without a body or content type.
    case emptyErrors
    /// `{"detail":…}` without `error`.
    case detailErrors
    /// `invalid_request` instead of `invalid_grant`.
    case invalidRequestForGrant
    case forbiddenErrors
    /// Responses are forms unless the request has `Accept: application/json`.
    case formAnswers
    case jsonAsHTML

    // MARK: Device grant

    case noInterval, dashlessCodes
    /// The verification URI has a query with a space.
    case verificationQuery
    case unknownCode404
    case neverSlowDown
    /// The first two polls of a device are pending, and the third is too fast, whatever their times.
    case slowDownOnce

    // MARK: Refresh

    /// Reusing a refresh token fails without revoking its chain.
    case replayTolerated
    /// For half a minute, a used refresh token gets the same response once more, in case the first response was lost.
    case rotationGrace
    /// The refresh token stays the same and is not in the response.
    case noRotation

    // MARK: Sign-out

    /// Revocation returns 401 for public clients.
    case revocationRefused
    case noRevocation
    case noIntrospection
    case noEndSession
    case logoutDropsState
    /// Signing out shows a page with a link to the application.
    case logoutPage
    /// Post-logout URIs must match byte for byte; otherwise an error page is shown.
    case exactPostLogout

    // MARK: Protected resource

    /// `BASE/resource` responds to a valid token with a claims challenge, until the token was requested with its
    /// claims.
    case continuousAccess
    /// `BASE/resource` requires a nonce in signed requests, each valid once (MSAL's `WWW-Authenticate: PoP nonce="…"`).
    case popNonce

    // MARK: Native authentication, at the External ID tenant

    case nativeRedirect
    case nativeCodes
    case nativeAttributes
    /// A new password takes two polls to be set.
    case nativeSlowReset

    // MARK: Registration

    /// The response contains a secret although none was requested. A plain OAuth server also requires it, in the body.
    case registrationSecret
    case registrationSlashes
    case registrationTextTimes
    /// The response contains a secret but no authentication method, so the client must authenticate by the default of
    /// RFC 7591.
    case registrationConfidential
    /// Registration fails if a requested grant type is not available to such clients.
    case registrationStrictGrants
    /// Registration fails if a requested scope is not in the metadata.
    case registrationStrictScopes

    package static let profiles: [String: [Quirk]] = [
        "exacting": [.exactPort, .nonceRequired, .consentForOffline, .exactPostLogout, .revocationRefused],
        "terse": [
            .noInterval, .scopeAbsent, .noIDTokenOnRefresh, .noIDTokenOnDevice, .emptyErrors, .noRotation,
            .noRevocation, .noEndSession,
        ],
        "loose": [
            .tokenTypeCase, .expiresInText, .scopeReordered, .scopeDuplicated, .textClaims, .listAudience,
            .extraParameters, .jsonAsHTML,
            .dashlessCodes, .verificationQuery,
        ],
        "framework": [
            .detailErrors, .forbiddenErrors, .unknownCode404, .logoutPage, .logoutDropsState, .onlyOAuthMetadata,
        ],
    ]
}
