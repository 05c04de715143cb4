package import CommandSupport
package import FoundationEssentials
import Glibc
import Identity
import StrictJSON
import TokenCache

/// The user's answers to other programs' prompts in the last minute: several callers share an answer, and a refusal is
/// not followed by another prompt right away. Holds account names, no credentials.
package struct PromptAnswerCache: Sendable {
    package enum Answer: Hashable, Sendable {
        /// Declined, or no terminal to prompt in.
        case refused
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

    package init(_ environment: ProcessEnvironment, caller: String = PromptAnswerCache.ownCaller) {
        list = StateList(
            path: environment.stateFolder + "/program-answers.json",
            ListFormat("answers", version: nil, maximumBytes: 65_536, most: 64))
        self.caller = caller
    }

    /// The shell's job or the script: a program starts each helper as a separate process, with only the process group
    /// in common.
    package static var ownCaller: String {
        let group = getpgrp()
        return "\(group)-\(ProcessEntry(group).stat?.start ?? 0)"
    }

    /// - Parameter since: when the caller began to wait; it also gets any answer that another caller received later.
    package func answer(to question: String, since: Date, at now: Date) -> Answer? {
        list.read(at: now).last {
            $0.question == question && ($0.caller == caller || $0.at >= since.timeIntervalSince1970)
        }.map { $0.account.map { .account($0) } ?? .refused }
    }

    /// If this cannot be saved, the user is prompted again.
    package func note(_ answer: Answer, to question: String, at now: Date) {
        let account: String? = if case .account(let id) = answer { id } else { nil }
        try? list.change(at: now) { entries in
            entries.removeAll { $0.question == question }
            entries.append(
                Entry(caller: caller, question: question, account: account, at: now.timeIntervalSince1970))
        }
    }
}
