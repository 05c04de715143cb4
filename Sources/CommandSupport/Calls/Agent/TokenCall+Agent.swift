import FoundationEssentials
package import Identity
import SilentCore
package import StrictJSON
import TokenCache

package enum AgentAnswer: Sendable {
    /// The output of `foyer token --json`.
    case token(JSONValue)
    case failure(Failure)
}

extension TokenCall {
    /// Asks a running agent if the silent call would refresh.
    ///
    /// - Returns: no answer if no refresh is needed or no agent of this version handles the request. The call then
    ///   continues without it and finds any token that the agent refreshed in the store.
    package func answerOfAgent() -> (answer: AgentAnswer?, isAnyThere: Bool) {
        // --verbose shows this process's own steps; a proof is for one request, with keys that stay in this process.
        guard !context.output.verbose, request.proof == nil, !options.dryRun, refreshes,
            let store = try? context.storeSpec(client),
            let folder = FileIdentity(ofFolderOf: store.path)
        else { return (nil, false) }
        let agent: AgentConnection
        do throws(AgentConnection.Trouble) { agent = try AgentConnection(AgentPlace(context.environment)) } catch {
            return (nil, error != .notRunning)
        }
        // Only the same build is sure to make the same decisions.
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

    /// The options for another process on this machine; unchanged for a user's own command.
    private var crossing: TokenOptions {
        guard resolution.by.query.request == nil else { return pinned }
        var options = options.forOthers
        // They may come from a challenge.
        options.claims = request.claims
        return options
    }

    /// The options with everything resolved that settings, rules or the environment of another host could change.
    package var pinned: TokenOptions {
        var options = options.forOthers
        (options.client, options.clientID) = (nil, client.clientID)
        if context.settings.client(named: client.name)?.clientID == client.clientID {
            (options.client, options.clientID) = (client.name, nil)
        }
        let isElsewhere = options.clientID != nil && resolution.by.world.authority == nil
        options.authority =
            options.authority ?? resolution.by.query.asked.authority ?? (isElsewhere ? client.authority : nil)
        let named = resolution.by.namedScopes(resolution.authority.kind)
        if !named.isEmpty { options.scopes = named.names }
        options.account =
            resolution.by.account ?? resolution.by.requestedAccount ?? resolution.absentPerson
            ?? resolution.account?.homeAccountID
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
        switch cached.decision(on: request, from: snapshot).outcome {
        case .refresh, .upgrade: true
        case .serve, .interaction, .failure: false
        }
    }

    /// Whether this is a token of this client, from the intended provider and account.
    private func isToken(_ answer: JSONValue) -> Bool {
        let meant = request.authority ?? cached.configuration.authority
        guard let token = answer["accessToken"]?.string, !token.isEmpty,
            answer["clientId"]?.string == client.clientID,
            // One host may serve several issuers.
            let authority = answer["authority"]?.string.flatMap({ try? Authority($0, kind: meant.kind) }),
            authority.provider == meant.provider
        else { return false }
        let decision = cached.decision(on: request, from: snapshot)
        guard let account = request.account ?? decision.account else { return true }
        return answer["account"]?["homeAccountId"]?.string.map(account.isIdentified(by:)) ?? false
    }

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
    /// Reads an error object in the `--json` format.
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

    /// Whether the provider, or a cached result of it, ended the call, so an immediate retry would fail the same way.
    /// Other errors may be specific to the agent.
    fileprivate var isEndOfSilentCall: Bool {
        switch code {
        case .interactionRequired, .declinedScopes, .serverError, .unavailable, .untrustedResponse: true
        case .storeError, .notFound, .ambiguous, .usage, .invalidInput, .configuration, .cancelled: false
        }
    }
}
