import Testing

@testable import Sandbox

struct RealmTests {
    @Test func `The sovereign cloud has an address of its own, known by the listener and by the Host`() async throws {
        let visitor = try await Visitor()
        let provider = visitor.provider
        #expect(provider.sovereignBaseURL != provider.baseURL && provider.sovereignBaseURL.hasPrefix("http://127.0.0."))
        let host = String(provider.sovereignBaseURL.dropFirst("http://".count))
        let path = "/common/v2.0/.well-known/openid-configuration"
        let document = try JSON(parsing: provider.answer(Inquiry("GET", path, headers: ["host": host])).body)
        #expect(document["issuer"]?.string == provider.sovereignBaseURL + "/{tenantid}/v2.0")
        let contoso = Inquiry("GET", "/contoso.example/v2.0/.well-known/openid-configuration", headers: ["host": host])
        #expect(provider.answer(contoso).body.contains("AADSTS90002"))
        let litware = Inquiry("GET", "/litware.example/v2.0/.well-known/openid-configuration")
        #expect(provider.answer(litware).body.contains("AADSTS90002"))
        await provider.stop()
    }
}
