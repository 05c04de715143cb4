package import Identity
import Keys

/// All about one account, where it is not beside the list.
package struct AccountDetails: Feature {
    package let account: AccountOverview.ID
    /// The client in whose view the account was opened.
    let clientID: String?
    package var scroll = 0

    init(_ account: AccountOverview.ID, clientID: String?) {
        self.account = account
        self.clientID = clientID
    }

    private static let actions: [Command] = [.open, .signIn, .inspect, .scopes, .remove, .signOut]

    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .accountDetails, "One account",
                [
                    KeyBinding([.enter], .open, "token", "a token for the account, silently, step by step"),
                    KeyBinding([.character("a")], .signIn, "sign in", "sign in again"),
                    KeyBinding([.character("i")], .inspect, "inspect", "the account's tokens and what is in them"),
                    KeyBinding([.character("s")], .scopes, "consent", "what each client was granted"),
                    KeyBinding([.character("x")], .remove, "remove", "remove the account here; asks first"),
                    KeyBinding(
                        [.character("o")], .signOut, "sign out",
                        "revoke, remove and end the browser session; asks first"),
                    KeyBinding([.character("]")], .nextItem, "", "the next account"),
                    KeyBinding([.character("[")], .previousItem, "", "the previous account"),
                ] + KeyBinding.reading(tools) + [
                    KeyBinding(
                        [.escape, .left, .character("h"), .character("q")], .back, "back", "back to the accounts"),
                    KeyBinding([.character("?"), .function(1)], .help, "help", "these keys"),
                ] + KeyBinding.everywhere)
        ]
    }

    package var keyContext: KeyContext { .accountDetails }

    package func offers(_ command: Command, in context: Context) -> Bool {
        !Self.actions.contains(command) || context.overview(of: account) != nil
    }

    package func label(of command: Command, in context: Context) -> String? {
        guard command == .open, let overview = context.overview(of: account) else { return nil }
        return context.labelOfOpening(overview, clientID: clientID)
    }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.back, _): return [.close]
        case .command(let command, _) where command == .nextItem || command == .previousItem:
            return [.pass(command == .nextItem ? .down : .up), .pass(.details)]
        case .command(let command, _) where Self.actions.contains(command): return [.pass(command)]
        case .command(let command, _): return [.scroll(command)]
        default: return []
        }
    }

    package func title(in context: Context) -> String { context.name(of: account) }
    package func pageTitle(in context: Context) -> PageTitle {
        PageTitle(["Accounts", context.name(of: account)])
    }

    package func text(in context: Context) -> TextBlock {
        guard let overview = context.overview(of: account) else {
            var block = TextBlock()
            block.text("the account is not in the store any more", .muted)
            return block
        }
        return context.details(of: overview, clientID: clientID)
    }
}
