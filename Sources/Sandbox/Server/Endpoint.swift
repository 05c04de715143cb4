enum Endpoint: String, Sendable {
    case discovery, keys, instance, authorize, token, devicecode, logout, userinfo, revoke, introspect, register, par,
        native, resource
    case api, tokeninfo, registered
    case tokenV1, devicecodeV1
    case devicePage = "page:device"
    case interaction = "page:interaction"
    case front = "page:front"
    case mailbox = "page:mailbox"
    case web = "page:web"

    static func find(
        _ segments: [String], policy: String?, base: String, cloud: HostedIssuer.Cloud
    ) throws(OAuthErrorResponse) -> (endpoint: Endpoint, issuer: HostedIssuer)? {
        if cloud == .global, let found = oauth(segments, base: base) { return found }
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
        case let path where path.count == 2 && path[0] == "register": return .registered
        default:
            let known: [Endpoint] = [.authorize, .token, .revoke, .introspect, .userinfo, .logout, .register, .par]
            return path.count == 1 ? known.first { $0.rawValue == path[0] } : nil
        }
    }

    /// `tfp/TENANT/POLICY/…`, `te/TENANT/POLICY/…`, `TENANT/POLICY/…`, and the oldest form, `TENANT/…?p=POLICY`.
    private static func b2c(_ segments: [String], policy: String?, base: String) throws(OAuthErrorResponse) -> (
        endpoint: Endpoint, issuer: HostedIssuer
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
        case ["oauth2", "token"]: .tokenV1
        case ["oauth2", "devicecode"]: .devicecodeV1
        default: nil
        }
    }

    /// The names in request counts and faults. Those of an OAuth server also exist with the server's name first.
    func names(_ request: SandboxRequest, at server: OAuthServer?) -> [String] {
        let names = names(request)
        return names + (server.map { server in names.map { "\(server.name):\($0)" } } ?? [])
    }

    private func names(_ request: SandboxRequest) -> [String] {
        if self == .native, let name = request.segments.last, let flow = request.segments.dropLast(2).last {
            return [rawValue, "native:\(flow)/\(name)"]
        }
        guard self == .token, let kind = request.bodyForm["grant_type"] else { return [rawValue] }
        return [rawValue, "token:" + (kind == DeviceGrant.grantType ? "device_code" : String(kind.prefix(40)))]
    }
}
