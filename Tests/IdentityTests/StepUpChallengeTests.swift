import Testing

@testable import Identity

/// RFC 9470 and RFC 6750 section 3.1.
@Suite struct StepUpChallengeTests {
    private static func challenge(_ fields: String...) -> StepUpChallenge? { StepUpChallenge(wwwAuthenticate: fields) }

    @Test func `An insufficient authentication names classes and an age`() throws {
        let both = try #require(
            Self.challenge(
                #"Basic realm="git", Bearer error="insufficient_user_authentication", acr_values="mfa phr", max_age="300""#
            ))
        #expect(both.acrValues == ["mfa", "phr"] && both.maxAge == 300 && both.scopes.isEmpty)
        #expect(both.words == "a sign-in of class mfa or phr, and a sign-in in the last 300 s")
        let bare = try #require(Self.challenge(#"DPoP error="insufficient_user_authentication""#))
        #expect(bare.maxAge == 0 && bare.words == "a new sign-in")
        let classOnly = try #require(
            Self.challenge("Negotiate", #"Bearer error="insufficient_user_authentication", acr_values="mfa""#))
        #expect(classOnly.maxAge == nil && classOnly.acrValues == ["mfa"])
    }

    @Test func `An insufficient scope names what is missing`() throws {
        let challenge = try #require(Self.challenge(#"Bearer error="insufficient_scope", scope="admin notes.write""#))
        #expect(challenge.scopes == ["admin", "notes.write"] && challenge.acrValues.isEmpty && challenge.maxAge == nil)
        #expect(challenge.words == "more scopes: admin notes.write")
    }

    @Test(arguments: [
        "Bearer", #"Bearer error="invalid_token""#, #"Bearer error="insufficient_scope""#,
        #"Bearer error="insufficient_scope", scope="""#, #"Basic error="insufficient_scope", scope="admin""#,
        #"Bearer error="insufficient_claims", scope="admin""#,
    ]) func `Other challenges are none`(field: String) { #expect(Self.challenge(field) == nil) }

    @Test func `What a resource sends is bounded and cleaned`() throws {
        let many = (0..<1000).map { "s\($0)" }.joined(separator: " ")
        #expect(Self.challenge(#"Bearer error="insufficient_scope", scope="\#(many)""#)?.scopes.names.count == 64)
        let odd = try #require(
            Self.challenge(#"Bearer error="insufficient_user_authentication", acr_values="ä mfa", max_age="-1""#))
        #expect(odd.acrValues == ["mfa"] && odd.maxAge == nil)
    }

    @Test func `A request gets the scopes and the authentication in addition to its own, and is not refreshed`() throws
    {
        var request = TokenRequest(scopes: ["read"], forceRefresh: true, maxAge: 60, acrValues: ["low"])
        let isScope = request.apply(challenge: [#"Bearer error="insufficient_scope", scope="admin""#])
        #expect(isScope && request.scopes == ["read", "admin"] && !request.forceRefresh && request.stepUp != nil)
        request = TokenRequest(scopes: ["read"], maxAge: 60, acrValues: ["low"])
        let field = #"Bearer error="insufficient_user_authentication", acr_values="mfa", max_age="300""#
        let isAuthentication = request.apply(challenge: [field])
        #expect(
            isAuthentication && request.acrValues == ["mfa", "low"] && request.maxAge == 60
                && request.scopes == ["read"])
        #expect(request.steppedUp == request)
        var other = TokenRequest(scopes: ["read"])
        let isAny = other.apply(challenge: ["Bearer"])
        #expect(!isAny && other.stepUp == nil)
    }
}
