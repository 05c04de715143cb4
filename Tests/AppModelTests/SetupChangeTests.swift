import Identity
import Keys
import Testing

@testable import AppModel

/// A program is set up from its page: nothing is changed that was not shown and agreed to.
@Suite struct SetupChangeTests {
    private static let preview = SetupPreview(
        lines: [
            "link    ~/.local/bin/git-credential-foyer -> /bin/foyer", "change  ~/.gitconfig", "  +    helper = foyer",
        ],
        warnings: ["~/.local/bin is not on PATH"], notes: ["git asks cache, too"], isOffered: true)

    private func page(_ connection: ProgramConnection) -> AppState {
        var state = Sample.state()
        state.run(.programs)
        state.send(
            .reply(.programs(ProgramsReport(settingsFile: "", programs: [], states: [connection])), RequestID(1)))
        return state
    }

    /// The question about a program that is not set up.
    private func asked(_ preview: SetupPreview = preview) -> (AppState, RequestID) {
        var state = page(ProgramConnection("git", .notSetUp, "not set up"))
        guard case .planSetup("git", .setUp, let look) = state.run(.open).first else {
            Issue.record("nothing is looked at")
            return (state, RequestID(0))
        }
        #expect(state.send(.reply(.setupPreview(preview), look)) == [])
        #expect((state.question != nil) == preview.isOffered)
        return (state, look)
    }

    @Test func `The exact change is shown, and the marked answer changes nothing`() {
        var (state, _) = asked()
        for line in Self.preview.lines + Self.preview.warnings + Self.preview.notes {
            #expect(state.words.contains(line), "\(line)")
        }
        #expect(state.topPage.confirmation?.isConfirmFocused == false)
        #expect(state.send(.key(.enter)).isEmpty && state.top is ProgramsPage)
    }

    @Test func `What was agreed to is what was shown, and the page looks again`() {
        var (state, look) = asked()
        guard case .carryOutSetup(shown: look, let change) = state.run(.yes).first else {
            Issue.record("nothing is done")
            return
        }
        #expect(!state.isOffered(.back) && !state.isOffered(.open), "it is done as a whole")
        let result = SetupResult(
            "git is set up", checks: [.init(isGood: true, "found"), .init(isGood: false, "not on PATH")],
            failure: Failure(.configuration, "git will not find foyer yet", hint: "mend that"))
        guard case .lookAtPrograms = state.send(.reply(.setupResult(result), change)).first else {
            Issue.record("the page shows the old state")
            return
        }
        #expect(!state.words.contains("git is set up"), "it is not yet")
        for words in ["found", "not on PATH", "git will not find foyer yet", "mend that"] {
            #expect(state.words.contains(words), "\(words)")
        }
        state.run(.open)
        #expect(state.top is ProgramsPage)
    }

    @Test func `A refusal says what to do, before the change and after it`() {
        let failure = Failure(.configuration, "that file is another program's", hint: "move it away")
        var (state, _) = asked()
        guard case .carryOutSetup(_, let change) = state.run(.yes).first else {
            Issue.record("nothing is done")
            return
        }
        state.send(.reply(.failed(failure), change))
        #expect(state.words.contains(failure.message) && state.words.contains("move it away"))
        state = page(ProgramConnection("git", .notSetUp, "not set up"))
        guard case .planSetup(_, _, let look) = state.run(.open).first else {
            Issue.record("nothing is looked at")
            return
        }
        state.send(.reply(.failed(failure), look))
        #expect(state.words.contains("move it away") && state.topPage.confirmation == nil)
    }

    @Test func `Where there is nothing to change nothing is asked`() {
        let (state, _) = asked(SetupPreview(lines: [], notes: ["name the registries"], isOffered: false))
        #expect(state.topPage.confirmation == nil && state.words.contains("nothing to change"))
        #expect(state.words.contains("name the registries"))
    }

    @Test(arguments: [
        (ProgramConnection("git", .setUp, "set up", canBeTakenBack: true), SetupDirection.undo),
        (ProgramConnection("git", .setUp, "set up"), .setUp),
        (ProgramConnection("git", .half, "partly set up", canBeTakenBack: true), .setUp),
        (ProgramConnection("git", .overshadowed, "overshadowed"), .setUp),
    ])
    func `Enter takes back what is whole and sets up the rest`(_ row: (ProgramConnection, SetupDirection)) {
        var state = page(row.0)
        #expect(state.isOffered(.undo) == row.0.canBeTakenBack)
        guard case .planSetup("git", row.1, _) = state.run(.open).first else {
            Issue.record("another way")
            return
        }
        guard row.0.canBeTakenBack else { return }
        state = page(row.0)
        guard case .planSetup("git", .undo, _) = state.run(.undo).first else {
            Issue.record("it is not taken back")
            return
        }
    }

    @Test func `Who closes it before the change is known gives that up`() {
        var state = page(ProgramConnection("git", .notSetUp, "not set up"))
        guard case .planSetup(_, _, let look) = state.run(.open).first else {
            Issue.record("nothing is looked at")
            return
        }
        #expect(state.run(.back) == [.cancel(look)])
        #expect(state.send(.reply(.setupPreview(Self.preview), look)).isEmpty && state.topPage.confirmation == nil)
    }
}
