package import Identity
import Keys

/// The page of one account, for screens too narrow to show details next to the list.
package struct AccountDetails: Feature {
    package let account: AccountOverview.ID
    /// Position in the list, such as `2 of 11`.
    let position: String
    package var scroll = 0

    init(_ account: AccountOverview.ID, position: String) { (self.account, self.position) = (account, position) }

    private static let actions: [Command] = [.open, .signIn, .deviceCode, .inspect, .scopes, .remove, .signOut]

    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .accountDetails, "One account",
                [
                    KeyBinding([.enter], .open, "token", "get a token silently and show the steps"),
                    KeyBinding([.character("a")], .signIn, "sign in", "sign in again"),
                    KeyBinding([.character("d")], .deviceCode, "device code", "sign in again with a device code"),
                    KeyBinding([.character("i")], .inspect, "inspect", "the account's tokens"),
                    KeyBinding([.character("s")], .scopes, "consent", "what each client was granted"),
                    KeyBinding([.character("x")], .remove, "remove", "remove the account here; asks first"),
                    KeyBinding(
                        [.character("o")], .signOut, "sign out",
                        "revoke, remove and end the browser session; asks first"),
                    KeyBinding([.character("]")], .nextItem, "", "next account"),
                    KeyBinding([.character("[")], .previousItem, "", "previous account"),
                ] + KeyBinding.reading(tools) + [
                    KeyBinding(
                        [.escape, .left, .character("h"), .character("q")], .back, "back", "back to the accounts"),
                    KeyBinding([.character("?"), .function(1)], .help, "help", "show keys"),
                ])
        ]
    }

    package var keyContext: KeyContext { .accountDetails }

    package func offers(_ command: Command, in context: Context) -> Bool {
        guard Self.actions.contains(command) else { return true }
        guard let overview = context.overview(of: account) else { return false }
        return command != .signIn && command != .deviceCode || overview.store == nil
    }

    package func label(of command: Command, in context: Context) -> String? {
        guard let overview = context.overview(of: account) else { return nil }
        return switch command {
        case .open: context.labelOfOpening(overview, context.status(overview).status)
        case .signIn: context.status(overview).status.needsPerson ? "" : nil
        // The footer has no room for it unless a sign-in is needed.
        case .deviceCode: context.status(overview).status.needsPerson ? nil : ""
        default: nil
        }
    }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.back, _): return [.close]
        case .command(let command, _) where command == .nextItem || command == .previousItem:
            return [.pass(command == .nextItem ? .down : .up), .pass(.details)]
        case .command(.signIn, _): return signInAgain(in: context)
        case .command(let command, _) where Self.actions.contains(command): return [.pass(command)]
        case .command(let command, _): return [.scroll(command)]
        default: return []
        }
    }

    private func signInAgain(in context: Context) -> [Action] {
        guard let overview = context.overview(of: account),
            let form = SignInForm(context, again: overview)
        else { return [.pass(.signIn)] }
        return [.replace(form)]
    }

    package func page(in context: Context) -> Page {
        let name = context.name(of: account)
        return Page(
            title: name, rule: { PageTitle(crumbs: ["Accounts", name], note: position) },
            addText: { block in
                guard let overview = context.overview(of: account) else {
                    return block.text("this account was removed", .muted)
                }
                context.addDetails(of: overview, to: &block)
            })
    }
}
