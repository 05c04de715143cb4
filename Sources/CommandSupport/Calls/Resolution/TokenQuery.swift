package import Identity

/// The input of the resolution: limits, the program's request within them, and the token's destination.
package struct TokenQuery: Hashable, Sendable {
    /// From the user's command line; takes precedence over ``asked``.
    package var options: TokenOptions
    /// From the program's request.
    package var asked = TokenOptions()
    /// The requested managed identity: a client of the settings by name or ID, else an account.
    package var identity: String?
    /// Input for the rules; nil for a user's own command, which rules do not affect.
    package var request: ProgramRequest?
    package var place = Place.anywhere
    /// The program's own user, if neither an option nor a rule names an account.
    package var user: ProgramUser?
    /// Whether the sign-in's ID token is requested instead of an access token.
    package var isIDToken = false
    /// Whether the usual account is used if none is named; see ``UsualSignIn``.
    package var takesUsualAccount = false
    /// Further scopes to which the person has agreed for this request; see ``ScopeDemand``.
    package var agreed: ScopeSet = []

    package init(_ options: TokenOptions = TokenOptions(), _ request: ProgramRequest? = nil, _ place: Place = .anywhere)
    {
        (self.options, self.request, self.place) = (options, request, place)
    }

    /// The options plus the program's fields. A limit of the command line stays; ``ResolvedClient`` refuses a request
    /// that contradicts it.
    package var effective: TokenOptions {
        // A user's own command has no further request, and checking each field would slow down a cached token.
        guard asked != TokenOptions() else { return options }
        var effective = options
        for field in RequestField.all
        where field.isSet(in: asked) && !(field.role == .bound && field.isSet(in: options)) {
            field.copy(from: asked, to: &effective)
        }
        return effective
    }

    /// - Throws: for a requested value other than the command line's, of a limit whose values are compared unchanged.
    ///   The resolution compares the others by their meaning.
    func checkLimits() throws(Refusal) {
        guard asked != TokenOptions() else { return }
        for field in RequestField.all where field.role == .bound && !field.isResolved {
            let (limit, wanted) = (field.texts(of: options), field.texts(of: asked))
            guard !limit.isEmpty, !wanted.isEmpty, limit != wanted else { continue }
            throw .outOfBound(
                .option("--" + (field.option ?? "")), what: field.option ?? "", asked: wanted.joined(separator: " "),
                bound: limit.joined(separator: " "))
        }
    }
}

extension TokenOptions {
    /// Separates the fields that choose a token, for a helper whose command line another program writes.
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

package enum ProgramUser: Hashable, Sendable {
    case person(String)
    /// A service principal or a managed identity, for which foyer has no tokens.
    case service(String)
    /// Its settings exist but are unreadable.
    case unknown(why: String)
}

/// The input of the resolution besides the query and the store. A class, as settings are expensive to copy.
package final class ResolutionWorld: Sendable {
    package let settings: Settings
    /// `FOYER_CLIENT`.
    package let client: String?
    /// `FOYER_AUTHORITY`.
    package let authority: String?
    /// `FOYER_ACCOUNT`.
    package let account: String?
    /// `FOYER_TENANT`.
    package let tenant: String?
    /// The folder of foyer's own command; nil if it was deleted.
    package let folder: @Sendable () -> ProgramRequest?
    /// The AI agent's session that asks; nil for a person.
    package let session: @Sendable () throws(Failure) -> AgentSession?
    /// The person's answer to a session for a place; nil without one.
    package let answered: @Sendable (SessionAnswers.Key) -> Bool?
    /// The client of the first sign-in to the default store.
    package let remembered: @Sendable () -> ClientChoice?
    /// How people have signed in to the default store; empty if it cannot be read without asking.
    package let uses: @Sendable () -> [ClientUse]

    package init(
        _ settings: Settings, client: String? = nil, authority: String? = nil, account: String? = nil,
        tenant: String? = nil,
        remembered: @escaping @Sendable () -> ClientChoice? = { nil },
        uses: @escaping @Sendable () -> [ClientUse] = { [] },
        folder: @escaping @Sendable () -> ProgramRequest? = { nil },
        session: @escaping @Sendable () throws(Failure) -> AgentSession? = { () throws(Failure) in nil },
        answered: @escaping @Sendable (SessionAnswers.Key) -> Bool? = { _ in nil }
    ) {
        self.settings = settings
        self.client = client
        self.authority = authority
        self.account = account
        self.tenant = tenant
        self.folder = folder
        self.session = session
        self.answered = answered
        self.remembered = remembered
        self.uses = uses
    }
}
