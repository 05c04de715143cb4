import Agent
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
        let began = Date()
        let failure: Failure
        do throws(Failure) { return try await call.token(calls) } catch { failure = error }
        guard failure.code == .interactionRequired || failure.code == .ambiguous, Self.isPersonThere else {
            throw failure
        }
        let answers = RecentAnswers(environment)
        let question = call.question
        if let answer = answers.answer(to: question, since: began, at: Date()), case .refused = answer { throw failure }
        guard let turn = QuestionTurn(environment, limit: Self.patience) else { throw failure }
        defer { withExtendedLifetime(turn) {} }
        var wish = wish
        switch answers.answer(to: question, since: began, at: Date()) {
        case .refused: throw failure
        case .account(let id): wish.options.account = id
        case nil: break
        }
        // Who had the turn before may have signed in.
        guard let again = try ProgramCall(wish, environment) else { throw failure }
        do throws(Failure) { return try await again.token(calls) } catch {
            switch error.code {
            case .ambiguous:
                guard let account = AccountQuestion(again).ask() else {
                    answers.note(.refused, to: question, at: Date())
                    throw error
                }
                answers.note(.account(account.homeAccountID), to: question, at: Date())
                wish.options.account = account.homeAccountID
                guard let chosen = try ProgramCall(wish, environment) else { throw error }
                return try await chosen.token(calls)
            case .interactionRequired:
                do throws(Failure) { return try await signIn(again, wish) } catch {
                    answers.note(.refused, to: question, at: Date())
                    throw error
                }
            default: throw error
            }
        }
    }

    private func signIn(_ call: ProgramCall, _ wish: ProgramCall.Wish) async throws(Failure) -> ProgramToken {
        var options = ProgramCall.options(call.choice, wish)
        let method = options.asking.via ?? call.call.client.behaviour.via ?? .automatic
        // Its questions are answered on standard input.
        guard method != .native else { throw call.call.hinted(Failure(.interactionRequired, "a person must sign in")) }
        options.silent = false
        options.asking.via = method
        let asking = try TokenCall(options, environment: environment)
        asking.session.output.note("foyer: \(call.request.words) needs a sign-in")
        let (request, snapshot, application) = (asking.request, asking.snapshot, asking.application)
        let token = try await CommandLineSignIn(asking.session, asking.client, options.asking).run(diesOfSignal: true) {
            userAgents, onEvent in
            await Result.of { () throws(Failure) in
                try await application.acquireTokenSilentFirst(
                    request, from: snapshot, userAgents: userAgents, onEvent: onEvent)
            }
        }
        if let note = asking.note { asking.session.output.warn(note) }
        guard wish.isIDToken else { return ProgramToken(token) }
        // It has come with the access token.
        var wish = wish
        wish.options.account = token.account.homeAccountID
        wish.forceRefresh = false
        guard let signedIn = try ProgramCall(wish, environment) else { throw Failure(.notFound, "no ID token came") }
        return try await signedIn.token(calls)
    }

    /// Whether a terminal is there to ask at, and shows what is written on standard error.
    private static var isPersonThere: Bool { isatty(STDERR_FILENO) == 1 && OwnTerminal() != nil }
}

extension ProgramCall {
    /// The same for all requests that one answer would serve.
    fileprivate var question: String {
        [call.client.clientID, choice.account ?? "", choice.tenant ?? "", request.words].joined(separator: " ")
    }
}
