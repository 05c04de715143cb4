/// A store on this machine, for the page of stores.
package struct StoreLine: Equatable, Sendable {
    /// The result of reading it.
    package enum State: Equatable, Sendable {
        case usable, empty, absent, protected, refused
    }

    /// The name for options and settings; `foyer` for foyer's own.
    package var name: String
    package var program: String
    package var place: String
    package var state: State
    /// Why it is not usable, how to fix that, and other information; one line each.
    package var findings: [String]
    /// Its protection, such as `plain file`; nil unless it is usable.
    package var badge: String?
    package var accounts: Int
    package var tokens: Int
    package var isWritable: Bool
    package var isHidden: Bool

    package init(
        name: String, program: String, place: String, state: State, findings: [String] = [], badge: String? = nil,
        accounts: Int = 0,
        tokens: Int = 0, isWritable: Bool = false, isHidden: Bool = false
    ) {
        self.name = name
        self.program = program
        self.place = place
        self.state = state
        self.findings = findings
        self.badge = badge
        self.accounts = accounts
        self.tokens = tokens
        self.isWritable = isWritable
        self.isHidden = isHidden
    }

    package var isOwn: Bool { name == "foyer" }
}

extension StoreLine.State {
    package var word: String {
        switch self {
        case .usable: "usable"
        case .empty: "empty"
        case .absent: "not there"
        case .protected: "protected"
        case .refused: "refused"
        }
    }
}

/// A change of another program's store's settings.
package enum StoreChange: Equatable, Sendable {
    case write(Bool)
    case hidden(Bool)
}
