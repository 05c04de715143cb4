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

    private struct Entry: JSONRecord, StateEntry {
        var key = Key(program: "", clientID: "", account: "", scopes: "")
        var answer = AgentPermission.refuse

        mutating func describe(_ member: inout JSONMembers) {
            member("program", &key.program, .text)
            member("clientId", &key.clientID, .text)
            member("account", &key.account, .text)
            member("scopes", &key.scopes, .text)
            member("answer", &answer, .word)
        }
    }

    private let list: StateList<Entry>
    private var session: [Key: AgentPermission] = [:]

    init(_ environment: ProcessEnvironment) {
        list = StateList(
            path: environment.stateFolder + "/agent-permissions.json",
            ListFormat("answers", maximumBytes: 262_144, most: 500))
    }

    /// Nil when the person has to be asked.
    func answer(for key: Key) async -> AgentPermission? {
        if let answer = session[key] { return answer }
        return await BlockingExecutor.run { [list] in list.read().last { $0.key == key }?.answer }
    }

    /// - Throws: `storeError` when an answer for good cannot be written; it holds for this run then.
    func note(_ answer: AgentPermission, for key: Key) async throws(Failure) {
        switch answer {
        case .once, .refuse: return
        case .session: session[key] = answer
        case .always, .never:
            session[key] = answer
            try await BlockingExecutor.run { [list] () throws(Failure) in
                do throws(StoreError) {
                    try list.change { entries in
                        entries.removeAll { $0.key == key }
                        entries.append(Entry(key: key, answer: answer))
                    }
                } catch { throw Failure(error) }
            }
        }
    }
}
