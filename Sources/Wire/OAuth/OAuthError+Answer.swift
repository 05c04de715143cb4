import Identity
import StrictJSON

extension OAuthError {
    /// Reads a failed response: JSON or a form. After a refresh, some forms without a readable `error` also mean a dead
    /// refresh token with status 400 or 401 (RFC 6749 section 5.2): an empty body, or `{"detail":…}`. Entra ID always
    /// names its error.
    ///
    /// - Throws: `notJSON` for anything that no provider sends: a page of a proxy or portal, or a firewall's 403, must
    ///   not cause a sign-in; `serverFailure` for other JSON with status 400 or 401, such as a gateway's.
    init(answer reply: HTTPReply, isRefresh: Bool, isEntra: Bool = false) throws(WireError) {
        let isOfGrant = isRefresh && [400, 401].contains(reply.status)
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
                hadClientSecret = reply.hadClientSecret
                return
            }
            guard reply.body.isEmpty else { throw error }
            guard isOfGrant else {
                throw .notJSON(host: reply.host, status: reply.status, why: "empty response")
            }
            guard !isEntra else { throw .serverFailure(host: reply.host, status: reply.status) }
            self.init(error: "invalid_grant", status: reply.status)
            return
        }
        if let error = OAuthError(object: object, of: reply) {
            self = error
            retryAfter = reply.retryAfter
            // Some providers send invalid_request for a dead refresh token, but not together with an AADSTS number.
            if isRefresh, error.error == "invalid_request", error.codes.isEmpty, !error.isOfClientSecret {
                self.error = "invalid_grant"
            }
            return
        }
        guard isOfGrant else {
            throw .notJSON(host: reply.host, status: reply.status, why: "an unnamed error")
        }
        let detail = object["detail"]?.string
        guard !isEntra, detail != nil || object["error"] ?? .null != .null else {
            throw .serverFailure(host: reply.host, status: reply.status)
        }
        self.init(error: "invalid_grant", description: detail.map { Self.clean($0) }, status: reply.status)
    }

    /// Nil for a response without `error`.
    init?(object: JSONObject, of reply: HTTPReply) {
        self.init(Claims(object), status: reply.status)
        hadClientSecret = reply.hadClientSecret
    }
}
