package import Identity

// The command that signs in, with what mattered of the command line that needs it: pasted as it is, it signs in the
// same account for the same client into the same store.

extension CommandContext {
    /// `foyer sign-in` with its options, each a word of a shell.
    ///
    /// - Parameters:
    ///   - account: who has to sign in, where that is known.
    ///   - client: for whom, where no option and no setting names it.
    ///   - resolution: what a program, a rule or the store has named besides.
    package func signInCommand(
        account: Account? = nil, client: ClientChoice? = nil, resolution: Resolution? = nil
    ) -> String {
        var words = ["foyer", "sign-in"]
        func add(_ option: String, _ value: String?) {
            if let value { words += [option, value.shellWord] }
        }
        let usual = try? resolved()
        if shared.client != nil || shared.clientID != nil {
            add("--client", shared.client)
            add("--client-id", shared.clientID)
        } else if let client = resolution?.client ?? client ?? usual?.client {
            // What holds for whoever runs the command goes without saying.
            let isSaid = usual?.client == client && [.environment, .settings].contains(usual?.source)
            let isKnown = settings.choice(named: client.name)?.clientID == client.clientID
            if !isSaid { add(isKnown ? "--client" : "--client-id", isKnown ? client.name : client.clientID) }
        } else {
            add("--client", Self.clientToBeginWith)
        }
        add("--authority", shared.authority ?? resolution?.by.query.asked.authority)
        let isOfProgram = resolution?.by.query.request != nil
        let scopes = isOfProgram ? resolution.map { $0.by.namedScopes($0.authority.kind).names } : nil
        for scope in scopes ?? shared.scopes { add("--scope", scope) }
        add("--account", account?.label ?? resolution?.by.account ?? shared.account)
        add("--tenant", resolution?.by.tenant ?? shared.tenant)
        return words.joined(separator: " ") + storeOptions
    }

    /// The options that led to the store, for a command that is to act on the same one: words of a shell, a space
    /// before each; empty where there are none.
    package var storeOptions: String {
        [("--store", shared.store), ("--config", shared.config)].map { option, value in
            value.map { " \(option) \($0.shellWord)" } ?? ""
        }.joined()
    }

    /// Good for a first try: known in every tenant of Entra ID.
    package static let clientToBeginWith = "Azure CLI"

    /// What to type where nobody is signed in.
    package func signInHint(account: Account? = nil, client: ClientChoice? = nil) -> String {
        let isNew = client == nil && (try? clientIfAny()) == nil
        return "run \"\(signInCommand(account: account, client: client))\""
            + (isNew ? ", or with another client: \"foyer clients --all\"" : "")
    }

    package var nobodySignedIn: String { "nobody is signed in; \(signInHint())" }
}

extension Failure {
    /// The same with the whole command where the hint is to sign in.
    package func hinted(signIn command: String) -> Failure {
        guard code == .interactionRequired else { return self }
        var failure = self
        switch nextStep {
        case .signIn: failure.hint = "run \"\(command)\""
        case .signInWith(let remedy): failure.hint = "\(remedy): run \"\(command)\""
        case .signInAgain: failure.hint = "run \"\(command)\" to try again"
        default: break
        }
        return failure
    }
}
