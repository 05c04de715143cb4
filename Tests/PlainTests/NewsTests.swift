import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel
@testable import Plain

/// Text is only added: what was told is not told again while its page stays.
@Suite struct NewsTests {
    @Test func `Each step is told once, when it is taken`() {
        var sample = Sample()
        _ = sample.tell()
        sample.answer("open")
        let steps = [
            Step(.accessToken, .skipped, "refresh forced"), Step(.refreshToken, .done, "one is there"),
        ]
        for step in steps {
            let told = sample.receive(.reply(.step(step), RequestID(1)))
            #expect(told.count == 1 && told[0].contains(step.detail), "\(told)")
        }
    }

    @Test func `An unchanged page is not told again`() {
        var sample = Sample()
        _ = sample.tell()
        #expect(sample.receive(.loaded(Sample.list([Sample.ada, Sample.grace]))) == [])
        #expect(sample.receive(.tick(Sample.now.addingTimeInterval(60)), .resized) == [])
    }

    @Test func `What another program changed is told in one line, and the next answer is of the new list`() {
        var sample = Sample()
        _ = sample.tell()
        let told = sample.receive(.loaded(Sample.list([Sample.ada, Sample.grace, Sample.account("lin")])))
        #expect(told == ["3 accounts", "lin@example.org signed in by another program"])
        #expect(sample.answer("1").contains { $0.contains("lin@example.org") })
    }

    @Test func `A notice is told once`() {
        var sample = Sample()
        _ = sample.tell()
        #expect(sample.receive(.notice("opened in the browser")) == ["opened in the browser"])
        #expect(sample.receive(.resized) == [])
    }

    @Test func `Of a page that stays only the new lines are told`() {
        var sample = Sample()
        _ = sample.tell()
        sample.answer("sign-out")
        let told = sample.answer("toggle-session")
        #expect(told.first != "" && !told.contains { $0.hasPrefix("Sign out") })
    }

    @Test func `Another row is told from its beginning`() {
        var sample = Sample()
        _ = sample.tell()
        for (number, name) in [("1", "ada"), ("2", "grace"), ("1", "ada")] {
            sample.answer("1")
            let told = sample.answer(number)
            #expect(
                told.contains("account: \(name)@example.org") && told.contains("  work · Microsoft Graph · User.Read"),
                "\(name)")
        }
    }

    @Test func `A store that cannot be read is told with what to do, and what is offered goes with its rows`() {
        var sample = Sample()
        _ = sample.tell()
        let told = sample.receive(.storeFailed(message: "it is no JSON", hint: "move it away"))
        #expect(told.contains("the store cannot be used: it is no JSON") && told.contains("move it away"))
        #expect(!told.contains { $0.contains("remove: ") } && told.contains { $0.hasSuffix("  reload") })
    }

    @Test func `A token is told when it is asked for, alone on its line, and only when it is one`() {
        for (token, isToken) in [("0123opaque", true), ("0123\u{1B}[31m", false)] {
            var sample = Sample()
            _ = sample.tell()
            sample.answer("paste-token")
            #expect(!sample.answer(token).joined().contains(token))
            #expect(sample.answer("reveal").contains(token) == isToken)
        }
    }
}
