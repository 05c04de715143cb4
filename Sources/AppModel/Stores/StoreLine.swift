/// A place where some program keeps tokens, as the screen of stores tells it.
package struct StoreLine: Equatable, Sendable {
    /// What a look at it found.
    package enum State: Equatable, Sendable {
        case usable, empty, absent, protected, refused
    }

    /// The name for options and settings; `foyer` for the own one.
    package var name: String
    package var program: String
    /// As a person names it.
    package var place: String
    package var state: State
    /// Why it is not usable, what to do, and what else is to be known; each a line.
    package var findings: [String]
    /// How it is kept, such as `plain file`; nil unless it is usable.
    package var badge: String?
    package var accounts: Int
    package var tokens: Int
    /// Whether the person allowed to change it.
    package var isWritable: Bool
    /// Whether its accounts are left out of the lists.
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
    /// One word, or two.
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

/// What a person says of another program's store.
package enum StoreChange: Equatable, Sendable {
    case write(Bool)
    case hidden(Bool)
}
