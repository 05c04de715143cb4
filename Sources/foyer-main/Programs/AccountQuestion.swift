import CommandSupport
import Console
import Helpers
import Identity
import Programs

/// Asks at the controlling terminal which of several accounts a program gets, if no rule decides.
struct AccountQuestion {
    private let call: ProgramCall
    private let accounts: [Account]
    private static let most = 20
    private static let tries = 3

    init(_ call: ProgramCall, _ accounts: [Account]) {
        self.call = call
        self.accounts = Array(accounts.prefix(Self.most))
    }

    /// - Returns: nil without a terminal or a valid reply.
    func ask() -> Account? {
        guard let terminal = ControllingTerminal(), !accounts.isEmpty else { return nil }
        terminal.say("Which account for \(SafeText.line(call.request.words, limit: 200))?")
        for (index, account) in accounts.enumerated() {
            terminal.say(" \(index + 1)  \(SafeText.line(account.label, limit: 200))")
        }
        for _ in 0..<Self.tries {
            guard let line = terminal.line("Number (add + to save a rule): ") else { return nil }
            guard let answer = NumberedAnswer(line, count: accounts.count, mark: "+") else {
                terminal.say("enter a number from 1 to \(accounts.count)")
                continue
            }
            let account = accounts[answer.index]
            if answer.isMarked { remember(account, terminal) }
            return account
        }
        return nil
    }

    private func remember(_ account: Account, _ terminal: borrowing ControllingTerminal) {
        let path = call.call.context.settings.path
        do throws(Failure) {
            let rule = try call.rule(for: account)
            try SettingsFile(path).add(rule: rule, before: call.resolution.by.rule)
            terminal.say("saved in \(SafeText.line(path)):")
            for line in rule.lines { terminal.say(SafeText.line(line)) }
        } catch { terminal.say("foyer: \(SafeText.line(error.message))") }
    }
}
