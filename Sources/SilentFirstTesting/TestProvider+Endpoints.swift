import Crypto
import FoundationEssentials
import Identity
import StrictJSON
import Synchronization
import Wire

/// Codes and tokens that were issued, with what they stand for.
struct TestIssuer {
    struct Grant {
        var user: TestUser
        var clientID: String
        var scopes: ScopeSet
        var nonce: String?
        var challenge: String?
        var redirectURI: String?
        var tenantID: String
    }

    struct Device {
        var clientID: String
        var scopes: ScopeSet
        var tenantID: String?
        var polls = 0
    }

    let key = P256.Signing.PrivateKey()
    var codes: [String: Grant] = [:]
    var refreshTokens: [String: Grant] = [:]
    var devices: [String: Device] = [:]
    private var last = 0

    /// No secret: these tokens open nothing.
    mutating func next(_ what: String) -> String {
        last += 1
        return "test-\(what)-\(last)"
    }
}

/// The endpoints, at any host: each address is that of the metadata with another end.
extension TestProvider {
    private static let wellKnown = "/.well-known/openid-configuration"
    private static let folder = "/silent-first-test/"
    private static let secretFields: Set<String> = [
        "code", "code_verifier", "refresh_token", "device_code", "client_secret", "client_assertion", "token",
    ]

    func answer(_ request: HTTPRequest) throws(WireError) -> HTTPReply {
        let path = request.address.path
        var fields: [String: String] = [:]
        if case .form(let form) = request.body { fields = Dictionary(form.map { ($0.name, $0.value) }) { $1 } }
        let (kind, handle): (TestRequest.Kind, (inout State) throws(WireError) -> Reply) =
            if path.hasSuffix(Self.wellKnown) {
                (.metadata, { _ in self.metadata(of: request.address) })
            } else if path.hasSuffix(Self.folder + "keys") {
                (.metadata, { state in self.keys(state) })
            } else if path.hasSuffix(Self.folder + "devicecode") {
                (.deviceCode, { state in self.deviceCode(request, fields, &state) })
            } else if path.hasSuffix(Self.folder + "token") {
                (
                    .token(grant: fields["grant_type"] ?? ""),
                    { state throws(WireError) in try self.token(request, fields, &state) }
                )
            } else if path.hasSuffix(Self.folder + "revoke") {
                (.other(path: path), { _ in Reply([:]) })
            } else {
                (.other(path: path), { _ in Reply(status: 404, ["error": "not_found"]) })
            }
        let result: Result<Reply, WireError> = state.withLock { state in
            state.requests.append(
                TestRequest(
                    kind: kind, host: request.address.hostAndPort, scopes: ScopeSet(parsing: fields["scope"] ?? ""),
                    fields: fields.filter { !Self.secretFields.contains($0.key) }))
            do throws(WireError) { return .success(try handle(&state)) } catch { return .failure(error) }
        }
        let reply = try result.get()
        return HTTPReply(
            to: request, status: reply.status, body: Array(reply.body.serialized().utf8), headers: reply.headers,
            received: clock.now)
    }

    private struct Reply {
        var status = 200
        var body: JSONValue
        var headers: [(String, String)] = []

        init(status: Int = 200, _ body: JSONValue, headers: [(String, String)] = []) {
            (self.status, self.body, self.headers) = (status, body, headers)
        }

        static func refused(
            _ error: String, _ description: String, suberror: String? = nil, codes: [Int] = [], claims: String? = nil
        ) -> Reply {
            var members = [
                JSONMember(name: "error", value: .string(error)),
                JSONMember(name: "error_description", value: .string(description)),
            ]
            if let suberror { members.append(JSONMember(name: "suberror", value: .string(suberror))) }
            if let claims { members.append(JSONMember(name: "claims", value: .string(claims))) }
            if !codes.isEmpty {
                let numbers = codes.map { JSONValue(integerLiteral: Int64($0)) }
                members.append(JSONMember(name: "error_codes", value: .array(numbers)))
            }
            return Reply(status: 400, .object(JSONObject(members)))
        }
    }

    // MARK: Metadata

    private func metadata(of address: WebAddress) -> Reply {
        let place = Place(address, cut: Self.wellKnown)
        let base = place.base + Self.folder
        var members: [JSONMember] = [JSONMember(name: "issuer", value: .string(place.issuer))]
        for (name, end) in [
            ("authorization_endpoint", "authorize"), ("token_endpoint", "token"), ("jwks_uri", "keys"),
            ("device_authorization_endpoint", "devicecode"), ("revocation_endpoint", "revoke"),
        ] { members.append(JSONMember(name: name, value: .string(base + end))) }
        members.append(JSONMember(name: "code_challenge_methods_supported", value: .array([.string("S256")])))
        members.append(JSONMember(name: "token_endpoint_auth_methods_supported", value: .array([.string("none")])))
        return Reply(.object(JSONObject(members)))
    }

    private func keys(_ state: State) -> Reply {
        let point = Array(state.issued.key.publicKey.rawRepresentation)
        return Reply([
            "keys": [
                [
                    "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "test",
                    "x": .string(Base64URL.encode(point.prefix(32))), "y": .string(Base64URL.encode(point.suffix(32))),
                ]
            ]
        ])
    }

    // MARK: The browser

    /// The URL that the browser is redirected to; nil if the person stays away.
    func authorize(_ address: WebAddress, _ person: TestBrowser.Person) -> String? {
        let fields = FormEncoding.decode(address.query ?? "") ?? [:]
        let scopes = ScopeSet(parsing: fields["scope"] ?? "")
        return state.withLock { state in
            state.requests.append(
                TestRequest(kind: .authorization, host: address.hostAndPort, scopes: scopes, fields: fields))
            var answer: [(name: String, value: String)]
            switch person {
            case .staysAway: return nil
            case .declines: answer = [("error", "access_denied"), ("error_description", "the user declined")]
            case .signsIn(let user):
                let code = state.issued.next("code")
                state.issued.codes[code] = TestIssuer.Grant(
                    user: user, clientID: fields["client_id"] ?? "", scopes: scopes, nonce: fields["nonce"],
                    challenge: fields["code_challenge"], redirectURI: fields["redirect_uri"],
                    tenantID: Place(address, cut: Self.folder + "authorize").tenantID ?? user.tenantID)
                answer = [("code", code)]
            }
            answer.append(("state", fields["state"] ?? ""))
            return (fields["redirect_uri"] ?? "") + "?" + FormEncoding.encode(answer)
        }
    }

    private func deviceCode(_ request: HTTPRequest, _ fields: [String: String], _ state: inout State) -> Reply {
        let code = state.issued.next("device")
        let place = Place(request.address, cut: Self.folder + "devicecode")
        state.issued.devices[code] = TestIssuer.Device(
            clientID: fields["client_id"] ?? "", scopes: ScopeSet(parsing: fields["scope"] ?? ""),
            tenantID: place.tenantID)
        return Reply([
            "device_code": .string(code), "user_code": "TEST-CODE",
            "verification_uri": .string(request.address.origin + Self.folder + "device"), "expires_in": 900,
            "interval": 5,
        ])
    }

    // MARK: Tokens

    private func token(_ request: HTTPRequest, _ fields: [String: String], _ state: inout State) throws(WireError)
        -> Reply
    {
        let isPoll = fields["device_code"] != nil
        if isPoll, let waiting = poll(fields, &state) { return waiting }
        var missing = ScopeSet()
        switch state.answers.isEmpty ? .tokens : state.answers.removeFirst() {
        case .tokens: break
        case .tokensWithout(let scopes): missing = scopes
        case .refusal(let error, let suberror, let codes, let claims):
            let description = codes.first.map { "AADSTS\($0): refused by the test" } ?? "refused by the test"
            return .refused(error, description, suberror: suberror, codes: codes, claims: claims)
        case .unavailable(let seconds):
            let headers = seconds.map { [("Retry-After", "\($0)")] } ?? []
            return Reply(status: 503, ["error": "temporarily_unavailable"], headers: headers)
        case .unreachable: throw .unreachable(host: request.address.hostAndPort, why: "no route to host")
        }
        guard var grant = try grant(fields, &state) else {
            return .refused("invalid_grant", "the code or token is unknown, expired or used", codes: [70000])
        }
        guard grant.clientID == fields["client_id"] else {
            return .refused("invalid_grant", "the code or token belongs to another client", codes: [700003])
        }
        if let scope = fields["scope"], fields["grant_type"] == "refresh_token" {
            grant.scopes = ScopeSet(parsing: scope)
        }
        let place = Place(request.address, cut: Self.folder + "token")
        if let tenant = place.tenantID { grant.tenantID = tenant }
        return tokens(grant, place, without: missing, &state)
    }

    /// The answer while a code was not entered; nil once it was.
    private func poll(_ fields: [String: String], _ state: inout State) -> Reply? {
        guard let code = fields["device_code"], var device = state.issued.devices[code] else { return nil }
        device.polls += 1
        state.issued.devices[code] = device
        let person = state.browsers.last?.person ?? .signsIn(.ada)
        switch person {
        case .staysAway: break
        case .declines: return .refused("authorization_declined", "the user declined")
        case .signsIn(let user):
            guard device.polls > 1 else { break }
            state.issued.devices[code] = nil
            state.issued.codes[code] = TestIssuer.Grant(
                user: user, clientID: device.clientID, scopes: device.scopes,
                tenantID: device.tenantID ?? user.tenantID)
            return nil
        }
        return .refused("authorization_pending", "the code was not entered yet")
    }

    private func grant(_ fields: [String: String], _ state: inout State) throws(WireError) -> TestIssuer.Grant? {
        if let token = fields["refresh_token"] {
            return state.rotates
                ? state.issued.refreshTokens.removeValue(forKey: token) : state.issued.refreshTokens[token]
        }
        if let code = fields["device_code"] { return state.issued.codes.removeValue(forKey: code) }
        guard let code = fields["code"], let grant = state.issued.codes.removeValue(forKey: code),
            grant.redirectURI == fields["redirect_uri"],
            let verifier = fields["code_verifier"],
            grant.challenge == Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8))))
        else { return nil }
        return grant
    }

    private func tokens(_ grant: TestIssuer.Grant, _ place: Place, without missing: ScopeSet, _ state: inout State)
        -> Reply
    {
        let refreshToken = state.issued.next("refresh")
        state.issued.refreshTokens[refreshToken] = grant
        let granted = ScopeSet(grant.scopes.names.filter { !missing.contains($0) })
        var members = [
            JSONMember(name: "token_type", value: "Bearer"),
            JSONMember(name: "scope", value: .string(granted.description)),
            JSONMember(name: "expires_in", value: JSONValue(integerLiteral: Int64(state.lifetime))),
            JSONMember(name: "access_token", value: .string(state.issued.next("access"))),
            JSONMember(name: "refresh_token", value: .string(refreshToken)),
            JSONMember(name: "id_token", value: .string(idToken(grant, place, state))),
        ]
        if place.isEntra {
            let info: JSONValue = ["uid": .string(grant.user.id), "utid": .string(grant.user.tenantID)]
            let text = Base64URL.encode(Array(info.serialized().utf8))
            members.append(JSONMember(name: "client_info", value: .string(text)))
        }
        return Reply(.object(JSONObject(members)))
    }

    private func idToken(_ grant: TestIssuer.Grant, _ place: Place, _ state: State) -> String {
        let now = Int64(clock.now.timeIntervalSince1970)
        var members = [
            JSONMember(name: "iss", value: .string(place.issuer.replacing("{tenantid}", with: grant.tenantID))),
            JSONMember(name: "aud", value: .string(grant.clientID)),
            JSONMember(name: "sub", value: .string(grant.user.id)),
            JSONMember(name: "name", value: .string(grant.user.name)),
            JSONMember(name: "preferred_username", value: .string(grant.user.username)),
            JSONMember(name: "iat", value: JSONValue(integerLiteral: now)),
            JSONMember(name: "nbf", value: JSONValue(integerLiteral: now)),
            JSONMember(name: "exp", value: JSONValue(integerLiteral: now + 3600)),
        ]
        if place.isEntra {
            members.append(JSONMember(name: "oid", value: .string(grant.user.id)))
            members.append(JSONMember(name: "tid", value: .string(grant.tenantID)))
            members.append(JSONMember(name: "ver", value: "2.0"))
        }
        if let nonce = grant.nonce { members.append(JSONMember(name: "nonce", value: .string(nonce))) }
        let header: JSONValue = ["alg": "ES256", "typ": "JWT", "kid": "test"]
        let input = [header, .object(JSONObject(members))].map { Base64URL.encode(Array($0.serialized().utf8)) }
            .joined(separator: ".")
        // Signing fails for no input.
        let signature = (try? state.issued.key.signature(for: Array(input.utf8)))?.rawRepresentation
        return input + "." + Base64URL.encode(Array(signature ?? Data()))
    }
}

/// The authority behind the address of an endpoint.
private struct Place {
    /// Without the end of the endpoint.
    let base: String
    let isEntra: Bool
    /// The tenant of Entra ID in the address; nil for the user's own.
    let tenantID: String?

    init(_ address: WebAddress, cut end: String) {
        let path = address.path.hasSuffix(end) ? String(address.path.dropLast(end.utf8.count)) : address.path
        base = address.origin + path
        isEntra = Cloud.containing(host: address.host) != nil
        let tenant = address.pathSegments.first?.asciiLowercased ?? ""
        tenantID = isEntra && tenant.isGUID ? tenant : nil
    }

    var issuer: String {
        guard isEntra, let origin = try? WebAddress(base).origin else { return base }
        return "\(origin)/\(tenantID ?? "{tenantid}")/v2.0"
    }
}
