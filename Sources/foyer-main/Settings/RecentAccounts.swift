import AppModel
import CommandSupport
import FoundationEssentials
import Identity
import SilentFirst
package import StrictJSON
import TokenCache

/// The small file that remembers which accounts were used in the interface, how often and when: names of accounts, no
/// credential. Losing it costs an order.
struct RecentAccounts: Sendable {
    private let list: StateList<AccountUses.Use>

    /// 500 accounts take a tenth of the largest file.
    init(_ environment: ProcessEnvironment) {
        list = StateList(
            path: environment.stateFolder + "/recent.json",
            ListFormat("accounts", maximumBytes: 524_288, most: AccountUses.limit, isNewestFirst: true))
    }

    /// What is remembered. A file that is missing or not to be understood remembers nothing.
    func read() -> AccountUses { AccountUses(list.read()) }

    /// Counts one use more: what another process has counted meanwhile is kept.
    ///
    /// - Throws: when the file cannot be written; then nothing was changed.
    func note(_ account: AccountID, at now: Date) throws(Failure) {
        do throws(StoreError) {
            try list.change { entries in
                var uses = AccountUses(entries)
                uses.note(account, at: now)
                entries = uses.uses.sorted { ($1.at, $0.account.homeAccountID) < ($0.at, $1.account.homeAccountID) }
            }
        } catch { throw Failure(error) }
    }
}

extension AccountUses.Use: JSONRecord, StateEntry {
    package init() { self.init(account: AccountID(homeAccountID: "", environment: ""), weight: 0, at: Date()) }

    package mutating func describe(_ member: inout JSONMembers) {
        // No identifier of an account or name of a host is longer.
        let name = JSONForm.text.map({ $0.isEmpty || $0.utf8.count > 512 ? nil : $0 }, \.self)
        let count = JSONForm.number.map(
            { $0 > 0 && $0 <= AccountUses.heaviest ? $0 : nil }, { ($0 * 1000).rounded() / 1000 })
        member("homeAccountId", &account.homeAccountID, name)
        member("environment", &account.environment, name)
        member("issuer", &account.issuer, name)
        member("weight", &weight, count)
        member("usedAt", &at, .time)
    }
}
