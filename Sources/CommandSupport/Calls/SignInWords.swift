package import Identity

// The sign-in command for hints, with the relevant options of the current command line: pasted unchanged, it signs in
// the same account for the same client into the same store.

extension CommandContext {
    /// `foyer sign-in` with its options, quoted for a shell.
    ///
    /// - Parameters:
    ///   - account: the account that needs sign-in, if known.
    ///   - client: the client, if no option and no setting gives it.
    ///   - resolution: values from a program, a rule or the store.
    ///   - request: with the resource's demand, if any.
    package func signInCommand(
        account: Account? = nil, client: ClientChoice? = nil, resolution: Resolution? = nil,
        steppingUp request: TokenRequest? = nil
    ) -> String {
        let demand = request.flatMap { $0.stepUp == nil ? nil : $0 }
        var words = ["foyer", "sign-in"]
        func add(_ option: String, _ value: String?) {
            if let value { words += [option, value.shellWord] }
        }
        let usual = try? resolved()
        if shared.client != nil || shared.clientID != nil {
            add("--client", shared.client)
            add("--client-id", shared.clientID)
        } else if let client = resolution?.client ?? client ?? usual?.client {
            // A client from the environment or settings also applies to the pasted command.
            let isSaid = usual?.client == client && [.environment, .settings].contains(usual?.source)
            let isKnown = settings.choice(named: client.name)?.clientID == client.clientID
            if !isSaid { add(isKnown ? "--client" : "--client-id", isKnown ? client.name : client.clientID) }
        } else {
            add("--client", Self.clientToBeginWith)
        }
        add("--authority", shared.authority ?? resolution?.by.query.asked.authority)
        let isOfProgram = resolution?.by.query.request != nil
        let scopes = isOfProgram ? resolution.map { $0.by.namedScopes($0.authority.kind).names } : nil
        for scope in demand?.scopes.names ?? scopes ?? shared.scopes { add("--scope", scope) }
        for value in demand?.acrValues ?? [] { add("--acr", value) }
        add("--max-age", demand?.maxAge.map(String.init))
        add("--account", account?.label ?? resolution?.by.account ?? shared.account)
        add("--tenant", resolution?.by.tenant ?? shared.tenant)
        return words.joined(separator: " ") + storeOptions
    }

    /// The options for a command that uses the same store: quoted for a shell, with a leading space; empty if none.
    package var storeOptions: String {
        [("--store", shared.store), ("--config", shared.config)].map { option, value in
            value.map { " \(option) \($0.shellWord)" } ?? ""
        }.joined()
    }

    /// Suggested for a first try, as every Entra ID tenant knows it.
    package static let clientToBeginWith = "azure-cli"

    package func signInHint(account: Account? = nil, client: ClientChoice? = nil) -> String {
        let isNew = client == nil && (try? clientIfAny()) == nil
        return "run \"\(signInCommand(account: account, client: client))\""
            + (isNew ? ", or choose another client: \"foyer clients --all\"" : "")
    }

    package var nobodySignedIn: String { "no account is signed in; \(signInHint())" }
}

extension Failure {
    /// Replaces a hint to sign in with the complete command.
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
