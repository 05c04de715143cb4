/// A confidential client's secret (RFC 6749 section 2.3.1): where it is, and how it is sent. It is read only for a
/// request that needs it, never for a cached token.
public struct ClientSecret: Hashable, Sendable {
    /// Where the secret is.
    public enum Source: Hashable, Sendable {
        /// A file that contains nothing else: an absolute path; owned by the user or root, mode 0600.
        case file(String)
        /// A program and its arguments, run without a shell for at most 30 seconds; the secret is the first line of its
        /// standard output.
        case command([String])
        /// Kept with the token store, for the client ID and the issuer.
        case kept
        /// A secret that the vendor publishes with installed apps. It is not confidential (RFC 8252 section 8.5).
        case published(Secret)
    }

    /// How the secret is sent: in the header `Authorization: Basic`, or as `client_secret` in the body.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// In the header `Authorization: Basic`.
        case basic = "client_secret_basic"
        /// As `client_secret` in the body.
        case post = "client_secret_post"
    }

    /// Where the secret is.
    public var source: Source
    /// Nil for a method that the provider's metadata lists, by default ``Method/basic`` (RFC 8414 section 2).
    public var method: Method?

    /// Reads nothing yet: a secret that cannot be read fails the request that needs it.
    public init(_ source: Source, method: Method? = nil) { (self.source, self.method) = (source, method) }

    /// The maximum length of a secret, in bytes.
    package static let longest = 4096

    /// A secret from a file, a program or a prompt; nil unless it is 1 to ``longest`` bytes of UTF-8 without control
    /// characters. One final line break is ignored.
    package static func secret(_ bytes: some Collection<UInt8>) -> Secret? {
        var content = Array(bytes.prefix(longest + 3))
        if content.last == 0x0A { content.removeLast() }
        if content.last == 0x0D { content.removeLast() }
        guard (1...longest).contains(content.count), content.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        return String(validating: content, as: UTF8.self).map { Secret($0) }
    }
}
