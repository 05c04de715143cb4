import Crypto
import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import Wire

/// OpenID Connect Core 3.1.3.7 and 12.2, with keys that the tests make.
@Suite struct IDTokenTests {
    private static let now = 1_763_700_000
    private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"

    /// The claims of a good token, with members said otherwise or, for nil, left out.
    static func payload(_ changes: [(String, JSONValue?)] = []) -> String {
        var members: [(String, JSONValue)] = [
            ("iss", "https://id.example.org"), ("aud", "client"), ("sub", "ada"),
            ("exp", .number(JSONNumber(text: String(now + 3600)))),
            ("iat", .number(JSONNumber(text: String(now)))), ("nonce", "n1"),
        ]
        for (name, value) in changes {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }
        return JSONValue.object(JSONObject(members.map { JSONMember(name: $0.0, value: $0.1) })).serialized()
    }

    static func check(
        _ token: Secret, issuer: String = "https://id.example.org", nonce: String? = "n1",
        previousSubject: String? = nil,
        accessToken: String? = nil, maxAge: Int? = nil, requiredACR: [String] = [], mayLackTenantID: Bool = false
    ) async throws -> Result<IDToken, WireError> {
        let keys = try Signer.allCases.map { try $0.key(id: "k1") }.joined(separator: ",")
        return try await StubServer.open({ _ in .json(#"{"keys":[\#(keys)]}"#) }) { server async throws in
            try await Samples.transport { transport async throws in
                var metadata = try Samples.metadata("http://127.0.0.1:\(server.port)", issuer: issuer)
                metadata.issuer = issuer
                metadata.mayLackTenantID = mayLackTenantID
                let check = IDTokenCheck(
                    metadata: metadata, clientID: "client", nonce: nonce,
                    previous: previousSubject.map { PreviousIDToken(subject: $0) },
                    accessToken: accessToken.map { Secret($0) },
                    now: Date(timeIntervalSince1970: TimeInterval(now)), keys: KeySet(transport: transport),
                    maxAge: maxAge,
                    requiredACR: requiredACR)
                do throws(WireError) { return .success(try await check.check(UncheckedIDToken(token))) } catch {
                    return .failure(error)
                }
            }
        }
    }

    private static func failed(
        _ changes: [(String, JSONValue?)], issuer: String = "https://id.example.org", nonce: String? = "n1",
        previousSubject: String? = nil,
        accessToken: String? = nil, mayLackTenantID: Bool = false
    ) async throws -> String? {
        let token = try Signer.es256.token(payload: payload(changes))
        guard
            case .failure(let error) = try await check(
                token, issuer: issuer, nonce: nonce, previousSubject: previousSubject, accessToken: accessToken,
                mayLackTenantID: mayLackTenantID)
        else { return nil }
        return error.check
    }

    @Test(arguments: [
        ("exp", "time"), ("iat", "time"), ("sub", "string of 1 to 255 ASCII characters"), ("iss", "string"),
    ])
    func `A claim that is there and cannot be read is told from one that is missing`(name: String, kind: String)
        async throws
    {
        func detail(_ value: JSONValue?) async throws -> String? {
            let token = try Signer.es256.token(payload: Self.payload([(name, value)]))
            guard case .failure(.untrusted(_, let detail)) = try await Self.check(token) else { return nil }
            return detail
        }
        #expect(try await detail(nil) == "missing")
        #expect(try await detail(.array([])) == "\(name) is not a \(kind)")
    }

    @Test(arguments: Signer.allCases) func `A good token of each accepted algorithm is believed`(signer: Signer)
        async throws
    {
        let token = try await Self.check(try signer.token(payload: Self.payload())).get()
        #expect(token.claims.subject == "ada" && token.claims.claims.string("nonce") == "n1")
    }

    @Test(
        arguments: [
            "https://evil.example", "https://id.example.org/", "HTTPS://id.example.org", "", nil, 5,
            ["https://id.example.org"],
        ] as [JSONValue?])
    func `Another issuer is refused`(issuer: JSONValue?) async throws {
        #expect(try await Self.failed([("iss", issuer)]) == "ID token issuer")
    }

    @Test func `The issuer of a many-tenant authority has the token's own tenant in it`() async throws {
        let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
        let own: JSONValue = .string("https://login.microsoftonline.com/\(Self.tenant)/v2.0")
        #expect(try await Self.failed([("iss", own), ("tid", .string(Self.tenant))], issuer: template) == nil)
        let other = "11111111-2222-3333-4444-555555555555"
        for (issuer, tenant) in [
            (own, .string(other)), (own, nil), (own, "x"), (.string(template), "{tenantid}"), (.string(template), nil),
            ("https://login.microsoftonline.com/x/v2.0", "x"),
            (.string("https://evil.example/\(Self.tenant)/v2.0"), .string(Self.tenant)),
        ] as [(JSONValue, JSONValue?)] {
            #expect(try await Self.failed([("iss", issuer), ("tid", tenant)], issuer: template) == "ID token issuer")
        }
    }

    @Test func `B2C's tokens have an issuer of the template, and perhaps no tenant`() async throws {
        let template = "https://login.microsoftonline.com/{tenantid}/v2.0/"
        func failed(_ issuer: String, _ tenant: JSONValue?) async throws -> String? {
            try await Self.failed(
                [("iss", .string(issuer)), ("tid", tenant)], issuer: template, mayLackTenantID: true)
        }
        let own = "https://login.microsoftonline.com/\(Self.tenant)/v2.0/"
        #expect(try await failed(own, nil) == nil)
        #expect(try await failed(own, .string(Self.tenant)) == nil)
        for (issuer, tenant) in [
            (own, "11111111-2222-3333-4444-555555555555"), (own, "x"), (own, 5), (template, nil),
            ("https://evil.example/\(Self.tenant)/v2.0/", nil), ("https://login.microsoftonline.com/x/v2.0/", nil),
        ] as [(String, JSONValue?)] {
            #expect(try await failed(issuer, tenant) == "ID token issuer", "\(issuer)")
        }
    }

    @Test(
        arguments: ["other", "Client", "", nil, 5, [], ["other"], ["client", 5], ["client", [:]], [["client"]], [:]]
            as [JSONValue?])
    func `A token for another audience is refused`(audience: JSONValue?) async throws {
        #expect(try await Self.failed([("aud", audience), ("azp", "client")]) == "ID token audience")
    }

    @Test func `Several audiences need an authorized party, and it must be this client`() async throws {
        #expect(try await Self.failed([("aud", ["client"])]) == nil)
        #expect(try await Self.failed([("aud", ["client", "project"]), ("azp", "client")]) == nil)
        #expect(try await Self.failed([("aud", ["client", "project"])]) == "ID token authorized party")
        for party in ["other", "", 5, ["client"], .null] as [JSONValue] {
            #expect(try await Self.failed([("azp", party)]) == "ID token authorized party")
        }
    }

    private static func number(_ text: String) -> JSONValue { .number(JSONNumber(text: text)) }

    @Test func `A token that is over is refused, with five minutes for clocks that differ`() async throws {
        #expect(try await Self.failed([("exp", Self.number(String(Self.now - 300)))]) == nil)
        #expect(try await Self.failed([("exp", Self.number("\(Self.now + 60).5"))]) == nil)
        for expiry in [
            Self.number(String(Self.now - 301)), Self.number("0"), Self.number("-1"), Self.number("1e18"),
            Self.number("1000000000000000000"),
            Self.number("99999999999999999999999999"), .string(String(Self.now + 60)), nil, .null, true, [],
        ] as [JSONValue?] {
            #expect(try await Self.failed([("exp", expiry)]) == "ID token expiry")
        }
    }

    @Test func `The issue time is there, a number, and not in the future`() async throws {
        #expect(try await Self.failed([("iat", Self.number(String(Self.now + 300)))]) == nil)
        for issued in [Self.number(String(Self.now + 301)), Self.number("1e18"), Self.number("-5"), .string("0"), nil]
            as [JSONValue?]
        {
            #expect(try await Self.failed([("iat", issued)]) == "ID token issue time")
        }
        #expect(try await Self.failed([("nbf", Self.number(String(Self.now + 300)))]) == nil)
        #expect(try await Self.failed([("nbf", Self.number(String(Self.now + 301)))]) == "ID token begin")
    }

    @Test(arguments: ["iat", "nbf"])
    func `In a refresh for the subject of before, a token from a time to come passes with a warning`(
        claim: String
    ) async throws {
        let early = try Signer.es256.token(payload: Self.payload([(claim, Self.number(String(Self.now + 3600)))]))
        guard case .passed(let token) = try await Self.examine(early, previous: PreviousIDToken(subject: "ada")) else {
            Issue.record("not passed")
            return
        }
        #expect(token.warning?.contains("check this machine's clock") == true)
        // With nothing to compare it with, or of another, it does not.
        guard case .unchecked = try await Self.examine(early),
            case .wrong = try await Self.examine(early, previous: PreviousIDToken(subject: "eve"))
        else {
            Issue.record("passed")
            return
        }
    }

    @Test(arguments: ["n2", "N1", "", nil, 5, ["n1"]] as [JSONValue?]) func `A nonce that was sent comes back`(
        nonce: JSONValue?
    )
        async throws
    {
        #expect(try await Self.failed([("nonce", nonce)]) == "ID token nonce")
    }

    @Test(arguments: ["n1", nil, "another"] as [JSONValue?])
    func `Where none was sent, as in a refresh, the nonce says nothing`(
        nonce: JSONValue?
    ) async throws {
        #expect(try await Self.failed([("nonce", nonce)], nonce: nil) == nil)
    }

    @Test(
        arguments: [
            ("n1", "n1", true), (nil, "n1", true), ("n1", nil, true), ("n2", "n1", false), (5, "n1", false),
            (.null, "n1", false),
        ]
            as [(JSONValue?, String?, Bool)])
    func `Core section 12.2: a refreshed token has no nonce, or the one of the sign-in`(
        found: JSONValue?, before: String?, isTaken: Bool
    )
        async throws
    {
        let token = try Signer.es256.token(payload: Self.payload([("nonce", found)]))
        let finding = try await Self.examine(token, previous: PreviousIDToken(subject: "ada", nonce: before))
        switch finding {
        case .passed: #expect(isTaken)
        case .wrong(let error): #expect(!isTaken && error.check == "ID token nonce")
        case .unchecked: Issue.record("it was not looked at")
        }
    }

    @Test func `Where the provider has no keys, TLS vouches for the signature and for nothing else`() async throws {
        func examine(_ token: Secret, at address: WebAddress? = nil) async throws -> IDTokenFinding {
            try await Samples.transport { transport async throws in
                var metadata = try Samples.metadata()
                metadata.keys = nil
                metadata.token = address ?? metadata.token
                return await IDTokenCheck(
                    metadata: metadata, clientID: "client", nonce: "n1", previous: nil, accessToken: nil,
                    now: Date(timeIntervalSince1970: TimeInterval(Self.now)), keys: KeySet(transport: transport)
                ).examine(UncheckedIDToken(token))
            }
        }
        func token(_ algorithm: String, _ changes: [(String, JSONValue?)] = []) -> Secret {
            Signer.token(header: #"{"alg":\#(algorithm)}"#, payload: Self.payload(changes)) { _ in [1, 2, 3] }
        }
        guard case .passed(let passed) = try await examine(token("\"HS256\"")) else {
            Issue.record("not passed")
            return
        }
        #expect(passed.claims.subject == "ada" && !passed.isSignatureVerified)
        for wrong in [
            token("\"none\""), token("\"None\""), token("7"), token("\"HS256\"", [("aud", "other")]),
            token("\"HS256\"", [("iss", "https://other.example.org")]), token("\"HS256\"", [("nonce", "n2")]),
        ] {
            guard case .wrong = try await examine(wrong) else {
                Issue.record("not wrong: \(wrong.reveal())")
                continue
            }
        }
        let early = Self.payload([("iat", Self.number(String(Self.now + 3600)))])
        for (unchecked, address) in [
            (Signer.token(header: #"{"alg":"HS256"}"#, payload: early) { _ in [] }, nil),
            (token("\"HS256\""), try WebAddress(proxy: "http://id.example.org/token")),
        ] as [(Secret, WebAddress?)] {
            guard case .unchecked = try await examine(unchecked, at: address) else {
                Issue.record("decided: \(unchecked.reveal())")
                continue
            }
        }
    }

    private static func examine(
        _ token: Secret, previous: PreviousIDToken? = nil, keys: StubServer.Reply? = nil
    ) async throws -> IDTokenFinding {
        let list = StubServer.Reply.json(#"{"keys":[\#(try Signer.es256.key(id: "k1"))]}"#)
        return try await StubServer.open({ _ in keys ?? list }) { server async throws in
            try await Samples.transport { transport async throws in
                var metadata = try Samples.metadata("http://127.0.0.1:\(server.port)")
                metadata.issuer = "https://id.example.org"
                let check = IDTokenCheck(
                    metadata: metadata, clientID: "client", nonce: nil, previous: previous, accessToken: nil,
                    now: Date(timeIntervalSince1970: TimeInterval(now)), keys: KeySet(transport: transport))
                return await check.examine(UncheckedIDToken(token))
            }
        }
    }

    @Test func `What could not be checked is told from what is wrong`() async throws {
        let good = Self.payload()
        let over = Self.payload([("exp", Self.number(String(Self.now - 3600)))])
        let early = Self.payload([("iat", Self.number(String(Self.now + 3600)))])
        let strangers = StubServer.Reply.json(#"{"keys":[\#(try Signer.strangerKey())]}"#)
        for (payload, keys) in [
            (over, nil), (early, nil), (good, .answer(503, "")), (good, .answer(404, "")),
            (good, .answer(200, "<html>", type: "text/html")),
            (good, .json(#"{"keys":[]}"#)), (over, .answer(503, "")),
        ] as [(String, StubServer.Reply?)] {
            guard
                case .unchecked(let claims, _) = try await Self.examine(
                    try Signer.es256.token(payload: payload), keys: keys)
            else {
                Issue.record("decided: \(payload)")
                continue
            }
            #expect(claims.string("sub") == "ada")
        }
        // A clock that is wrong, or a key that is not to be had, excuses nothing else.
        for (payload, subject, keys) in [
            (good, "ada", strangers), (over, "ada", strangers), (over, "eve", nil), (good, "eve", .answer(503, "")),
        ] as [(String, String, StubServer.Reply?)] {
            guard
                case .wrong = try await Self.examine(
                    try Signer.es256.token(payload: payload), previous: PreviousIDToken(subject: subject), keys: keys)
            else {
                Issue.record("not wrong: \(payload)")
                continue
            }
        }
    }

    @Test(
        arguments: ["", nil, 5, ["ada"], "ünïcode", "a\u{0}b", .string(String(repeating: "a", count: 256))]
            as [JSONValue?])
    func `A subject is there and is plain text of at most 255 characters`(subject: JSONValue?) async throws {
        #expect(try await Self.failed([("sub", subject)]) == "ID token subject")
    }

    @Test func `A refreshed token is of the same person`() async throws {
        #expect(try await Self.failed([], previousSubject: "ada") == nil)
        #expect(try await Self.failed([], previousSubject: "eve") == "ID token subject")
        #expect(try await Self.failed([], previousSubject: "Ada") == "ID token subject")
    }

    @Test(arguments: ["", "opaque", "e30.e30.AA", "e30.eyJzdWIiOjV9.AA", "e30.eyJub25jZSI6Im4xIn0.AA"])
    func `A cached token that names no subject is nothing to compare with`(text: String) {
        #expect(PreviousIDToken(Secret(text)) == nil)
    }

    @Test func `A cached token is compared by its subject and its nonce, over or not`() async throws {
        let over = Self.payload([("exp", Self.number("5")), ("nonce", "n0")])
        let previous = try #require(PreviousIDToken(try Signer.es256.token(payload: over)))
        #expect(previous.subject == "ada" && previous.nonce == "n0")
        guard
            case .wrong(let error) = try await Self.examine(
                try Signer.es256.token(payload: Self.payload()), previous: previous)
        else {
            Issue.record("the nonce of another sign-in was taken")
            return
        }
        #expect(error.check == "ID token nonce")
    }

    @Test func `At_hash, where it is there, fits the access token`() async throws {
        let right = JSONValue.string(Base64URL.encode(Array(SHA256.hash(data: Array("at".utf8))).prefix(16)))
        #expect(try await Self.failed([("at_hash", right)], accessToken: "at") == nil)
        #expect(try await Self.failed([("at_hash", right)]) == nil)
        #expect(try await Self.failed([], accessToken: "at") == nil)
        for wrong in [right, "", 5, .null] as [JSONValue] {
            #expect(try await Self.failed([("at_hash", wrong)], accessToken: "another") == "ID token access token hash")
        }
    }

    @Test(arguments: Signer.allCases)
    func `OpenID Connect Core 3.1.3.6: at_hash has the hash of the token's own algorithm`(signer: Signer) async throws {
        let halves: [(String, [UInt8])] = [
            ("256", Array(SHA256.hash(data: Array("at".utf8)).prefix(16))),
            ("384", Array(SHA384.hash(data: Array("at".utf8)).prefix(24))),
            ("512", Array(SHA512.hash(data: Array("at".utf8)).prefix(32))),
        ]
        // Ed25519 has SHA-512 inside (RFC 8032 section 5.1).
        let own = signer.kind == .ed25519 ? "512" : String(signer.algorithm.suffix(3))
        for (name, half) in halves {
            let payload = Self.payload([("at_hash", .string(Base64URL.encode(half)))])
            let result = try await Self.check(try signer.token(payload: payload), accessToken: "at")
            switch result {
            case .success: #expect(name == own)
            case .failure(let error): #expect(name != own && error.check == "ID token access token hash")
            }
        }
    }

    @Test func `OpenID Connect Core appendix A: the at_hash of its example is computed so`() {
        let digest = Array(SHA256.hash(data: Array("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y".utf8)))
        #expect(Base64URL.encode(digest.prefix(16)) == "77QmUPtjPfzWtF2AnpK9RQ")
    }

    @Test func `Claims in the odd forms that providers send do not stand in the way`() async throws {
        #expect(
            try await Self.failed([
                ("auth_time", "yesterday"), ("acr", 1), ("amr", "pwd"), ("email_verified", "true"),
                ("updated_at", Self.number("1.5")),
            ]) == nil)
    }

    @Test func `Only three parts of clean base64url make a token`() async throws {
        let good = try Signer.es256.token(payload: Self.payload()).reveal()
        let parts = good.split(separator: ".").map(String.init)
        for wrong in [
            "", ".", "..", "a.b.c", parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".", good + ".", good + ".a",
            good + ".a.b",
            " " + good, good + "\n",
            parts[0] + "=." + parts[1] + "." + parts[2], good + "=", String(repeating: ".", count: 100_000),
            #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#,
            String(repeating: "a", count: 300_000),
        ] {
            guard case .failure(let error) = try await Self.check(Secret(wrong)) else {
                Issue.record("believed: \(wrong.prefix(40))")
                continue
            }
            #expect(error.check == "ID token form" || error.check == "ID token signature", "\(wrong.prefix(40))")
        }
    }

    @Test func `A claim that stands twice refuses the token`() async throws {
        let twice = Self.payload().dropLast() + #","\u0069ss":"https://id.example.org"}"#
        guard case .failure(let error) = try await Self.check(try Signer.es256.token(payload: String(twice))) else {
            Issue.record("believed")
            return
        }
        #expect(error.check == "ID token form")
    }

    @Test func `Without a good signature the best claims count for nothing`() async throws {
        let payload = Self.payload()
        let secret = SymmetricKey(data: Array(try Signer.pem().utf8))
        let signed = try Signer.es256.token(payload: payload).reveal()
        let forged = Self.payload([("sub", "eve")])
        for token in [
            Signer.token(header: #"{"alg":"none","kid":"k1"}"#, payload: payload) { _ in [] },
            Signer.token(header: #"{"alg":"HS256","kid":"k1"}"#, payload: payload) { input in
                Array(HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: secret))
            },
            Signer.token(header: #"{"alg":"ES256","kid":"k1"}"#, payload: payload) { _ in
                [UInt8](repeating: 0, count: 64)
            },
            Signer.token(header: #"{"alg":"ES256","kid":"k1"}"#, payload: payload) { _ in [] },
            Secret(
                signed.split(separator: ".")[0] + "." + Base64URL.encode(Array(forged.utf8)) + "."
                    + signed.split(separator: ".")[2]),
        ] {
            guard case .failure(let error) = try await Self.check(token) else {
                Issue.record("believed")
                continue
            }
            #expect(error.check == "ID token signature")
        }
    }

    @Test func `RFC 8725 section 3.11: a token of another type is none`() async throws {
        for type in ["at+jwt", "AT+JWT", "application/logout+jwt"] {
            let token = try Signer.es256.token(
                header: #"{"alg":"ES256","kid":"k1","typ":"\#(type)"}"#, payload: Self.payload())
            guard case .failure(let error) = try await Self.check(token) else {
                Issue.record("believed: \(type)")
                continue
            }
            #expect(error.check == "ID token type")
        }
        for header in [#"{"alg":"ES256"}"#, #"{"alg":"ES256","typ":"jwt"}"#, #"{"alg":"ES256","typ":"JOSE"}"#] {
            _ = try await Self.check(try Signer.es256.token(header: header, payload: Self.payload())).get()
        }
    }

    @Test func `Refusals hold nothing of the token`() async throws {
        let token = try Signer.es256.token(
            payload: Self.payload([("iss", "https://evil-issuer.example"), ("sub", "secret-subject")]))
        guard case .failure(let error) = try await Self.check(token) else {
            Issue.record("believed")
            return
        }
        #expect(!error.message.contains("evil-issuer") && !error.message.contains("secret-subject"))
    }

    @Test(arguments: [(nil, nil), ("loa2", "loa2"), ("loa1", "loa2"), ("loa3", nil)] as [(String?, String?)])
    func `Where classes of authentication were asked for, the token names one of them`(found: String?, wanted: String?)
        async throws
    {
        let token = try Signer.es256.token(payload: Self.payload([("acr", found.map { .string($0) })]))
        let result = try await Self.check(token, requiredACR: wanted.map { [$0] } ?? [])
        guard wanted != nil, found != wanted else {
            _ = try result.get()
            return
        }
        guard case .failure(let error) = result else {
            Issue.record("taken")
            return
        }
        #expect(error.check == "ID token authentication class")
    }

    @Test(arguments: [
        ("-60", 60, true), ("-179", 60, true), ("-181", 60, false), ("0", 0, true), ("text", 60, false),
        ("none", 60, false),
    ])
    func `Where max_age was asked for, the token says when, and it is not too long ago`(
        written: String, maxAge: Int, isTaken: Bool
    )
        async throws
    {
        let value: JSONValue? =
            written == "none" ? nil : Int(written).map { .number(JSONNumber(text: String(Self.now + $0))) } ?? "soon"
        let token = try Signer.es256.token(payload: Self.payload([("auth_time", value)]))
        switch try await Self.check(token, maxAge: maxAge) {
        case .success: #expect(isTaken)
        case .failure(let error): #expect(!isTaken && error.check == "ID token authentication time")
        }
        // Unasked, it is not looked at, in whatever form it comes.
        _ = try await Self.check(token).get()
    }
}
