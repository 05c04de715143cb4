import AppModel
import FoundationEssentials
import Glibc
import Identity
import SilentFirst
import Terminal
import TokenCache

/// The screens' jobs as numbered questions: text is only ever added, nothing is drawn again, so that screen readers,
/// dumb terminals and scripts can follow.
struct PlainInterface: Sendable {
    let session: CommandContext
    let store: TokenCache
    let input = PlainInput()
    let log = PlainLog()

    /// Whether the person asked for it, or the terminal cannot do more.
    static func isWanted(_ choices: CommonOptions, _ environment: ProcessEnvironment) -> Bool {
        if choices.plain { return true }
        if let accessible = environment["ACCESSIBLE"], accessible != "0" { return true }
        return environment["TERM"] == "dumb"
    }

    init(_ session: CommandContext) throws(Failure) {
        self.session = session
        store = try session.storeForSigningIn(try session.clientIfAny()).cache
    }

    /// Ends when the person leaves, or at the end of input.
    func run() async throws(Failure) {
        say("foyer, plain mode. Answer with a number and Enter; Ctrl-C gives up what is under way.")
        let watch = PlainTask.watchInterrupt()
        defer { watch.cancel() }
        var listing = PlainListing()
        while true {
            let accounts = await atHand()
            say("")
            let own = accounts.count { $0.store == nil }
            let more = accounts.count - own
            say(
                "Store \(session.label(store)): \(own == 0 ? "nobody is signed in" : Self.counted(own, "account"))"
                    + (more == 0 ? "" : "; \(more) more in other programs' stores"))
            let choice = await choose(
                [
                    "sign in", "choose an account", "read the store again",
                    "another order of the accounts: now \(listing.order.words)",
                    "the accounts of one client: now \(listing.client.map(session.clientName) ?? "all")",
                    "remove or sign out several accounts", "inspect a token that you paste",
                    "what was asked for in this session",
                    "doctor: what stands in the way, and what to do", "settings",
                    "where programs keep tokens on this machine",
                ], zero: "quit")
            switch choice {
            case 1: await told { () async throws(Failure) in try await signIn(nil) }
            case 2: await chooseAccount(listing.rows(of: accounts))
            case 3: continue
            case 4: listing.order = listing.order.next
            case 5: listing.client = await pickClient(of: accounts)
            case 6: await chooseSeveral(listing.rows(of: accounts))
            case 7: await paste()
            case 8: await showLog()
            case 9: await examine()
            case 10: await settings()
            case 11: await stores()
            default: return
            }
        }
    }

    // MARK: Questions

    /// - Returns: the number, zero for the last one and at the end of input.
    func choose(_ answers: [String], zero: String) async -> Int {
        while true {
            for (index, answer) in answers.enumerated() { say(" \(index + 1)  \(answer)") }
            say(" 0  \(zero)")
            guard let answer = await ask("number: ") else { return 0 }
            if let number = Int(answer), (0...answers.count).contains(number) { return number }
            say("write a number from 0 to \(answers.count)")
        }
    }

    func ask(_ question: String) async -> String? {
        Output.write(question, to: STDOUT_FILENO)
        let answer = await input.next()
        return answer.map { String($0.split(whereSeparator: \.isWhitespace).joined(separator: " ")) }
    }

    func say(_ line: String) { session.output.lines([line]) }

    /// A failure ends the job, not the program.
    func told(_ job: () async throws(Failure) -> Void) async {
        do throws(Failure) { try await job() } catch { tell(error) }
    }

    func tell(_ failure: Failure) {
        say("it did not work: \(failure.message)")
        if let hint = failure.nextStep?.words { say("what to do: \(hint)") }
    }

    /// Foyer's own accounts, then those of other programs' stores that are not hidden.
    func overviews() throws(Failure) -> [AccountOverview] {
        let own: [AccountOverview]
        do { own = try store.read().overviews(clientID: nil) } catch { throw Failure(error) }
        return own + ((try? session.readingSettingsAgain().accountsElsewhere()) ?? [])
    }

    /// A store that cannot be read is said, and can be read again.
    private func atHand() async -> [AccountOverview] {
        do throws(Failure) { return try overviews() } catch {
            tell(error)
            return []
        }
    }

    static func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) " + (count == 1 ? one : many ?? one + "s")
    }
}

/// Which accounts are listed, and in which order.
struct PlainListing {
    enum Order: CaseIterable {
        case name, lastUsed, endsFirst

        var words: String {
            switch self {
            case .name: "by name"
            case .lastUsed: "last used first"
            case .endsFirst: "ending first"
            }
        }

        var next: Order {
            switch self {
            case .name: .lastUsed
            case .lastUsed: .endsFirst
            case .endsFirst: .name
            }
        }
    }

    var order = Order.name
    /// Nil: every client's.
    var client: String?

    func rows(of all: [AccountOverview]) -> [AccountOverview] {
        let named = all.filter { overview in client.map(overview.account.clients.contains) ?? true }
            .sorted {
                ($0.account.label.lowercased(), $0.account.homeAccountID) < (
                    $1.account.label.lowercased(), $1.account.homeAccountID
                )
            }
        func sorted(_ key: (AccountOverview) -> Date) -> [AccountOverview] {
            // Equal ones keep the order of their names.
            named.enumerated().map { (key($0.element), $0.offset, $0.element) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
                .map(\.2)
        }
        switch order {
        case .name: return named
        case .lastUsed:
            return sorted { overview in
                Date(
                    timeIntervalSince1970:
                        -(overview.credentials.compactMap(\.cachedAt).max()?.timeIntervalSince1970 ?? 0))
            }
        case .endsFirst: return sorted { $0.credentials.compactMap(\.expiresOn).max() ?? .distantPast }
        }
    }
}
