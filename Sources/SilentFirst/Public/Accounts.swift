public import Identity
import TokenCache

/// Which accounts are wanted. Every member that is set must fit, and none fits more than it says.
public struct AccountQuery: Hashable, Sendable {
    /// The home account identifier, compared exactly.
    public var identifier: String?
    /// The name that the person types, in any tenant; compared without regard to the case of ASCII letters.
    public var username: String?
    /// `oid` or `sub` in one tenant, compared exactly.
    public var localAccountID: String?
    /// Only accounts that are known in this tenant.
    public var tenantID: String?
    /// Whether accounts are left out that are signed out of this client, or that it holds no credential of.
    public var returnOnlySignedIn: Bool

    /// With nothing set, every account that is signed in fits.
    public init(
        identifier: String? = nil, username: String? = nil, localAccountID: String? = nil, tenantID: String? = nil,
        returnOnlySignedIn: Bool = true
    ) {
        self.identifier = identifier
        self.username = username
        self.localAccountID = localAccountID
        self.tenantID = tenantID
        self.returnOnlySignedIn = returnOnlySignedIn
    }

    func fits(_ account: Account) -> Bool {
        // Bytes, not characters: Unicode takes more for equal than was asked.
        func isEqual(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
        if let identifier, !isEqual(identifier, account.homeAccountID) { return false }
        if let username {
            let wanted = username.asciiLowercased
            let names = [account.username] + account.tenantProfiles.map(\.username)
            guard names.contains(where: { isEqual($0.asciiLowercased, wanted) }) else { return false }
        }
        guard localAccountID != nil || tenantID != nil else { return true }
        return account.tenantProfiles.contains { profile in
            (localAccountID.map { isEqual($0, profile.localAccountID) } ?? true)
                && (tenantID.map { isEqual($0.asciiLowercased, profile.tenantID.asciiLowercased) } ?? true)
        }
    }

    func check() throws(Failure) {
        for (name, value) in [
            ("identifier", identifier), ("username", username), ("local account identifier", localAccountID),
            ("tenant", tenantID),
        ] where value?.allSatisfy(\.isWhitespace) == true {
            throw Failure(.usage, "the \(name) to look for is empty", hint: "leave it out to get every account")
        }
    }
}

extension PublicClientApplication {
    /// The accounts that this client, or its family, has credentials of. Asks no server.
    ///
    /// Their tenant profiles come without claims, which are only read for those who ask for certain accounts.
    /// - Throws: ``/Identity/Failure`` with code `storeError`.
    public func allAccounts() async throws(Failure) -> [Account] {
        try await context.currentSnapshot().accounts(clientID: configuration.clientID)
    }

    /// The accounts that a query fits, with the claims of each of their tenants. Asks no server.
    ///
    /// - Throws: ``/Identity/Failure`` with code `usage` when a member of the query is empty, which would else fit
    ///   nobody or everybody; `storeError`.
    public func accounts(_ query: AccountQuery) async throws(Failure) -> [Account] {
        try query.check()
        let snapshot = try await context.currentSnapshot()
        return snapshot.accounts(clientID: query.returnOnlySignedIn ? configuration.clientID : nil).filter(query.fits)
            .map { described($0, snapshot) }
    }

    /// The account with this home account identifier, or nil. Compared exactly.
    ///
    /// - Throws: ``/Identity/Failure`` with code `usage` when it is empty; `ambiguous` when accounts of several clouds
    ///   have it.
    public func account(forIdentifier identifier: String) async throws(Failure) -> Account? {
        try await only(AccountQuery(identifier: identifier), "identifier")
    }

    /// The account with this username, or nil. Compared without regard to the case of ASCII letters.
    ///
    /// - Throws: ``/Identity/Failure`` with code `usage` when it is empty; `ambiguous` when several accounts have it:
    ///   the identifiers tell them apart.
    public func account(forUsername username: String) async throws(Failure) -> Account? {
        try await only(AccountQuery(username: username), "username")
    }

    /// The account that has this identifier in one of its tenants, or nil. Compared exactly.
    ///
    /// - Parameters:
    ///   - identifier: `oid` in a tenant of Entra ID, `sub` elsewhere.
    ///   - tenantID: the tenant, where it is known.
    /// - Throws: ``/Identity/Failure`` with code `usage` when it is empty; `ambiguous` when several accounts have it.
    public func account(forLocalAccountID identifier: String, tenantID: String? = nil) async throws(Failure) -> Account?
    {
        try await only(AccountQuery(localAccountID: identifier, tenantID: tenantID), "local account identifier")
    }

    /// The account that a silent call takes when its request names none: of the accounts of the client's authority, the
    /// only one, else the one that was made current; nil when no account is signed in there.
    ///
    /// - Throws: ``/Identity/Failure`` with code `ambiguous` when several are signed in and none was made current
    ///   (MSAL's single-account mode).
    public func currentAccount() async throws(Failure) -> Account? {
        let snapshot = try await context.currentSnapshot()
        do throws(Unresolved) {
            let request = TokenRequest(scopes: [])
            return described(try ResolvedRequest.account(for: request, in: snapshot, configuration), snapshot)
        } catch {
            switch error {
            case .needsPerson: return nil
            case .failed(let failure): throw failure
            }
        }
    }

    /// Makes an account the one that this client's requests mean when they name none; nil takes the choice back. Kept
    /// in the store.
    ///
    /// - Returns: the account that was current before, if it is still there.
    /// - Throws: ``/Identity/Failure`` with code `notFound` when the account is not signed in here, `storeError`.
    @discardableResult
    public func makeCurrent(_ account: Account?) async throws(Failure) -> Account? {
        let snapshot = try await context.currentSnapshot()
        let accounts = snapshot.accounts(clientID: configuration.clientID)
        if let account, !accounts.contains(where: { $0.id.isSamePerson(as: account.id) }) {
            throw Failure(.notFound, "\(account.label) is not signed in for this client")
        }
        do throws(StoreError) {
            try await BlockingExecutor.run { [cache, configuration] () throws(StoreError) in
                try cache.setCurrentAccount(account?.id, clientID: configuration.clientID)
            }
        } catch { throw Failure(error) }
        return snapshot.currentAccount(clientID: configuration.clientID).flatMap { id in
            accounts.first { $0.id.isSamePerson(as: id) }
        }
    }

    /// The ID token that belongs to a token that was just acquired, as the store has it. Reads where it is called.
    package func idToken(of token: AcquiredToken) throws(Failure) -> Secret? {
        let tokens = try snapshot().idTokens(of: token.account.id, clientID: configuration.clientID)
        return tokens.first { $0.realm.asciiLowercased == token.tenantID.asciiLowercased }?.secret
    }

    private func only(_ query: AccountQuery, _ name: String) async throws(Failure) -> Account? {
        let matches = try await accounts(query)
        guard matches.count < 2 else {
            throw Failure(
                .ambiguous, "several accounts have this \(name)",
                hint: "name one by its identifier: \(matches.map(\.homeAccountID).joined(separator: ", "))")
        }
        return matches.first
    }

    private func described(_ account: Account, _ snapshot: CacheSnapshot) -> Account {
        var account = account
        for token in snapshot.idTokens(of: account.id, clientID: configuration.clientID) {
            guard let claims = try? DecodedJWT(token.secret).payload else { continue }
            for index in account.tenantProfiles.indices
            where account.tenantProfiles[index].tenantID.asciiLowercased == token.realm.asciiLowercased {
                account.tenantProfiles[index].claims = claims
            }
        }
        return account
    }
}
