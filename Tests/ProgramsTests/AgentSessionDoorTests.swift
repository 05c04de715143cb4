import FoundationEssentials
import Glibc
import Identity
import Synchronization
import Testing
import TokenCache

@testable import CommandSupport
@testable import Helpers
@testable import Programs

/// What an AI agent's session gets at each door: a token of its own from Entra ID, elsewhere a person's only by their
/// word.
@Suite struct AgentSessionDoorTests {
    private static let session = AgentSession(agent: "Claude Code", variable: "CLAUDECODE", id: "s1")

    private static let clients = """
        [clients.work]
        client_id = "work-id"
        scopes = ["S/.default"]

        [clients.lab]
        client_id = "lab-id"
        authority = "https://id.lab.example"
        kind = "oidc"

        """

    /// - Parameter word: a line of each rule, and of one for everything else.
    private static func settings(_ client: String, _ word: String = "") -> String {
        let places = [
            "host = \"stranger.example\"", "host = \"git.example.org:8443\"", "registry = \"127.0.0.1:5000\"",
        ]
        return "client = \"\(client)\"\n" + clients
            + places.map { "[[rules]]\n\($0)\nclient = \"\(client)\"\n\(word)\n" }.joined()
            + "[[rules]]\ncluster = \"https://k.example.org\"\n\(word)\n" + (word.isEmpty ? "" : "[[rules]]\n\(word)\n")
    }

    private static func resolution(_ door: ResolutionTests.Door, _ world: ResolutionWorld) throws -> Resolution {
        var query = try door.query(TokenOptions())
        // The command says which token it prints.
        if door == .oidc { query.isIDToken = true }
        let store = ["work:ada", "lab:hedy", "kubelogin:ada", "Azure CLI:ada", "Visual Studio:ada"]
        let snapshot = try ResolutionTests.snapshot(store, world.settings)
        let settled = try ResolvedClient(query, world).settled(in: snapshot)
        let client = try #require(settled.client)
        let authority = try settled.authority(of: client)
        return try Resolution(settled, client, in: snapshot) {
            $0.issuer == authority.issuer && Cloud.isSame($0.environment, authority.environment)
        }
    }

    private static func access(
        _ door: ResolutionTests.Door, _ settings: String, session: AgentSession? = session,
        answered: @escaping @Sendable (SessionAnswers.Key) -> Bool? = { _ in nil }
    ) throws -> SessionAccess {
        let world = ResolutionWorld(
            try SettingsReader(path: "config.toml", text: settings).settings(),
            folder: { ProgramRequest(program: "foyer", directory: "/srv", home: "/") },
            session: { () throws(Failure) in session }, answered: answered)
        let resolution = try resolution(door, world)
        return try resolution.sessionAccess { resolution.account ?? resolution.candidates.first }
    }

    private static func word(_ access: SessionAccess) -> String {
        switch access {
        case .person: "person"
        case .own: "own"
        case .allowed(_, .rule): "rule"
        case .allowed(_, .answer): "answer"
        case .unanswered: "asks"
        case .refused: "refused"
        }
    }

    /// Doors whose token is of Entra ID's whatever client the settings name.
    private static let ofEntra: Set<ResolutionTests.Door> = [
        .devops, .pip, .acr, .az, .azd, .endpoint, .run, .kubelogin,
    ]
    private static let ofIDToken: Set<ResolutionTests.Door> = [.google, .oidc]

    @Test(arguments: ResolutionTests.Door.allCases)
    func `What each door gives an AI agent's session`(door: ResolutionTests.Door) throws {
        let (isOfEntra, isIDToken) = (Self.ofEntra.contains(door), Self.ofIDToken.contains(door))
        for client in ["work", "lab"] {
            let isOwn = !isIDToken && (isOfEntra || client == "work")
            let plain = Self.settings(client)
            #expect(try Self.access(door, plain, session: nil) == .person)
            #expect(try Self.word(Self.access(door, plain)) == (isOwn ? "own" : "asks"), "\(client)")
            let allowing = try Self.access(door, Self.settings(client, "agents = true"))
            #expect(Self.word(allowing) == (isOwn ? "own" : "rule"), "\(client): \(allowing)")
            let refusing = try Self.access(door, Self.settings(client, "agents = false"))
            #expect(Self.word(refusing) == "refused", "\(client): \(refusing)")
            for (answer, word) in [(true, "answer"), (false, "refused")] {
                let answered = try Self.access(door, plain) { _ in answer }
                #expect(Self.word(answered) == (isOwn ? "own" : word), "\(client): \(answered)")
            }
        }
    }

    @Test func `An answer is for one session and one place`() throws {
        let keys = Mutex<[SessionAnswers.Key]>([])
        let ask = { (door: ResolutionTests.Door, id: String) in
            _ = try Self.access(
                door, Self.settings("lab"), session: AgentSession(agent: "x", variable: "X", id: id),
                answered: { key in
                    keys.withLock { $0.append(key) }
                    return nil
                })
        }
        for (door, id) in [
            (ResolutionTests.Door.host, "s1"), (.host, "s2"), (.forge, "s1"), (.registry, "s1"), (.kubectl, "s1"),
            (.oidc, "s1"), (.google, "s1"), (.token, "s1"),
        ] {
            try ask(door, id)
        }
        let found = keys.withLock { $0 }
        #expect(found.count == 8 && Set(found).count == 8, "\(found)")
        try ask(.host, "s1")
        #expect(keys.withLock { $0.last } == found.first)
    }

    @Test(arguments: [
        ("client = \"lab\"", "rule"), ("client = \"lab-id\"", "rule"), ("client = \"work\"", "asks"),
        ("account = \"hedy\"", "rule"), ("account = \"ada\"", "asks"), ("program = \"foyer\"", "rule"),
        ("program = \"git\"", "asks"), ("host = \"stranger.example\"", "asks"), ("tenant = \"t\"", "asks"),
        ("scopes = [\"openid\", \"profile\", \"email\"]", "rule"), ("scopes = [\"other\"]", "asks"),
        ("directory = \"/srv\"", "rule"), ("directory = \"/home\"", "asks"),
    ])
    func `A rule allows a session what it names and nothing else`(line: String, expected: String) throws {
        let settings = "client = \"lab\"\n" + Self.clients + "[[rules]]\n\(line)\nagents = true\n"
        let world = ResolutionWorld(
            try SettingsReader(path: "config.toml", text: settings).settings(),
            folder: { ProgramRequest(program: "foyer", directory: "/srv", home: "/") },
            session: { () throws(Failure) in Self.session })
        let resolution = try Self.resolution(.token, world)
        let snapshot = try ResolutionTests.snapshot(["lab:hedy"], world.settings)
        let account = snapshot.accounts(clientID: "lab-id").first
        #expect(try Self.word(resolution.sessionAccess { account }) == expected, "\(resolution.scopes)")
    }

    @Test func `An ID of another process of foyer is the session's`() throws {
        var query = try ResolutionTests.Door.token.query(TokenOptions { $0.agentSession = "s9" })
        for isIDToken in [false, true] {
            query.isIDToken = isIDToken
            let world = ResolutionWorld(
                try SettingsReader(path: "config.toml", text: Self.settings("work")).settings())
            let snapshot = try ResolutionTests.snapshot(["work:ada"], world.settings)
            let settled = try ResolvedClient(query, world).settled(in: snapshot)
            let resolution = try Resolution(settled, try #require(settled.client), in: snapshot) { _ in true }
            let access = try resolution.sessionAccess { nil }
            #expect(access.session?.id == "s9" && Self.word(access) == (isIDToken ? "refused" : "own"))
        }
    }

    @Test func `An answer holds for twelve hours`() throws {
        let folder = "/tmp/foyer-sessions-\(UInt32.random(in: 0...UInt32.max))"
        let environment = ProcessEnvironment { ["HOME": "/nonexistent", "XDG_STATE_HOME": folder][$0] }
        Folder.make(environment.stateFolder)
        let answers = SessionAnswers(environment)
        let key = SessionAnswers.Key(session: "s1", place: "p")
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(answers.answer(to: key, at: now) == nil)
        for answer in [true, false] {
            try answers.note(answer, to: key, at: now)
            #expect(answers.answer(to: key, at: now.addingTimeInterval(11 * 3600)) == answer)
            #expect(answers.answer(to: key, at: now.addingTimeInterval(13 * 3600)) == nil)
            #expect(answers.answer(to: SessionAnswers.Key(session: "s2", place: "p"), at: now) == nil)
            #expect(answers.answer(to: SessionAnswers.Key(session: "s1", place: "q"), at: now) == nil)
        }
        for name in Folder.names(in: environment.stateFolder) { remove(environment.stateFolder + "/" + name) }
        rmdir(environment.stateFolder)
        rmdir(folder)
    }
}
