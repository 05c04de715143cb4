import AppModel
import CommandSupport
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCache

/// The small file that remembers which accounts were used in the interface, how often and when: names of accounts, no
/// credential. Losing it costs an order.
struct RecentAccounts: Sendable {
    private let file: StateFile
    /// A larger file is none of ours; 500 accounts take a tenth of it.
    private static let maximumBytes = 524_288
    /// No identifier of an account or name of a host is longer.
    private static let longestName = 512
    /// The end of the year 9999, in seconds.
    private static let lastSecond: Int64 = 253_402_300_799

    init(_ environment: ProcessEnvironment) {
        file = StateFile(path: environment.stateFolder + "/recent.json", maximumBytes: Self.maximumBytes)
    }

    /// What is remembered. A file that is missing or not to be understood remembers nothing.
    func read() -> AccountUses {
        guard let found = try? file.read() else { return AccountUses() }
        return Self.uses(found)
    }

    private static func uses(_ bytes: [UInt8]) -> AccountUses {
        guard
            let value = try? JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: maximumBytes, maximumDepth: 4)),
            value["version"]?.integer == 1
        else { return AccountUses() }
        return AccountUses((value["accounts"]?.array ?? []).prefix(AccountUses.limit).compactMap(use))
    }

    /// Counts one use more: what another process has counted meanwhile is kept.
    ///
    /// - Throws: when the file cannot be written; then nothing was changed.
    func note(_ account: AccountID, at now: Date) throws(Failure) {
        do throws(StoreError) {
            try file.change { bytes in
                // A file that is not to be understood remembers nothing.
                var uses = bytes.map(Self.uses) ?? AccountUses()
                uses.note(account, at: now)
                let entries = uses.uses.sorted { ($1.at, $0.account.homeAccountID) < ($0.at, $1.account.homeAccountID) }
                    .compactMap(
                        Self.json)
                let value = JSONValue.object(
                    JSONObject([
                        JSONMember(name: "version", value: 1), JSONMember(name: "accounts", value: .array(entries)),
                    ]))
                return Array((value.serialized() + "\n").utf8)
            }
        } catch { throw Failure(error) }
    }

    private static func use(_ value: JSONValue) -> AccountUses.Use? {
        func name(_ member: String) -> String? {
            value[member]?.string.flatMap { !$0.isEmpty && $0.utf8.count <= longestName ? $0 : nil }
        }
        guard let id = name("homeAccountId"), let environment = name("environment"),
            let weight = value["weight"]?.double,
            weight > 0, weight <= AccountUses.heaviest, let second = value["usedAt"]?.integer,
            (0...lastSecond).contains(second)
        else { return nil }
        return AccountUses.Use(
            account: AccountID(homeAccountID: id, environment: environment, issuer: name("issuer")), weight: weight,
            at: Date(timeIntervalSince1970: TimeInterval(second)))
    }

    private static func json(_ use: AccountUses.Use) -> JSONValue? {
        guard let second = Int64(exactly: use.at.timeIntervalSince1970.rounded(.down)),
            (0...lastSecond).contains(second),
            use.account.homeAccountID.utf8.count <= longestName, use.account.environment.utf8.count <= longestName,
            use.account.issuer?.utf8.count ?? 0 <= longestName
        else { return nil }
        let members: [JSONMember?] = [
            JSONMember(name: "homeAccountId", value: .string(use.account.homeAccountID)),
            JSONMember(name: "environment", value: .string(use.account.environment)),
            use.account.issuer.map { JSONMember(name: "issuer", value: .string($0)) },
            JSONMember(name: "weight", value: .number(JSONNumber(text: String((use.weight * 1000).rounded() / 1000)))),
            JSONMember(name: "usedAt", value: .number(JSONNumber(text: String(second)))),
        ]
        return .object(JSONObject(members.compactMap(\.self)))
    }
}
