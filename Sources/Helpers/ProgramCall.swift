package import CommandSupport
import FoundationEssentials
package import Identity

package struct ProgramCall: Sendable {
    package let request: ProgramRequest
    package private(set) var call: TokenCall

    package var resolution: Resolution { call.resolution }

    /// - Parameter isAsked: whether a program waits for the response, so that a refusal is recorded.
    /// - Returns: nil if nothing names the request's host for tokens.
    package init?(
        _ query: TokenQuery, _ context: CommandContext, answer: AccountID? = nil, isAsked: Bool = true,
        aside: @escaping (TokenCall.PreparationNotice) throws(Failure) -> Void = { _ in }
    ) throws(Failure) {
        var query = query
        query.options.silent = true
        query.options.neverAsks = true
        guard let first = try context.resolvedPlace(query) else { return nil }
        try self.init(first, context, answer: answer, isAsked: isAsked, aside: aside)
    }

    package init(
        _ first: ResolvedClient, _ context: CommandContext, answer: AccountID? = nil, isAsked: Bool = true,
        aside: @escaping (TokenCall.PreparationNotice) throws(Failure) -> Void = { _ in }
    ) throws(Failure) {
        let request = first.query.request ?? ProgramRequest(program: "foyer")
        self.request = request
        do throws(Failure) { call = try TokenCall(first, context, answer: answer, aside: aside) } catch {
            if isAsked { ProgramUses(context.environment).note(ProgramUse(of: request, first, error, at: Date())) }
            throw error
        }
    }

    /// Resolves the request again, with the current settings or the account that the user chose.
    package func again(answer: AccountID? = nil) throws(Failure) -> ProgramCall? {
        try ProgramCall(resolution.by.query, try call.context.readingSettingsAgain(), answer: answer, isAsked: false)
    }

    /// A copy for use after the server rejected the token.
    package var renewing: ProgramCall {
        var renewing = self
        renewing.call = call.renewing
        return renewing
    }

    /// Why no token may be issued until the user or the settings decide; nil if one may.
    package var refusal: Failure? {
        switch resolution.outcome {
        case .resolved: sessionRefusal ?? call.demand.map(failure)
        case .refuse(let refusal): refusal.failure
        case .ask(let accounts): failure(asking: accounts)
        case .signIn(let name): Refusal.noAccount(name, client: resolution.client.name, signIn: true).failure
        }
    }

    private var sessionRefusal: Failure? {
        guard !call.session.allowsPersons else { return nil }
        return call.session.refusal(
            at: request.words, rule: try? rule(for: call.meantAccount, agents: true),
            path: call.context.settings.path)
    }

    private func failure(of demand: ScopeDemand) -> Failure {
        let place = request.placeName
        guard !demand.wants.isEmpty else {
            return Failure(
                .configuration, "\(place) requires scopes of another resource: \(demand.refused)",
                hint: "a place gets tokens of its own resource only")
        }
        let rule = try? rule(for: resolution.account, scopes: demand.has.union(demand.wants).names)
        return Failure(
            .interactionRequired, "\(place) requires more scopes: \(demand.wants)",
            hint: rule.map { .write(lines: $0.lines, into: call.context.settings.path) })
    }

    /// Whether the program's server demands more than a token: scopes, or a stronger or more recent sign-in.
    package var isChallenged: Bool {
        call.demand != nil || call.request.stepUp != nil
            || (call.request.claims != nil && !resolution.by.query.asked.challenge.isEmpty)
    }

    /// The request with further scopes, to which the person has agreed once.
    package func agreeing(to scopes: ScopeSet) throws(Failure) -> ProgramCall? {
        var query = resolution.by.query
        query.agreed = scopes
        return try ProgramCall(
            query, try call.context.readingSettingsAgain(), answer: resolution.account?.id, isAsked: false)
    }

    private func failure(asking accounts: [Account]) -> Failure {
        var failure = Failure(
            .ambiguous, "\(accounts.count) accounts are signed in: " + accounts.map(\.label).joined(separator: ", "))
        if resolution.by.isPlaceUnnamed { failure = Refusal.placeNotNamed(request, .cluster).failure }
        guard let account = accounts.first, request.cluster != nil || !resolution.by.isPlaceUnnamed,
            let rule = try? rule(for: account, agents: call.session.allowsPersons ? nil : true)
        else { return failure }
        var another = accounts.count > 1 ? ", with this account or another" : ""
        if accounts.count > 1, request.program == ProgramName.git.rawValue, let host = request.host {
            another +=
                " (one rule for each owner: add path = \"OWNER\", and run "
                + "\"git config --global \(GitCredential.pathSetting(at: host)) true\")"
        }
        failure.hint = .write(lines: rule.lines, into: call.context.settings.path + another)
        return failure
    }

    /// The token that can be issued without sending anything; nil if it has to be refreshed.
    package func cachedToken() throws(Failure) -> IssuedToken? {
        if let refusal { throw refusal }
        if resolution.by.query.isIDToken {
            return call.request.forceRefresh ? nil : call.storedIDToken(at: Date())
        }
        try call.requireAccessToken()
        return try call.cachedToken().map { IssuedToken($0) }
    }

    /// Whether the agent of another host may be queried if this one has no token: only for a user's access token, and
    /// only for a place that this host's settings name.
    package func mayAskHome(after failure: Failure) -> Bool {
        let query = resolution.by.query
        if case .refuse(.otherUser) = resolution.outcome { return false }
        // Another host's agent has no sessions of this one's.
        return failure.code == .interactionRequired && !query.isIDToken && call.session.allowsPersons
            && !resolution.by.isPlaceUnnamed
    }

    /// Checks that a token from a sign-in or another agent is the named person's.
    ///
    /// - Parameters:
    ///   - account: the token's; nil if only its username is known.
    /// - Throws: `interactionRequired` for another person's.
    package func check(_ token: IssuedToken, of account: Account? = nil) throws(Failure) {
        let person = resolution.by.person
        let isOther =
            account.map(person.excludes)
            ?? resolution.absentPerson.map { $0.lowercased() != token.username.lowercased() } ?? false
        guard isOther, let name = person.name ?? resolution.absentPerson else { return }
        throw Failure(
            .interactionRequired, "\(token.username) signed in, but \(request.program) requested \(name)",
            hint: "the new account is saved; choose the right one on the provider's page",
            signInProblem: .otherAccount, naming: [token.username, name])
    }

    /// The rule that gives requests like this one an account.
    ///
    /// - Parameters:
    ///   - account: nil if none is signed in; the rule names none then.
    ///   - scopes: nil for those of the rule that matches now.
    ///   - agents: whether AI agents' sessions get its token; nil as by the rule that matches now.
    ///   - isForTarget: whether it names the request's target; false for a rule for the program alone.
    /// - Throws: `configuration` if no rule can name the target.
    package func rule(
        for account: Account?, scopes: [String]? = nil, agents: Bool? = nil, isForTarget: Bool = true
    ) throws(Failure) -> ProgramRule {
        let by = resolution.by
        let isNamed =
            ([.option, .rule, .provider].contains(by.source) || by.isPlaceUnnamed || agents == true)
            // A rule cannot name every client that a plugin's arguments can.
            && (try? call.context.settings.knownClient(named: resolution.client.name)) != nil
        return ProgramRule(
            isForTarget ? try request.conditions() : request.programCondition,
            client: isNamed ? resolution.client.name : nil, account: account?.label,
            tenant: by.rule?.tenant, scopes: scopes ?? by.rule?.scopes ?? [], agents: agents ?? by.rule?.agents)
    }
}

extension CommandContext {
    /// The part of the resolution that needs no store; nil if nothing names the request's host for tokens.
    package func resolvedPlace(_ query: TokenQuery) throws(Failure) -> ResolvedClient? {
        do throws(Refusal) { return try ResolvedClient(query, world) } catch {
            if case .placeNotNamed = error { return nil }
            throw error.failure
        }
    }
}
