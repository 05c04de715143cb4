import Identity

/// What a door asks the resolution: the bounds of its command line, what the asker names within them, and the place
/// that the token is for.
package struct TokenQuery: Hashable, Sendable {
    /// What a person's command line names. It holds whatever the asker says.
    package var options: TokenOptions
    /// What a program's protocol names.
    package var asked = TokenOptions()
    /// A client of the settings by its name or identifier, else an account: what a managed identity is here.
    package var identity: String?
    /// What rules look at; nil for a command of a person's own, which no rule decides.
    package var request: ProgramRequest?
    package var place = Place.anywhere
    /// Whom the program is set to; they count where neither an option nor a rule names an account.
    package var user: ProgramUser?
    /// Whether the ID token of the sign-in is wanted, in the place of an access token.
    package var isIDToken = false

    package init(_ options: TokenOptions = TokenOptions(), _ request: ProgramRequest? = nil, _ place: Place = .anywhere)
    {
        (self.options, self.request, self.place) = (options, request, place)
    }

    /// The options with the asker's wishes, bounds left out: how a person is asked, and what is new for this call.
    package var effective: TokenOptions {
        // A person's own command asks for nothing besides, and a look at each row is dear beside a cached token.
        guard asked != TokenOptions() else { return options }
        var effective = options
        for field in RequestField.all where field.role != .bound && field.isSet(in: asked) {
            field.copy(from: asked, to: &effective)
        }
        return effective
    }
}

extension TokenOptions {
    /// What names a token, for a helper whose command line somebody else writes, and the rest.
    package var split: (options: TokenOptions, asked: TokenOptions) {
        var (options, asked) = (self, TokenOptions())
        let none = TokenOptions()
        for field in RequestField.all where field.role == .bound && field.reach == .host {
            field.copy(from: self, to: &asked)
            field.copy(from: none, to: &options)
        }
        return (options, asked)
    }
}

/// Whom a program is set to by its own settings.
package enum ProgramUser: Hashable, Sendable {
    case person(String)
    /// A service principal or a managed identity, of which foyer has no tokens.
    case service(String)
    /// Its settings are there and cannot be understood: it may be anybody.
    case unknown(why: String)
}

/// What the resolution is made from, besides the query and the store. One for all that is resolved of it: settings are
/// dear to copy.
package final class ResolutionWorld: Sendable {
    package let settings: Settings
    /// `FOYER_CLIENT`.
    package let client: String?
    /// `FOYER_AUTHORITY`.
    package let authority: String?
    /// The client that a person signed in at first into the store that holds without a client.
    package let remembered: @Sendable () -> ClientChoice?

    package init(
        _ settings: Settings, client: String? = nil, authority: String? = nil,
        remembered: @escaping @Sendable () -> ClientChoice? = { nil }
    ) {
        self.settings = settings
        self.client = client
        self.authority = authority
        self.remembered = remembered
    }
}
