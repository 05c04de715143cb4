import StrictJSON

/// An OAuth error response (RFC 6749 sections 4.1.2.1 and 5.2) with Entra ID's extensions, bounded and cleaned.
package struct OAuthError: Error, Hashable, Sendable {
    package var error: String
    package var description: String?
    package var suberror: String?
    /// AADSTS numbers, or those of B2C or AD FS.
    package var codes: [Int]
    /// A claims request for the next sign-in, unchanged; nil if invalid.
    package var claims: String?
    package var correlationID: String?
    package var status: Int
    /// Seconds from `Retry-After`, at most an hour.
    package var retryAfter: Int?
    /// Seconds between polls from now on, with `slow_down`.
    package var interval: Int?
    /// Whether the refused request had a client secret.
    package var hadClientSecret = false

    /// For clean values; responses go through the initializers below.
    package init(
        error: String, description: String? = nil, suberror: String? = nil, codes: [Int] = [], claims: String? = nil,
        correlationID: String? = nil, status: Int = 400
    ) {
        self.error = error
        self.description = description
        self.suberror = suberror
        self.codes = Self.numbers(codes, in: description)
        // An invalid claims request cannot be sent, and must not block a sign-in.
        self.claims = claims.flatMap { ClaimsRequest.isValid($0) ? $0 : nil }
        self.correlationID = correlationID
        self.status = status
    }
}

extension OAuthError {
    package init?(_ body: Claims, status: Int) {
        guard let error = body.string("error"), !error.isEmpty else { return nil }
        self.init(
            error: Self.clean(error, limit: 100),
            description: body.string("error_description").map { Self.clean(Self.firstLine($0)) },
            suberror: body.string("suberror").flatMap { $0.isEmpty ? nil : Self.clean($0, limit: 100) },
            codes: (body["error_codes"]?.array ?? []).prefix(20).compactMap { $0.integer.flatMap { Int(exactly: $0) } },
            claims: body.string("claims").flatMap { $0.isEmpty || $0.utf8.count > 16_384 ? nil : $0 },
            correlationID: body.string("correlation_id").map { Self.clean($0, limit: 64) }, status: status)
        let seconds = body["interval"]?.integer ?? body.string("interval").flatMap { Int64($0) }
        interval = seconds.flatMap { (1...600).contains($0) ? Int($0) : nil }
    }

    /// The standard's name for an error of a server with names of its own: GitHub, Slack.
    package func standard(isRefresh: Bool) -> OAuthError {
        var standard = self
        switch error {
        case "bad_refresh_token", "invalid_refresh_token", "token_revoked": standard.error = "invalid_grant"
        case "bad_verification_code", "incorrect_device_code": standard.error = "invalid_grant"
        case "token_expired": standard.error = isRefresh ? "invalid_grant" : "expired_token"
        case "incorrect_client_credentials", "bad_client_secret": standard.error = "invalid_client"
        case "redirect_uri_mismatch": standard.error = "invalid_request"
        case "device_flow_disabled": standard.error = "unauthorized_client"
        default: return self
        }
        standard.description = description ?? error
        return standard
    }

    /// Entra ID's descriptions end with trace and correlation IDs and a time, which are reported separately.
    package static func firstLine(_ text: String) -> String {
        var line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        if let trace = line.firstRange(of: " Trace ID:") { line = String(line[..<trace.lowerBound]) }
        return line
    }

    /// - Parameter limit: the number of characters; by default, that of a description.
    package static func clean(_ text: String, limit: Int = 1000) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }.prefix(limit)))
    }
}
