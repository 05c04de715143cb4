import Identity
import StrictJSON

/// An OAuth error answer (RFC 6749 sections 4.1.2.1 and 5.2) with what Entra ID adds, bounded and clean of control
/// characters.
package struct OAuthError: Error, Hashable, Sendable {
    package var error: String
    package var description: String?
    package var suberror: String?
    /// The AADSTS numbers, or those of B2C or AD FS.
    package var codes: [Int]
    /// A claims request for the next sign-in, letter for letter as it came; nil when what came is none.
    package var claims: String?
    package var correlationID: String?
    package var status: Int
    /// Seconds that the provider asked to wait along with it, at most an hour; nil when it named no time.
    package var retryAfter: Int?

    /// For values that are clean already; answers from outside come in through the readers below.
    package init(
        error: String, description: String? = nil, suberror: String? = nil, codes: [Int] = [], claims: String? = nil,
        correlationID: String? = nil, status: Int = 400
    ) {
        self.error = error
        self.description = description
        self.suberror = suberror
        self.codes = Self.numbers(codes, in: description)
        // What is no claims request cannot be passed on, and must not stand in the way of a sign-in.
        self.claims = claims.flatMap { ClaimsRequest.isValid($0) ? $0 : nil }
        self.correlationID = correlationID
        self.status = status
    }
}

extension OAuthError {
    /// Longest description that is kept, characters.
    private static let longestText = 1000

    /// Reads the members of an error body, or nil when there is no `error` in it.
    init?(_ body: Claims, status: Int) {
        guard let error = body.string("error"), !error.isEmpty else { return nil }
        self.init(
            error: Self.clean(error, limit: 100),
            description: body.string("error_description").map { Self.clean(Self.firstLine($0)) },
            suberror: body.string("suberror").flatMap { $0.isEmpty ? nil : Self.clean($0, limit: 100) },
            codes: (body["error_codes"]?.array ?? []).prefix(20).compactMap { $0.integer.flatMap { Int(exactly: $0) } },
            claims: body.string("claims").flatMap { $0.isEmpty || $0.utf8.count > 16_384 ? nil : $0 },
            correlationID: body.string("correlation_id").map { Self.clean($0, limit: 64) }, status: status)
    }

    /// Entra ID's descriptions go on with trace and correlation identifiers and a time stamp, which stand elsewhere.
    private static func firstLine(_ text: String) -> String {
        var line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        if let trace = line.firstRange(of: " Trace ID:") { line = String(line[..<trace.lowerBound]) }
        return line
    }

    static func clean(_ text: String, limit: Int = longestText) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }.prefix(limit)))
    }

    /// Reads the answer to a request that did not get what it asked for. Errors come as JSON, as a form, without the
    /// `error` member, or as nothing at all; a refused refresh without words is a dead refresh token where the status
    /// is one that RFC 6749 section 5.2 gives a refusal: 400 or 401.
    ///
    /// - Throws: `notJSON` for what no provider says: a page of a proxy or a portal, or the 403 of a firewall, must not
    ///   cost anybody a sign-in.
    init(answer reply: HTTPReply, isRefresh: Bool) throws(WireError) {
        let mayMeanDeadToken = isRefresh && [400, 401].contains(reply.status)
        let object: JSONObject
        do { object = try reply.object() } catch {
            let text = String(decoding: reply.body.prefix(16_384), as: UTF8.self)
            if let fields = FormEncoding.decode(text), let name = fields["error"], !name.isEmpty {
                self.init(
                    error: Self.clean(reply.sent.removed(from: name), limit: 100),
                    description: fields["error_description"].map {
                        Self.clean(Self.firstLine(reply.sent.removed(from: $0)))
                    },
                    status: reply.status)
                return
            }
            guard mayMeanDeadToken, reply.body.isEmpty else {
                guard reply.body.isEmpty else { throw error }
                throw .notJSON(host: reply.host, status: reply.status, why: "nothing")
            }
            self.init(error: "invalid_grant", status: reply.status)
            return
        }
        if let error = OAuthError(Claims(object), status: reply.status) {
            self = error
            retryAfter = reply.retryAfter
            // Some providers say invalid_request of a dead refresh token; with an AADSTS number they mean what they
            // say.
            if isRefresh, error.error == "invalid_request", error.codes.isEmpty { self.error = "invalid_grant" }
            return
        }
        guard mayMeanDeadToken else {
            throw .notJSON(host: reply.host, status: reply.status, why: "an error without a name")
        }
        self.init(
            error: "invalid_grant", description: object["detail"]?.string.map { Self.clean($0) }, status: reply.status)
    }
}
