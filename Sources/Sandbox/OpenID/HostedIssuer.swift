struct HostedIssuer: Sendable, Equatable {
    enum Shape: Sendable, Equatable {
        /// Entra ID v2.0 with the tenant segment of the address, including External ID tenants.
        case entra(Audience)
        case openID
        case b2c(policy: String, B2CForm)
        case adfs
        case oauth(OAuthServer)
    }

    /// The Entra ID clouds: only a user's browser moves from one to the other.
    enum Cloud: Hashable, Sendable { case global, sovereign }

    /// The scope in which codes and refresh tokens are valid.
    enum AuthorizationServer: Hashable, Sendable {
        case entra(Cloud)
        /// Each plain issuer is its own authorization server.
        case openID(path: String)
        case b2c, adfs
        case oauth(OAuthServer)
    }

    enum Audience: Sendable, Equatable {
        case common, organizations, consumers
        case tenant(Tenant)

        init?(segment: String) {
            switch segment.lowercased() {
            case "common": self = .common
            case "organizations": self = .organizations
            case "consumers": self = .consumers
            default:
                guard let tenant = Directory.tenant(segment) else { return nil }
                self = .tenant(tenant)
            }
        }

        var segment: String {
            switch self {
            case .common: "common"
            case .organizations: "organizations"
            case .consumers: "consumers"
            case .tenant(let tenant): tenant.id
            }
        }

        func isKnown(in cloud: Cloud) -> Bool {
            guard case .tenant(let tenant) = self else { return true }
            return (tenant == Directory.sovereignTenant) == (cloud == .sovereign)
        }

        /// The tenant that issues tokens for this user here; nil if the user may not sign in here.
        func tenantId(for user: User) -> String? {
            switch self {
            // Customers of an External ID tenant exist only in that tenant.
            case .common: user.home == .ciam ? nil : user.homeTenant
            case .organizations: user.isPersonal || user.home == .ciam ? nil : user.homeTenant
            case .consumers: user.isPersonal ? user.homeTenant : nil
            case .tenant(let tenant): user.objectIds[tenant.id] == nil ? nil : tenant.id
            }
        }
    }

    var shape: Shape
    /// Scheme, host and port of the request, used for the endpoints as well.
    var base: String
    var cloud = Cloud.global
    /// The path of the plain issuer: `oidc`, or `realms/NAME` like providers with many issuers on one host. They share
    /// only users and clients, so a subject exists at each of them.
    var openIDPath = "oidc"

    var isEntra: Bool { if case .entra = shape { true } else { false } }

    var provider: AuthorizationServer {
        switch shape {
        case .entra: .entra(cloud)
        case .openID: .openID(path: openIDPath)
        case .b2c: .b2c
        case .adfs: .adfs
        case .oauth(let server): .oauth(server)
        }
    }

    var clientKind: HostedClient.Kind {
        switch shape {
        case .entra: .entra
        case .openID: .openID
        case .b2c: .b2c
        case .adfs: .adfs
        case .oauth(let server): server.clientKind
        }
    }

    /// Whether users must consent here. At B2C, AD FS and for External ID customers, an administrator has
    /// decided.
    var asksConsent: Bool {
        switch shape {
        case .entra: customerTenant == nil
        case .openID, .oauth: true
        case .b2c, .adfs: false
        }
    }

    /// The policy in the address, as spelled there.
    var policy: String? { if case .b2c(let policy, _) = shape { policy } else { nil } }

    /// The issuer in the documents. As at Entra ID, a template for tenant-independent names.
    var identifier: String {
        switch shape {
        case .openID: base + "/" + openIDPath
        case .adfs: base + "/adfs"
        case .oauth(let server): base + "/" + server.path
        // All policies of the tenant share this issuer, which is neither the document's URL nor contains the policy.
        case .b2c: "\(base)/\(Directory.b2cTenant.id)/v2.0/"
        case .entra(.tenant(let tenant)): "\(base)/\(tenant.id)/v2.0"
        case .entra: "\(base)/{tenantid}/v2.0"
        }
    }

    var segment: String {
        switch shape {
        case .openID: openIDPath
        case .adfs: "adfs"
        case .oauth(let server): server.path
        case .b2c(let policy, let form): form.prefix + Directory.b2cTenant.domain + "/" + policy.lowercased()
        case .entra(let audience): audience.segment
        }
    }

    var oauth: OAuthServer? { if case .oauth(let server) = shape { server } else { nil } }

    /// Whether it follows the standards that a plain issuer follows, RFC 9207 among them.
    var isStandard: Bool { shape == .openID || oauth?.isPlain == true }

    /// The page for device codes.
    var devicePage: String {
        switch shape {
        case .openID, .oauth(.plain), .oauth(.slack): base + "/device"
        case .oauth(.github): base + "/login/device"
        case .oauth(.google): base + "/google/device"
        case .entra, .b2c, .adfs: "\(base)/\(segment)/oauth2/deviceauth"
        }
    }

    func admits(_ user: User) -> Bool {
        switch shape {
        case .openID, .oauth: user.homeTenant == nil && user.home == .global
        case .adfs: user.home == .adfs
        case .b2c: user.home == .b2c
        case .entra: tenantId(for: user) != nil
        }
    }

    func tenantId(for user: User) -> String? {
        guard case .entra(let audience) = shape, (user.home == .sovereign) == (cloud == .sovereign), user.home != .b2c
        else { return nil }
        return audience.tenantId(for: user)
    }

    func admits(_ client: HostedClient) -> Bool {
        guard client.kind == clientKind else { return false }
        guard let only = client.onlyTenant else { return true }
        if case .entra(.tenant(let tenant)) = shape { return tenant.id == only }
        return oauth?.name == only
    }
}

package enum B2CForm: String, Sendable, CaseIterable {
    case tfp
    /// The form in the first samples.
    case te
    /// As at `TENANT.b2clogin.com`: the tenant comes first.
    case b2clogin

    var prefix: String { self == .b2clogin ? "" : rawValue + "/" }
}
