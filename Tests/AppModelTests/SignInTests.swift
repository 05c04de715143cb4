import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel

/// A sign-in under way and its ends.
@Suite struct SignInTests {
    private func waiting(for address: String = "https://id.example.org/authorize?a=b") throws -> AppState {
        var state = Sample.state()
        state.run(.signIn, .start)
        let prompt = BrowserPrompt(
            authorizationURL: try WebAddress(address), redirectURI: "http://localhost:5000", port: 5000,
            expiresAt: Sample.now.addingTimeInterval(300))
        state.send(.reply(.signIn(.browser(prompt)), RequestID(1)))
        return state
    }

    @Test func `A bad paste is told and the line stays for the next one`() throws {
        var state = try waiting()
        state.run(.paste)
        state.send(.key(.paste("nonsense")))
        #expect(state.run(.open) == [.paste("nonsense", RequestID(1))])
        state.send(.reply(.signIn(.pastedTextRefused("it has no code")), RequestID(1)))
        #expect(state.words.contains("it has no code"))
        #expect(state.top.keyContext == .paste && state.topPage.prompt?.field.isEmpty == true)
        #expect(state.top.underWay == RequestID(1))
    }

    @Test func `Who signs in as somebody else is not told that nobody answered in time`() throws {
        var state = try waiting()
        state.send(
            .reply(
                .failed(Failure(.interactionRequired, "eve signed in", signInProblem: .otherAccount)), RequestID(1)))
        #expect(state.words.contains("another account signed in") && !state.words.contains("timed out"))
    }
}

/// An empty store: the menu, and what is remembered of the first sign-in.
@Suite struct FirstRunTests {
    private func empty(_ clients: [ConfiguredClient] = []) -> AppState {
        var context = Sample.context
        context.clients = clients
        context.defaultClient = nil
        var state = AppState(context: context, now: Sample.now)
        state.send(.loaded(Sample.list([])))
        return state
    }

    @Test func `Every line of the menu leads somewhere, and signing in begins with a form that says all of it`() {
        for place in 0..<7 {
            var state = empty()
            for _ in 0..<place { state.run(.down) }
            #expect(state.topPage.entry == place)
            let effects = state.run(.open)
            let endsInDemo = effects.contains { if case .openDemo = $0 { true } else { false } }
            #expect(state.stack.count == 1 || endsInDemo, "line \(place)")
        }
        var state = empty()
        state.run(.open)
        let values = state.topPage.fields().map(\.value)
        let known = ["https://login.microsoftonline.com/organizations", "04b07795-8ddb-461a-bbee-02f9e1bf7b46"]
        #expect(values.prefix(2) == known[...])
    }

    @Test func `GitHub and Google begin with the authority, and say where a client is registered`() throws {
        for (place, authority, page) in [
            (3, "https://github.com", "https://github.com/settings/developers"),
            (4, "https://accounts.google.com", "https://console.cloud.google.com/auth/clients"),
        ] {
            var state = empty()
            for _ in 0..<place { state.run(.down) }
            #expect(state.words.contains(page))
            state.run(.open)
            let fields = state.topPage.fields()
            #expect(fields.map(\.value).prefix(2) == [authority, ""])
            #expect(fields.map(\.advice).contains { $0.contains(page) })
        }
        var context = Sample.context
        (context.clients, context.defaultClient, context.automaticMethod) = ([], nil, .browser)
        var state = AppState(context: context, now: Sample.now)
        state.send(.loaded(Sample.list([])))
        state.run(.down, .down, .down, .open)
        state.send(.fill(1, "Ov23li"))
        #expect(state.words.contains("by: device code: without a client secret"))
        state.run(.start)
        let effects = state.send(.reply(.acquired(try Sample.token(source: .interactive)), RequestID(2)))
        let kept = effects.compactMap { if case .keepClient(let client) = $0 { client } else { nil } }
        #expect(kept.map(\.authority) == ["https://github.com/login/oauth"] && kept.map(\.name) == ["github.com"])
        // As `foyer sign-in github.com` does: the server's scopes are not written down.
        #expect(kept.first?.scopes == [])
    }

    @Test func `The menu says what is on the machine already, once it was looked for`() {
        var state = AppState(context: Sample.context, now: Sample.now)
        #expect(state.send(.loaded(Sample.list([]))) == [.findStores(RequestID(1))])
        // Reading the store again does not look again.
        #expect(state.send(.loaded(Sample.list([]))).isEmpty)
        #expect(state.words.contains("Already on this machine: accounts of Azure CLI and other programs"))
        let own = StoreLine(name: "foyer", program: "Foyer", place: "~/store", state: .absent)
        let cli = StoreLine(
            name: "azure-cli", program: "Azure CLI", place: "~/.azure", state: .usable, accounts: 2, isHidden: true)
        let locked = StoreLine(name: "vscode", program: "VS Code", place: "keyring", state: .protected)
        let absent = StoreLine(name: "azd", program: "azd", place: "~/.azd", state: .absent)
        state.send(.reply(.stores([own, cli, locked, absent]), RequestID(1)))
        #expect(state.words.contains("Already on this machine: Azure CLI: 2 accounts, VS Code: protected\n"))
        #expect(state.home.firstRun.hasNoStore)
        state.send(.reply(.stores([own]), RequestID(1)))
        #expect(state.words.contains("no other token stores found"))
    }

    @Test func `A client that was typed is remembered when the sign-in has worked, and one of the settings is not`()
        throws
    {
        var state = empty()
        state.run(.down, .down, .open)
        state.send(.fill(1, "my-app"))
        #expect(state.topPage.fields().first?.value == "", "another provider is not Microsoft")
        state.send(.fill(0, "https://id.example.org/realms/lab"))
        state.run(.start)
        // The provider was looked up before.
        let effects = state.send(.reply(.acquired(try Sample.token(source: .interactive)), RequestID(3)))
        let kept = effects.compactMap { if case .keepClient(let client) = $0 { client } else { nil } }
        #expect(kept.map(\.clientID) == ["my-app"])
        #expect(kept.map(\.authority) == ["https://id.example.org/realms/lab"])
        #expect(kept.map(\.name) == ["id.example.org"])
        // What nobody typed is not written down: no more than that would be asked for from then on.
        #expect(kept.map(\.scopes) == [[]])

        var configured = empty(Sample.context.clients)
        configured.run(.signIn, .start)
        let none = configured.send(.reply(.acquired(try Sample.token(source: .interactive)), RequestID(1)))
        #expect(!none.contains { if case .keepClient = $0 { true } else { false } })
    }

    @Test func `A sign-in asks for what each later silent call asks for`() throws {
        func asked(_ client: String, at address: String?, _ scopes: String = "") throws -> ScopeSet {
            var state = empty(Sample.context.clients)
            state.run(.signIn)
            state.send(.fill(1, client))
            if let address { state.send(.fill(0, address)) }
            state.send(.fill(2, scopes))
            let form = try #require(state.top as? SignInForm)
            let effects = state.run(.start)
            let requests = effects.compactMap { if case .signIn(let request, _) = $0 { request } else { nil } }
            let found = try #require(requests.first?.request.scopes)
            if scopes.isEmpty { #expect(form.placeholder(of: .scopes, in: state.context) == "not set: \(found)") }
            return found
        }
        let entra = "https://login.microsoftonline.com/organizations"
        let provider = "https://id.example.org/realms/lab"
        #expect(try asked("my-app", at: entra) == .toAsk(configured: [], kind: .aad, clientID: "my-app"))
        #expect(try asked("my-app", at: provider) == .toAsk(configured: [], kind: .oidc, clientID: "my-app"))
        #expect(try asked("my-app", at: provider, "notes.read") == ["notes.read"])
        // The only client, whose scopes the settings have.
        #expect(try asked("0", at: nil) == ["User.Read"])
    }

    @Test func `The client of the settings comes first where no account is signed in, and Enter is for it`() {
        var state = AppState(context: Sample.context, now: Sample.now)
        state.send(.loaded(Sample.list([])))
        #expect(state.words.contains("> work: from your settings\nWork or school account: "))
        #expect(state.words.contains("client: work") && state.words.contains("  low: User.Read: "))
        for way in [Command.open, .signIn] {
            var state = state
            state.run(way)
            #expect(state.topPage.fields()[1].value == "work, " + Sample.client)
        }
        state.send(.settings([], defaultClient: nil), .clients([]))
        #expect(state.words.contains("> Work or school account: "))
        #expect(state.words.contains(".default: "))
    }

    @Test func `A report of a failure has its codes and no secret`() {
        var state = Sample.state()
        state.run(.open)
        let failure = Failure(
            .interactionRequired, "the provider rejected the refresh token", oauthError: "invalid_grant",
            serverCodes: [50173], claims: "{\"very-secret\":1}", correlationID: TokenRequest.unnumbered)
        state.send(.reply(.failed(failure), RequestID(1)))
        let copyable = state.topPage.copyables().first { $0.name.hasPrefix("report") }
        guard case .text(let report) = copyable?.content() else {
            Issue.record("there is no report")
            return
        }
        for part in ["AADSTS50173", "invalid_grant", "00000000-0000-0000-0000-000000000000", "ada@example.org"] {
            #expect(report.contains(part), "\(part) in \(report)")
        }
        #expect(!report.contains("very-secret"))
        for part in ["What you can do", "AADSTS50173 · invalid_grant"] { #expect(state.words.contains(part)) }
    }

    @Test func `The QR code has a key of its own where there is a code`() throws {
        var state = Sample.state()
        state.run(.signIn, .start)
        #expect(!state.isOffered(.qrCode))
        let prompt = DeviceCodePrompt(
            userCode: "ABCD", verificationURI: try WebAddress("https://id.example.org/device"),
            verificationURIComplete: nil, startedAt: Sample.now.addingTimeInterval(1),
            expiresAt: Sample.now.addingTimeInterval(901), interval: 5)
        state.send(.reply(.signIn(.deviceCode(prompt)), RequestID(1)))
        #expect(state.isOffered(.qrCode))
        state.run(.qrCode, .back)
        #expect(state.stack.count == 2, "back closes the code first")
        // The clock of the screen is behind the one that the code came by: it never has more than it was given.
        let bars = state.topPage.text.paragraphs.compactMap {
            if case .bar(_, let words, _) = $0 { words } else { nil }
        }
        #expect(bars == ["code expires in 15:00"])
    }
}
