import FoundationEssentials
import Identity
import Logging
import Synchronization
import Testing
import TokenCache

@testable import Sandbox
@testable import SilentFirst

/// What a client writes to its program's log.
@Suite struct AcquisitionLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
        func lines(_ level: Logger.Level) -> [String] { all.withLock { $0.filter { $0.hasPrefix("\(level) ") } } }
    }

    private struct Collector: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let members = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            let words = members.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            lines.all.withLock { $0.append("\(event.level) \(event.message) \(words)") }
        }
    }

    private static let request = TokenRequest(scopes: ["User.Read"])

    private func application(_ world: World, _ lines: Lines, showsNames: Bool = false) throws -> PublicClientApplication
    {
        let configuration = PublicClientApplication.Configuration(
            clientID: Directory.tryOut, authority: try Authority(world.provider.authority("organizations"), kind: .aad),
            store: world.store, network: .patient)
        return PublicClientApplication(
            configuration, cache: world.cache, provider: Provider(configuration.network),
            log: AcquisitionLog(Logger(label: "test") { _ in Collector(lines: lines) }, showsNames: showsNames),
            now: { world.now })
    }

    @Test func `Steps, a token and a failure are logged with the call's numbers, without names or secrets`()
        async throws
    {
        try await World.open { world in
            let lines = Lines()
            let application = try application(world, lines)
            let signedIn = try await world.signIn(application)
            let token = try await application.acquireTokenSilent(Self.request)
            #expect(lines.lines(.debug).contains { $0.hasPrefix("debug account: <masked> ") })
            #expect(lines.lines(.info).count == 2)
            let last = try #require(lines.lines(.info).last)
            #expect(last.hasPrefix("info token (cache) for User.Read, expires "))
            #expect(
                last.hasSuffix(
                    " authority=\(application.configuration.authority) client-id=\(Directory.tryOut) "
                        + "correlation-id=\(Self.request.correlationID)"))

            try await application.remove(token.account)
            _ = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.request) }
            #expect(lines.lines(.notice).count == 1 && lines.lines(.notice)[0].contains("code=interactionRequired"))
            await world.provider.stop()
            let unreachable = await failure { () throws(Failure) in
                try await application.acquireToken(Self.request, userAgents: .deviceCodeOnly)
            }
            #expect(unreachable != nil && lines.lines(.warning).count == 1)

            let text = lines.all.withLock { $0 }.joined(separator: "\n")
            for secret in [token.accessToken, try #require(token.idToken)] { #expect(!text.contains(secret.reveal())) }
            for name in [signedIn.account.username, signedIn.account.homeAccountID, "Ada"] {
                #expect(!text.contains(name), "\(name)")
            }
            await application.close()
        }
    }

    @Test func `A program that wants names gets them`() async throws {
        try await World.open { world in
            let lines = Lines()
            let application = try application(world, lines, showsNames: true)
            try await world.signIn(application)
            _ = try await application.acquireTokenSilent(Self.request)
            #expect(lines.lines(.debug).contains { $0.hasPrefix("debug account: ada@contoso.example ") })
            await application.close()
        }
    }
}
