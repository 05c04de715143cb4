import Identity
import Testing

@testable import TokenCache

/// Entries of so many accounts, some with IDs in another case or with escapes, at two hosts of one cloud and at
/// another host.
private func manyAccounts(_ count: Int) throws -> (snapshot: CacheSnapshot, ids: [String]) {
    let ids = (0..<count).map { "User\($0).\(World.homeTenant)" }
    let hosts = ["login.microsoftonline.com", "LOGIN.windows.net", "adfs.example"]
    let entries = ids.enumerated().flatMap { number, id in
        let escaped = "\\u0055" + id.dropFirst()
        return [id, id.lowercased(), escaped, id].enumerated().map { copy, written in
            """
            "\(number)-\(copy)":{"home_account_id":"\(written)","environment":"\(hosts[(number + copy) % 3])",\
            "client_id":"c","secret":"\(number)"}
            """
        } + [#""\#(number)-none":{"environment":"login.microsoftonline.com","secret":"x"}"#, #""\#(number)":null"#]
    }
    let text = #"{"RefreshToken":{\#(entries.joined(separator: ","))},"Account":{},"AccessToken":{}}"#
    return (try CacheSnapshot(Array(text.utf8), path: "many"), ids)
}

@Suite struct OwnerIndexTests {
    @Test func `An account gets its own entries only, however many accounts are queried`() throws {
        let (snapshot, ids) = try manyAccounts(60)
        for id in ids + ids.map({ $0.lowercased() }) + ids.map({ $0.uppercased() }) + ["User1", "", "nobody"] {
            for host in ["login.microsoftonline.com", "login.windows.net", "adfs.example", "login.microsoftonline.us"] {
                let names = EnvironmentNames(host)
                for section in [Section.refreshToken, .account, .idToken] {
                    let wanted = snapshot.entries(section)
                        .filter { entry in
                            guard let home = entry.filled("home_account_id"), entry.isIn(names) else { return false }
                            return HomeAccountID.isSame(home, id, issuer: nil)
                        }
                    let found = snapshot.homonyms(AccountID(homeAccountID: id, environment: host), in: section)
                    #expect(found.map(\.index) == wanted.map(\.index))
                }
            }
        }
    }

    @Test func `Every account of a long list is found without comparing every entry each time`() throws {
        let ids = (0..<400).map { "user\($0)" }
        let entries = ids.flatMap { id in (0..<3).map { #""\#(id)-\#($0)":{"home_account_id":"\#(id)"}"# } }
        let snapshot = try CacheSnapshot(
            Array(#"{"AccessToken":{\#(entries.joined(separator: ","))}}"#.utf8), path: "many")
        var compared = 0
        for id in ids { compared += snapshot.candidates(Array(id.utf8), in: .accessToken)?.count ?? entries.count }
        #expect(compared < (OwnerIndex.scans + 3) * entries.count)
    }
}
