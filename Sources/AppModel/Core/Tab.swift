import Keys

/// A view that a digit key opens, in display order.
package enum Tab: Int, CaseIterable, Sendable {
    case accounts = 1
    case tokens, consent, stores, activity

    private var words: (title: String, command: Command, help: String) {
        switch self {
        case .accounts: ("Accounts", .accountsView, "accounts")
        case .tokens: ("Tokens", .tokensView, "tokens")
        case .consent: ("Consent", .consentView, "consent; of the selected account")
        case .stores: ("Stores", .storesView, "stores")
        case .activity: ("Activity", .activityView, "activity")
        }
    }

    package var title: String { words.title }

    package var binding: KeyBinding {
        KeyBinding([.character(Character(String(rawValue)))], words.command, "", words.help)
    }

    init?(_ command: Command) {
        guard let tab = Self.allCases.first(where: { $0.words.command == command }) else { return nil }
        self = tab
    }
}
