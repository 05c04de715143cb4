import ArgumentParser
import FoundationEssentials
import Identity
import StrictJSON
import Terminal
import TokenCache

struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "List cached tokens by client",
        discussion: """
            Secrets are hidden unless --reveal is given.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var allStores: AllStoresOption
    @Flag(help: "Show secrets")
    var reveal = false

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let client = try session.clientIfAny(onlyIfNamed: true)
        if allStores.isOn { return try runOverAll(session, client) }
        let snapshot = try session.snapshot(client)
        let now = Date()
        let accounts = snapshot.accounts(clientID: nil)
        let holdings = CacheInventory(snapshot, clientID: client?.clientID, at: now)
        let wanted = try shared.account.map { try AccountChoice.find($0, among: accounts) }
        let groups = holdings.clients.map { group in
            (group, group.credentials.filter { wanted?.isOwner(of: $0.credential) ?? true })
        }
        .filter { !$0.1.isEmpty }
        // Of all clients together; a client or account that was named has nothing to do with them.
        let idle = client == nil && wanted == nil ? holdings.accountsWithoutTokens : []
        let damaged = snapshot.damagedEntries(clientID: client?.clientID)
            .filter { entry in
                wanted.map { entry.homeAccountID == nil || entry.homeAccountID == $0.homeAccountID } ?? true
            }
        if shared.json {
            session.output.result(
                JSONValue(
                    (
                        "tokens",
                        .array(
                            groups.flatMap { group, held in
                                held.map {
                                    $0.json(reveal: reveal, clientName: session.clientName(group.clientID), at: now)
                                }
                            })
                    ), ("clients", .array(groups.map { $0.0.json(session.clientName($0.0.clientID)) })),
                    ("accountsWithoutTokens", .array(idle.map(\.json))), ("damaged", .array(damaged.map(\.json)))))
            return
        }
        let names = Dictionary(accounts.map { ($0.homeAccountID, $0.label) }, uniquingKeysWith: { first, _ in first })
        var lines: [String] = []
        for (group, held) in groups {
            if !lines.isEmpty { lines.append("") }
            lines.append(group.heading(session.clientName(group.clientID), count: held.count))
            lines += table(held, names, now).map { "  " + $0 }
        }
        if !idle.isEmpty {
            lines +=
                (lines.isEmpty ? [] : [""]) + ["accounts without tokens: " + idle.map(\.label).joined(separator: ", ")]
        }
        lines += damagedTable(damaged, names, session).enumerated().flatMap {
            $0.offset == 0 && !lines.isEmpty ? ["", $0.element] : [$0.element]
        }
        session.output.lines(lines)
        if groups.isEmpty, idle.isEmpty, damaged.isEmpty {
            session.output.note("foyer: no tokens are cached; run \"foyer sign-in\"")
        }
        if !holdings.leftovers.isEmpty || !idle.isEmpty || damaged.contains(where: \.canGo) {
            session.output.note("hint: \"foyer clean\" shows what can be removed, and asks before it removes it")
        }
    }

    /// The tokens of each usable store, one store after the other.
    private func runOverAll(_ session: CommandContext, _ client: ClientChoice?) throws {
        let now = Date()
        let readings = try session.readings(client, all: true)
        let wanted = try shared.account.map { text in
            try AccountChoice.find(text, amongStores: readings.flatMap { $0.snapshot.accounts(clientID: nil) })
        }
        var lines: [String] = []
        var tokens: [JSONValue] = []
        var damaged: [JSONValue] = []
        for (store, snapshot) in readings {
            let accounts = snapshot.accounts(clientID: nil)
            let names = Dictionary(
                accounts.map { ($0.homeAccountID, $0.label) }, uniquingKeysWith: { first, _ in first })
            for group in CacheInventory(snapshot, clientID: client?.clientID, at: now).clients {
                let held = group.credentials.filter { wanted?.isOwner(of: $0.credential) ?? true }
                guard !held.isEmpty else { continue }
                let name = session.clientName(group.clientID)
                tokens += held.map { $0.json(reveal: reveal, clientName: name, at: now).of(store: store) }
                lines += (lines.isEmpty ? [] : [""]) + ["\(store): " + group.heading(name, count: held.count)]
                lines += table(held, names, now).map { "  " + $0 }
            }
            let broken = snapshot.damagedEntries(clientID: client?.clientID)
                .filter { entry in
                    wanted.map { entry.homeAccountID == nil || entry.homeAccountID == $0.homeAccountID } ?? true
                }
            damaged += broken.map { $0.json.of(store: store) }
            let rows = damagedTable(broken, names, session)
            if let heading = rows.first {
                lines += (lines.isEmpty ? [] : [""]) + ["\(store): \(heading)"] + rows.dropFirst()
            }
        }
        if shared.json {
            return session.output.result(JSONValue(("tokens", .array(tokens)), ("damaged", .array(damaged))))
        }
        session.output.lines(lines)
        if lines.isEmpty { session.output.note("foyer: no tokens are cached in any store; see \"foyer stores\"") }
    }

    /// Entries that cannot be used, below those that can; one that is only incomplete stands above as well.
    private func damagedTable(_ damaged: [DamagedEntry], _ names: [String: String], _ session: CommandContext)
        -> [String]
    {
        guard !damaged.isEmpty else { return [] }
        let rows = damaged.map { entry in
            [
                entry.kind.rawValue, entry.clientID.map(session.clientName) ?? "",
                entry.homeAccountID.map { names[$0] ?? $0 } ?? "",
                entry.why,
                entry.key,
            ]
        }
        return ["damaged: \(damaged.count) entr\(damaged.count == 1 ? "y" : "ies")"]
            + Table(["TYPE", "CLIENT", "ACCOUNT", "WHY", "ID"]).lines(rows).map { "  " + $0 }
    }

    private func table(_ held: [HeldCredential], _ names: [String: String], _ now: Date) -> [String] {
        var headings = ["TYPE", "ACCOUNT", "TENANT", "AGE", "EXPIRES", "SCOPES", "NOTE", "ID"]
        if reveal { headings.append("SECRET") }
        return Table(headings).lines(
            held.map { one in
                let token = one.credential
                var row = [
                    token.kind.rawValue + (token.familyID?.isEmpty == false ? " (family)" : ""),
                    token.homeAccountID.map { names[$0] ?? $0 } ?? "(the client itself)", token.realm,
                    one.age(at: now).map(Span.words) ?? "",
                    token.expiresOn.map { $0 > now ? "in " + Span.words($0.timeIntervalSince(now)) : "expired" } ?? "",
                    token.scopes.description, one.notes, token.id,
                ]
                if reveal {
                    row.append(
                        SafeText.isPrintableToken(token.secret.reveal()) ? token.secret.reveal() : "(not printable)")
                }
                return row
            })
    }
}

extension Account {
    func isOwner(of credential: CachedCredential) -> Bool {
        guard let home = credential.homeAccountID else { return false }
        return id.isSamePerson(
            as: AccountID(homeAccountID: home, environment: credential.environment, issuer: credential.issuer))
    }
}

extension ClientInventory {
    fileprivate func heading(_ name: String, count: Int) -> String {
        let known = [name == clientID ? nil : clientID, wellKnown?.isFamily == true ? "of Microsoft's family" : nil]
            .compactMap(\.self)
        return name + (known.isEmpty ? "" : " (\(known.joined(separator: ", ")))")
            + ": \(count) token\(count == 1 ? "" : "s")"
    }

    fileprivate func json(_ name: String) -> JSONValue {
        JSONValue(
            ("clientId", clientID.json), ("name", name.json), ("wellKnownName", (wellKnown?.name).json),
            ("isFamily", .bool(wellKnown?.isFamily ?? false)),
            ("accessTokens", JSONValue(integer: count(.accessToken))),
            ("refreshTokens", JSONValue(integer: count(.refreshToken))),
            ("idTokens", JSONValue(integer: count(.idToken))))
    }
}
