/// A proxy as the environment or an application names it. It is read when the first request is to go through it and not
/// before: who asks nobody needs no proxy.
public struct ProxySetting: Hashable, Sendable {
    /// Where it was named, for messages: `HTTPS_PROXY`.
    public let source: String
    private let text: Secret

    /// - Parameters:
    ///   - text: `http://`, `https://`, `socks5://` or `socks5h://`, a user name and a password if need be, a host and
    ///     a port. Without a scheme it is `http`.
    ///   - source: where it was named, for messages.
    public init(_ text: String, source: String = "the proxy setting") {
        self.source = source
        self.text = Secret(text)
    }

    /// - Throws: ``ProxyAddress/Problem``, which quotes nothing of the text: a password may be in it.
    package func read() throws(ProxyAddress.Problem) -> ProxyAddress { try ProxyAddress(text.reveal()) }
}

/// Where a proxy is, and how it is spoken to.
package struct ProxyAddress: Hashable, Sendable {
    package enum Scheme: Hashable, Sendable {
        /// `CONNECT` (RFC 9110 section 9.3.6), in plain text or within TLS.
        case http, https
        /// RFC 1928. The proxy looks the host up, whichever of `socks5` and `socks5h` was written.
        case socks5
    }

    /// A user name and a password, as they are and not as they were escaped.
    package struct Credentials: Hashable, Sendable {
        package let user: String
        package let password: Secret
    }

    package enum Problem: Error, Hashable, Sendable {
        case scheme, credentials
        case address(WebAddress.Problem)
    }

    package let scheme: Scheme
    package let host: String
    package let port: Int
    package let credentials: Credentials?

    package init(_ text: String) throws(Problem) {
        var rest = text[...]
        if let end = text.firstRange(of: "://") {
            switch String(text[..<end.lowerBound]).asciiLowercased {
            case "http": scheme = .http
            case "https": scheme = .https
            case "socks5", "socks5h": scheme = .socks5
            default: throw .scheme
            }
            rest = text[end.upperBound...]
        } else {
            scheme = .http
        }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let user = Self.unescaped(parts[0]), let password = Self.unescaped(parts.count == 2 ? parts[1] : "")
            else {
                throw .credentials
            }
            // RFC 7617 section 2: a colon ends the user name. RFC 1929 section 2: each is of 1 to 255 bytes, counted in
            // one byte.
            guard !user.isEmpty, !user.contains(":"), user.utf8.count <= 255, password.utf8.count <= 255 else {
                throw .credentials
            }
            credentials = Credentials(user: user, password: Secret(password))
            rest = rest[rest.index(after: at)...]
        } else {
            credentials = nil
        }
        let address: WebAddress
        do { address = try WebAddress(proxy: "http://" + rest) } catch { throw .address(error) }
        host = address.host
        port = address.port ?? Self.usualPort(scheme)
    }

    private static func usualPort(_ scheme: Scheme) -> Int {
        switch scheme {
        case .http: 80
        case .https: 443
        case .socks5: 1080
        }
    }

    /// Host and port, for messages.
    package var hostAndPort: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        byte < 0x80 ? Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) } : nil
    }
}

extension ProxyAddress.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .scheme: "it is none of http://, https:// and socks5://"
        case .credentials: "its user name and password cannot be read"
        case .address(let problem): problem.description
        }
    }
}
