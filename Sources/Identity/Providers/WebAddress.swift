/// An `http` or `https` address that has been checked, so that nothing else can be connected to or shown to a browser.
///
/// Refused: other schemes, user information, fragments, control characters, spaces, non-ASCII bytes, empty or odd host
/// names, more than 2,048 bytes (RFC 3986). The text is kept as it was given, so that issuers compare byte for byte.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as it was given.
    public let text: String
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// Lower-case host name or IP literal; an IPv6 literal without its brackets.
    public let host: String
    /// The port as given, or nil for the scheme's own.
    public let port: Int?
    /// The path as given, empty or beginning with a slash.
    public let path: String
    /// What follows the question mark, or nil.
    public let query: String?

    /// Why a text is no address that may be used. Messages quote nothing of the text.
    public enum Problem: Error, Hashable, Sendable {
        case tooLong, scheme, userInformation, fragment, forbiddenCharacter, host, port
        /// `http` beyond this machine.
        case insecure
    }

    /// Bytes.
    package static let maximumLength = 2048

    /// - Parameter text: an absolute address.
    /// - Throws: ``Problem``; `insecure` when the scheme is `http` and the host is not a loopback literal or
    ///   `localhost`.
    public init(_ text: String) throws(Problem) { try self.init(text, acceptsInsecure: false) }

    /// The address of a proxy, which is spoken to in plain `http` on the way to TLS.
    package init(proxy text: String) throws(Problem) { try self.init(text, acceptsInsecure: true) }

    private init(_ text: String, acceptsInsecure: Bool) throws(Problem) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.neverInAddress.contains($0) }) else {
            throw .forbiddenCharacter
        }
        var rest: Substring
        switch true {
        case text.asciiLowercased.hasPrefix("https://"):
            isSecure = true
            rest = text.dropFirst(8)
        case text.asciiLowercased.hasPrefix("http://"):
            isSecure = false
            rest = text.dropFirst(7)
        default: throw .scheme
        }
        guard !rest.contains("#") else { throw .fragment }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        rest = rest[authority.endIndex...]
        guard !authority.contains("@") else { throw .userInformation }
        (host, port) = try Self.split(authority)
        if let mark = rest.firstIndex(of: "?") {
            path = String(rest[..<mark])
            query = String(rest[rest.index(after: mark)...])
        } else {
            path = String(rest)
            query = nil
        }
        self.text = text
        guard isSecure || isLoopback || acceptsInsecure else { throw .insecure }
    }

    /// The address as it was given.
    public var description: String { text }

    /// `https` or `http`, lower-case whatever was given.
    public var scheme: String { isSecure ? "https" : "http" }

    /// Whether the host can only be this machine (RFC 8252 section 8.3).
    public var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether a host name or literal is `localhost`, `::1`, or in 127.0.0.0/8.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host with the port if one was given, an IPv6 literal in brackets.
    public var hostAndPort: String {
        let literal = host.contains(":") ? "[\(host)]" : host
        return port.map { "\(literal):\($0)" } ?? literal
    }

    /// Scheme, host and port: what two addresses share when they are of one origin.
    public var origin: String { "\(scheme)://\(hostAndPort)" }

    /// Whether both have one scheme, host and port, written out or not (RFC 6454 section 5).
    package func isSameOrigin(as other: WebAddress) -> Bool {
        let usual = isSecure ? 443 : 80
        return isSecure == other.isSecure && host == other.host && (port ?? usual) == (other.port ?? usual)
    }

    /// The path's parts between slashes, empty ones left out.
    package var pathSegments: [String] { path.split(separator: "/").map(String.init) }

    private static let neverInAddress = Set("\"<>\\^`{|}".utf8)

    private static func split(_ authority: Substring) throws(Problem) -> (String, Int?) {
        var name = authority
        var digits: Substring?
        if name.hasPrefix("[") {
            guard let close = name.firstIndex(of: "]") else { throw .host }
            let after = name[name.index(after: close)...]
            guard after.isEmpty || after.hasPrefix(":") else { throw .host }
            digits = after.isEmpty ? nil : after.dropFirst()
            name = name[name.index(after: name.startIndex)..<close]
            guard name.contains(":"),
                name.utf8.allSatisfy({ $0 == 0x3A || $0 == 0x2E || Character(UnicodeScalar($0)).isHexDigit })
            else {
                throw .host
            }
        } else {
            if let colon = name.firstIndex(of: ":") {
                digits = name[name.index(after: colon)...]
                name = name[..<colon]
            }
            let labels = name.split(separator: ".", omittingEmptySubsequences: false)
            guard !name.isEmpty, name.utf8.count <= 253, labels.allSatisfy(isLabel) else { throw .host }
        }
        guard let digits else { return (name.asciiLowercased, nil) }
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = Int(digits),
            (1...65535).contains(port)
        else { throw .port }
        return (name.asciiLowercased, port)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy {
                $0 == 0x2D || $0 == 0x5F || (UnicodeScalar($0).properties.isAlphabetic) || ($0 >= 0x30 && $0 <= 0x39)
            }
    }
}

extension WebAddress.Problem: CustomStringConvertible {
    /// Lower case, no full stop; quotes nothing of what was given.
    public var description: String {
        switch self {
        case .tooLong: "the address is longer than \(WebAddress.maximumLength) bytes"
        case .scheme: "the address does not begin with https://"
        case .userInformation: "the address has a user name before the host"
        case .fragment: "the address has a fragment"
        case .forbiddenCharacter: "the address has a character that no address may hold"
        case .host: "the address has no proper host name"
        case .port: "the address has no proper port"
        case .insecure: "http is only accepted for this machine; use https"
        }
    }
}
