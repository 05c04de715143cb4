package import Identity

/// Finds an account by its username (or the label shown if it has none), its home account id, or an unambiguous prefix
/// of either.
package enum AccountChoice {
    /// - Parameter accounts: those of the client's provider.
    /// - Throws: `notFound`, or `ambiguous` with the list.
    package static func find(_ text: String, among accounts: [Account]) throws(Failure) -> Account {
        let matches = accounts.meant(by: text)
        guard matches.count < 2 else { throw Refusal.ambiguousAccount(text, matches).failure }
        guard let match = matches.first else {
            throw Failure(
                .notFound, "no account matches \"\(text)\"",
                hint: accounts.isEmpty
                    ? "no account is signed in; run \"foyer sign-in\""
                    : .text(
                        Spelling.suggestion(for: text, among: accounts.map(\.label))
                            + "\"foyer accounts\" lists them"))
        }
        return match
    }

    /// Searches several stores; an account that is in more than one counts once.
    package static func find(_ text: String, amongStores accounts: [Account]) throws(Failure) -> Account {
        var seen: Set<AccountID> = []
        return try find(text, among: accounts.filter { seen.insert($0.id).inserted })
    }
}
