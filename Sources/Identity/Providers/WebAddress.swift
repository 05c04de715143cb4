/// A validated `http` or `https` URL, the only kind that is connected to or opened in a browser.
///
/// Rejected: other schemes, user information, fragments, control characters, spaces, non-ASCII bytes, invalid host
/// names, more than 2,048 bytes (RFC 3986). The string is kept unchanged because issuers are compared byte for byte.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// The URL as given.
    public let text: String
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// Lower-case host name or IP literal; an IPv6 literal without its brackets.
    public let host: String
    /// The port as given, or nil for the scheme's own.
    public let port: Int?
    /// The path as given, empty or beginning with a slash.
    public let path: String
    /// The query after the question mark, or nil.
    public let query: String?

    /// The reason that a URL is rejected. Messages do not quote it.
    public enum Problem: Error, Hashable, Sendable {
        /// More than 2,048 bytes.
        case tooLong
        /// Neither `http` nor `https`.
        case scheme
        /// A user name or password before the host.
        case userInformation
        /// A fragment, such as `#top`.
        case fragment
        /// A control character, a space, a non-ASCII byte, or one that RFC 3986 allows nowhere.
        case forbiddenCharacter
        /// No host, or a malformed one.
        case host
        /// A malformed port, or one out of range.
        case port
        /// `http` to a host other than this machine.
        case insecure
    }

    /// In bytes.
    package static let maximumLength = 2048

    /// - Parameter text: an absolute URL.
    /// - Throws: ``Problem``; `insecure` if the scheme is `http` and the host is not a loopback one.
    public init(_ text: String) throws(Problem) { try self.init(text, acceptsInsecure: false) }

    /// Creates a proxy's URL, which may use plain `http` for any host.
    package init(proxy text: String) throws(Problem) { try self.init(text, acceptsInsecure: true) }

    private init(_ text: String, acceptsInsecure: Bool) throws(Problem) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.isInNoAddress($0) }) else {
            throw .forbiddenCharacter
        }
        // The string is ASCII, so bytes are characters.
        var rest = text.utf8[...]
        if Self.begins(rest, with: "https://") {
            isSecure = true
            rest = rest.dropFirst(8)
        } else if Self.begins(rest, with: "http://") {
            isSecure = false
            rest = rest.dropFirst(7)
        } else {
            throw .scheme
        }
        guard !rest.contains(UInt8(ascii: "#")) else { throw .fragment }
        let authority = Self.authority(rest)
        rest = rest[authority.endIndex...]
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userInformation }
        (host, port) = try Self.split(authority)
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            path = String(Substring(rest[..<mark]))
            query = String(Substring(rest[rest.index(after: mark)...]))
        } else {
            path = String(Substring(rest))
            query = nil
        }
        self.text = text
        guard isSecure || isLoopback || acceptsInsecure else { throw .insecure }
    }

    /// Parses a URL as used by git and pip, which may contain a user name before the host.
    ///
    /// - Returns: the URL without user information, and the user name; a password is discarded.
    /// - Throws: ``Problem``; `userInformation` for a second `@` before the path, which parsers treat differently.
    package static func splittingUser(from text: String) throws(Problem) -> (address: WebAddress, user: String?) {
        let bytes = text.utf8[...]
        guard let scheme = ["https://", "http://"].first(where: { begins(bytes, with: $0) }) else { throw .scheme }
        let authority = authority(bytes.dropFirst(scheme.utf8.count))
        guard let at = authority.firstIndex(of: UInt8(ascii: "@")) else { return (try WebAddress(text), nil) }
        let information = authority[..<at]
        let rest = text[text.utf8.index(after: at)...]
        guard !authority[rest.startIndex...].contains(UInt8(ascii: "@")) else { throw .userInformation }
        guard information.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !isInNoAddress($0) }) else {
            throw .forbiddenCharacter
        }
        let name = information.prefix { $0 != UInt8(ascii: ":") }
        return (try WebAddress(scheme + rest), name.isEmpty ? nil : String(Substring(name)))
    }

    /// The authority component: everything before path, query and fragment (RFC 3986 section 3.2).
    private static func authority(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        bytes.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }

    private init(origin other: WebAddress, path: String) {
        (isSecure, host, port, query) = (other.isSecure, other.host, other.port, nil)
        self.path = path
        text = other.origin + path
    }

    /// The same origin with this single path segment.
    ///
    /// - Parameter segment: a GUID, which needs no validation.
    func withPath(of segment: String) -> WebAddress {
        precondition(segment.isGUID)
        return WebAddress(origin: self, path: "/" + segment)
    }

    /// The URL as given.
    public var description: String { text }

    /// `https` or `http`, in lower case.
    public var scheme: String { isSecure ? "https" : "http" }

    /// Whether the host is always this machine (RFC 8252 section 8.3).
    public var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether a host is `localhost`, `::1`, or in 127.0.0.0/8.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host, with an IPv6 literal in brackets, and the port if given.
    public var hostAndPort: String {
        let literal = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port.map { "\(literal):\($0)" } ?? literal
    }

    /// Scheme, host and port if given.
    public var origin: String { "\(scheme)://\(hostAndPort)" }

    /// Whether both have the same scheme, host and effective port (RFC 6454 section 5).
    package func isSameOrigin(as other: WebAddress) -> Bool {
        let usual = isSecure ? 443 : 80
        return isSecure == other.isSecure && host == other.host && (port ?? usual) == (other.port ?? usual)
    }

    package var pathSegments: [String] { path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) } }

    private static func isInNoAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B, 0x7C, 0x7D: true  // "<>\^`{|}
        default: false
        }
    }

    private static func begins(_ bytes: Substring.UTF8View, with scheme: String) -> Bool {
        bytes.prefix(scheme.utf8.count).elementsEqual(scheme.utf8) {
            $0 == $1 || $0 ^ $1 == 0x20 && (0x61...0x7A).contains($1)
        }
    }

    private static func split(_ authority: Substring.UTF8View) throws(Problem) -> (String, Int?) {
        let colon = UInt8(ascii: ":")
        var name = authority
        var digits: Substring.UTF8View?
        if name.first == UInt8(ascii: "[") {
            guard let close = name.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
            let after = name[name.index(after: close)...]
            guard after.isEmpty || after.first == colon else { throw .host }
            digits = after.isEmpty ? nil : after.dropFirst()
            name = name[name.index(after: name.startIndex)..<close]
            guard name.contains(colon), name.allSatisfy({ $0 == colon || $0 == UInt8(ascii: ".") || isHexadecimal($0) })
            else {
                throw .host
            }
        } else {
            if let end = name.firstIndex(of: colon) {
                digits = name[name.index(after: end)...]
                name = name[..<end]
            }
            guard !name.isEmpty, name.count <= 253, areLabels(name) else { throw .host }
        }
        let host = Substring(name).asciiLowercased
        guard let digits else { return (host, nil) }
        guard digits.count <= 5, digits.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(Substring(digits)),
            (1...65535).contains(port)
        else { throw .port }
        return (host, port)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func areLabels(_ name: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        var length = 0
        var last = hyphen
        for byte in name {
            switch byte {
            case UInt8(ascii: "."):
                guard length > 0, last != hyphen else { return false }
                length = 0
            case hyphen where length == 0: return false
            case hyphen, UInt8(ascii: "_"), 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
                length += 1
                guard length <= 63 else { return false }
            default: return false
            }
            last = byte
        }
        return length > 0 && last != hyphen
    }
}

extension WebAddress {
    package var originWithoutUsualPort: String {
        guard port == (isSecure ? 443 : 80) else { return origin }
        return String(origin.dropLast(isSecure ? 4 : 3))
    }
}

extension WebAddress.Problem: CustomStringConvertible {
    /// Lower case, no full stop; does not quote the input.
    public var description: String {
        switch self {
        case .tooLong: "the URL is longer than \(WebAddress.maximumLength) bytes"
        case .scheme: "the URL must begin with https://"
        case .userInformation: "the URL must not contain a user name"
        case .fragment: "the URL must not have a fragment"
        case .forbiddenCharacter: "invalid character in the URL"
        case .host: "invalid host name"
        case .port: "invalid port"
        case .insecure: "http is allowed on loopback only; use https"
        }
    }
}
