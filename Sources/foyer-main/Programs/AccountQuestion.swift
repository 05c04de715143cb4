import CommandSupport
import Console
import Identity
import Programs

/// Which of several accounts a program gets, where no rule says so: asked at the controlling terminal.
struct AccountQuestion {
    private let call: ProgramCall
    private let accounts: [Account]
    private static let most = 20
    private static let tries = 3

    init(_ call: ProgramCall, _ accounts: [Account]) {
        self.call = call
        self.accounts = Array(accounts.prefix(Self.most))
    }

    /// - Returns: nil where nobody is there, or nobody wanted to.
    func ask() -> Account? {
        guard let terminal = OwnTerminal(), !accounts.isEmpty else { return nil }
        terminal.say("Which account for \(SafeText.line(call.request.words, limit: 200))?")
        for (index, account) in accounts.enumerated() {
            terminal.say(" \(index + 1)  \(SafeText.line(account.label, limit: 200))")
        }
        for _ in 0..<Self.tries {
            guard let line = terminal.line("Number, with a + to write a rule for it: ") else { return nil }
            guard let answer = NumberedAnswer(line, count: accounts.count, mark: "+") else {
                terminal.say("a number from 1 to \(accounts.count)")
                continue
            }
            let account = accounts[answer.index]
            if answer.isMarked { remember(account, terminal) }
            return account
        }
        return nil
    }

    private func remember(_ account: Account, _ terminal: borrowing OwnTerminal) {
        let rule = call.rule(for: account)
        let path = call.call.context.settings.path
        do throws(Failure) {
            try SettingsFile(path).add(rule: rule, before: call.resolution.by.rule)
            terminal.say("written into \(SafeText.line(path)):")
            for line in rule.lines { terminal.say(SafeText.line(line)) }
        } catch { terminal.say("foyer: \(SafeText.line(error.message))") }
    }
}
