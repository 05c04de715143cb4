import AppModel
import CommandSupport
import FoundationEssentials
import Identity
package import StrictJSON
import TokenCache

/// Recently used accounts, without credentials. Losing the file only affects the order of lists.
struct RecentAccounts: Sendable {
    private let list: StateList<AccountUses.Use>

    /// 500 accounts need a tenth of the maximum file size.
    init(_ environment: ProcessEnvironment) {
        list = StateList(
            path: environment.stateFolder + "/recent.json",
            ListFormat("accounts", maximumBytes: 524_288, most: AccountUses.limit, isNewestFirst: true))
    }

    /// A missing or malformed file counts as empty.
    func read() -> AccountUses { AccountUses(list.read()) }

    /// Counts one more use, keeping changes by other processes. Throws if the file cannot be written.
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
        // No account identifier or host name is longer.
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
