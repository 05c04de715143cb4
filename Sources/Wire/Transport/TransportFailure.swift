import AsyncHTTPClient
import Glibc
import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension WireError {
    /// What the network library says, in words for a person; nothing of the request or the answer is in them.
    ///
    /// - Parameter proxy: what the request went through.
    init(transport error: any Error, host: String, proxy: ProxyAddress? = nil) {
        switch error {
        case is NIOTooManyBytesError, is NIOHTTPDecoderError: self = .tooLarge(host: host)
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self.init(client: error, host: host, proxy)
        case NIOSSLError.uncleanShutdown: self = .unreachable(host: host, why: "the connection broke")
        case let problem as TLSProblem: self = .tls(host: host, problem)
        case let error as NIOSSLError: self = .tls(host: host, TLSProblem(String(describing: error)))
        case let error as BoringSSLError: self = .tls(host: host, TLSProblem(String(describing: error)))
        case is NIOSSLExtraError: self = .tls(host: host, TLSProblem(String(describing: error)))
        case let error as NIOConnectionError where proxy != nil:
            let first = error.connectionErrors.first?.error as? IOError
            let why = first.map { IOErrorWords.of($0.errnoCode) } ?? "the name could not be looked up"
            self = .proxy(why: "\(proxy?.hostAndPort ?? "") was not reached: \(why)")
        case let error as IOError: self = .unreachable(host: host, why: IOErrorWords.of(error.errnoCode))
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first?.error as? IOError {
                self = .unreachable(host: host, why: IOErrorWords.of(first.errnoCode))
            } else {
                self = .unreachable(host: host, why: "the name could not be looked up")
            }
        case HTTPParserError.headerOverflow: self = .tooLarge(host: host)
        case HTTPParserError.invalidEOFState: self = .unreachable(host: host, why: "the connection broke")
        case is HTTPParserError: self = .unreachable(host: host, why: "what came back is not HTTP")
        // The library's own errors of SOCKS are many and small: what they have in common is the proxy.
        case let error where String(reflecting: type(of: error)).hasPrefix("NIOSOCKS."):
            self = .proxy(why: "it does not speak SOCKS5, wants a password, or did not reach \(host)")
        default: self = .unreachable(host: host, why: "the connection broke")
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
                    ? "it wants a user name and a password" : "it does not take this user name and password")
        case .invalidProxyResponse: self = .proxy(why: "it does not lead to \(host)")
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout: self = .proxy(why: "it did not answer in time")
        case .remoteConnectionClosed: self = .unreachable(host: host, why: "the connection broke")
        default: self = .unreachable(host: host, why: error.shortDescription)
        }
    }

    /// Whether the connection did not come about at all, so that nothing of the request was seen.
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
    /// What the library says of a handshake. It does not say why a certificate is not valid: ``CertificateLook`` finds
    /// that out.
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

/// What the system says of a connection that did not come about, in words for a person.
enum IOErrorWords {
    static func of(_ code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "the connection was refused"
        case ENETUNREACH, EHOSTUNREACH: "there is no route to it"
        case ECONNRESET, EPIPE: "the connection broke"
        case EADDRINUSE: "the address is in use"
        default: String(cString: strerror(code))
        }
    }
}
