import Crypto
import Identity
import Synchronization
import Testing

@testable import Wire

@Suite struct SignatureTests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let rsaKey = """
        {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_\
        YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_\
        I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
        """
    private static let rsaToken =
        "eyJhbGciOiJSUzI1NiJ9." + payload + """
            .cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB\
            --f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUi\
            pUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
            """
    private static let ecKey = """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """
    private static let ecToken =
        "eyJhbGciOiJFUzI1NiJ9." + payload
        + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    private static func key(_ text: String) throws -> SigningKey? { SigningKey(try Samples.object(text)) }

    private static func verifies(_ token: String, _ algorithm: String, _ key: String) throws -> Bool {
        let jwt = try DecodedJWT(Secret(token))
        return try #require(try Self.key(key)).verifies(jwt.signature, of: jwt.signingInput, algorithm: algorithm)
    }

    @Test func `RFC 7515 appendix A.2: the RS256 example verifies`() throws {
        #expect(try Self.verifies(Self.rsaToken, "RS256", Self.rsaKey))
        #expect(try !Self.verifies(Self.rsaToken, "PS256", Self.rsaKey))
    }

    @Test func `RFC 7515 appendix A.3: the ES256 example verifies`() throws {
        #expect(try Self.verifies(Self.ecToken, "ES256", Self.ecKey))
        #expect(try !Self.verifies(Self.ecToken, "RS256", Self.ecKey))
    }

    @Test func `An HMAC under any form of the public key is no signature`() throws {
        let key = try Signer.rs256.key()
        for secret in [Array(try Signer.pem().utf8), Array(key.utf8), []] {
            let mac = HMAC<SHA256>.authenticationCode(for: Array("a.b".utf8), using: SymmetricKey(data: secret))
            for name in ["HS256", "RS256", "none", "None", ""] {
                #expect(try #require(try Self.key(key)).verifies(Array(mac), of: "a.b", algorithm: name) == false)
            }
        }
    }

    @Test(arguments: [
        #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#,
        #"{"kty":"RSA","e":"AQAB"}"#, #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#,
        #"{"kty":"OKP","crv":"X25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
        #"{"kty":"OKP","crv":"Ed448","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
        #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcH"}"#,
        #"{"kty":"EC","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
        #"{"kty":"EC","crv":"secp256k1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
        #"{"kty":"EC","crv":"P-384","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
        #"{"kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
        "{}",
        #"{"kty":"EC","crv":"P-256","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","y":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
        #"{"kty":["RSA"],"n":5}"#,
    ])
    func `Symmetric, short, foreign and broken keys do not count`(key: String) throws {
        #expect(try Self.key(key) == nil)
    }

    @Test func `RSA keys of less than 2048 bits do not count, with zeros in front or not`() throws {
        for zeros in [0, 1, 128] {
            let n = Base64URL.encode([UInt8](repeating: 0, count: zeros) + [0x80] + [UInt8](repeating: 1, count: 127))
            let key = try #require(try Self.key(#"{"kty":"RSA","n":"\#(n)","e":"AQAB"}"#))
            let signature = try Signer.rs256.sign("a.b")
            #expect(key.isWeak && !key.verifies(signature, of: "a.b", algorithm: "RS256"))
        }
    }

    @Test
    func `A token of a weak key, and one with an extension, say so and not that there is no such key or algorithm`()
        async throws
    {
        let n = Base64URL.encode([0x80] + [UInt8](repeating: 1, count: 127))
        let weak = #"{"kty":"RSA","n":"\#(n)","e":"AQAB","kid":"k1"}"#
        let token = try Signer.rs256.token(payload: "{}")
        #expect(try await Self.find(token, keys: [weak]) == .weakKey)
        #expect(try await Self.find(token, keys: [weak, try Signer.rs256.key(id: "k1")]) == .verified(key: "k1"))
        let critical = try Signer.rs256.token(header: #"{"alg":"RS256","kid":"k1","crit":["exp"]}"#, payload: "{}")
        #expect(try await Self.find(critical, keys: [try Signer.rs256.key()]) == .criticalExtension)
    }

    @Test func `A key is for signatures, and for its own algorithm when it names one`() throws {
        #expect(try Self.key(try Signer.rs256.key(more: #","use":"enc""#)) == nil)
        let key = try #require(try Self.key(try Signer.rs256.key(more: #","use":"sig","alg":"RS256""#)))
        #expect(key.verifies(try Signer.rs256.sign("a.b"), of: "a.b", algorithm: "RS256"))
        #expect(!key.verifies(try Signer.ps256.sign("a.b"), of: "a.b", algorithm: "PS256"))
    }

    @Test(arguments: [
        #","use":"enc""#, #","use":"SIG""#, #","use":5"#, #","use":["sig"]"#, #","key_ops":["sign"]"#,
        #","key_ops":[]"#,
        #","key_ops":"verify""#, #","key_ops":["encrypt","wrapKey"]"#, #","use":"sig","key_ops":["deriveKey"]"#,
        #","alg":5"#, #","kid":7"#,
    ])
    func `RFC 7517 section 4: a key for another use, or with a malformed member, does not count`(more: String) throws {
        for signer in Signer.allCases { #expect(try Self.key(try signer.key(id: nil, more: more)) == nil) }
    }

    @Test(arguments: [
        #","use":null,"key_ops":null,"alg":null,"kid":null"#, #","key_ops":["verify"]"#, #","use":"sig","x5c":[5]"#,
        #","key_ops":["sign","verify"],"use":"sig""#,
    ])
    func `A key that is for signatures, or does not say what it is for, counts`(more: String) throws {
        for signer in Signer.allCases {
            let key = try #require(try Self.key(try signer.key(id: nil, more: more)))
            #expect(key.verifies(try signer.sign("a.b"), of: "a.b", algorithm: signer.algorithm))
        }
    }

    @Test(arguments: Signer.allCases)
    func `A key verifies nothing under an algorithm that its type or curve does not fit`(
        signer: Signer
    ) throws {
        let key = try #require(try Self.key(try signer.key()))
        for other in Signer.allCases where other.kind != signer.kind {
            #expect(try !key.verifies(signer.sign("a.b"), of: "a.b", algorithm: other.algorithm))
            #expect(try !key.verifies(other.sign("a.b"), of: "a.b", algorithm: other.algorithm))
        }
    }

    @Test(arguments: Signer.allCases) func `The named key is refused for a token of another kind of key, and says so`(
        signer: Signer
    ) async throws {
        for other in Signer.allCases where other.kind != signer.kind {
            let token = try signer.token(payload: "{}")
            #expect(try await Self.find(token, keys: [try other.key()]) == .otherKindOfKey)
            // Two keys may have one name if their types differ (RFC 7517 section 4.5).
            #expect(try await Self.find(token, keys: [try other.key(), try signer.key()]) == .verified(key: "k1"))
        }
        let more = #","alg":"\#(signer.algorithm == "RS256" ? "RS512" : "RS256")""#
        #expect(
            try await Self.find(try signer.token(payload: "{}"), keys: [try signer.key(more: more)]) == .otherKindOfKey)
    }

    private static func find(_ token: Secret, keys: [String]) async throws -> SignatureCheck.Outcome {
        let body = #"{"keys":[\#(keys.joined(separator: ","))]}"#
        return try await StubServer.open({ _ in .json(body) }) { server async throws in
            try await Samples.transport { transport async throws in
                let check = SignatureCheck(
                    keys: KeySet(transport: transport), address: try WebAddress("http://127.0.0.1:\(server.port)/keys"))
                return try await check.check(try DecodedJWT(token))
            }
        }
    }

    @Test(arguments: Signer.allCases)
    func `Each accepted algorithm verifies with the issuer's key and not with another's`(
        signer: Signer
    ) async throws {
        let token = try signer.token(payload: "{}")
        #expect(try await Self.find(token, keys: [try signer.key()]) == .verified(key: "k1"))
        #expect(
            try await Self.find(token, keys: [try Signer.strangerKey()])
                == (signer.kind == .rsa ? .mismatch : .otherKindOfKey))
        #expect(
            try await Self.find(token, keys: [try Signer.strangerKey(id: "k2"), try signer.key()])
                == .verified(key: "k1"))
        #expect(try await Self.find(token, keys: [try signer.key(id: "k2")]) == .noSuchKey)
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"nOnE"}"#, #"{"typ":"JWT"}"#, #"{"alg":"HS256"}"#, #"{"alg":"HS512"}"#,
        #"{"alg":"RS1"}"#, #"{"alg":"HS384"}"#, #"{"alg":"ES256K"}"#, #"{"alg":"Ed448"}"#, #"{"alg":"eddsa"}"#,
        #"{"alg":["RS256"]}"#,
        #"{"alg":"rs256"}"#, #"{"alg":""}"#, #"{"alg":"RS256","crit":["exp"]}"#, #"{"alg":"RS256","crit":[]}"#,
        #"{"alg":"RS256","b64":false}"#,
        #"{"alg":"RS256","b64":false,"crit":["b64"]}"#,
    ])
    func `Other algorithms and extensions are refused, however well signed`(header: String) async throws {
        let token = try Signer.rs256.token(header: header, payload: "{}")
        let isExtended = header.contains("crit") || header.contains("b64")
        #expect(
            try await Self.find(token, keys: [try Signer.rs256.key()])
                == (isExtended ? .criticalExtension : .unsupportedAlgorithm))
    }

    @Test func `A key that the token brings along is not used, and no address in it is asked`() async throws {
        let asked = Mutex(0)
        let jwk = try Signer.rs256.key()
        let body = try Signer.strangerKey(id: "k2")
        try await StubServer.open({ _ in
            asked.withLock { $0 += 1 }
            return .json(#"{"keys":[\#(body)]}"#)
        }) { server async throws in
            let header =
                #"{"alg":"RS256","jwk":\#(jwk),"jku":"http://127.0.0.1:\#(server.port)/evil","x5u":"http://127.0.0.1:\#(server.port)/evil"}"#
            let token = try Signer.rs256.token(header: header, payload: "{}")
            try await Samples.transport { transport async throws in
                let check = SignatureCheck(
                    keys: KeySet(transport: transport), address: try WebAddress("http://127.0.0.1:\(server.port)/keys"))
                #expect(try await check.check(try DecodedJWT(token)) == .mismatch)
            }
            #expect(server.asked.map(\.target) == ["/keys"])
        }
    }

    @Test func `A token without kid is tried with every key, and a key without kid serves a token with one`()
        async throws
    {
        let nameless = try Signer.rs256.token(header: #"{"alg":"RS256"}"#, payload: "{}")
        #expect(
            try await Self.find(nameless, keys: [try Signer.strangerKey(), try Signer.rs256.key(id: "k9")])
                == .verified(key: "k9"))
        let named = try Signer.rs256.token(payload: "{}")
        #expect(try await Self.find(named, keys: [try Signer.rs256.key(id: nil)]) == .verified(key: "without a name"))
    }

    @Test(arguments: ["../../etc/passwd", "' OR 1=1 --", "k1\\u001b[31m", "", "K1"])
    func `A kid is compared and nothing else`(
        kid: String
    ) async throws {
        let token = try Signer.rs256.token(header: #"{"alg":"RS256","kid":"\#(kid)"}"#, payload: "{}")
        #expect(try await Self.find(token, keys: [try Signer.rs256.key()]) == .noSuchKey)
    }

    @Test func `An unknown kid fetches the keys once more, and then not again for five minutes`() async throws {
        let clock = Mutex(Duration.zero)
        let served = Mutex(#"{"keys":[\#(try Signer.strangerKey(id: "old"))]}"#)
        try await StubServer.open({ _ in .json(served.withLock { $0 }) }) { server async throws in
            try await Samples.transport { transport async throws in
                let keys = KeySet(transport: transport) { clock.withLock { $0 } }
                let address = try WebAddress("http://127.0.0.1:\(server.port)/keys")
                #expect(try await keys.keys(named: "old", at: address).count == 1)
                // Rotated just after the first look: the new key is found at once.
                served.withLock { $0 = #"{"keys":[]}"# }
                let fresh = #"{"keys":[\#(try Signer.rs256.key(id: "new"))]}"#
                served.withLock { $0 = fresh }
                #expect(try await keys.keys(named: "new", at: address).count == 1)
                #expect(server.asked.count == 2)
                for kid in 0..<20 { #expect(try await keys.keys(named: "x\(kid)", at: address).isEmpty) }
                #expect(server.asked.count == 2)
                clock.withLock { $0 += .seconds(300) }
                #expect(try await keys.keys(named: "x", at: address).isEmpty)
                #expect(try await keys.keys(named: "y", at: address).isEmpty)
                #expect(server.asked.count == 3)
                clock.withLock { $0 += .seconds(86_400) }
                #expect(try await keys.keys(named: "new", at: address).count == 1)
                #expect(server.asked.count == 4)
            }
        }
    }

    @Test(arguments: [true, false])
    func `A new key is found for a token without kid, and for one whose kid no cached key has`(isNamed: Bool)
        async throws
    {
        let clock = Mutex(Duration.zero)
        // Nameless keys serve tokens with any kid, and tokens without one are tried with every key.
        let served = Mutex(#"{"keys":[\#(try Signer.rs256.key(id: nil))]}"#)
        try await StubServer.open({ _ in .json(served.withLock { $0 }) }) { server async throws in
            try await Samples.transport { transport async throws in
                let keys = KeySet(transport: transport) { clock.withLock { $0 } }
                let check = SignatureCheck(
                    keys: keys, address: try WebAddress("http://127.0.0.1:\(server.port)/keys"))
                func outcome(_ signer: Signer) async throws -> SignatureCheck.Outcome {
                    let kid = isNamed ? #","kid":"k2""# : ""
                    let header = #"{"alg":"\#(signer.algorithm)"\#(kid)}"#
                    return try await check.check(try DecodedJWT(try signer.token(header: header, payload: "{}")))
                }
                #expect(try await outcome(.rs256) == .verified(key: "without a name"))
                let changed = #"{"keys":[\#(try Signer.es384.key(id: isNamed ? "k2" : nil))]}"#
                served.withLock { $0 = changed }
                // The keys were fetched just now.
                #expect(try await outcome(.es384) == .noSuchKey)
                #expect(server.asked.count == 1)
                clock.withLock { $0 += .seconds(300) }
                #expect(try await outcome(.es384) == .verified(key: isNamed ? "k2" : "without a name"))
                for _ in 0..<5 { #expect(try await outcome(.es512) != .verified(key: "k2")) }
                #expect(server.asked.count == 2)
            }
        }
    }

    @Test(arguments: ["{}", "[]", #"{"keys":{}}"#, "<html>"])
    func `What holds no list of keys is an error, not an empty set`(body: String)
        async throws
    {
        try await StubServer.open({ _ in .json(body) }) { server async throws in
            try await Samples.transport { transport async throws in
                let keys = KeySet(transport: transport)
                let address = try WebAddress("http://127.0.0.1:\(server.port)/keys")
                let error = await Samples.error { () async throws(WireError) in
                    _ = try await keys.keys(named: nil, at: address)
                }
                guard case .notJSON = error else {
                    Issue.record("taken: \(body)")
                    return
                }
            }
        }
    }
}
