import CommandSupport
import FoundationEssentials
import Identity
import Logging
import StrictJSON
import TokenCache

/// Pending requests for the user's permission. Identical requests for an account share one, which ends with the last of
/// them.
actor Questions {
    struct Question: Sendable {
        var key: Permissions.Key
        var asker: String
        var client: String
        var account: String
        var display: String?
        var isWindow = true
        /// Whether the agent keeps the answer.
        var isKept = true
    }

    private struct Open {
        let question: Question
        let since: Date
        var waiting: [Int: CheckedContinuation<AgentPermission?, Never>] = [:]
        var tasks: [Task<Void, Never>] = []
    }

    private static let limit: Duration = .seconds(300)

    private let environment: ProcessEnvironment
    private let logger: Logger
    private var open: [String: Open] = [:]
    private var lastNumber = 0

    init(_ environment: ProcessEnvironment, _ logger: Logger) {
        (self.environment, self.logger) = (environment, logger)
    }

    /// The answer; nil after a timeout, or if the caller disconnected.
    func ask(_ question: Question) async -> AgentPermission? {
        lastNumber += 1
        let number = lastNumber
        let id = open.first { $0.value.question.key == question.key }?.key ?? begin(question)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { open[id]?.waiting[number] = $0 }
        } onCancel: {
            // The caller waits until it is released here, or answered.
            Task { await self.leave(id, number) }
        }
    }

    var isEmpty: Bool { open.isEmpty }

    /// Nil also if neither a window nor an open interface can show the question.
    func askIfSeen(_ question: Question) async -> AgentPermission? {
        let environment = environment
        let hasInterface = await BlockingExecutor.run { OpenInterface.isAny(AgentPlace(environment)) }
        guard hasInterface || window(question) != nil else { return nil }
        return await ask(question)
    }

    private func begin(_ question: Question) -> String {
        var id: String
        repeat { id = String(UInt32.random(in: 0x1000...0xFFFF), radix: 16) } while open[id] != nil
        open[id] = Open(question: question, since: Date())
        markChange()
        logger.notice("request \(id): \(question.asker) wants a token for \(question.client)")
        var tasks = [
            Task { [id] in
                guard (try? await Task.sleep(for: Self.limit, clock: .continuous)) != nil else { return }
                self.close(id, with: nil)
            }
        ]
        if let window = window(question) {
            tasks.append(Task { [id] in if let answer = await window() { self.close(id, with: answer) } })
        }
        open[id]?.tasks = tasks
        return id
    }

    /// Answers a pending request.
    ///
    /// - Returns: the request; nil if the ID is unknown.
    func answer(_ id: String, _ answer: AgentPermission) -> Question? {
        guard let question = open[id]?.question else { return nil }
        close(id, with: answer)
        return question
    }

    private func close(_ id: String, with answer: AgentPermission?) {
        guard let question = open.removeValue(forKey: id) else { return }
        markChange()
        for task in question.tasks { task.cancel() }
        logger.notice("request \(id): \(answer?.rawValue ?? "timed out")")
        for waiting in question.waiting.values { waiting.resume(returning: answer) }
    }

    private func markChange() {
        let environment = environment
        Task { await BlockingExecutor.run { AgentPlace(environment).markChange() } }
    }

    private func leave(_ id: String, _ number: Int) {
        guard let waiting = open[id]?.waiting.removeValue(forKey: number) else { return }
        waiting.resume(returning: nil)
        if open[id]?.waiting.isEmpty == true { close(id, with: nil) }
    }

    /// A desktop window; nil if none is available. Closing it refuses the request.
    private func window(_ question: Question) -> (@Sendable () async -> AgentPermission?)? {
        guard question.isWindow, environment.hasDisplay || question.display != nil,
            let program = environment.program("pinentry")
        else {
            return nil
        }
        let display = environment.hasDisplay ? nil : question.display
        let lines = [
            "Allow \(question.asker) to get an access token?", "", "Account: \(question.account)",
            "Client: \(question.client)", "Scopes: \(question.key.scopes)",
        ]
        return {
            let isWanted = AtomicFlag(true)
            return await withTaskCancellationHandler {
                await BlockingExecutor.run {
                    let answer = Pinentry(program: program).confirms(
                        lines, yes: "Allow", no: "Refuse", display: display, while: { isWanted.value })
                    return answer.map { $0 ? .session : .refuse }
                }
            } onCancel: {
                isWanted.value = false
            }
        }
    }

    func json(hidesAccounts: Bool) -> JSONValue {
        .array(
            open.sorted { $0.value.since < $1.value.since }.map { id, open in
                JSONValue(
                    ("id", id.json), ("asker", open.question.asker.json),
                    ("program", open.question.key.program.json), ("client", open.question.client.json),
                    ("account", hidesAccounts ? .null : open.question.account.json),
                    ("scopes", open.question.key.scopes.json), ("since", open.since.rfc3339.json),
                    ("waiting", JSONValue(integer: open.waiting.count)))
            })
    }
}
