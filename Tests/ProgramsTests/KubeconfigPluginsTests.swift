import Identity
import Testing

@testable import CommandSupport
@testable import Programs

@Suite struct KubeconfigPluginsTests {
    private static let environment = ProcessEnvironment(workingFolder: "/") { _ in nil }

    /// As `kubectl config view -o json` prints it.
    private static let view = #"""
        {"kind": "Config", "apiVersion": "v1", "preferences": {}, "current-context": "second",
         "clusters": [
          {"name": "aks.one", "cluster": {"server": "https://aks.example:443"}},
          {"name": "lab", "cluster": {"server": "https://lab.example", "insecure-skip-tls-verify": true}}],
         "contexts": [
          {"name": "first", "context": {"cluster": "aks.one", "user": "clusterUser_rg.x_aks.one"}},
          {"name": "token", "context": {"cluster": "aks.one", "user": "robot"}},
          {"name": "lost", "context": {"cluster": "gone", "user": "lab"}},
          {"name": "second", "context": {"cluster": "lab", "user": "lab", "namespace": "n"}},
          {"name": "third", "context": {"cluster": "aks.one", "user": "own"}}],
         "users": [
          {"name": "clusterUser_rg.x_aks.one", "user": {"exec": {
            "apiVersion": "client.authentication.k8s.io/v1beta1", "command": "kubelogin",
            "args": ["get-token", "--server-id", "S", "--client-id", "C", "--tenant-id", "T"], "env": null,
            "provideClusterInfo": false}}},
          {"name": "robot", "user": {"token": "REDACTED"}},
          {"name": "lab", "user": {"exec": {"command": "kubectl", "args": ["oidc-login", "get-token",
            "--oidc-issuer-url=https://id.example", "--oidc-client-id=lab"], "provideClusterInfo": true,
            "env": [{"name": "FOYER_CONFIG", "value": "/lab.toml"}]}}},
          {"name": "own", "user": {"exec": {"command": "/opt/bin/kubectl-foyer",
            "args": ["--client", "work", "--scope", "S/.default", "--id-token", "--tenant", "t"]}}}]}
        """#

    private static func plugins(_ text: String = view) -> KubeconfigPlugins? { KubeconfigPlugins(Array(text.utf8)) }

    private static func user(_ command: String, _ line: String) throws -> KubectlUser {
        let words = line.split(separator: " ").map { "\"\($0)\"" }.joined(separator: ",")
        let text =
            #"{"users":[{"name":"u","user":{"exec":{"command":"\#(command)","args":[\#(words)]}}}],"#
            + #""contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],"#
            + #""clusters":[{"name":"k","cluster":{"server":"https://k"}}]}"#
        return try #require(plugins(text)?.uses.first?.user)
    }

    @Test func `Users with a plugin are told with their clusters, the current context first`() throws {
        let plugins = try #require(Self.plugins())
        #expect(plugins.uses.map(\.context) == ["second", "first", "third"])
        #expect(
            plugins.uses.map(\.server) == ["https://lab.example", "https://aks.example:443", "https://aks.example:443"])
        #expect(plugins.uses.map(\.user.tellsCluster) == [true, false, false])
        #expect(plugins.uses.map(\.isUnchecked) == [true, false, false])
        #expect(plugins.uses(of: "https://aks.example:443").map(\.user.name) == ["clusterUser_rg.x_aks.one", "own"])
        #expect(plugins.uses(of: "https://aks.example:6443").isEmpty && plugins.currentServer == "https://lab.example")
        #expect(plugins.users == ["clusterUser_rg.x_aks.one", "robot", "lab", "own"])
    }

    @Test func `A plugin's request is the one that it makes when kubectl calls it`() throws {
        let queries = try #require(Self.plugins()).uses.map { $0.user.query(cluster: $0.server, Self.environment) }
        let (lab, aks, own) = (try #require(queries[0]), try #require(queries[1]), try #require(queries[2]))
        #expect(lab.asked.clientID == "lab" && lab.asked.authority == "https://id.example" && lab.isIDToken)
        #expect(aks.asked.clientID == "C" && aks.asked.scopes == ["S/.default"] && aks.place.tenant == "T")
        #expect(own.asked.client == "work" && own.asked.scopes == ["S/.default"] && own.asked.tenant == "t")
        #expect(own.isIDToken && own.request?.cluster == "https://aks.example:443" && own.request?.program == "kubectl")
    }

    @Test func `A variable that the kubeconfig sets for a plugin goes before the environment's`() throws {
        let user = try #require(Self.plugins()?.uses.first?.user)
        let outside = ProcessEnvironment(workingFolder: "/") { ["FOYER_CONFIG": "/own.toml", "LANG": "C"][$0] }
        let inside = user.pluginEnvironment(outside)
        #expect(inside["FOYER_CONFIG"] == "/lab.toml" && inside["LANG"] == "C" && inside.workingFolder == "/")
    }

    @Test(arguments: [
        ("aws", "eks get-token"), ("kubectl", ""), ("kubectl", "get pods"), ("gke-gcloud-auth-plugin", ""),
        ("kubelogin", "get-token --server-id S -l spn"), ("kubectl-foyer", "--made-up x"),
        ("kubectl-oidc_login", "get-token --oidc-issuer-url=https://i --oidc-client-id=C --oidc-client-secret=s"),
    ])
    func `What is another program's, or is left to it, asks for nothing`(command: String, line: String) throws {
        #expect(try Self.user(command, line).query(cluster: "https://k", Self.environment) == nil)
    }

    @Test(arguments: [
        ("kubectl", "oidc-login"), ("kubectl", "oidc_login"), ("/usr/bin/kubectl", "oidc-login"),
        ("kubectl-oidc_login", ""),
    ])
    func `A plugin is known by whatever name kubectl finds it`(command: String, word: String) throws {
        let user = try Self.user(command, word + " get-token --oidc-issuer-url=https://i.example --oidc-client-id=C")
        #expect(user.query(cluster: "https://k", Self.environment)?.asked.clientID == "C")
    }

    @Test(arguments: ["", "[]", "{", "null", "\"x\"", String(repeating: " ", count: 2_100_000) + "{}"])
    func `What kubectl does not print, or too much of it, is no kubeconfig`(text: String) {
        #expect(Self.plugins(text) == nil)
    }

    @Test(arguments: [
        "{}", #"{"users":null,"contexts":null,"clusters":null}"#, #"{"users":[1,{}],"contexts":[{"name":1}]}"#,
        #"{"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":null}]}"#,
    ])
    func `A kubeconfig without plugins has none`(text: String) throws {
        let plugins = try #require(Self.plugins(text))
        #expect(plugins.uses.isEmpty && plugins.currentServer == nil)
    }

    // MARK: foyer why

    private static func target(_ server: String?, _ options: TokenOptions = TokenOptions()) throws -> KubectlTarget {
        KubectlTarget(try #require(plugins()), server, options, environment)
    }

    @Test func `Of several users for a cluster the first is told, and that there are others`() throws {
        let target = try Self.target("https://aks.example:443")
        #expect(target.query?.asked.clientID == "C")
        #expect(target.notes.count == 3 && target.notes[0].contains("clusterUser_rg.x_aks.one of the context first"))
        #expect(target.notes[1].hasSuffix("other users for this cluster: own"))
        // What kubectl does not tell the plugin is no part of its request.
        #expect(target.query?.request?.cluster == nil && target.notes[2].contains("foyer setup kubectl"))
    }

    @Test func `Without an address it is the current context's, in the plugin's environment`() throws {
        let target = try Self.target(nil, TokenOptions { ($0.account, $0.config) = ("ada", "/mine.toml") })
        #expect(target.query?.request?.cluster == "https://lab.example" && target.notes.count == 1)
        #expect(target.environment["FOYER_CONFIG"] == "/lab.toml")
        // What a person names holds, whatever the arguments say.
        #expect(target.query?.options.account == "ada" && target.query?.options.config == "/mine.toml")
        #expect(target.query?.asked.clientID == "lab" && target.query?.isIDToken == true)
    }

    @Test func `Where no plugin is known it is said, and nothing is made up`() throws {
        let stranger = try Self.target("https://stranger.example")
        #expect(stranger.query == nil && stranger.notes.count == 1)
        let other = KubectlTarget(
            try #require(
                Self.plugins(
                    #"{"clusters":[{"name":"k","cluster":{"server":"https://k"}}],"current-context":"c","#
                        + #""contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],"#
                        + #""users":[{"name":"u","user":{"exec":{"command":"aws"}}}]}"#)), nil, TokenOptions(),
            Self.environment)
        #expect(
            other.query == nil
                && other.notes == ["the user u of the context c has a plugin that foyer does not support: aws"])
    }
}
