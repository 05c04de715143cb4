/// Why a provider sent no usable response. Messages contain no body, code, token or query.
package enum WireError: Error, Hashable, Sendable {
    case unreachable(host: String, why: String)
    case timedOut(host: String)
    /// 429, or 5xx with `Retry-After`: seconds to wait if given, at most an hour.
    case throttled(host: String, retryAfter: Int?)
    case serverFailure(host: String, status: Int)
    case proxy(why: String)
    /// The proxy in the settings cannot be used; `name` is the setting or variable.
    case proxySetting(name: String, why: String)
    /// The file of trusted certificate authorities cannot be used; nothing was sent.
    case trustFile(path: String, why: String)
    case tooLarge(host: String)
    /// Redirects are never followed: the request must not go elsewhere (RFC 9700 section 4.12).
    case redirected(host: String, status: Int)
    case notJSON(host: String, status: Int, why: String)
    case tls(host: String, TLSProblem)
    case badEndpoint(name: String, WebAddress.Problem)
    case untrusted(check: SecurityCheck, detail: String)
    case unsupported(String, hint: Failure.Hint? = nil)
    case refused(OAuthError)
    case cancelled

    /// Bytes of a response's body.
    package static let maximumBody = 524_288

    /// Whether the same request may succeed later without any changes.
    package var mayPass: Bool {
        switch self {
        case .unreachable, .timedOut, .throttled, .serverFailure, .proxy: true
        case .proxySetting, .trustFile, .tooLarge, .redirected, .notJSON, .tls, .badEndpoint, .untrusted, .unsupported,
            .refused,
            .cancelled:
            false
        }
    }

    /// Whether the provider could not be reached, unlike one that failed or refused.
    package var isNotReached: Bool {
        switch self {
        case .unreachable, .timedOut, .proxy, .proxySetting, .trustFile, .tls: true
        case .throttled, .serverFailure, .tooLarge, .redirected, .notJSON, .badEndpoint, .untrusted, .unsupported,
            .refused, .cancelled:
            false
        }
    }

    /// Whether it depends on this machine's clock.
    package var isOfTime: Bool {
        guard case .untrusted(let check, _) = self else { return false }
        return [.idTokenExpiry, .idTokenIssueTime, .idTokenBegin].contains(check)
    }

    package var retryAfter: Int? {
        if case .throttled(_, let seconds) = self { return seconds }
        return nil
    }

    package var message: String {
        switch self {
        case .unreachable(let host, let why): "cannot reach \(host): \(why)"
        case .timedOut(let host): "\(host) timed out"
        case .throttled(let host, let seconds):
            "\(host) is throttling requests; wait" + (seconds.map { " \($0) s" } ?? "") + " before the next one"
        case .serverFailure(let host, let status): "\(host) failed (HTTP \(status))"
        case .proxy(let why): "the proxy: \(why)"
        case .proxySetting(let name, let why): "\(name) cannot be used: \(why)"
        case .trustFile(let path, let why): "the certificates of \(path) cannot be used: \(why)"
        case .tooLarge(let host): "\(host) sent more than \(Self.maximumBody / 1024) KiB"
        case .redirected(let host, let status):
            "\(host) sent a redirect (HTTP \(status)), which is not followed"
        case .notJSON(let host, let status, let why): "\(host) did not send JSON (HTTP \(status)): \(why)"
        case .tls(let host, let problem): "no secure connection to \(host): \(problem.words)"
        case .badEndpoint(let name, let problem): "the provider's \(name) is not allowed: \(problem)"
        case .untrusted(let check, let detail): "the \(check.rawValue) check failed: \(detail)"
        case .unsupported(let what, _): what
        case .refused(let error): "the provider refused (\(error.error))"
        case .cancelled: "cancelled"
        }
    }

    package var hint: Failure.Hint? {
        switch self {
        case .unreachable: "check the network and the proxy settings"
        case .timedOut: .waitLonger
        case .serverFailure(_, let status) where status < 500 && status != 408:
            "try again later; if this persists, sign in again"
        case .throttled, .serverFailure: "try again later"
        case .proxy: .checkProxy
        case .trustFile: .nameCertificateFile
        case .proxySetting: .nameProxy
        case .tls(_, let problem): problem.hint
        case .notJSON: "check for a captive portal or proxy, then the authority"
        case .untrusted(check: .issuer, _):
            "check the authority; if the provider uses another issuer, set \"issuer\". Nothing was stored"
        case .badEndpoint, .untrusted, .tooLarge, .redirected: "check the authority; nothing was stored"
        case .unsupported(_, let hint): hint
        case .refused, .cancelled: nil
        }
    }
}

package enum TLSProblem: Hashable, Sendable {
    /// Not signed by a trusted authority.
    case untrusted
    /// The day of expiry, as `2026-01-31`.
    case expired(String)
    case notYetValid(String)
    case otherName
    /// Only a common name, which is not a host name (RFC 9110 section 4.3.4, RFC 9525 section 6.3).
    case noName
    case notTLS
    case handshake

    package var words: String {
        switch self {
        case .untrusted: "its certificate is not trusted"
        case .expired(let day): "its certificate expired on \(day)"
        case .notYetValid(let day): "its certificate is not valid until \(day)"
        case .otherName: "its certificate does not match the host name"
        case .noName: "its certificate has no host name (no subject alternative name)"
        case .notTLS: "it does not support TLS"
        case .handshake: "the TLS handshake failed"
        }
    }

    var hint: Failure.Hint {
        switch self {
        case .untrusted: .trustAuthority
        case .expired: "the provider must renew it; also check this machine's clock"
        case .notYetValid: "check this machine's clock"
        case .otherName, .noName: "check the host name in the authority, or have the provider fix its certificate"
        case .notTLS, .handshake: "check the authority and its port"
        }
    }
}
