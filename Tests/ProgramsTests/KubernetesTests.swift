import Identity
import StrictJSON
import Testing

@testable import CommandSupport
@testable import Helpers
@testable import Programs

@Suite struct KubernetesTests {
    private static let environment = ProcessEnvironment(workingFolder: "/") { _ in nil }

    private static func query(_ line: String) -> TokenQuery? {
        KubeloginArguments(line.split(separator: " ").map(String.init))?.query(cluster: "https://k", environment)
    }

    @Test func `The command line that az writes into a kubeconfig asks for a token of the server application`() throws {
        let query = try #require(
            Self.query(
                """
                get-token --login devicecode --environment AzurePublicCloud --server-id S --client-id C --tenant-id T
                """))
        #expect(query.asked.scopes == ["S/.default"] && query.asked.clientID == "C" && query.place.tenant == "T")
        #expect(query.asked.authority == nil && query.request?.cluster == "https://k")
        let other = try #require(
            Self.query("get-token -l azurecli --server-id=S --client-id C -t T -e AzureUSGovernment --legacy"))
        #expect(other.asked.scopes == ["spn:S/.default"] && other.asked.clientID == nil)
        #expect(other.asked.authority == "https://login.microsoftonline.us/T")
        let named = try #require(Self.query("get-token --server-id S --authority-host https://login.example.org/"))
        #expect(named.asked.authority == "https://login.example.org/organizations")
    }

    @Test(arguments: [
        "convert-kubeconfig -l azurecli", "get-token", "get-token --server-id", "get-token --server-id S -l spn",
        "get-token --server-id S -l workloadidentity", "get-token --server-id S --pop-enabled --pop-claims u=x",
        "get-token --server-id S --environment Elsewhere",
        "get-token --server-id S --authority-host http://evil.example",
        "--version", "",
    ])
    func `What is not a person's sign-in, or not understood, is left to kubelogin`(line: String) {
        #expect(Self.query(line) == nil)
    }

    @Test(arguments: ["v1", "v1beta1"])
    func `The answer has the version of the question, and a time without fractions`(version: String) throws {
        let api = "client.authentication.k8s.io/" + version
        let exec = try ExecCredential(
            #"{"kind":"ExecCredential","apiVersion":"\#(api)","spec":{"cluster":{"server":"https://k"}}}"#)
        #expect(exec.cluster == "https://k")
        let token = try #require(
            IssuedToken(["accessToken": "TOKEN", "clientId": "c", "expiresOn": "2026-11-22T04:25:38Z"]))
        let answer = try JSONValue(parsing: Array(exec.answer(token).utf8))
        #expect(answer["apiVersion"]?.string == api && answer["kind"]?.string == "ExecCredential")
        #expect(answer["status"]?["token"]?.string == "TOKEN")
        #expect(answer["status"]?["expirationTimestamp"]?.string == "2026-11-22T04:25:38Z")
    }

    @Test func `A token without an announced end has no time in answers that can be without`() throws {
        let token = try #require(IssuedToken(["accessToken": "TOKEN", "clientId": "c", "expiresOn": .null]))
        #expect(token.expiresOn == .noAnnouncedEnd)
        let answer = try JSONValue(parsing: Array(try ExecCredential(nil).answer(token).utf8))
        #expect(answer["status"]?["token"]?.string == "TOKEN")
        #expect(answer["status"]?["expirationTimestamp"] == nil)
        // An answer without the member is damaged.
        #expect(IssuedToken(["accessToken": "TOKEN", "clientId": "c"]) == nil)
    }

    @Test(arguments: ["", "{", #"{"apiVersion":"client.authentication.k8s.io/v2"}"#, #"{"apiVersion":"v1"}"#])
    func `Another version is refused`(text: String) { #expect(throws: Failure.self) { try ExecCredential(text) } }

    private static let oidc = "get-token --oidc-issuer-url=https://id.example/lab --oidc-client-id=C"

    private static func login(_ line: String) -> OIDCLoginArguments? {
        OIDCLoginArguments(line.split(separator: " ").map(String.init)) { $0 != 8000 }
    }

    @Test func `A kubeconfig of kubelogin for OpenID Connect asks for the ID token of its client`() throws {
        let plain = try #require(Self.login(Self.oidc))
        #expect(plain.scopes == ["openid"] && plain.isIDToken && !plain.forceRefresh && plain.method == nil)
        // The first of the registered ports that is free.
        #expect(plain.redirectURI == "http://localhost:18000")
        let query = plain.query(cluster: "https://k", Self.environment)
        #expect(query.asked.clientID == "C" && query.asked.authority == "https://id.example/lab" && query.isIDToken)
        let more = try #require(
            Self.login(
                Self.oidc + """
                     --oidc-extra-scope=email,groups --oidc-extra-scope offline_access --grant-type device-code \
                    --oidc-use-access-token --skip-open-browser --listen-address 127.0.0.1:9000 --force-refresh=true \
                    --oidc-auth-request-extra-params login_hint=ada@x,prompt=login,audience=a
                    """))
        #expect(more.scopes == ["openid", "email", "groups", "offline_access"] && more.method == .device)
        #expect(!more.isIDToken && more.browser == "none" && more.redirectURI == "http://localhost:9000")
        #expect(more.username == "ada@x" && more.prompt == .login && more.extraQuery == ["audience=a"])
        #expect(more.forceRefresh)
    }

    @Test(arguments: [
        "", "get-token", "setup", oidc + " --oidc-client-secret=s", oidc + " --grant-type=password", oidc + " --x",
        oidc + " --oidc-extra-scope", oidc + " --certificate-authority=ca.pem", oidc + " --force-refresh=maybe",
        "get-token --oidc-client-id=C", "get-token --oidc-issuer-url=http://evil.example --oidc-client-id=C",
    ])
    func `What is not understood is left to the next kubelogin for OpenID Connect`(line: String) {
        #expect(Self.login(line) == nil)
    }
}
