import Identity
import Testing

@testable import Wire

/// M6: which issuers the documents of each of Microsoft's products may name.
@Suite struct IssuerMatchTests {
    private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    private static let other = "11111111-2222-3333-4444-555555555555"

    private static func accepts(
        _ issuer: String, _ authority: String, _ kind: Authority.Kind? = nil, aliases: [String] = []
    ) throws -> Bool {
        IssuerMatch(
            authority: try Authority(authority, kind: kind), manual: EndpointOverrides(), aliases: aliases
        ).accepts(
            issuer.replacing("TENANT", with: tenant).replacing("OTHER", with: other))
    }

    @Test(arguments: [
        ("https://contoso.b2clogin.com/TENANT/v2.0/", true),
        ("https://contoso.b2clogin.com/tfp/TENANT/b2c_1_susi/v2.0/", true),
        ("https://contoso.b2clogin.com/tfp/TENANT/b2c_1_other/v2.0/", false),
        ("https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/", false),
        ("https://evil.b2clogin.com/TENANT/v2.0/", false), ("https://contoso.b2clogin.com/{tenantid}/v2.0/", false),
        ("https://contoso.b2clogin.com/", false), ("https://login.microsoftonline.com/TENANT/v2.0/", false),
        ("https://contoso.b2clogin.com:444/TENANT/v2.0/", false), ("http://contoso.b2clogin.com/TENANT/v2.0/", false),
    ])
    func `B2C: the tenant's identifier at the same host, for all policies or for this one`(
        issuer: String, isAccepted: Bool
    ) throws {
        let authorities = ["", "tfp/", "te/"].map {
            "https://contoso.b2clogin.com/\($0)contoso.onmicrosoft.com/B2C_1_susi"
        }
        for authority in authorities { #expect(try Self.accepts(issuer, authority) == isAccepted) }
    }

    @Test func `B2C: an authority that names the tenant's identifier takes no other`() throws {
        let authority = "https://contoso.b2clogin.com/\(Self.tenant)/B2C_1_susi"
        #expect(try Self.accepts("https://contoso.b2clogin.com/TENANT/v2.0/", authority))
        #expect(try !Self.accepts("https://contoso.b2clogin.com/OTHER/v2.0/", authority))
        #expect(
            try Self.accepts(
                "https://login.contoso.com/TENANT/v2.0/", "https://login.contoso.com/contoso/B2C_1_x", .b2c))
    }

    @Test(arguments: [
        ("https://TENANT.ciamlogin.com/TENANT/v2.0", true), ("https://contoso.ciamlogin.com/TENANT/v2.0", true),
        ("https://OTHER.ciamlogin.com/TENANT/v2.0", false), ("https://evil.ciamlogin.com/TENANT/v2.0", false),
        ("https://contoso.ciamlogin.com/contoso/v2.0", false),
        ("https://TENANT.ciamlogin.com.evil.example/TENANT/v2.0", false),
        ("http://TENANT.ciamlogin.com/TENANT/v2.0", false), ("https://TENANT.ciamlogin.com/TENANT", false),
        ("https://contoso.ciamlogin.com/{tenantid}/v2.0", false),
    ])
    func `External ID: the tenant's identifier, at its own host or at the asked one`(issuer: String, isAccepted: Bool)
        throws
    {
        #expect(try Self.accepts(issuer, "https://contoso.ciamlogin.com") == isAccepted)
    }

    @Test func `External ID: a custom domain has the tenant's own issuer, and a tenant that was named is kept to`()
        throws
    {
        #expect(
            try Self.accepts(
                "https://TENANT.ciamlogin.com/TENANT/v2.0", "https://login.contoso.com/contoso.onmicrosoft.com", .ciam))
        #expect(
            try !Self.accepts(
                "https://OTHER.ciamlogin.com/OTHER/v2.0", "https://login.contoso.com/\(Self.tenant)", .ciam))
    }

    @Test(arguments: [
        ("https://fs.contoso.com/adfs", true), ("https://fs.contoso.com/adfs/services/trust", false),
        ("https://fs.contoso.com", false),
        ("https://evil.example/adfs", false), ("http://fs.contoso.com/adfs", false),
    ])
    func `AD FS: its own address`(issuer: String, isAccepted: Bool) throws {
        #expect(try Self.accepts(issuer, "https://fs.contoso.com/adfs/") == isAccepted)
    }

    @Test func `Sovereign clouds: any name of the same cloud, learnt names too, and never another cloud`() throws {
        let learnt = "https://login.newcloud.example/organizations"
        #expect(
            try Self.accepts(
                "https://login.partner.microsoftonline.cn/{tenantid}/v2.0", "https://login.chinacloudapi.cn/common"))
        #expect(
            try Self.accepts(
                "https://login.microsoftonline.us/TENANT/v2.0", "https://login.usgovcloudapi.net/\(Self.tenant)"))
        #expect(
            try Self.accepts(
                "https://login.sovcloud-identity.fr/{tenantid}/v2.0", "https://login.sovcloud-identity.fr/organizations"
            ))
        #expect(
            try !Self.accepts(
                "https://login.sovcloud-identity.de/{tenantid}/v2.0", "https://login.sovcloud-identity.fr/organizations"
            ))
        #expect(try !Self.accepts("https://sts.newcloud.example/{tenantid}/v2.0", learnt))
        #expect(
            try Self.accepts("https://sts.newcloud.example/{tenantid}/v2.0", learnt, aliases: ["sts.newcloud.example"]))
    }
}
