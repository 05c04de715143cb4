import Identity
import Keys
import Testing

@testable import AppModel

/// Nothing is offered that would do nothing, and what is offered does what its help says.
@Suite struct OfferedCommandTests {
    private static let ofToken = [Command.open, .nextView, .choose, .reveal, .copySecret, .verify, .export]

    private func access(_ clientID: String) -> CachedCredential {
        CachedCredential(
            id: "token of " + clientID, kind: .accessToken, clientID: clientID,
            homeAccountID: Sample.ada.homeAccountID, environment: Sample.ada.environment, realm: "home",
            scopes: ["User.Read"], secret: Secret("secret"))
    }

    private func state(_ clients: [String], store: OtherStore? = nil) -> AppState {
        var state = AppState(context: Sample.context, now: Sample.now)
        var account = Sample.ada
        account.clients = clients
        let overview = AccountOverview(account: account, credentials: clients.map(access), store: store)
        state.send(
            .loaded(AccountList([overview], clientName: { Sample.context.clientName($0) }, planner: Sample.planner)))
        return state
    }

    @Test func `A list of tokens without a token offers nothing that needs one`() {
        var state = Sample.state()
        state.run(.inspect)
        for command in Self.ofToken { #expect(!state.isOffered(command), "\(command)") }
        #expect(state.isOffered(.pasteToken) && state.isOffered(.scopes))
        state = self.state([Sample.client])
        state.run(.inspect)
        for command in [Command.open, .nextView, .choose, .reveal, .copySecret] {
            #expect(state.isOffered(command), "\(command)")
        }
    }

    @Test func `A pasted token has no account whose consent could be shown`() {
        var state = Sample.state()
        state.run(.pasteToken)
        state.send(.key(.paste("not-a-token")))
        #expect(state.stack.count == 1)
        #expect(state.isOffered(.open) && !state.isOffered(.scopes))
    }

    @Test func `Where nothing was pasted, no blank page is left`() {
        for key in [Key.escape, .enter, .paste("  ")] {
            var state = Sample.state()
            state.run(.pasteToken)
            state.send(.key(key))
            #expect(state.stack.isEmpty, "\(key)")
        }
        var state = Sample.state()
        state.run(.inspect, .pasteToken)
        state.send(.key(.escape))
        #expect(state.stack.count == 1, "an account's tokens stay")
    }

    @Test func `The details of an account sign in this account again, for the client in view`() throws {
        var state = Sample.state()
        state.run(.details, .signIn)
        let form = try #require(state.top as? SignInForm)
        #expect(state.stack.count == 1)
        #expect(form.loginHint.text == Sample.ada.username && form.clientID.text == Sample.client)
        #expect(form.underWay == nil, "nothing is asked for yet")
    }

    @Test func `Another program's account is not signed in from its details`() {
        let store = OtherStore(name: "azure-cli", program: "Azure CLI", place: "~/.azure", isWritable: false)
        var state = state([Sample.client], store: store)
        state.run(.details)
        #expect(!state.isOffered(.signIn) && !state.isOffered(.deviceCode) && state.isOffered(.inspect))
    }

    @Test func `Permissions of another program's account are shown and not chosen`() {
        func page(_ state: AppState) -> (boxes: [Bool?], words: String) {
            let blocks = [state.topPage.text, (state.top as? ScopeConsent)?.request(in: state.context)]
            let paragraphs = blocks.compactMap(\.self).flatMap(\.paragraphs)
            return (
                paragraphs.compactMap { if case .option(let option) = $0 { option.isChosen } else { nil } },
                blocks.compactMap(\.self).flatMap { PlainText.report($0) }.joined(separator: "\n")
            )
        }
        let store = OtherStore(name: "azure-cli", program: "Azure CLI", place: "~/.azure", isWritable: false)
        for other in [nil, store] {
            var state = state([Sample.client], store: other)
            state.run(.scopes)
            let (boxes, words) = page(state)
            #expect(boxes.contains { $0 != nil } == (other == nil))
            #expect(words.contains("Space: select") == (other == nil), "\(words)")
            #expect(words.contains("m: show") == (other == nil), "\(words)")
            #expect(words.contains("/: filter"), "\(words)")
        }
    }

    @Test func `Clients are compared where there are two`() {
        let other = "99999999-2222-3333-4444-555555555555"
        for (clients, isOffered) in [([Sample.client], false), ([Sample.client, other], true)] {
            var state = state(clients)
            state.run(.scopes)
            #expect(state.isOffered(.compare) == isOffered)
        }
    }

    @Test func `What had to end first is not said any more once it has ended`() throws {
        var state = Sample.state()
        state.run(.open)
        state.send(.key(.character("4")))
        #expect(state.notice?.contains("a request is running") == true)
        state.send(.reply(.began(at: Sample.now, correlationID: nil), RequestID(1)))
        #expect(state.notice != nil, "it is still running")
        state.send(.reply(.acquired(try Sample.token()), RequestID(1)))
        #expect(state.notice == nil)
    }

    @Test func `Another notice stays when something ends`() throws {
        var state = Sample.state()
        state.run(.open)
        state.send(.key(.character("4")))
        state.send(.notice("the file was written"))
        state.send(.reply(.acquired(try Sample.token()), RequestID(1)))
        #expect(state.notice == "the file was written")
    }

    @Test func `What was copied is named as in the menu`() {
        let actions = Copyable("report without secrets", "text").actions(in: Sample.context)
        let notices = actions.compactMap { if case .notice(let text) = $0 { text } else { nil } }
        #expect(notices == ["report without secrets copied to the clipboard"])
    }

    @Test func `A row of a list is told cell by cell, without empty ones`() {
        let row = ListTable.Row((.none, .text), [TextSpan("a b"), TextSpan(""), TextSpan("c")], cause: "d")
        #expect(row.words == "a b, c, d")
    }
}
