import Identity
import NIOHTTP1
import Testing

@testable import Programs

@Suite struct IdentityRequestTests {
    private static let reader = IdentityRequestReader(secret: Secret("s3cret"), port: 4711)
    private static let usual = [
        ("host", "127.0.0.1:4711"), ("x-identity-header", "s3cret"), ("metadata", "true"),
    ]
    private static let query = "/msi/token?api-version=2019-08-01&resource=https://vault.azure.net"

    private static func read(
        _ uri: String = query, _ headers: [(String, String)] = usual, method: HTTPMethod = .GET, body: String = "",
        reader: IdentityRequestReader = reader
    ) -> Result<IdentityRequest, IdentityRefusal> {
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: HTTPHeaders(headers))
        do throws(IdentityRefusal) { return .success(try reader.read(head, body: Array(body.utf8))) } catch {
            return .failure(error)
        }
    }

    private static func status(_ result: Result<IdentityRequest, IdentityRefusal>) -> Int {
        if case .failure(let refusal) = result { refusal.status } else { 200 }
    }

    @Test func `The request of an Azure SDK is for the default scope of its resource`() throws {
        let request = try Self.read(Self.query + "&client_id=work").get()
        #expect(request.scopes == ["https://vault.azure.net/.default"] && request.resource == "https://vault.azure.net")
        #expect(request.identity == "work" && request.contract == .appService)
    }

    @Test(arguments: [
        ([("host", "127.0.0.1:4711")], 401), ([("host", "127.0.0.1:4711"), ("x-identity-header", "s3creT")], 401),
        ([("host", "127.0.0.1:4711"), ("x-identity-header", "s3cret"), ("x-identity-header", "s3cret")], 401),
        ([("host", "127.0.0.1:4711"), ("authorization", "Bearer s3cret")], 401),
        ([("host", "rebound.example:4711"), ("x-identity-header", "s3cret")], 400),
        ([("host", "127.0.0.1:4712"), ("x-identity-header", "s3cret")], 400), ([("x-identity-header", "s3cret")], 400),
        (usual + [("host", "localhost:4711")], 400), (usual + [("Origin", "null")], 403),
        (usual + [("Sec-Fetch-Site", "none")], 403),
    ])
    func `Who has no secret, comes by another name, or for somebody else is refused`(
        headers: [(String, String)], status: Int
    ) {
        #expect(Self.status(Self.read(Self.query, headers)) == status)
    }

    @Test(arguments: [
        "Forwarded", "Via", "Max-Forwards", "Proxy-Connection", "Proxy-Authorization", "CDN-Loop", "X-Forwarded",
        "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Server",
        "X-Forwarded-By", "X-Forwarded-Prefix", "X-Forwarded-Scheme", "X-Forwarded-Ssl", "x-FORWARDED-for",
        "X-ProxyUser-Ip", "X-Real-IP", "X-Client-IP", "Client-IP", "X-Cluster-Client-IP", "X-Remote-Addr",
        "X-Original-Host", "X-Original-Forwarded-For", "X-Originating-IP", "X-Rewrite-URL", "X-Host",
        "CF-Connecting-IP", "CF-Ray", "True-Client-IP", "Fastly-Client-IP", "X-Envoy-External-Address",
        "X-Azure-ClientIP", "X-ARR-LOG-ID", "X-AppEngine-User-IP",
    ])
    func `A header field that a proxy adds is refused, whatever it says`(name: String) {
        for value in ["10.0.0.1", "for=127.0.0.1;host=127.0.0.1:4711", ""] {
            #expect(Self.status(Self.read(Self.query, Self.usual + [(name, value)])) == 403)
        }
    }

    @Test(arguments: [
        "User-Agent", "Accept", "Accept-Encoding", "Connection", "Metadata", "X-Request-Id", "x-ms-client-request-id",
        "x-ms-return-client-request-id", "traceparent", "Content-Length",
    ])
    func `What the programs send themselves is no header field of a proxy`(name: String) {
        #expect(Self.status(Self.read(Self.query, Self.usual + [(name, "1")])) == 200)
    }

    @Test(arguments: [
        ("/msi/token", 400), ("/msi/token?api-version=2017-09-01&resource=x", 400),
        ("/msi/token?api-version=2019-08-01", 400), ("/msi/token?api-version=2019-08-01&resource=a%20b", 400),
        ("/msi/token?api-version=2019-08-01&resource=x&client_id=a&object_id=b", 400), ("/", 404), ("/token", 405),
        ("/msi/token/../token?api-version=2019-08-01&resource=x", 404),
        ("/msi/token?api-version=2019-08-01&resource=x&resource=y", 400),
    ])
    func `What is no request for a token is refused`(uri: String, status: Int) {
        #expect(Self.status(Self.read(uri)) == status)
    }

    @Test func `The Azure Developer CLI's request has scopes, a tenant and a bearer key`() throws {
        let headers = [("host", "localhost:4711"), ("authorization", "Bearer s3cret")]
        let uri = "/token?api-version=2023-07-12-preview"
        let body = #"{"scopes": ["https://vault.azure.net/.default"], "tenantId": "t"}"#
        let request = try Self.read(uri, headers, method: .POST, body: body).get()
        #expect(request.scopes == ["https://vault.azure.net/.default"] && request.tenant == "t")
        #expect(Self.status(Self.read(uri, headers, method: .POST, body: "{}")) == 400)
        #expect(Self.status(Self.read(uri, Self.usual, method: .POST, body: body)) == 401)
    }

    @Test(arguments: [
        ("/msi/token/s3cret?api-version=2018-02-01&resource=https://vault.azure.net", 200),
        ("/msi/token/s3creT?api-version=2018-02-01&resource=https://vault.azure.net", 401),
        ("/msi/token/?api-version=2018-02-01&resource=https://vault.azure.net", 401),
        ("/msi/token/s3cret/?api-version=2018-02-01&resource=https://vault.azure.net", 404),
        ("/msi/token/s3cret?api-version=2019-08-01&resource=https://vault.azure.net", 400),
        ("/msi/tokens3cret?api-version=2018-02-01&resource=https://vault.azure.net", 404),
    ])
    func `Terraform, which sends no header of its own, has the secret in the path`(uri: String, status: Int) {
        let headers = [("host", "127.0.0.1:4711"), ("metadata", "true")]
        #expect(Self.status(Self.read(uri, headers)) == status)
    }

    @Test func `At a Unix socket the name of the host means nothing`() throws {
        let headers = [("host", "anything"), ("x-identity-header", "s3cret")]
        let reader = IdentityRequestReader(secret: Secret("s3cret"), port: nil)
        #expect(Self.status(Self.read(Self.query, headers, reader: reader)) == 200)
    }
}
