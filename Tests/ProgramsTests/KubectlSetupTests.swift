import Identity
import Testing

@testable import CommandSupport
@testable import Programs

@Suite struct KubectlSetupTests {
    private static let environment = ProcessEnvironment(workingFolder: "/") { _ in nil }
    private static let cluster = "https://k.example:6443"

    private static func settings(_ text: String) throws -> Settings {
        try SettingsReader(path: "config.toml", text: text).settings()
    }

    private static func kubelogin(_ more: String = "") throws -> ProgramCall.Wish {
        let words = "get-token --server-id S " + more
        return try #require(
            KubeloginArguments(words.split(separator: " ").map(String.init))?.wish(cluster: cluster, environment))
    }

    private static func own(client: String? = nil, account: String? = nil) -> ProgramCall.Wish {
        ProgramCall.Wish(
            ProgramRequest(program: "kubectl", cluster: cluster, directory: "/"),
            options: CommonOptions(client: client, account: account))
    }

    private static func rule(_ wishes: [ProgramCall.Wish], _ text: String = "", account: String? = nil) throws
        -> [String]?
    {
        ProgramRule(cluster: cluster, wishes, try settings(text), onlyAccount: { _, _ in account })?.lines
    }

    private static let head = ["[[rules]]", #"cluster = "https://k.example:6443""#]
    private static let work = "[clients.work]\nclient_id = \"11111111-2222-3333-4444-555555555555\"\n"

    // MARK: The rule

    @Test func `A rule has the client that the plugin's arguments mean, by the name that a person knows`() throws {
        let known = "--client-id 80faf920-1908-4b52-b5ef-a8e7bedfc67a"
        #expect(try Self.rule([Self.kubelogin(known)]) == Self.head + [#"client = "kubelogin""#])
        #expect(try Self.rule([Self.kubelogin()]) == Self.head + [#"client = "kubelogin""#])
        let own = "11111111-2222-3333-4444-555555555555"
        #expect(try Self.rule([Self.kubelogin("--client-id " + own)]) == Self.head + [#"client = "\#(own)""#])
        #expect(try Self.rule([Self.kubelogin("--client-id " + own)], Self.work) == Self.head + [#"client = "work""#])
        #expect(try Self.rule([Self.own(client: "work")], Self.work) == Self.head + [#"client = "work""#])
        // What the settings say for everything goes on saying it.
        #expect(try Self.rule([Self.kubelogin()], Self.work) == Self.head)
    }

    @Test func `A client that no rule can name is left to the plugin's arguments`() throws {
        let words = ["get-token", "--oidc-issuer-url=https://id.example", "--oidc-client-id=lab"]
        let wish = try #require(OIDCLoginArguments(words)?.wish(cluster: Self.cluster, Self.environment))
        #expect(try Self.rule([wish]) == Self.head && Self.rule([Self.own()]) == Self.head)
        #expect(try Self.settings(Self.head.joined(separator: "\n")).rules.count == 1)
    }

    @Test func `The account is named where only one can be meant, and the arguments name none`() throws {
        #expect(try Self.rule([Self.own()], account: "ada") == Self.head + [#"account = "ada""#])
        #expect(try Self.rule([Self.own(account: "grace")], account: "ada") == Self.head)
        // Two users of one cluster are two persons, or two clients.
        #expect(try Self.rule([Self.own(account: "grace"), Self.own()], account: "ada") == Self.head)
        #expect(try Self.rule([Self.own(client: "work"), Self.kubelogin("--client-id C")], Self.work) == Self.head)
    }

    @Test(arguments: [#"cluster = "https://k.example:6443""#, #"cluster = "*""#])
    func `A cluster that a rule names already gets no other`(condition: String) throws {
        #expect(try Self.rule([Self.own()], "[[rules]]\n\(condition)\naccount = \"grace\"\n") == nil)
        #expect(try Self.rule([Self.own()], "[[rules]]\n\(condition)\ndirectory = \"~/x\"\naccount = \"x\"\n") == nil)
    }

    @Test func `What a rule says for all that kubectl asks for is said for its clusters`() throws {
        let general = "[[rules]]\nprogram = \"kubectl\"\naccount = \"grace\"\ntenant = \"t\"\n"
        let wanted = Self.head + [#"account = "grace""#, #"tenant = "t""#]
        #expect(try Self.rule([Self.own()], general, account: "ada") == wanted)
        let elsewhere = "[[rules]]\ndirectory = \"/\"\naccount = \"grace\"\n"
        #expect(try Self.rule([Self.own()], elsewhere) == Self.head)
        let another = "[[rules]]\ncluster = \"https://other.example\"\naccount = \"grace\"\n"
        #expect(try Self.rule([Self.own()], another) == Self.head)
    }

    // MARK: The settings file

    private static let rules = [
        ProgramRule([.cluster: "https://a"], client: "work", account: "ada"), ProgramRule([.cluster: "https://b"]),
    ]

    private static func added(_ text: String?) throws -> String {
        let bytes = try SettingsFile("config.toml").adding(rules, to: text.map { Array($0.utf8) })
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func removed(_ text: String, _ rules: [ProgramRule] = rules) throws -> String {
        let texts = rules.map { KubectlChange($0).own }
        return String(
            decoding: try SettingsFile("config.toml").removing(rules: texts, from: Array(text.utf8)), as: UTF8.self)
    }

    @Test(arguments: ["", work, work + "\n[[rules]]\nhost = \"a\" # mine\nclient = \"work\"\n\n# end\n"])
    func `Rules are added at the end, and taken back they leave what was there`(text: String) throws {
        // The reader must know the client.
        let text = text.isEmpty ? Self.work : text
        let after = try Self.added(text)
        let rules = try Self.settings(after).rules.suffix(2)
        #expect(after.hasPrefix(text) && rules.map(\.lines) == Self.rules.map(\.lines))
        #expect(try Self.removed(after) == text)
    }

    @Test func `A client that the settings do not know is refused before anything is written`() {
        #expect(throws: Failure.self) { try Self.added(nil) }
    }

    @Test func `Only what stands there as it was written is taken back`() throws {
        let text = try Self.added(Self.work)
        let (first, second) = (Self.rules[0].lines, Self.rules[1].lines.joined(separator: "\n"))
        let changed = text.replacing("account = \"ada\"", with: "account = \"grace\"")
        #expect(try Self.removed(changed) == changed.replacing("\n" + second + "\n", with: ""))
        // A member of somebody else's would become one of the table before.
        let more = text + "# for work\ndirectory = \"~/work\"\n"
        let left = try Self.settings(Self.removed(more)).rules
        #expect(left.map(\.conditions) == [[.cluster: "https://b", .directory: "~/work"]])
        let gone = Self.work + "\n" + second + "\n\n[agent]\nstart = true\n"
        #expect(try Self.removed(gone) == Self.work + "\n[agent]\nstart = true\n")
        #expect(try Self.removed(Self.work) == Self.work && !first.isEmpty)
    }

    @Test func `The record tells what it has written by its words`() {
        for change in [
            KubectlChange.user("me"), .clusterInfo("clusterUser_rg.x_aks one"), KubectlChange(Self.rules[0]),
        ] {
            #expect(KubectlChange(change.own) == change)
        }
        let command = KubectlChange.clusterInfo("a b.c").undoCommand(in: "/x")
        #expect(command == "kubectl config set-credentials --exec-provide-cluster-info=false -- 'a b.c'")
    }
}
