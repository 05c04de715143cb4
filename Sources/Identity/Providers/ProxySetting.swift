/// A proxy setting from the environment or an application. It is parsed on the first request that uses it, so an
/// invalid one only affects calls that need the network.
public struct ProxySetting: Hashable, Sendable {
    /// The name of the setting, for messages: `HTTPS_PROXY`.
    public let source: String
    private let text: Secret

    /// - Parameters:
    ///   - text: scheme (`http`, `https`, `socks5`, `socks5h`; default `http`), optional credentials, host, port.
    ///   - source: the name of the setting, for messages.
    public init(_ text: String, source: String = "the proxy setting") {
        self.source = source
        self.text = Secret(text)
    }

    /// - Throws: ``ProxyAddress/Problem``, which never quotes the input because it can contain a password.
    package func read() throws(ProxyAddress.Problem) -> ProxyAddress { try ProxyAddress(text.reveal()) }
}

package struct ProxyAddress: Hashable, Sendable {
    package enum Scheme: Hashable, Sendable {
        /// `CONNECT` (RFC 9110 section 9.3.6), over plain TCP or TLS.
        case http, https
        /// RFC 1928. The proxy resolves the host name, for `socks5` as well as `socks5h`.
        case socks5
    }

    /// A user name and a password, percent-decoded.
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
            guard let user = PercentEncoding.line(parts[0]),
                let password = PercentEncoding.line(parts.count == 2 ? parts[1] : "")
            else {
                throw .credentials
            }
            // RFC 7617 section 2 forbids a colon in the user name. RFC 1929 section 2 limits each to 255 bytes.
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

    package var hostAndPort: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

extension ProxyAddress.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .scheme: "unsupported scheme: use http://, https:// or socks5://"
        case .credentials: "malformed user name or password"
        case .address(let problem): problem.description
        }
    }
}
