import FoundationEssentials
import Identity
import Terminal
import Testing

@testable import Screens

@Suite struct TokenLookScreens {
    private func state(rows: Int = 30, columns: Int = 100) -> State {
        var state = World.state(World.accounts, rows: rows, columns: columns)
        state.type("i")
        return state
    }

    private static let access = World.jwt(
        #"{"alg":"RS256","kid":"key-1","nonce":"n"}"#,
        #"{"iss":"https://sts.windows.net/t/","aud":"https://graph.microsoft.com","iat":1795232520,"exp":1795236120,"scp":"User.Read Mail.Send","roles":["Reader"],"tid":"t","xms_st":{"sub":"abc","deep":{"er":[1,2]}},"odd":"kept"}"#
    )

    @Test func `The lives of all tokens stand on one line of time`() throws {
        var state = state(rows: 24, columns: 80)
        state.press(.tab)
        try expectScreen(
            "token times", state,
            is: #"""
                """#)
    }

    @Test func `The raw view has what stands there, and the token only when it is revealed`() throws {
        var state = state()
        state.press(.end, .tab, .tab)
        try expectScreen(
            "token raw", state,
            is: #"""
                """#)
        #expect(!state.picture().contains(World.idToken.prefix(40)))
        state.type("R")
        #expect(state.picture().contains(World.idToken.prefix(40)))
    }

    @Test func `The entry in the store is read when it is looked at`() throws {
        var state = state(rows: 20)
        state.press(.tab, .tab)
        let effects = state.press(.tab)
        let first = try #require(state.inspectorScreen.flatMap(state.chosen))
        #expect(effects == [.readEntry(first)])
        #expect(state.picture().contains("reading the store"))
        state.send(
            .entry(
                first.id,
                "{\n    \"AccessToken\": {\n        \"key\": {\n            \"secret\": \"(13 bytes, not shown)\"\n        }\n    }\n}"))
        try expectScreen(
            "token entry", state,
            is: #"""
                """#)
        #expect(state.send(.loaded(World.roster(World.accounts))) == [.readEntry(first)], "it may be another one now")
    }

    @Test func `Any token can be pasted and is explained, and nothing of it is kept`() throws {
        var state = World.state(World.accounts, rows: 44, columns: 100)
        state.type("p")
        #expect(state.place == .line)
        state.press(.paste("Bearer \(Self.access)\n"))
        #expect(state.place == .inspector)
        state.press(.enter)
        try expectScreen(
            "token pasted", state,
            is: #"""
                """#)
        state.press(.escape, .escape)
        #expect(state.stack.isEmpty)
        state.type("i")
        #expect(!state.picture().contains("pasted"))
    }

    @Test func `A pasted text that is no token says so, and its characters are not shown`() throws {
        var state = World.state(rows: 20, columns: 60)
        state.type("p")
        state.type("no token")
        #expect(!state.picture().contains("no token"), "masked while it is typed")
        state.press(.enter, .enter)
        #expect(state.picture().contains("opaque"))
    }

    @Test func `An empty line pastes nothing, and Esc closes it first`() {
        var state = World.state()
        state.type("p")
        state.press(.enter)
        #expect(state.inspectorScreen.map { state.credentials($0).isEmpty } == true)
        state.type("p")
        state.press(.escape)
        #expect(state.place == .inspector)
        state.press(.escape)
        #expect(state.stack.isEmpty)
    }

    @Test func `A marked token is compared with another one, claim by claim`() throws {
        var state = state(rows: 30)
        state.press(.end)
        state.type(" p")
        state.press(.paste(Self.access))
        state.type("d")
        try expectScreen(
            "token difference", state,
            is: #"""
                """#)
        state.type("d")
        #expect(state.inspectorScreen?.look == .claims)
    }

    @Test func `Opaque tokens are compared by what the store notes of them`() {
        var state = state(rows: 24)
        state.type(" jjd")
        let picture = state.picture()
        #expect(picture.contains("opaque") && picture.contains("+ https://graph.microsoft.com/User.Read"))
    }

    @Test func `Without a mark there is nothing to compare with`() {
        var state = state()
        #expect(state.keys.binding(for: .character("d"), in: state) == nil)
        state.type("  d")
        #expect(state.inspectorScreen?.look == .claims, "marked and unmarked again")
    }

    @Test func `Claims go into a file that the person names, and to the clipboard by the key for it`() throws {
        var state = state()
        state.type("E")
        #expect(state.place == .inspector, "an opaque token has no claims")
        state.press(.end)
        state.type("E")
        #expect(state.place == .line)
        state.press(.control("u"))
        state.type("~/ada.json")
        let text = TokenLook.exported(try DecodedJWT(Secret(World.idToken)))
        #expect(state.press(.enter) == [.export(text, toFile: "~/ada.json")])
        #expect(state.type("C") == [.copy(text)])
        #expect(!text.contains(World.idToken))
    }

    @Test func `A claim of four thousand characters is cut and said to be`() {
        var state = World.state(rows: 60, columns: 80)
        state.type("p")
        state.press(.paste(World.jwt(#"{"alg":"none"}"#, "{\"long\":\"\(String(repeating: "x", count: 4000))\",\"after\":\"here\"}")))
        state.press(.enter)
        let picture = state.picture()
        #expect(picture.contains("it has 4000 characters") && picture.contains("after"))
    }

    private static let sizes: [(rows: Int, columns: Int)] = [(10, 40), (24, 80), (30, 120)]

    @Test(arguments: sizes)
    func `Every look fits every size`(_ size: (rows: Int, columns: Int)) {
        var state = state(rows: size.rows, columns: size.columns)
        state.press(.end)
        for _ in 0..<5 {
            state.press(.tab, .pageDown)
            for line in state.picture().split(separator: "\n") { #expect(DisplayWidth.columns(String(line)) <= size.columns) }
        }
    }
}
