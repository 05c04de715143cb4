import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache

@testable import Sandbox

/// One line of the conformance table: what MSAL does, or what is done right in its place, run against the sandbox or a
/// seeded store.
struct ConformanceRow: Sendable, CustomTestStringConvertible {
    /// `S…` is a step of silent acquisition, `T…` a fact from the suites of MSAL, ADAL and AppAuth.
    let id: String
    let given: String
    let when: String
    let then: String
    let show: @Sendable (World) async throws -> Void

    init(
        _ id: String, given: String = "an account with tokens", when: String = "silent", then: String,
        _ show: @escaping @Sendable (World) async throws -> Void
    ) {
        self.id = id
        self.given = given
        self.when = when
        self.then = then
        self.show = show
    }

    var testDescription: String { "\(id): given \(given); when \(when); then \(then)" }
}

/// The whole table, and what is not in it.
enum Conformance {
    static let rows: [ConformanceRow] =
        stepsBeforeTheNetwork + stepsOnTheNetwork + localHits + refreshes + refusals + writing + people + others

    /// The ids that the list has: 29 steps, and the facts; the numbers between were never given.
    static let ids: [String] =
        (1...29).map { "S\($0)" }
        + [
            1...4, 6...9, 11...12, 14...16, 19...20, 22...29, 31...42, 44...47, 49...51, 53...53, 55...57, 59...64,
            66...70, 72...76,
            78...80,
            82...83, 85...93, 95...102, 104...107,
        ].flatMap { $0 }.map { $0 < 10 ? "T0\($0)" : "T\($0)" }

    /// Rows that a test elsewhere shows: the file under Tests, and words of the test's name.
    static let elsewhere: [String: (file: String, words: String)] = [
        "T31": ("WireTests/TokenEndpointTests.swift", "T31"), "T32": ("WireTests/TokenEndpointTests.swift", "T32"),
        "T93": ("SilentFirstTests/SilentFirstTests.swift", "T93"),
        "T95": ("SilentFirstTests/SilentFirstTests.swift", "T95"),
        "T82": ("SilentFirstTests/LegacyUpgradeTests.swift", "T82"),
        "T83": ("SilentFirstTests/LegacyUpgradeTests.swift", "T83"),
        "T85": ("LegacyCachesTests/LegacyLookupTests.swift", "T85"),
        "T39": ("SilentFirstTests/ClaimsRequestTests.swift", "apabilities"),
    ]

    /// Rows that are left out, and why.
    static let leftOut: [String: String] = [
        "T09":
            """
        enrollment ids are Intune's (mobile application management); entries that carry bindings of others \
        are passed over, see S7
        """,
        "T19": "nested application authentication is Apple's and the browsers'",
        "T55": "the order of refresh tokens is no setting here: the client's own first, then the family's, see S10",
        "T62":
            """
        keychain attributes; the entries and keys of the file are shown by TokenCacheTests/SaveTests and by \
        MSAL for Python in Tests/Interop
        """,
        "T79":
            """
        there is no web view that could be missing: where no browser opens, the page is named and the account \
        is removed all the same
        """,
        "T86": "the macOS archive of ADAL is read by the importer, whose tests show what it refuses",
        "T87": "instance discovery is of Wire, whose tests show it",
        "T88": "instance discovery is of Wire, whose tests show it",
        "T89": "instance discovery is of Wire, whose tests show it",
        "T96":
            """
        ADAL's expired access token is not removed: it is never served, and may still have an extended \
        lifetime; the rest is S19
        """,
        "T100": "ADAL's rewriting of both entries: a relative's entry is never written here, see S22",
        "T105": "AppAuth's state object has no counterpart: a code is never kept, only what it was exchanged for",
        "T107": "AppAuth's exception; here a missing refresh token is S13's typed failure",
    ]
}

@Suite struct ConformanceTests {
    @Test(.timeLimit(.minutes(2)), arguments: Conformance.rows)
    func `What MSAL does is done here, and its defects are not`(
        row: ConformanceRow
    ) async throws {
        try await World.open { world in try await row.show(world) }
    }

    @Test func `Each step and fact of the list is in the table, shown elsewhere, or left out for a reason`() throws {
        let shown = Conformance.rows.map(\.id)
        #expect(Set(shown).count == shown.count, "an id stands twice")
        let groups = [Set(shown), Set(Conformance.elsewhere.keys), Set(Conformance.leftOut.keys)]
        #expect(
            groups.map(\.count).reduce(0, +) == groups.reduce(into: Set<String>()) { $0.formUnion($1) }.count,
            "an id is in two groups")
        let covered = groups.reduce(into: Set<String>()) { $0.formUnion($1) }
        #expect(Set(Conformance.ids).subtracting(covered).sorted() == [])
        #expect(covered.subtracting(Conformance.ids).sorted() == [])
        #expect(Conformance.leftOut.values.allSatisfy { $0.count > 20 })
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        for (id, place) in Conformance.elsewhere {
            let text = try String(contentsOf: tests.appending(path: place.file), encoding: .utf8)
            #expect(
                text.split(separator: "\n").contains {
                    $0.contains("@Test") || $0.contains("func `") ? $0.contains(place.words) : false
                },
                "\(id)")
        }
        print(
            """
            conformance: \(shown.count) rows run, \(Conformance.elsewhere.count) shown by other tests, \
            \(Conformance.leftOut.count) left out:
            """
        )
        for (id, reason) in Conformance.leftOut.sorted(by: {
            $0.key.count == $1.key.count ? $0.key < $1.key : $0.key.count < $1.key.count
        }) {
            print("  \(id): \(reason)")
        }
    }
}

// MARK: What rows are made of

extension World {
    static let wish = TokenRequest(scopes: ["User.Read"])
    static let adaAtContoso = "ada00000-0000-4000-8000-000000000001"
    static let adaAtFabrikam = "ada00000-0000-4000-8000-0000000000f1"
    static let ada = adaAtContoso + "." + Directory.contoso.id

    /// The moment at which the applications' clocks stand.
    var time: Date { Date(timeIntervalSince1970: provider.ledger.with { $0.preciseNow }) }

    /// An application whose clock goes with the provider's.
    func made(
        _ authority: String? = nil, kind: Authority.Kind = .aad, client: String = Directory.tryOut,
        _ change: (inout PublicClientApplication.Configuration) -> Void = { _ in }
    ) throws -> PublicClientApplication {
        var configuration = PublicClientApplication.Configuration(
            clientID: client, authority: try Authority(authority ?? provider.authority("organizations"), kind: kind),
            store: store)
        change(&configuration)
        return PublicClientApplication(
            configuration, cache: cache, provider: Provider(configuration.network), now: { [self] in time })
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
