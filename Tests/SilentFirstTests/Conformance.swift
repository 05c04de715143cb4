import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import Waiting

@testable import Sandbox
@testable import TokenCache

/// One line of the conformance table: what MSAL does, or what is done right in its place, run against the sandbox or a
/// seeded store.
struct ConformanceRow: Sendable, CustomTestStringConvertible {
    let given: String
    let when: String
    let then: String
    let show: @Sendable (World) async throws -> Void

    init(
        given: String = "an account with tokens", when: String = "silent", then: String,
        _ show: @escaping @Sendable (World) async throws -> Void
    ) {
        self.given = given
        self.when = when
        self.then = then
        self.show = show
    }

    var testDescription: String { "given \(given); when \(when); then \(then)" }
}

/// The whole table.
///
/// Claims of MSAL's, ADAL's and AppAuth's own suites that are left out on purpose:
/// - Enrollment ids are Intune's (mobile application management); entries that carry bindings of others are passed
///   over.
/// - Nested application authentication is Apple's and the browsers'.
/// - The order of refresh tokens is no setting here: the client's own goes first, then the family's.
/// - There are no keychain attributes; the entries and keys of the file are shown by TokenCacheTests and by MSAL for
///   Python in Tests/Interop.
/// - There is no web view that could be missing: where no browser opens, the end-session address is named and the
///   account is removed all the same.
/// - ADAL's expired access token is not removed: it is never served, and may still have an extended lifetime.
/// - ADAL rewrites both entries of a family's refresh token; a relative's entry is never written here.
/// - AppAuth keeps its state, and throws where a refresh token is missing; here a code is never kept, only what it was
///   exchanged for, and a missing refresh token is a typed failure.
///
/// Tests beside the target show the rest: instance discovery and what is sent a second time in WireTests, ADAL's cache
/// of the Mac in LegacyCachesTests, what is taken over of ADAL's tokens in `LegacyUpgradeTests`, capabilities in
/// `ClaimsRequestTests`.
enum Conformance {
    static let rows: [ConformanceRow] =
        stepsBeforeTheNetwork + stepsOnTheNetwork + localHits + refreshes + refusals + writing + people + others
}

@Suite struct ConformanceTests {
    @Test(.timeLimit(.minutes(Waiting.minutes)), arguments: Conformance.rows)
    func `What MSAL does is done here, and its defects are not`(
        row: ConformanceRow
    ) async throws {
        try await World.open { world in try await row.show(world) }
    }
}

// MARK: What rows are made of

extension World {
    static let wish = TokenRequest(scopes: ["User.Read"])
    static let adaAtContoso = "ada00000-0000-4000-8000-000000000001"
    static let adaAtFabrikam = "ada00000-0000-4000-8000-0000000000f1"
    static let ada = adaAtContoso + "." + Directory.contoso.id

    /// The moment at which the applications' clocks proxy.
    var time: Date { Date(timeIntervalSince1970: provider.state.with { $0.clock.preciseNow }) }

    /// An application whose clock goes with the provider's.
    func made(
        _ authority: String? = nil, kind: Authority.Kind = .aad, client: String = Directory.tryOut,
        _ change: (inout PublicClientApplication.Configuration) -> Void = { _ in }
    ) throws -> PublicClientApplication {
        var configuration = PublicClientApplication.Configuration(
            clientID: client, authority: try Authority(authority ?? provider.authority("organizations"), kind: kind),
            store: store, network: .patient)
        change(&configuration)
        return PublicClientApplication(
            configuration, cache: cache, provider: Provider(configuration.network), now: { [self] in time },
            jitter: { [self] in jitter.withLock { $0 } })
    }

    /// Ada is signed in, and her access token is over.
    func expired(_ application: PublicClientApplication) async throws {
        try await signIn(application)
        try advance(4000)
    }

    func refuse(_ error: String, _ suberror: String? = nil, codes: [Int] = [], claims: String? = nil, times: Int? = nil)
    {
        provider.bend(
            Fault(
                .error(error, suberror: suberror, codes: codes, claims: claims, description: nil, status: 400),
                endpoint: "token:refresh_token",
                times: times))
    }

    func bend(_ kind: Fault.Kind, times: Int? = nil) {
        provider.bend(Fault(kind, endpoint: "token:refresh_token", times: times))
    }

    /// Members of the answers to refreshes, set to something else.
    func override(_ members: [(String, JSON)]) {
        bend(.override(members.map { JSON.Member(name: $0.0, value: $0.1) }))
    }

    var refreshes: Int { provider.requests("token:refresh_token") }

    /// Sets members of the newest access token of the store.
    func seed(_ username: String = "ada@contoso.example", _ change: (inout TokenRecord) -> Void) throws {
        var record = TokenRecord(
            clientID: Directory.tryOut, homeAccountID: Self.ada, environment: "127.0.0.1", realm: Directory.contoso.id,
            localAccountID: Self.adaAtContoso, username: username, accessToken: Secret("kept"), scopes: ["User.Read"],
            cachedAt: time,
            expiresOn: time.addingTimeInterval(3600))
        change(&record)
        try cache.save(record)
    }

    func accessTokens() throws -> [CachedCredential] { try snapshot().credentials().filter { $0.kind == .accessToken } }
}

extension PublicClientApplication {
    /// A silent call, with its failure as a value.
    nonisolated func silent(_ request: TokenRequest = World.wish) async -> Result<AcquiredToken, Failure> {
        do throws(Failure) { return .success(try await acquireTokenSilent(request)) } catch { return .failure(error) }
    }
}

extension Result where Success == AcquiredToken, Failure == Identity.Failure {
    var source: AcquiredToken.Source? { try? get().source }
    var token: AcquiredToken? { try? get() }
    var refusal: Identity.Failure? {
        if case .failure(let failure) = self { return failure }
        return nil
    }
    var code: Identity.Failure.Code? { refusal?.code }
}
