package import Identity

// The command that signs in, with what mattered of the command line that needs it: pasted as it is, it signs in the
// same account for the same client into the same store.

extension CommandContext {
    /// `foyer sign-in` with its options, each a word of a shell.
    ///
    /// - Parameters:
    ///   - account: who has to sign in, where that is known.
    ///   - client: for whom, where no option and no setting names it.
    package func signInCommand(account: Account? = nil, client: ClientChoice? = nil) -> String {
        var words = ["foyer", "sign-in"]
        func add(_ option: String, _ value: String?) {
            if let value { words += [option, value.shellWord] }
        }
        add("--client", shared.client)
        add("--client-id", shared.clientID)
        if (try? clientIfAny()) == nil {
            if let client, Client.wellKnown(client.clientID) == nil {
                add("--client-id", client.clientID)
            } else {
                add("--client", client?.name ?? Self.clientToBeginWith)
            }
        }
        add("--authority", shared.authority)
        for scope in shared.scopes { add("--scope", scope) }
        add("--account", account?.label ?? shared.account)
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
