import Identity
import SilentCore
import Testing

/// What a provider does not know is refused before anything is looked up: ignored, it would yield another token.
@Suite struct RequestCheckTests {
    private static let authorities: [(String, Authority.Kind?, hasTenants: Bool)] = [
        ("https://login.microsoftonline.com/organizations", nil, true), ("https://contoso.ciamlogin.com/", .ciam, true),
        ("https://contoso.b2clogin.com/tfp/contoso.example/policy", .b2c, true),
        ("https://fs.example.org/adfs", .adfs, false), ("https://id.example.org/realms/x", .oidc, false),
        ("https://git.example.org/login/oauth", .oauth2, false),
    ]

    private static func refusal(_ request: TokenRequest, _ address: String, _ kind: Authority.Kind?) throws -> Failure?
    {
        let authority = try Authority(address, kind: kind)
        do throws(Failure) { try request.check(at: authority) } catch { return error }
        return nil
    }

    @Test(arguments: authorities)
    func `A tenant is refused where a provider has none`(address: String, kind: Authority.Kind?, hasTenants: Bool)
        throws
    {
        let request = TokenRequest(scopes: ["read"], tenant: "contoso.example")
        let refusal = try Self.refusal(request, address, kind)
        #expect(hasTenants ? refusal == nil : refusal?.code == .usage && refusal?.message.contains("tenants") == true)
        #expect(try Self.refusal(TokenRequest(scopes: ["read"]), address, kind) == nil)
    }

    @Test(arguments: authorities)
    func `The scope openid is refused at OAuth alone`(address: String, kind: Authority.Kind?, hasTenants: Bool) throws {
        for request in [
            TokenRequest(scopes: ["openid", "read"]), TokenRequest(scopes: ["read"], extraScopes: ["openid"]),
        ] {
            let refusal = try Self.refusal(request, address, kind)
            #expect(
                kind == .oauth2
                    ? refusal?.code == .usage && refusal?.message.contains("openid") == true : refusal == nil)
        }
    }

    @Test(arguments: authorities)
    func `Claims are refused at OAuth alone, which has none`(
        address: String, kind: Authority.Kind?, hasTenants: Bool
    ) throws {
        for claims in ["{}", #"{"access_token":{"nbf":{"essential":true,"value":"1"}}}"#] {
            let refusal = try Self.refusal(TokenRequest(scopes: ["read"], claims: claims), address, kind)
            #expect(
                kind == .oauth2
                    ? refusal?.code == .usage && refusal?.message.contains("claims") == true : refusal == nil)
        }
    }
}
