import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache
import Waiting
import Wire

@testable import Sandbox

@Suite struct SilentFirstTests {
    private static let request = TokenRequest(scopes: ["User.Read"])

    /// A person whose browser is opened and never comes back; remembers the queries.
    private final class Absent: Sendable {
        let queries = Mutex<[String]>([])

        var userAgents: UserAgents {
            UserAgents(
                automatic: { (.browser, "a test") },
                openBrowser: { [self] address throws(BrowserProblem) in
                    queries.withLock { $0.append(address.query ?? "") }
                    let back = FormEncoding.decode(address.query ?? "") ?? [:]
                    let answer = FormEncoding.encode([("error", "access_denied"), ("state", back["state"] ?? "")])
                    Task { await Socket.get("\(back["redirect_uri"] ?? "")/?\(answer)") }
                })
        }
    }

    @Test(arguments: [
        ("unauthorized_client", String?("protection_policy_required"), Failure.Code.serverError),
        ("invalid_client", nil, .serverError),
        ("invalid_scope", nil, .serverError), ("unsupported_grant_type", nil, .serverError),
        ("server_error", nil, .serverError),
        ("temporarily_unavailable", nil, .unavailable), ("access_denied", nil, .cancelled),
    ])
    func `A refusal that a sign-in does not mend asks nobody and keeps the refresh token`(
        error: String, suberror: String?, code: Failure.Code
    ) async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            let held = try world.refreshTokens()
            try world.advance(4000)
            world.provider.bend(
                Fault(
                    .error(error, suberror: suberror, codes: [], claims: nil, description: nil, status: 400),
                    endpoint: "token:refresh_token"))
            let person = Guarded()
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(Self.request, userAgents: person.userAgents)
            }
            #expect(refused?.code == code && refused?.oauthError == error && refused?.suberror == suberror)
            #expect(person.count == 0)
            #expect(try world.refreshTokens() == held)
            await application.close()
        }
    }

    @Test func `A provider that is gone asks nobody`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try world.advance(4000)
            await world.provider.stop()
            let person = Guarded()
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(Self.request, userAgents: person.userAgents)
            }
            #expect(refused?.code == .unavailable && refused?.mayPass == true)
            #expect(person.count == 0)
            #expect(try world.refreshTokens().count == 1)
            await application.close()
        }
    }

    @Test func `A store that cannot be read, and a wish that cannot be sent, ask nobody`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try world.advance(4000)
            let person = Guarded()
            let wish = Self.request.with { $0.claims = "no JSON" }
            let odd = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(wish, userAgents: person.userAgents)
            }
            #expect(odd?.code == .usage)
            let foreign = Data(#"{"name":"somebody else's"}"#.utf8)
            try foreign.write(to: URL(fileURLWithPath: world.store))
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(Self.request, userAgents: person.userAgents)
            }
            #expect(refused?.code == .storeError)
            #expect(person.count == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: world.store)) == foreign)
            await application.close()
        }
    }

    @Test func `Several accounts and no name ask nobody which`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try await world.signIn(application, "taro@contoso.example")
            let person = Guarded()
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(Self.request, userAgents: person.userAgents)
            }
            #expect(refused?.code == .ambiguous)
            #expect(person.count == 0)
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A person who says no is asked once, and the failure is theirs`() async throws {
        try await World.open { world in
            let application = try world.application()
            let account = try await world.signIn(application).account
            world.provider.revoke(username: "ada@contoso.example")
            try world.advance(4000)
            let person = Absent()
            let wish = Self.request.with { $0.account = account }
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(wish, userAgents: person.userAgents)
            }
            #expect(refused?.code == .cancelled && refused?.oauthError == "access_denied")
            let steps = refused?.trail.steps ?? []
            let names = steps.map(\.name)
            // The silent way, the reason in between, the interactive way: one trail.
            #expect(
                names == [
                    .account, .accessToken, .discovery, .refreshToken, .interaction, .discovery, .method, .browser,
                    .redirect,
                ])
            #expect(steps.first { $0.name == .interaction }?.detail.contains("invalid_grant") == true)
            #expect(person.queries.withLock { $0.count } == 1)
            await application.close()
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `The caller's own hint and claims go to the page when nobody is signed in`()
        async throws
    {
        try await World.open { world in
            let application = try world.application()
            let person = Absent()
            let claims = #"{"id_token":{"acr":{"essential":true}}}"#
            let wish = Self.request.with {
                $0.loginHint = "grace@fabrikam.example"
                $0.claims = claims
                $0.prompt = .consent
                $0.domainHint = "fabrikam.example"
                $0.extraScopes = ["Mail.Read"]
            }
            _ = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(wish, userAgents: person.userAgents)
            }
            let fields = FormEncoding.decode(person.queries.withLock { $0.first ?? "" }) ?? [:]
            #expect(fields["login_hint"] == "grace@fabrikam.example" && fields["domain_hint"] == "fabrikam.example")
            #expect(fields["claims"] == claims && fields["prompt"] == "consent")
            #expect(fields["scope"] == "User.Read Mail.Read openid profile offline_access")
            await application.close()
        }
    }
}
