import FoundationEssentials

/// A condition on a request, such as `who:kubectl`.
enum ActivityCondition: FilterCondition {
    /// Part of the program's name, the account's or the target; in lower case.
    case who(String)
    case account(String)
    case host(String)
    case failed
    /// Unknown condition: matches nothing.
    case unknown

    static let names: [String: @Sendable (String) -> ActivityCondition?] = [
        "who": ActivityCondition.who, "account": ActivityCondition.account, "host": ActivityCondition.host,
        "is": { "failed".hasPrefix($0) ? .failed : .unknown },
    ]

    fileprivate func isMet(by entry: ActivityEntry) -> Bool {
        switch self {
        case .who(let part): entry.who.lowercased().contains(part)
        case .account(let part): entry.account.lowercased().contains(part)
        case .host(let part): entry.target.lowercased().contains(part)
        case .failed: entry.isFailure
        case .unknown: false
        }
    }
}

typealias ActivityQuery = FilterQuery<ActivityCondition>

extension FilterQuery<ActivityCondition> {
    static var hint: String { "name, or who: account: host: is:failed" }

    static func completed(_ text: String, in entries: [ActivityEntry]) -> String? {
        completed(
            text,
            values: [
                "who": entries.map(\.who), "account": entries.map(\.account), "host": entries.map(\.target),
                "is": ["failed"],
            ].mapValues { $0.filter { !$0.isEmpty } })
    }

    /// The entries that match, in the same order.
    func matches(among entries: [ActivityEntry]) -> [ActivityEntry] {
        let entries = entries.filter { entry in conditions.allSatisfy { $0.isMet(by: entry) } }
        guard !words.isEmpty else { return entries }
        let keys = entries.map {
            AccountFilter.SearchKey(names: [$0.who, $0.account, $0.answer], identifiers: $0.identifiers)
        }
        var filter = AccountFilter()
        return filter.matches(words, among: Array(entries.indices), of: keys).sorted().map { entries[$0] }
    }
}

extension ActivityEntry {
    fileprivate var identifiers: [String] {
        switch source {
        case .session(let record): [record.clientID, record.correlationID?.uuidString ?? ""]
        case .program(_, let uses): [target, uses.first?.client ?? ""]
        case .agent(let use): [use.client, use.host]
        }
    }
}
