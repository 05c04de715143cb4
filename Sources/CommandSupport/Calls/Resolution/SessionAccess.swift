package import FoundationEssentials
package import Identity
package import StrictJSON
import TokenCache

/// The token that a request of an AI agent's session gets: a person's only where the person says so.
package enum SessionAccess: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        case rule(line: Int)
        /// To the one question of this session and place.
        case answer
    }

    /// No session asks.
    case person
    /// A token of the session's own, from Entra ID.
    case own(AgentSession)
    case allowed(AgentSession, by: Source)
    /// Neither a rule nor an answer says so as yet.
    case unanswered(AgentSession, SessionAnswers.Key)
    case refused(AgentSession, by: Source)

    package var session: AgentSession? {
        switch self {
        case .person: nil
        case .own(let session), .allowed(let session, _), .unanswered(let session, _), .refused(let session, _): session
        }
    }

    /// Whether a person's token may be given.
    package var allowsPersons: Bool {
        switch self {
        case .person, .allowed: true
        case .own, .unanswered, .refused: false
        }
    }

    /// The session's ID for the request, if it gets a token of its own.
    var ownID: String? { if case .own(let session) = self { session.id } else { nil } }

    /// - Parameters:
    ///   - place: where the token goes.
    ///   - rule: that would allow it; nil if none can.
    ///   - path: of the settings.
    /// - Returns: nil if a token may be given.
    package func refusal(at place: String, rule: ProgramRule?, path: String) -> Failure? {
        switch self {
        case .person, .own, .allowed: nil
        case .unanswered(let session, _), .refused(let session, .answer):
            Failure(
                .interactionRequired, "\(session.words) may not get your token for \(place)",
                hint: rule.map { .write(lines: $0.lines, into: path) } ?? "run it outside of the agent's session")
        case .refused(let session, .rule(let line)):
            Failure(
                .interactionRequired,
                "\(session.words) may not get your token for \(place): the rule on line \(line) has agents = false",
                hint: .text("change agents there, in \(path)"))
        }
    }

    /// For an explanation; nil without a session.
    package var words: String? {
        guard let session else { return nil }
        let what =
            switch self {
            case .person, .own: "gets a token of its own"
            case .allowed(_, .rule(let line)): "gets your token, by the rule on line \(line)"
            case .allowed(_, .answer): "gets your token, as you allowed it once"
            case .unanswered: "gets your token only by a rule with agents = true, or if you allow it"
            case .refused(_, .rule(let line)): "gets no token, by the rule on line \(line)"
            case .refused(_, .answer): "gets no token, as you refused it"
            }
        return "\(session.words) \(what)"
    }

    package var json: JSONValue {
        guard let session else { return .null }
        let (access, line): (String, Int?) =
            switch self {
            case .person: ("person", nil)
            case .own: ("own", nil)
            case .allowed(_, .rule(let line)): ("allowed", line)
            case .allowed(_, .answer): ("allowed", nil)
            case .unanswered: ("unanswered", nil)
            case .refused(_, .rule(let line)): ("refused", line)
            case .refused(_, .answer): ("refused", nil)
            }
        return JSONValue(
            ("agent", session.agent.json), ("variable", session.variable.json), ("id", session.id.json),
            ("access", access.json), ("rule", line.map { JSONValue(integer: $0) } ?? .null))
    }
}

extension ResolutionWorld {
    /// Refuses a deed to an AI agent's session, which is a person's alone.
    ///
    /// - Parameter deed: after "may not".
    package func requirePerson(to deed: String) throws(Failure) {
        guard let session = try session() else { return }
        throw Failure(
            .interactionRequired, "\(session.words) may not \(deed)", hint: "run it outside of the agent's session")
    }

    /// Whether no session asks.
    package var isOfPerson: Bool {
        do throws(Failure) { return try session() == nil } catch { return false }
    }
}

extension Resolution {
    /// - Parameter meant: the account whose token the request would get.
    /// - Throws: `invalidInput` for a session whose ID is not usable.
    package func sessionAccess(_ meant: () -> Account?) throws(Failure) -> SessionAccess {
        let query = by.query
        // Another process of foyer has found the session.
        if let id = query.options.agentSession {
            let session = AgentSession(agent: "AI agent", variable: AgentSession.variableOfAzureCLI, id: id)
            return query.isIDToken ? .refused(session, by: .answer) : .own(session)
        }
        guard let session = try by.world.session() else { return .person }
        let account = meant()
        let rule = rule(for: account)
        if let rule, rule.agents == false { return .refused(session, by: .rule(line: rule.line)) }
        // The token that Azure CLI would get, whatever a rule allows.
        if authority.kind.hasAgentSessions, !query.isIDToken { return .own(session) }
        if let rule, rule.agents == true { return .allowed(session, by: .rule(line: rule.line)) }
        let key = SessionAnswers.Key(session: session.id, place: place(for: account))
        switch by.world.answered(key) {
        case true?: return .allowed(session, by: .answer)
        case false?: return .refused(session, by: .answer)
        case nil: return .unanswered(session, key)
        }
    }

    /// The first rule for the place that says what sessions get. It need not be the one that chooses the client: a rule
    /// that is added below counts as well.
    private func rule(for account: Account?) -> ProgramRule? {
        let request = by.query.request ?? by.world.folder() ?? ProgramRequest(program: Product.name)
        return by.world.settings.rules.first {
            $0.agents != nil && $0.mismatch(with: request) == nil && covers($0, account)
        }
    }

    /// Whether the token is one that the rule names: options can name another client or account.
    private func covers(_ rule: ProgramRule, _ account: Account?) -> Bool {
        if let name = rule.client {
            guard let named = try? by.world.client(named: name), ClientID.isSame(named.clientID, client.clientID),
                let own = try? by.world.authority(of: named, TokenOptions()), own.isOfSameProvider(as: authority)
            else { return false }
        }
        if let name = rule.account, account?.matches(by: name) != true { return false }
        if let tenant = rule.tenant, by.tenant?.asciiLowercased != tenant.asciiLowercased { return false }
        return rule.scopes.isEmpty || ScopeSet(rule.scopes).covers(scopes)
    }

    private func place(for account: Account?) -> String {
        let request = by.query.request
        return [
            request?.program ?? Product.name, request?.placeName ?? "", client.clientID, authority.provider,
            account?.id.canonicalHomeAccountID ?? "", by.tenant ?? "", by.query.isIDToken ? "ID token" : scopes.target,
            by.query.effective.resource ?? "",
        ].joined(separator: "\n")
    }
}

extension TokenCall {
    /// The rule by which sessions get tokens like this one, for foyer's own commands. Nil if no rule can name the
    /// client.
    package func sessionRule(allows: Bool) -> ProgramRule? {
        guard (try? context.settings.knownClient(named: client.name)) != nil else { return nil }
        return ProgramRule(
            [.program: .program(Product.name)], client: client.name, account: meantAccount?.label,
            scopes: resolution.by.query.isIDToken ? [] : request.scopes.names, agents: allows)
    }

    /// Why a session gets nothing from foyer's own commands; nil if it does, and for a person.
    package var sessionRefusal: Failure? {
        guard !session.allowsPersons else { return nil }
        // Without an account a silent call has nothing to give, and says so.
        guard !options.isSilent || meantAccount != nil else { return nil }
        return session.refusal(
            at: "\(client.name) at \(resolution.authority.provider)", rule: sessionRule(allows: true),
            path: context.settings.path)
    }

    package func noteSessionAnswer(_ isAllowed: Bool, at now: Date) throws(Failure) {
        guard case .unanswered(_, let key) = session else { return }
        try SessionAnswers(context.environment).note(isAllowed, to: key, at: now)
    }
}
