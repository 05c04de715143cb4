/// What providers are seen to do that breaks clients, each to be switched on by itself. Unlike a scripted fault a habit
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

    // MARK: Tokens, at every realm

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

    // MARK: Refusals of the token endpoint, at every realm

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

    /// Habits that are met together.
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

extension Fault {
    /// One fault, or the several that a profile stands for.
    static func read(_ json: JSON) throws(OAuthErrorResponse) -> [Fault] {
        guard json["kind"]?.string == "profile" else { return [try Fault(json)] }
        let name = json["name"]?.string ?? ""
        guard let habits = Quirk.profiles[name] else {
            throw OAuthErrorResponse("invalid_request", "there is no profile of the name \(name.prefix(80))")
        }
        return habits.map { Fault(.habit($0)) }
    }
}

extension ProviderState {
    func has(_ habit: Quirk) -> Bool { faults.contains { $0.kind == .habit(habit) } }

    /// A document, as this provider's habits have it; nil: it is not there.
    func habitual(_ document: JSON, in realm: HostedIssuer, isOAuth: Bool) -> JSON? {
        guard realm.shape == .openID else { return document }
        if has(.noMetadata) || has(.onlyOAuthMetadata) && !isOAuth { return nil }
        var document = document
        if has(.registrationStrictScopes) { document["scopes_supported"] = .strings(["openid", "profile"]) }
        if has(.splitMetadata), !isOAuth {
            for name in ["device_authorization_endpoint", "revocation_endpoint", "registration_endpoint"] {
                document[name] = nil
            }
        }
        if has(.advertisesNone) { document["id_token_signing_alg_values_supported"] = .strings(["none", "RS256"]) }
        if has(.issuerMismatch) { document["issuer"] = .string(realm.base + "/elsewhere") }
        if has(.pushedRequired) { document["require_pushed_authorization_requests"] = true }
        if has(.noUserinfo) { document["userinfo_endpoint"] = nil }
        if has(.noRevocation) { document["revocation_endpoint"] = nil }
        if has(.noEndSession) { document["end_session_endpoint"] = nil }
        return document
    }

    /// Claims that are right but for their types.
    func habitual(_ claims: JSON) -> JSON {
        guard has(.fractionClaims) || has(.textClaims) else { return claims }
        var claims = claims
        for name in ["auth_time", "iat", "updated_at"] {
            guard let number = claims[name]?.int else { continue }
            // iat is read by whoever checks a token: it stays a number.
            if has(.textClaims), name != "iat" {
                claims[name] = .string(String(number))
            } else {
                claims[name] = .raw("\(number).25")
            }
        }
        if claims["email"] != nil { claims["email_verified"] = "true" }
        return claims
    }

    /// The token endpoint's and the device endpoint's answers.
    func habitual(_ answer: Answer, to inquiry: SandboxRequest, at endpoint: Endpoint) -> Answer {
        guard endpoint == .token || endpoint == .devicecode, var body = try? JSON(parsing: answer.body),
            body.members != nil
        else {
            return answer
        }
        var answer = answer
        let kind = inquiry.bodyForm["grant_type"]
        if answer.status >= 400 {
            if endpoint == .devicecode { return spelled(answer, body, inquiry) }
            if has(.unknownCode404), kind == DeviceGrant.grantType, body["error"]?.string == "invalid_grant" {
                answer.status = 404
            }
            guard kind != DeviceGrant.grantType else { return spelled(answer, body, inquiry) }
            if has(.emptyErrors) { return Answer(status: 400, headers: [("Cache-Control", "no-store")], body: "") }
            if has(.forbiddenErrors) { answer.status = 403 }
            if has(.invalidRequestForGrant), body["error"]?.string == "invalid_grant" {
                body["error"] = "invalid_request"
            }
            if has(.detailErrors) { body = .members(["detail": body["error_description"]]) }
            return spelled(answer, body, inquiry)
        }
        if endpoint == .devicecode { return spelled(answer, habitualDevice(body), inquiry) }
        return spelled(answer, habitualTokens(body, kind: kind), inquiry)
    }

    private func habitualTokens(_ tokens: JSON, kind: String?) -> JSON {
        var tokens = tokens
        let isRefresh = kind == "refresh_token"
        if has(.tokenTypeCase) { tokens["token_type"] = "bEARER" }
        if let seconds = tokens["expires_in"]?.int {
            let lasts = isRefresh && has(.shorterOnRefresh) ? seconds / 2 : seconds
            tokens["expires_in"] =
                has(.expiresInText) ? .string(String(lasts)) : .int(has(.expiresInEpoch) ? now + lasts : lasts)
        }
        if let scope = tokens["scope"]?.string {
            var names = scope.split(separator: " ").map(String.init)
            if has(.scopeReordered) { names.reverse() }
            if has(.scopeDuplicated) { names += names.prefix(1) }
            tokens["scope"] = has(.scopeAbsent) ? nil : .string(names.joined(separator: " "))
        }
        if isRefresh && has(.noIDTokenOnRefresh) || kind == DeviceGrant.grantType && has(.noIDTokenOnDevice) {
            tokens["id_token"] = nil
        }
        return tokens
    }

    private func habitualDevice(_ codes: JSON) -> JSON {
        var codes = codes
        if has(.noInterval) { codes["interval"] = nil }
        if has(.dashlessCodes), let code = codes["user_code"]?.string {
            codes["user_code"] = .string(code.filter { $0 != "-" })
        }
        if has(.verificationQuery), let page = codes["verification_uri"]?.string {
            codes["verification_uri"] = .string(page + "?next=sign in&lang=en")
        }
        return codes
    }

    /// The form of the body, when it is not the JSON that it should be.
    private func spelled(_ answer: Answer, _ body: JSON, _ inquiry: SandboxRequest) -> Answer {
        var answer = answer
        answer.body = body.text
        var type: String?
        if has(.formAnswers), inquiry.headers["accept"]?.lowercased().contains("application/json") != true {
            answer.body = Form((body.members ?? []).map { ($0.name, $0.value.string ?? $0.value.text) }).encoded
            type = "application/x-www-form-urlencoded; charset=utf-8"
        } else if has(.jsonAsHTML) {
            type = "text/html; charset=utf-8"
        }
        if let type {
            answer.headers.removeAll { $0.name == "Content-Type" }
            answer.headers.append(("Content-Type", type))
        }
        return answer
    }
}
