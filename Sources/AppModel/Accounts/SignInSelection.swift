package import Identity

/// A selection of sign-ins in a list, by the conditions of the screen's filter: `--tenant`, `--client` and `--state`.
package struct SignInSelection: Sendable {
    /// A state as scripts know it; see ``AccountStatus``.
    package enum State: String, CaseIterable, Sendable {
        case ready, refreshable, needsSignIn, rejected, signingOut, unknown
    }

    /// Part of a tenant's name or ID.
    package var tenant: String?
    package var states: Set<State> = []
    /// Whether a row is of the client that was named; nil for every client.
    package var isOfClient: (@Sendable (AccountOverview) -> Bool)?

    package init() {}

    /// The positions of the selected rows, in the order of the list.
    package func positions(in list: AccountList, status: (Int) -> AccountStatus) -> [Int] {
        var places = Array(list.accounts.indices)
        if let isOfClient { places = places.filter { isOfClient(list.accounts[$0]) } }
        if let tenant {
            let query = AccountQuery(conditions: [.tenant(tenant.lowercased())])
            places = query.conditioned(places, of: list, AccountStatuses(), AccountPrograms())
        }
        return states.isEmpty ? places : places.filter { states.contains(State(status($0))) }
    }
}

extension SignInSelection.State {
    package init(_ status: AccountStatus) {
        self =
            switch status {
            case .valid: .ready
            case .refreshable: .refreshable
            case .signInNeeded: .needsSignIn
            case .rejected: .rejected
            case .signingOut: .signingOut
            case .blocked: .unknown
            }
    }
}

extension AccountList {
    /// The directory of a row: where the person signed in, else the home tenant; nil at a provider without tenants.
    package func directory(of row: AccountOverview) -> (id: String, name: String?)? {
        let used = row.use.flatMap { $0.directory.isGUID ? $0.directory : nil }
        guard let id = used ?? row.account.homeTenantID else { return nil }
        let name = row.account.domain(in: id) ?? (id == row.account.homeTenantID ? row.account.domain : nil)
        return (id, id == Account.personalTenant ? tenantName(id) : name ?? tenantName(id))
    }
}
