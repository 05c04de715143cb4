import CommandSupport
import Identity
import SilentFirst

/// What `[forward]` of the agent's own settings allows: each check throws what the other side is told, which names
/// nothing that it has not named itself.
struct ForwardPolicy: Sendable {
    let settings: ForwardSettings
    /// The agent's own, which say what the names of clients stand for.
    let all: Settings

    init(_ settings: Settings) { (self.settings, all) = (settings.forward, settings) }

    /// - Throws: `configuration` when nothing is named in the settings.
    func checkAny() throws(Failure) {
        guard settings.servesNothing else { return }
        throw Self.refusal(
            "the agent serves nothing to other hosts",
            write: "clients = [\"work\"] and scopes = [\"https://graph.microsoft.com/User.Read\"]")
    }

    /// - Parameter age: how long the forwarding has been there; nil when that is not known.
    /// - Throws: `configuration` when it has lasted too long.
    func check(age: Duration?) throws(Failure) {
        guard let age, age <= settings.lifetime else {
            throw Failure(
                .configuration, "this connection has lasted longer than the lifetime of forwarding",
                hint: "connect again, or set a longer lifetime in [forward] at home")
        }
    }

    /// The client that a request means which names none: the only one that is forwarded.
    var onlyClient: String? { settings.clients.count == 1 ? settings.clients[0] : nil }

    /// - Throws: `configuration` for a client that is not named.
    func check(_ client: ClientChoice) throws(Failure) {
        guard all.selects(client, .clients(settings.clients)) else {
            throw Self.refusal("this client is not forwarded", write: "its name in clients")
        }
    }

    /// - Parameters:
    ///   - asked: what the other side means; nil for the client's own.
    ///   - own: the one that this machine uses for the client.
    /// - Throws: `configuration` when they differ.
    func check(authority asked: String?, own: Authority) throws(Failure) {
        if let asked, (try? Authority(asked, kind: own.kind)) != own {
            throw Failure(
                .configuration, "the client has another authority at home",
                hint: "leave out --authority and FOYER_AUTHORITY, or write at home what you mean")
        }
    }

    /// - Parameter home: the account's own tenant, which an authority of many tenants means.
    /// - Throws: `configuration` for another tenant.
    func check(tenant: String?, own: Authority, home: String?) throws(Failure) {
        guard let tenant = tenant?.lowercased(), tenant != own.tenant.lowercased() else { return }
        guard own.isTenantIndependent, tenant == home?.lowercased() else {
            throw Failure(
                .configuration, "another tenant than the client's own is not forwarded",
                hint: "at home, write a client with that tenant in its authority, and name it in [forward]")
        }
    }

    /// The accounts of a client that may be served.
    func allowed(_ accounts: [Account], at own: Authority) -> [Account] {
        accounts.filter { account in
            account.issuer == own.issuer
                && (settings.accounts.isEmpty
                    || settings.accounts.contains {
                        $0.lowercased() == account.label.lowercased() || $0 == account.homeAccountID
                    })
        }
    }

    /// The account that is meant.
    ///
    /// - Parameter allowed: as ``allowed(_:at:)`` gives them.
    /// - Throws: `notFound`, or `ambiguous`; accounts are told only where the settings name them.
    func account(_ named: String?, of allowed: [Account]) throws(Failure) -> Account {
        let matches = named.map { allowed.meant(by: $0) } ?? allowed
        if matches.count == 1 { return matches[0] }
        guard !matches.isEmpty else {
            throw Failure(
                .notFound, "no account is signed in at home that is forwarded for this",
                hint: "at home, see \"foyer accounts\" and [forward] in the settings")
        }
        let names = settings.accounts.isEmpty ? "" : ": " + matches.map(\.label).joined(separator: ", ")
        throw Failure(
            .ambiguous, "several accounts are forwarded for this" + names, hint: "name one in full with --account")
    }

    /// - Throws: `configuration` when a scope is not named.
    func check(asked scopes: ScopeSet, at kind: Authority.Kind) throws(Failure) {
        guard let scope = scopes.names.first(where: { !allows($0, kind) }) else { return }
        throw Self.refusal("the scope \(scope) is not forwarded", write: "it in scopes")
    }

    /// Providers may grant more than was asked for, and a token in the cache may be for more: what leaves is checked.
    ///
    /// - Throws: `configuration` when the token is good for something that is not named.
    func check(granted scopes: ScopeSet, at kind: Authority.Kind) throws(Failure) {
        let more = scopes.withoutReserved.names.contains { $0.lowercased() != "email" && !allowsGranted($0, kind) }
        guard more else { return }
        throw Self.refusal(
            "the token that the provider gives for this is good for more than is forwarded",
            write: "the other scopes in scopes, or use a client with fewer")
    }

    private func allows(_ scope: String, _ kind: Authority.Kind) -> Bool {
        let wanted = Self.full(scope, kind)
        return settings.scopes.contains { entry in
            let entry = Self.full(entry, kind)
            if entry == wanted { return true }
            guard entry.hasSuffix("/*"), !wanted.hasSuffix("/.default") else { return false }
            return wanted.hasPrefix(entry.dropLast()) && !wanted.dropFirst(entry.count - 1).contains("/")
        }
    }

    /// Who is given everything of a resource that was consented to is given each of it.
    private func allowsGranted(_ scope: String, _ kind: Authority.Kind) -> Bool {
        if allows(scope, kind) { return true }
        guard kind != .oidc else { return false }
        let wanted = Self.full(scope, kind)
        guard let slash = wanted.lastIndex(of: "/") else { return false }
        let resource = wanted[..<slash]
        return settings.scopes.contains { entry in
            let entry = Self.full(entry, kind)
            return entry == resource + "/.default" || entry == resource + "//.default"
        }
    }

    private static let graph = "https://graph.microsoft.com/"

    /// Microsoft Graph's scopes have short names, without the resource, where Microsoft signs people in.
    private static func full(_ scope: String, _ kind: Authority.Kind) -> String {
        let folded = scope.lowercased()
        guard kind != .oidc else { return folded }
        if folded.hasPrefix(graph) { return String(folded.dropFirst(graph.count - 1)) }
        return folded.contains("/") || folded == "*" ? folded : "/" + folded
    }

    private static func refusal(_ what: String, write: String) -> Failure {
        Failure(.configuration, what, hint: .text("at home, write \(write) under [forward] of the settings file"))
    }
}
