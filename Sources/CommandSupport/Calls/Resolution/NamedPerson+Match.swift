package import Identity

extension NamedPerson {
    /// The meaning of the name in a store.
    package enum Match: Hashable, Sendable {
        case nobody
        case account(Account)
        /// The name of a person who has not signed in.
        case absent(String)
    }

    /// - Parameters:
    ///   - named: the provider's accounts that have the name.
    ///   - own: the client's accounts. If they have logins for usernames, as at GitHub, a login that none of them has
    ///     is another person's. If they have addresses, a login says nothing about them: it may be the server's name of
    ///     the same person, or any word, so it names no person.
    /// - Throws: ``Refusal/ambiguousAccount(_:_:clients:)``.
    func match(_ named: [Account], own: [Account]) throws(Refusal) -> Match {
        guard let name else { return .nobody }
        let all = named.named(by: name)
        let mine = all.filter { account in own.contains { $0.id.isSamePerson(as: account.id) } }
        let found = mine.isEmpty ? all : mine
        guard found.count < 2 else { throw .ambiguousAccount(name, found) }
        if let account = found.first { return .account(account) }
        return isAddress || own.contains(where: \.isNamedByLogin) ? .absent(name) : .nobody
    }
}
