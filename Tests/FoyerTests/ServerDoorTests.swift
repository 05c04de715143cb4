import Foundation
import Helpers
import Identity
import SilentCore
import SilentFirst
import Testing
import TokenCache
import Wire

@testable import AppModel
@testable import CommandSupport
@testable import foyer_main

/// Form, commands, settings and helpers ask a known server for the same: the table of each server by each way to it.
@Suite struct ServerDoorTests {
    private struct Asked: Equatable {
        let scopes: ScopeSet
        let reserved: ScopeSet?
        let redirectURI: String
        let authority: String
        let kind: Authority.Kind

        init(_ scopes: ScopeSet, at authority: Authority, _ configuration: ClientConfiguration) {
            self.scopes = scopes
            reserved = configuration.reservedScopes(asking: scopes, at: authority)
            redirectURI = configuration.redirectURI(at: authority)
            self.authority = authority.address.text
            kind = authority.kind
        }
    }

    /// A person's folders and settings file.
    private final class Person {
        private let folder = "/tmp/foyer-doors-\(UUID().uuidString)"
        private let variables: [String: String]

        init(_ settings: String = "", _ more: [String: String] = [:]) throws {
            variables = more.merging(["HOME": folder, "FOYER_CONFIG": folder + "/config.toml"]) { first, _ in first }
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try write(settings)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        var environment: ProcessEnvironment { ProcessEnvironment { [variables] in variables[$0] } }

        func write(_ settings: String) throws {
            try Data(settings.utf8).write(to: URL(filePath: folder + "/config.toml"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: folder + "/config.toml")
        }

        func session(_ options: TokenOptions = TokenOptions()) throws -> CommandContext {
            try CommandContext(options, environment: environment)
        }

        /// What `foyer token` asks for.
        func token(_ change: (inout TokenOptions) -> Void = { _ in }) throws -> Asked {
            var options = TokenOptions()
            options.dryRun = true
            change(&options)
            let session = try session(options)
            return try asked(TokenCall(session.resolved(), session))
        }

        func asked(_ call: TokenCall) throws -> Asked {
            Asked(call.request.scopes, at: try #require(call.request.authority), call.cached.configuration)
        }

        /// What the git helper asks for.
        func git(at address: String) throws -> Asked {
            let options = TokenOptions { $0.dryRun = true }
            let session = try session(options)
            let query = try GitCredential(url: address + "/owner/repository.git").query(options, environment)
            return try asked(TokenCall(session.resolved(query), session))
        }

        /// What `foyer sign-in` asks for at a host.
        func signIn(at host: String, server: String? = nil, id: String?, _ options: TokenOptions = TokenOptions())
            throws -> (asked: Asked, client: ClientChoice)
        {
            let settings = try session(options).settings
            let found = try ServerClient(at: host, server: server, clientID: id, settings)
            var client = found.choice
            if found.isNew, !options.scopes.isEmpty { client.scopes = options.scopes }
            let session = try session(found.options(options))
            let configuration = try session.cachedClient(client).configuration
            let scopes = try session.scopes(client, configuration.authority)
            return (Asked(scopes, at: configuration.authority, configuration), client)
        }

        /// What the form asks for, with the texts of its fields by number, and the client that is saved then.
        func form(_ fields: [(Int, String)], firstLine: Int? = nil) throws -> (asked: Asked, kept: ConfiguredClient?) {
            let session = try session()
            var context = Context()
            context.clients = session.configuredClients(session.choices)
            var state = AppState(context: context, now: Date())
            let planner = CallPlanner { account, use, _ in
                let request = TokenRequest(scopes: [], account: account, correlationID: TokenRequest.unnumbered)
                return PlannedCall(use: use, request: request, words: "", status: .blocked)
            }
            func send(_ message: Message) -> [Effect] { state.update(message, on: .unlimited) }
            _ = send(.loaded(AccountList([], clientName: { context.clientName($0) }, planner: planner)))
            for _ in 0..<(firstLine ?? 0) { _ = send(.command(.down)) }
            _ = send(.command(firstLine == nil ? .signIn : .open))
            for (number, text) in fields { _ = send(.fill(number, text)) }
            let requests = send(.command(.start)).compactMap { effect -> SignInRequest? in
                if case .signIn(let request, _) = effect { request } else { nil }
            }
            let wanted = try #require(requests.first)
            let clients = InterfaceClients(
                session, store: TokenCache(path: folder + "/store.json"), provider: Provider(session.network()))
            let configuration = try clients.entry(wanted.use).application.configuration
            let authority = try #require(wanted.request.authority)
            return (
                Asked(wanted.request.scopes, at: authority, configuration), wanted.clientToKeep(in: state.context)
            )
        }
    }

    private static func table(_ authority: String, _ more: String = "") -> String {
        "[clients.one]\nclient_id = \"c1\"\nauthority = \"\(authority)\"\n" + more
    }

    private static func lines(_ kept: ConfiguredClient) -> String {
        var choice = ClientChoice(
            name: kept.name, clientID: kept.clientID, authority: kept.authority, kind: kept.kind)
        choice.scopes = kept.scopes.names
        return choice.lines().joined(separator: "\n")
    }

    private static let other = "[clients.other]\nclient_id = \"c0\"\nauthority = \"https://"

    /// A client of another known server, which is chosen first in the form, with scopes and a redirect URI there.
    private static func others(than server: KnownServer) -> String {
        other + (server.name == "github" ? "gitlab.com" : "github.com")
            + "\"\nscopes = [\"gist\"]\nredirect_uri = \"http://localhost:9/\"\n"
    }

    @Test(arguments: KnownServer.all)
    func `Every way to a known server asks for the same`(server: KnownServer) throws {
        let host = server.hosts[0].replacing("*.", with: "one.")
        let address = "https://" + host
        var ways: [(String, Asked)] = []
        func add(_ way: String, _ asked: Asked) { ways.append((way, asked)) }

        add("settings", try Person(Self.table(address)).token())
        add("settings with server", try Person(Self.table(address, "server = \"\(server.name)\"\n")).token())
        add("options", try Person().token { ($0.authority, $0.clientID) = (address, "c1") })
        add("environment", try Person("", ["FOYER_AUTHORITY": address]).token { $0.clientID = "c1" })
        add(
            "another client",
            try Person(Self.others(than: server)).token { ($0.authority, $0.client) = (address, "other") })
        if server.git != nil { add("git", try Person(Self.table(address)).git(at: address)) }

        let remembered = try Person()
        let session = try remembered.session()
        try DefaultClient(remembered.environment).set(
            ClientChoice(name: "c1", clientID: "c1", authority: address), of: session.storeSpec(nil), replaces: false)
        add("the first sign-in", try remembered.token())

        let needsSecret = [.always, .published].contains(server.secret)
        let known = try Person(Self.table(address))
        add("host of the settings", try known.signIn(at: host, id: nil).asked)
        if !needsSecret {
            let person = try Person()
            let (asked, client) = try person.signIn(at: host, id: "c1")
            add("host", asked)
            try person.write(client.lines().joined(separator: "\n"))
            add("token after the host", try person.token())
        }

        let forms: [(String, String, Int?)] = [
            ("form", "", nil), ("form with another server's client", Self.others(than: server), nil),
            ("first run", "", 2), ("first run at a git host", "", 3), ("first run at Google", "", 4),
        ]
        for (way, settings, line) in forms {
            let person = try Person(settings)
            let (asked, kept) = try person.form([(0, address), (1, "c1")], firstLine: line)
            add(way, asked)
            let lines = Self.lines(try #require(kept, "\(way)"))
            try person.write(settings + "\n" + lines)
            add("token after the " + way, try person.token { $0.client = kept?.name })
            add("form again after the " + way, try person.form([(0, address), (1, "c1")]).asked)
        }
        add("form of the settings", try known.form([(1, "0")]).asked)
        add("form of another server's client, edited", try Person(Self.others(than: server)).form([(0, address)]).asked)

        let usual: ScopeSet = server.kind == .oidc ? ["openid", "profile", "email"] : []
        for (way, asked) in ways {
            #expect(asked.scopes == (server.scopes.isEmpty ? usual : ScopeSet(server.scopes)), "\(way)")
            #expect(asked.redirectURI == server.redirectURI, "\(way)")
            #expect(asked.authority == address + server.path && asked.kind == server.kind, "\(way)")
            #expect(asked == ways[0].1, "\(way)")
        }
    }

    @Test(arguments: KnownServer.all)
    func `Every way to a company's own server asks for the same`(server: KnownServer) throws {
        let address = "https://git.corp.example"
        let person = try Person(Self.table(address, "server = \"\(server.name)\"\n"))
        var ways = [
            ("settings", try person.token()),
            ("host of the settings", try person.signIn(at: "git.corp.example", id: nil).asked),
            ("its authority", try person.token { ($0.client, $0.authority) = ("one", address + server.path) }),
            ("its host as the authority", try person.token { ($0.client, $0.authority) = ("one", address) }),
            (
                "environment",
                try Person(Self.table(address, "server = \"\(server.name)\"\n"), ["FOYER_AUTHORITY": address]).token()
            ),
            ("form", try person.form([(1, "0")]).asked),
            ("form by its host", try person.form([(1, "0"), (0, address)]).asked),
        ]
        if server.git != nil { ways.append(("git", try person.git(at: address))) }
        if ![.always, .published].contains(server.secret) {
            let new = try Person()
            let (asked, client) = try new.signIn(at: "git.corp.example", server: server.name, id: "c1")
            ways.append(("host", asked))
            try new.write(client.lines().joined(separator: "\n"))
            ways.append(("token after the host", try new.token()))
        }
        for (way, asked) in ways {
            #expect(asked.redirectURI == server.redirectURI && asked.kind == server.kind, "\(way)")
            #expect(asked == ways[0].1, "\(way)")
        }
    }

    @Test func `Scopes that a person names are the complete list at each way, and of the token afterwards`() throws {
        let scopes = ["read_api"]
        let options = TokenOptions { $0.scopes = scopes }
        let host = try Person().signIn(at: "gitlab.com", id: "c1", options)
        let person = try Person()
        let (form, kept) = try person.form([(0, "https://gitlab.com"), (1, "c1"), (2, "read_api")])
        let command = try Person().token {
            ($0.authority, $0.clientID, $0.scopes) = ("https://gitlab.com", "c1", scopes)
        }
        #expect(host.asked == form && command == form)
        #expect(form.scopes == ["read_api"] && form.reserved == [])
        try person.write(Self.lines(try #require(kept)))
        #expect(try person.token() == form)
    }

    @Test func `The product of the settings is that of their authority only`() throws {
        let person = try Person(Self.table("https://git.corp.example", "server = \"github\"\n"))
        for (authority, token) in [
            (nil, "https://git.corp.example/login/oauth/access_token"),
            ("https://git.corp.example", "https://git.corp.example/login/oauth/access_token"),
            ("https://evil.example", nil), ("https://gitlab.com", nil),
            ("https://github.com", "https://github.com/login/oauth/access_token"),
        ] {
            let session = try person.session(TokenOptions { $0.authority = authority })
            let configuration = try session.cachedClient(try session.client()).configuration
            let endpoints = configuration.endpoints(of: configuration.authority)
            #expect(endpoints.token?.text == token, "\(authority ?? "")")
        }
    }

    @Test func `A secret of the settings does not open the browser's flow at another server`() throws {
        let settings = Self.table("https://gitlab.com", "client_secret = \"kept\"\n")
        let session = try Person(settings).session()
        let configuration = try session.cachedClient(try session.client()).configuration
        #expect(configuration.clientSecret(at: configuration.authority) != nil)
        #expect(configuration.clientSecret(at: try Authority("https://github.com")) == nil)
    }

    @Test func `An account of another server is asked as that server wants`() throws {
        let session = try Person().session(TokenOptions { $0.clientID = "c1" })
        let client = try session.client()
        let hedy = Account(
            homeAccountID: "1007", environment: "github.com", username: "hedy",
            issuer: "https://github.com/login/oauth")
        let resolution = try Resolution(session.resolved(), client, in: .empty) { _ in true }
            .pointing(at: hedy, in: .empty)
        let asked = Asked(resolution.scopes, at: resolution.authority, try session.cachedClient(client).configuration)
        #expect(asked.scopes == ["repo", "read:user"] && asked.redirectURI == "http://127.0.0.1/")
    }
}
