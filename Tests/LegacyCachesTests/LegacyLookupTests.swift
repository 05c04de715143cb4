import FoundationEssentials
import Identity
import Testing

@testable import LegacyCaches

@Suite struct LegacyLookupTests {
    private let client = "11111111-aaaa-4bbb-8ccc-000000000001"

    private func entry(
        _ authority: String = "https://login.windows.net/contoso.com", user: String? = "alice@contoso.com",
        home: String? = nil,
        client: String? = nil, family: String? = nil, refresh: String?, oid: String? = nil, tenant: String? = nil
    ) throws -> LegacyEntry {
        LegacyEntry(
            kind: refresh == nil ? .accessTokenOnly : .multiResource, authority: try Authority(authority),
            clientID: client ?? self.client,
            userID: user, homeAccountID: home, objectID: oid, tenantID: tenant, refreshToken: refresh.map(Secret.init),
            accessToken: Secret("A"), familyID: family)
    }

    private func query(
        _ user: String? = "alice@contoso.com", home: String? = nil, family: String? = "1",
        _ authority: String = "https://login.microsoftonline.com/contoso.com"
    ) throws -> LegacyQuery {
        LegacyQuery(
            userID: user, homeAccountID: home, clientID: client, familyID: family, authority: try Authority(authority))
    }

    private func tokens(_ finding: LegacyFinding) -> [String]? {
        guard case .candidates(let entries) = finding else { return nil }
        return entries.compactMap { $0.refreshToken?.reveal() }
    }

    @Test(arguments: [
        ("contoso.com", ["contoso.com", "common"]), ("common", ["common"]), ("organizations", ["common"]),
        ("consumers", []),
    ])
    func `The authorities of a legacy token come host by host, then with common; consumers has none`(
        tenant: String, tenants: [String]
    ) throws {
        let authority = try Authority("https://login.microsoftonline.com/\(tenant)")
        let hosts = ["login.windows.net", "login.microsoftonline.com", "login.microsoft.com"]
        #expect(
            authority.legacyPlaces(aliases: hosts)
                == tenants.flatMap { tenant in hosts.map { LegacyPlace(host: $0, path: "/" + tenant) } })
        // The name that caches prefer is first and the one that was asked second, whatever the table's order.
        let asked = try Authority("https://login.microsoft.com/\(tenant)")
        #expect(
            Array(asked.legacyPlaces().map(\.host).prefix(2))
                == (tenants.isEmpty ? [] : ["login.windows.net", "login.microsoft.com"]))
    }

    @Test(arguments: [
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signin", "https://fs.contoso.com/adfs",
        "https://contoso.ciamlogin.com/contoso",
        "https://id.example.org/realms/lab",
    ])
    func `Other kinds of authority are looked for as they are`(text: String) throws {
        let authority = try Authority(text)
        #expect(authority.legacyPlaces() == [LegacyPlace(host: authority.environment, path: authority.address.path)])
    }

    @Test func `A refresh token that only the legacy cache has is found by home account, and by name in any case`()
        throws
    {
        let entries = [try entry(home: LegacyFixture.alice, refresh: "R")]
        #expect(tokens(entries.find(try query(nil, home: LegacyFixture.alice))) == ["R"])
        #expect(tokens(entries.find(try query("ALICE@contoso.com"))) == ["R"])
        #expect(entries.find(try query("bob@contoso.com")) == .none)
        #expect(entries.find(try query(nil, home: LegacyFixture.bob)) == .none)
        // A name does not help an entry of another home account, and one without a home account is not found by that
        // alone.
        #expect(entries.find(try query(home: LegacyFixture.bob)) == .none)
        #expect([try entry(refresh: "R")].find(try query(nil, home: LegacyFixture.alice)) == .none)
        #expect([try entry(refresh: nil)].find(try query()) == .none)
    }

    @Test func `The client's own tokens come before the family's, each in the order of the authorities (3.6)`() throws {
        let entries = [
            try entry(
                "https://login.microsoftonline.com/common", client: "foci-1", family: "1", refresh: "family, common"),
            try entry("https://login.windows.net/common", refresh: "own, common"),
            try entry("https://login.microsoftonline.com/contoso.com", refresh: "own, tenant, second host"),
            try entry("https://login.windows.net/fabrikam.com", refresh: "own, other tenant"),
            try entry("https://login.windows.net/contoso.com", refresh: "own, tenant, first host"),
            try entry("https://login.windows.net/contoso.com", client: "other", refresh: "another client's"),
            try entry(
                "https://login.windows.net/contoso.com", client: "foci-1", family: "1", refresh: "family, tenant"),
            try entry("https://login.partner.microsoftonline.cn/common", refresh: "another cloud's"),
        ]
        #expect(
            tokens(entries.find(try query())) == [
                "own, tenant, first host", "own, tenant, second host", "own, common", "own, other tenant",
                "family, tenant",
                "family, common",
            ])
        #expect(tokens(entries.find(try query(family: nil)))?.count == 4)
        #expect(tokens(entries.find(try query(family: "")))?.count == 4)
        #expect(entries.find(try query("alice@contoso.com", "https://login.microsoftonline.com/consumers")) == .none)
    }

    @Test func `Several people behind one name are never chosen between`() throws {
        let twins = try LegacyFixture.read("adal_objc_keychain.bplist").entries
        let asked = try query("twin@contoso.com", "https://login.microsoftonline.com/common")
        guard case .ambiguous(let people) = twins.find(asked) else {
            Issue.record("one of two was chosen")
            return
        }
        #expect(Set(people.compactMap(\.homeAccountID)).count == 2)
        var one = asked
        one.homeAccountID = people[1].homeAccountID
        #expect(tokens(twins.find(one)) == ["FAKE-KEYCHAIN-RT-2"])
        // Two objects of one tenant are two people, the same name in two tenants is one.
        let same = [try entry(refresh: "1", oid: "o1", tenant: "t1"), try entry(refresh: "2", oid: "o2", tenant: "t2")]
        #expect(tokens(same.find(try query())) == ["1", "2"])
        let two = [try entry(refresh: "1", oid: "o1", tenant: "t1"), try entry(refresh: "2", oid: "o2", tenant: "T1")]
        guard case .ambiguous = two.find(try query()) else {
            Issue.record("one of two was chosen")
            return
        }
    }

    @Test func `Without a name one person's token answers, and two people's do not`() throws {
        let one = [try entry(refresh: "R"), try entry("https://login.windows.net/common", refresh: "S")]
        #expect(tokens(one.find(try query(nil))) == ["R", "S"])
        guard case .ambiguous = (one + [try entry(user: "bob@contoso.com", refresh: "T")]).find(try query(nil)) else {
            Issue.record("one of two was chosen")
            return
        }
    }

    @Test func `A guest's tokens say so, and a home account is never made of other identifiers`() throws {
        let entries = try LegacyFixture.read("adal_net_v3.dat").entries
        #expect(entries.filter(\.isGuest).map(\.homeAccountID) == [nil])
        let mac = try LegacyFixture.read("adal_objc_mac.bplist").entries
        #expect(mac.filter(\.isGuest).map(\.homeAccountID) == [LegacyFixture.alice])
    }
}
