import Identity
import Keys
import Testing

@testable import AppModel

/// The form at known servers: the same request, however the server came into it.
@Suite struct ServerFormTests {
    private static func empty(_ clients: [ConfiguredClient] = []) -> AppState {
        var context = Sample.context
        (context.clients, context.defaultClient) = (clients, clients.first?.name)
        var state = AppState(context: context, now: Sample.now)
        state.send(.loaded(Sample.list([])))
        return state
    }

    private static func form(_ state: AppState) throws -> SignInForm { try #require(state.top as? SignInForm) }

    private static func request(_ state: AppState) throws -> SignInRequest {
        var state = state
        let found = state.run(.start).compactMap { if case .signIn(let request, _) = $0 { request } else { nil } }
        return try #require(found.first, "\(state.words)")
    }

    /// Opens a line of the first menu, counted from 0.
    private static func opened(_ line: Int, _ clients: [ConfiguredClient] = []) -> AppState {
        var state = empty(clients)
        for _ in 0..<line { state.run(.down) }
        state.run(.open)
        return state
    }

    private static let places = KnownServer.all.map { ($0, "https://" + $0.hosts[0].replacing("*.", with: "one.")) }

    @Test(arguments: places)
    func `Each way into the form asks a known server for the same`(server: KnownServer, address: String) throws {
        let authority = try Authority(address)
        let usual = RequestDefaults().scopes(at: authority, clientID: "c1")
        let other = ConfiguredClient(
            name: "other", clientID: "c0", authority: "https://github.com", scopes: ["gist"])
        let others = [other, ConfiguredClient(name: "work", clientID: "w", authority: Authority.defaultAddress)]
        var states: [(String, AppState)] = [
            ("another provider", Self.opened(2)), ("the git host, edited", Self.opened(3)),
            ("Google, edited", Self.opened(4)),
        ]
        for clients in [[], others] {
            var state = Self.empty(clients)
            state.run(.signIn)
            states.append(("the form with \(clients.count) clients", state))
        }
        for (way, state) in states {
            for fills in [[0, 1], [1, 0]] {
                var state = state
                for field in fills { state.send(.fill(field, field == 0 ? address : "c1")) }
                #expect(try Self.form(state).isSet(.scopes) == false, "\(way): nobody typed them")
                let unset = try Self.form(state).placeholder(of: .scopes, in: state.context)
                #expect(unset == "not set: \(usual)", "\(way)")
                let request = try Self.request(state)
                #expect(request.request.scopes == usual, "\(way)")
                #expect(request.request.authority == authority, "\(way)")
                let kept = try #require(request.clientToKeep(in: state.context), "\(way)")
                #expect(kept.scopes.isEmpty && kept.provider == authority && kept.kind == server.kind)
                #expect(kept.defaults.scopes(at: authority, clientID: "c1") == usual)
                // The command that is shown names no scopes: it asks for these by itself.
                let command = request.command(keeping: kept, in: state.context)
                #expect(command == "foyer token --client \(kept.name)", "\(way)")
            }
        }
    }

    @Test func `Scopes of the settings stay at their server, and come back with it`() throws {
        let hub = ConfiguredClient(name: "hub", clientID: "c0", authority: "https://github.com", scopes: ["gist"])
        var state = Self.empty([hub])
        state.run(.signIn)
        #expect(try Self.form(state).scopes.text == "gist")
        state.send(.fill(0, "https://gitlab.com"))
        #expect(try Self.form(state).scopes.text.isEmpty)
        #expect(try Self.request(state).request.scopes.contains("write_repository"))
        // By keys, too.
        state.send(.key(.control("u")), .key(.paste("https://github.com")))
        #expect(try Self.form(state).scopes.text == "gist")
        #expect(try Self.request(state).request.scopes == ["gist"])
    }

    @Test func `Scopes that were typed go to whichever server is entered`() throws {
        var state = Self.opened(3)
        state.send(.fill(1, "c1"), .fill(2, "read_api"), .fill(0, "https://gitlab.com"))
        let request = try Self.request(state)
        #expect(request.request.scopes == ["read_api"])
        #expect(request.clientToKeep(in: state.context)?.scopes == ["read_api"])
        // Emptied, they are the server's.
        state.send(.fill(2, ""))
        #expect(try Self.request(state).request.scopes.contains("read_repository"))
    }

    @Test func `A typed client has no scopes of the client that was chosen before`() throws {
        var state = Self.empty(Sample.context.clients)
        state.run(.signIn)
        #expect(try Self.form(state).scopes.text == "User.Read")
        state.send(.fill(1, "my-app"))
        #expect(try Self.form(state).scopes.text.isEmpty)
        state.send(.fill(0, "https://id.example.org"))
        #expect(try Self.request(state).request.scopes == ["openid", "profile", "email"])
    }

    @Test func `A company's own server in the settings is meant by its host alone`() throws {
        let forge = ConfiguredClient(
            name: "forge", clientID: "c1", authority: "https://git.corp.example/login/oauth", kind: .oauth2,
            server: "github")
        var state = Self.empty([forge])
        state.run(.signIn)
        for address in [nil, "https://git.corp.example"] {
            if let address { state.send(.fill(0, address)) }
            let request = try Self.request(state)
            #expect(request.request.authority == forge.provider && request.request.scopes == ["repo", "read:user"])
            #expect(request.clientToKeep(in: state.context) == nil)
            #expect(request.command(keeping: nil, in: state.context) == "foyer token --client forge")
        }
    }

    @Test func `The authority as the settings have it is the one of the command`() throws {
        let hub = ConfiguredClient(name: "hub", clientID: "c0", authority: "https://github.com")
        var state = Self.empty([hub])
        state.run(.signIn)
        #expect(state.words.contains("then: foyer token --client hub"), "\(state.words)")
    }

    @Test func `A provider whose kind its address does not tell is saved with its kind`() throws {
        let provider = try Authority("https://host.example/one", kind: .oauth2)
        let wanted = SignInRequest(
            clientID: "c1",
            request: TokenRequest(scopes: [], authority: provider, correlationID: TokenRequest.unnumbered))
        #expect(wanted.clientToKeep(in: Sample.context)?.provider == provider)
    }

    @Test(arguments: [
        (0, SignInForm.Field.authority), (1, .authority), (2, .authority), (3, .client), (4, .client),
    ])
    func `The form begins in the first field that must be filled, else in its first`(
        line: Int, field: SignInForm.Field
    ) throws {
        #expect(try Self.form(Self.opened(line)).focus == field)
    }

    @Test func `A host typed into the scopes is refused before anything is asked`() throws {
        var state = Self.opened(3)
        state.send(.fill(1, "c1"))
        for scope in ["read:userhttp://127.0.0.1:44061", "http://127.0.0.1:44061", "repo https://github.com"] {
            state.send(.fill(2, scope))
            #expect(state.run(.start).isEmpty)
            #expect(state.words.contains("is not a scope of GitHub"), "\(state.words)")
            #expect(try Self.form(state).focus == .scopes)
        }
        state.send(.fill(2, "repo gist"))
        #expect(try Self.request(state).request.scopes == ["repo", "gist"])
    }
}
