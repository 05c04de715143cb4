import CommandSupport
import Identity
import Testing

@testable import Agent

@Suite struct ForwardPolicyTests {
    private func policy(_ change: (inout ForwardSettings) -> Void = { _ in }) -> ForwardPolicy {
        var settings = Settings.none("config.toml")
        settings.clients = [ClientChoice(name: "work", clientID: "1")]
        settings.forward.clients = ["work"]
        settings.forward.scopes = ["User.Read"]
        change(&settings.forward)
        return ForwardPolicy(settings)
    }

    private func code(_ body: () throws(Failure) -> Void) -> Failure.Code? {
        do throws(Failure) {
            try body()
            return nil
        } catch { return error.code }
    }

    private static let ada = Account(homeAccountID: "1.t", environment: "login.example", username: "ada@a.example")
    private static let grace = Account(homeAccountID: "2.t", environment: "login.example", username: "grace@a.example")

    @Test func `Without clients or without scopes nothing is served, and it is said what to write`() {
        for change in [{ $0.clients = [] }, { $0.scopes = [] }] as [(inout ForwardSettings) -> Void] {
            do throws(Failure) {
                try policy(change).checkAny()
                Issue.record("it was allowed")
            } catch {
                #expect(error.code == .configuration)
                #expect(error.message.contains("nothing is forwarded"))
            }
        }
        #expect(code(policy().checkAny) == nil)
    }

    @Test func `Only clients that are named are served`() {
        let named = policy { $0.clients = ["work", "lab-cli"] }
        #expect(code { () throws(Failure) in try named.check(ClientChoice(name: "work", clientID: "1")) } == nil)
        #expect(code { () throws(Failure) in try named.check(ClientChoice(name: "lab", clientID: "lab-cli")) } == nil)
        #expect(
            code { () throws(Failure) in try named.check(ClientChoice(name: "other", clientID: "2")) }
                == .configuration)
    }

    @Test func `A connection is served for its lifetime, and not when that is not known`() {
        let short = policy { $0.lifetime = .seconds(60) }
        #expect(code { () throws(Failure) in try short.check(age: .seconds(59)) } == nil)
        #expect(code { () throws(Failure) in try short.check(age: .seconds(61)) } == .configuration)
        #expect(code { () throws(Failure) in try short.check(age: nil) } == .configuration)
    }

    @Test func `Another authority or tenant than the client's own is refused`() throws {
        let own = try Authority("https://login.example/contoso", kind: .aad)
        func check(_ authority: String?, _ tenant: String?) -> Failure.Code? {
            code { () throws(Failure) in
                try policy().check(authority: authority, own: own)
                try policy().check(tenant: tenant, own: own, home: "contoso-id")
            }
        }
        #expect(check(nil, nil) == nil)
        #expect(check("https://login.example/contoso", "Contoso") == nil)
        #expect(check("https://login.example/fabrikam", nil) == .configuration)
        #expect(check("https://evil.example/contoso", nil) == .configuration)
        #expect(check("nonsense", nil) == .configuration)
        #expect(check(nil, "fabrikam") == .configuration)
        #expect(check(nil, "contoso-id") == .configuration)
    }

    @Test func `An authority of many tenants serves an account's own tenant, and no other`() throws {
        let own = try Authority("https://login.example/organizations", kind: .aad)
        func check(_ tenant: String) -> Failure.Code? {
            code { () throws(Failure) in try policy().check(tenant: tenant, own: own, home: "T") }
        }
        #expect(check("organizations") == nil && check("t") == nil)
        #expect(check("fabrikam") == .configuration)
    }

    @Test func `Names of clients are those of the settings at home, and of none that came from elsewhere`() {
        // Another settings file may call the same client something else, or another client so.
        let same = ClientChoice(name: "renamed", clientID: "1")
        let other = ClientChoice(name: "work", clientID: "2")
        #expect(code { () throws(Failure) in try policy().check(same) } == nil)
        #expect(code { () throws(Failure) in try policy().check(other) } == .configuration)
    }

    @Test func `A token whose server does not say what it may do stays at home, and so does one for a resource`() {
        let named = policy { $0.scopes = ["repo"] }
        #expect(code { () throws(Failure) in try named.check(granted: [], at: .oauth2) } == .configuration)
        #expect(code { () throws(Failure) in try named.check(granted: ["repo"], at: .oauth2) } == nil)
        #expect(
            code { () throws(Failure) in try named.check(granted: ["repo", "gist"], at: .oauth2) } == .configuration)
        #expect(code { () throws(Failure) in try named.check(resource: "https://x.example") } == .configuration)
        #expect(code { () throws(Failure) in try named.check(resource: nil) } == nil)
    }

    @Test(arguments: ["https://graph.microsoft.com/*", "https://graph.microsoft.com/.default", "User.Read"])
    func `Short names of scopes mean Graph where Microsoft signs people in, and nowhere else`(entry: String) {
        let named = policy { $0.scopes = [entry] }
        #expect(code { () throws(Failure) in try named.check(asked: ["email"], at: .oidc) } == .configuration)
        #expect(
            code { () throws(Failure) in try named.check(granted: ["read_user"], at: .oidc) } == .configuration)
        let own = policy { $0.scopes = ["email", "api://x/*"] }
        #expect(code { () throws(Failure) in try own.check(asked: ["email", "api://x/read"], at: .oidc) } == nil)
    }

    @Test(
        arguments: [
            ("User.Read", "User.Read", true), ("User.Read", "https://graph.microsoft.com/user.read", true),
            ("https://graph.microsoft.com/User.Read", "User.Read", true), ("User.Read", "User.ReadWrite", false),
            ("https://graph.microsoft.com/*", "Mail.Read", true),
            ("https://graph.microsoft.com/*", "https://graph.microsoft.com/.default", false),
            ("https://graph.microsoft.com/.default", "https://graph.microsoft.com/.default", true),
            ("https://graph.microsoft.com/.default", "Mail.Read", false),
            ("https://vault.azure.net/*", "https://vault.azure.net/user_impersonation", true),
            ("https://vault.azure.net/*", "https://vault.azure.net.evil/x", false),
            ("https://vault.azure.net/*", "https://vault.azure.net/more/x", false),
            ("https://management.azure.com/*", "https://management.azure.com//.default", false),
            ("*", "User.Read", false), ("openid", "openid", true), ("openid", "profile", false),
        ] as [(String, String, Bool)])
    func `A scope is served where it is named, and a resource's name is not its default`(
        entry: String, scope: String, isAllowed: Bool
    ) {
        let named = policy { $0.scopes = [entry] }
        #expect((code { () throws(Failure) in try named.check(asked: [scope], at: .aad) } == nil) == isAllowed)
    }

    @Test(
        arguments: [
            (["User.Read"], "User.Read openid profile offline_access email", true),
            (["User.Read"], "User.Read Mail.Read", false),
            (["https://graph.microsoft.com/.default"], "User.Read Mail.Read", true),
            (["https://management.azure.com//.default"], "https://management.azure.com/user_impersonation", true),
            (["https://vault.azure.net/.default"], "https://management.azure.com/user_impersonation", false),
        ] as [([String], String, Bool)])
    func `A token that is good for more than is named does not leave`(
        entries: [String], granted: String, isAllowed: Bool
    ) {
        let named = policy { $0.scopes = entries }
        let end = code { () throws(Failure) in try named.check(granted: ScopeSet(parsing: granted), at: .aad) }
        #expect((end == nil) == isAllowed)
    }

    @Test func `Accounts are told only where the settings name them`() throws {
        let both = [Self.ada, Self.grace]
        do throws(Failure) {
            _ = try policy().account(nil, of: both)
            Issue.record("one was chosen")
        } catch {
            #expect(error.code == .ambiguous)
            #expect(!"\(error)".contains("ada@"))
        }
        let named = policy { $0.accounts = ["ADA@a.example", "2.t"] }
        do throws(Failure) {
            _ = try named.account(nil, of: both)
            Issue.record("one was chosen")
        } catch { #expect(error.message.contains("ada@a.example, grace@a.example")) }
        #expect(try policy().account("gra", of: both) == Self.grace)
        #expect(code { () throws(Failure) in _ = try policy().account("eve", of: both) } == .notFound)
    }

    @Test func `An account is allowed when it is named in full, and of the client's issuer`() throws {
        let entra = try Authority("https://login.example/contoso", kind: .aad)
        let lab = try Authority("https://id.example/lab", kind: .oidc)
        let one = policy { $0.accounts = ["ada@a.example"] }
        #expect(one.allowed([Self.ada, Self.grace], at: entra) == [Self.ada])
        #expect(policy { $0.accounts = ["ada"] }.allowed([Self.ada], at: entra).isEmpty)
        #expect(policy().allowed([Self.ada, Self.grace], at: entra) == [Self.ada, Self.grace])
        #expect(policy().allowed([Self.ada], at: lab).isEmpty)
    }

    @Test(
        arguments: [
            ("8h", 8 * 3600), ("30m", 1800), ("7d", 604_800), ("1m", 60), ("0m", nil), ("8d", nil), ("", nil),
            ("h", nil), ("-1h", nil), ("+1h", nil), ("8", nil), ("99999999999999999999h", nil),
            ("9223372036854775807d", nil),
        ] as [(String, Int?)])
    func `A time is a number with its unit`(text: String, seconds: Int?) {
        #expect(SettingsTime.duration(text) == seconds.map { .seconds($0) })
    }
}
