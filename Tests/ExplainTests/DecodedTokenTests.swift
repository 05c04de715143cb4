import FoundationEssentials
import Identity
import Testing

@testable import Explain

@Suite struct DecodedTokenTests {
    private func jwt(_ payload: String, header: String = #"{"alg":"RS256"}"#) throws -> DecodedJWT {
        try DecodedJWT(
            Secret([header, payload, "signature"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")))
    }

    @Test func `Every claim is told, known or not, with its meaning where there is one`() throws {
        let look = DecodedToken(
            try jwt(#"{"iss":"https://a.example","exp":1795236120,"https://a.example/plan":"gold","n":null,"e":""}"#))
        #expect(look.claims.map(\.name) == ["iss", "exp", "https://a.example/plan", "n", "e"])
        #expect(look.claims[0].meaning != nil && look.claims[2].meaning == nil)
        #expect(look.claims[1].value == .time(Date(timeIntervalSince1970: 1_795_236_120)))
        #expect(look.claims[2].value == .text("gold"))
        #expect(
            look.claims.map { $0.value.words { _ in "then" } } == [
                "https://a.example", "then", "gold", "null", "(empty)",
            ])
    }

    @Test func `Claims within claims are told one below the other, and deep ones as one line`() throws {
        let look = DecodedToken(try jwt(#"{"cnf":{"jwk":{"kty":"EC","more":{"a":{"b":1}}}},"amr":["pwd","mfa"]}"#))
        #expect(look.claims.map(\.depth) == [0, 1, 2, 2, 3, 0])
        #expect(look.claims.map(\.name) == ["cnf", "jwk", "kty", "more", "a", "amr"])
        #expect(look.claims[3].value == .parts(1))
        #expect(look.claims[4].value == .text(#"{"b":1}"#))
        #expect(look.claims[5].value == .text("pwd, mfa"))
    }

    @Test func `Thousands of groups stay readable, and the number of them is told`() throws {
        let groups = (0..<3000).map { "\"group-\($0)\"" }.joined(separator: ",")
        let look = DecodedToken(try jwt("{\"groups\":[\(groups)],\"tid\":\"t\"}"))
        #expect(look.claims.count == DecodedToken.maximumParts + 3)
        #expect(look.claims[0].value == .parts(3000))
        #expect(look.claims.contains { $0.value == .text("and \(3000 - DecodedToken.maximumParts) more") })
        #expect(look.claims.last?.name == "tid")
    }

    @Test func `A token of very many claims ends with how many there are`() throws {
        let claims = (0..<900).map { "\"c\($0)\":\($0)" }.joined(separator: ",")
        let look = DecodedToken(try jwt("{\(claims)}"))
        #expect(look.claims.count == DecodedToken.maximumLines + 1)
        #expect(look.claims.last?.value == .text("and more: 900 claims in total"))
    }

    @Test func `Scopes and roles are read from both names, times from the claims`() throws {
        let look = DecodedToken(try jwt(#"{"scp":"User.Read Mail.Send","roles":["Reader"],"nbf":5,"exp":9}"#))
        #expect(look.scopes == ["User.Read", "Mail.Send"] && look.roles == ["Reader"])
        #expect(look.issuedAt == Date(timeIntervalSince1970: 5) && look.expiresAt == Date(timeIntervalSince1970: 9))
        #expect(DecodedToken(try jwt(#"{"scope":"read"}"#)).scopes == ["read"])
    }

    @Test func `A nonce in the header means that only the resource can verify`() throws {
        #expect(DecodedToken(try jwt("{}")).notVerifiable == nil)
        #expect(DecodedToken(try jwt("{}", header: #"{"alg":"RS256","nonce":"n"}"#)).notVerifiable != nil)
    }

    @Test func `What is exported has no signature in it`() throws {
        let token = try jwt(#"{"name":"Ada\u202e"}"#)
        let text = DecodedToken.exported(token)
        #expect(text.contains("\"header\"") && text.contains("\"payload\"") && text.hasSuffix("}\n"))
        #expect(!text.contains(Base64URL.encode(Array("signature".utf8))) && !text.contains("\u{202E}"))
    }

    // MARK: Two tokens

    @Test func `A difference names what was added, removed and changed, in the order of the new token`() throws {
        let old = try jwt(#"{"a":1,"b":[1,2],"gone":true,"scp":"User.Read Files.Read"}"#)
        let new = try jwt(#"{"new":{"x":1},"b":[1,3],"a":1,"scp":"User.Read Mail.Send"}"#, header: #"{"alg":"PS256"}"#)
        let difference = TokenDifference(from: old, to: new)
        #expect(difference.header.map(\.name) == ["alg"])
        #expect(difference.claims.map(\.name) == ["new", "b", "scp", "gone"])
        #expect(difference.claims.map(\.kind) == [.added, .changed, .changed, .removed])
        #expect(difference.same == 1)
        #expect(difference.scopesAdded == ["Mail.Send"] && difference.scopesRemoved == ["Files.Read"])
        #expect(TokenDifference(from: old, to: old).isEmpty)
    }
}
