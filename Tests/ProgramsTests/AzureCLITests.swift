import Foundation
import Identity
import StrictJSON
import Testing

@testable import CommandSupport
@testable import Helpers
@testable import Programs

@Suite struct AzureCLITests {
    private static func read(_ line: String) -> AzureCLIRequest? {
        AzureCLIRequest(line.split(separator: " ").map(String.init), usual: .json)
    }

    @Test(arguments: [
        ("--output json --resource https://vault.azure.net", ["https://vault.azure.net/.default"]),
        ("-o json --resource https://vault.azure.net/", ["https://vault.azure.net//.default"]),
        ("--output=json --resource=https://vault.azure.net", ["https://vault.azure.net/.default"]),
        ("--scope a/.default b", ["a/.default", "b"]), ("", ["https://management.core.windows.net//.default"]),
        ("--only-show-errors --scope a/.default -o tsv --query accessToken", ["a/.default"]),
        ("--scope a/.default -o=json", ["a/.default"]), ("--scope a/.default -ojson", ["a/.default"]),
        ("--scope a/.default -o JSONC", ["a/.default"]), ("--scope a/.default -onone", ["a/.default"]),
        ("--scope a/.default --output=TSV --query={t:accessToken}", ["a/.default"]),
        ("--scope a/.default -tx -sy --query \"accessToken\"", ["a/.default"]),
    ])
    func `A resource is asked for by its default scope, as az does it`(options: String, scopes: [String]) {
        #expect(Self.read("account get-access-token " + options)?.scopes == scopes)
    }

    @Test(arguments: [
        "login", "account show", "account get-access-token --resource a --scope b", "account get-access-token --help",
        "account get-access-token -o table", "account get-access-token --query [token]",
        "account get-access-token -oyaml", "account get-access-token --query accessToken[0]",
        "account get-access-token --query length(accessToken)", "account get-access-token --query []",
        "account get-access-token --resource-type arm", "account get-access-token --tenant", "--version",
        "account get-access-token --resource a\"b",
    ])
    func `Whatever else there is is left to az`(line: String) { #expect(Self.read(line) == nil) }

    @Test(
        arguments: [
            ("accessToken", .member("accessToken")), (" \"tenant\" ", .member("tenant")),
            ("[accessToken,expiresOn]", .list(["accessToken", "expiresOn"])),
            ("[ expires_on , \"tenant\" ]", .list(["expires_on", "tenant"])),
            (
                "{t: accessToken, until:expires_on}",
                .object([
                    AzureCLIQuery.Pair(key: "t", member: "accessToken"),
                    AzureCLIQuery.Pair(key: "until", member: "expires_on"),
                ])
            ),
            ("", nil), ("other", nil), ("[accessToken,]", nil), ("{accessToken}", nil), ("{t:}", nil), ("{}", nil),
            ("@", nil), ("accessToken | [0]", nil), ("{1t: accessToken}", nil),
        ] as [(String, AzureCLIQuery?)])
    func `Members, lists and objects of a query are understood`(text: String, query: AzureCLIQuery?) {
        #expect(AzureCLIQuery(text) == query)
    }

    @Test func `The user's usual format counts where none is named`() {
        func form(_ line: String, usual: AzureCLIRequest.Form?) -> AzureCLIRequest.Form? {
            AzureCLIRequest(line.split(separator: " ").map(String.init), usual: usual)?.form
        }
        #expect(form("account get-access-token", usual: .tsv) == .tsv)
        #expect(form("account get-access-token", usual: nil) == nil)
        #expect(form("account get-access-token -o json", usual: nil) == .json)
    }

    @Test(arguments: [
        ("[core]\noutput = tsv\n", "tsv"), ("[core]\n# output = table\n Output: TSV \n", "TSV"),
        ("[other]\noutput = tsv\n", nil), ("[core]\noutput=a\n[x]\noutput=b\n[core]\noutput=c", "c"),
        ("output = tsv", nil), ("", nil),
    ])
    func `The file of settings is read as az reads it`(text: String, value: String?) {
        #expect(AzureCLISettings.value(of: "output", in: "core", text) == value)
    }

    @Test func `Tenant and subscription are read in each form`() {
        let request = Self.read("account get-access-token --tenant t -s x --output tsv")
        #expect(request?.tenant == "t" && request?.subscription == "x" && request?.form == .tsv)
    }

    @Test func `The profile is read with its byte order mark`() {
        let id = "11111111-1111-4111-8111-111111111111"
        let tenant = "c0000000-0000-4000-8000-00000000c001"
        let text = """
            \u{FEFF}{"subscriptions": [{"id": "x", "tenantId": "y"}, {"id": "\(id)", "name": "Main", "tenantId": "\(tenant)",
            "isDefault": true, "user": {"name": "ada@contoso.example", "type": "user"}}]}
            """
        let profile = AzureProfile(Array(text.utf8))
        let main = profile.subscription(nil)
        #expect(
            main?.id == id && main?.tenant == tenant && main?.user == .person("ada@contoso.example"))
        #expect(profile.subscription("Main") == main && profile.subscription(id.uppercased()) == main)
        #expect(profile.subscription("x") == nil)
    }

    private static func user(_ json: String) -> ProgramUser? {
        let id = "11111111-1111-4111-8111-111111111111"
        let text = """
            {"subscriptions": [{"id": "\(id)", "tenantId": "\(id)", "isDefault": true, "user": \(json)}]}
            """
        return AzureProfile(Array(text.utf8)).subscription(nil)?.user
    }

    @Test func `A service principal, and a user without a name, is nobody who has signed in here`() {
        #expect(Self.user(#"{"name": "Ada@Contoso.example", "type": "user"}"#) == .person("Ada@Contoso.example"))
        #expect(Self.user(#"{"name": "ada@contoso.example"}"#) == .person("ada@contoso.example"))
        #expect(Self.user(#"{"name": "x", "type": "servicePrincipal"}"#) == .service("x"))
        #expect(Self.user("null") == nil)
        guard case .unknown = Self.user(#"{"type": "servicePrincipal"}"#) else {
            Issue.record("a user without a name counts as none")
            return
        }
    }

    @Test(arguments: [
        "{", "[]", "7", #"{"subscriptions": 7}"#, #"{"subscriptions": [], "subscriptions": []}"#,
        #"{"subscriptions": [{"id": NaN}]}"#, "\u{FEFF}\u{FEFF}{}",
    ])
    func `A profile that is there and cannot be understood may name anybody, so nobody is meant`(text: String) {
        let profile = AzureProfile(Array(text.utf8))
        #expect(profile.problem != nil && profile.subscription(nil) == nil)
        let environment = ProcessEnvironment(workingFolder: "/") { _ in nil }
        let query = TokenQuery.az(profile, nil, environment)
        guard case .unknown? = query.user else {
            Issue.record("the user is ignored")
            return
        }
        #expect(AzureProfile(nil).problem == nil)
    }
}
