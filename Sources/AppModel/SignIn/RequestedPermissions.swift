import Explain
import Identity

/// The permissions that a sign-in requests, riskiest first: shown for confirmation and during the sign-in.
struct RequestedPermissions: Equatable, Sendable {
    struct Permission: Equatable, Sendable {
        let scope: String
        let resource: String
        /// Nil if unknown.
        let meaning: ScopeMeaning?
    }

    let permissions: [Permission]

    init(_ request: SignInRequest, in context: Context) {
        let issuer = request.scopeIssuer(in: context)
        let asked = request.request.scopes.union(request.request.extraScopes)
        // The client always learns who signs in, so OpenID Connect's scopes are listed only if there are no others.
        let others = asked.withoutReserved.names.filter { !ScopeNames.isOpenID($0) }
        let names = others.isEmpty ? asked.names : asked.withoutReserved.names
        let requested = names.map { name in
            Permission(
                scope: name, resource: ScopeNames.resource(of: name, at: issuer),
                meaning: ScopeMeaning.of(name, at: issuer))
        }
        let none = others.isEmpty ? ScopeMeaning.ofNone(at: issuer) : nil
        permissions = (requested + (none.map { [Permission(scope: $0.name, resource: "", meaning: $0)] } ?? []))
            .sorted { left, right in
                left.rank != right.rank ? left.rank > right.rank : left.scope < right.scope
            }
    }

    /// Nil if none is known.
    var highestRisk: ScopeMeaning.Risk? { permissions.compactMap { $0.meaning?.risk }.max() }

    /// Those of the riskiest permission.
    var riskWord: String { permissions.first?.riskWord ?? "" }
    var tone: Tone { permissions.first?.tone ?? .muted }
}

extension RequestedPermissions.Permission {
    /// Unknown scopes come before those known to be harmless.
    fileprivate var rank: Int { meaning.map { $0.risk.rawValue * 2 } ?? 3 }

    var riskWord: String { meaning?.risk.word ?? "unknown" }
    var tone: Tone { meaning?.risk.tone ?? .attention }

    var words: String {
        let isPlain = ScopeNames.isShort(scope, of: resource)
        let included = meaning?.includes ?? []
        let with = included.isEmpty ? "" : "; includes " + included.joined(separator: ", ")
        let admin = meaning?.needsAdministrator == true ? "; admin consent required" : ""
        return (isPlain ? ScopeNames.short(scope) : scope) + ": "
            + (meaning?.sentence ?? "no description; see the provider's page") + with + admin
    }
}

extension SignInRequest {
    fileprivate func scopeIssuer(in context: Context) -> ScopeIssuer {
        let client = configured(in: context)
        guard let authority = request.authority ?? client?.provider else { return .other }
        if [.aad, .ciam].contains(authority.kind) { return .microsoft }
        return (client?.defaults ?? RequestDefaults()).server(at: authority).map { ScopeIssuer.server($0) } ?? .other
    }

    /// The tenant, or the allowed kinds of accounts; empty if the provider has no tenants.
    private func tenantWords(in context: Context) -> String {
        if let tenant { return words(tenant, in: context) }
        guard let tenant = request.authority?.tenant.asciiLowercased else { return "" }
        return SignInParties.accounts(ofAlias: tenant) ?? words(tenant, in: context)
    }

    /// The tenant, else the provider's host.
    func place(in context: Context) -> String {
        let tenant = self.tenant.map { context.tenantName($0, of: request.account) } ?? tenantWords(in: context)
        return tenant.isEmpty ? request.authority?.address.hostAndPort ?? "" : tenant
    }

    private func words(_ tenant: String, in context: Context) -> String {
        let name = context.tenantName(tenant, of: request.account)
        return tenant.isGUID && name != shortened(tenant) ? "\(name), \(tenant)" : tenant
    }

    /// The client of the settings, by its name if several have the ID.
    func configured(in context: Context) -> ConfiguredClient? {
        context.clients.first { $0.clientID == clientID && $0.name == clientName } ?? context.client(clientID)
    }

    func shownClient(in context: Context) -> String { clientName ?? context.clientName(clientID) }

    func accountWords(else unknown: String) -> String { request.person ?? unknown }

    func addParties(in context: Context, to block: inout TextBlock) {
        let name = shownClient(in: context)
        block.field("client", name == shortened(clientID) ? clientID : "\(name), \(clientID)", labelWidth: 10)
        let tenant = tenantWords(in: context)
        if !tenant.isEmpty { block.field("tenant", tenant, labelWidth: 10) }
        if let authority = request.authority { block.field("provider", authority.address.hostAndPort, labelWidth: 10) }
        block.field("account", accountWords(else: "the one you choose"), labelWidth: 10)
    }
}

extension TextBlock {
    mutating func add(_ requested: RequestedPermissions, labelWidth: Int = 10, indent: Int = 0) {
        let space = String(repeating: " ", count: indent)
        for permission in requested.permissions {
            pair(space + permission.riskWord, permission.tone, permission.words, labelWidth: labelWidth)
        }
    }
}
