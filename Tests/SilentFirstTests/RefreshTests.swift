import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache

@testable import Sandbox

@Suite struct RefreshTests {
    private static let request = TokenRequest(scopes: ["User.Read"])
    private static let ada = "ada00000-0000-4000-8000-000000000001.c0000000-0000-4000-8000-00000000c001"

    @Test func `A rotated refresh token takes the place of the spent one, time after time`() async throws {
        try await World.open { world in
            let application = try world.application(Directory.labCLI, oidc: true)
            let request = TokenRequest(scopes: ["openid", "profile", "offline_access"])
            try await world.signIn(application, "hedy@lab.example", scopes: request.scopes)
            var held = try world.refreshTokens()
            #expect(held.count == 1)
            for _ in 0..<3 {
                try world.advance(4000)
                #expect(try await application.acquireTokenSilent(request).source == .refresh)
                let now = try world.refreshTokens()
                #expect(now.count == 1 && now != held)
                held = now
            }
            await application.close()
        }
    }

    @Test(arguments: [(301.0, AcquiredToken.Source.cache), (300.0, .cache), (299.0, .refresh)])
    func `The buffer of five minutes is kept to the second`(left: TimeInterval, source: AcquiredToken.Source)
        async throws
    {
        try await World.open { world in
            try await world.signIn(world.application())
            let end = try #require(try world.snapshot().credentials().first { $0.kind == .accessToken }?.expiresOn)
            try world.advance(3300)
            let application = try world.application(
                at: world.provider.authority("organizations"), now: end.addingTimeInterval(-left))
            #expect(try await application.acquireTokenSilent(Self.request).source == source)
            await application.close()
        }
    }

    @Test(arguments: [nil, "bad_token"])
    func `Who loses the race for a refresh token takes the winner's`(suberror: String?) async throws {
        try await World.open { world in
            let winner = Mutex<Secret?>(nil)
            try await world.withProxy { asked in
                guard asked.fields["grant_type"] == "refresh_token", winner.withLock({ $0 }) == nil else { return nil }
                // Another program, which knows nothing of our lock, was faster.
                guard let new = try? world.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
                else { return nil }
                winner.withLock { $0 = Secret(new) }
                try? world.put(
                    "ada@contoso.example", home: Self.ada, realm: Directory.contoso.id, refreshToken: Secret(new),
                    createsAccount: false,
                    redeemed: asked.fields["refresh_token"].map { Secret($0) })
                return nil
            } _: { proxy in
                let application = try world.application(at: proxy.baseURL + "/organizations")
                try await world.signIn(application)
                try world.advance(4000)
                world.provider.bend(
                    Fault(
                        .error(
                            "invalid_grant", suberror: suberror, codes: [], claims: nil, description: nil, status: 400),
                        endpoint: "token:refresh_token", times: 1))
                let token = try await application.acquireTokenSilent(Self.request)
                #expect(token.source == .refresh)
                let asked = proxy.tokenRequests.filter { $0.fields["grant_type"] == "refresh_token" }
                #expect(asked.count == 2)
                #expect(asked.last?.fields["refresh_token"] == winner.withLock { $0?.reveal() })
                #expect(token.trail.steps.filter { $0.name == .refreshToken }.map(\.outcome) == [.failed, .done])
                await application.close()
            }
        }
    }

    @Test func `A refusal of one account's refresh token costs nobody else theirs`() async throws {
        try await World.open { world in
            let application = try world.application()
            let ada = try await world.signIn(application).account
            try await world.signIn(application, "taro@contoso.example")
            try await world.signIn(world.application(Directory.azureCLI))
            let before = try world.refreshTokens()
            #expect(before.count == 3)
            world.provider.revoke(username: "ada@contoso.example", client: Directory.tryOut)
            try world.advance(4000)
            let wish = Self.request.with { $0.account = ada }
            let refused = await failure { () throws(Failure) in try await application.acquireTokenSilent(wish) }
            #expect(refused?.suberror == "bad_token" && refused?.serverCodes == [50173])
            #expect(try Set(world.refreshTokens()).isSubset(of: before))
            #expect(try world.refreshTokens().count == 2)
            #expect(try await application.allAccounts().count == 2)
            await application.close()
        }
    }

    @Test func `An account that is removed while its refresh is under way stays removed`() async throws {
        try await World.open { world in
            let account = Mutex<Account?>(nil)
            try await world.withProxy { asked in
                if asked.fields["grant_type"] == "refresh_token", let id = account.withLock({ $0?.id }) {
                    _ = try? world.cache.forget(id, clientID: Directory.tryOut)
                }
                return nil
            } _: { proxy in
                let application = try world.application(at: proxy.baseURL + "/organizations")
                let signedIn = try await world.signIn(application).account
                account.withLock { $0 = signedIn }
                try world.advance(4000)
                _ = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.request) }
                #expect(try world.snapshot().credentials().isEmpty)
                #expect(try await application.allAccounts().isEmpty)
                await application.close()
            }
        }
    }

    @Test func `A forced refresh passes over a valid token, and without a refresh token hands out none`() async throws {
        try await World.open { world in
            let application = try world.application()
            let first = try await world.signIn(application)
            let forced = Self.request.with { $0.forceRefresh = true }
            let second = try await application.acquireTokenSilent(forced)
            #expect(second.source == .refresh && second.accessToken != first.accessToken)
            #expect(second.trail.steps.first { $0.name == .accessToken }?.outcome == .skipped)
            #expect(try await application.acquireTokenSilent(Self.request).accessToken == second.accessToken)
            let kept = try world.refreshTokens()
            #expect(kept.count == 1)
            for token in kept { try world.cache.forgetRefreshToken(token, clientID: Directory.tryOut) }
            #expect(try world.refreshTokens().isEmpty)
            let refused = await failure { () throws(Failure) in try await application.acquireTokenSilent(forced) }
            #expect(refused?.code == .interactionRequired)
            #expect(try await application.acquireTokenSilent(Self.request).source == .cache)
            await application.close()
        }
    }

    @Test func `Claims pass over a valid token and go with the refresh; capabilities alone pass over nothing`()
        async throws
    {
        try await World.open { world in
            try await world.withProxy { proxy in
                let application = try world.application(at: proxy.baseURL + "/organizations", capabilities: ["cp1"])
                try await world.signIn(application)
                #expect(try await application.acquireTokenSilent(Self.request).source == .cache)
                let wish = Self.request.with { $0.claims = #"{"access_token":{"nbf":{"essential":true}}}"# }
                #expect(try await application.acquireTokenSilent(wish).source == .refresh)
                let asked = try #require(proxy.tokenRequests.last)
                #expect(asked.fields["grant_type"] == "refresh_token")
                #expect(
                    asked.fields["claims"]
                        == #"{"access_token":{"nbf":{"essential":true},"xms_cc":{"values":["cp1"]}}}"#)
                #expect(asked.fields["scope"] == "User.Read openid profile offline_access")
                await application.close()
            }
        }
    }

    @Test func `A token that is not yet due for renewal is served, one that is due is renewed`() async throws {
        try await World.open { world in
            world.provider.bend(
                Fault(.override([JSON.Member(name: "refresh_in", value: .int(1000))]), endpoint: "token:device_code"))
            let application = try world.application()
            try await world.signIn(application)
            try world.advance(900)
            #expect(try await application.acquireTokenSilent(Self.request).source == .cache)
            try world.advance(200)
            #expect(try await application.acquireTokenSilent(Self.request).source == .refresh)
            await application.close()
        }
    }

    @Test(arguments: [
        Fault.Kind.cutOff, .status(429, retryAfter: 30),
        .error("invalid_grant", suberror: "bad_token", codes: [], claims: nil, description: nil, status: 400),
    ])
    func `A renewal that does not work leaves a valid token valid, also when no refresh token is left`(kind: Fault.Kind)
        async throws
    {
        try await World.open { world in
            world.provider.bend(
                Fault(.override([JSON.Member(name: "refresh_in", value: .int(60))]), endpoint: "token:device_code"))
            let application = try world.application()
            let first = try await world.signIn(application)
            try world.advance(120)
            world.provider.clearFaults()
            world.provider.bend(Fault(kind, endpoint: "token:refresh_token"))
            for _ in 0..<2 {
                #expect(try await application.acquireTokenSilent(Self.request).accessToken == first.accessToken)
            }
            await application.close()
        }
    }

    @Test func `A refresh whose only caller gives up is finished and stored`() async throws {
        try await World.open { world in
            let caller = Mutex<Task<Void, Never>?>(nil)
            try await world.withProxy { asked in
                if asked.fields["grant_type"] == "refresh_token" { caller.withLock { $0?.cancel() } }
                return nil
            } _: { proxy in
                let application = try world.application(at: proxy.baseURL + "/organizations")
                try await world.signIn(application)
                let before = try world.refreshTokens()
                try world.advance(4000)
                let task = caller.withLock { held in
                    let task = Task {
                        _ = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.request)
                        }
                    }
                    held = task
                    return task
                }
                await task.value
                let after = try world.refreshTokens()
                #expect(after.count == 1 && after != before)
                #expect(try await application.acquireTokenSilent(Self.request).source == .cache)
                await application.close()
            }
        }
    }

    @Test func `A refresh that answers for another person is not believed`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            let other = try #require(try world.provider.issue(username: "taro@contoso.example")["client_info"])
            try world.advance(4000)
            let before = try world.snapshot().credentials()
            world.provider.bend(
                Fault(.override([JSON.Member(name: "client_info", value: other)]), endpoint: "token:refresh_token"))
            let refused = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.request) }
            #expect(refused?.code == .untrustedResponse)
            #expect(try world.snapshot().credentials() == before)
            await application.close()
        }
    }

    @Test(arguments: ["unreadable", "e30.e30.AA"])
    func `Another person's ID token is refused also where the cached one has nothing to compare with`(cached: String)
        async throws
    {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            let wish = TokenRequest(scopes: ["openid", "profile", "offline_access"])
            try await world.signIn(lab, "hedy@lab.example", scopes: wish.scopes)
            let earlier = try #require(try world.snapshot().credentials().first { $0.kind == .idToken })
            let text = try String(contentsOfFile: world.store, encoding: .utf8)
            try text.replacing(earlier.secret.reveal(), with: cached)
                .write(toFile: world.store, atomically: true, encoding: .utf8)
            try world.advance(4000)
            let before = try world.snapshot().credentials()
            let stranger = try world.provider.issue(
                username: "emmy@lab.example", client: Directory.labCLI, scope: "openid profile offline_access")
            world.override(
                ["id_token", "access_token"].compactMap { name in stranger[name].map { (name, $0) } })
            #expect(await lab.silent(wish).code == .untrustedResponse)
            #expect(try world.snapshot().credentials() == before && before.contains { $0.secret == Secret(cached) })
            await lab.close()
        }
    }

    @Test func `Fewer scopes after a refresh are a failure that names both, and what is left serves from the cache`()
        async throws
    {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application, scopes: ["User.Read", "Mail.Read"])
            try world.advance(4000)
            world.provider.bend(
                Fault(
                    .override([JSON.Member(name: "scope", value: .string("openid profile User.Read"))]),
                    endpoint: "token:refresh_token"))
            let person = Guarded()
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(
                    TokenRequest(scopes: ["User.Read", "Mail.Read"]), userAgents: person.userAgents)
            }
            #expect(refused?.code == .declinedScopes)
            #expect(refused?.declinedScopes == ["Mail.Read"] && refused?.grantedScopes == ["User.Read"])
            #expect(person.count == 0)
            #expect(try await application.acquireTokenSilent(Self.request).source == .cache)
            await application.close()
        }
    }
}
