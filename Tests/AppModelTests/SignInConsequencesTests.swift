import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel

/// What a sign-in will do, before it starts.
@Suite struct SignInConsequencesTests {
    private static let address = "https://id.example.org/realms/lab"

    private static func state(_ accounts: [Account] = [], demo: Bool = false) -> AppState {
        var context = Sample.context
        context.storeLabel = "~/store.json"
        context.storeBadge = "plain file"
        context.automaticReason = "no display here"
        context.isDemo = demo
        var state = AppState(context: context, now: Sample.now)
        state.send(.loaded(Sample.list(accounts)))
        return state
    }

    private static func other(_ client: String, scopes: String = "") -> AppState {
        var state = state()
        state.run(.down, .down, .down, .open)
        state.send(.fill(1, client), .fill(0, address), .fill(2, scopes))
        return state
    }

    @Test func `It says whom it asks, for what, how, where the tokens go and how to get them`() {
        var state = Self.state()
        state.run(.signIn)
        for line in [
            "asks: login.microsoftonline.com", "  low: User.Read: signs you in and reads your own profile",
            "by: device code: no display here", "stores in: ~/store.json", ": plain file", "client: work",
            "then: foyer token --client work",
        ] { #expect(state.words.contains(line), "\(line) in \(state.words)") }
    }

    @Test func `The method is the one that the sign-in will choose`() {
        var state = Self.other("my-app")
        #expect(state.words.contains("by: device code: no display here"))
        state.send(.reply(.provider(ProviderSupport(kind: .oidc, hasDeviceCode: false)), RequestID(2)))
        #expect(state.words.contains("by: browser: the provider does not support device codes"))
        let device = SignInMethod.allCases.firstIndex(of: .device) ?? 0
        state.send(.fill(3, String(device)))
        #expect(state.words.contains("by: the provider does not support device codes"))
    }

    @Test func `A client that the sign-in saves is the one of the command, with the scopes that it saves`() throws {
        for scopes in ["", "notes.read"] {
            var state = Self.other("my-app", scopes: scopes)
            #expect(state.words.contains("client: saved in the settings as id.example.org"))
            #expect(state.words.contains("then: foyer token --client id.example.org\n"))
            state.run(.start)
            let effects = state.send(.reply(.acquired(try Sample.token(source: .interactive)), RequestID(3)))
            let kept = effects.compactMap { if case .keepClient(let client) = $0 { client.name } else { nil } }
            #expect(kept == ["id.example.org"])
        }
    }

    @Test func `A client is saved under the name that the user gives it`() throws {
        var state = Self.other("my-app")
        #expect(state.topPage.fields().last?.label == "save as")
        #expect(state.topPage.fields().last?.unset == "not set: id.example.org")
        for (name, complaint) in [("work", "the settings have a client of this name"), ("a b", "use letters")] {
            state.send(.fill(7, name))
            #expect(state.run(.start).isEmpty && state.words.contains("save as: \(complaint)"))
        }
        state.send(.fill(7, "lab"))
        #expect(state.words.contains("client: saved in the settings as lab"))
        #expect(state.words.contains("then: foyer token --client lab\n"))
        state.run(.start)
        let effects = state.send(.reply(.acquired(try Sample.token(source: .interactive)), RequestID(3)))
        let kept = effects.compactMap { if case .keepClient(let client) = $0 { client.name } else { nil } }
        #expect(kept == ["lab"])
        var known = Self.state()
        known.run(.signIn)
        #expect(!known.topPage.fields().contains { $0.label == "save as" }, "it is in the settings")
    }

    @Test func `Scopes and accounts that the settings do not give are in the command`() {
        var state = Self.state([Sample.ada])
        state.run(.signIn)
        #expect(state.words.contains("then: foyer token --client work --account USERNAME"))
        state.send(.fill(2, "Mail.Read Files.Read"), .fill(6, "eve o'neil@example.org"))
        let account = "--account 'eve o'\\''neil@example.org'"
        #expect(
            state.words.contains("then: foyer token --client work --scope Mail.Read --scope Files.Read " + account))
    }

    @Test func `No command is shown that would get another token or none`() {
        var state = Self.state()
        state.run(.signIn)
        state.send(.fill(0, Self.address))
        #expect(!state.words.contains("foyer token"), "the settings have another authority for this client")
        var demo = Self.state([Sample.ada], demo: true)
        demo.run(.signIn)
        #expect(!demo.words.contains("foyer token"))
        #expect(!Self.other("").words.contains("foyer token"))
    }

    @Test func `What is not known yet is said to be entered`() {
        var state = Self.state()
        state.run(.down, .down, .down, .open)
        for line in ["asks: the provider you enter", "client: the client ID you enter"] {
            #expect(state.words.contains(line))
        }
    }
}
