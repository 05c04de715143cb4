import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// Rows of the list that would read the same.
@Suite struct AccountNameTests {
    /// Two hundred accounts of a company: long names, the same person in two tenants, names that differ in one letter.
    private static let company: [AccountOverview] = (0..<200).map { number in
        let given = ["giovanni.battista", "marie-claire", "jan", "oluwaseun", "anne", "wei", "x"][number % 7]
        let family = ["lindström-andersson", "o'neill", "von-der-heide-zu-stolzenfels", "li", "nakamura"][number % 5]
        let domain = ["contoso.onmicrosoft.com", "subsidiary.research.contoso.example", "fabrikam.example"][number % 3]
        let home = number % 2 == 0 ? World.tenant : World.other
        let account = Account(
            homeAccountID: "account-\(number).\(home)", environment: "login.microsoftonline.com",
            username: "\(given).\(family)\(number % 100 / 35)@\(domain)", name: "Person \(number)",
            tenantProfiles: [
                TenantProfile(tenantID: home, localAccountID: "\(number)", username: "", isHome: true)
            ], clients: [World.work])
        return AccountOverview(account: account, credentials: [World.credential(.refreshToken, World.work, account)])
    }

    @Test(arguments: [(24, 80), (24, 56), (30, 110)])
    func `No two of two hundred rows read the same`(rows: Int, columns: Int) {
        var state = World.state(Self.company, rows: rows, columns: columns)
        var seen: [Int: String] = [:]
        for number in 0..<Self.company.count {
            let lines = state.picture().split(separator: "\n", omittingEmptySubsequences: false)
            let line =
                lines.first { $0.contains("▌") }.map {
                    String($0.prefix(columns < 100 ? columns : columns - columns * 2 / 5))
                } ?? ""
            seen[number] = line
            state.press(.down)
        }
        let texts = Dictionary(grouping: seen.values) { $0 }.filter { $0.value.count > 1 }.keys
        #expect(texts.isEmpty, "\(texts.sorted().prefix(6))")
    }

    /// The same name in two tenants, whose own names are long.
    @Test(arguments: [80, 110]) func `A long tag leaves the name its beginning`(columns: Int) {
        let name = "Admin@engineering.subsidiary.very-long-company-name.onmicrosoft.com"
        let accounts = [World.tenant, World.other].map { home in
            let account = Account(
                homeAccountID: "admin.\(home)", environment: "login.microsoftonline.com", username: name,
                name: "Administrator of the tenant \(home) of a company with a long name",
                tenantProfiles: [TenantProfile(tenantID: home, localAccountID: "a", username: "", isHome: true)],
                clients: [World.work])
            return AccountOverview(account: account, credentials: [])
        }
        let rows = World.state(accounts, rows: 24, columns: columns).picture().split(separator: "\n").filter {
            !$0.hasPrefix("─") && $0.prefix(14).contains("Admin@")
        }
        #expect(rows.count == 2)
    }

    /// What the columns of the list are called, from left to right.
    @Test(arguments: [
        (80, ["account", "client", "gets", "access token"]),
        (110, ["account", "client", "gets", "access token"]),
        (150, ["account", "name", "tenant", "client", "gets", "access token", "last used"]),
        (200, ["account", "name", "tenant", "client", "gets", "access token", "last used"]),
    ]) func `Columns that tell more are added where there is room`(columns: Int, names: [String]) {
        var context = World.context
        context.uses.note(World.accounts[0].account.id, at: World.now)
        let titles = World.state(rows: 30, columns: columns, context: context).picture().split(separator: "\n").first {
            $0.contains("access token") && $0.contains("client")
        }
        let found = titles?.prefix { $0 != "│" }.split(separator: " ").joined(separator: " ")
        #expect(found == names.joined(separator: " "))
    }
}
