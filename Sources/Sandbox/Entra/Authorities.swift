extension SandboxProvider {
    /// The Entra ID authority of a tenant: its ID, its domain, `common`, `organizations` or `consumers`.
    package func authority(_ tenant: String = "common") -> String { "\(baseURL)/\(tenant)" }

    package func b2cAuthority(policy: String = Directory.signInPolicy, form: B2CForm = .tfp) -> String {
        "\(baseURL)/\(form.prefix)\(Directory.b2cTenant.domain)/\(policy)"
    }

    /// AD FS 2019; also its issuer.
    package var adfsAuthority: String { baseURL + "/adfs" }

    package var ciamAuthority: String { authority(Directory.ciamTenant.domain) }

    package func sovereignAuthority(_ tenant: String = "common") -> String { "\(sovereignBaseURL)/\(tenant)" }
}

extension Origins {
    /// All authorities, for the first line of `foyer-sandbox --json` and for `/_sandbox/state`.
    var authorities: JSON {
        func b2c(_ form: B2CForm) -> JSON {
            .object(
                Directory.policies.map {
                    JSON.Member(name: $0, value: .string("\(base)/\(form.prefix)\(Directory.b2cTenant.domain)/\($0)"))
                })
        }
        return .members([
            "common": .string(base + "/common"), "organizations": .string(base + "/organizations"),
            "consumers": .string(base + "/consumers"), "contoso": .string("\(base)/\(Directory.contoso.domain)"),
            "guest": .string("\(base)/\(Directory.fabrikam.domain)"), "b2c": b2c(.tfp), "b2cLegacy": b2c(.te),
            "b2clogin": b2c(.b2clogin),
            "adfs": .string(base + "/adfs"), "ciam": .string("\(base)/\(Directory.ciamTenant.domain)"),
            "sovereign": .string(sovereignBase + "/common"),
            "sovereignTenant": .string("\(sovereignBase)/\(Directory.sovereignTenant.domain)"),
            "oidc": .string(base + "/oidc"),
        ])
    }
}
