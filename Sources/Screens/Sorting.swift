import FoundationEssentials
import Identity

/// In which order accounts are listed.
enum Sorting: String, CaseIterable, Sendable {
    case name, lastUsed, endsFirst

    var next: Sorting {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }

    /// Said in the title; the usual order is not.
    var words: String? {
        switch self {
        case .name: nil
        case .lastUsed: "last used first"
        case .endsFirst: "ending first"
        }
    }

    func sorted(_ accounts: [AccountOverview]) -> [AccountOverview] {
        let named = accounts.map { ($0.account.label.lowercased(), $0) }
            .sorted { ($0.0, $0.1.account.homeAccountID) < ($1.0, $1.1.account.homeAccountID) }.map(\.1)
        switch self {
        case .name: return named
        case .lastUsed: return Self.byKey(named) { -($0.credentials.compactMap(\.cachedAt).max()?.timeIntervalSince1970 ?? 0) }
        case .endsFirst:
            // Without any token there is nothing left that could end: such an account comes first.
            return Self.byKey(named) { $0.credentials.compactMap(\.expiresOn).max()?.timeIntervalSince1970 ?? 0 }
        }
    }

    /// Equal ones keep the order of their names.
    private static func byKey(_ accounts: [AccountOverview], _ key: (AccountOverview) -> Double) -> [AccountOverview] {
        accounts.enumerated().map { (key($0.element), $0.offset, $0.element) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }
}
