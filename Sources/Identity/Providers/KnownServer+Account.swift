extension KnownServer {
    /// An authority of the settings, and the name of its server: a company's host does not show it.
    package typealias Configured = (authority: String?, kind: Authority.Kind?, server: String?)

    /// The server that an account belongs to, by its issuer.
    package static func of(_ account: Account, clients: [Configured] = []) -> KnownServer? {
        if account.homeTenantID != nil { return nil }
        return at(issuer: account.issuer, environment: account.environment, clients)
    }

    /// The server that issued a token.
    package static func of(_ credential: CachedCredential, clients: [Configured] = []) -> KnownServer? {
        at(issuer: credential.issuer, environment: credential.environment, clients)
    }

    /// The page on which a user ends what was granted.
    ///
    /// - Parameter clientID: for a page of one client; nil if unknown.
    /// - Returns: nil without a page, and for a client ID that would have to be escaped.
    package func page(at server: WebAddress, clientID: String?) -> WebAddress? {
        guard let page else { return nil }
        guard page.contains("{client}") else { return address(page, at: server) }
        guard let clientID, let first = clientID.utf8.first, first != UInt8(ascii: "."), clientID.utf8.count <= 200,
            clientID.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "-._".utf8.contains($0)
            })
        else { return nil }
        return address(page, at: server, clientID: clientID)
    }

    private static func at(issuer: String?, environment: String, _ clients: [Configured]) -> KnownServer? {
        if Cloud.containing(host: environment) != nil { return nil }
        // Entries of other libraries have only the host.
        guard let issuer else { return (try? WebAddress("https://" + environment)).flatMap { at($0) } }
        let named = clients.lazy.compactMap { client -> KnownServer? in
            guard let server = client.server, let authority = client.authority,
                (try? Authority(authority, kind: client.kind))?.issuer == issuer
            else { return nil }
            return Self.named(server)
        }
        return named.first ?? (try? WebAddress(issuer)).flatMap { at($0) }
    }
}
