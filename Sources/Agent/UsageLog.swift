import CommandSupport
import FoundationEssentials
import Identity
import StrictJSON

/// The agent's activity, for its status: bounded, in memory only, without tokens.
actor UsageLog {
    private struct Use {
        var asker: Peer
        var last: Date
        var count = 0
        var client: String?
        var account: String?
    }

    private static let mostUses = 32

    private(set) var tokens = 0
    private(set) var failures = 0
    private var bySource: [AcquiredToken.Source: Int] = [:]
    private var uses: [Use] = []

    func gave(_ token: AcquiredToken, _ call: TokenCall, _ asker: Peer) {
        tokens += 1
        bySource[token.source, default: 0] += 1
        note(asker, client: call.client.name, account: token.account.label)
    }

    func refused(_ asker: Peer) {
        failures += 1
        note(asker, client: nil, account: nil)
    }

    private func note(_ asker: Peer, client: String?, account: String?) {
        let earlier = uses.firstIndex { $0.asker == asker && $0.client == client && $0.account == account }
        var use =
            earlier.map { uses.remove(at: $0) } ?? Use(asker: asker, last: Date(), client: client, account: account)
        use.last = Date()
        use.count += 1
        uses.append(use)
        if uses.count > Self.mostUses { uses.removeFirst() }
    }

    var served: JSONValue {
        JSONValue(
            ("tokens", JSONValue(integer: tokens)), ("refreshed", JSONValue(integer: bySource[.refresh] ?? 0)),
            ("failures", JSONValue(integer: failures)))
    }

    func askers(hidesAccounts: Bool) -> JSONValue {
        .array(
            uses.reversed().map { use in
                guard let asker = use.asker.json.object else { return .null }
                let more: [(String, JSONValue)] = [
                    ("client", use.client.json), ("account", (hidesAccounts ? nil : use.account).json),
                    ("last", use.last.rfc3339.json),
                    ("requests", JSONValue(integer: use.count)),
                ]
                return .object(JSONObject(asker.members + more.map { JSONMember(name: $0.0, value: $0.1) }))
            })
    }
}
