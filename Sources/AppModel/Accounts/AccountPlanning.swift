package import Identity

// The action of Enter for a row, and its status: one decision for the list, the details and the call.
extension Context {
    /// How a silent call uses the account; the default client if the row has none. Nil if no client is known, and for
    /// an account in another program's store.
    package func use(of overview: AccountOverview) -> ClientUse? {
        guard overview.store == nil else { return nil }
        return overview.use ?? defaultUse
    }

    /// Nil if no client is known, and for an account in another program's store.
    package func plannedCall(_ overview: AccountOverview) -> PlannedCall? {
        guard let use = use(of: overview) else { return nil }
        return accounts.planner?.call(overview.account, use, now)
    }

    /// The credentials that a silent call considers for an account that needs sign-in.
    func considered(_ overview: AccountOverview, _ use: ClientUse) -> [CandidateLine] {
        guard overview.store == nil else { return [] }
        return accounts.planner?.considered(overview.account, use, now) ?? []
    }

    /// The row's status, from the silent call's decision and the provider's latest response.
    package func status(_ overview: AccountOverview) -> RowStatus {
        noting(overview.status(by: accounts.planner, use(of: overview), at: now), overview)
    }

    func noting(_ row: RowStatus, _ overview: AccountOverview) -> RowStatus {
        let isRejected =
            row.status == .refreshable
            && use(of: overview).flatMap { rejection(overview, clientID: $0.clientID) } != nil
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

    /// The client shown in a row of the list; for another program's account also how many more it has.
    package func client(shownFor overview: AccountOverview) -> String {
        if let use = overview.use { return use.shownName }
        guard let client = overview.account.clients.first else { return defaultUse?.shownName ?? "" }
        let others = overview.account.clients.count - 1
        return clientName(client) + (others > 0 ? " +\(others)" : "")
    }
}
