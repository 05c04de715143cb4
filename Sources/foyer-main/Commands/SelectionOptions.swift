import AppModel
import ArgumentParser
import CommandSupport
import FoundationEssentials
import Identity
import SilentCore

/// Which sign-ins to list: `--tenant` and `--state`, and with the common options `--client`.
struct SelectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only this tenant, by part of its name or ID", valueName: "tenant"))
    var tenant: String?
    @Option(
        help: ArgumentHelp(
            "Only sign-ins in this state: \(SignInSelection.State.allCases.map(\.rawValue).joined(separator: ", "))",
            valueName: "state"))
    var state: [SignInSelection.State] = []

    init() {}

    var isEmpty: Bool { tenant == nil && state.isEmpty }

    /// - Returns: nil for a state that does not exist, which the argument parser reports.
    init?(_ words: CommandWords) {
        tenant = words["tenant"]
        let named = words.all("state")
        state = named.compactMap { SignInSelection.State(rawValue: $0) }
        guard state.count == named.count else { return nil }
    }

    /// - Throws: for a client or an authority that is named and not known.
    func selection(_ session: CommandContext) throws(Failure) -> SignInSelection {
        var selection = try session.selectionOfNamedClient()
        selection.tenant = tenant
        selection.states = Set(state)
        return selection
    }
}

extension SignInSelection.State: ExpressibleByArgument {}

extension CommandContext {
    /// Everything of the client that an option or the environment names; everything if none is named.
    func selectionOfNamedClient() throws(Failure) -> SignInSelection {
        var selection = SignInSelection()
        selection.isOfClient = try rowsOfNamedClient()
        return selection
    }

    /// Whether a row is of the client that an option or the environment names, at its provider; nil if none is named.
    private func rowsOfNamedClient() throws(Failure) -> (@Sendable (AccountOverview) -> Bool)? {
        guard let client = try clientIfAny(onlyIfNamed: true) else { return nil }
        let cached = try cachedClient(client, cache: cacheForLooking(client))
        let isNamed = shared.client != nil || settings.client(named: client.name) != nil && shared.clientID == nil
        let authority = cached.configuration.authority
        let issuer = cached.configuration.issuer(of: authority)
        return { row in
            let account = row.account
            guard Cloud.isSame(account.environment, authority.environment), authority.isOfPolicy(account),
                issuer == nil ? account.issuer == nil : account.issuer == nil || account.issuer == issuer
            else { return false }
            guard let use = row.use else {
                return account.clients.contains { ClientID.isSame($0, client.clientID) }
            }
            return ClientID.isSame(use.clientID, client.clientID) && (!isNamed || use.plainName == client.name)
        }
    }
}

extension SignInSelection {
    var isEmpty: Bool { tenant == nil && states.isEmpty && isOfClient == nil }
}

/// The credentials of selected sign-ins, for lists of tokens and permissions.
struct SelectedCredentials {
    private let rows: [AccountOverview]
    private let list: SignInList
    private let tenant: String?

    /// - Parameter account: the account to select; nil for each.
    /// - Returns: nil if everything is selected.
    init?(
        _ selection: SignInSelection, account: String? = nil, _ session: CommandContext, all: Bool, at now: Date
    ) throws(Failure) {
        guard !selection.isEmpty || account != nil else { return nil }
        list = try SignInList(session, all: all)
        rows = try list.places(selection, account, at: now).map { [list] in list.rows[$0] }
        tenant = selection.tenant?.lowercased()
    }

    func contains(_ account: AccountID) -> Bool { rows.contains { $0.account.id.isSamePerson(as: account) } }

    func contains(_ credential: CachedCredential) -> Bool {
        guard let home = credential.homeAccountID else { return false }
        let owner = AccountID(homeAccountID: home, environment: credential.environment, issuer: credential.issuer)
        return contains(owner, credential.clientID, in: credential.realm)
    }

    /// - Parameter realm: of a token; empty for one that is of no tenant.
    func contains(_ account: AccountID, _ clientID: String, in realm: String) -> Bool {
        rows.contains { row in
            guard row.account.id.isSamePerson(as: account) else { return false }
            guard let use = row.use else { return row.account.clients.contains(clientID) }
            return ClientID.isSame(use.clientID, clientID)
        } && isOfTenant(realm, account)
    }

    private func isOfTenant(_ realm: String, _ account: AccountID) -> Bool {
        guard let tenant, !realm.isEmpty else { return true }
        let row = rows.first { $0.account.id.isSamePerson(as: account) }
        let names = [realm, list.list.tenantName(realm) ?? "", row?.account.domain(in: realm) ?? ""]
        return names.contains { $0.lowercased().contains(tenant) }
    }
}
