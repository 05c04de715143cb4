import Identity
import Testing

@testable import AppModel

@Suite struct RoutingTests {
    @Test func `A reply finds the feature that awaits it, whatever lies above it`() throws {
        var state = Sample.state()
        state.run(.open, .help)
        state.send(.reply(.acquired(try Sample.token()), RequestID(1)))
        state.run(.back)
        #expect(state.words.contains("token ready"))
    }

    @Test func `A reply to what was given up is dropped, and the log of the session has it`() throws {
        var state = Sample.state()
        state.run(.open)
        #expect(state.run(.back) == [.cancel(RequestID(1))])
        #expect(state.send(.reply(.acquired(try Sample.token()), RequestID(1))).isEmpty)
        #expect(state.stack.isEmpty)
        #expect(state.context.activity.records.first?.outcome == .done("from refresh"))
    }

    @Test(arguments: [AcquiredToken.Source.cache, .refresh])
    func `The store is read once for each request that has ended, and not before`(source: AcquiredToken.Source) throws {
        var state = Sample.state()
        state.run(.open)
        var effects = state.send(.reply(.began(at: Sample.now, correlationID: nil), RequestID(1)))
        effects += state.send(.reply(.acquired(try Sample.token(source: source)), RequestID(1)))
        #expect(effects.isEmpty)
        #expect(state.send(.reply(.ended(milliseconds: 5), RequestID(1))) == [.load])
    }

    @Test func `A request that failed may have changed the store as well`() {
        var state = Sample.state()
        state.run(.open)
        state.send(.reply(.failed(Failure(.interactionRequired, "over", oauthError: "invalid_grant")), RequestID(1)))
        #expect(state.send(.reply(.ended(milliseconds: 5), RequestID(1))) == [.load])
    }

    @Test func `Two requests never have one number`() {
        var state = Sample.state()
        let first = state.run(.open)
        state.run(.back)
        let second = state.run(.doctor)
        #expect(first.compactMap(\.begins) == [RequestID(1)])
        #expect(second.compactMap(\.begins) == [RequestID(2)])
    }

    @Test func `Whoever has signed in is selected when the store has been read, also when the sign-in was left before`()
        throws
    {
        var state = Sample.state([Sample.ada])
        state.run(.signIn, .start)
        state.send(.reply(.acquired(try Sample.token(Sample.grace, source: .interactive)), RequestID(1)))
        state.run(.back)
        #expect(state.stack.isEmpty)
        state.send(.loaded(Sample.list()))
        #expect(state.home.selectedAccount?.account == Sample.grace)
    }

    @Test func `A page opens by its command from anywhere, and once`() {
        for page in Registry.pages {
            var state = Sample.state()
            state.run(page.binding.command)
            #expect(type(of: state.top) == page)
            state.run(page.binding.command)
            #expect(state.stack.count == 1 && state.notice == "already open")
            state.run(.back)
            #expect(state.stack.isEmpty)
        }
    }

    @Test func `No two tables are of one context, and every table can end what it is about`() {
        #expect(Set(Registry.keyTables.map(\.context)).count == Registry.keyTables.count)
        for table in Registry.keyTables {
            #expect(
                table.bindings.contains { [.back, .no, .quit, .clearFilter, .clearSearch].contains($0.command) },
                "\(table.title)")
        }
    }
}
