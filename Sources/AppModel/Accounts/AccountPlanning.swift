package import Identity

// The action of Enter for an account, and its status: one decision for the list, the details and the call.
extension Account {
    /// The preferred client if the account has it; else the default one, else the account's first.
    package func client(meant: String?, default usual: String?) -> String? {
        [meant, usual].compactMap(\.self).first(where: clients.contains) ?? clients.first
    }
}

extension Context {
    /// The account's client, see ``Account/client(meant:default:)``; one from the settings if the account has none.
    func client(of account: Account, meant: String?) -> String? {
        account.client(meant: meant, default: defaultClientID) ?? defaultClientID ?? clients.first?.clientID
    }

    /// The client of a silent call; nil if none is known, and for an account in another program's store.
    func clientToPlan(_ overview: AccountOverview, clientID: String?) -> String? {
        overview.store == nil ? client(of: overview.account, meant: clientID) : nil
    }

    /// Nil if no client is known, and for an account in another program's store.
    func plannedCall(_ overview: AccountOverview, clientID: String?) -> PlannedCall? {
        guard let clientID = clientToPlan(overview, clientID: clientID) else { return nil }
        return accounts.planner?.call(overview.account, clientID, now)
    }

    /// The credentials that a silent call considers for an account that needs sign-in.
    func considered(_ overview: AccountOverview, clientID: String) -> [CandidateLine] {
        guard overview.store == nil else { return [] }
        return accounts.planner?.considered(overview.account, clientID, now) ?? []
    }

    /// The account's status for a client, from the silent call's decision and the provider's latest response.
    package func status(_ overview: AccountOverview, clientID: String?) -> RowStatus {
        let planned = clientToPlan(overview, clientID: clientID)
        return noting(
            overview.status(by: accounts.planner, clientID: planned, inView: clientID, at: now), overview, planned)
    }

    func noting(_ row: RowStatus, _ overview: AccountOverview, _ clientID: String?) -> RowStatus {
        let isRejected = row.status == .refreshable && clientID.flatMap { rejection(overview, clientID: $0) } != nil
        return isRejected ? RowStatus(status: .rejected, resource: row.resource) : row
    }

    /// The footer's label for Enter; nil for the label in the key table.
    func labelOfOpening(_ overview: AccountOverview, _ status: AccountStatus) -> String? {
        if overview.store != nil { return "tokens" }
        return status.needsPerson ? "sign in" : nil
    }

    /// The provider's rejection, unless something newer was stored since.
    func rejection(_ overview: AccountOverview, clientID: String) -> ActivityLog.Rejection? {
        guard let rejection = activity.rejection(of: overview.account.id, clientID: clientID),
            !overview.lives.contains(where: {
                $0.clientID == clientID && $0.cachedAt.map { $0 > rejection.at } ?? false
            })
        else { return nil }
        return rejection
    }

    /// The domain of the account's name in this tenant, else the list's name for it, else the start of its ID.
    package func tenantName(_ id: String, of account: Account? = nil) -> String {
        if let account, id != Account.personalTenant {
            if id == account.homeTenantID, let domain = account.domain { return domain }
            // A guest has a username in the tenant's own domain, or the one from the home tenant.
            let guest = account.domain(in: id)
            if let guest, guest != account.domain { return guest }
        }
        return accounts.tenantName(id) ?? shortened(id)
    }
}

extension Context {
    /// The home tenant's name; the provider of an account without tenants.
    package func homeTenant(of account: Account) -> String {
        account.homeTenantID.map { tenantName($0, of: account) } ?? account.provider
    }

    /// The client shown in a row of the list, and how many more the account has.
    package func client(shownFor overview: AccountOverview, clientID: String?) -> String {
        guard let client = client(of: overview.account, meant: clientID) else { return "" }
        let others = overview.account.clients.count { $0 != client }
        return clientName(client) + (others > 0 ? " +\(others)" : "")
    }
}
