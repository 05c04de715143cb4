import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Helpers
import Identity
import Programs
import SilentCore
import SilentFirst
import TokenCache
import TokenCalls

/// Gets a token for a helper: silently, else by a prompt. Standard input and output belong to its protocol.
struct ProgramSignIn: Sendable {
    let environment: ProcessEnvironment
    private let calls = SilentCalls()
    /// Wait for another process's prompt.
    private static let patience: Duration = .seconds(300)

    /// The answer to a helper's request, with a token from the cache or a new one.
    ///
    /// - Parameter leavesOthers: whether a request for a person who is not signed in and cannot be prompted is left to
    ///   the program and its other helpers.
    /// - Returns: nil if nothing names the request's host for tokens, and for such a person.
    func answer(_ request: HelperRequest, leavesOthers: Bool = false) async throws(Failure) -> String? {
        guard let call = try await call(request) else { return nil }
        do throws(Failure) { return try await answer(request, call) } catch {
            guard leavesOthers, case .signIn = call.resolution.outcome, let refusal = call.refusal,
                place(for: call, after: refusal) == nil
            else { throw error }
            return nil
        }
    }

    func call(_ request: HelperRequest) async throws(Failure) -> ProgramCall? {
        let context = try CommandContext(request.query.options, environment: environment)
        var query = request.query
        if let devOps = try request.organizationToLookUp(context) {
            let tenants = AzureDevOpsTenants(environment)
            query.place.tenant = await tenants.tenant(of: devOps, context.network(), at: Date())
        }
        return try ProgramCall(query, context)
    }

    func answer(_ request: HelperRequest, _ call: ProgramCall) async throws(Failure) -> String {
        guard let rejected = request.rejectedToken(call) else {
            return request.finalAnswer(try await token(call), to: call)
        }
        do throws(Failure) {
            return request.finalAnswer(try await token(call.renewing, rejected: rejected.token.secret), to: call)
        } catch {
            // Without a network there is no other token, and the rejection is only a guess.
            guard error.code == .unavailable, rejected.rejection == .guessed else { throw error }
            return request.finalAnswer(rejected.token, to: call)
        }
    }

    /// - Parameter rejected: a cached token that its server rejected.
    /// - Throws: the reason, with a hint of which command to run or which rule to write.
    func token(_ call: ProgramCall, rejected: Secret? = nil) async throws(Failure) -> IssuedToken {
        try await call.noting { () throws(Failure) in try await obtained(call, rejected) }
    }

    private func obtained(_ call: ProgramCall, _ rejected: Secret?) async throws(Failure) -> IssuedToken {
        let began = Date()
        let failure: Failure
        do throws(Failure) { return try await call.silentToken(calls) } catch { failure = error }
        if let token = try home(call, after: failure) { return token }
        guard let place = place(for: call, after: failure) else { throw failure }
        let answers = PromptAnswerCache(environment)
        let question = call.question
        if let answer = answers.answer(to: question, since: began, at: Date()), case .refused = answer { throw failure }
        guard let turn = InterprocessLock.question.take(environment, limit: Self.patience) else { throw failure }
        defer { withExtendedLifetime(turn) {} }
        // The previous holder may have signed in or answered the prompt.
        var again: ProgramCall?
        switch answers.answer(to: question, since: began, at: Date()) {
        case .refused: throw failure
        case .account(let id): again = try call.again(answer: call.account(id))
        case nil: again = try call.again()
        }
        if case .ask(let accounts)? = again?.resolution.outcome, let asking = again {
            guard let account = AccountQuestion(asking, accounts).ask() else {
                answers.note(.refused, to: question, at: Date())
                throw asking.refusal ?? failure
            }
            answers.note(.account(account.homeAccountID), to: question, at: Date())
            again = try call.again(answer: account.id)
        }
        if let asking = again, case .unanswered(let session, _) = asking.call.session {
            switch DemandQuestion(asking).ask(about: session) {
            case .once, .always: again = try asking.again(answer: asking.resolution.account?.id)
            case .notNow, .never, nil:
                answers.note(.refused, to: question, at: Date())
                throw asking.refusal ?? failure
            }
        }
        var isAgreed = false
        if let asking = again, let demand = asking.call.demand, !demand.wants.isEmpty {
            switch DemandQuestion(asking).ask(about: demand) {
            case .once: again = try asking.agreeing(to: demand.wants)
            case .always: again = try asking.again(answer: asking.resolution.account?.id)
            case .notNow, .never:
                answers.note(.refused, to: question, at: Date())
                throw asking.refusal ?? failure
            }
            isAgreed = true
        }
        guard var again else { throw failure }
        // Otherwise the silent call serves it once more.
        if let rejected, (try? again.cachedToken())?.secret == rejected { again = again.renewing }
        do throws(Failure) { return try await again.silentToken(calls) } catch {
            guard error.code == .interactionRequired, place != .question,
                again.refusal == nil || again.resolution.absentPerson != nil
            else { throw error }
            do throws(Failure) {
                if !isAgreed, again.isChallenged {
                    let demand = again.call.request.stepUp?.words ?? "a new sign-in"
                    guard DemandQuestion(again).agrees(to: demand) else { throw error }
                }
                return try await signIn(again, at: place)
            } catch {
                answers.note(.refused, to: question, at: Date())
                throw error
            }
        }
    }

    /// The token from an agent of another host, if this host has none.
    private func home(_ call: ProgramCall, after failure: Failure) throws(Failure) -> IssuedToken? {
        guard call.mayAskHome(after: failure) else { return nil }
        let isInteractive = place(for: call, after: failure) != nil
        let answer = try ForwardedCall(call.call, isInteractive: isInteractive)?.answer()
        guard let token = answer.flatMap({ IssuedToken($0.token) }) else { return nil }
        try call.check(token)
        return token
    }

    private func signIn(_ call: ProgramCall, at place: Place) async throws(Failure) -> IssuedToken {
        let by = call.resolution.by
        let method = by.query.effective.via ?? call.call.client.behaviour.via ?? .automatic
        // A native sign-in reads replies from standard input.
        guard method != .native else { throw call.call.hinted(Failure(.interactionRequired, "sign-in required")) }
        var query = by.query
        (query.options.silent, query.options.neverAsks, query.options.via) = (false, false, method)
        let context = try CommandContext(query.options, environment: environment)
        guard let first = try context.resolvedPlace(query) else { throw Failure(.notFound, "no rule for this host") }
        var asking = try TokenCall(first, context, answer: call.resolution.account?.id)
        if call.call.request.forceRefresh { asking = asking.renewing }
        let (request, snapshot, application) = (asking.request, asking.snapshot, asking.application)
        // A silent call would get the token of another account, or an access token in place of an ID token.
        let isInteractive = asking.resolution.absentPerson != nil || by.query.isIDToken
        let acquire: CommandLineSignIn.AcquireToken = { userAgents, onEvent in
            await Result.of { () throws(Failure) in
                if isInteractive {
                    let token = try await application.acquireToken(request, userAgents: userAgents, onEvent: onEvent)
                    guard by.query.isIDToken || !token.accessToken.isEmpty else { throw .noAccessToken(token) }
                    return token
                }
                return try await application.acquireTokenSilentFirst(
                    request, from: snapshot, userAgents: userAgents, onEvent: onEvent)
            }
        }
        let token: AcquiredToken
        switch place {
        case .terminal:
            let demand = asking.request.stepUp.map { ": the server requires \($0.words)" } ?? ""
            context.output.note("foyer: \(call.request.words) needs sign-in\(demand)")
            token = try await CommandLineSignIn(asking).run(diesOfSignal: true, acquire)
            if let note = asking.note { context.output.warn(note) }
        case .interface:
            token = try await ShownSignIn(
                environment, client: asking.client.name,
                account: request.account?.label ?? request.loginHint ?? "", asker: call.request.words,
                pid: getppid()
            ).run(patience: context.patience, acquire)
        case .question: throw call.call.hinted(Failure(.interactionRequired, "sign-in required"))
        }
        try call.check(IssuedToken(token), of: token.account)
        guard by.query.isIDToken else { return IssuedToken(token) }
        // It came with the access token.
        guard let signedIn = try call.again(answer: token.account.id) else {
            throw Failure(.notFound, "no ID token received")
        }
        return try await signedIn.silentToken(calls)
    }

    private enum Place {
        case terminal, interface
        /// The agent, which can ask about an AI agent's session and nothing else.
        case question
    }

    /// - Returns: nil if the user cannot be prompted, or a prompt would not help.
    private func place(for call: ProgramCall, after failure: Failure) -> Place? {
        // The program's account may have been signed out: no other account replaces it.
        if case .refuse = call.resolution.outcome { return nil }
        switch call.call.session {
        case .person: break
        case .own, .refused: return nil
        // A session is never stepped up.
        case .allowed, .unanswered: guard !call.isChallenged else { return nil }
        }
        guard failure.code == .interactionRequired || failure.code == .ambiguous else { return nil }
        // The user must see standard error.
        if isatty(STDERR_FILENO) == 1, ControllingTerminal() != nil { return .terminal }
        if call.isChallenged {
            // It opens no page by itself: an open interface shows the question first.
            guard let demand = call.call.demand, !demand.wants.isEmpty, OpenInterface.isAny(AgentPlace(environment)),
                DemandQuestion.agent(environment) != nil
            else { return nil }
            return .interface
        }
        if case .unanswered = call.call.session {
            guard case .resolved = call.resolution.outcome, DemandQuestion.agent(environment) != nil else { return nil }
            return .question
        }
        // An open interface shows a sign-in; only a rule can choose between several accounts.
        let isAskable = call.refusal == nil || call.resolution.absentPerson != nil
        guard failure.code == .interactionRequired, isAskable, OpenInterface.isAny(AgentPlace(environment)),
            DemandQuestion.agent(environment) != nil
        else { return nil }
        return .interface
    }
}

extension ProgramCall {
    /// Equal for all requests that one reply would serve.
    fileprivate var question: String {
        let by = resolution.by
        let account = by.account ?? by.requestedAccount ?? by.person.name
        // A person who refuses more scopes can still be asked to sign in.
        let demand = call.demand?.wants.target ?? call.request.stepUp?.words ?? ""
        // A session's refusal is not the person's.
        return [
            call.client.clientID, account ?? "", by.tenant ?? "", request.words, demand, call.session.session?.id ?? "",
        ].joined(separator: " ")
    }

    /// The account in a reply that another process recorded.
    fileprivate func account(_ homeAccountID: String) -> AccountID? {
        resolution.candidates.first { $0.isIdentified(by: homeAccountID) }?.id
    }
}
