import FoundationEssentials
import Identity
import Keys

@testable import AppModel

/// A small model without a face: everything is seen at once.
enum Sample {
    static let now = Date(timeIntervalSince1970: 1_795_233_600)
    static let client = "11111111-2222-3333-4444-555555555555"
    static let ada = Account(
        homeAccountID: "ada.home", environment: "login.microsoftonline.com", username: "ada@example.org",
        clients: [client])
    static let grace = Account(
        homeAccountID: "grace.home", environment: "login.microsoftonline.com", username: "grace@example.org",
        clients: [client])

    static let context = {
        var context = Context()
        context.clients = [
            ConfiguredClient(
                name: "work", clientID: client, authority: "https://login.microsoftonline.com/organizations",
                scopes: ["User.Read"])
        ]
        context.defaultClient = "work"
        context.settings = [SettingLine("client", "work", .standard, choice: .oneOf(["work", "lab"]))]
        return context
    }()

    static func list(_ accounts: [Account] = [ada, grace]) -> AccountList {
        AccountList(
            accounts.map { AccountOverview(account: $0, credentials: []) }, clientName: { context.clientName($0) },
            planner: planner)
    }

    /// Every call refreshes.
    static let planner = CallPlanner { account, use, _ in
        PlannedCall(
            use: use,
            request: TokenRequest(scopes: ["User.Read"], account: account, correlationID: TokenRequest.unnumbered),
            words: "refreshes; no cached token for these scopes", status: .refreshable)
    }

    static func state(_ accounts: [Account] = [ada, grace]) -> AppState {
        var state = AppState(context: context, now: now)
        state.send(.loaded(list(accounts)))
        return state
    }

    static func token(
        _ account: Account = ada, source: AcquiredToken.Source = .refresh, scopes: ScopeSet = ["User.Read"]
    ) throws -> AcquiredToken {
        AcquiredToken(
            accessToken: Secret("very-secret-access-token"), tokenType: "Bearer",
            expiresOn: now.addingTimeInterval(3600),
            extendedExpiresOn: nil, scopes: scopes, tenantID: "home", clientID: client,
            authority: try Authority("https://login.microsoftonline.com/organizations"), source: source,
            idTokenClaims: .cached(CachedClaims(nil)),
            account: account, correlationID: TokenRequest.unnumbered, trail: AcquisitionTrace())
    }
}

extension AppState {
    @discardableResult
    mutating func send(_ messages: Message...) -> [Effect] { messages.flatMap { update($0, on: .unlimited) } }

    @discardableResult
    mutating func run(_ commands: Command...) -> [Effect] { commands.flatMap { update(.command($0), on: .unlimited) } }

    /// The text of what is on top, one line for each paragraph.
    var words: String { Self.words(topPage.text) }

    private static func words(_ block: TextBlock) -> String {
        block.paragraphs.map { paragraph in
            switch paragraph {
            case .either(let long, _): words(long)
            case .text(let text, _, _), .item(_, _, let text, _, _): text
            case .pair(let label, _, let value, _, _, _): "\(label): \(value)"
            case .row(let spans), .spans(let spans, _): spans.map(\.text).joined()
            case .sides(let left, let right): (left + right).map(\.text).joined(separator: " ")
            case .menuItem(let name, _, let facts, let isMarked): "\(isMarked ? "> " : "")\(name.text): \(facts.text)"
            case .fact(let fact): "\(fact.name.text): \(fact.value.text)"
            default: ""
            }
        }.joined(separator: "\n")
    }
}
