/// Which of the two providers a request went to, seen from the address it was sent to.
struct Realm: Sendable, Equatable {
    enum Shape: Sendable, Equatable {
        /// Entra ID v2.0, with the tenant segment as it is used in addresses.
        case entra(Audience)
        case openID
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

        /// The tenant that issues tokens for this user here; nil: the user may not sign in here.
        func tenantId(for user: User) -> String? {
            switch self {
            case .common: user.homeTenant
            case .organizations: user.isPersonal ? nil : user.homeTenant
            case .consumers: user.isPersonal ? user.homeTenant : nil
            case .tenant(let tenant): user.objectIds[tenant.id] == nil ? nil : tenant.id
            }
        }
    }

    var shape: Shape
    /// Scheme, host and port that the client used: endpoints are told in the same terms.
    var base: String

    var isEntra: Bool { shape != .openID }
    var clientKind: Client.Kind { isEntra ? .entra : .openID }

    /// The issuer of the documents. For the tenant-independent names it is a template, as at Entra.
    var issuer: String {
        switch shape {
        case .openID: base + "/oidc"
        case .entra(.tenant(let tenant)): "\(base)/\(tenant.id)/v2.0"
        case .entra: "\(base)/{tenantid}/v2.0"
        }
    }

    var segment: String {
        switch shape {
        case .openID: "oidc"
        case .entra(let audience): audience.segment
        }
    }

    func endpoint(_ entra: String, _ openID: String) -> String {
        "\(base)/\(segment)/\(isEntra ? entra : openID)"
    }

    func admits(_ user: User) -> Bool {
        switch shape {
        case .openID: user.homeTenant == nil
        case .entra(let audience): audience.tenantId(for: user) != nil
        }
    }

    func tenantId(for user: User) -> String? {
        switch shape {
        case .openID: nil
        case .entra(let audience): audience.tenantId(for: user)
        }
    }
}
