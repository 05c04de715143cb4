package import CommandSupport
import FoundationEssentials
import Glibc
package import Identity
package import StrictJSON
import Synchronization
import TokenCache

/// Responses to broker calls. Tokens come from the agent, so its lock, permissions and prompts apply to broker callers
/// too; interactive sign-ins run here.
package final class BrokerCalls: Sendable {
    package struct Answer: Sendable {
        package let json: JSONValue
        package let entry: BrokerLog.Entry
    }

    package typealias SignIn = @Sendable (BrokerRequest, BrokerCaller) async -> Result<AcquiredToken, Failure>

    /// GDBus callers time out after 25 s.
    private static let patience: Duration = .seconds(22)

    private struct Query: Hashable, Sendable {
        let program: String
        let request: BrokerRequest
    }

    private let environment: ProcessEnvironment
    private let agent: @Sendable () throws(Failure) -> AgentConnection
    private let signIn: SignIn
    private let late = LateAnswers<Query, Result<JSONValue, BrokerRefusal>>(patience: patience)
    private let busy = Mutex(0)
    private let signIns = Mutex<[UUID: Task<Result<AcquiredToken, Failure>, Never>]>([:])

    /// - Parameter agent: connects to the agent and starts one if none is running.
    package init(
        _ environment: ProcessEnvironment, agent: @escaping @Sendable () throws(Failure) -> AgentConnection,
        signIn: @escaping SignIn
    ) {
        (self.environment, self.agent, self.signIn) = (environment, agent, signIn)
    }

    /// Whether no work is pending, including work for callers that have disconnected.
    var isIdle: Bool { busy.withLock { $0 == 0 } }

    func stop() { for task in signIns.withLock({ Array($0.values) }) { task.cancel() } }

    package func answer(
        _ method: BrokerInterface.Method, _ correlationID: String, _ json: String, _ caller: BrokerCaller
    ) async -> Answer {
        var entry = BrokerLog.Entry(caller: caller, method: method.rawValue, outcome: "given")
        do throws(BrokerRefusal) {
            let request = try BrokerRequest(method, correlationID: correlationID, json: json)
            (entry.clientID, entry.scopes) = (request.options.clientID ?? "", request.options.scopes)
            entry.account = request.username ?? request.homeAccountID
            let value = try await carryOut(await settled(request), caller)
            if let account = value["brokerTokenResponse"]?["account"]?["username"]?.string { entry.account = account }
            return Answer(json: value, entry: entry)
        } catch {
            entry.outcome = "\(error.status)"
            entry.detail = error.context
            return Answer(json: error.json, entry: entry)
        }
    }

    /// MSAL's runtime drops the port from authorities, so it is taken from the client's settings.
    private func settled(_ request: BrokerRequest) async -> BrokerRequest {
        guard let authority = request.options.authority, let id = request.options.clientID else { return request }
        return await BlockingExecutor.run { [environment] in
            let options = TokenOptions { ($0.clientID, $0.neverAsks) = (id, true) }
            let session = try? CommandContext(options, environment: environment)
            guard let configured = try? session?.clientIfAny()?.authority else { return request }
            var request = request
            request.options.authority = BrokerRequest.authority(authority, configured: configured)
            return request
        }
    }

    private func carryOut(_ request: BrokerRequest, _ caller: BrokerCaller) async throws(BrokerRefusal) -> JSONValue {
        switch request.method {
        case .getLinuxBrokerVersion: return ["linuxBrokerVersion": .string("foyer-" + Product.version)]
        case .getAccounts: return try await accounts(request, caller)
        case .acquireTokenSilently: return try await silent(request, caller)
        case .acquireTokenInteractively: return try await interactive(request, caller)
        case .cancelInteractiveFlow:
            signIns.withLock { $0[request.correlationID] }?.cancel()
            return [:]
        case .removeAccount:
            throw BrokerRefusal(
                .apiContractViolation, "foyer: programs cannot remove accounts; use \"foyer remove\"")
        case .acquirePrtSsoCookie:
            throw BrokerRefusal(.deviceNotRegistered, "foyer: this broker has no device registration")
        case .generateSignedHttpRequest:
            throw BrokerRefusal(.incorrectConfiguration, "foyer: this broker does not support key-bound tokens")
        }
    }

    // MARK: Silent calls

    private func silent(_ request: BrokerRequest, _ caller: BrokerCaller) async throws(BrokerRefusal) -> JSONValue {
        try refuseProof(request)
        var wish = request
        // A retry has a new correlation ID but must match the pending request.
        wish.correlationID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let answer = await late.answer(Query(program: caller.program, request: wish)) { [self] in
            busy.withLock { $0 += 1 }
            defer { busy.withLock { $0 -= 1 } }
            return await BlockingExecutor.run { self.askAgentForToken(request, caller) }
        }
        guard let answer else {
            throw BrokerRefusal(
                .transientError,
                "foyer: no response yet; to see if it waits for your permission, run \"foyer agent requests\"")
        }
        return try answer.get()
    }

    private func askAgentForToken(_ request: BrokerRequest, _ caller: BrokerCaller) -> Result<JSONValue, BrokerRefusal>
    {
        do throws(BrokerRefusal) {
            let answer = try ask(.brokerToken, request, caller)
            let given = try GivenToken(answer)
            guard given.isOf(request) else {
                throw BrokerRefusal(.interactionRequired, "foyer: the account is not signed in here")
            }
            return .success(given.json)
        } catch { return .failure(error) }
    }

    private func accounts(_ request: BrokerRequest, _ caller: BrokerCaller) async throws(BrokerRefusal) -> JSONValue {
        try await BlockingExecutor.run { () throws(BrokerRefusal) in
            let answer: JSONValue
            do throws(BrokerRefusal) { answer = try self.ask(.accounts, request, caller) } catch {
                // No store yet, or a locked agent: both report no accounts.
                guard error.status == .interactionRequired else { throw error }
                return BrokerAnswer.accounts([])
            }
            return BrokerAnswer.accounts((answer["accounts"]?.array ?? []).compactMap { Account(brokered: $0) })
        }
    }

    private enum Question { case brokerToken, accounts }

    /// Blocks the calling thread.
    private func ask(_ question: Question, _ request: BrokerRequest, _ caller: BrokerCaller)
        throws(BrokerRefusal) -> JSONValue
    {
        do throws(Failure) {
            let options = request.options
            let session = try CommandContext(options, environment: environment)
            let store = try session.storeSpec(try session.clientIfAny())
            guard let folder = FileIdentity(ofFolderOf: store.path) else {
                throw Failure(.interactionRequired, "no account is signed in")
            }
            var wanted = AgentTokenRequest(options, environment, storeFolder: folder)
            wanted.forProcess = caller.pid
            wanted.correlationID = request.correlationID
            let connection = try agent()
            guard connection.serverVersion == Product.version else {
                throw Failure(.storeError, "agent version mismatch", hint: "run \"foyer agent stop\"")
            }
            guard let answer = connection.ask(question == .accounts ? .accounts(wanted) : .token(wanted)) else {
                throw Failure(.storeError, "the agent does not respond")
            }
            if answer["error"] != nil {
                throw Failure(answer) ?? Failure(.storeError, "unexpected response from the agent")
            }
            return answer
        } catch { throw BrokerRefusal(error, hint: error.hint?.words) }
    }

    // MARK: Interactive sign-in

    private func interactive(_ request: BrokerRequest, _ caller: BrokerCaller)
        async throws(BrokerRefusal) -> JSONValue
    {
        try refuseProof(request)
        busy.withLock { $0 += 1 }
        defer { busy.withLock { $0 -= 1 } }
        let task = Task { [signIn] in await signIn(request, caller) }
        signIns.withLock { $0[request.correlationID] = task }
        defer { signIns.withLock { $0[request.correlationID] = nil } }
        switch await task.value {
        case .success(let token):
            guard let idToken = token.idToken else {
                throw BrokerRefusal(.authorityUntrusted, "foyer: the provider sent no ID token")
            }
            return BrokerAnswer.token(
                accessToken: token.accessToken, idToken: idToken, account: token.account,
                tenantID: token.tenantID, scopes: token.scopes, expiresOn: token.expiresOn,
                extendedExpiresOn: token.extendedExpiresOn)
        case .failure(let failure):
            throw BrokerRefusal(failure, hint: failure.hint?.words)
        }
    }

    private func refuseProof(_ request: BrokerRequest) throws(BrokerRefusal) {
        guard request.wantsProof else { return }
        throw BrokerRefusal(.incorrectConfiguration, "foyer: this broker does not support key-bound tokens")
    }
}
