import Identity
import Keys

/// What can be done where nobody is signed in yet: a menu, and what each of its lines comes to.
package struct FirstRun: Equatable, Sendable {
    enum Choice: Equatable, Sendable {
        case client(ConfiguredClient)
        case workOrSchool, personal, otherProvider, thisMachine, demo
    }

    /// The client that the settings name comes first: Enter is for it.
    private static func choices(in context: Context) -> [Choice] {
        let own = context.defaultClientID.flatMap(context.client).map { [Choice.client($0)] } ?? []
        return own + [.workOrSchool, .personal, .otherProvider, .thisMachine, .demo]
    }

    private var cursor = ListCursor()
    /// The look for the stores of this machine, once begun.
    private(set) var look: RequestID?
    /// What it found; nil until then.
    private(set) var stores: [StoreLine]?

    /// Looks once for what is on the machine already.
    mutating func lookForStores(in context: Context) -> [Action] {
        guard look == nil else { return [] }
        look = context.nextRequest
        return [.perform(.lookForStores(context.nextRequest))]
    }

    mutating func receive(_ reply: Reply) {
        if case .stores(let lines) = reply { stores = lines }
    }

    /// Whether Foyer's own store is known not to exist.
    package var hasNoStore: Bool { stores?.contains { $0.isOwn && $0.state == .absent } ?? false }

    /// The other programs' stores that are there.
    private var others: [StoreLine]? { stores?.filter { !$0.isOwn && $0.state != .absent } }

    package var selected: Int { cursor.selected }

    mutating func move(_ command: Command, in context: Context) {
        let count = Self.choices(in: context).count
        cursor.move(command, count: count, page: count)
    }

    mutating func select(_ place: Int, in context: Context) {
        cursor.select(place, count: Self.choices(in: context).count)
    }

    /// The settings may have lost their client meanwhile.
    private func choice(of choices: [Choice]) -> Choice { choices[min(selected, choices.count - 1)] }

    func open(in context: Context) -> Action {
        let choice = choice(of: Self.choices(in: context))
        return switch choice {
        case .client, .workOrSchool, .personal, .otherProvider: .open(SignInForm(context, start: choice))
        case .thisMachine: .openPage(.stores)
        case .demo: .perform(.openDemo)
        }
    }

    func add(in context: Context, to block: inout TextBlock) {
        block.text("Welcome. Foyer has no account of its own yet.", .emphasis)
        block.blank()
        let choices = Self.choices(in: context)
        let choice = choice(of: choices)
        for (place, each) in choices.enumerated() {
            block.entry(place) {
                $0.add(
                    .menuItem(
                        TextSpan(each.words.name), nameWidth: 30, TextSpan(facts(of: each), .muted),
                        isMarked: each == choice))
            }
        }
        block.blank()
        block.heading(choice.words.name)
        switch choice {
        case .client, .workOrSchool, .personal, .otherProvider:
            addSignIn(SignInForm(context, start: choice), in: context, to: &block)
        case .thisMachine:
            for store in others ?? [] { block.field(store.program, "\(store.words), \(store.place)", labelWidth: 20) }
            block.text("Lists the token stores of other programs on this machine. Nothing in them is changed.")
        case .demo:
            block.text("Made-up accounts and a provider of this machine. No network; nothing is kept.")
            block.text("\(context.name(of: .open, at: .picker)) leaves this, as \"foyer demo\" does.", .muted)
        }
    }

    private func facts(of choice: Choice) -> String {
        guard choice == .thisMachine, let others else { return choice.words.facts }
        guard !others.isEmpty else { return "no store of another program was found" }
        return others.map { "\($0.program): \($0.words)" }.joined(by: ", ")
    }

    private func addSignIn(_ form: SignInForm, in context: Context, to block: inout TextBlock) {
        let client = form.clientID.text
        block.field("signs in as", client.isEmpty ? "the client whose id you type" : context.clientName(client))
        block.field("at", form.authority.isEmpty ? "the provider whose address you type" : form.authority.text)
        let reason = context.automaticReason.isEmpty ? "" : ", " + context.automaticReason
        block.field("by", context.automaticMethod.words + reason)
        block.field("asks for", form.scopesToAsk(in: context)?.description ?? "the provider's default scopes")
        block.field("is stored in", context.storeLabel + (context.storeBadge.map { ", \($0)" } ?? ""))
        block.blank()
        let open = context.name(of: .open, at: .picker)
        block.text("\(open) shows this as a form, where you can change it before you sign in.", .muted)
        if form.authority.isEmpty {
            block.text(
                "Your own app registration must allow public client flows and have the redirect URI "
                    + "http://localhost. Foyer remembers it as a client after the first sign-in.", .muted)
        }
    }
}

extension StoreLine {
    /// Who is in it, or why that is not known.
    fileprivate var words: String { state == .usable ? counted(accounts, "account") : state.word }
}

extension FirstRun.Choice {
    fileprivate var words: (name: String, facts: String) {
        switch self {
        case .client(let client): (client.name, client.isInSettings ? "from your settings" : "the default client")
        case .workOrSchool: ("Work or school account", "Microsoft Entra ID, any tenant")
        case .personal: ("Personal Microsoft account", "Outlook, Xbox, Live")
        case .otherProvider: ("Another provider", "AD FS, B2C, External ID, OpenID Connect")
        case .thisMachine: ("Already on this machine", "accounts of Azure CLI and other programs")
        case .demo: ("Demo", "made-up accounts, nothing is kept")
        }
    }

    /// The client and the authority that the form starts with.
    var start: (clientID: String, authority: String) {
        switch self {
        case .client(let client): (client.clientID, client.authority)
        case .workOrSchool: (Client.wellKnown("Azure CLI")?.id ?? "", "https://login.microsoftonline.com/organizations")
        // Azure CLI is for work and school accounts alone.
        case .personal:
            (Client.wellKnown("Graph PowerShell")?.id ?? "", "https://login.microsoftonline.com/consumers")
        case .otherProvider, .thisMachine, .demo: ("", "")
        }
    }
}
