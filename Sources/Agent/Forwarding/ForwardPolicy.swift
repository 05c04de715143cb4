import CommandSupport
import Identity
import SilentFirst

/// Enforces the agent's own `[forward]` settings. Errors go to the other host, so they mention nothing that its request
/// did not.
struct ForwardPolicy: Sendable {
    let settings: ForwardSettings
    /// The agent's own, which define the client names.
    let all: Settings

    init(_ settings: Settings) { (self.settings, all) = (settings.forward, settings) }

    /// - Throws: `configuration` if the settings forward nothing.
    func checkAny() throws(Failure) {
        guard settings.servesNothing else { return }
        throw Self.refusal(
            "nothing is forwarded",
            write: "clients = [\"work\"] and scopes = [\"https://graph.microsoft.com/User.Read\"]")
    }

    /// - Parameter age: the time since the forwarding process started; nil if unknown.
    /// - Throws: `configuration` if it exceeds the forwarding lifetime.
    func check(age: Duration?) throws(Failure) {
        guard let age, age <= settings.lifetime else {
            throw Failure(
                .configuration, "this connection exceeded the forwarding lifetime",
                hint: "connect again, or set a longer lifetime under [forward] on your machine")
        }
    }

    /// The client of a request without one: the only forwarded client.
    var onlyClient: String? { settings.clients.count == 1 ? settings.clients[0] : nil }

    /// - Throws: `configuration` if the client is not forwarded.
    func check(_ client: ClientChoice) throws(Failure) {
        guard all.selects(client, .clients(settings.clients)) else {
            throw Self.refusal("this client is not forwarded", write: "its name to clients")
        }
    }

    /// - Parameters:
    ///  - asked: the requested authority; nil for the client's own.
    ///  - own: the client's authority on this machine.
    /// - Throws: `configuration` if they differ.
    func check(authority asked: String?, own: Authority) throws(Failure) {
        if let asked, (try? Authority(asked, kind: own.kind)) != own {
            throw Failure(
                .configuration, "the client's authority differs on your machine",
                hint: "leave out --authority and FOYER_AUTHORITY, or change it on your machine")
        }
    }

    /// - Parameter home: the account's home tenant, the default of a tenant-independent authority.
    /// - Throws: `configuration` for any other tenant.
    func check(tenant: String?, own: Authority, home: String?) throws(Failure) {
        guard let tenant = tenant?.lowercased(), tenant != own.tenant.lowercased() else { return }
        guard own.isTenantIndependent, tenant == home?.lowercased() else {
            throw Failure(
                .configuration, "only the client's own tenant is forwarded",
                hint: "on your machine, add a client with that tenant in its authority and forward it")
        }
    }

    func allowed(_ accounts: [Account], at own: Authority) -> [Account] {
        accounts.filter { account in
            account.issuer == own.issuer
                && (settings.accounts.isEmpty
                    || settings.accounts.contains {
                        $0.lowercased() == account.label.lowercased() || account.isIdentified(by: $0)
                    })
        }
    }

    /// The requested account.
    ///
    /// - Parameter allowed: the result of ``allowed(_:at:)``.
    /// - Throws: `notFound` or `ambiguous`; names accounts only if the settings list them.
    func account(_ named: String?, of allowed: [Account]) throws(Failure) -> Account {
        let matches = named.map { allowed.meant(by: $0) } ?? allowed
        if matches.count == 1 { return matches[0] }
        guard !matches.isEmpty else {
            throw Failure(
                .notFound, "no forwarded account matches",
                hint: "on your machine, see \"foyer accounts\" and [forward] in the settings")
        }
        let names = settings.accounts.isEmpty ? "" : ": " + matches.map(\.label).joined(separator: ", ")
        throw Failure(
            .ambiguous, "several forwarded accounts match" + names, hint: "give a full name with --account")
    }

    /// - Throws: `configuration` for a resource indicator: the settings only know scopes.
    func check(resource: String?) throws(Failure) {
        guard resource != nil else { return }
        throw Failure(
            .configuration, "tokens with a resource indicator are not forwarded", hint: "request scopes alone")
    }

    /// - Throws: `configuration` if a scope is not forwarded.
    func check(asked scopes: ScopeSet, at kind: Authority.Kind) throws(Failure) {
        guard let scope = scopes.names.first(where: { !allows($0, kind) }) else { return }
        // In the settings it would stand for all scopes of the resource.
        guard !Self.full(scope, kind).hasSuffix("/*") else {
            throw Failure(
                .configuration, "the scope \(scope) is not forwarded", hint: "request each scope by its name")
        }
        throw Self.refusal("the scope \(scope) is not forwarded", write: "it to scopes")
    }

    /// Checks the token that is about to leave: providers may grant more than the request, and a cached token may cover
    /// more.
    ///
    /// - Throws: `configuration` if the token covers a scope that is not forwarded.
    func check(granted scopes: ScopeSet, at kind: Authority.Kind) throws(Failure) {
        guard kind != .oauth2 || !scopes.isEmpty else {
            throw Self.refusal("the server does not say what this token may do", write: "scopes to the client")
        }
        let more = scopes.withoutReserved.names.contains { $0.lowercased() != "email" && !allowsGranted($0, kind) }
        guard more else { return }
        throw Self.refusal(
            "the token would grant more than [forward] allows",
            write: "the other scopes to scopes (or use a client with fewer)")
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

    /// Forwarding all consented permissions of a resource includes each of them.
    private func allowsGranted(_ scope: String, _ kind: Authority.Kind) -> Bool {
        if allows(scope, kind) { return true }
        guard !kind.isStandard else { return false }
        let wanted = Self.full(scope, kind)
        guard let slash = wanted.lastIndex(of: "/") else { return false }
        let resource = wanted[..<slash]
        return settings.scopes.contains { entry in
            let entry = Self.full(entry, kind)
            return entry == resource + "/.default" || entry == resource + "//.default"
        }
    }

    private static let graph = "https://graph.microsoft.com/"

    /// Microsoft Graph scopes can omit the resource at Microsoft's authorities.
    private static func full(_ scope: String, _ kind: Authority.Kind) -> String {
        let folded = scope.lowercased()
        guard !kind.isStandard else { return folded }
        if folded.hasPrefix(graph) { return String(folded.dropFirst(graph.count - 1)) }
        return folded.contains("/") || folded == "*" ? folded : "/" + folded
    }

    private static func refusal(_ what: String, write: String) -> Failure {
        Failure(.configuration, what, hint: .text("on your machine, add \(write) under [forward] in the settings file"))
    }
}
