import CommandSupport
import FoundationEssentials
import Identity
import Logging
import SilentFirst
import StrictJSON
import TokenCache

/// Answers requests, each as the command of its name would.
final class Desk: Sendable {
    let applications = Applications()
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
            let token = try await acquire(call)
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
    private func acquire(_ call: TokenCall) async throws(Failure) -> AcquiredToken {
        let (application, key) = await applications.take(call.application)
        let result = await Result.of { () throws(Failure) in
            try await application.acquireTokenSilent(call.request, from: call.snapshot) { _ in }
        }
        await applications.giveBack(key)
        do throws(Failure) { return try result.get() } catch { throw call.hinted(error) }
    }
}
