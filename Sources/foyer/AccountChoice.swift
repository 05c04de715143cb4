import Identity

/// Finds the account that a person named: a username (or what is shown where an account has none), a home account id, or an unambiguous beginning of
/// either.
enum AccountChoice {
    /// - Throws: `notFound`, or `ambiguous` with the list.
    static func find(_ text: String, among accounts: [Account]) throws(Failure) -> Account {
        let wanted = text.lowercased()
        let exact = accounts.filter { $0.label.lowercased() == wanted || $0.homeAccountID == text }
        let matches =
            exact.isEmpty && !wanted.isEmpty
            ? accounts.filter { $0.label.lowercased().hasPrefix(wanted) || $0.homeAccountID.hasPrefix(text) } : exact
        switch matches.count {
        case 1: return matches[0]
        case 0:
            throw Failure(
                .notFound, "no account matches \"\(text)\"",
                hint: accounts.isEmpty ? "nobody is signed in; run \"foyer sign-in\"" : "\"foyer accounts\" lists them")
        default:
            throw Failure(
                .ambiguous,
                "\(matches.count) accounts match \"\(text)\": "
                    + matches.map { "\($0.label) (\($0.homeAccountID), \($0.environment))" }.joined(separator: "; "),
                hint: "name one by its home account id")
        }
    }

    /// The same over several stores, in which one person may be more than once.
    static func find(_ text: String, amongStores accounts: [Account]) throws(Failure) -> Account {
        var seen: Set<String> = []
        return try find(
            text,
            among: accounts.filter {
                seen.insert($0.homeAccountID + " " + (Cloud.containing(host: $0.environment)?.preferredNetwork ?? $0.environment)).inserted
            })
    }
}
