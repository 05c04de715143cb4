import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel

/// A refusal that a rule would end is answered where it is read.
@Suite struct RuleOfferTests {
    private static func offer(
        _ account: Account, isForTarget: Bool = false, used ago: Double? = nil
    ) -> RuleOffer {
        var offer = RuleOffer(
            "git", target: "dev.azure.com/contoso", account: account.id, username: account.username,
            isForTarget: isForTarget,
            lines: ["[[rules]]", "program = \"git\"", "account = \"\(account.username)\""]
                + (isForTarget ? ["host = \"dev.azure.com\""] : []), line: 51)
        if let ago { (offer.lastProgram, offer.lastUse) = ("terraform", Sample.now.addingTimeInterval(-ago)) }
        return offer
    }

    private static let offers = [
        offer(Sample.ada), offer(Sample.grace, used: 120), offer(Sample.ada, isForTarget: true),
        offer(Sample.grace, isForTarget: true, used: 120),
    ]

    private static func report(_ offers: [RuleOffer] = offers) -> ProgramsReport {
        let use = ProgramsReport.Use(
            at: Sample.now.addingTimeInterval(-60), refusal: "2 accounts are signed in", code: .ambiguous, fitting: 2)
        var program = ProgramsReport.Program("git", "dev.azure.com/contoso", uses: [use])
        program.offers = offers
        return ProgramsReport(settingsFile: "~/config.toml", programs: [program])
    }

    /// The refused row of a view, open.
    private func opened(_ command: Command, _ report: ProgramsReport = report()) -> AppState {
        var state = Sample.state()
        state.run(command)
        state.send(.reply(.programs(report), RequestID(1)))
        #expect(state.label(of: .open) == (report.programs[0].offers.isEmpty ? nil : "answer…"))
        #expect(state.run(.open) == [])
        #expect((state.question == nil) == report.programs[0].offers.isEmpty)
        return state
    }

    private static let views = [Command.activity, .failures, .programs]

    @Test(arguments: views)
    func `The accounts that fit are a menu, the last used first, with the rule that Enter writes`(view: Command) {
        let state = opened(view)
        for words in [
            "> Always use grace for git: used by terraform, 03:58", "\nAlways use ada for git: ",
            "\nUse grace only for dev.azure.com/contoso: ", "\nCopy a report: ",
            "Enter writes to ~/config.toml, line 51:",
            "account = \"grace@example.org\"", "account: 2 fit, none named",
        ] { #expect(state.words.contains(words), "\(words) in \(state.words)") }
    }

    @Test(arguments: views)
    func `Enter writes the selected rule, and u undoes it`(view: Command) {
        var state = opened(view)
        #expect(!state.isOffered(.undoSetting))
        state.send(.select(3))
        #expect(state.words.contains("host = \"dev.azure.com\""))
        let effects = state.send(.key(.enter))
        guard case .writeRule(let offer, _)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(offer == Self.offers[2] && effects.count == 1)
        let written = UndoableSetting(1, "rule for git")
        state.send(.settingSaved(written))
        guard case .undoSetting(written)? = state.send(.key(.character("u"))).first else {
            Issue.record("nothing is undone")
            return
        }
        #expect(!state.isOffered(.undoSetting))
    }

    @Test(arguments: views)
    func `What is selected is written, wherever a new look puts it, and nothing in its place`(view: Command) {
        var state = opened(view)
        func looked(_ offers: [RuleOffer]) {
            for effect in state.send(.programsChanged) {
                if case .lookAtPrograms(let id, _) = effect { state.send(.reply(.programs(Self.report(offers)), id)) }
            }
        }
        looked([Self.offer(Sample.ada, used: 5), Self.offers[1]])
        #expect(state.words.contains("> Always use grace for git"))
        looked([Self.offer(Sample.ada, used: 5)])
        #expect(!state.isOffered(.yes) && state.send(.key(.enter)).isEmpty)
    }

    @Test func `Without a rule that would end it there is nothing to answer`() {
        let state = opened(.failures, Self.report([]))
        #expect(!state.isOffered(.yes) && !state.words.contains("What you can do"))
    }

    @Test func `Two accounts that begin alike are told apart`() {
        var other = Sample.ada
        (other.homeAccountID, other.username) = ("other", "ada@contoso.example")
        let state = opened(.activity, Self.report([Self.offer(Sample.ada), Self.offer(other)]))
        #expect(state.words.contains("Always use ada@example.org for git"))
        #expect(state.words.contains("Always use ada@contoso.example for git"))
    }

    @Test func `The last answer copies a report`() {
        var state = opened(.activity)
        state.run(.last)
        state.send(.select(4))
        #expect(state.label(of: .yes) == "copy report")
        guard case .copy(let text)? = state.send(.key(.enter)).first else {
            Issue.record("nothing is copied")
            return
        }
        #expect(text.contains("2 accounts are signed in"))
    }
}

extension AppState {
    fileprivate func label(of command: Command) -> String? {
        let label = offered.first { $0.command == command }?.label
        return label == "details" || label == "read" || label == "rule" ? nil : label
    }
}
