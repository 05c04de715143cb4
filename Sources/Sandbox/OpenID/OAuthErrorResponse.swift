import FoundationEssentials

/// An OAuth error for the client (RFC 6749 sections 4.1.2.1 and 5.2), with Entra ID's additions.
struct OAuthErrorResponse: Error, Sendable, Equatable {
    var status = 400
    var error: String
    var description: String
    /// AADSTS error numbers, the most specific first.
    var codes: [Int] = []
    var suberror: String?
    var claims: String?
    var retryAfter: Int?
    var origin = Origin.entra
    var more: [JSON.Member] = []

    enum Origin: String, Sendable {
        case entra = "AADSTS"
        case b2c = "AADB2C"
        case adfs = "MSIS"
    }

    var prefix: String { codes.first.map { "\(origin.rawValue)\($0): " } ?? "" }

    init(
        _ error: String, _ description: String, code: Int = 0, suberror: String? = nil, claims: String? = nil,
        status: Int = 400
    ) {
        self.error = error
        self.description = description
        codes = code == 0 ? [] : [code]
        self.suberror = suberror
        self.claims = claims
        self.status = status
    }

    static func missing(_ parameter: String) -> OAuthErrorResponse {
        OAuthErrorResponse(
            "invalid_request", "The request body must contain the following parameter: '\(parameter)'.", code: 900144)
    }

    static func unknownClient(_ clientId: String, entra: Bool) -> OAuthErrorResponse {
        entra
            ? OAuthErrorResponse(
                "unauthorized_client", "Application with identifier '\(clientId)' was not found in the directory.",
                code: 700016)
            : OAuthErrorResponse("invalid_client", "there is no such client", status: 401)
    }

    static func stranger(_ username: String, at segment: String) -> OAuthErrorResponse {
        OAuthErrorResponse(
            "invalid_grant",
            """
            User account '\(username)' from another identity provider does not exist in tenant '\(segment)' and \
            cannot access the application.
            """,
            code: 50020)
    }

    static let consentRequired = OAuthErrorResponse(
        "invalid_grant",
        """
        The user or administrator has not consented to use the application. Send an interactive authorization \
        request for this user and resource.
        """,
        code: 65001, suberror: "consent_required")

    /// Entra ID's form: code, text, trace ID, correlation ID and time.
    func entraBody(correlationId: String?, now: Date) -> JSON {
        let trace = RandomValue.uuid()
        let correlation = correlationId ?? RandomValue.uuid()
        let stamp = OAuthErrorResponse.stamp(now)
        let body = JSON.members([
            "error": .string(error),
            "error_description": .string(
                "\(prefix)\(description) Trace ID: \(trace) Correlation ID: \(correlation) Timestamp: \(stamp)"),
            "error_codes": .array(codes.map { .int($0) }),
            "timestamp": .string(stamp),
            "trace_id": .string(trace),
            "correlation_id": .string(correlation),
            "error_uri": codes.first.map { .string("https://login.microsoftonline.com/error?code=\($0)") },
            "suberror": suberror.map { .string($0) },
            "error_additional_info": suberror == "client_mismatch" ? .array(["client_mismatch"]) : nil,
            "claims": claims.map { .string($0) },
        ])
        return .object((body.members ?? []) + more)
    }

    func plainBody() -> JSON {
        .members([
            "error": .string(error), "error_description": .string(description),
            "suberror": suberror.map { .string($0) },
            "claims": claims.map { .string($0) }, "error_codes": codes.isEmpty ? nil : .array(codes.map { .int($0) }),
        ])
    }

    private func oauthBody() -> JSON {
        let body = JSON.members([
            "error": .string(error), "error_description": description.isEmpty ? nil : .string(description),
        ])
        return .object((body.members ?? []) + more)
    }

    /// Only the members of RFC 6749 section 5.2.
    private func adfsBody() -> JSON {
        .members([
            "error": .string(error), "error_description": .string((origin == .adfs ? prefix : "") + description),
        ])
    }

    /// Uses B2C's error number if there is one, as Entra ID's numbers do not apply.
    private func b2cBody(correlationId: String?, now: Date) -> JSON {
        let number = origin == .b2c ? codes.first : codes.first.flatMap { OAuthErrorResponse.atB2C[$0] }
        let prefix = number.map { "AADB2C\($0): " } ?? ""
        return .members([
            "error": .string(error),
            "error_description": .string(
                """
                \(prefix)\(description)\r\nCorrelation ID: \(correlationId ?? RandomValue.uuid())\r\nTimestamp: \
                \(OAuthErrorResponse.stamp(now))\r\n
                """
            ),
        ])
    }

    private static let atB2C = [
        700_016: 90068, 50011: 90006, 54005: 90080, 70008: 90080, 501_481: 90183, 9_002_313: 90090, 50058: 90077,
        65004: 90091,
    ]

    func body(in issuer: HostedIssuer, correlationId: String?, now: Date) -> JSON {
        switch issuer.shape {
        case .entra: entraBody(correlationId: correlationId, now: now)
        case .b2c: b2cBody(correlationId: correlationId, now: now)
        case .adfs: adfsBody()
        case .openID: plainBody()
        case .oauth: oauthBody()
        }
    }

    func answer(in issuer: HostedIssuer, correlationId: String?, now: Date) -> SandboxResponse {
        var answer = SandboxResponse.json(body(in: issuer, correlationId: correlationId, now: now), status: status)
        if status == 401 { answer.headers.append(("WWW-Authenticate", "Basic realm=\"foyer-sandbox\"")) }
        if let retryAfter { answer.headers.append(("Retry-After", String(retryAfter))) }
        return answer
    }

    static func stamp(_ now: Date) -> String {
        // 2026-11-21T04:00:00Z in Entra ID's form, with a space instead of the T.
        now.formatted(.iso8601).split(separator: "T").joined(separator: " ")
    }
}

extension OAuthErrorResponse {
    static func unknownTenant(_ name: String) -> OAuthErrorResponse {
        OAuthErrorResponse(
            "invalid_tenant",
            "Tenant '\(name.prefix(100))' not found. Check to make sure you have the correct tenant ID.", code: 90002)
    }
}
