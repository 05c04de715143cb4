package import FoundationEssentials

/// How an account stands: what a token for one of its clients takes now.
package enum AccountStatus: Hashable, Sendable {
    /// A cached access token is handed out; it expires at this time.
    case valid(until: Date)
    /// No fresh access token, but a refresh token that will most likely give one.
    case refreshable
    /// Nothing that could be used without the person.
    case signInNeeded
    /// The provider has just wanted the person.
    case rejected
    /// The settings or the store are in the way, and no sign-in mends that.
    case blocked

    package var needsPerson: Bool { self == .signInNeeded || self == .rejected }
}

/// A store that belongs to another program, as far as it matters to those who find an account in it.
package struct OtherStore: Hashable, Sendable {
    /// A short word, for options and settings.
    package var name: String
    /// The program that owns it, as people call it.
    package var program: String
    /// Where it is, as a person names it.
    package var place: String
    /// Whether the person allowed to change it.
    package var isWritable: Bool
    /// The file in which the program lists the subscriptions of those who are signed in; nil where it keeps none.
    package var profile: String?

    package init(name: String, program: String, place: String, isWritable: Bool, profile: String? = nil) {
        self.name = name
        self.program = program
        self.place = place
        self.isWritable = isWritable
        self.profile = profile
    }
}

/// An account with everything the cache holds of it.
package struct AccountOverview: Hashable, Sendable, Identifiable {
    package var account: Account
    private var held: HeldCredentials
    /// What earlier sign-ins asked for and did not get, as far as it was noted.
    package var consent: [ConsentRecord]
    /// The other program's store that it was found in; nil in foyer's own.
    package var store: OtherStore?

    package init(
        account: Account, credentials: [CachedCredential], consent: [ConsentRecord] = [], store: OtherStore? = nil
    ) {
        self.account = account
        held = .here(credentials)
        self.consent = consent
        self.store = store
    }

    /// An account whose credentials stay in their store until they are asked for.
    package init(account: Account, reader: CredentialReader, number: Int, consent: [ConsentRecord] = []) {
        self.account = account
        held = .stored(reader, number)
        self.consent = consent
    }

    /// With their secrets; read again where they stayed in the store, and empty when it is no longer what it was.
    package var credentials: [CachedCredential] {
        get {
            switch held {
            case .here(let credentials): credentials
            case .stored(let reader, let number): reader.credentials(number)
            }
        }
        set { held = .here(newValue) }
    }

    /// What lists show of each credential; nothing is read for it.
    package var lives: [CredentialLife] {
        switch held {
        case .here(let credentials): credentials.map(\.life)
        case .stored(let reader, let number): reader.lives(number, account.homeAccountID)
        }
    }

    /// The same person in two stores is two of these.
    package struct ID: Hashable, Sendable {
        package var account: AccountID
        /// The name of the other program's store; nil in foyer's own.
        package var store: String?

        package init(_ account: AccountID, store: String? = nil) { (self.account, self.store) = (account, store) }
    }

    package var id: ID { ID(account.id, store: store?.name) }

    /// From the cache alone, for an account of another program's store: for one of foyer's own the silent call's
    /// decision says it.
    ///
    /// - Parameter clientID: only what this client may use counts; nil counts every client's.
    package func standing(at now: Date, clientID: String? = nil) -> AccountStatus {
        let mine = lives.filter {
            clientID == nil || $0.clientID == clientID || ($0.kind == .refreshToken && $0.isOfFamily)
        }
        let fresh = mine.filter { $0.kind == .accessToken && $0.isFresh(at: now) }.compactMap(\.expiresOn).max()
        if let fresh { return .valid(until: fresh) }
        // What a legacy cache left is a refresh token, and no entry of the unified schema.
        return account.origin == .adal || mine.contains { $0.kind == .refreshToken } ? .refreshable : .signInNeeded
    }
}
