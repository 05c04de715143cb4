package import Identity

/// Finds the account that a person named: a username (or what is shown where an account has none), a home account id,
/// or an unambiguous beginning of either.
package enum AccountChoice {
    /// - Parameter authority: whose account is meant where providers have homonyms.
    /// - Throws: `notFound`, or `ambiguous` with the list.
    package static func find(_ text: String, among accounts: [Account], at authority: Authority? = nil) throws(Failure)
        -> Account
    {
        let matches = accounts.meant(by: text, at: authority)
        guard matches.count < 2 else { throw Refusal.ambiguousAccount(text, matches).failure }
        guard let match = matches.first else {
            throw Failure(
                .notFound, "no account matches \"\(text)\"",
                hint: accounts.isEmpty ? "nobody is signed in; run \"foyer sign-in\"" : "\"foyer accounts\" lists them")
        }
        return match
    }

    /// The same over several stores, in which one person may be more than once.
    package static func find(_ text: String, amongStores accounts: [Account]) throws(Failure) -> Account {
        var seen: Set<String> = []
        return try find(text, among: accounts.filter { seen.insert($0.homeAccountID + " " + $0.id.home).inserted })
    }
}
