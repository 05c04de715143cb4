/// What providers are seen to do that breaks clients, each to be switched on by itself. Unlike a scripted fault a quirk
/// lasts, and several go together; it concerns the plain OpenID Connect issuer unless its line says more.
package enum Quirk: String, Sendable, CaseIterable {
    // MARK: Documents

    /// The OpenID Connect document is not there, the one of RFC 8414 is.
    case onlyOAuthMetadata
    /// The OpenID Connect document lacks the endpoints that only the one of RFC 8414 names.
    case splitMetadata
    /// Neither document is there.
    case noMetadata
    /// The documents offer the algorithm `none` beside RS256.
    case advertisesNone
    /// The documents name an issuer at another path.
    case issuerMismatch

    // MARK: Authorization

    /// The redirect URI is compared with its port, and a mismatch is a page with status 200: nothing ever comes back.
    case exactPort
    case nonceRequired
    /// OpenID Connect Core section 11: `offline_access` is ignored unless the request has `prompt=consent`.
    case consentForOffline
    /// Authorization requests have to be pushed (RFC 9126).
    case pushedRequired
    /// The answer carries parameters that nobody asked for.
    case extraParameters
    /// The document announces `iss`, the error redirect lacks it.
    case noIssInErrors

    // MARK: Tokens, at every issuer

    /// `token_type` is `bEARER`.
    case tokenTypeCase
    /// Proofs must hold a nonce of the token endpoint's, each good once (RFC 9449 section 8).
    case proofNonce
    case expiresInText
    /// `expires_in` is the moment of the expiry, in seconds since 1970.
    case expiresInEpoch
    /// A refreshed token lives half as long as the first.
    case shorterOnRefresh
    case scopeAbsent, scopeReordered, scopeDuplicated
    case noIDTokenOnRefresh, noIDTokenOnDevice
    /// Times in ID token and userinfo are decimal fractions, the verification of an address is a text.
    case fractionClaims
    /// The same times are texts.
    case textClaims
    /// The ID token says nothing of a person but the subject; userinfo has the names (OpenID Connect Core section 5.4).
    case namelessIDToken
    /// Userinfo answers for somebody else.
    case userinfoOfAnother
    /// The documents name no userinfo endpoint.
    case noUserinfo
    /// The audience of the ID token is a list of one; the access token's is an empty list.
    case listAudience

    // MARK: Refusals of the token endpoint, at every issuer

    /// Status 400 without body and without a type.
    case emptyErrors
    /// `{"detail":…}` without `error`.
    case detailErrors
    /// `invalid_request` for `invalid_grant`.
    case invalidRequestForGrant
    case forbiddenErrors
    /// Answers are forms unless `Accept: application/json` was sent.
    case formAnswers
    /// JSON is served as text/html.
    case jsonAsHTML

    // MARK: Device grant

    case noInterval, dashlessCodes
    /// The verification URI has a query and a space in it.
    case verificationQuery
    /// Unknown device codes are answered with 404.
    case unknownCode404
    case neverSlowDown

    // MARK: Refresh

    /// A used refresh token is refused, and the chain lives on.
    case replayTolerated
    /// A spent refresh token is answered the same once more for half a minute, so that an answer that was lost on its
    /// way costs nothing.
    case rotationGrace
    /// The refresh token stays the same, and the answer holds none.
    case noRotation

    // MARK: Leaving

    /// Revocation answers a public client with 401.
    case revocationRefused
    case noRevocation
    case noEndSession
    case logoutDropsState
    /// Sign-out shows a page whose link goes on.
    case logoutPage
    /// The post-logout URI is compared byte for byte; another is an error page.
    case exactPostLogout

    // MARK: Protected resource

    /// `BASE/resource` answers a valid token with a claims challenge, until one comes that was asked for because of it.
    case continuousAccess
    /// The same wants a nonce in signed requests, each good once (MSAL's `WWW-Authenticate: PoP nonce="…"`).
    case popNonce

    // MARK: Native authentication, at the External ID tenant

    /// The user flow needs a browser: every start is answered with `redirect`.
    case nativeRedirect
    /// One-time codes in place of passwords.
    case nativeCodes
    /// A sign-up asks for a display name and a city.
    case nativeAttributes
    /// A new password takes two polls to be set.
    case nativeSlowReset

    // MARK: Registration

    /// A secret is given though none was asked for.
    case registrationSecret
    case registrationSlashes
    case registrationTextTimes
    /// A secret is given, and no word on how the client authenticates: by the default of RFC 7591 it must.
    case registrationConfidential
    /// A request with a grant that is not offered to clients of this kind is refused as a whole.
    case registrationStrictGrants
    /// So is one with a scope that the metadata does not list.
    case registrationStrictScopes

    /// Quirks that are met together.
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
