package import Identity

extension CacheSnapshot {
    /// Whether anybody has anything here; metadata of applications alone is nothing to use.
    package var hasCredentials: Bool {
        ([.account] + Section.credentials).contains { section in entries(section).contains { _ in true } }
    }

    /// Every credential with a usable secret, in the order of the file.
    ///
    /// - Parameter clientID: only this client's; nil gives everybody's.
    package func credentials(clientID: String? = nil) -> [CachedCredential] {
        let client = clientID.map { Array($0.utf8) }
        let issuers = KnownIssuers(self)
        var found: [CachedCredential] = []
        for section in Section.credentials {
            guard let kind = section.kind else { continue }
            for entry in entries(section) where client.map({ entry.isEqual("client_id", $0) }) ?? true {
                if let credential = entry.credential(kind, issuers) { found.append(credential) }
            }
        }
        return found
    }

    /// Every credential of one account with a usable secret.
    ///
    /// - Parameter clientID: only this client's; nil gives everybody's.
    package func credentials(of account: AccountID, clientID: String? = nil) -> [CachedCredential] {
        let client = clientID.map { Array($0.utf8) }
        return Section.credentials.flatMap { section -> [CachedCredential] in
            guard let kind = section.kind else { return [] }
            return person(account, in: section).compactMap { entry in
                guard client.map({ entry.isEqual("client_id", $0) }) ?? true else { return nil }
                return entry.credential(kind)
            }
        }
    }
}
