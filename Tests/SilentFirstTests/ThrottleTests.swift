import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache

@testable import Sandbox

@Suite struct ThrottleTests {
    @Test
    func
        `Ten applications that know nothing of each other ask a provider once that answers 429, at once and one after the other`()
        async throws
    {
        try await World.open { world in
            try await world.expired(world.made())
            world.bend(.status(429, retryAfter: 30))
            let codes = await withTaskGroup(of: Failure.Code?.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        guard let application = try? world.made() else { return nil }
                        let code = await application.silent().code
                        await application.close()
                        return code
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes == Array(repeating: .unavailable, count: 10))
            #expect(world.refreshes == 1)
            for _ in 0..<10 { #expect(try await world.made().silent().code == .unavailable) }
            #expect(world.refreshes == 1)
        }
    }

    @Test(arguments: [400, 403, 408])
    func `Any failure that names a time to wait is not asked for again until then`(status: Int) async throws {
        try await World.open { world in
            let application = try world.made()
            try await world.expired(application)
            let held = try world.refreshTokens()
            world.bend(.status(status, retryAfter: 30))
            for _ in 0..<3 { #expect(await application.silent().code == .unavailable) }
            #expect(try world.refreshes == 1 && world.refreshTokens() == held)
            world.provider.clearFaults()
            // The time that was named, with the jitter on top of it.
            try world.advance(31)
            #expect(await application.silent().code == .unavailable)
            try world.advance(15)
            #expect(await application.silent().source == .refresh)
            await application.close()
        }
    }

    @Test func `Without a time from the provider each wait is longer than the one before, up to an hour`() async throws
    {
        try await World.open { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(503, retryAfter: nil))
            var sent = world.refreshes
            // Half of 120 s, 240 s, … and of an hour at most.
            for wait in [60, 120, 240, 480, 960, 1800, 1800] {
                #expect(await application.silent().code == .unavailable)
                #expect(world.refreshes > sent, "\(wait)")
                sent = world.refreshes
                try world.advance(wait - 2)
                #expect(await application.silent().code == .unavailable)
                #expect(world.refreshes == sent, "\(wait)")
                try world.advance(3)
            }
            world.provider.clearFaults()
            #expect(await application.silent().source == .refresh)
            // An answer makes the next failure a first one.
            try await world.expired(application)
            world.bend(.status(503, retryAfter: nil), times: 2)
            #expect(await application.silent().code == .unavailable)
            world.provider.clearFaults()
            try world.advance(61)
            #expect(await application.silent().source == .refresh)
            await application.close()
        }
    }

    @Test func `How long it is until then is left to chance`() async throws {
        try await World.open { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(503, retryAfter: nil), times: 2)
            world.jitter.withLock { $0 = 0.1 }
            #expect(await application.silent().code == .unavailable)
            world.provider.clearFaults()
            try world.advance(11)
            #expect(await application.silent().code == .unavailable)
            try world.advance(2)
            let last = await application.silent()
            #expect(last.source == .refresh, "\(last)")
            await application.close()
        }
    }

    @Test func `Metadata that is answered with 429 is asked for once as well`() async throws {
        try await World.open { world in
            try await world.expired(world.made())
            let before = world.provider.requests("discovery")
            world.provider.bend(Fault(.status(429, retryAfter: 30), endpoint: "discovery"))
            for _ in 0..<5 { #expect(try await world.made().silent().code == .unavailable) }
            #expect(world.provider.requests("discovery") == before + 1 && world.refreshes == 0)
        }
    }

    @Test func `The file is for nobody else to read, and has no token in it; a hit does not open it`() async throws {
        try await World.open { world in
            let application = try world.made()
            try await world.signIn(application)
            let file = world.store + ".throttle"
            #expect(await application.silent().source == .cache)
            #expect(!FileManager.default.fileExists(atPath: file))
            try world.advance(4000)
            let secret = try #require(try world.refreshTokens().first).reveal()
            // A provider that says back what it was sent.
            world.refuse("interaction_required", nil, claims: "{\"echo\":\"\(secret)\"}", times: 1)
            #expect(await application.silent().code == .interactionRequired)
            try world.advance(121)
            world.bend(.status(429, retryAfter: 30))
            #expect(await application.silent().code == .unavailable)
            let text = try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8)
            #expect(!text.contains(secret) && !text.contains(World.ada) && text.contains("\"wait\""))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            await application.close()
        }
    }

    @Test func `A planted file, a broken one, and a clock that goes back hold nobody up for longer than the cap`()
        async throws
    {
        try await World.open { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(429, retryAfter: 3600), times: 1)
            #expect(await application.silent().code == .unavailable)
            let file = URL(fileURLWithPath: world.store + ".throttle")
            let text = try String(contentsOf: file, encoding: .utf8)
            // The end is put a hundred years ahead.
            let wait = try #require(text.firstRange(of: "\"wait\""))
            let until = try #require(text[wait.upperBound...].firstRange(of: "\"until\":"))
            let digits = text[until.upperBound...].prefix { $0.isNumber }
            let planted = text.replacing("\"until\":" + digits, with: "\"until\":\((Int(digits) ?? 0) + 3_155_760_000)")
            #expect(planted != text)
            for content in [
                planted, "{", "[]", "{\"version\":1,\"entries\":7}", String(repeating: "[", count: 300_000),
            ] {
                try Data(content.utf8).write(to: file)
                #expect(await application.silent(World.wish.with { $0.forceRefresh = true }).source == .refresh)
            }
            // An hour to wait, and the clock goes back by a day.
            try Data(text.utf8).write(to: file)
            try world.advance(-86_400)
            world.provider.clearFaults()
            #expect(await application.silent(World.wish.with { $0.forceRefresh = true }).code != .unavailable)
            await application.close()
        }
    }

    @Test func `A clock that is slow costs a refresh nothing but a warning; a sign-in says to look at the clock`()
        async throws
    {
        try await World.open { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.idToken(.futureIat))
            let answer = await application.silent()
            #expect(answer.source == .refresh)
            #expect(answer.token?.warning?.contains("check this machine's clock") == true)
            #expect(await application.silent().source == .cache)

            world.provider.clearFaults()
            world.provider.bend(Fault(.idToken(.futureIat), endpoint: "token:device_code"))
            let refusal = await failure { () async throws(Failure) in
                do { try await world.signIn(application) } catch let error as Failure { throw error } catch {}
            }
            #expect(refusal?.code == .untrustedResponse)
            #expect(refusal?.message.contains("check this machine's clock") == true)
            await application.close()
        }
    }

    @Test(arguments: [86_400, -86_400])
    func `Once the clock is known to be wrong no refresh token is spent until it is set`(ahead: Int) async throws {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            let wish = TokenRequest(scopes: ["openid", "profile", "offline_access"])
            try await world.signIn(lab, "hedy@lab.example", scopes: wish.scopes)
            if ahead < 0 { try world.forgetIDTokens() }
            func application(_ ahead: Int) -> PublicClientApplication {
                PublicClientApplication(
                    lab.configuration, cache: world.cache, provider: Provider(lab.configuration.network),
                    now: { world.now.addingTimeInterval(TimeInterval(ahead)) })
            }
            // The provider still takes the token that is over here.
            let wrong = application(ahead)
            for _ in 0..<3 {
                let answer = await wrong.silent(wish)
                #expect(answer.source == .cache && answer.token?.warning?.contains("clock") == true)
                #expect(world.refreshes == 1)
            }
            try world.dropAccessTokens()
            for program in [wrong, application(ahead)] {
                let refusal = await program.silent(wish).refusal
                #expect(refusal?.code == .untrustedResponse)
                #expect(refusal?.message.contains("this machine's clock is") == true)
                #expect(refusal?.hint?.description.contains("the sign-in is kept") == true)
            }
            #expect(world.refreshes == 1)
            let right = application(0)
            #expect(await right.silent(wish).source == .refresh)
            #expect(world.refreshes == 2)
            for program in [lab, wrong, right] { await program.close() }
        }
    }

    @Test
    func
        `A rotated refresh token survives an ID token that came with a wrong clock, and one of another issuer`()
        async throws
    {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            let wish = TokenRequest(scopes: ["openid", "profile", "offline_access"])
            try await world.signIn(lab, "hedy@lab.example", scopes: wish.scopes)
            try world.advance(4000)
            let before = try world.refreshTokens()
            world.bend(.idToken(.expired), times: 1)
            #expect(await lab.silent(wish).code == .untrustedResponse)
            let rotated = try world.refreshTokens()
            #expect(rotated.count == 1 && rotated != before)
            try world.advance(60)
            #expect(await lab.silent(wish).source == .refresh)
            let after = try world.refreshTokens()
            try world.advance(4000)
            world.bend(.idToken(.wrongIssuer), times: 1)
            #expect(await lab.silent(wish).code == .untrustedResponse)
            #expect(try world.refreshTokens() != after)
            #expect(await lab.silent(wish).source == .refresh)
            await lab.close()
        }
    }
}
