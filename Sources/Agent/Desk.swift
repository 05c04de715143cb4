import CommandSupport
import FoundationEssentials
import Identity
import Logging
import SilentFirst
import StrictJSON
import TokenCache

/// Answers requests, each as the command of its name would.
final class Desk: Sendable {
    /// A token that was given, with what there is to know for the next one.
    struct Given: Sendable {
        let token: AcquiredToken
        let client: String
        /// Whom the next refresh will go to.
        let provider: String
        /// Nil for a token that the store does not date.
        let life: TokenLife?
    }

    let applications = Applications()
    let ahead: AheadOfNeed
    let record: Record
    private let status: @Sendable () async -> JSONValue
    private let stop: @Sendable () -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - status: what `foyer agent status --json` prints.
    ///   - stop: begins the end of the agent.
    init(
        record: Record, logger: Logger, status: @escaping @Sendable () async -> JSONValue,
        stop: @escaping @Sendable () -> Void
    ) {
        ahead = AheadOfNeed(logger)
        (self.record, self.logger, self.status, self.stop) = (record, logger, status, stop)
    }

    /// - Parameter onEvent: called with what the asker should see before the answer.
    func answer(_ line: [UInt8], _ asker: Asker, onEvent: @escaping @Sendable (JSONValue) async -> Void) async
        -> JSONValue
    {
        do throws(Failure) {
            switch try AgentProtocol.request(line) {
            case .token(let request): return try await token(request, asker, onEvent)
            case .status: return await status()
            case .stop:
                logger.notice("stopping, asked by \(asker.words)")
                stop()
                return ["stopping": true]
            }
        } catch { return ["error": error.json] }
    }

    // MARK: Tokens

    private func token(
        _ request: AgentTokenRequest, _ asker: Asker, _ onEvent: @escaping @Sendable (JSONValue) async -> Void
    ) async throws(Failure) -> JSONValue {
        do throws(Failure) {
            let (call, warnings) = try await worked(out: request)
            for warning in warnings { await onEvent(["event": "warning", "message": .string(warning)]) }
            let given = try await acquire(call)
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

    /// The call as `foyer token --silent` would make it where the asker is.
    private func worked(out request: AgentTokenRequest) async throws(Failure) -> (TokenCall, warnings: [String]) {
        try await BlockingExecutor.run { () throws(Failure) in
            var warnings: [String] = []
            let call = try TokenCall(request.options, environment: request.askersEnvironment) { aside in
                if case .warning(let text) = aside { warnings.append(text) }
            }
            try Self.check(request, call)
            return (call, warnings)
        }
    }

    /// The same words may name another store here: a container sees other files at a path, and another session has
    /// another keyring.
    private static func check(_ request: AgentTokenRequest, _ call: TokenCall) throws(Failure) {
        let store = try call.session.storeSpec(call.client)
        guard FileIdentity(ofFolderOf: store.path) == request.storeFolder else {
            throw Failure(.configuration, "the agent sees another folder at the path of the store")
        }
        if store.kind == .keyring {
            let bus = "DBUS_SESSION_BUS_ADDRESS"
            guard request.environment[bus] == ProcessEnvironment()[bus] else {
                throw Failure(.configuration, "the agent belongs to another session than the keyring")
            }
        }
    }

    /// Callers of one client and store share one application, so that those who ask for the same share one refresh.
    private func acquire(_ call: TokenCall, forceRefresh: Bool = false) async throws(Failure) -> Given {
        let (application, key) = await applications.take(call.application)
        var request = call.request
        request.forceRefresh = request.forceRefresh || forceRefresh
        let result = await Result.of { [request] () throws(Failure) in
            try await application.acquireTokenSilent(request, from: call.snapshot) { _ in }
        }
        await applications.giveBack(key)
        let token: AcquiredToken
        do throws(Failure) { token = try result.get() } catch { throw call.hinted(error) }
        let decision = await decision(call)
        return Given(
            token: token, client: call.client.name, provider: token.authority.provider,
            life: decision.flatMap(\.servedLife))
    }

    /// What a silent call would do now; nil when the store cannot be read.
    private func decision(_ call: TokenCall) async -> SilentDecision? {
        await BlockingExecutor.run {
            guard let snapshot = try? call.application.snapshot() else { return nil }
            var request = call.request
            request.forceRefresh = false
            request.claims = nil
            return call.application.decision(on: request, from: snapshot)
        }
    }

    // MARK: Ahead of need

    /// Refreshes what nobody waits for, unless another process has done it meanwhile.
    func renew(_ item: AheadOfNeed.Item) async -> RefreshSchedule<AheadOfNeed.Item>.End {
        let call: TokenCall
        do throws(Failure) { call = try await worked(out: item).0 } catch { return .over }
        guard let decision = await decision(call) else { return .failed(notBefore: nil) }
        if let life = decision.servedLife, !life.isDue(at: Date()) { return .renewed(life) }
        if case .wait(let entry) = decision.hold { return .failed(notBefore: entry.until) }
        do throws(Failure) {
            guard let life = try await acquire(call, forceRefresh: true).life else { return .over }
            return .renewed(life)
        } catch {
            return error.code == .unavailable || error.code == .storeError ? .failed(notBefore: nil) : .over
        }
    }
}

extension TokenLife {
    /// Whether it is time for another one, jitter left out.
    fileprivate func isDue(at now: Date) -> Bool {
        let share = RefreshSchedule<AheadOfNeed.Item>.usualShare - RefreshSchedule<AheadOfNeed.Item>.jitter
        return now >= issued.addingTimeInterval(length * share)
    }
}

extension SilentDecision {
    /// The life of the cached token that is handed out.
    fileprivate var servedLife: TokenLife? {
        guard case .serve(let token, _) = outcome, let issued = token.cachedAt, let expires = token.expiresOn else {
            return nil
        }
        return TokenLife(issued: issued, expires: expires, refresh: token.refreshOn)
    }
}
