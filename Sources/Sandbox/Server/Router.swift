/// From a path to an endpoint of one of the two providers, and through it.
enum Endpoint: String, Sendable {
    case discovery, keys, instance, authorize, token, devicecode, logout, userinfo, revoke, introspect, register, par,
        native, resource
    /// Entra ID's first endpoints.
    case tokenV1, devicecodeV1
    case devicePage = "page:device"
    case interaction = "page:interaction"
    case front = "page:front"
    case mailbox = "page:mailbox"

    static func find(
        _ segments: [String], policy: String?, base: String, cloud: HostedIssuer.Cloud
    ) throws(OAuthErrorResponse) -> (endpoint: Endpoint, realm: HostedIssuer)? {
        let openID = HostedIssuer(shape: .openID, base: base)
        if let found = try b2c(segments, policy: policy, base: base) { return found }
        switch segments {
        case []: return (.front, openID)
        case ["device"]: return (.devicePage, openID)
        case ["resource"]: return (.resource, HostedIssuer(shape: .entra(.common), base: base, cloud: cloud))
        case ["mailbox"]: return (.mailbox, openID)
        case ["interaction"]: return (.interaction, openID)
        case [".well-known", "oauth-authorization-server", "oidc"]: return (.discovery, openID)
        case let path where path.first == "oidc": return plain(Array(path.dropFirst())).map { ($0, openID) }
        case let path where path.first == "realms" && path.count > 2:
            return plain(Array(path.dropFirst(2))).map {
                ($0, HostedIssuer(shape: .openID, base: base, openIDPath: "realms/" + path[1]))
            }
        case let path where path.first == "adfs":
            return adfs(Array(path.dropFirst())).map { ($0, HostedIssuer(shape: .adfs, base: base)) }
        case let path where path.count > 1:
            guard let endpoint = entra(Array(path.dropFirst())) else { return nil }
            guard let audience = HostedIssuer.Audience(segment: path[0]), audience.isKnown(in: cloud) else {
                throw .unknownTenant(path[0])
            }
            return (endpoint, HostedIssuer(shape: .entra(audience), base: base, cloud: cloud))
        default: return nil
        }
    }

    private static func plain(_ path: [String]) -> Endpoint? {
        switch path {
        case [".well-known", "openid-configuration"]: return .discovery
        case ["jwks"]: return .keys
        case ["device"]: return .devicecode
        default:
            let known: [Endpoint] = [.authorize, .token, .revoke, .introspect, .userinfo, .logout, .register, .par]
            return path.count == 1 ? known.first { $0.rawValue == path[0] } : nil
        }
    }

    /// `tfp/TENANT/POLICY/…`, `te/TENANT/POLICY/…`, `TENANT/POLICY/…`, and the oldest form, `TENANT/…?p=POLICY`.
    private static func b2c(_ segments: [String], policy: String?, base: String) throws(OAuthErrorResponse) -> (
        endpoint: Endpoint, realm: HostedIssuer
    )? {
        guard let first = segments.first else { return nil }
        let form = B2CForm(rawValue: first.lowercased()) ?? .b2clogin
        var rest = Array(form == .b2clogin ? segments[...] : segments.dropFirst())
        guard let tenant = rest.first.flatMap(Directory.tenant), tenant == Directory.b2cTenant else {
            if form != .b2clogin, let name = rest.first { throw .unknownTenant(name) }
            return nil
        }
        rest.removeFirst()
        let known: String?
        if let policy, form == .b2clogin, entra(rest) != nil {
            known = Directory.policy(policy)
        } else {
            known = rest.first.flatMap(Directory.policy)
            rest = Array(rest.dropFirst())
        }
        guard let known, let endpoint = entra(rest), endpoint != .devicecode, endpoint != .devicecodeV1,
            endpoint != .tokenV1,
            endpoint != .devicePage, endpoint != .native
        else {
            return nil
        }
        return (endpoint, HostedIssuer(shape: .b2c(policy: known, form), base: base))
    }

    private static func adfs(_ path: [String]) -> Endpoint? {
        switch path {
        case [".well-known", "openid-configuration"]: .discovery
        case ["discovery", "keys"]: .keys
        case ["oauth2", "authorize"]: .authorize
        case ["oauth2", "token"]: .token
        case ["oauth2", "devicecode"]: .devicecode
        case ["oauth2", "deviceauth"]: .devicePage
        case ["oauth2", "logout"]: .logout
        case ["userinfo"]: .userinfo
        default: nil
        }
    }

    private static func entra(_ path: [String]) -> Endpoint? {
        switch path {
        case ["v2.0", ".well-known", "openid-configuration"]: .discovery
        case ["discovery", "instance"]: .instance
        case ["discovery", "v2.0", "keys"]: .keys
        case ["oauth2", "v2.0", "authorize"]: .authorize
        case ["oauth2", "v2.0", "token"]: .token
        case ["oauth2", "v2.0", "devicecode"]: .devicecode
        case ["oauth2", "v2.0", "logout"]: .logout
        case ["oauth2", "deviceauth"]: .devicePage
        case ["openid", "userinfo"]: .userinfo
        case ["oauth2", "v2.0", "initiate"], ["oauth2", "v2.0", "challenge"], ["oauth2", "v2.0", "introspect"]: .native
        case let path where path.count == 3 && path[1] == "v1.0" && ["signup", "resetpassword"].contains(path[0]):
            .native
        default: versionOne(path)
        }
    }

    /// Under which names a request is counted, and found by a fault.
    func names(_ inquiry: SandboxRequest) -> [String] {
        if self == .native, let name = inquiry.segments.last, let flow = inquiry.segments.dropLast(2).last {
            return [rawValue, "native:\(flow)/\(name)"]
        }
        guard self == .token, let kind = inquiry.bodyForm["grant_type"] else { return [rawValue] }
        return [rawValue, "token:" + (kind == DeviceGrant.grantType ? "device_code" : String(kind.prefix(40)))]
    }
}

extension ProviderState {
    /// A token that comes to an issuer which did not give it was handed to a stranger: what no client may ever do.
    private mutating func noteMisplaced(_ inquiry: SandboxRequest, at endpoint: Endpoint, in realm: HostedIssuer) {
        guard realm.shape == .openID else { return }
        let form = inquiry.form
        let words = (inquiry.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        let shown = [
            form["refresh_token"], form["token"], words.count == 2 && words[0].lowercased() != "basic" ? words[1] : nil,
        ]
        for case let secret? in shown
        where refreshTokens[secret]?.provider ?? accessTokens[secret]?.provider != realm.provider {
            misplaced.append("\(endpoint.rawValue) \(realm.issuer)")
        }
        if let hint = form["id_token_hint"], keys.claims(of: hint)?["iss"]?.string != realm.issuer {
            misplaced.append("\(endpoint.rawValue) \(realm.issuer)")
        }
    }

    /// The one way in: every request of both providers and of the control endpoint.
    mutating func answer(_ inquiry: SandboxRequest, base: String) -> Answer {
        sweep()
        let segments = inquiry.segments
        if segments.first == "_sandbox" { return control(inquiry, Array(segments.dropFirst()), base: base) }
        let cloud = sites.cloud(of: base)
        let fallback = HostedIssuer(shape: .entra(.common), base: base, cloud: cloud)
        let found: (endpoint: Endpoint, realm: HostedIssuer)?
        do throws(OAuthErrorResponse) {
            found = try Endpoint.find(segments, policy: inquiry.queryForm["p"], base: base, cloud: cloud)
        } catch {
            return error.answer(in: fallback, correlationId: inquiry.correlationId, now: date)
        }
        guard let (endpoint, realm) = found else { return .json(.members(["error": "not_found"]), status: 404) }
        let names = endpoint.names(inquiry)
        for name in names { requests[name, default: 0] += 1 }
        noteMisplaced(inquiry, at: endpoint, in: realm)
        let username = username(of: inquiry)
        let tenant = tenant(of: username, in: realm)
        let taken = takeFault(names, user: username, client: ProviderState.clientId(of: inquiry), tenant: tenant)
        if let replacement = taken?.answer { return replacement }
        let fault = taken?.fault
        var answer = serve(endpoint, inquiry, in: realm, fault: fault)
        if realm.isEntra {
            answer.headers.append(("x-ms-request-id", RandomValue.uuid()))
            if let id = inquiry.correlationId { answer.headers.append(("client-request-id", id)) }
        }
        if endpoint == .token, realm.shape == .openID, inquiry.headers["dpop"] != nil, let proofNonce {
            answer.headers.append(("DPoP-Nonce", proofNonce))
        }
        answer = habitual(answer, to: inquiry, at: endpoint)
        return fault?.spoil(answer) ?? answer
    }

    /// Which tenant a request is about: the one of the address, else the home of whom it names.
    private func tenant(of username: String?, in realm: HostedIssuer) -> String? {
        switch realm.shape {
        case .entra(.tenant(let tenant)): tenant.id
        case .entra: username.flatMap(user)?.homeTenant
        case .b2c: Directory.b2cTenant.id
        case .openID: "oidc"
        case .adfs: "adfs"
        }
    }

    private mutating func serve(_ endpoint: Endpoint, _ inquiry: SandboxRequest, in realm: HostedIssuer, fault: Fault?)
        -> Answer
    {
        var forced = fault?.refusal(entra: realm.isEntra)
        if realm.provider == .b2c { forced?.origin = .b2c }
        switch endpoint {
        case .authorize: return authorize(inquiry, in: realm, forced: forced)
        case .front: return Pages.front(authorities)
        case .mailbox: return Pages.mailbox(mails(to: nil), now: now)
        case .devicePage: return devicePage(inquiry)
        case .interaction: return proceed(inquiry.form["transaction"] ?? "", inquiry.form, inquiry: inquiry)
        case .logout: return signOut(inquiry, in: realm)
        case .discovery, .keys, .instance, .token, .devicecode, .userinfo, .revoke, .introspect, .register, .par,
            .native, .resource,
            .tokenV1,
            .devicecodeV1:
            break
        }
        var bend: TokenBend?
        if case .idToken(let kind)? = fault?.kind { bend = kind }
        do throws(OAuthErrorResponse) {
            if let forced { throw forced }
            switch endpoint {
            case .discovery:
                let isOAuth = inquiry.path.hasPrefix("/.well-known/oauth-authorization-server")
                guard let document = habitual(Discovery.document(for: realm), in: realm, isOAuth: isOAuth) else {
                    return .empty(404)
                }
                return .json(document, cacheable: true)
            case .keys: return .json(try keyDocument(in: realm), cacheable: true)
            case .instance: return .json(try Discovery.instance(inquiry, sites: sites), cacheable: true)
            case .token: return .json(try token(inquiry, in: realm, bent: bend))
            case .devicecode: return .json(try authorizeDevice(inquiry, in: realm))
            case .tokenV1: return .json(try versionOneToken(inquiry, in: realm, bent: bend))
            case .devicecodeV1: return .json(try versionOneDevice(inquiry, in: realm))
            case .userinfo: return userinfo(inquiry, in: realm)
            case .revoke: return try revocation(inquiry, in: realm)
            case .introspect: return .json(try introspection(inquiry, in: realm))
            case .register: return .json(try register(inquiry), status: 201)
            case .resource: return protectedResource(inquiry, in: realm)
            case .native: return .json(try native(inquiry, in: realm))
            case .par: return .json(try push(inquiry, in: realm), status: 201)
            case .authorize, .front, .mailbox, .devicePage, .interaction, .logout: return .empty(404)
            }
        } catch {
            return error.answer(in: realm, correlationId: inquiry.correlationId, now: date)
        }
    }

    private mutating func keyDocument(in realm: HostedIssuer) throws(OAuthErrorResponse) -> JSON {
        do { return try signingKeys(of: realm.cloud).document } catch {
            throw OAuthErrorResponse("server_error", "no key could be made", status: 500)
        }
    }
}
