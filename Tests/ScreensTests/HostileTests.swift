import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Console
@testable import Screens

/// Names as an attacker would write them, on every screen and in both sets of glyphs.
@Suite struct HostileTests {
    static let names = [
        "\u{1B}[2J\u{1B}]52;c;ZXZpbA==\u{7}evil", "ada\u{202E}gro.elpmaxe@live", "two\nlines\r\tand\u{85}more",
        "\u{0}\u{7F}\u{9B}31m",
        String(repeating: "long", count: 1000), String(repeating: "広", count: 2000),
        "e" + String(repeating: "\u{301}", count: 500),
        "👩‍👩‍👧‍👦🇩🇪", "",
    ]
    static let sizes = [
        Size(rows: 30, columns: 120), Size(rows: 24, columns: 80), Size(rows: 10, columns: 40),
        Size(rows: 0, columns: 0),
    ]

    private func account(_ name: String) -> AccountOverview {
        let account = Account(
            homeAccountID: name + "id", environment: name, username: name, name: name,
            tenantProfiles: [
                TenantProfile(tenantID: name, localAccountID: name, username: name, name: name, isHome: false)
            ],
            clients: [name, "lab-cli"])
        let tokens = [
            World.credential(.accessToken, name, account, scopes: ["a", "b"], ends: 100),
            World.credential(
                .idToken, "lab-cli", account, secret: World.jwt(#"{"alg":"none"}"#, #"{"name":"\u001b[2J\u202e"}"#)),
        ]
        return AccountOverview(account: account, credentials: tokens)
    }

    private func check(_ state: State) {
        for size in Self.sizes {
            for glyphs in [Glyphs.utf8, .ascii] {
                let grid = view(state.app, size: size, glyphs: glyphs)
                let rows = grid.plainText.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(size.rows == 0 || rows.count == size.rows)
                #expect(rows.allSatisfy { DisplayWidth.columns($0) <= size.columns })
                let bad = grid.plainText.unicodeScalars.contains {
                    ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value)
                        || (0x202A...0x202E).contains($0.value)
                        || (glyphs.isASCII && $0.value > 0x7E)
                }
                #expect(!bad)
                if let cursor = grid.cursor { #expect(grid.bounds.contains(cursor)) }
            }
        }
    }

    @Test(arguments: names)
    func `A hostile name steers no screen`(name: String) throws {
        for keys in ["", "/a", "i", "s", "x", "o", "?", "a"] {
            var state = World.state([account(name)])
            state.type(keys)
            check(state)
        }
        var state = World.state([account(name)])
        state.press(.enter)
        state.send(.step(Step(.account, .failed, name), RequestID(1)))
        check(state)
        state.send(
            .failed(
                Failure(
                    .interactionRequired, name, hint: .text(name), oauthError: name, suberror: name,
                    serverCodes: [Int.max]),
                RequestID(1))
        )
        check(state)
        state.send(.storeFailed(message: name, hint: name), .notice(name))
        check(state)
    }

    @Test(arguments: names)
    func `A hostile provider steers no sign-in`(text: String) throws {
        var state = World.state()
        state.type("a")
        state.press(.paste(text), .tab, .tab, .paste(text), .left)
        check(state)
        var waiting = World.state()
        waiting.type("a")
        waiting.press(.enter)
        waiting.send(
            .signIn(.method(.device, reason: text), RequestID(1)),
            .signIn(.deviceCode(try World.devicePrompt(text)), RequestID(1)))
        check(waiting)
        waiting.send(
            .signIn(
                .poll(DevicePoll(answer: .slowDown, number: .max, interval: .max, nextAt: .distantFuture)), RequestID(1)
            ),
            .signIn(.browserUnavailable(text), RequestID(1)), .tick(.distantPast))
        check(waiting)
        waiting.send(.tick(.distantFuture))
        check(waiting)
    }

    @Test(arguments: names)
    func `Hostile words steer no other screen: activity, doctor, settings, palette, search, questions`(text: String)
        throws
    {
        var context = World.context
        context.settings = [
            SettingLine(text, text, .option(text)), SettingLine("client", text, .standard, choice: .oneOf([text])),
        ]
        var state = World.state([account(text)], context: context)
        state.press(.enter)
        state.send(
            .step(Step(.account, .failed, text), RequestID(1)),
            .failed(Failure(.serverError, text, hint: .text(text)), RequestID(1)))
        state.press(.escape)
        for keys in ["A", ",", ":", "A/"] {
            var other = state
            other.type(keys)
            other.press(.paste(text))
            check(other)
            other.press(.enter)
            check(other)
        }
        state.type("!")
        state.send(
            .examination(.found(DoctorFinding(text, .bad, text, hint: text)), RequestID(2)),
            .examination(.looking(text), RequestID(2)))
        check(state)
        var asked = World.state()
        asked.type("a")
        asked.press(.enter)
        for question in [
            SignInQuestion.code(sentTo: text, length: .max, problem: text), .password(username: text, problem: text),
            .choose([text, text]),
            .attribute(name: text, isRequired: true, hint: text, problem: text),
        ] {
            asked.send(.question(question, RequestID(1)))
            asked.press(.paste(text))
            check(asked)
        }
        asked.send(
            .signIn(.strayRequest(text), RequestID(1)), .signIn(.browser(try World.browserPrompt()), RequestID(1)))
        check(asked)
    }

    @Test func `Times beyond all reason are words, not traps`() {
        let clock = Clock(now: .distantFuture, secondsFromGMT: .min)
        #expect(clock.relative(.distantPast).hasSuffix("ago"))
        #expect(clock.full(.distantPast) == "unknown time")
        #expect(Clock(now: World.now, secondsFromGMT: 3600).full(World.now) == "2026-11-21 05:00 +01:00")
        #expect(Clock(now: World.now, secondsFromGMT: -5400).time(World.now) == "02:30")
        #expect(Clock(now: World.now, secondsFromGMT: 0).full(World.seconds(-285 * 86_400)) == "2026-02-09 04:00 UTC")
        #expect(Clock(now: World.now, secondsFromGMT: 0).countdown(to: World.seconds(75)) == "01:15")
    }

    @Test func `A runaway provider does not fill the screen's memory`() {
        var state = World.state()
        state.press(.enter)
        for number in 0..<1000 { state.send(.step(Step(.refresh, .failed, "\(number)"), RequestID(1))) }
        #expect(state.acquisition?.steps.count == 200)
    }

    @Test func `A code with signs that have no large letter is shown exactly as it is`() throws {
        var state = World.state()
        state.type("a")
        state.press(.enter)
        state.send(.signIn(.deviceCode(try World.devicePrompt("ab_12")), RequestID(1)))
        #expect(state.picture().contains("a b _ 1 2"))
        #expect(BigText.draw("abc") == nil)
        for character in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-" {
            let rows = BigText.draw(String(character))
            #expect(rows?.count == 5)
            #expect(Set(rows?.map(\.count) ?? []).count == 1)
        }
    }
}
