import AppModel
import CommandSupport
import FoundationEssentials
import Identity
import Logging
import StrictJSON
import TokenCache

/// Answers requests, each as the command of its name would.
final class RequestHandler: Sendable {
    typealias Events = @Sendable (JSONValue) async -> Void

    let calls = SilentCalls()
    let ahead: AheadOfNeed
    let lock = AgentLock()
    let questions: Questions
    private let permissions: Permissions
    private let record: Record
    /// The agent's own, whose settings say for what a person is asked.
    private let environment: ProcessEnvironment
    private let status: @Sendable () async -> JSONValue
    private let stop: @Sendable () -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - status: what `foyer agent status --json` prints.
    ///   - stop: begins the end of the agent.
    init(
        record: Record, environment: ProcessEnvironment, logger: Logger,
        status: @escaping @Sendable () async -> JSONValue, stop: @escaping @Sendable () -> Void
    ) {
        ahead = AheadOfNeed(logger)
        questions = Questions(environment, logger)
        permissions = Permissions(environment)
        (self.record, self.environment, self.logger) = (record, environment, logger)
        (self.status, self.stop) = (status, stop)
    }

    /// - Parameters:
    ///   - tries: wrong passphrases of this connection.
    ///   - onEvent: called with what the asker should see before the answer.
    func answer(_ line: [UInt8], _ asker: Asker, _ tries: WrongTries, onEvent: @escaping Events) async -> JSONValue {
        do throws(Failure) {
            switch try AgentProtocol.request(line) {
            case .token(let request): return try await token(request, asker, onEvent)
            case .status: return await status()
            case .stop:
                logger.notice("stopping, asked by \(asker.words)")
                stop()
                return ["stopping": true]
            case .lock(let store):
                await lock.lock(await calls.applications.stores + (store.map { [$0] } ?? []))
                await calls.applications.closeAll()
                logger.notice("locked, asked by \(asker.words)")
                return await lockState
            case .unlock(let passphrase): return try await unlock(passphrase, asker, tries)
            case .requests: return ["requests": await questions.json(hidesAccounts: lock.isLocked)]
            case .answer(let id, let answer): return try await take(answer, to: id, from: asker)
            }
        } catch { return ["error": error.json] }
    }

    // MARK: Tokens

    private func token(_ request: AgentTokenRequest, _ asker: Asker, _ onEvent: @escaping Events) async throws(Failure)
        -> JSONValue
    {
        do throws(Failure) {
            try await checkLock(onEvent)
            let (call, warnings) = try await calls.worked(out: request)
            for warning in warnings { await onEvent(["event": "warning", "message": .string(warning)]) }
            try await confirm(call, request, asker, onEvent)
            let given = try await calls.acquire(call)
            // It may have been locked meanwhile.
            try await checkLock(onEvent)
            let token = given.token
            await ahead.asked(request, given)
            if let warning = token.warning { await onEvent(["event": "warning", "message": .string(warning)]) }
            await record.gave(token, call, asker)
            logger.info("gave a token of \(call.client.name) (\(token.source.rawValue)) to \(asker.words)")
            return token.json
        } catch {
            await record.refused(asker)
            logger.info("gave no token to \(asker.words): \(error.code.rawValue)")
            throw error
        }
    }

    /// Asks the person, where the agent's settings want it and no answer holds already.
    private func confirm(
        _ call: TokenCall, _ request: AgentTokenRequest, _ asker: Asker, _ onEvent: Events
    ) async throws(Failure) {
        let environment = environment
        let settings = try await BlockingExecutor.run { () throws(Failure) in
            try CommandContext(CommonOptions(neverAsks: true), environment: environment).settings
        }
        guard settings.confirmedClients.serves(call.client) else { return }
        let key = Permissions.Key(
            program: asker.responsible, clientID: call.client.clientID, scopes: call.request.scopes.target)
        var answer = await permissions.answer(for: key)
        if answer == nil {
            let account = call.request.account?.label ?? call.session.shared.account ?? "the only one"
            answer = await questions.ask(
                Questions.Question(
                    key: key, asker: asker.words, client: call.client.name, account: account,
                    display: request.environment["DISPLAY"]))
            // A window's answer has no other way to be kept.
            if let answer { try? await permissions.note(answer, for: key) }
        }
        guard answer?.allows == true else {
            await onEvent(["event": .string(AgentProtocol.refusal)])
            throw Failure(
                .interactionRequired,
                answer == nil ? "nobody has allowed \(key.program) to have this token" : "the person has refused it",
                hint: "answer with \"foyer agent requests allow ID\"")
        }
    }

    private func take(_ answer: AgentPermission, to id: String, from asker: Asker) async throws(Failure) -> JSONValue {
        guard let question = await questions.answer(id, answer) else {
            throw Failure(.notFound, "no request \(id) waits", hint: "list them with \"foyer agent requests\"")
        }
        try await permissions.note(answer, for: question.key)
        logger.notice("request \(id) was answered by \(asker.words)")
        return ["answered": .string(id), "answer": .string(answer.rawValue)]
    }

    // MARK: The lock

    private func checkLock(_ onEvent: Events) async throws(Failure) {
        guard await lock.isLocked else { return }
        await onEvent(["event": .string(AgentProtocol.refusal)])
        throw AgentLock.failure
    }

    private func unlock(_ passphrase: Secret?, _ asker: Asker, _ tries: WrongTries) async throws(Failure) -> JSONValue {
        do throws(Failure) { try await lock.unlock(passphrase) } catch {
            if passphrase != nil {
                logger.warning("a wrong passphrase of \(asker.words)")
                // Only who tries waits.
                try? await Task.sleep(for: tries.next(), clock: .continuous)
            }
            throw error
        }
        logger.notice("unlocked, asked by \(asker.words)")
        return await lockState
    }

    private var lockState: JSONValue {
        get async {
            let stores = await lock.stores
            return ["locked": .bool(await lock.isLocked), "lockedBy": .array(stores.map(\.json))]
        }
    }
}
