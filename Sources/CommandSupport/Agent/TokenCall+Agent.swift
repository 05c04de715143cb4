import FoundationEssentials
package import Identity
import SilentFirst
package import StrictJSON
import TokenCache

/// What the agent says to a call for a token.
package enum AgentAnswer: Sendable {
    /// What `foyer token --json` prints.
    case token(JSONValue)
    /// How the silent call ended.
    case failure(Failure)
}

extension TokenCall {
    /// Where the silent call would refresh: what the agent answers, if one runs.
    ///
    /// - Returns: no answer where nothing has to be refreshed, no agent is there, it is of another version, it died or
    ///   does not answer, or it could not work out what is asked here. The call then goes on without it, and finds in
    ///   the store what a refresh of the agent has brought meanwhile. And whether it is worth asking again.
    package func answerOfAgent() -> (answer: AgentAnswer?, isAnyThere: Bool) {
        // The steps are told by who takes them, and a proof is made for one request, with keys that stay here.
        guard !context.output.verbose, request.proof == nil, !options.dryRun, refreshes,
            let store = try? context.storeSpec(client),
            let folder = FileIdentity(ofFolderOf: store.path)
        else { return (nil, false) }
        let agent: AgentConnection
        do throws(AgentConnection.Trouble) { agent = try AgentConnection(AgentPlace(context.environment)) } catch {
            return (nil, error != .notRunning)
        }
        // Two programs decide by the same rules only when they were built together.
        guard agent.serverVersion == Product.version else { return (nil, true) }
        let question = AgentTokenRequest(crossing, context.environment, storeFolder: folder)
        var isRefusal = false
        let answer = agent.ask(.token(question)) { event in
            switch event["event"]?.string {
            case "warning": if let text = event["message"]?.string { context.output.warn(text) }
            case AgentProtocol.refusal: isRefusal = true
            default: break
            }
        }
        return (answer.flatMap { understood($0, isRefusal: isRefusal) }, true)
    }

    /// The options by which another process comes to the same.
    package var crossing: TokenOptions {
        var options = options.forOthers
        (options.client, options.clientID) = (nil, client.clientID)
        if context.settings.client(named: client.name)?.clientID == client.clientID {
            (options.client, options.clientID) = (client.name, nil)
        }
        options.authority = options.authority ?? resolution.by.query.asked.authority
        if options.clientID != nil { options.authority = options.authority ?? client.authority }
        options.scopes = request.scopes.names
        options.account = resolution.by.account ?? resolution.by.askedAccount ?? resolution.account?.homeAccountID
        options.tenant = resolution.by.tenant
        options.forceRefresh = request.forceRefresh
        options.claims = request.claims
        return options
    }

    private func understood(_ answer: JSONValue, isRefusal: Bool) -> AgentAnswer? {
        guard answer["error"] != nil else { return isToken(answer) ? .token(answer) : nil }
        guard let failure = Failure(answer) else { return nil }
        return isRefusal || (options.isSilent && failure.isEndOfSilentCall) ? .failure(failure) : nil
    }

    private var refreshes: Bool {
        switch application.decision(on: request, from: snapshot).outcome {
        case .refresh, .upgrade: true
        case .serve, .interaction, .failure: false
        }
    }

    /// Whether an answer is a token of this client, from the provider and of the account that were meant.
    private func isToken(_ answer: JSONValue) -> Bool {
        let meant = request.authority ?? application.configuration.authority
        guard let token = answer["accessToken"]?.string, !token.isEmpty,
            answer["clientId"]?.string == client.clientID,
            // One host may serve several issuers.
            let authority = answer["authority"]?.string.flatMap({ try? Authority($0, kind: meant.kind) }),
            authority.provider == meant.provider
        else { return false }
        let decision = application.decision(on: request, from: snapshot)
        guard let account = request.account ?? decision.account else { return true }
        return answer["account"]?["homeAccountId"]?.string == account.homeAccountID
    }

    /// Prints what the agent has answered, as ``show(_:)-(AcquiredToken)`` would.
    package func show(_ answer: AgentAnswer) throws(Failure) {
        switch answer {
        case .failure(let failure): throw failure
        case .token(let value):
            if context.output.json {
                context.output.result(value)
            } else {
                try context.output.token(Secret(value["accessToken"]?.string ?? ""))
            }
        }
    }
}

extension Failure {
    /// An error object as `--json` prints it; nil for another object.
    package init?(_ answer: JSONValue) {
        guard let error = answer["error"], let code = error["code"]?.string.flatMap(Code.init(rawValue:)),
            let message = error["message"]?.string
        else { return nil }
        func text(_ name: String) -> String? { error[name]?.string }
        func scopes(_ name: String) -> ScopeSet { ScopeSet((error[name]?.array ?? []).compactMap(\.string)) }
        let description = text("description")
        self.init(
            code, message, hint: text("hint").map { .text($0) }, oauthError: text("oauthError"),
            suberror: text("suberror"),
            serverCodes: (error["serverCodes"]?.array ?? []).compactMap { $0.integer.flatMap { Int(exactly: $0) } },
            claims: text("claims"), correlationID: text("correlationId").flatMap { UUID(uuidString: $0) },
            grantedScopes: scopes("grantedScopes"), declinedScopes: scopes("declinedScopes"),
            serverCodeOrigin: ServerCode.Origin.allCases.first { description?.contains($0.rawValue) ?? false }
                ?? .entra,
            oauthDescription: description)
    }

    /// Whether a provider, or what is known of it, has ended the call: the same would come of trying again at once.
    /// All else may be the agent's own trouble.
    fileprivate var isEndOfSilentCall: Bool {
        switch code {
        case .interactionRequired, .declinedScopes, .serverError, .unavailable, .untrustedResponse: true
        case .storeError, .notFound, .ambiguous, .usage, .invalidInput, .configuration, .cancelled: false
        }
    }
}
