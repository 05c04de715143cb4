import Identity
import Keys

/// What can be done where nobody is signed in yet: a menu, and what each of its lines comes to.
package struct FirstRun: Equatable, Sendable {
    package enum Choice: CaseIterable, Sendable {
        case workOrSchool, personal, otherProvider, thisMachine, demo
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
    var choice: Choice { Choice.allCases[cursor.selected] }

    mutating func move(_ command: Command) {
        cursor.move(command, count: Choice.allCases.count, page: Choice.allCases.count)
    }

    mutating func select(_ place: Int) { cursor.select(place, count: Choice.allCases.count) }

    func open(in context: Context) -> Action {
        switch choice {
        case .workOrSchool, .personal, .otherProvider: .open(SignInForm(context, start: choice))
        case .thisMachine: .openPage(.stores)
        case .demo: .perform(.openDemo)
        }
    }

    func add(in context: Context, to block: inout TextBlock) {
        block.text("Welcome. Foyer has no account of its own yet.", .emphasis)
        block.blank()
        for (place, choice) in Choice.allCases.enumerated() {
            block.entry(place) {
                $0.add(
                    .menuItem(
                        TextSpan(choice.name), nameWidth: 30, TextSpan(facts(of: choice), .muted),
                        isMarked: place == cursor.selected))
            }
        }
        block.blank()
        block.heading(choice.name)
        switch choice {
        case .workOrSchool, .personal, .otherProvider: addSignIn(in: context, to: &block)
        case .thisMachine:
            for store in others ?? [] { block.field(store.program, "\(store.words), \(store.place)", labelWidth: 20) }
            block.text("Lists the token stores of other programs on this machine. Nothing in them is changed.")
        case .demo:
            block.text("Made-up accounts and a provider of this machine. No network; nothing is kept.")
            block.text("\(context.name(of: .open, at: .picker)) leaves this, as \"foyer demo\" does.", .muted)
        }
    }

    private func facts(of choice: Choice) -> String {
        guard choice == .thisMachine, let others else { return choice.facts }
        guard !others.isEmpty else { return "no store of another program was found" }
        return others.map { "\($0.program): \($0.words)" }.joined(by: ", ")
    }

    private func addSignIn(in context: Context, to block: inout TextBlock) {
        let form = SignInForm(context, start: choice)
        let client = form.clientID.text
        block.field("signs in as", client.isEmpty ? "the client whose id you type" : context.clientName(client))
        block.field("at", form.authority.isEmpty ? "the provider whose address you type" : form.authority.text)
        let reason = context.automaticReason.isEmpty ? "" : ", " + context.automaticReason
        block.field("by", context.automaticMethod.words + reason)
        block.field("asks for", "who you are (openid profile)")
        block.field("is stored in", context.storeLabel + (context.storeBadge.map { ", \($0)" } ?? ""))
        block.blank()
        let open = context.name(of: .open, at: .picker)
        block.text("\(open) shows this as a form, where you can change it before you sign in.", .muted)
        if choice == .otherProvider {
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
    var name: String {
        switch self {
        case .workOrSchool: "Work or school account"
        case .personal: "Personal Microsoft account"
        case .otherProvider: "Another provider"
        case .thisMachine: "Already on this machine"
        case .demo: "Demo"
        }
    }

    fileprivate var facts: String {
        switch self {
        case .workOrSchool: "Microsoft Entra ID, any tenant"
        case .personal: "Outlook, Xbox, Live"
        case .otherProvider: "AD FS, B2C, External ID, OpenID Connect"
        case .thisMachine: "accounts of Azure CLI and other programs"
        case .demo: "made-up accounts, nothing is kept"
        }
    }

    /// The client and the authority that the form starts with.
    var start: (clientID: String, authority: String) {
        switch self {
        case .workOrSchool: (Client.wellKnown("Azure CLI")?.id ?? "", "https://login.microsoftonline.com/organizations")
        // Azure CLI is for work and school accounts alone.
        case .personal:
            (Client.wellKnown("Graph PowerShell")?.id ?? "", "https://login.microsoftonline.com/consumers")
        case .otherProvider, .thisMachine, .demo: ("", "")
        }
    }
}
