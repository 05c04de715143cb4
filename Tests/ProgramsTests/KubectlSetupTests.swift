import Identity
import Testing

@testable import CommandSupport
@testable import Programs

@Suite struct KubectlSetupTests {
    private static let cluster = "https://k.example:6443"

    private static func settings(_ text: String) throws -> Settings {
        try SettingsReader(path: "config.toml", text: text).settings()
    }

    private typealias Meant = ProgramRule.Meant

    private static func rule(_ plugins: [Meant], _ text: String = "") throws -> [String]? {
        try ProgramRule(cluster: cluster, plugins, try settings(text))?.lines
    }

    private static let head = ["[[rules]]", #"cluster = "https://k.example:6443""#]
    private static let work = "[clients.work]\nclient_id = \"11111111-2222-3333-4444-555555555555\"\n"

    // MARK: The rule

    @Test(arguments: ["kubelogin", "11111111-2222-3333-4444-555555555555"])
    func `A rule has the client and the account that the plugin means`(client: String) throws {
        let wanted = Self.head + [#"client = "\#(client)""#, #"account = "ada""#]
        #expect(try Self.rule([Meant(client: client, account: "ada")]) == wanted)
        let twice = [Meant(client: client, account: "ada"), Meant(client: client, account: "ada")]
        #expect(try Self.rule(twice) == wanted && Self.rule([Meant(account: "ada")]) == Self.head + [wanted[3]])
    }

    @Test func `What plugins of one cluster mean differently, and a client that no rule can name, is left to them`()
        throws
    {
        let two = [Meant(client: "work", account: "ada"), Meant(client: "kubelogin")]
        #expect(try Self.rule(two, Self.work) == Self.head)
        #expect(try Self.rule([Meant(client: "lab-of-oidc")]) == Self.head)
        #expect(try Self.settings(Self.head.joined(separator: "\n")).rules.count == 1)
    }

    @Test(arguments: ["https://k.example:6443", "https://K.example:6443/", "*"])
    func `A cluster that a rule names already gets no other`(named: String) throws {
        let rule = "[[rules]]\ncluster = \"\(named)\"\naccount = \"grace\"\n"
        #expect(try Self.rule([Meant(account: "ada")], rule) == nil)
        #expect(try Self.rule([Meant()], rule + "directory = \"~/x\"\n") == nil)
    }

    @Test func `What a rule says for all that kubectl asks for is said for its clusters`() throws {
        let general =
            Self.work + "[[rules]]\nprogram = \"kubectl\"\nclient = \"work\"\naccount = \"grace\"\ntenant = \"t\"\n"
        let rest = [#"account = "grace""#, #"tenant = "t""#]
        #expect(try Self.rule([Meant(account: "ada")], general) == Self.head + [#"client = "work""#] + rest)
        // A rule's client is a bound, which the plugin's own would be outside of.
        #expect(try Self.rule([Meant(client: "kubelogin")], general) == Self.head + [#"client = "kubelogin""#] + rest)
        #expect(try Self.rule([Meant(client: "kubelogin"), Meant()], general) == Self.head + rest)
        for elsewhere in ["directory = \"/\"", "cluster = \"https://other.example\"", "program = \"git\""] {
            #expect(try Self.rule([Meant()], "[[rules]]\n\(elsewhere)\naccount = \"grace\"\n") == Self.head)
        }
    }

    // MARK: The settings file

    private static let rules = [
        ProgramRule(written([.cluster: "https://a"]), client: "work", account: "ada"),
        ProgramRule(written([.cluster: "https://b"])),
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
        #expect(left.map(\.conditions) == [written([.cluster: "https://b", .directory: "~/work"])])
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
        #expect(command == "kubectl config set-credentials '--exec-provide-cluster-info=false' -- 'a b.c'")
    }
}
