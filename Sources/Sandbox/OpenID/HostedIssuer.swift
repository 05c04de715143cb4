/// Which provider a request went to, seen from the address it was sent to.
struct HostedIssuer: Sendable, Equatable {
    enum Shape: Sendable, Equatable {
        /// Entra ID v2.0, with the tenant segment as it is used in addresses; a tenant of External ID is one of them.
        case entra(Audience)
        case openID
        /// A policy of the B2C tenant.
        case b2c(policy: String, B2CForm)
        case adfs
    }

    /// The clouds of the Entra shape: nothing but a person's browser goes from one to the other.
    enum Cloud: Hashable, Sendable { case global, sovereign }

    /// Those among whom codes and refresh tokens are good.
    enum AuthorizationServer: Hashable, Sendable {
        case entra(Cloud)
        /// Of the plain issuers, each is one by itself.
        case openID(path: String)
        case b2c, adfs
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

        /// The tenant that issues tokens for this user here; nil: the user may not sign in here.
        func tenantId(for user: User) -> String? {
            switch self {
            // Customers of an External ID tenant are known in that tenant alone.
            case .common: user.home == .ciam ? nil : user.homeTenant
            case .organizations: user.isPersonal || user.home == .ciam ? nil : user.homeTenant
            case .consumers: user.isPersonal ? user.homeTenant : nil
            case .tenant(let tenant): user.objectIds[tenant.id] == nil ? nil : tenant.id
            }
        }
    }

    var shape: Shape
    /// Scheme, host and port that the client used: endpoints are told in the same terms.
    var base: String
    var cloud = Cloud.global
    /// The path of the plain issuer: `oidc`, or `realms/NAME` as at providers that have many on one host. They share
    /// people and clients, so that the same subject is somebody at each, and nothing else.
    var openIDPath = "oidc"

    var isEntra: Bool { if case .entra = shape { true } else { false } }

    var provider: AuthorizationServer {
        switch shape {
        case .entra: .entra(cloud)
        case .openID: .openID(path: openIDPath)
        case .b2c: .b2c
        case .adfs: .adfs
        }
    }

    var clientKind: HostedClient.Kind {
        switch shape {
        case .entra: .entra
        case .openID: .openID
        case .b2c: .b2c
        case .adfs: .adfs
        }
    }

    /// Whether people are asked here what an application may do; at B2C, AD FS and for customers of External ID an
    /// administrator has decided before.
    var asksConsent: Bool {
        switch shape {
        case .entra: customerTenant == nil
        case .openID: true
        case .b2c, .adfs: false
        }
    }

    /// The policy of the address, as it was spelled by who made it.
    var policy: String? { if case .b2c(let policy, _) = shape { policy } else { nil } }

    /// The issuer of the documents. For the tenant-independent names it is a template, as at Entra.
    var identifier: String {
        switch shape {
        case .openID: base + "/" + openIDPath
        case .adfs: base + "/adfs"
        // Neither the address of the document nor one with the policy: every policy of the tenant has this one.
        case .b2c: "\(base)/\(Directory.b2cTenant.id)/v2.0/"
        case .entra(.tenant(let tenant)): "\(base)/\(tenant.id)/v2.0"
        case .entra: "\(base)/{tenantid}/v2.0"
        }
    }

    /// What stands between the host and the names of the endpoints.
    var segment: String {
        switch shape {
        case .openID: openIDPath
        case .adfs: "adfs"
        case .b2c(let policy, let form): form.prefix + Directory.b2cTenant.domain + "/" + policy.lowercased()
        case .entra(let audience): audience.segment
        }
    }

    func admits(_ user: User) -> Bool {
        switch shape {
        case .openID: user.homeTenant == nil && user.home == .global
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
        return false
    }
}

/// The three ways in which B2C addresses name tenant and policy.
package enum B2CForm: String, Sendable, CaseIterable {
    case tfp
    /// The address of the first samples.
    case te
    /// As at `TENANT.b2clogin.com`: nothing stands before the tenant.
    case b2clogin

    var prefix: String { self == .b2clogin ? "" : rawValue + "/" }
}
