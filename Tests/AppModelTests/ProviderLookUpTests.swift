import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel

/// The provider of the form is asked while the next field is typed.
@Suite struct ProviderLookUpTests {
    private static let address = "https://id.example.org/realms/lab"
    private static let support = ProviderSupport(kind: .oidc, hasDeviceCode: true)

    private static func empty() -> AppState {
        var state = AppState(context: Sample.context, now: Sample.now)
        state.send(.loaded(Sample.list([])))
        return state
    }

    /// The form for another provider, with this address typed.
    private static func typed(_ address: String = address) -> AppState {
        var state = empty()
        state.run(.down, .down, .down, .open)
        #expect(state.send(.key(.paste(address))).isEmpty, "nothing is asked while the address is typed")
        return state
    }

    private static func asked(_ effects: [Effect]) -> [RequestID] {
        effects.compactMap { if case .lookUpProvider(_, "", let id) = $0 { id } else { nil } }
    }

    @Test func `The provider is asked once for an address, when its field is left`() throws {
        var state = Self.typed()
        let effects = state.run(.nextField)
        #expect(effects == [.lookUpProvider(try Authority(Self.address), clientID: "", RequestID(2))])
        #expect(state.words.contains("authority: asking id.example.org"))
        state.send(.reply(.provider(Self.support), RequestID(2)))
        #expect(state.words.contains("authority: OpenID Connect · device code, browser"))
        #expect(state.run(.previousField, .nextField).isEmpty)
        #expect(state.words.contains("device code, browser"))
    }

    @Test func `A server that does not say who signs in needs the login hint`() throws {
        var state = Self.typed()
        state.run(.nextField)
        state.send(.key(.paste("my-app")))
        var support = ProviderSupport(kind: .oauth2, hasDeviceCode: true)
        support.namesAccount = false
        state.send(.reply(.provider(support), RequestID(2)))
        #expect(state.words.contains("authority: OAuth 2.0"))
        #expect(state.run(.start).isEmpty && state.words.contains("login hint: this server does not say who signs in"))
        state.send(.key(.paste("hedy")))
        #expect(!state.run(.start).isEmpty)
    }

    @Test func `Another address ends the request, and a late answer to it is not shown`() {
        var state = Self.typed()
        state.run(.nextField, .previousField)
        #expect(state.send(.key(.character("2"))) == [.cancel(RequestID(2))])
        state.send(.reply(.provider(Self.support), RequestID(2)))
        #expect(!state.words.contains("OpenID Connect"))
        #expect(Self.asked(state.run(.nextField)) == [RequestID(3)])
    }

    @Test func `A provider that cannot be reached says so, blocks nothing, and is asked again by the key only`() {
        var state = Self.typed()
        state.run(.nextField)
        state.send(.reply(.failed(Failure(.unavailable, "cannot resolve id.example.org")), RequestID(2)))
        #expect(state.words.contains("authority: cannot resolve id.example.org"))
        #expect(state.run(.previousField, .nextField).isEmpty)
        #expect(Self.asked(state.send(.key(.function(3)))) == [RequestID(3)])
        state.send(.key(.paste("my-app")))
        let effects = state.run(.start)
        #expect(effects.first == .cancel(RequestID(3)), "the sign-in asks itself")
        #expect(state.top is SignInProgress)
    }

    @Test func `What is no address is not asked, and an empty one is only missed when it is needed`() {
        var state = Self.typed("http://evil.example")
        #expect(state.run(.nextField).isEmpty)
        #expect(state.words.contains("authority: http is allowed on loopback only; use https"))
        var empty = Self.typed("")
        #expect(empty.run(.nextField).isEmpty && !empty.words.contains("enter the provider"))
        #expect(empty.run(.lookUpProvider).isEmpty && empty.words.contains("enter the provider's https URL"))
    }

    @Test func `The form of a known client asks nobody until its address is left or the key is pressed`() {
        var state = Sample.state()
        #expect(state.run(.signIn, .nextField, .nextField).isEmpty)
        let effects = state.run(.lookUpProvider)
        guard case .lookUpProvider(_, Sample.client, RequestID(1))? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(state.run(.back) == [.cancel(RequestID(1))])
        #expect(state.stack.isEmpty)
    }

    @Test func `A line that was submitted has been left`() {
        var state = Self.empty()
        state.run(.down, .down, .down, .open)
        #expect(Self.asked(state.send(.fill(0, Self.address))) == [RequestID(2)])
    }
}
