import AppModel
import CommandSupport
import Console
import Explain
import FoundationEssentials
import Identity
import TokenCache

/// Cached tokens as `foyer tokens` lists them: a section for each client and account, in it access, refresh and ID
/// tokens.
struct TokenTable {
    let listing: Listing
    /// Entries that cannot be used, for a terminal: a pipe has them among the others.
    let damaged: Listing?
    let summary: String
    let isEmpty: Bool

    init(_ session: CommandContext, _ stores: [StoredTokens], namesStores: Bool, reveals: Bool, at now: Date) {
        let clock = Clock(now: now, secondsFromGMT: 0)
        let held = stores.flatMap(\.groups).flatMap(\.held)
        let ids = TokenIDs(held.map(\.credential))
        let isForTerminal = session.screen.columns != nil
        var sections: [Listing.Section] = []
        for store in stores {
            for (client, held) in store.groups {
                let name = session.clientName(client.clientID)
                let owners = Dictionary(grouping: held) { store.owner($0.credential.homeAccountID) }
                for owner in owners.keys.sorted() {
                    let rows = Self.ordered(owners[owner] ?? []).map { one in
                        [.init(store.name), .init(name), .init(owner)]
                            + Self.cells(one, ids[one.credential], reveals: reveals, clock)
                    }
                    sections.append(
                        Listing.Section(
                            heading: Self.heading(
                                client, name, owner, store: namesStores ? store.name : nil),
                            rows: rows))
                }
            }
        }
        let broken = stores.flatMap { store in store.damaged.map { (store, $0) } }
        isEmpty = sections.isEmpty && (isForTerminal || broken.isEmpty)
        if !isForTerminal {
            sections.append(
                Listing.Section(
                    rows: broken.map { store, entry in
                        [
                            .init(store.name), .init(entry.clientID.map(session.clientName) ?? ""),
                            .init(entry.homeAccountID.map { store.names[$0] ?? $0 } ?? ""), .init(""),
                            .init(entry.kind.word), .init(""), .init(""), .init(""), .init(""), .init(""),
                            .init("damaged: \(entry.why)"), .init(entry.key),
                        ] + (reveals ? [.init("")] : [])
                    }))
        }
        listing = Listing(Self.columns(namesStores: namesStores, reveals: reveals), sections)
        damaged = broken.isEmpty ? nil : Self.damaged(broken, session, namesStores: namesStores)
        let expired = held.count { $0.findings.contains(.expired) }
        summary =
            counted(held.count, "token") + (expired == 0 ? "" : ", \(expired) expired")
            + (broken.isEmpty ? "" : ", \(broken.count) damaged")
    }

    /// Access, refresh and ID tokens; of each the home tenant's first.
    private static func ordered(_ held: [HeldCredential]) -> [HeldCredential] {
        let kinds = CachedCredential.Kind.allCases
        return held.map { one in
            let token = one.credential
            let isHome = token.homeAccountID.map { $0.hasSuffix("." + token.realm) } ?? true
            return ((kinds.firstIndex(of: token.kind) ?? 0, isHome ? 0 : 1, token.realm, token.id), one)
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static func columns(namesStores: Bool, reveals: Bool) -> [Listing.Column] {
        [
            .init(title: "STORE", isForPipes: true), .init(title: "CLIENT", isForPipes: true),
            .init(title: "ACCOUNT", isForPipes: true),
            .init(title: "ID"), .init(title: "KIND"), .init(title: "FOR", least: 12, usual: 32, rank: 1),
            .init(title: "EXPIRES"),
            .init(title: "SCOPES", least: 10, usual: 32, isList: true, rank: 2),
            .init(title: "TENANT", least: 13, rank: 4),
            .init(title: "CACHED", rank: 3), .init(title: "NOTE", least: 10, rank: 1),
            .init(title: "KEY", isForPipes: true),
        ] + (reveals ? [.init(title: "SECRET")] : [])
    }

    private static func heading(_ client: ClientInventory, _ name: String, _ owner: String, store: String?)
        -> [TextSpan]
    {
        (store.map { [TextSpan("\($0): ", .muted)] } ?? []) + [
            TextSpan(name, .emphasis), TextSpan("  "), TextSpan(owner),
            TextSpan(client.wellKnown?.isFamily == true ? "  of Microsoft's family" : "", .muted),
            TextSpan(name == client.clientID ? "" : "  " + client.clientID, .muted),
        ]
    }

    /// All but the store, the client and the account.
    private static func cells(_ held: HeldCredential, _ id: String, reveals: Bool, _ clock: Clock) -> [Listing.Cell] {
        let token = held.credential
        let isOver = held.findings.contains(.expired)
        let cells: [Listing.Cell] = [
            .init(id), .init(token.kind.word, isOver ? .muted : .text), .init(resource(token), isOver ? .muted : .text),
            .init(expiry(token, clock), isOver ? .muted : .text), .init(scopes(token), .muted),
            .init(token.realm, .muted),
            .init(held.age(at: clock.now).map { "\(TimeSpan.words($0)) ago" } ?? "", .muted),
            .init(held.notes, .attention), .init(token.id, .muted),
        ]
        return reveals ? cells + [.init(secret(token))] : cells
    }

    private static func secret(_ token: CachedCredential) -> String {
        SafeText.isPrintableToken(token.secret.reveal()) ? token.secret.reveal() : "(not printable)"
    }

    /// What an access token can be shown to: the product's name where it is known.
    private static func resource(_ token: CachedCredential) -> String {
        if token.kind == .refreshToken { return token.familyID?.isEmpty == false ? "the whole family" : "" }
        guard token.kind == .accessToken else { return "" }
        let ofMicrosoft = Cloud.containing(host: token.environment) != nil
        let names = token.scopes.withoutReserved.byResource.map { group in
            group.resource.isEmpty && ofMicrosoft
                ? ScopeMeaning.resourceName(ScopeMeaning.graph) : ScopeMeaning.resourceName(group.resource)
        }
        var seen: Set<String> = []
        return names.filter { !$0.isEmpty && seen.insert($0).inserted }.joined(separator: ", ")
    }

    private static func scopes(_ token: CachedCredential) -> String {
        token.kind == .accessToken ? token.scopes.description : ""
    }

    private static func expiry(_ token: CachedCredential, _ clock: Clock) -> String {
        guard let end = token.expiresOn else { return "" }
        let left = clock.seconds(until: end)
        return left > 0 ? TimeSpan.words(left) : "expired \(TimeSpan.words(-left)) ago"
    }

    private static func damaged(
        _ broken: [(store: StoredTokens, entry: DamagedEntry)], _ session: CommandContext, namesStores: Bool
    ) -> Listing {
        let heading = "damaged: \(broken.count) entr\(broken.count == 1 ? "y" : "ies")"
        let rows: [[Listing.Cell]] = broken.map { store, entry in
            [
                .init(namesStores ? store.name : "", .muted), .init(entry.kind.word),
                .init(entry.why, .attention), .init(entry.clientID.map(session.clientName) ?? "", .muted),
                .init(entry.homeAccountID.map { store.names[$0] ?? $0 } ?? "", .muted), .init(entry.key, .muted),
            ]
        }
        return Listing(
            [
                .init(title: "STORE"), .init(title: "KIND"), .init(title: "WHY", least: 16),
                .init(title: "CLIENT", least: 8, usual: 20, rank: 1),
                .init(title: "ACCOUNT", least: 12, rank: 2), .init(title: "KEY", least: 16),
            ], [Listing.Section(heading: [TextSpan(heading, .attention)], rows: rows)])
    }
}
