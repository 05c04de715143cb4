package import FoundationEssentials

/// How a token for one of the account's clients can be obtained now.
package enum AccountStatus: Hashable, Sendable {
    /// A cached access token can be used until this time.
    case valid(until: Date)
    /// No fresh access token, but a refresh token that will most likely yield one.
    case refreshable
    /// Only an interactive sign-in can help.
    case signInNeeded
    /// The provider's latest response required an interactive sign-in.
    case rejected
    /// It was signed out, and the provider has not revoked its tokens yet.
    case signingOut
    /// The settings or the store prevent a token request; signing in does not help.
    case blocked

    package var needsPerson: Bool { self == .signInNeeded || self == .rejected }
}

package struct OtherStore: Hashable, Sendable {
    package var name: String
    package var program: String
    package var place: String
    /// Whether the user allowed changes to it.
    package var isWritable: Bool
    /// The file in which the program lists its signed-in subscriptions; nil if it has none.
    package var profile: String?
    /// The program's own sign-in command; nil if it has none.
    package var signIn: String?

    package init(
        name: String, program: String, place: String, isWritable: Bool, profile: String? = nil, signIn: String? = nil
    ) {
        self.name = name
        self.program = program
        self.place = place
        self.isWritable = isWritable
        self.profile = profile
        self.signIn = signIn
    }
}

package struct AccountOverview: Hashable, Sendable, Identifiable {
    package var account: Account
    private var held: HeldCredentials
    /// Declined and extra scopes of earlier sign-ins, if recorded.
    package var consent: [ConsentRecord]
    /// How the account has signed in here, the latest first; empty if only other programs signed it in.
    package var uses: [ClientUse] = []
    /// The use that this row of a list is about; nil for an account as a whole.
    package var use: ClientUse?
    /// The other program's store that contains it; nil for foyer's own.
    package var store: OtherStore?

    package init(
        account: Account, credentials: [CachedCredential], consent: [ConsentRecord] = [], store: OtherStore? = nil
    ) {
        self.account = account
        held = .here(credentials)
        self.consent = consent
        self.store = store
    }

    /// Creates an overview whose credentials stay in the store until they are read.
    package init(
        account: Account, reader: CredentialReader, number: Int, consent: [ConsentRecord] = [], uses: [ClientUse] = []
    ) {
        self.account = account
        held = .stored(reader, number)
        self.consent = consent
        self.uses = uses
    }

    /// Includes secrets. Credentials left in the store are read again; empty if the store has changed since.
    package var credentials: [CachedCredential] {
        get {
            switch held {
            case .here(let credentials): credentials
            case .stored(let reader, let number): reader.credentials(number)
            }
        }
        set { held = .here(newValue) }
    }

    package var lives: [CredentialLife] {
        switch held {
        case .here(let credentials): credentials.map(\.life)
        case .stored(let reader, let number): reader.lives(number, account.homeAccountID)
        }
    }

    /// Whether both show the same: also what an account's own equality leaves out.
    package static func == (one: AccountOverview, other: AccountOverview) -> Bool {
        one.account.hasSameContent(as: other.account) && one.held == other.held && one.consent == other.consent
            && one.store == other.store && one.uses == other.uses && one.use == other.use
    }

    /// An account in two stores has two identities, and so has one that signed in by two clients.
    package struct ID: Hashable, Sendable {
        package var account: AccountID
        package var store: String?
        /// The name of the row's client; nil for an account as a whole.
        package var client: String?

        package init(_ account: AccountID, store: String? = nil, client: String? = nil) {
            (self.account, self.store, self.client) = (account, store, client)
        }

        /// The account, whatever the client.
        package var whole: ID { ID(account, store: store) }
    }

    package var id: ID { ID(account.id, store: store?.name, client: use?.plainName) }

    package func isOfSameAccount(as other: AccountOverview) -> Bool {
        account.id == other.account.id && store?.name == other.store?.name
    }

    /// Whether an identity means this row, or the whole account that it is of.
    package func isMeant(by id: ID) -> Bool {
        account.id == id.account && store?.name == id.store && (id.client == nil || id.client == use?.plainName)
    }

    /// The row of a list for one of the account's uses.
    package func row(of use: ClientUse) -> AccountOverview {
        var row = self
        row.use = use
        return row
    }

    /// Based on the cache of another program's store. For foyer's own accounts, use the silent call's decision.
    ///
    /// - Parameter clientID: limits the credentials to those this client may use; nil means every client.
    package func standing(at now: Date, clientID: String? = nil) -> AccountStatus {
        let mine = lives.filter {
            clientID == nil || $0.clientID == clientID || ($0.kind == .refreshToken && $0.isOfFamily)
        }
        let fresh = mine.filter { $0.kind == .accessToken && $0.isFresh(at: now) }.compactMap(\.expiresOn).max()
        if let fresh { return .valid(until: fresh) }
        // A legacy cache provides a refresh token without an entry in the unified schema.
        return account.origin == .adal || mine.contains { $0.kind == .refreshToken } ? .refreshable : .signInNeeded
    }
}
