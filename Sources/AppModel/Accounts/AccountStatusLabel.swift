import FoundationEssentials
package import Identity

/// How an account stands, by sign and by word.
package struct AccountStatusLabel: Sendable {
    package let sign: Sign
    package let word: String
    /// For a narrow screen: the word with the time in it.
    package let shortWord: String
    package let tone: Tone
    /// When the next token expires.
    package let expires: String

    package init(_ overview: AccountOverview, clientID: String?, clock: Clock) {
        let next = overview.credentials.filter {
            $0.kind == .accessToken && (clientID == nil || $0.clientID == clientID)
        }
        .compactMap(\.expiresOn).filter { $0 > clock.now }.min()
        expires = next.map { clock.relative($0) } ?? ""
        switch overview.standing(at: clock.now, clientID: clientID) {
        case .valid(let until):
            (sign, word, tone) = (.full, "valid", .ok)
            shortWord = "valid " + Clock.span(max(0, clock.seconds(until: until)))
        case .refreshable where overview.account.origin == .adal:
            (sign, word, shortWord, tone) = (.half, "ADAL, not used yet", "ADAL", .attention)
        case .refreshable: (sign, word, shortWord, tone) = (.half, "refreshable", "refreshable", .attention)
        case .signInNeeded: (sign, word, shortWord, tone) = (.empty, "sign-in needed", "sign in", .danger)
        }
    }
}
