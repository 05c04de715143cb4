import Testing

@testable import Identity

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("ftp://a", WebAddress.Problem.scheme), ("javascript:alert(1)", .scheme), ("https:/a", .scheme),
        ("https://u@a", .userInformation),
        ("https://u:p@a/", .userInformation), ("https://a/#f", .fragment), ("https://a/ b", .forbiddenCharacter),
        ("https://a/\u{1B}", .forbiddenCharacter),
        ("https://é.example", .forbiddenCharacter), ("https://a/\"", .forbiddenCharacter),
        ("https://a/`id`", .forbiddenCharacter),
        ("https://", .host),
        ("https://a..b", .host), ("https://-a", .host), ("https://[zz]", .host), ("https://a:0", .port),
        ("https://a:65536", .port),
        ("https://a:99999999999999999999", .port), ("https://a:x", .port), ("http://example.com", .insecure),
        ("http://127.0.0.1.example.com", .insecure),
        ("http://127.1", .insecure), ("http://localhost.example", .insecure),
        ("https://" + String(repeating: "a", count: 2048), .tooLong),
    ])
    func `Addresses that could lead elsewhere are refused`(_ text: String, _ expected: WebAddress.Problem) {
        #expect(throws: expected) { _ = try WebAddress(text) }
    }

    @Test func `An address keeps its text and tells its parts`() throws {
        let address = try WebAddress("HTTPS://Login.Example.COM:8443/a//B?q=1&r")
        #expect(address.text == "HTTPS://Login.Example.COM:8443/a//B?q=1&r")
        #expect(
            address.host == "login.example.com" && address.port == 8443 && address.path == "/a//B"
                && address.query == "q=1&r")
        #expect(address.origin == "https://login.example.com:8443" && address.pathSegments == ["a", "B"])
    }

    @Test(arguments: ["http://localhost:80/x", "http://127.0.0.1:1", "http://127.255.0.1", "http://[::1]:65535/"])
    func `http is for this machine only (RFC 8252 section 8.3)`(_ text: String) throws {
        #expect(try WebAddress(text).isLoopback && !WebAddress(text).isSecure)
    }
}

@Suite struct AuthorityTests {
    @Test(arguments: [
        ("https://login.microsoftonline.com/organizations", Authority.Kind.aad, "organizations"),
        ("https://login.microsoftonline.us/common/", .aad, "common"),
        ("https://contosob2c.b2clogin.com/contosob2c.onmicrosoft.com/b2c_1_susi", .b2c, "contosob2c.onmicrosoft.com"),
        ("https://login.example.com/tenant/B2C_1_x", .b2c, "tenant"),
        ("https://adfs.corp.contoso.com/adfs", .adfs, "adfs"),
        ("https://contosociam.ciamlogin.com", .ciam, "contosociam.onmicrosoft.com"),
        ("https://contosociam.ciamlogin.com/t", .ciam, "t"),
        ("https://id.example.org/realms/lab", .oidc, ""),
        ("http://127.0.0.1:9000/c0c0c0c0-0000-4000-8000-000000000001", .aad, "c0c0c0c0-0000-4000-8000-000000000001"),
        ("https://accounts.example.com", .oidc, ""),
    ])
    func `The kind and the tenant are found from the address`(_ text: String, _ kind: Authority.Kind, _ tenant: String)
        throws
    {
        let authority = try Authority(text)
        #expect(authority.kind == kind && authority.tenant == tenant)
    }

    @Test func `An issuer of OpenID Connect keeps every byte, an Entra authority loses its last slash`() throws {
        #expect(
            try Authority("https://id.example.org/realms/lab/").address.text == "https://id.example.org/realms/lab/")
        #expect(
            try Authority("https://login.microsoftonline.com/common/").address.text
                == "https://login.microsoftonline.com/common")
        #expect(try Authority("https://Login.Microsoftonline.com/common").environment == "login.microsoftonline.com")
    }

    @Test func `Authorities without a tenant, with a query or without TLS are refused`() {
        #expect(throws: Authority.Problem.tenantMissing) { _ = try Authority("https://login.microsoftonline.com") }
        #expect(throws: Authority.Problem.query) { _ = try Authority("https://login.microsoftonline.com/common?x") }
        #expect(throws: Authority.Problem.address(.insecure)) {
            _ = try Authority("http://login.microsoftonline.com/common")
        }
    }

    @Test func `Another tenant takes the place of the first, where kinds have tenants`() throws {
        let common = try Authority("https://login.microsoftonline.com/common")
        #expect(common.isTenantIndependent && common.isKnownCloud)
        #expect(try common.withTenant("contoso.com").address.text == "https://login.microsoftonline.com/contoso.com")
        #expect(throws: Authority.Problem.tenantMissing) { _ = try common.withTenant("a/b") }
        let lab = try Authority("https://id.example.org/realms/lab")
        #expect(try lab.withTenant("other") == lab && !lab.isKnownCloud)
    }
}

/// The forms of Microsoft's other products.
@Suite struct AuthorityFormTests {
    @Test(arguments: [
        (
            "https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_susi",
            "/tfp/contoso.onmicrosoft.com/B2C_1_susi"
        ),
        (
            "https://login.microsoftonline.com/te/contoso.onmicrosoft.com/B2C_1_susi/",
            "/te/contoso.onmicrosoft.com/B2C_1_susi"
        ),
        ("https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_susi", "/contoso.onmicrosoft.com/B2C_1_susi"),
        (
            "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_susi/v2.0",
            "/tfp/contoso.onmicrosoft.com/B2C_1_susi"
        ),
        ("https://contoso.b2clogin.cn/contoso.onmicrosoft.com/B2C_1_susi", "/contoso.onmicrosoft.com/B2C_1_susi"),
        ("http://127.0.0.1:9/te/contoso.onmicrosoft.com/B2C_1_susi", "/te/contoso.onmicrosoft.com/B2C_1_susi"),
    ])
    func `B2C is known in each of its forms, with tenant and policy, and its prefix stays`(
        _ text: String, _ path: String
    ) throws {
        let authority = try Authority(text)
        #expect(
            authority.kind == .b2c && authority.tenant == "contoso.onmicrosoft.com" && authority.policy == "B2C_1_susi")
        #expect(authority.address.path == path)
    }

    @Test func `B2C without a policy or a tenant is refused; a custom domain is B2C when it is set so`() throws {
        #expect(throws: Authority.Problem.policyMissing) {
            _ = try Authority("https://login.microsoftonline.com/tfp/contoso")
        }
        #expect(throws: Authority.Problem.policyMissing) { _ = try Authority("https://contoso.b2clogin.com/contoso") }
        #expect(throws: Authority.Problem.tenantMissing) { _ = try Authority("https://contoso.b2clogin.com") }
        #expect(throws: Authority.Problem.otherKind) {
            _ = try Authority("https://login.microsoftonline.com/tfp/t/p", kind: .aad)
        }
        #expect(throws: Authority.Problem.otherKind) { _ = try Authority("https://fs.contoso.com/adfs", kind: .aad) }
        let custom = try Authority("https://login.contoso.com/contoso/susi", kind: .b2c)
        #expect(custom.policy == "susi" && custom.tenant == "contoso")
        #expect(try Authority("https://id.example.org/te/x/y").kind == .oidc)
    }

    @Test func `External ID gets the tenant that its host names; a custom domain has to name it`() throws {
        #expect(
            try Authority("https://contoso.ciamlogin.com/").address.text
                == "https://contoso.ciamlogin.com/contoso.onmicrosoft.com")
        #expect(
            try Authority("https://contoso.ciamlogin.com/my.domain/v2.0").address.text
                == "https://contoso.ciamlogin.com/my.domain")
        let custom = try Authority("https://login.contoso.com/contoso.onmicrosoft.com", kind: .ciam)
        #expect(custom.tenant == "contoso.onmicrosoft.com" && custom.policy == nil)
        #expect(throws: Authority.Problem.tenantMissing) { _ = try Authority("https://login.contoso.com", kind: .ciam) }
    }

    @Test func `AD FS is its host with /adfs, whatever follows; Entra's tenant is lower-case and alone`() throws {
        #expect(try Authority("https://fs.contoso.com/adfs/ls/").address.text == "https://fs.contoso.com/adfs")
        #expect(try Authority("https://fs.contoso.com", kind: .adfs).address.text == "https://fs.contoso.com/adfs")
        #expect(
            try Authority("https://login.microsoftonline.com/Contoso.COM/oauth2/v2.0/authorize").address.text
                == "https://login.microsoftonline.com/contoso.com")
    }

    @Test func `The same authority in another cloud`() throws {
        let authority = try Authority("https://login.microsoftonline.com/organizations")
        #expect(
            try authority.withHost("login.microsoftonline.us").address.text
                == "https://login.microsoftonline.us/organizations")
        for host in ["", "a/b", "a?b", "u@evil.example", "a b"] {
            #expect(throws: Authority.Problem.self) { _ = try authority.withHost(host) }
        }
    }
}

@Suite struct CloudTests {
    @Test func `All names of a cloud are one environment`() {
        #expect(
            Cloud.isSame("login.microsoftonline.com", "sts.windows.net")
                && Cloud.isSame("login.windows.net", "login.microsoft.com"))
        #expect(Cloud.isSame("login.partner.microsoftonline.cn", "login.chinacloudapi.cn"))
        #expect(Cloud.isSame("login.microsoftonline.us", "login.usgovcloudapi.net"))
        #expect(
            !Cloud.isSame("login.microsoftonline.com", "login.microsoftonline.us")
                && !Cloud.isSame("login-us.microsoftonline.com", "login.windows.net"))
        #expect(
            Cloud.isSame("idp.example.com", "idp.example.com") && !Cloud.isSame("idp.example.com", "login.windows.net"))
        #expect(
            Cloud.aliases(of: "login.windows.net").first == "login.windows.net"
                && Cloud.aliases(of: "login.windows.net").count == 4)
        #expect(Cloud.aliases(of: "idp.example.com") == ["idp.example.com"])
    }

    @Test func `No host is in two clouds`() {
        let hosts = Cloud.all.flatMap(\.aliases)
        #expect(Set(hosts).count == hosts.count)
    }
}
