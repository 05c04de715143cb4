extension Account {
    /// Whether user input may refer to this account: by a prefix of its label or identifier, or a full other name.
    package func matches(by text: String) -> Bool {
        !text.isEmpty
            && (label.lowercased().hasPrefix(text.lowercased())
                || HomeAccountID.hasPrefix(text, homeAccountID, issuer: issuer) || isNamedInFull(by: text))
    }

    /// Whether user input is a full name of this account, now or before it was renamed. In a list, an account that has
    /// the name now goes first: see ``Swift/Array/named(by:)``.
    package func isNamedInFull(by text: String) -> Bool { isNamedNow(by: text) || wasNamed(text) }

    /// Whether user input is a full name of this account: its label, its identifier, its username as a guest in another
    /// tenant, or the placeholder identifier that it had before its first silent call.
    package func isNamedNow(by text: String) -> Bool {
        let name = text.lowercased()
        return label.lowercased() == name || isIdentified(by: text)
            || tenantProfiles.contains { !$0.username.isEmpty && $0.username.lowercased() == name }
            || isNamedBeforeUpgrade(text)
    }

    /// Whether a text is this account's home account ID.
    package func isIdentified(by text: String) -> Bool {
        HomeAccountID.isSame(homeAccountID, text, issuer: issuer)
    }

    private func wasNamed(_ text: String) -> Bool {
        guard !formerUsernames.isEmpty else { return false }
        let name = text.lowercased()
        return formerUsernames.contains { $0.lowercased() == name }
    }

    private func isNamedBeforeUpgrade(_ text: String) -> Bool {
        guard Account.isUnidentified(text) else { return false }
        let names = Set([username] + tenantProfiles.map(\.username) + formerUsernames).subtracting([""])
        let objects = [nil] + tenantProfiles.map { Optional($0.localAccountID) }
        return names.contains { name in objects.contains { Account.unidentified(name, objectID: $0) == text } }
    }
}

extension Account {
    /// Matches on raw bytes, folding ASCII case only, for lists too long to decode into strings. For accounts without
    /// an issuer.
    package static func matches(
        by text: String, label: UnsafeRawBufferPointer, homeAccountID: UnsafeRawBufferPointer
    ) -> Bool {
        func fold(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        func begins(_ bytes: UnsafeRawBufferPointer, foldsCase: Bool) -> Bool {
            var place = 0
            for wanted in text.utf8 {
                guard place < bytes.count else { return false }
                let byte = bytes[place]
                guard byte == wanted || (foldsCase && fold(byte) == fold(wanted)) else { return false }
                place += 1
            }
            return place > 0
        }
        return begins(label, foldsCase: true)
            || begins(homeAccountID, foldsCase: HomeAccountID.hasTenant(homeAccountID))
    }
}

extension [Account] {
    /// The accounts that match user input: full matches, else prefix matches. The caller has chosen the provider.
    package func meant(by text: String) -> [Account] {
        let exact = named(by: text)
        return exact.isEmpty ? filter { $0.matches(by: text) } : exact
    }

    /// The accounts with this full name. A former name means its account only while no other has the name now.
    package func named(by text: String) -> [Account] {
        let found = filter { $0.isNamedInFull(by: text) }
        let now = found.filter { $0.isNamedNow(by: text) }
        return now.isEmpty ? found : now
    }

    /// The account for a request that names none: the only one, else the current one; nil if there is neither.
    package func implied(current: AccountID?) -> Account? {
        if count == 1 { return self[0] }
        return current.flatMap { current in first { $0.id.isSamePerson(as: current) } }
    }
}
