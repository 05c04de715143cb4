import CommandSupport
import Identity
import SilentFirst
import StrictJSON
import TokenCache

/// Which program may have which token: what a person has answered before, for this run of the agent or for good.
actor Permissions {
    /// What one answer is for: exactly what the question has shown.
    struct Key: Hashable, Sendable {
        var program: String
        var clientID: String
        /// The home account identifier; empty where no account was known.
        var account: String
        var scopes: String
    }

    private let file: StateFile
    private var session: [Key: AgentPermission] = [:]
    private static let maximumBytes = 262_144
    private static let most = 500

    init(_ environment: ProcessEnvironment) {
        file = StateFile(path: environment.stateFolder + "/agent-permissions.json", maximumBytes: Self.maximumBytes)
    }

    /// Nil when the person has to be asked.
    func answer(for key: Key) async -> AgentPermission? {
        if let answer = session[key] { return answer }
        return await BlockingExecutor.run { [file] in (try? file.read()).flatMap(Self.answers)?[key] }
    }

    /// - Throws: `storeError` when an answer for good cannot be written; it holds for this run then.
    func note(_ answer: AgentPermission, for key: Key) async throws(Failure) {
        switch answer {
        case .once, .refuse: return
        case .session: session[key] = answer
        case .always, .never:
            session[key] = answer
            try await BlockingExecutor.run { [file] () throws(Failure) in
                do throws(StoreError) {
                    try file.change { bytes in
                        // A file that is not to be understood says nothing.
                        var answers = bytes.flatMap(Self.answers) ?? [:]
                        answers[key] = answer
                        return Self.text(answers)
                    }
                } catch { throw Failure(error) }
            }
        }
    }

    private static func answers(_ bytes: [UInt8]) -> [Key: AgentPermission]? {
        let limits = JSONLimits(maximumBytes: maximumBytes, maximumDepth: 4)
        guard let value = try? JSONValue(parsing: bytes, limits: limits), value["version"]?.integer == 1 else {
            return nil
        }
        var answers: [Key: AgentPermission] = [:]
        for entry in (value["answers"]?.array ?? []).prefix(most) {
            guard let program = entry["program"]?.string, let clientID = entry["clientId"]?.string,
                let account = entry["account"]?.string, let scopes = entry["scopes"]?.string,
                let answer = entry["answer"]?.string.flatMap(AgentPermission.init(rawValue:))
            else { continue }
            answers[Key(program: program, clientID: clientID, account: account, scopes: scopes)] = answer
        }
        return answers
    }

    private static func text(_ answers: [Key: AgentPermission]) -> [UInt8] {
        let entries = answers.sorted { ($0.key.program, $0.key.scopes) < ($1.key.program, $1.key.scopes) }.suffix(most)
        let value = JSONValue(
            ("version", 1),
            (
                "answers",
                .array(
                    entries.map { key, answer in
                        JSONValue(
                            ("program", key.program.json), ("clientId", key.clientID.json),
                            ("account", key.account.json), ("scopes", key.scopes.json), ("answer", answer.rawValue.json)
                        )
                    })
            ))
        return Array((value.serialized() + "\n").utf8)
    }
}
