import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension WireError {
    /// What the network library says, in words for a person; nothing of the request or the answer is in them.
    init(transport error: any Error, host: String) {
        switch error {
        case is NIOTooManyBytesError, is NIOHTTPDecoderError: self = .tooLarge(host: host)
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self.init(client: error, host: host)
        case let error as NIOSSLError: self = .tls(host: host, why: Self.tlsWords(String(describing: error)))
        case let error as BoringSSLError: self = .tls(host: host, why: Self.tlsWords(String(describing: error)))
        case is NIOSSLExtraError: self = .tls(host: host, why: Self.tlsWords(String(describing: error)))
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
        default: self = .unreachable(host: host, why: "the connection broke")
        }
    }

    private init(client error: HTTPClientError, host: String) {
        switch error {
        case .cancelled: self = .cancelled
        case .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout: self = .timedOut(host: host)
        case .proxyAuthenticationRequired, .invalidProxyResponse, .httpProxyHandshakeTimeout: self = .proxy(why: error.shortDescription)
        case .remoteConnectionClosed: self = .unreachable(host: host, why: "the connection broke")
        default: self = .unreachable(host: host, why: error.shortDescription)
        }
    }

    /// Whether the connection did not come about at all, so that nothing of the request was seen.
    static func isBeforeSending(_ error: any Error) -> Bool {
        switch error {
        case is NIOConnectionError: true
        case let error as IOError: [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(error.errnoCode)
        default: false
        }
    }

    private static func tlsWords(_ raw: String) -> String {
        if raw.contains("CERTIFICATE_VERIFY_FAILED") { return "its certificate is not trusted here" }
        if raw.contains("ValidateCertificate") || raw.contains("failedToValidateHostname") { return "its certificate is not for this name" }
        if raw.contains("EXPIRED") { return "its certificate has expired" }
        if raw.contains("WRONG_VERSION_NUMBER") { return "it does not speak TLS" }
        return "the TLS handshake did not work"
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
