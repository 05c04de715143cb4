package import CommandSupport
package import FoundationEssentials
import Glibc
import Identity
import StrictJSON
import TokenCache

/// What a person was asked for other programs in the last minute, and has answered: several callers of one question
/// share the answer, and who is told no is not asked again at once. Names of accounts, no credential.
package struct RecentAnswers: Sendable {
    package enum Answer: Hashable, Sendable {
        /// Nobody wanted to, or nobody was there.
        case refused
        /// This account, by its home account id.
        case account(String)
    }

    private struct Entry: JSONRecord, StateEntry {
        var caller = ""
        var question = ""
        var account: String?
        var at = 0.0

        mutating func describe(_ member: inout JSONMembers) {
            member("caller", &caller, .text)
            member("question", &question, .text)
            member("account", &account, .text)
            member("at", &at, .number)
        }

        func holds(at now: Date) -> Bool { Date(timeIntervalSince1970: at).isWithin(60, before: now) }
    }

    private let list: StateList<Entry>
    private let caller: String

    /// - Parameter caller: whose requests share an answer.
    package init(_ environment: ProcessEnvironment, caller: String = RecentAnswers.ownCaller) {
        list = StateList(
            path: environment.stateFolder + "/program-answers.json",
            ListFormat("answers", version: nil, maximumBytes: 65_536, most: 64))
        self.caller = caller
    }

    /// The job of the shell, or the script, that all of this belongs to: a program starts its helpers by processes of
    /// their own, which have no more in common.
    package static var ownCaller: String {
        let group = getpgrp()
        return "\(group)-\(ProcessEntry(group).stat?.start ?? 0)"
    }

    /// - Parameter since: when the caller began to wait: an answer that another caller has got after that is its own.
    package func answer(to question: String, since: Date, at now: Date) -> Answer? {
        list.read(at: now).last {
            $0.question == question && ($0.caller == caller || $0.at >= since.timeIntervalSince1970)
        }.map { $0.account.map { .account($0) } ?? .refused }
    }

    /// An answer that cannot be kept is asked for again.
    package func note(_ answer: Answer, to question: String, at now: Date) {
        let account: String? = if case .account(let id) = answer { id } else { nil }
        try? list.change(at: now) { entries in
            entries.removeAll { $0.question == question }
            entries.append(
                Entry(caller: caller, question: question, account: account, at: now.timeIntervalSince1970))
        }
    }
}
