import AsyncHTTPClient
import Glibc
import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension WireError {
    /// Describes a network library's error, without parts of the request or response.
    init(transport error: any Error, host: String, proxy: ProxyAddress? = nil) {
        switch error {
        case is NIOTooManyBytesError, is NIOHTTPDecoderError: self = .tooLarge(host: host)
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self.init(client: error, host: host, proxy)
        case NIOSSLError.uncleanShutdown: self = .unreachable(host: host, why: "connection lost")
        case let problem as TLSProblem: self = .tls(host: host, problem)
        case let error as NIOSSLError: self = .tls(host: host, TLSProblem(String(describing: error)))
        case let error as BoringSSLError: self = .tls(host: host, TLSProblem(String(describing: error)))
        case is NIOSSLExtraError: self = .tls(host: host, TLSProblem(String(describing: error)))
        case let error as NIOConnectionError where proxy != nil:
            let first = error.connectionErrors.first?.error as? IOError
            let why = first.map { IOErrorWords.of($0.errnoCode) } ?? "cannot resolve the host name"
            self = .proxy(why: "\(proxy?.hostAndPort ?? "") is unreachable: \(why)")
        case let error as IOError: self = .unreachable(host: host, why: IOErrorWords.of(error.errnoCode))
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first?.error as? IOError {
                self = .unreachable(host: host, why: IOErrorWords.of(first.errnoCode))
            } else {
                self = .unreachable(host: host, why: "cannot resolve the host name")
            }
        case HTTPParserError.headerOverflow: self = .tooLarge(host: host)
        case HTTPParserError.invalidEOFState: self = .unreachable(host: host, why: "connection lost")
        case is HTTPParserError: self = .unreachable(host: host, why: "the response is not HTTP")
        // The library has many SOCKS errors; all of them concern the proxy.
        case let error where String(reflecting: type(of: error)).hasPrefix("NIOSOCKS."):
            self = .proxy(why: "not a SOCKS5 proxy, password required, or \(host) unreachable")
        default: self = .unreachable(host: host, why: "connection lost")
        }
    }

    private init(client error: HTTPClientError, host: String, _ proxy: ProxyAddress?) {
        switch error {
        case .cancelled: self = .cancelled
        case .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout:
            self = .timedOut(host: host)
        case .proxyAuthenticationRequired:
            self = .proxy(
                why: proxy?.credentials == nil
                    ? "authentication required" : "wrong username or password")
        case .invalidProxyResponse: self = .proxy(why: "it cannot reach \(host)")
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout: self = .proxy(why: "timed out")
        case .remoteConnectionClosed: self = .unreachable(host: host, why: "connection lost")
        default: self = .unreachable(host: host, why: error.shortDescription)
        }
    }

    /// Whether the connection failed, so nothing of the request was sent.
    static func isBeforeSending(_ error: any Error) -> Bool {
        switch error {
        case is NIOConnectionError: true
        case let error as IOError:
            [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(error.errnoCode)
        default: false
        }
    }

}

extension TLSProblem {
    /// Maps the library's text. It does not say why a certificate is invalid; see ``CertificateDiagnosis``.
    init(_ raw: String) {
        if raw.contains("CERTIFICATE_VERIFY_FAILED") {
            self = .untrusted
        } else if raw.contains("ValidateCertificate") || raw.contains("failedToValidateHostname") {
            self = .otherName
        } else {
            self = raw.contains("WRONG_VERSION_NUMBER") ? .notTLS : .handshake
        }
    }
}

/// Texts for system errors of connections.
enum IOErrorWords {
    static func of(_ code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "connection refused"
        case ENETUNREACH, EHOSTUNREACH: "no route to host"
        case ECONNRESET, EPIPE: "connection lost"
        case EADDRINUSE: "address already in use"
        default: String(cString: strerror(code))
        }
    }
}
