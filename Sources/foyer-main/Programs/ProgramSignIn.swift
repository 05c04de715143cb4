import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Identity
import Programs
import SilentFirst
import TokenCache

/// A token for a helper that a program has started: silently, else by asking the person at the controlling terminal,
/// where the helper has one. Standard input and output are the protocol's.
struct ProgramSignIn: Sendable {
    let environment: ProcessEnvironment
    private let calls = SilentCalls()
    /// How long another process's question is waited for.
    private static let patience: Duration = .seconds(300)

    init(_ environment: ProcessEnvironment) { self.environment = environment }

    /// - Throws: why there is no token; with a hint of what to run, or which rule to write.
    func token(_ call: ProgramCall, _ wish: ProgramCall.Wish) async throws(Failure) -> ProgramToken {
        try await call.noting { () throws(Failure) in try await obtained(call, wish) }
    }

    private func obtained(_ call: ProgramCall, _ wish: ProgramCall.Wish) async throws(Failure) -> ProgramToken {
        let began = Date()
        let failure: Failure
        do throws(Failure) { return try await call.silentToken(calls) } catch { failure = error }
        guard call.failureOfUser == nil, let place = place(for: failure) else { throw failure }
        let answers = RecentAnswers(environment)
        let question = call.question
        if let answer = answers.answer(to: question, since: began, at: Date()), case .refused = answer { throw failure }
        guard let turn = ProcessTurn(.question, environment, limit: Self.patience) else { throw failure }
        defer { withExtendedLifetime(turn) {} }
        var wish = wish
        switch answers.answer(to: question, since: began, at: Date()) {
        case .refused: throw failure
        case .account(let id): wish.options.account = id
        case nil: break
        }
        // Who had the turn before may have signed in.
        guard let again = try ProgramCall(wish, environment, isAsked: false) else { throw failure }
        do throws(Failure) { return try await again.silentToken(calls) } catch {
            switch error.code {
            case .ambiguous:
                guard let account = AccountQuestion(again).ask() else {
                    answers.note(.refused, to: question, at: Date())
                    throw error
                }
                answers.note(.account(account.homeAccountID), to: question, at: Date())
                wish.options.account = account.homeAccountID
                guard let chosen = try ProgramCall(wish, environment, isAsked: false) else { throw error }
                return try await chosen.silentToken(calls)
            // Whom the program is set to may have been signed out meanwhile: nobody else is asked in their place.
            case .interactionRequired where again.failureOfUser == nil:
                do throws(Failure) { return try await signIn(again, wish, at: place) } catch {
                    answers.note(.refused, to: question, at: Date())
                    throw error
                }
            default: throw error
            }
        }
    }

    private func signIn(_ call: ProgramCall, _ wish: ProgramCall.Wish, at place: Place) async throws(Failure)
        -> ProgramToken
    {
        var options = ProgramCall.options(call.choice, wish)
        let method = options.asking.via ?? call.call.client.behaviour.via ?? .automatic
        // Its questions are answered on standard input.
        guard method != .native else { throw call.call.hinted(Failure(.interactionRequired, "a person must sign in")) }
        options.silent = false
        options.asking.via = method
        let asking = try TokenCall(options, environment: environment)
        let (request, snapshot, application) = (asking.request, asking.snapshot, asking.application)
        let acquire: CommandLineSignIn.AcquireToken = { userAgents, onEvent in
            await Result.of { () throws(Failure) in
                try await application.acquireTokenSilentFirst(
                    request, from: snapshot, userAgents: userAgents, onEvent: onEvent)
            }
        }
        let token: AcquiredToken
        switch place {
        case .terminal:
            asking.session.output.note("foyer: \(call.request.words) needs a sign-in")
            token = try await CommandLineSignIn(asking.session, asking.client, options.asking).run(
                diesOfSignal: true, acquire)
            if let note = asking.note { asking.session.output.warn(note) }
        case .interface:
            token = try await ShownSignIn(
                environment, client: asking.client.name,
                account: request.account?.label ?? options.asking.loginHint ?? "", asker: call.request.words,
                pid: getppid()
            ).run(patience: asking.session.patience, acquire)
        }
        guard wish.isIDToken else { return ProgramToken(token) }
        // It has come with the access token.
        var wish = wish
        wish.options.account = token.account.homeAccountID
        wish.forceRefresh = false
        guard let signedIn = try ProgramCall(wish, environment) else { throw Failure(.notFound, "no ID token came") }
        return try await signedIn.silentToken(calls)
    }

    /// Where a person is asked.
    private enum Place { case terminal, interface }

    /// - Returns: nil where nobody is there, or nobody could help.
    private func place(for failure: Failure) -> Place? {
        guard failure.code == .interactionRequired || failure.code == .ambiguous else { return nil }
        // What is written on standard error has to be seen.
        if isatty(STDERR_FILENO) == 1, OwnTerminal() != nil { return .terminal }
        // An open interface shows a sign-in; which of several accounts is meant a rule has to say.
        guard failure.code == .interactionRequired, OpenInterface.isAny(AgentPlace(environment)),
            let agent = try? AgentConnection(AgentPlace(environment)), agent.serverVersion == Product.version
        else { return nil }
        return .interface
    }
}

extension ProgramCall {
    /// The same for all requests that one answer would serve.
    fileprivate var question: String {
        [call.client.clientID, choice.account ?? "", choice.tenant ?? "", request.words].joined(separator: " ")
    }
}
