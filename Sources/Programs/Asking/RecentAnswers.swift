package import CommandSupport
package import FoundationEssentials
import Glibc
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

    private struct Entry: Hashable {
        var caller: String
        var question: String
        var account: String?
        var at: Double
    }

    private let file: StateFile
    private let caller: String
    private static let maximumBytes = 65_536
    private static let mostEntries = 64
    /// Seconds that an answer counts.
    private static let lifetime: Double = 60

    /// - Parameter caller: whose requests share an answer.
    package init(_ environment: ProcessEnvironment, caller: String = RecentAnswers.ownCaller) {
        file = StateFile(
            path: environment.stateFolder + "/program-answers.json", maximumBytes: Self.maximumBytes)
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
        let second = now.timeIntervalSince1970
        return entries((try? file.read()) ?? nil).last { entry in
            entry.question == question && entry.at > second - Self.lifetime && entry.at <= second + 1
                && (entry.caller == caller || entry.at >= since.timeIntervalSince1970)
        }.map { $0.account.map { .account($0) } ?? .refused }
    }

    /// An answer that cannot be kept is asked for again.
    package func note(_ answer: Answer, to question: String, at now: Date) {
        let account: String? = if case .account(let id) = answer { id } else { nil }
        let new = Entry(caller: caller, question: question, account: account, at: now.timeIntervalSince1970)
        try? file.change { bytes in
            let kept = entries(bytes).filter { $0.at > new.at - Self.lifetime && $0.question != question }
            let list = (kept + [new]).suffix(Self.mostEntries).map { entry in
                JSONValue(
                    ("caller", entry.caller.json), ("question", entry.question.json), ("account", entry.account.json),
                    ("at", .number(JSONNumber(text: String(entry.at)))))
            }
            return Array((JSONValue(("answers", .array(list))).serialized() + "\n").utf8)
        }
    }

    private func entries(_ bytes: [UInt8]?) -> [Entry] {
        guard let bytes, let list = (try? JSONValue(parsing: bytes))?["answers"]?.array else { return [] }
        return list.compactMap { value in
            guard let caller = value["caller"]?.string, let question = value["question"]?.string,
                let at = value["at"]?.double
            else { return nil }
            return Entry(caller: caller, question: question, account: value["account"]?.string, at: at)
        }
    }
}
