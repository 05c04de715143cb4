import FoundationEssentials
import Identity
import Keys

@testable import AppModel
@testable import Plain

/// A small store, told in lines and answered by lines.
struct Sample {
    static let now = Date(timeIntervalSince1970: 1_795_233_600)
    static let client = "11111111-2222-3333-4444-555555555555"
    static let ada = account("ada")
    static let grace = account("grace")

    static func account(_ name: String) -> Account {
        Account(
            homeAccountID: "\(name).home", environment: "login.microsoftonline.com", username: "\(name)@example.org",
            clients: [client])
    }

    static let context = {
        var context = Context()
        context.clients = [
            ConfiguredClient(
                name: "work", clientID: client, authority: "https://login.microsoftonline.com/organizations",
                scopes: ["User.Read"])
        ]
        context.defaultClient = "work"
        context.storeLabel = "~/store.json"
        context.storeBadge = "plain file"
        context.automaticReason = "no display here"
        context.settings = [SettingLine("client", "work", .standard, choice: .oneOf(["work", "lab"]))]
        context.naming = .names
        return context
    }()

    private(set) var state: AppState
    private(set) var face = PlainFace()
    private(set) var effects: [Effect] = []

    init(_ accounts: [Account] = [ada, grace], _ context: Context = context) {
        state = AppState(context: context, now: Self.now)
        _ = state.update(.loaded(Self.list(accounts)), on: .unlimited)
    }

    static func list(_ accounts: [Account]) -> AccountList {
        AccountList(
            accounts.map { AccountOverview(account: $0, credentials: []) }, clientName: { context.clientName($0) },
            planner: planner)
    }

    /// Every call refreshes.
    private static let planner = CallPlanner { account, use, _ in
        PlannedCall(
            use: use,
            request: TokenRequest(scopes: ["User.Read"], account: account, correlationID: TokenRequest.unnumbered),
            words: "refreshes; no cached token for these scopes", status: .refreshable)
    }

    /// The page as it opens, or what came of the last answer.
    mutating func tell() -> [String] { face.tell(state) }

    /// What is told for a line.
    @discardableResult
    mutating func answer(_ line: String) -> [String] {
        let (messages, complaint) = face.answer(line, state)
        effects += messages.flatMap { state.update($0, on: .unlimited) }
        return complaint + face.tell(state)
    }

    /// Answers with the number that stands before the words in what was told.
    @discardableResult
    mutating func answer(with words: String, in told: [String]) -> [String] {
        // The first page does not list all.
        let told = told.contains { $0.contains(words) } ? told : answer("more")
        let number = told.first { $0.contains(words) }?.split(separator: " ").first ?? "not offered: \(words)"
        return answer(String(number))
    }

    /// What is told because of messages.
    @discardableResult
    mutating func receive(_ messages: Message...) -> [String] {
        messages.flatMap { message in
            effects += state.update(message, on: .unlimited)
            return face.tellChanges(state).lines
        }
    }

    /// Puts a feature on top.
    mutating func open(_ feature: any Feature) { state.stack.append(feature) }

    var prompt: String { face.prompt(state) }
    var isUnseen: Bool { face.isUnseen(state) }
}
