// Wire is what is said to a provider, one file for each RFC: requests built, responses bounded and checked.
// It must not touch the disk, and it must not decide whether to ask anybody.

package import Identity

/// Why a provider gave no answer that may be used. Messages hold no body, no code, no token, and no address with its
/// query.
package enum WireError: Error, Hashable, Sendable {
    case unreachable(host: String, why: String)
    case timedOut(host: String)
    /// 429, or 5xx with `Retry-After`: seconds to wait when the provider said so, bounded to an hour.
    case throttled(host: String, retryAfter: Int?)
    case serverFailure(host: String, status: Int)
    case proxy(why: String)
    /// The proxy that the settings name cannot be used; `name` is where it is named.
    case proxySetting(name: String, why: String)
    /// The file of the certificate authorities to trust cannot be used; nobody was asked.
    case trustFile(path: String, why: String)
    case tooLarge(host: String)
    /// A redirect, which is never followed: what was sent must not go elsewhere (RFC 9700 section 4.12).
    case redirected(host: String, status: Int)
    case notJSON(host: String, status: Int, why: String)
    case tls(host: String, TLSProblem)
    case badEndpoint(name: String, WebAddress.Problem)
    /// A security check that a response failed.
    case untrusted(check: SecurityCheck, detail: String)
    /// The provider does not offer what is needed.
    case unsupported(String, hint: Failure.Hint? = nil)
    case refused(OAuthError)
    case cancelled

    /// Whether the same request may succeed later without anybody doing anything.
    package var mayPass: Bool {
        switch self {
        case .unreachable, .timedOut, .throttled, .serverFailure, .proxy: true
        case .proxySetting, .trustFile, .tooLarge, .redirected, .notJSON, .tls, .badEndpoint, .untrusted, .unsupported,
            .refused,
            .cancelled:
            false
        }
    }

    /// Whether the provider was not reached at all, as against one that was and failed or refused.
    package var isNotReached: Bool {
        switch self {
        case .unreachable, .timedOut, .proxy, .proxySetting, .trustFile, .tls: true
        case .throttled, .serverFailure, .tooLarge, .redirected, .notJSON, .badEndpoint, .untrusted, .unsupported,
            .refused, .cancelled:
            false
        }
    }

    /// Whether it hangs on what time it is here.
    package var isOfTime: Bool {
        guard case .untrusted(let check, _) = self else { return false }
        return [.idTokenExpiry, .idTokenIssueTime, .idTokenBegin].contains(check)
    }

    /// Seconds that the provider asked to wait, at most an hour; nil when it named no time.
    package var retryAfter: Int? {
        if case .throttled(_, let seconds) = self { return seconds }
        return nil
    }

    package var message: String {
        switch self {
        case .unreachable(let host, let why): "\(host) was not reached: \(why)"
        case .timedOut(let host): "\(host) did not answer in time"
        case .throttled(let host, let seconds):
            "\(host) asks to wait" + (seconds.map { " \($0) s" } ?? "") + " before the next request"
        case .serverFailure(let host, let status): "\(host) failed (HTTP \(status))"
        case .proxy(let why): "the proxy: \(why)"
        case .proxySetting(let name, let why): "\(name) cannot be used: \(why)"
        case .trustFile(let path, let why): "the certificates of \(path) cannot be used: \(why)"
        case .tooLarge(let host): "\(host) sent more than \(Transport.maximumBody / 1024) KiB"
        case .redirected(let host, let status):
            "\(host) answered with a redirect (HTTP \(status)), which is not followed"
        case .notJSON(let host, let status, let why): "\(host) did not answer with JSON (HTTP \(status)): \(why)"
        case .tls(let host, let problem): "no secure connection to \(host): \(problem.words)"
        case .badEndpoint(let name, let problem): "the provider's \(name) may not be used: \(problem)"
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
        case .throttled, .serverFailure: "try again later"
        case .proxy: .checkProxy
        case .trustFile: .nameCertificateFile
        case .proxySetting: .nameProxy
        case .tls(_, let problem): problem.hint
        case .notJSON: "is a captive portal or a proxy in between? Else check the authority"
        case .untrusted(check: .issuer, _):
            "check the authority; if the provider names itself otherwise, set that name as issuer. Nothing was stored"
        case .badEndpoint, .untrusted, .tooLarge, .redirected: "check the authority; nothing was stored"
        case .unsupported(_, let hint): hint
        case .refused, .cancelled: nil
        }
    }
}

/// Why TLS did not come about.
package enum TLSProblem: Hashable, Sendable {
    /// No authority that is trusted here vouches for the certificate.
    case untrusted
    /// The day it ended, as `2026-01-31`.
    case expired(String)
    case notYetValid(String)
    case otherName
    /// It has a common name only, which names no host (RFC 9110 section 4.3.4, RFC 9525 section 6.3).
    case noName
    case notTLS
    case handshake

    package var words: String {
        switch self {
        case .untrusted: "its certificate is not trusted here"
        case .expired(let day): "its certificate has expired on \(day)"
        case .notYetValid(let day): "its certificate is not valid before \(day)"
        case .otherName: "its certificate is not for this name"
        case .noName: "its certificate names no host (it has no subject alternative name)"
        case .notTLS: "it does not speak TLS"
        case .handshake: "the TLS handshake did not work"
        }
    }

    var hint: Failure.Hint {
        switch self {
        case .untrusted: .trustAuthority
        case .expired: "the provider must renew it; is this machine's clock right?"
        case .notYetValid: "is this machine's clock right?"
        case .otherName, .noName: "check the host name in the authority; else the provider needs another certificate"
        case .notTLS, .handshake: "check the authority and its port"
        }
    }
}
