import Foundation
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache
import Waiting

@testable import CommandSupport
@testable import Sandbox
@testable import foyer_main

/// The long table of failures in the documentation: each row is provoked at the sandbox, and what foyer says
/// stands in it.
@Suite struct FailureTableTests {
    private static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/foyer/foyer.docc/ExitStatuses.md").standardized

    /// When the sandbox misbehaves, and at what.
    private enum Moment: Sendable {
        case silent, device
        /// A sign-in by device code at the plain OpenID Connect issuer.
        case openID
        /// A sign-in at a provider beyond this machine, by way of this proxy; nothing is sent.
        case proxy(String)
    }

    private struct Row: Sendable {
        var situation: String
        var moment = Moment.silent
        var faults: [Fault] = []
        var act: (@Sendable (FailureWorld) throws -> Void)?
        var request = TokenRequest(scopes: ["User.Read"])
    }

    private static func refusal(
        _ error: String, _ suberror: String? = nil, codes: [Int] = [], claims: String? = nil, description: String? = nil
    ) -> Fault {
        Fault(
            .error(error, suberror: suberror, codes: codes, claims: claims, description: description, status: 400),
            endpoint: "token:refresh_token")
    }

    private static var rows: [Row] {
        [
            Row(situation: "the refresh token is no longer valid", faults: [refusal("invalid_grant")]),
            Row(
                situation: "the refresh token was revoked",
                faults: [refusal("invalid_grant", "bad_token", codes: [50173])]),
            Row(
                situation: "the refresh token was not used for too long",
                faults: [refusal("invalid_grant", codes: [700082])]),
            Row(
                situation: "the same, and the provider says how long",
                faults: [
                    refusal(
                        "invalid_grant", codes: [70002, 700_082],
                        description: "AADSTS700082: The refresh token has expired, and was inactive for 12:00:00.")
                ]),
            Row(
                situation: "a second factor is required",
                faults: [
                    refusal(
                        "interaction_required", "basic_action", codes: [50076],
                        claims: #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#)
                ]),
            Row(situation: "nobody consented", faults: [refusal("invalid_grant", "consent_required", codes: [65001])]),
            Row(
                situation: "only an administrator may consent",
                faults: [refusal("invalid_grant", "consent_required", codes: [90094])]),
            Row(
                situation: "the password has expired",
                faults: [refusal("invalid_grant", "user_password_expired", codes: [50055])]),
            Row(situation: "the password must be reset", faults: [refusal("invalid_request", codes: [50142])]),
            Row(situation: "a policy of the tenant blocks", faults: [refusal("invalid_grant", codes: [53003])]),
            Row(
                situation: "the device is not known",
                faults: [refusal("invalid_grant", "device_authentication_failed", codes: [50155])]),
            Row(situation: "the device must be managed", faults: [refusal("invalid_grant", codes: [530_003])]),
            Row(
                situation: "the provider has a message only",
                faults: [refusal("interaction_required", "message_only")]),
            Row(
                situation: "the tenant requires its protection policy",
                faults: [refusal("unauthorized_client", "protection_policy_required")]),
            Row(situation: "the account was deleted", faults: [refusal("invalid_grant", "user_account_deleted")]),
            Row(situation: "the client is not known", faults: [refusal("unauthorized_client", codes: [700016])]),
            Row(situation: "the client needs a secret", faults: [refusal("invalid_client", codes: [7_000_218])]),
            Row(situation: "a scope does not exist", faults: [refusal("invalid_scope", codes: [70011])]),
            Row(situation: "the same request came too often", faults: [refusal("invalid_grant", codes: [50196])]),
            Row(
                situation: "B2C: another policy's refresh token",
                faults: [refusal("invalid_grant", description: "AADB2C90088: another policy")]),
            Row(
                situation: "AD FS: the refresh token has expired",
                faults: [refusal("invalid_grant", description: "MSIS9615: expired")]),
            Row(
                situation: "a refusal that is not known",
                faults: [refusal("something_new", description: "the words of the provider")]),
            Row(
                situation: "429 with Retry-After",
                faults: [Fault(.status(429, retryAfter: 30), endpoint: "token:refresh_token")]),
            Row(situation: "503", faults: [Fault(.status(503, retryAfter: nil), endpoint: "token:refresh_token")]),
            Row(situation: "the connection is cut off", faults: [Fault(.cutOff, endpoint: "token:refresh_token")]),
            Row(
                situation: "a redirect",
                faults: [Fault(.redirect(to: "https://elsewhere.invalid/"), endpoint: "token:refresh_token")]),
            Row(situation: "a page in place of JSON", faults: [Fault(.html, endpoint: "token:refresh_token")]),
            Row(
                situation: "an endless body",
                faults: [Fault(.hugeBody(bytes: 4 << 20), endpoint: "token:refresh_token")]),
            Row(situation: "the ID token has another issuer", moment: .device, faults: [Fault(.idToken(.wrongIssuer))]),
            Row(
                situation: "the ID token is for another client", moment: .device,
                faults: [Fault(.idToken(.wrongAudience))]),
            Row(
                situation: "the ID token's signature is wrong", moment: .device,
                faults: [Fault(.idToken(.badSignature))]),
            Row(
                situation: "after a refresh the ID token's signature is wrong",
                faults: [Fault(.idToken(.badSignature), endpoint: "token:refresh_token")]),
            Row(
                situation: "after a refresh the token type is missing",
                faults: [
                    Fault(
                        .override([JSON.Member(name: "token_type", value: .null)]), endpoint: "token:refresh_token")
                ]),
            Row(situation: "the code was declined", moment: .device, faults: [Fault(.denied)]),
            Row(situation: "the code expired", moment: .device, faults: [Fault(.expired)]),
            Row(
                situation: "the code of a sign-in is refused", moment: .device,
                faults: [
                    Fault(
                        .error(
                            "invalid_grant", suberror: nil, codes: [], claims: nil, description: "the code has expired",
                            status: 400),
                        endpoint: "token")
                ]),
            Row(situation: "there is no metadata", moment: .openID, faults: [Fault(.quirk(.noMetadata))]),
            Row(
                situation: "the metadata is another issuer's", moment: .openID,
                faults: [Fault(.quirk(.issuerMismatch))]),
            Row(situation: "the proxy of the settings cannot be used", moment: .proxy("socks4://proxy.example:1080")),
            Row(
                situation: "the account is of another provider",
                request: TokenRequest(
                    scopes: ["User.Read"],
                    account: Account(
                        homeAccountID: "nobody.nowhere", environment: "localhost",
                        username: "grace@fabrikam.example"))),
            Row(
                situation: "the store is no store",
                act: { world in try Data(#"["somebody else's"]"#.utf8).write(to: URL(filePath: world.store)) }),
            Row(
                situation: "the store is cut off in the middle",
                act: { world in try Data(#"{"AccessToken":"#.utf8).write(to: URL(filePath: world.store)) }),
            Row(
                situation: "others may write the store",
                act: { world in
                    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: world.store)
                }),
        ]
    }

    /// What the library says in a row's situation.
    private static func come(_ row: Row) async throws -> Failure {
        var found: Failure?
        try await FailureWorld.open { world in
            let application = world.application(
                Directory.tryOut, at: try Authority(world.provider.authority("organizations"), kind: .aad))
            switch row.moment {
            case .silent:
                try await world.signIn(application)
                try world.advance(4000)
                for fault in row.faults { world.provider.bend(fault) }
                try row.act?(world)
                do throws(Failure) { _ = try await application.acquireTokenSilent(row.request) } catch { found = error }
            case .device:
                for fault in row.faults { world.provider.bend(fault) }
                do { try await world.signIn(application) } catch { found = error as? Failure }
            case .openID:
                for fault in row.faults { world.provider.bend(fault) }
                let lab = world.application("lab-cli", at: try Authority(world.provider.issuer, kind: .oidc))
                do { try await world.signIn(lab) } catch { found = error as? Failure }
            case .proxy(let text):
                let configuration = PublicClientApplication.Configuration(
                    clientID: "client", authority: try Authority("https://id.invalid", kind: .oidc), store: world.store,
                    network: .init(httpsProxy: ProxySetting(text, source: "HTTPS_PROXY")))
                do { try await world.signIn(PublicClientApplication(configuration)) } catch {
                    found = error as? Failure
                }
            }
            await application.close()
        }
        return try #require(found, "\(row.situation): nothing went wrong")
    }

    /// Of every row, a few at a time.
    private static func all() async throws -> [Failure] {
        let rows = rows
        return try await withThrowingTaskGroup(of: (Int, Failure).self) { group in
            var found: [Int: Failure] = [:]
            for (number, row) in rows.enumerated() {
                if number >= 4, let (done, failure) = try await group.next() { found[done] = failure }
                group.addTask { (number, try await come(row)) }
            }
            for try await (done, failure) in group { found[done] = failure }
            return rows.indices.compactMap { found[$0] }
        }
    }

    /// Ports, folders and process numbers differ from run to run.
    private static func steady(_ text: String) -> String {
        text.replacing(/(127\.0\.0\.1|localhost):\d+/) { "\($0.1):PORT" }
            .replacing(/\/tmp\/foyer-world-[0-9A-Fa-f-]+\/token_cache\.json/) { _ in "STORE" }
            .replacing(/\/tmp\/foyer-world-[0-9A-Fa-f-]+/) { _ in "FOLDER" }
            .replacing("|", with: "\\|")
    }

    @Test func `The table of failures is what the sandbox and the library really say`() async throws {
        var lines = ["| situation | status | code | message | next step |", "|---|---|---|---|---|"]
        for (row, failure) in zip(Self.rows, try await Self.all()) {
            let step = try #require(failure.nextStep?.words, "\(row.situation): \(failure.message): no next step")
            #expect(failure.message.last != "." && step.last != ".", "\(row.situation)")
            lines.append(
                """
                | \(row.situation) | \(failure.code.exitStatus) | `\(failure.code.rawValue)` | \
                \(Self.steady(failure.message)) | \(Self.steady(step)) |
                """
            )
        }
        let table = lines.joined(separator: "\n") + "\n"
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let start = try #require(text.range(of: "FailureTableTests -->\n"))
        let end = try #require(text.range(of: "<!-- end of failures -->"))
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
            try text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: table)
                .write(to: Self.article, atomically: false, encoding: .utf8)
        } else {
            #expect(text[start.upperBound..<end.lowerBound] == table)
        }
    }
}

/// A provider, a store and a clock of their own for one situation.
private final class FailureWorld: Sendable {
    let provider: SandboxProvider
    let store: String
    private let start = Date()
    /// Seconds that the application's clock and the provider's are ahead.
    private let ahead = Mutex(0)

    private init(_ provider: SandboxProvider, _ store: String) {
        self.provider = provider
        self.store = store
    }

    /// Runs `body` in a new world and removes the world afterwards.
    static func open(_ body: (FailureWorld) async throws -> Void) async throws {
        var options = SandboxProvider.Options()
        options.deviceInterval = 0
        let provider = try await SandboxProvider.start(options)
        let folder = "/tmp/foyer-world-\(UUID().uuidString)"
        let result: Result<Void, any Error>
        do { result = .success(try await body(FailureWorld(provider, folder + "/token_cache.json"))) } catch {
            result = .failure(error)
        }
        await provider.stop()
        try? FileManager.default.removeItem(atPath: folder)
        try result.get()
    }

    func advance(_ seconds: Int) throws {
        ahead.withLock { $0 += seconds }
        try provider.advanceClock(by: seconds)
    }

    func application(_ client: String, at authority: Authority) -> PublicClientApplication {
        let configuration = PublicClientApplication.Configuration(
            clientID: client, authority: authority, store: store,
            network: NetworkSettings(timeout: TimeInterval(Waiting.seconds)))
        return PublicClientApplication(
            configuration, cache: TokenCache(path: store), provider: Provider(configuration.network),
            now: { [self] in start.addingTimeInterval(TimeInterval(ahead.withLock { $0 })) })
    }

    /// Signs Ada in by a device code that is approved on the spot.
    func signIn(_ application: PublicClientApplication) async throws {
        let request = TokenRequest(scopes: ["User.Read"], method: .device)
        _ = try await application.acquireToken(request, userAgents: .deviceCodeOnly) { [provider] event in
            guard case .deviceCode(let prompt) = event else { return }
            try? provider.approve(userCode: prompt.userCode, username: "ada@contoso.example", scopes: nil)
        }
        await application.close()
    }
}
