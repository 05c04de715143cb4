extension Authority {
    /// Whether a typed scope can be one here. A URL that begins inside it, a URL at a server whose scopes are names,
    /// and the provider's own host were typed into the wrong field. Otherwise only the provider knows.
    ///
    /// - Parameter server: the known server at this authority.
    package func mayHave(scope: String, _ server: KnownServer?) -> Bool {
        if scope.asciiLowercased == address.hostAndPort { return false }
        guard let mark = scope.firstRange(of: "://") else { return true }
        if server?.scopesAreNames == true { return false }
        let (scheme, rest) = (scope[..<mark.lowerBound].utf8, scope[mark.upperBound...])
        // RFC 3986 section 3.1.
        return (scheme.first.map { (0x61...0x7A).contains($0 | 0x20) } ?? false)
            && scheme.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "+-.".utf8.contains($0)
            } && rest.firstRange(of: "://") == nil
    }
}
