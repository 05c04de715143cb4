struct Quirks: Sendable {
    private let active: Set<Quirk>

    init(_ active: some Sequence<Quirk>) { self.active = Set(active) }

    func has(_ quirk: Quirk) -> Bool { active.contains(quirk) }

    /// The document with quirks applied; nil if it does not exist.
    func applied(to document: JSON, in issuer: HostedIssuer, isOAuth: Bool) -> JSON? {
        guard issuer.isStandard else { return document }
        if has(.noMetadata) || has(.onlyOAuthMetadata) && !isOAuth { return nil }
        var document = document
        if has(.registrationStrictScopes) { document["scopes_supported"] = .strings(["openid", "profile"]) }
        if has(.splitMetadata), !isOAuth {
            for name in ["device_authorization_endpoint", "revocation_endpoint", "registration_endpoint"] {
                document[name] = nil
            }
        }
        if has(.advertisesNone) { document["id_token_signing_alg_values_supported"] = .strings(["none", "RS256"]) }
        if has(.issuerMismatch) { document["issuer"] = .string(issuer.base + "/elsewhere") }
        if has(.pushedRequired) { document["require_pushed_authorization_requests"] = true }
        if has(.noUserinfo) { document["userinfo_endpoint"] = nil }
        if has(.noRevocation) { document["revocation_endpoint"] = nil }
        if has(.noEndSession) { document["end_session_endpoint"] = nil }
        if has(.noIntrospection) { document["introspection_endpoint"] = nil }
        if has(.sparseMetadata), issuer.oauth != nil, let members = document.members {
            let needed = ["issuer", "authorization_endpoint", "token_endpoint", "response_types_supported"]
            document = .object(members.filter { needed.contains($0.name) })
        }
        return document
    }

    /// Correct claims, except for their types.
    func applied(toClaims claims: JSON) -> JSON {
        guard has(.fractionClaims) || has(.textClaims) else { return claims }
        var claims = claims
        for name in ["auth_time", "iat", "updated_at"] {
            guard let number = claims[name]?.int else { continue }
            // iat stays a number, as all token checks read it.
            if has(.textClaims), name != "iat" {
                claims[name] = .string(String(number))
            } else {
                claims[name] = .raw("\(number).25")
            }
        }
        if claims["email"] != nil { claims["email_verified"] = "true" }
        return claims
    }

    func applied(to answer: SandboxResponse, of request: SandboxRequest, at endpoint: Endpoint, now: Int)
        -> SandboxResponse
    {
        guard endpoint == .token || endpoint == .devicecode, var body = try? JSON(parsing: answer.body),
            body.members != nil
        else {
            return answer
        }
        var answer = answer
        let kind = request.bodyForm["grant_type"]
        if answer.status >= 400 {
            if endpoint == .devicecode { return spelled(answer, body, request) }
            if has(.unknownCode404), kind == DeviceGrant.grantType, body["error"]?.string == "invalid_grant" {
                answer.status = 404
            }
            guard kind != DeviceGrant.grantType else { return spelled(answer, body, request) }
            if has(.emptyErrors) {
                return SandboxResponse(status: 400, headers: [("Cache-Control", "no-store")], body: "")
            }
            if has(.forbiddenErrors) { answer.status = 403 }
            if has(.invalidRequestForGrant), body["error"]?.string == "invalid_grant" {
                body["error"] = "invalid_request"
            }
            if has(.detailErrors) { body = .members(["detail": body["error_description"]]) }
            return spelled(answer, body, request)
        }
        if endpoint == .devicecode { return spelled(answer, device(body), request) }
        return spelled(answer, tokens(body, kind: kind, now: now), request)
    }

    private func tokens(_ tokens: JSON, kind: String?, now: Int) -> JSON {
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

    private func device(_ codes: JSON) -> JSON {
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

    private func spelled(
        _ answer: SandboxResponse, _ body: JSON, _ request: SandboxRequest
    ) -> SandboxResponse {
        var answer = answer
        answer.body = body.text
        if has(.jsonAsHTML) {
            answer.headers.removeAll { $0.name == "Content-Type" }
            answer.headers.append(("Content-Type", "text/html; charset=utf-8"))
        }
        return has(.formAnswers) ? answer.formEncoded(for: request) : answer
    }
}
