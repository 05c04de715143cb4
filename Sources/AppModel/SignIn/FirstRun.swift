import Identity
import Keys

/// The start menu shown while there are no accounts, and details of each line.
package struct FirstRun: Equatable, Sendable {
    enum Choice: Equatable, Sendable {
        case client(ConfiguredClient)
        case workOrSchool, personal, otherProvider, gitHost, google, thisMachine, demo
    }

    /// The client from the settings comes first, so it is selected.
    private static func choices(in context: Context) -> [Choice] {
        let own = context.defaultClientID.flatMap(context.client).map { [Choice.client($0)] } ?? []
        return own + [.workOrSchool, .personal, .otherProvider, .gitHost, .google, .thisMachine, .demo]
    }

    private var cursor = ListCursor()
    /// The search for stores on this machine, once started.
    private(set) var look: RequestID?
    private(set) var stores: [StoreLine]?

    mutating func findStores(in context: Context) -> [Action] {
        guard look == nil else { return [] }
        look = context.nextRequest
        return [.perform(.findStores(context.nextRequest))]
    }

    mutating func receive(_ reply: Reply) {
        if case .stores(let lines) = reply { stores = lines }
    }

    package var hasNoStore: Bool { stores?.contains { $0.isOwn && $0.state == .absent } ?? false }

    private var others: [StoreLine]? { stores?.filter { !$0.isOwn && $0.state != .absent } }

    package var selected: Int { cursor.selected }

    mutating func move(_ command: Command, in context: Context) {
        let count = Self.choices(in: context).count
        cursor.move(command, count: count, page: count)
    }

    mutating func select(_ place: Int, in context: Context) {
        cursor.select(place, count: Self.choices(in: context).count)
    }

    /// The client may have been removed from the settings.
    private func choice(of choices: [Choice]) -> Choice { choices[min(selected, choices.count - 1)] }

    func open(in context: Context) -> Action {
        let choice = choice(of: Self.choices(in: context))
        return switch choice {
        case .client, .workOrSchool, .personal, .gitHost, .google, .otherProvider:
            .open(SignInForm(context, start: choice))
        case .thisMachine: .openPage(.stores)
        case .demo: .perform(.openDemo)
        }
    }

    func add(in context: Context, to block: inout TextBlock) {
        block.text("Welcome. No accounts yet.", .emphasis)
        block.blank()
        let choices = Self.choices(in: context)
        let choice = choice(of: choices)
        block.menu(
            choices.map { ($0.words.name, facts(of: $0)) }, nameWidth: 30, marked: choices.firstIndex(of: choice))
        block.blank()
        block.heading(choice.words.name)
        switch choice {
        case .client, .workOrSchool, .personal, .gitHost, .google, .otherProvider:
            addSignIn(SignInForm(context, start: choice), in: context, to: &block)
            if choice == .gitHost {
                block.text(
                    "For another host, edit the authority, or run: foyer sign-in git.example.org --server gitlab",
                    .muted)
            }
        case .thisMachine:
            for store in others ?? [] { block.field(store.program, "\(store.words), \(store.place)", labelWidth: 20) }
            block.text("Lists the token stores of other programs on this machine, read-only.")
        case .demo:
            block.text("Sample accounts and a local provider. No network; nothing is saved.")
            block.text("\(context.name(of: .open, at: .picker)) opens \"foyer demo\".", .muted)
        }
    }

    private func facts(of choice: Choice) -> String {
        guard choice == .thisMachine, let others else { return choice.words.facts }
        guard !others.isEmpty else { return "no other token stores found" }
        return others.map { "\($0.program): \($0.words)" }.joined(by: ", ")
    }

    private func addSignIn(_ form: SignInForm, in context: Context, to block: inout TextBlock) {
        // Before the rest, which a short terminal cuts: without a client there is no sign-in.
        if let server = form.knownServer, let address = try? WebAddress(form.authority.text) {
            block.text("Register your own client \(server.howToRegister(at: address)).")
            if server.secret == .always || server.secret == .published {
                block.text("Its secret goes into the settings first: run foyer sign-in \(address.host)")
            }
            block.blank()
        }
        form.addConsequences(in: context, to: &block)
        block.blank()
        let open = context.name(of: .open, at: .picker)
        block.text("\(open): edit these values before signing in.", .muted)
        if form.authority.isEmpty {
            block.text(
                "Your own app registration must allow public client flows and have the redirect URI "
                    + "http://localhost. It is saved as a client after the first sign-in.", .muted)
        }
    }
}

extension StoreLine {
    /// The number of its accounts, or why it is unknown.
    fileprivate var words: String { state == .usable ? counted(accounts, "account") : state.rawValue }
}

extension FirstRun.Choice {
    fileprivate var words: (name: String, facts: String) {
        switch self {
        case .client(let client): (client.name, client.isInSettings ? "from your settings" : "the default client")
        case .workOrSchool: ("Work or school account", "Microsoft Entra ID, any tenant")
        case .personal: ("Personal Microsoft account", "Outlook, Xbox, Live")
        case .gitHost: ("GitHub or another git host", "GitLab, Gitea and others, your own client")
        case .google: ("Google", "your own client")
        case .otherProvider: ("Another provider", "AD FS, B2C, External ID, OpenID Connect")
        case .thisMachine: ("Already on this machine", "accounts of Azure CLI and other programs")
        case .demo: ("Demo", "sample accounts, nothing is saved")
        }
    }

    var start: (clientID: String, authority: String) {
        switch self {
        case .client(let client): (client.clientID, client.authority)
        case .workOrSchool: (Client.wellKnown("azure-cli")?.id ?? "", "https://login.microsoftonline.com/organizations")
        // Azure CLI is only for work and school accounts.
        case .personal:
            (Client.wellKnown("graph-powershell")?.id ?? "", "https://login.microsoftonline.com/consumers")
        case .gitHost: ("", "https://github.com")
        case .google: ("", "https://accounts.google.com")
        case .otherProvider, .thisMachine, .demo: ("", "")
        }
    }
}
