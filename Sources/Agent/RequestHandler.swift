import CommandSupport
import FoundationEssentials
import Identity
import Logging
import StrictJSON
import TokenCache
import TokenCalls

/// Handles requests, each like the command of that name.
final class RequestHandler: Sendable {
    typealias Events = @Sendable (JSONValue) async -> Void

    let calls = SilentCalls()
    let ahead: ProactiveRefresher<AgentTokenRequest>
    let tokenFiles: TokenFileKeeper
    let lock = AgentLock()
    let questions: Questions
    let forwardings = Forwardings()
    private let refreshes = ForwardedRefreshes()
    private let permissions: Permissions
    let record: UsageLog
    /// The agent's own; its settings decide when to ask the user.
    let environment: ProcessEnvironment
    private let status: @Sendable () async -> JSONValue
    private let stop: @Sendable () -> Void
    private let signIn: ForwardedSignIn.SignInOpener
    let logger: Logger

    /// - Parameters:
    ///  - signIn: opens a sign-in for another host or container.
    ///  - status: the output of `foyer agent status --json`.
    ///  - stop: starts the agent's shutdown.
    init(
        record: UsageLog, environment: ProcessEnvironment, logger: Logger,
        signIn: @escaping ForwardedSignIn.SignInOpener,
        status: @escaping @Sendable () async -> JSONValue, stop: @escaping @Sendable () -> Void
    ) {
        // Sessions are the callers': an agent that one of them started serves all.
        let environment = environment.ofPerson
        ahead = ProactiveRefresher(logger)
        tokenFiles = TokenFileKeeper(calls, environment, logger)
        questions = Questions(environment, logger)
        permissions = Permissions(environment)
        (self.record, self.environment, self.logger) = (record, environment, logger)
        (self.status, self.stop, self.signIn) = (status, stop, signIn)
    }

    /// - Parameters:
    ///  - tries: wrong passphrases of this connection.
    ///  - onEvent: receives events to show before the response.
    func answer(_ line: [UInt8], _ asker: Peer, _ tries: FailedUnlockDelay, onEvent: @escaping Events) async
        -> JSONValue
    {
        do throws(Failure) {
            switch try AgentProtocol.request(line) {
            case .token(let request): return try await token(request, asker, onEvent)
            case .accounts(let request): return try await accounts(request, asker, onEvent)
            case .signIn(let signIn): return try await show(signIn, asker, onEvent)
            case .permit(let question): return try await ask(question, asker, onEvent)
            case .status: return await status()
            case .stop:
                logger.notice("stopping (requested by \(asker.words))")
                stop()
                return ["stopping": true]
            case .lock(let store):
                await lockAll(and: store.map { [$0] } ?? [])
                logger.notice("locked (requested by \(asker.words))")
                return await lockState
            case .unlock(let passphrase): return try await unlock(passphrase, asker, tries)
            case .requests: return ["requests": await questions.json(hidesAccounts: lock.isLocked)]
            case .answer(let id, let answer): return try await take(answer, to: id, from: asker)
            case .endForwarding(let id):
                guard let words = forwardings.end(id) else {
                    throw Failure(
                        .notFound, "no forwarded connection \(id)",
                        hint: "list them with \"foyer agent forwarded\"")
                }
                logger.notice("closed \(words) (requested by \(asker.words))")
                return ["ended": .string(id)]
            }
        } catch { return ["error": error.json] }
    }

    var forwarded: ForwardedRequests {
        ForwardedRequests(
            calls: calls, lock: lock, questions: questions, permissions: permissions, record: record,
            forwardings: forwardings, refreshes: refreshes, environment: environment, logger: logger, open: signIn)
    }

    // MARK: Tokens

    private func token(_ request: AgentTokenRequest, _ asker: Peer, _ onEvent: @escaping Events) async throws(Failure)
        -> JSONValue
    {
        let asker = try await asker.speaking(for: request.forProcess)
        do throws(Failure) {
            try await lock.check(onEvent)
            await lock.used()
            let (call, warnings) = try await calls.worked(out: request)
            for warning in warnings { await onEvent(["event": "warning", "message": .string(warning)]) }
            try await confirm(call, request, asker, onEvent)
            let given =
                request.isOfBroker
                ? try await calls.acquireWithIDToken(call, request) : try await calls.acquire(call)
            // It may have been locked in the meantime.
            try await lock.check(onEvent)
            let token = given.token
            await ahead.asked(request, given)
            if let warning = token.warning { await onEvent(["event": "warning", "message": .string(warning)]) }
            await record.gave(token, call, asker)
            logger.info("token for \(call.client.name) (\(token.source.rawValue)) to \(asker.words)")
            guard request.isOfBroker, let idToken = token.idToken, let members = token.json.object?.members else {
                return token.json
            }
            return .object(JSONObject(members + [JSONMember(name: "idToken", value: idToken.reveal().json)]))
        } catch {
            await record.refused(asker)
            logger.info("refused \(asker.words): \(error.code.rawValue)")
            throw error
        }
    }

    /// Asks the user if the agent's settings require it and no saved answer applies.
    private func confirm(
        _ call: TokenCall, _ request: AgentTokenRequest, _ asker: Peer, _ onEvent: Events
    ) async throws(Failure) {
        let settings = try await settings()
        let account = call.meantAccount
        var key = Permissions.Key(
            program: asker.responsible, clientID: call.client.clientID,
            account: account?.id.canonicalHomeAccountID ?? "",
            scopes: call.request.scopes.target)
        // A client that relies on another client's sign-in always needs permission: tokens that it got earlier do not
        // count as its own sign-in.
        var first: Permissions.Key?
        if request.isOfBroker {
            key.scopes = Permissions.everyScope
            var mark = key
            mark.program = ""
            let isKnown = await permissions.answer(for: mark) != nil
            if isKnown || !call.hasOwnSignIn { first = mark }
        }
        guard first != nil || settings.selects(call.client, settings.confirmedClients) else { return }
        if let first { try? await permissions.note(.never, for: first) }
        var answer = await permissions.answer(for: key)
        if answer == nil {
            answer = await questions.ask(
                Questions.Question(
                    key: key, asker: asker.words, client: call.client.name,
                    account: account?.label ?? call.context.shared.account ?? "unknown yet",
                    display: request.environment["DISPLAY"]))
            // The waiting call saves a window's answer; other answers are saved on receipt.
            if answer == .session { try? await permissions.note(.session, for: key) }
        }
        guard answer?.allows == true else {
            await onEvent(["event": .string(AgentProtocol.refusal)])
            guard answer == nil else { throw Failure(.cancelled, "refused by the user") }
            throw Failure(
                .interactionRequired, "no permission yet for \(key.program)",
                hint: "answer with \"foyer agent requests allow ID\"")
        }
    }

    /// The process that asks keeps the answer: for its session, or as a rule.
    private func ask(_ question: SessionQuestion, _ asker: Peer, _ onEvent: @escaping Events) async throws(Failure)
        -> JSONValue
    {
        try await lock.check(onEvent)
        let answer = await questions.askIfSeen(
            Questions.Question(
                key: Permissions.Key(
                    program: question.asker, clientID: question.client, account: question.account,
                    scopes: question.scopes),
                asker: question.asker, client: question.client, account: question.account,
                display: question.display.isEmpty ? nil : question.display, isKept: false))
        logger.info("permission for \(asker.words): \(answer?.rawValue ?? "none")")
        return ["answer": (answer?.rawValue).json]
    }

    private func take(_ answer: AgentPermission, to id: String, from asker: Peer) async throws(Failure) -> JSONValue {
        guard let question = await questions.answer(id, answer) else {
            throw Failure(.notFound, "no pending request \(id)", hint: "list them with \"foyer agent requests\"")
        }
        if question.isKept { try await permissions.note(answer, for: question.key) }
        logger.notice("request \(id) answered by \(asker.words)")
        return ["answered": .string(id), "answer": .string(answer.rawValue)]
    }

    // MARK: The lock

    private func unlock(_ passphrase: Secret?, _ asker: Peer, _ tries: FailedUnlockDelay) async throws(Failure)
        -> JSONValue
    {
        do throws(Failure) { try await lock.unlock(passphrase) } catch {
            if passphrase != nil {
                logger.warning("wrong passphrase from \(asker.words)")
                // Only this caller has to wait.
                try? await Task.sleep(for: tries.next(), clock: .continuous)
            }
            throw error
        }
        logger.notice("unlocked (requested by \(asker.words))")
        return await lockState
    }

    private var lockState: JSONValue {
        get async {
            let stores = await lock.stores
            return ["locked": .bool(await lock.isLocked), "lockedBy": .array(stores.map(\.json))]
        }
    }
}
