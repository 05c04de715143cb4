import Crypto
import FoundationEssentials
import Identity
import Proofs
import StrictJSON
import Testing

@testable import Wire

/// RFC 9449, RFC 7638 and MSAL's proof of possession.
@Suite struct ProofTests {
    private static let now = Date(timeIntervalSince1970: 1_562_262_616.9)

    private static func proof(
        _ method: String = "POST", _ address: String = "https://server.example.com/token", accessToken: String? = nil,
        nonce: String? = nil,
        key: ProofKey = ProofKey()
    ) throws -> DecodedJWT {
        try DecodedJWT(
            try DPoPProof.make(
                method: method, address: try WebAddress(address), key: key, accessToken: accessToken.map { Secret($0) },
                nonce: nonce,
                now: now))
    }

    @Test func `RFC 7638 section 3.1: the example key has the thumbprint that stands there`() throws {
        let n =
            "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
        let key = try Samples.object(#"{"kty":"RSA","n":"\#(n)","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#)
        #expect(ProofKey.thumbprint(of: key) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(ProofKey.thumbprint(of: try Samples.object(#"{"kty":"oct","k":"AA"}"#)) == nil)
        #expect(ProofKey.thumbprint(of: try Samples.object(#"{"kty":"EC","crv":"P-256","x":"AA"}"#)) == nil)
    }

    @Test func `RFC 9449 section 6.1: the example key has the thumbprint that stands there`() throws {
        let key = try Samples.object(
            #"{"kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA","crv":"P-256"}"#
        )
        #expect(ProofKey.thumbprint(of: key) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test
    func
        `A proof has its type, an asymmetric algorithm, the public key alone, a jti, the method, the address without its query, and the time`()
        throws
    {
        let key = ProofKey()
        let proof = try Self.proof("POST", "https://server.example.com:8443/token?a=b", key: key)
        #expect(proof.header.string("typ") == "dpop+jwt" && proof.header.string("alg") == "ES256")
        #expect(proof.header["jwk"] == .object(key.jwk))
        #expect(key.jwk.members.map(\.name) == ["crv", "kty", "x", "y"])
        #expect(proof.header["jwk"]?["d"] == nil)
        #expect(proof.payload.names == ["jti", "htm", "htu", "iat"])
        #expect(
            proof.payload.string("htm") == "POST"
                && proof.payload.string("htu") == "https://server.example.com:8443/token")
        #expect(proof.payload.integer("iat") == 1_562_262_616)
        let other = try Self.proof()
        #expect(
            other.payload.string("jti") != proof.payload.string("jti")
                && (other.payload.string("jti") ?? "").utf8.count >= 16)
    }

    @Test func `The signature is the key's, over the header and the payload`() throws {
        let key = ProofKey()
        let proof = try Self.proof(key: key)
        let jwk = try #require(SigningKey(key.jwk))
        #expect(jwk.verifies(proof.signature, of: proof.signingInput, algorithm: "ES256"))
        #expect(!jwk.verifies(proof.signature, of: proof.signingInput + "A", algorithm: "ES256"))
        let stranger = try #require(SigningKey(ProofKey().jwk))
        #expect(!stranger.verifies(proof.signature, of: proof.signingInput, algorithm: "ES256"))
    }

    @Test func `At a resource the proof has the digest of the access token, as in RFC 9449 section 7.1`() throws {
        let proof = try Self.proof(
            "GET", "https://resource.example.org/protectedresource",
            accessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU", nonce: "n")
        #expect(proof.payload.string("ath") == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(proof.payload.string("nonce") == "n")
    }

    @Test func `A key that was kept is the same key, in both forms; what is none is refused, and no key is printed`()
        throws
    {
        let key = ProofKey()
        #expect(try ProofKey(key.secret).thumbprint == key.thumbprint)
        #expect(try ProofKey(pem: key.pem).thumbprint == key.thumbprint)
        #expect(ProofKey().thumbprint != key.thumbprint)
        for text in ["", "AA", String(repeating: "A", count: 43), key.secret.reveal() + "A"] {
            #expect(throws: WireError.self) { _ = try ProofKey(Secret(text)) }
            #expect(throws: WireError.self) { _ = try ProofKey(pem: Secret(text)) }
        }
        #expect(!String(describing: key.secret).contains(key.secret.reveal()))
    }

    @Test func `The newest nonce of each origin is kept, and only one that could be a nonce`() throws {
        let nonces = ProofNonces()
        let address = try WebAddress("https://a.example/token")
        nonces.keep("n1", from: address)
        nonces.keep("n2", from: try WebAddress("https://a.example/other"))
        #expect(nonces[address] == "n2")
        #expect(nonces[try WebAddress("https://b.example/token")] == nil)
        for bad in [nil, "", "a b", "a\"b", "a\r\nX: y", String(repeating: "a", count: 1025)] {
            nonces.keep(bad, from: address)
        }
        #expect(nonces[address] == "n2")
        for number in 0..<200 { nonces.keep("n", from: try WebAddress("https://h\(number).example/")) }
        #expect(nonces[try WebAddress("https://h199.example/")] == "n")
    }

    @Test func `MSAL's signed request has the token, the method, host, path, nonce and the public key`() throws {
        let key = ProofKey()
        let jwt = try DecodedJWT(
            try SignedHTTPRequest.make(
                method: "get", address: try WebAddress("https://graph.microsoft.com/v1.0/me?$select=id"), key: key,
                accessToken: Secret("at.at.at"), nonce: "n1", now: Self.now))
        #expect(jwt.header.string("kid") == key.thumbprint && jwt.header.string("alg") == "ES256")
        #expect(
            jwt.payload.string("at") == "at.at.at" && jwt.payload.string("m") == "GET"
                && jwt.payload.string("nonce") == "n1")
        #expect(jwt.payload.string("u") == "graph.microsoft.com" && jwt.payload.string("p") == "/v1.0/me")
        #expect(jwt.payload.integer("ts") == 1_562_262_616)
        #expect(jwt.payload["cnf"]?["jwk"] == .object(key.jwk))
        let jwk = try #require(SigningKey(key.jwk))
        #expect(jwk.verifies(jwt.signature, of: jwt.signingInput, algorithm: "ES256"))
        let confirmation = try #require(Base64URL.decode(SignedHTTPRequest.confirmation(of: key)))
        #expect(String(decoding: confirmation, as: UTF8.self) == #"{"kid":"\#(key.thumbprint)"}"#)
    }

    // MARK: At the token endpoint

    private static func refresh(
        _ binding: TokenBinding, isEntra: Bool = false,
        _ respond: @escaping @Sendable (StubServer.Asked) -> StubServer.Reply
    ) async throws -> (Result<TokenAnswer, WireError>, [StubServer.Asked]) {
        try await StubServer.open(respond) { server async throws in
            try await Samples.transport { transport async throws in
                let endpoint = TokenEndpoint(
                    metadata: try Samples.metadata("http://127.0.0.1:\(server.port)"), clientID: "c", isEntra: isEntra,
                    correlationID: UUID(),
                    transport: transport, binding: binding)
                do throws(WireError) {
                    return (
                        .success(
                            try await endpoint.refresh(token: Secret("rt"), scopes: ["a"], claims: nil, anchor: "")),
                        server.asked
                    )
                } catch { return (.failure(error), server.asked) }
            }
        }
    }

    private static func grant(_ type: String) -> StubServer.Reply {
        .json(#"{"access_token":"at","token_type":"\#(type)","expires_in":60}"#)
    }

    private static func claims(_ asked: StubServer.Asked) throws -> Claims {
        try DecodedJWT(Secret(asked.header("dpop") ?? "")).payload
    }

    @Test func `A server that asks for a nonce gets it once, in a new proof, and the newest is kept`() async throws {
        let nonces = ProofNonces()
        let (result, asked) = try await Self.refresh(.dpop(ProofKey(), nonces)) { asked in
            guard let proof = try? Self.claims(asked), proof.string("nonce") == "n1" else {
                return .answer(400, #"{"error":"use_dpop_nonce"}"#, headers: ["DPoP-Nonce: n1"])
            }
            return .answer(
                200, #"{"access_token":"at","token_type":"DPoP","expires_in":60}"#, headers: ["DPoP-Nonce: n2"])
        }
        guard case .success(.granted(let grant)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(grant.tokenType == "DPoP")
        #expect(asked.count == 2)
        let proofs = try asked.map { try Self.claims($0) }
        #expect(proofs.map { $0.string("nonce") } == [nil, "n1"])
        #expect(proofs[0].string("jti") != proofs[1].string("jti"))
        #expect(proofs[0].string("htu")?.hasSuffix("/token") == true && proofs[0].string("htm") == "POST")
        #expect(nonces[try WebAddress(proofs[0].string("htu") ?? "")] == "n2")
    }

    @Test func `A server that asks again and again is not asked for ever`() async throws {
        let (result, asked) = try await Self.refresh(.dpop(ProofKey(), ProofNonces())) { _ in
            .answer(400, #"{"error":"use_dpop_nonce"}"#, headers: ["DPoP-Nonce: \(Random.token(bytes: 4))"])
        }
        guard case .success(.refused(let error)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.error == "use_dpop_nonce" && asked.count == 2)
    }

    @Test func `RFC 9449 section 11.1: a proof goes out once; what is sent again has its own`() async throws {
        let (_, asked) = try await Self.refresh(.dpop(ProofKey(), ProofNonces())) { _ in .answer(503, "") }
        #expect(asked.count == 2 && asked.allSatisfy { $0.count(of: "dpop") == 1 })
        #expect(Set(try asked.map { try Self.claims($0).string("jti") }).count == 2)
    }

    @Test(arguments: [("DPoP", true), ("dpop", true), ("Bearer", false), ("pop", false)])
    func `Who asked for a DPoP token takes no other`(type: String, isTaken: Bool) async throws {
        let (result, _) = try await Self.refresh(.dpop(ProofKey(), ProofNonces())) { _ in Self.grant(type) }
        try Self.expect(result, isTaken: isTaken)
    }

    /// A token of another type is withheld.
    private static func expect(_ result: Result<TokenAnswer, WireError>, isTaken: Bool) throws {
        guard case .granted(let grant) = try result.get() else {
            Issue.record("\(result)")
            return
        }
        #expect(grant.flaw?.check == (isTaken ? nil : "token type") && (grant.accessToken != nil) == isTaken)
    }

    @Test(arguments: [("DPoP", false), ("pop", false), ("Bearer", true)])
    func `Who asked for none takes no bound token`(type: String, isTaken: Bool) async throws {
        let (result, asked) = try await Self.refresh(.bearer) { _ in Self.grant(type) }
        try Self.expect(result, isTaken: isTaken)
        #expect(asked[0].header("dpop") == nil && asked[0].fields["req_cnf"] == nil)
    }

    @Test func `MSAL's proof of possession is asked for by token_type and req_cnf, and the answer is of that type`()
        async throws
    {
        let key = ProofKey()
        let (result, asked) = try await Self.refresh(.pop(key), isEntra: true) { _ in Self.grant("Pop") }
        guard case .success(.granted(let grant)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(grant.tokenType == "pop" && TokenBinding.pop(key).keyID == key.thumbprint)
        #expect(
            asked[0].fields["token_type"] == "pop"
                && asked[0].fields["req_cnf"] == SignedHTTPRequest.confirmation(of: key))
        let (refused, _) = try await Self.refresh(.pop(key), isEntra: true) { _ in Self.grant("Bearer") }
        try Self.expect(refused, isTaken: false)
    }
}
