extension Account {
    /// Whether a text that a person typed may mean this account: a username (or what is shown where an account has
    /// none), a home account identifier, or a beginning of either; or, in full, another of its names.
    package func isMeant(by text: String) -> Bool {
        !text.isEmpty
            && (label.lowercased().hasPrefix(text.lowercased()) || homeAccountID.hasPrefix(text)
                || isNamedInFull(by: text))
    }

    /// Whether a text names this account in full: by what is shown, by its identifier, by the name that a guest has in
    /// another tenant, or by the one that stood for an identifier nobody knew before its first silent call.
    package func isNamedInFull(by text: String) -> Bool {
        let name = text.lowercased()
        return label.lowercased() == name || homeAccountID == text
            || tenantProfiles.contains { !$0.username.isEmpty && $0.username.lowercased() == name }
            || isNamedBeforeUpgrade(text)
    }

    private func isNamedBeforeUpgrade(_ text: String) -> Bool {
        guard Account.isUnidentified(text) else { return false }
        let names = Set([username] + tenantProfiles.map(\.username)).subtracting([""])
        let objects = [nil] + tenantProfiles.map { Optional($0.localAccountID) }
        return names.contains { name in objects.contains { Account.unidentified(name, objectID: $0) == text } }
    }
}

extension Account {
    /// The same of bytes, for lists too long to make texts of: ASCII alone.
    package static func isMeant(
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
        return begins(label, foldsCase: true) || begins(homeAccountID, foldsCase: false)
    }
}

extension [Account] {
    /// The accounts that a text may mean: those that it names in full, else those that begin with it.
    ///
    /// - Parameter authority: whose account is meant where several providers have one of the name.
    package func meant(by text: String, at authority: Authority? = nil) -> [Account] {
        let exact = filter { $0.isNamedInFull(by: text) }
        let matches = exact.isEmpty ? filter { $0.isMeant(by: text) } : exact
        guard matches.count > 1, let authority else { return matches }
        let here = matches.filter {
            $0.issuer == authority.issuer && Cloud.isSame($0.environment, authority.environment)
        }
        return here.isEmpty ? matches : here
    }

    /// The account that a request means which names none: the only one, else of several the one that was made current;
    /// nil when there is none, and when it is not clear.
    package func implied(current: AccountID?) -> Account? {
        if count == 1 { return self[0] }
        return current.flatMap { current in first { $0.id.isSamePerson(as: current) } }
    }
}
