package import Identity

// What Enter would do with an account, and how the account stands by that: one decision for the list, the details and
// the call.
extension Account {
    /// The client that is meant, as far as the account has it; else the default one, else the first that it has.
    package func client(meant: String?, default usual: String?) -> String? {
        [meant, usual].compactMap(\.self).first(where: clients.contains) ?? clients.first
    }
}

extension Context {
    /// The client that is meant for an account: this one, the default one, else the first that the account has.
    func client(of account: Account, meant: String?) -> String? {
        account.client(meant: meant, default: defaultClientID) ?? defaultClientID ?? clients.first?.clientID
    }

    /// The client of the silent call for an account; nil when none is known, and for an account of another program's
    /// store.
    func clientToPlan(_ overview: AccountOverview, clientID: String?) -> String? {
        overview.store == nil ? client(of: overview.account, meant: clientID) : nil
    }

    /// Nil when no client is known, and for an account of another program's store.
    func plannedCall(_ overview: AccountOverview, clientID: String?) -> PlannedCall? {
        guard let clientID = clientToPlan(overview, clientID: clientID) else { return nil }
        return accounts.planner?.call(for: overview.account, clientID: clientID, at: now)
    }

    /// Which credentials a silent call looks at for an account that somebody has to sign in for.
    func considered(_ overview: AccountOverview, clientID: String) -> [ConsideredLine] {
        guard overview.store == nil else { return [] }
        return accounts.planner?.considered(for: overview.account, clientID: clientID, at: now) ?? []
    }

    /// How the account stands for a client: by the silent call's decision, and by what the provider said last.
    package func status(_ overview: AccountOverview, clientID: String?) -> AccountStatus {
        let planned = clientToPlan(overview, clientID: clientID)
        return noting(
            overview.status(by: accounts.planner, clientID: planned, inView: clientID, at: now), overview, planned)
    }

    /// A decision, and what the provider said last.
    func noting(_ status: AccountStatus, _ overview: AccountOverview, _ clientID: String?) -> AccountStatus {
        guard status == .refreshable, let clientID, rejection(overview, clientID: clientID) != nil else {
            return status
        }
        return .rejected
    }

    /// What the footer says that Enter does with an account; nil for what its key table says.
    func labelOfOpening(_ overview: AccountOverview, _ status: AccountStatus) -> String? {
        if overview.store != nil { return "tokens" }
        return status.needsPerson ? "sign in" : nil
    }

    /// The provider's refusal, as long as nothing newer came.
    func rejection(_ overview: AccountOverview, clientID: String) -> ActivityLog.Rejection? {
        guard let rejection = activity.rejection(of: overview.account.id, clientID: clientID),
            !overview.lives.contains(where: {
                $0.clientID == clientID && $0.cachedAt.map { $0 > rejection.at } ?? false
            })
        else { return nil }
        return rejection
    }

    /// A tenant by the domain of the account's name there, else as the list of accounts knows it, else by the beginning
    /// of its identifier.
    package func tenantName(_ id: String, of account: Account? = nil) -> String {
        if let account, id != Account.personalTenant {
            if id == account.homeTenantID, let domain = account.domain { return domain }
            // A guest has a name of the tenant's own domain, or the one from home.
            let guest = account.domain(in: id)
            if let guest, guest != account.domain { return guest }
        }
        return accounts.tenantName(id) ?? shortened(id)
    }
}

extension Context {
    /// The client that a row of the list is about, and how many others the account has.
    package func client(shownFor overview: AccountOverview, clientID: String?) -> String {
        guard let client = client(of: overview.account, meant: clientID) else { return "" }
        let others = overview.account.clients.count { $0 != client }
        return clientName(client) + (others > 0 ? " +\(others)" : "")
    }
}
