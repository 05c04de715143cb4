import Testing

@testable import Identity

@Suite struct ScopeTests {
    @Test func `A resource that ends in a slash keeps it before .default`() {
        #expect(
            ScopeSet.everything(of: "https://management.core.windows.net/").names == [
                "https://management.core.windows.net//.default"
            ])
        #expect(
            ScopeSet.everything(of: "https://graph.microsoft.com").names == ["https://graph.microsoft.com/.default"])
        #expect(
            ScopeSet(parsing: "https://management.core.windows.net//.default")
                != ScopeSet(parsing: "https://management.core.windows.net/.default"))
    }

    @Test(
        arguments: [
            (Authority.Kind.aad, "https://graph.microsoft.com/.default"),
            (.ciam, "https://graph.microsoft.com/.default"), (.b2c, "my-app"), (.adfs, "openid profile"),
            (.oidc, "openid profile email"),
        ])
    func `The scopes without any in options and settings are those of the kind of provider`(
        kind: Authority.Kind, scopes: String
    ) {
        #expect(ScopeSet.toAsk(configured: [], kind: kind, clientID: "my-app") == ScopeSet(parsing: scopes))
    }

    @Test func `Sets compare without order and case, and keep what was asked first`() {
        #expect(ScopeSet(parsing: "User.Read  mail.read\tUSER.READ").names == ["User.Read", "mail.read"])
        #expect(
            ScopeSet(["a", "B"]) == ScopeSet(["b", "A"])
                && ScopeSet(["a", "B"]).hashValue == ScopeSet(["b", "A"]).hashValue)
        #expect(
            ScopeSet(["user.read"]).isSubset(of: ["User.Read", "x"]) && !ScopeSet(["y"]).isSubset(of: ["x"])
                && ScopeSet().isSubset(of: []))
        #expect(ScopeSet(["A", "b"]).intersects(["B"]) && !ScopeSet(["a"]).intersects([]))
    }

    @Test func `The target is sorted by code points, as MSAL for Python writes it`() {
        #expect(ScopeSet(parsing: "https://b a B User.Read").target == "B User.Read a https://b")
    }

    @Test func `The reserved three come and go`() {
        #expect(ScopeSet(["User.Read"]).withReserved.names == ["User.Read", "openid", "profile", "offline_access"])
        #expect(ScopeSet(parsing: "OpenID offline_access x profile").withoutReserved.names == ["x"])
    }

    @Test(arguments: ["a\"b", "a\\b", "é", "\u{7F}", "", String(repeating: "a", count: 1025)])
    func `What is no scope of RFC 6749 section 3.3 is dropped`(_ name: String) {
        #expect(!ScopeSet.isScope(name) && ScopeSet([name]).isEmpty)
    }

    @Test func `Declined are the names that were wanted and not granted, in whatever form they come back`() {
        let wanted: ScopeSet = ["User.Read", "Mail.Send", "openid", "email", "https://vault.azure.net/.default"]
        #expect(wanted.declined(granted: ["https://graph.microsoft.com/user.read"]).names == ["Mail.Send"])
        #expect(ScopeSet(["api://x/Mail.Send"]).declined(granted: ["Mail.Send"]).names == ["api://x/Mail.Send"])
    }
}
