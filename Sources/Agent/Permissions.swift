import CommandSupport
import Identity
import StrictJSON
import TokenCache

/// The user's saved answers on which program may get which token, for this run of the agent or permanently.
actor Permissions {
    /// The scope of an answer: exactly what the prompt showed.
    struct Key: Hashable, Sendable {
        var program: String
        var clientID: String
        /// The home account ID; empty if no account was known.
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

    /// Nil if the user must be prompted.
    func answer(for key: Key) async -> AgentPermission? {
        if let answer = session[key] { return answer }
        return await BlockingExecutor.run { [list] in list.read().last { $0.key == key }?.answer }
    }

    /// - Throws: `storeError` if a permanent answer cannot be saved; it then applies to this run.
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
