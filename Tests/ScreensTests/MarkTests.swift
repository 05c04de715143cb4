import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct MarkTests {
    private static let both = RemovalChoices(endsBrowserSession: false)

    @Test func `Space marks and goes on, v marks the range, U takes every mark away`() {
        var state = World.state(World.many(10))
        state.type(" ")
        #expect(state.home.marked.count == 1)
        #expect(state.home.selected == 1)
        state.type("jjv")
        #expect(state.home.marked.count == 4, "from the first to the fourth")
        state.type("g ")
        #expect(state.home.marked.count == 3)
        state.type("U")
        #expect(state.home.marked.isEmpty)
        #expect(!state.picture().contains("marked"))
    }

    @Test func `More than fifty are marked only by a second press`() {
        var state = World.state(World.many(80))
        state.type(" Gv")
        #expect(state.home.marked.count == 1)
        #expect(state.notice == "this marks 80 accounts: press v again")
        state.type("jv")
        #expect(state.home.marked.count == 1, "another key in between")
        state.type("v")
        #expect(state.home.marked.count == 80)
    }

    @Test func `With marks, the footer is about them`() {
        var state = World.state(columns: 120)
        state.type("  ")
        let footer = state.picture().split(separator: "\n").last ?? ""
        #expect(footer.contains("x remove 2…  o sign out 2…") && footer.contains("v mark to here"))
        #expect(footer.contains("U unmark") && !footer.contains("consent"))
    }

    @Test func `A removal is undone with u, until foyer ends`() {
        var state = World.state()
        let undo = UndoableRemoval(RequestID(1), account: World.ada.label, World.use(World.work))
        #expect(!state.picture().contains("u undo"))
        state.type("xy")
        state.send(.undoable(undo), .removed(3, RequestID(1)))
        #expect(state.picture().contains("u in the list: undo, until foyer ends"))
        state.press(.enter)
        #expect(state.type("u") == [.restore(undo, RequestID(2))])
        #expect(state.type("u").isEmpty)
    }

    @Test func `Marks stay under a filter, and go with their account`() {
        var state = World.state()
        state.type(" ")
        state.type("/grace")
        state.press(.enter)
        state.type(" ")
        state.press(.escape)
        #expect(state.home.marked == [World.ada.row, World.grace.row])
        state.send(.loaded(World.roster([World.accounts[1]])))
        #expect(state.home.marked == [World.grace.row])
    }

    @Test func `One question lists all who are marked, and the safe answer is the one that Enter gives`() {
        var state = World.state()
        state.type("  ")
        #expect(state.type("x") == [] && state.question != nil)
        #expect(state.place == .dialog)
        let picture = state.picture()
        #expect(picture.contains("Remove 2 accounts?"))
        #expect(picture.contains("ada@example.org, work"))
        #expect(picture.contains("grace@example.org, Azure CLI"))
        #expect(state.press(.enter).isEmpty)
        #expect(state.place == .picker)
        #expect(state.home.marked.count == 2)
    }

    @Test func `They are removed one after the other, and one sheet tells what became of each`() {
        var state = World.state()
        state.type("  x")
        #expect(state.type("y") == [.remove(World.ada, World.use(World.work), Self.both, RequestID(1))])
        #expect(state.place == .departure)
        #expect(
            state.send(.removed(3, RequestID(1))) == [
                .remove(World.grace, World.use(World.azureCLI), Self.both, RequestID(2))
            ])
        #expect(state.home.marked == [World.grace.row])
        #expect(state.send(.failed(Failure(.storeError, "the store is locked"), RequestID(2))).isEmpty)
        #expect(
            state.send(.ended(milliseconds: 1, RequestID(2))) == [.load],
            "the store is read once, when the last request has ended")
        let picture = state.picture()
        #expect(picture.contains("1 of 2 accounts removed"))
        #expect(picture.contains("ada@example.org, work: 3 entries removed here"))
        #expect(picture.contains("the store is locked"))
        #expect(state.home.marked == [World.grace.row], "who is still there stays marked")
        state.press(.enter)
        #expect(state.place == .picker)
    }

    @Test func `Giving up lets the rest be as it is`() {
        var state = World.state()
        state.type("  xy")
        #expect(state.press(.escape).isEmpty, "the running one ends first")
        #expect(state.picture().contains("stopping after this one"))
        #expect(state.press(.escape) == [.cancel(RequestID(1))], "pressed again, it is cancelled")
        #expect(
            state.send(.removed(3, RequestID(1)), .ended(milliseconds: 1, RequestID(1))) == [.load],
            "the next one's turn never comes")
        let picture = state.picture()
        #expect(picture.contains("1 of 2 accounts removed"), "what was done stays to be read")
        #expect(picture.contains("grace@example.org, Azure CLI: not started"))
        state.press(.enter)
        #expect(state.place == .picker)
    }

    /// A sign-out whose provider could not be reached.
    private static let unfinished = SignOutOutcome(
        revoked: .failed("cannot reach lab.example: connection refused"), removed: .done, sessionEnded: .notOffered,
        isFinished: false)

    @Test func `A sign-out that could not reach the provider is not called done, and is tried again by a key`() {
        var state = World.state()
        state.type("  oy")
        state.send(.signedOut(Self.unfinished, RequestID(1)))
        let whole = SignOutOutcome(revoked: .done, removed: .done, sessionEnded: .notOffered)
        state.send(.signedOut(whole, RequestID(2)))
        let picture = state.picture()
        #expect(picture.contains("1 of 2 accounts signed out"))
        #expect(picture.contains("kept to be revoked"))
        #expect(picture.contains("signing out: the refresh token is kept only to be revoked"))
        #expect(state.home.marked == [World.ada.row], "it stays marked")
        #expect(
            state.type("r") == [.signOut(World.ada, World.use(World.work), Self.both, RequestID(3))],
            "only the unfinished one")
        state.send(.signedOut(whole, RequestID(3)))
        #expect(state.picture().contains("2 accounts signed out"))
    }

    @Test func `The receipt of several sign-outs is written to a new file, without control characters`() throws {
        var state = World.state()
        state.type("  oy")
        state.send(.signedOut(Self.unfinished, RequestID(1)), .failed(Failure(.storeError, "locked"), RequestID(2)))
        guard case .export(let text, let name)? = state.type("w").first else {
            Issue.record("nothing is written")
            return
        }
        #expect(name.hasPrefix("foyer-sign-out-") && name.hasSuffix("Z.txt") && !name.contains(":"))
        #expect(text.contains("1 signing out, 1 failed"))
        #expect(text.contains("ada@example.org, work") && text.contains("state: signingOut"))
        #expect(text.contains("still valid: refresh token, until it is revoked"))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    }

    @Test func `More than twenty want a typed word, which no key and no paste gives`() {
        let people = (1...21).map { number in
            AccountOverview(
                account: Account(
                    homeAccountID: "u\(number).t", environment: "lab.example", username: "u\(number)@lab.example",
                    clients: [World.work], issuer: "https://lab.example"),
                credentials: [])
        }
        var state = World.state()
        state.send(.loaded(World.roster(people)))
        state.type("g")
        for _ in people { state.type(" ") }
        state.type("o")
        #expect(state.picture().contains("Sign out 21 accounts?"))
        #expect(state.type("y").isEmpty)
        #expect(state.picture().contains("type \"sign out\""))
        state.press(.paste("sign out"))
        state.press(.enter)
        #expect(state.group?.stage == .asking, "a paste is no answer")
        state.type("ysign ou")
        #expect(state.press(.enter).isEmpty)
        #expect(state.group?.stage == .asking)
        state.type("ysign out")
        guard case .signOut? = state.press(.enter).first else {
            Issue.record("the word was typed")
            return
        }
        #expect(state.group?.stage == .working)
    }

    @Test func `A single sign-out that is not finished is tried again, without another page in the browser`() {
        var state = World.state()
        state.type("oy")
        state.send(.signedOut(Self.unfinished, RequestID(1)))
        #expect(state.picture().contains("signing out: the refresh token is kept only to be revoked"))
        let quiet = RemovalChoices(endsBrowserSession: false)
        #expect(state.type("r") == [.signOut(World.ada, World.use(World.work), quiet, RequestID(2))])
    }

    @Test func `Signing out several leaves the browser's sessions unless that is wanted`() {
        var state = World.state()
        state.type("  o")
        #expect(state.picture().contains("the browser stays signed in"))
        state.type("bw")
        #expect(state.picture().contains("browser sessions will be ended"))
        let wanted = RemovalChoices(wipes: true, endsBrowserSession: true)
        #expect(state.type("y") == [.signOut(World.ada, World.use(World.work), wanted, RequestID(1))])
    }
}
