import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel
@testable import Plain

/// What a line that was typed means.
@Suite struct AnswerTests {
    @Test(arguments: ["12345", "-1", "nothing of that name", "99999999999999999999", "quit now"])
    func `A wrong answer is told what is right, and the list again`(_ line: String) {
        var sample = Sample()
        let told = sample.tell()
        let again = sample.answer(line)
        #expect(again.first == "type a number from 0 to 23")
        #expect(Array(again.dropFirst()) == told.filter { $0.first == " " })
        #expect(sample.effects == [])
    }

    @Test func `Nothing typed tells the page again`() {
        var sample = Sample()
        let told = sample.tell()
        #expect(sample.answer(" ") == told)
    }

    @Test func `A command is taken by its number, its name, another name and its key`() {
        for line in ["3", "sign-in", "Sign-In", "login", "a"] {
            var sample = Sample()
            _ = sample.tell()
            sample.answer(line)
            #expect(sample.state.top is SignInForm, "\(line)")
        }
    }

    @Test func `A key counts by its case`() {
        var sample = Sample()
        _ = sample.tell()
        sample.answer("F")
        #expect(sample.state.top is FailuresPage)
    }

    @Test func `Zero leaves`() {
        var sample = Sample()
        _ = sample.tell()
        sample.answer("0")
        #expect(sample.effects == [.quit])
    }

    @Test func `A question is only confirmed by what confirms it`() {
        for (line, isGone) in [("0", false), ("n", false), ("Enter", false), ("", false), ("do-it", true)] {
            var sample = Sample()
            _ = sample.tell()
            sample.answer("remove")
            sample.answer(line)
            let isRemoved = sample.effects.contains { if case .remove = $0 { true } else { false } }
            #expect(isRemoved == isGone, "\(line)")
        }
    }

    // MARK: Lists

    private static let many = (1...100).map { Sample.account("user\($0)") }

    @Test func `A long list comes in parts, and any of its numbers is taken`() {
        var sample = Sample(Self.many)
        _ = sample.tell()
        let first = sample.answer("1")
        #expect(first.count == 42 && first[39].hasPrefix(" 40  user"))
        #expect(first[40] == "    and 60 more: \"more\" continues, type part of a name to filter")
        let next = sample.answer("more")
        #expect(next[0].hasPrefix(" 41  user") && next[40].contains("and 20 more"))
        #expect(sample.answer("more").count == 21)
        #expect(sample.answer("more").first == "end of list")
        let rows = sample.state.home.page(in: sample.state.context).rows() ?? []
        let third = rows.count > 2 ? rows[2].prefix { $0 != ":" } : "no third row"
        #expect(sample.answer("3").contains("account: " + third))
    }

    @Test func `A part of a name shows fewer, and nobody where nobody has it`() {
        var sample = Sample(Self.many)
        _ = sample.tell()
        sample.answer("1")
        #expect(sample.answer("user77") == [" 1  user77@example.org: renews on use", " 0  back"])
        #expect(sample.answer("nobody").contains { $0.contains("no account matches") })
        #expect(sample.prompt == "account: ")
        sample.answer("0")
        sample.answer("clear-filter")
        #expect(sample.state.home.matchCount == 100)
    }

    @Test func `Accounts are listed under their headings, which have no number`() {
        let zoe = Account(
            homeAccountID: "zoe.home", environment: "login.microsoftonline.us", username: "zoe@example.org",
            clients: [Sample.client])
        var sample = Sample([Sample.ada, zoe, Sample.grace])
        let told = sample.tell()
        #expect(sample.answer(with: "cycle-grouping: ", in: told)[0].hasSuffix("; listed: 3 accounts, by cloud"))
        sample.answer("1")
        #expect(
            sample.answer("none of these").contains { $0.contains("no account matches") }
                && sample.answer("@example.org") == [
                    "    Public:", " 1  ada@example.org: renews on use", " 2  grace@example.org: renews on use",
                    "    US Government:", " 3  zoe@example.org: renews on use", " 0  back",
                ])
        #expect(sample.answer("3").contains("account: zoe@example.org"))
        sample.answer("open")
        guard case .acquireSilently(let request, _, _)? = sample.effects.last else {
            Issue.record("no token was requested")
            return
        }
        #expect(request.account == zoe)
    }

    @Test func `All from one account to another are marked by number`() {
        var sample = Sample(Self.many)
        _ = sample.tell()
        for (number, command) in [("3", "mark"), ("7", "mark-range")] {
            sample.answer("1")
            sample.answer(number)
            sample.answer(command)
        }
        #expect(sample.state.home.marked.count == 5)
    }

    @Test func `A list that has changed is told anew before its number is taken`() {
        var sample = Sample()
        _ = sample.tell()
        sample.answer("1")
        let told = sample.receive(.loaded(Sample.list([Sample.account("zoe"), Sample.grace, Sample.ada])))
        #expect(
            told.suffix(4) == [
                " 1  ada@example.org: renews on use", " 2  grace@example.org: renews on use",
                " 3  zoe@example.org: renews on use", " 0  back",
            ])
        #expect(sample.prompt == "account: ")
    }

    // MARK: Forms

    @Test func `Fields are changed by text, by number and by a text that is no choice`() {
        var sample = Sample()
        _ = sample.tell()
        var told = sample.answer("sign-in")
        told = sample.answer(with: "change the scopes", in: told)
        #expect(sample.prompt == "scopes: ")
        told = sample.answer("Mail.Read  Files.Read")
        #expect(told.contains { $0.hasSuffix("change the scopes: Mail.Read Files.Read") })
        told = sample.answer(with: "change the prompt", in: told)
        told = sample.answer(with: "login", in: told)
        #expect(told.contains { $0.contains("change the prompt: login") })
        told = sample.answer(with: "change the client", in: told)
        #expect(told == [" 1  work", "    or type another one", " 0  back"])
        told = sample.answer("99999999-aaaa-bbbb-cccc-000000000000")
        #expect(told.contains { $0.hasSuffix("change the client: 99999999-aaaa-bbbb-cccc-000000000000") })
        told = sample.answer(with: "change the prompt", in: told)
        #expect(sample.answer("no such prompt").first == "type a number from 0 to 6")
    }

    // MARK: Lines that the model asks for

    @Test func `What is secret is not seen while it is typed, and is not told`() {
        var sample = Sample()
        _ = sample.tell()
        sample.answer("sign-in")
        sample.answer("start")
        let told = sample.receive(.reply(.question(.password(username: "ada", problem: nil)), RequestID(1)))
        #expect(sample.isUnseen && sample.prompt.contains("hidden"))
        #expect(!told.contains { $0.hasPrefix(" 0") })
        let after = sample.answer(" open  sesame ")
        #expect(sample.effects.last == .answer(.text(Secret(" open  sesame ")), RequestID(1)))
        #expect(!sample.isUnseen && !after.joined().contains("sesame"))
    }

    @Test(arguments: [
        SignInQuestion.username, .password(username: "ada", problem: nil), .choose(["by mail", "by telephone"]),
    ])
    func `A question of the provider can be left for a browser or cancelled, by a name with a colon`(
        _ question: SignInQuestion
    ) {
        for (line, isBrowser) in [(":open-browser", true), (":back", false)] {
            var sample = Sample()
            _ = sample.tell()
            sample.answer("sign-in")
            sample.answer("start")
            let told = sample.receive(.reply(.question(question), RequestID(1)))
            #expect(told.contains("\":open-browser\" continues in a browser; \":back\" cancels the sign-in."))
            sample.answer(line)
            if isBrowser {
                #expect(sample.effects.last == .answer(.browser, RequestID(1)))
            } else {
                #expect(sample.effects.last == .cancel(RequestID(1)) && sample.state.top is SignInForm)
            }
        }
    }

    @Test(arguments: [":open", ":", ":nothing", "open-browser", " :back"])
    func `Any other line is the answer to the provider`(_ line: String) {
        var sample = Sample()
        _ = sample.tell()
        sample.answer("sign-in")
        sample.answer("start")
        sample.receive(.reply(.question(.password(username: "ada", problem: nil)), RequestID(1)))
        sample.answer(line)
        #expect(sample.effects.last == .answer(.text(Secret(line)), RequestID(1)))
    }

    @Test func `A pasted answer of a browser is not seen, and nothing pasted takes it back`() throws {
        var sample = Sample()
        _ = sample.tell()
        sample.answer("sign-in")
        sample.answer("start")
        let prompt = BrowserPrompt(
            authorizationURL: try WebAddress("https://login.microsoftonline.com/authorize?state=abc"),
            redirectURI: "http://localhost:49152", port: 49152, expiresAt: Sample.now.addingTimeInterval(300))
        sample.receive(.reply(.signIn(.browser(prompt)), RequestID(1)))
        #expect(!sample.isUnseen)
        sample.answer("paste")
        #expect(sample.isUnseen)
        sample.answer("")
        #expect(!sample.isUnseen)
        sample.answer("p")
        sample.answer("http://localhost:49152/?code=secret-code&state=abc")
        #expect(sample.effects.last == .paste("http://localhost:49152/?code=secret-code&state=abc", RequestID(1)))
    }

    @Test func `One of several answers is chosen by its number`() {
        var sample = Sample()
        _ = sample.tell()
        sample.answer("sign-in")
        sample.answer("start")
        let told = sample.receive(.reply(.question(.choose(["by mail", "by telephone"])), RequestID(1)))
        sample.answer(with: "choose an answer", in: told)
        sample.answer("2")
        sample.answer("open")
        #expect(sample.effects.last == .answer(.choice(1), RequestID(1)))
    }

    @Test func `What stands in a line already is taken by Enter`() throws {
        let token = ["{}", "{}", "x"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        var sample = Sample()
        _ = sample.tell()
        sample.answer("paste-token")
        #expect(sample.isUnseen)
        sample.answer(token)
        sample.answer("export")
        #expect(sample.prompt == "write to (name of a new file; empty for claims.json): ")
        sample.answer("")
        guard case .export(_, let file)? = sample.effects.last else {
            Issue.record("nothing was written")
            return
        }
        #expect(file == "claims.json")
    }
}
