package import FoundationEssentials
package import Identity
import StrictJSON
import TokenCache

/// The person's answers for AI agents' sessions. Holds names of places and accounts, no credentials.
package struct SessionAnswers: Sendable {
    /// The subject of one answer: a session, and a place with the client and the account of its token.
    package struct Key: Hashable, Sendable {
        /// See ``AgentSession/id``.
        package var session: String
        package var place: String

        package init(session: String, place: String) { (self.session, self.place) = (session, place) }
    }

    private enum Answer: String { case allowed, refused }

    private struct Entry: JSONRecord, StateEntry {
        var session = ""
        var place = ""
        var answer = Answer.refused
        var at = 0.0

        mutating func describe(_ member: inout JSONMembers) {
            member("session", &session, .text)
            member("place", &place, .text)
            member("answer", &answer, .word)
            member("at", &at, .number)
        }

        func holds(at now: Date) -> Bool {
            Date(timeIntervalSince1970: at).isWithin(SessionAnswers.lifetime, before: now)
        }
    }

    /// Seconds. A session can be resumed after days, when its answer is forgotten.
    private static let lifetime: TimeInterval = 12 * 3600

    private let list: StateList<Entry>

    package init(_ environment: ProcessEnvironment) {
        list = StateList(
            path: environment.stateFolder + "/agent-sessions.json",
            ListFormat("answers", maximumBytes: 262_144, most: 200))
    }

    /// Nil without one.
    package func answer(to key: Key, at now: Date) -> Bool? {
        list.read(at: now).last { $0.session == key.session && $0.place == key.place }.map { $0.answer == .allowed }
    }

    /// - Throws: `storeError` if it cannot be saved; it is not in effect then.
    package func note(_ isAllowed: Bool, to key: Key, at now: Date) throws(Failure) {
        do throws(StoreError) {
            try list.change(at: now) { entries in
                entries.removeAll { $0.session == key.session && $0.place == key.place }
                entries.append(
                    Entry(
                        session: key.session, place: key.place, answer: isAllowed ? .allowed : .refused,
                        at: now.timeIntervalSince1970))
            }
        } catch { throw Failure(error) }
    }
}
