import Keys

/// A view that a digit key opens, in display order.
package enum Tab: Int, CaseIterable, Sendable {
    case accounts = 1
    case tokens, consent, stores, activity

    package var title: String {
        switch self {
        case .accounts: "Accounts"
        case .tokens: "Tokens"
        case .consent: "Consent"
        case .stores: "Stores"
        case .activity: "Activity"
        }
    }

    package var binding: KeyBinding {
        let help =
            switch self {
            case .accounts: "accounts"
            case .tokens: "tokens"
            case .consent: "consent of the selected account"
            case .stores: "stores"
            case .activity: "activity"
            }
        return KeyBinding([.character(Character(String(rawValue)))], command, "", help)
    }

    private var command: Command {
        switch self {
        case .accounts: .accountsView
        case .tokens: .tokensView
        case .consent: .consentView
        case .stores: .storesView
        case .activity: .activityView
        }
    }

    init?(_ command: Command) {
        guard let tab = Self.allCases.first(where: { $0.command == command }) else { return nil }
        self = tab
    }
}
