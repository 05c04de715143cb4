public import Identity
import SilentCore
import TokenCache

/// A filter for accounts. An account must match every member that is set.
public struct AccountQuery: Hashable, Sendable {
    /// The home account identifier. Only those of Entra ID and B2C match in any case.
    public var identifier: String?
    /// The username in any tenant; ASCII case is ignored.
    public var username: String?
    /// `oid` or `sub` in a tenant. Only those of Entra ID and B2C match in any case.
    public var localAccountID: String?
    /// Limits the result to accounts known in this tenant.
    public var tenantID: String?
    /// Whether to omit accounts that are signed out of this client or have no credential of it.
    public var returnOnlySignedIn: Bool

    /// Creates a filter; without arguments, it matches every signed-in account.
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
        // Bytes, not characters: Unicode equivalence is too lenient here.
        func isEqual(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
        if let identifier, !account.isIdentified(by: identifier) { return false }
        if let username {
            let wanted = username.asciiLowercased
            let names = [account.username] + account.tenantProfiles.map(\.username)
            guard names.contains(where: { isEqual($0.asciiLowercased, wanted) }) else { return false }
        }
        guard localAccountID != nil || tenantID != nil else { return true }
        let ignoresCase = HomeAccountID.ignoresCase(account.homeAccountID, issuer: account.issuer)
        func isEqualID(_ left: String, _ right: String) -> Bool {
            ignoresCase ? left.isSameIgnoringCase(as: right) : isEqual(left, right)
        }
        return account.tenantProfiles.contains { profile in
            (localAccountID.map { isEqualID($0, profile.localAccountID) } ?? true)
                && (tenantID.map { isEqual($0.asciiLowercased, profile.tenantID.asciiLowercased) } ?? true)
        }
    }

    func check() throws(Failure) {
        for (name, value) in [
            ("identifier", identifier), ("username", username), ("local account identifier", localAccountID),
            ("tenant", tenantID),
        ] where value?.allSatisfy(\.isWhitespace) == true {
            throw Failure(.usage, "the \(name) is empty", hint: "omit it to get every account")
        }
    }
}

extension AccountQuery: Codable {
    private enum CodingKeys: String, CodingKey {
        case identifier, username
        case localAccountID = "localAccountId"
        case tenantID = "tenantId"
        case returnOnlySignedIn
    }

    /// Every key is optional: `identifier`, `username`, `localAccountId`, `tenantId` and `returnOnlySignedIn`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try values.decodeIfPresent(String.self, forKey: .identifier),
            username: try values.decodeIfPresent(String.self, forKey: .username),
            localAccountID: try values.decodeIfPresent(String.self, forKey: .localAccountID),
            tenantID: try values.decodeIfPresent(String.self, forKey: .tenantID),
            returnOnlySignedIn: try values.value(.returnOnlySignedIn, or: true))
    }
}

extension AccountQuery: CustomStringConvertible, CustomReflectable {
    /// Without the names that it has.
    public var description: String { "account query" }
    /// No children, so `dump` shows no names.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PublicClientApplication {
    /// The accounts with credentials of this client or its family. Reads only the store.
    ///
    /// - Parameter readsClaims: whether to decode the ID tokens of each account; otherwise its claims are
    ///   ``/Identity/AccountClaims/notRead``, which is quicker for a long list.
    /// - Throws: ``/Identity/Failure`` with code `storeError`.
    public func allAccounts(readsClaims: Bool = false) async throws(Failure) -> [Account] {
        let snapshot = try await context.currentSnapshot()
        let accounts = snapshot.accounts(clientID: configuration.clientID)
        return readsClaims ? accounts.map { described($0, snapshot) } : accounts
    }

    /// The accounts that match a query, with the claims of each of their tenants. Reads only the store.
    ///
    /// - Throws: ``/Identity/Failure`` with code `usage` if a member of the query is empty; `storeError`.
    public func accounts(_ query: AccountQuery) async throws(Failure) -> [Account] {
        try query.check()
        let snapshot = try await context.currentSnapshot()
        return snapshot.accounts(clientID: query.returnOnlySignedIn ? configuration.clientID : nil).filter(query.fits)
            .map { described($0, snapshot) }
    }

    /// The account with this home account identifier, or nil.
    ///
    /// - Throws: ``/Identity/Failure`` with code `usage` if empty; `ambiguous` if accounts of several clouds have it.
    public func account(forIdentifier identifier: String) async throws(Failure) -> Account? {
        try await only(AccountQuery(identifier: identifier), "identifier")
    }

    /// The account with this username, or nil. ASCII case is ignored.
    ///
    /// - Throws: ``/Identity/Failure`` with code `usage` if it is empty; `ambiguous` if several accounts have it.
    public func account(forUsername username: String) async throws(Failure) -> Account? {
        try await only(AccountQuery(username: username), "username")
    }

    /// The account with this identifier in one of its tenants, or nil.
    ///
    /// - Parameters:
    ///   - identifier: `oid` in a tenant of Entra ID, `sub` elsewhere.
    ///   - tenantID: the tenant, if known.
    /// - Throws: ``/Identity/Failure`` with code `usage` if it is empty; `ambiguous` if several accounts have it.
    public func account(forLocalAccountID identifier: String, tenantID: String? = nil) async throws(Failure) -> Account?
    {
        try await only(AccountQuery(localAccountID: identifier, tenantID: tenantID), "local account identifier")
    }

    /// The default account of silent calls: the only one at the client's authority, else the current one, or nil.
    ///
    /// - Throws: ``/Identity/Failure`` with code `ambiguous` if several are signed in and none is current.
    public func currentAccount() async throws(Failure) -> Account? {
        let snapshot = try await context.currentSnapshot()
        do throws(ResolutionError) {
            let request = TokenRequest(scopes: [])
            return described(try ResolvedRequest.account(for: request, in: snapshot, configuration), snapshot)
        } catch {
            switch error {
            case .needsPerson: return nil
            case .failed(let failure): throw failure
            }
        }
    }

    /// Sets the account for requests that name none; nil clears it. Saved in the store.
    ///
    /// - Returns: the previous current account, if it still exists.
    /// - Throws: ``/Identity/Failure`` with code `notFound` if the account is not signed in here; `storeError`.
    @discardableResult
    public func makeCurrent(_ account: Account?) async throws(Failure) -> Account? {
        let snapshot = try await context.currentSnapshot()
        let accounts = snapshot.accounts(clientID: configuration.clientID)
        if let account, !accounts.contains(where: { $0.id.isSamePerson(as: account.id) }) {
            throw Failure(.notFound, "\(account.label) is not signed in for this client", naming: account.names)
        }
        do throws(StoreError) {
            try await BlockingExecutor.run { [context, configuration] () throws(StoreError) in
                try context.cache.setCurrentAccount(account?.id, clientID: configuration.clientID)
            }
        } catch { throw Failure(error) }
        return snapshot.currentAccount(clientID: configuration.clientID).flatMap { id in
            accounts.first { $0.id.isSamePerson(as: id) }
        }
    }

    private func only(_ query: AccountQuery, _ name: String) async throws(Failure) -> Account? {
        let matches = try await accounts(query)
        guard matches.count < 2 else {
            throw Failure(
                .ambiguous, "several accounts have this \(name)",
                hint: "choose one by identifier: \(matches.map(\.homeAccountID).joined(separator: ", "))",
                naming: matches.map(\.homeAccountID))
        }
        return matches.first
    }

    private func described(_ account: Account, _ snapshot: CacheSnapshot) -> Account {
        var account = account
        for index in account.tenantProfiles.indices { account.tenantProfiles[index].claims = .noIDToken }
        for token in snapshot.idTokens(of: account.id, clientID: configuration.clientID) {
            guard let claims = try? DecodedJWT(token.secret).payload else { continue }
            for index in account.tenantProfiles.indices
            where account.tenantProfiles[index].tenantID.asciiLowercased == token.realm.asciiLowercased {
                account.tenantProfiles[index].claims = .read(claims)
            }
        }
        return account
    }
}
