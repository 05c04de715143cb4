import FoundationEssentials
import Identity
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

/// What a result says of its claims: checked now, of userinfo, or only cached.
@Suite struct IDTokenClaimsTests {
    private static let request = TokenRequest(scopes: ["openid", "profile", "email", "offline_access"])

    @Test func `Claims are checked ones where an ID token came, and cached ones where none did`() async throws {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            let first = try await world.signIn(lab, "hedy@lab.example", scopes: Self.request.scopes)
            #expect(first.idTokenClaims.checked?.subject == first.account.homeAccountID)
            let held = try #require(first.idToken)
            #expect(try DecodedJWT(held).payload == first.idTokenClaims.claims)
            #expect(try world.heldIDToken() == held, "the one that was saved")
            #expect(!"\(first)".contains(held.reveal()))

            let cached = try await lab.acquireTokenSilent(Self.request)
            #expect(cached.source == .cache && cached.idTokenClaims.claims == first.idTokenClaims.claims)
            #expect(cached.idTokenClaims.checked == nil && cached.idToken == held)

            try world.advance(4000)
            let refreshed = try await lab.acquireTokenSilent(Self.request)
            #expect(refreshed.source == .refresh)
            #expect(refreshed.idTokenClaims.checked?.subject == first.account.homeAccountID)
            let renewed = try world.heldIDToken()
            #expect(refreshed.idToken != held && refreshed.idToken == renewed)

            try world.advance(4000)
            world.provider.bend(Fault(.quirk(.noIDTokenOnRefresh)))
            let bare = try await lab.acquireTokenSilent(Self.request)
            #expect(bare.source == .refresh && bare.idTokenClaims.claims == refreshed.idTokenClaims.claims)
            #expect(bare.idTokenClaims.checked == nil && bare.idToken == refreshed.idToken)
            await lab.close()
        }
    }

    @Test func `What userinfo answered is no checked ID token`() async throws {
        try await World.open { world in
            world.provider.bend(Fault(.quirk(.noIDTokenOnDevice)))
            let lab = try world.application(Directory.labCLI, oidc: true)
            let token = try await world.signIn(lab, "hedy@lab.example", scopes: Self.request.scopes)
            guard case .userInfo(let claims) = token.idTokenClaims else {
                Issue.record("\(token.idTokenClaims)")
                return
            }
            #expect(claims.string("sub") == token.account.homeAccountID && token.idTokenClaims.checked == nil)
            #expect(token.idToken == nil)
            await lab.close()
        }
    }

    @Test func `A silent call says of a forged cached ID token no more than that it is cached`() async throws {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            try await world.signIn(lab, "hedy@lab.example", scopes: Self.request.scopes)
            let held = try #require(try world.snapshot().credentials().first { $0.kind == .idToken })
            // {"alg":"none"} and {"sub":"mallory"}, without a signature.
            let forged = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYWxsb3J5In0."
            try String(contentsOfFile: world.store, encoding: .utf8).replacing(held.secret.reveal(), with: forged)
                .write(toFile: world.store, atomically: true, encoding: .utf8)
            let token = try await lab.acquireTokenSilent(Self.request)
            #expect(token.source == .cache && token.idTokenClaims.checked == nil)
            #expect(token.account.homeAccountID == held.homeAccountID)
            await lab.close()
        }
    }
}

extension World {
    fileprivate func heldIDToken() throws -> Secret? {
        try snapshot().credentials().first { $0.kind == .idToken }?.secret
    }
}
