import AppModel
import CommandSupport
import Console
import Explain
import FoundationEssentials
import Identity
import TokenCache

/// The table of `foyer tokens`: a section for each client and account with its access, refresh and ID tokens.
struct TokenTable {
    let listing: Listing
    /// Unusable entries, for a terminal; a pipe lists them with the others.
    let damaged: Listing?
    let summary: String
    let isEmpty: Bool

    init(_ session: CommandContext, _ stores: [StoredTokens], namesStores: Bool, reveals: Bool, at now: Date) {
        let ids = TokenIDs { add in
            for store in stores { for group in store.groups { for one in group.held { add(one.credential) } } }
        }
        let isForTerminal = session.screen.columns != nil
        var (count, expired) = (0, 0)
        // Whether an account has access tokens that differ in the tenant.
        var hasTenants = false
        var sections: [(end: Date, heading: [TextSpan], count: Int, row: (Int) -> Row)] = []
        for store in stores {
            for (client, held) in store.groups {
                let owners = Dictionary(grouping: held.indices) { index in
                    let credential = held[index].credential
                    return Owner(store.owner(credential.homeAccountID), store.clients.name(of: credential))
                }
                for (owner, name) in owners.keys.map({ ($0.account, $0.client) }).sorted(by: { $0 < $1 }) {
                    // Rows are made one by one, as there can be very many.
                    let order = Self.ordered(owners[Owner(owner, name)] ?? [], of: held)
                    let realms = order.lazy.map { held[$0].credential }.filter { $0.kind == .accessToken }.map(\.realm)
                    hasTenants = hasTenants || realms.first.map { first in realms.contains { $0 != first } } ?? false
                    func row(_ number: Int) -> Row {
                        let one = held[order[number]]
                        return Row(
                            store: store.name, client: name, account: owner, kind: one.credential.kind,
                            key: one.credential.id, id: ids[one.credential], held: one)
                    }
                    let heading =
                        isForTerminal
                        ? Self.heading(client, name, owner, store: namesStores ? store.name : nil) : []
                    sections.append((Self.firstEnd(order, of: held), heading, order.count, row))
                }
                count += held.count
                expired += held.count { $0.findings.contains(.expired) }
            }
        }
        let broken = stores.flatMap { store in
            store.damaged.map { entry in
                Row(
                    store: store.name, client: entry.clientID.map(session.clientName) ?? "",
                    account: entry.homeAccountID.map(store.owner) ?? "", kind: entry.kind, key: entry.key,
                    damage: entry.why)
            }
        }
        isEmpty = sections.isEmpty && (isForTerminal || broken.isEmpty)
        if isForTerminal {
            // The most urgent ones are at the top.
            let order = sections.indices.sorted { (sections[$0].end, $0) < (sections[$1].end, $1) }
            sections = order.map { sections[$0] }
        } else {
            sections.append((.distantFuture, [], broken.count, { broken[$0] }))
        }
        listing = Listing(
            sections.map { ($0.heading, $0.count, $0.row) },
            Self.fields(Clock(now: now, secondsFromGMT: 0), hasTenants: hasTenants, reveals: reveals))
        damaged = broken.isEmpty ? nil : Self.damaged(broken, namesStores: namesStores)
        summary =
            counted(count, "token") + (expired == 0 ? "" : ", \(expired) expired")
            + (broken.isEmpty ? "" : ", \(broken.count) damaged")
    }

    /// When the first access token expires or has expired.
    private static func firstEnd(_ order: [Int], of held: [HeldCredential]) -> Date {
        order.lazy.map { held[$0].credential }.filter { $0.kind == .accessToken }.compactMap(\.expiresOn).min()
            ?? .distantFuture
    }

    /// Access, refresh and ID tokens; in each group those that expire first, then the home tenant.
    private static func ordered(_ indices: [Int], of held: [HeldCredential]) -> [Int] {
        let kinds = CachedCredential.Kind.allCases
        return indices.map { index in
            let token = held[index].credential
            let isHome = token.isOfHomeTenant
            let kind = kinds.firstIndex(of: token.kind) ?? 0
            return ((kind, token.expiresOn ?? .distantFuture, isHome ? 0 : 1, token.realm, token.id), index)
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static func fields(_ clock: Clock, hasTenants: Bool, reveals: Bool) -> [Listing.Field<Row>] {
        [
            .init("STORE", isForPipes: true) { .init($0.store) },
            .init("CLIENT", isForPipes: true) { .init($0.client) },
            .init("ACCOUNT", isForPipes: true) { .init($0.account) },
            .init("ID") { .init($0.id) },
            .init("KIND") { .init($0.kind.word, $0.tone) },
            .init("FOR", least: 12, usual: 32, rank: 1) { .init($0.token.map(resource) ?? "", $0.tone) },
            .init("EXPIRES") { .init($0.token.map { expiry($0, clock) } ?? "", $0.tone) },
            .init("SCOPES", least: 10, usual: 32, isList: true, rank: 2) { .init($0.token.map(scopes) ?? "", .muted) },
            .init("TENANT", least: 13, usual: hasTenants ? 22 : 40, rank: hasTenants ? 1 : 4) {
                .init($0.token?.realm ?? "", .muted)
            },
            .init("CACHED", rank: 3) {
                .init($0.held?.age(at: clock.now).map { "\(TimeSpan.words($0)) ago" } ?? "", .muted)
            },
            .init("NOTE", least: 10, rank: 1) { .init($0.note, .attention) },
            .init("KEY", isForPipes: true) { .init($0.key, .muted) },
            .init("SECRET", isPart: reveals) { .init($0.token.map(secret) ?? "") },
        ]
    }

    private static func heading(_ client: ClientInventory, _ name: String, _ owner: String, store: String?)
        -> [TextSpan]
    {
        (store.map { [TextSpan("\($0): ", .muted)] } ?? []) + [
            TextSpan(name, .emphasis), TextSpan("  "), TextSpan(owner),
            TextSpan(client.wellKnown?.isFamily == true ? "  Microsoft family" : "", .muted),
            TextSpan(name == client.clientID ? "" : "  " + client.clientID, .muted),
        ]
    }

    private static func secret(_ token: CachedCredential) -> String {
        SafeText.isPrintableToken(token.secret.reveal()) ? token.secret.reveal() : "(not printable)"
    }

    /// The resource of an access token: the product's name if known.
    private static func resource(_ token: CachedCredential) -> String {
        if token.kind == .refreshToken { return token.familyID?.isEmpty == false ? "any family client" : "" }
        guard token.kind == .accessToken else { return "" }
        if let server = KnownServer.of(token) { return server.title }
        let ofMicrosoft = Cloud.containing(host: token.environment) != nil
        let names = token.scopes.withoutReserved.byResource.map { group in
            guard group.resource.isEmpty else { return ScopeMeaning.resourceName(group.resource) }
            return ScopeMeaning.resourceName(
                ofMicrosoft ? ScopeMeaning.graph : ScopeMeaning.resource(ofBare: group.scopes.names))
        }
        return names.filter { !$0.isEmpty }.uniqued(by: \.self).joined(separator: ", ")
    }

    private static func scopes(_ token: CachedCredential) -> String {
        token.kind == .accessToken ? token.scopes.description : ""
    }

    private static func expiry(_ token: CachedCredential, _ clock: Clock) -> String {
        guard let end = token.expiresOn else { return "" }
        let left = clock.seconds(until: end)
        return TimeSpan.end(end) { _ in left > 0 ? TimeSpan.words(left) : "expired \(TimeSpan.words(-left)) ago" }
    }

    private static func damaged(_ broken: [Row], namesStores: Bool) -> Listing {
        let heading = "damaged: \(counted(broken.count, "entry", "entries"))"
        return Listing(
            [([TextSpan(heading, .attention)], broken.count, { broken[$0] })],
            [
                .init("STORE") { .init(namesStores ? $0.store : "", .muted) }, .init("KIND") { .init($0.kind.word) },
                .init("WHY", least: 16) { .init($0.damage, .attention) },
                .init("CLIENT", least: 8, usual: 20, rank: 1) { .init($0.client, .muted) },
                .init("ACCOUNT", least: 12, rank: 2) { .init($0.account, .muted) },
                .init("KEY", least: 16) { .init($0.key, .muted) },
            ])
    }
}

/// A section of the table: an account, and the name of a client.
private struct Owner: Hashable {
    let account: String
    let client: String

    init(_ account: String, _ client: String) { (self.account, self.client) = (account, client) }
}

private struct Row {
    let store: String
    let client: String
    let account: String
    let kind: CachedCredential.Kind
    let key: String
    var id = ""
    var held: HeldCredential?
    var damage = ""

    var token: CachedCredential? { held?.credential }
    var tone: Tone { held?.findings.contains(.expired) == true ? .muted : .text }
    var note: String { held?.notes ?? "damaged: \(damage)" }
}
