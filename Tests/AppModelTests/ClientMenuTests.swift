import Identity
import Keys
import Testing

@testable import AppModel

@Suite struct ClientMenuTests {
    private static func chosen(_ name: String, of state: AppState) -> AppState {
        var state = state
        state.send(.key(.function(2)))
        let names = state.words.split(separator: "\n").map { $0.drop { $0 == ">" || $0 == " " }.prefix { $0 != ":" } }
        guard let place = names.firstIndex(of: name[...]) else {
            Issue.record("\(name) is not among \(names)")
            return state
        }
        state.send(.select(place))
        state.run(.open)
        return state
    }

    private static var other: AppState {
        var state = AppState(context: Sample.context, now: Sample.now)
        state.send(.loaded(Sample.list([])))
        state.run(.down, .down, .down, .open)
        return state
    }

    private static func values(_ state: AppState) -> [String] { state.topPage.fields().prefix(2).map(\.value) }

    @Test func `A client of the settings is taken with its authority`() {
        let state = Self.chosen("work", of: Self.other)
        #expect(
            Self.values(state) == ["https://login.microsoftonline.com/organizations", "work, " + Sample.client])
    }

    @Test func `A well-known client is taken by its name, at Microsoft only where no provider was entered`() {
        let id = Client.wellKnown("kubelogin")?.id ?? ""
        #expect(Self.values(Self.chosen("kubelogin", of: Self.other)) == [Authority.defaultAddress, id])
        var state = Self.other
        state.send(.key(.paste("https://login.example.org/contoso.example")))
        #expect(Self.values(Self.chosen("kubelogin", of: state)) == ["https://login.example.org/contoso.example", id])
    }

    @Test func `The client of the form is selected, and leaving the menu changes nothing`() {
        var state = Sample.state()
        state.run(.signIn, .knownClients)
        #expect(state.words.hasPrefix("> work: from your settings"))
        let before = state.stack.first?.page(in: state.context).fields()
        state.run(.down, .back)
        #expect(state.topPage.fields() == before)
    }
}
