// Programs serves other programs in their own protocols: the managed-identity endpoint, the helpers of git, docker,
// kubectl and az. What it must not do: decide for whom a request is (the resolution does), or ask a person (foyer-main
// does).

package import CommandSupport
import FoundationEssentials
package import Identity
import SilentFirst
import TokenCache

/// One program's request for a token, resolved: which rule, client and account, and what a silent call would do.
package struct ProgramCall: Sendable {
    package let request: ProgramRequest
    package private(set) var call: TokenCall

    package var resolution: Resolution { call.resolution }

    /// - Parameters:
    ///   - context: read once for all that is done for the request.
    ///   - answer: whom a person has chosen.
    ///   - isAsked: whether the program is there and is answered, so that what it is refused with is noted; off for who
    ///     only looks, and for what is tried on the way to an answer.
    /// - Returns: nil where the request is of a host that nobody has named for tokens.
    /// - Throws: what `foyer token` would for a client or an account that is not there.
    package init?(
        _ query: TokenQuery, _ context: CommandContext, answer: AccountID? = nil, isAsked: Bool = true
    ) throws(Failure) {
        var query = query
        query.options.silent = true
        query.options.neverAsks = true
        if query.place.separatesAgents {
            query.options.agentSession = try context.environment.bounded(RequestField.agentSessionVariable, limit: 256)
        }
        guard let first = try context.resolvedPlace(query) else { return nil }
        try self.init(first, context, answer: answer, isAsked: isAsked)
    }

    package init(
        _ first: ResolvedClient, _ context: CommandContext, answer: AccountID? = nil, isAsked: Bool = true
    ) throws(Failure) {
        let request = first.query.request ?? ProgramRequest(program: "foyer")
        self.request = request
        do throws(Failure) { call = try TokenCall(first, context, answer: answer) { _ in } } catch {
            if isAsked { ProgramUses(context.environment).note(ProgramUse(of: request, first, error, at: Date())) }
            throw error
        }
    }

    /// The same as it stands now, or with whom a person has chosen.
    package func again(answer: AccountID? = nil) throws(Failure) -> ProgramCall? {
        try ProgramCall(resolution.by.query, try call.context.readingSettingsAgain(), answer: answer, isAsked: false)
    }

    /// The same for a token that has been refused.
    package var renewing: ProgramCall {
        var renewing = self
        renewing.call = call.renewing
        return renewing
    }

    /// Why nobody gets a token before a person, or the program's own settings, say otherwise; nil where one may.
    package var refusal: Failure? {
        switch resolution.outcome {
        case .resolved: nil
        case .refuse(let refusal): refusal.failure
        case .ask(let accounts): failure(asking: accounts)
        }
    }

    private func failure(asking accounts: [Account]) -> Failure {
        var failure = Failure(
            .ambiguous, "\(accounts.count) accounts are signed in: " + accounts.map(\.label).joined(separator: ", "))
        if resolution.by.isPlaceUnnamed { failure = Refusal.placeNotNamed(request, .cluster).failure }
        guard let account = accounts.first, request.cluster != nil || !resolution.by.isPlaceUnnamed else {
            return failure
        }
        let another = accounts.count > 1 ? ", with this account or another" : ""
        failure.hint = .write(lines: rule(for: account).lines, into: call.context.settings.path + another)
        return failure
    }

    /// The cached token, or a refreshed one. Nobody is asked, and nothing is noted.
    ///
    /// - Throws: what the silent call ends with; of several accounts the hint is the rule to write.
    package func silentToken(_ calls: SilentCalls) async throws(Failure) -> IssuedToken {
        if let refusal { throw refusal }
        do throws(Failure) {
            if resolution.by.query.isIDToken {
                return try await call.idToken(calls, forceRefresh: call.request.forceRefresh)
            }
            try call.requireAccessToken()
            if let token = try cachedToken() { return token }
            // Of an account that is named, no other entries were read.
            if resolution.by.account == nil { call.context.noteOnlyClient(in: call.snapshot) }
            switch call.answerOfAgent().answer {
            case .token(let answer): if let token = IssuedToken(answer) { return token }
            case .failure(let failure): throw failure
            case nil: break
            }
            return IssuedToken(try await calls.acquire(call).token)
        } catch { throw call.hinted(error) }
    }

    /// What would be handed out without anything being sent; nil where it has to be refreshed.
    package func cachedToken() throws(Failure) -> IssuedToken? {
        if let refusal { throw refusal }
        if resolution.by.query.isIDToken {
            return call.request.forceRefresh ? nil : call.storedIDToken(at: Date())
        }
        return try call.cachedToken().map { IssuedToken($0) }
    }

    /// Whether the agent of another host can be asked, where this one has no answer: for an access token of a person's
    /// own, to a place that was named here.
    package func mayAskHome(after failure: Failure) -> Bool {
        let query = resolution.by.query
        if case .refuse(.otherUser) = resolution.outcome { return false }
        return failure.code == .interactionRequired && !query.isIDToken && query.options.agentSession == nil
            && !resolution.by.isPlaceUnnamed
    }

    /// The rule that would choose this account for requests like this one.
    package func rule(for account: Account) -> ProgramRule {
        let by = resolution.by
        let isNamed =
            ([.option, .rule, .provider].contains(by.source) || by.isPlaceUnnamed)
            // One of a plugin's arguments may be none that a rule can name.
            && (try? call.context.settings.knownClient(named: resolution.client.name)) != nil
        return ProgramRule(
            request.conditions, client: isNamed ? resolution.client.name : nil, account: account.label,
            tenant: by.rule?.tenant, scopes: by.rule?.scopes ?? [])
    }
}

extension CommandContext {
    /// The half of a program's resolution that needs no store; nil where the request is of a host that nobody has
    /// named for tokens.
    package func resolvedPlace(_ query: TokenQuery) throws(Failure) -> ResolvedClient? {
        do throws(Refusal) { return try ResolvedClient(query, world) } catch {
            if case .placeNotNamed = error { return nil }
            throw error.failure
        }
    }
}
