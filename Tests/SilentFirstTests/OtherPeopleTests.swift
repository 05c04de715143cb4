import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache
import Waiting

@testable import Sandbox

/// Accounts of other clouds than the one that the client names, and people who are not whom was asked for.
@Suite struct OtherPeopleTests {
    private static let government = "login.microsoftonline.us"

    private static func application(_ world: World, aware: Bool) throws -> PublicClientApplication {
        try world.made("https://login.microsoftonline.com/organizations") { $0.instanceAware = aware }
    }

    @Test func `Where a sign-in may move to the person's own cloud, silent calls go there too`() async throws {
        try await World.open { world in
            try world.seed { $0.environment = Self.government }
            let token = await (try Self.application(world, aware: true)).silent().token
            #expect(token?.source == .cache && token?.authority.address.host == Self.government)
            #expect(token?.authority.tenant == Directory.contoso.id)
            #expect(await (try Self.application(world, aware: false)).silent().code == .interactionRequired)
        }
    }

    @Test func `Of that, no host beyond the known clouds has anything`() async throws {
        try await World.open { world in
            try world.seed { $0.environment = "login.evil.example" }
            #expect(await (try Self.application(world, aware: true)).silent().code == .interactionRequired)
            // Nor does a provider that is none of Microsoft's clouds send anybody to one.
            try world.seed { $0.environment = Self.government }
            #expect(await (try world.made { $0.instanceAware = true }).silent().code == .interactionRequired)
        }
    }

    @Test func `A stranger who is granted less than was asked for is handed to nobody, either`() async throws {
        try await World.open { world in
            let application = try world.application()
            let ada = try await world.signIn(application).account
            await application.close()
            let refused: Failure?
            do {
                try await world.signIn(
                    application, "taro@contoso.example", scopes: ["User.Read", "Mail.Read"], granting: ["User.Read"],
                    account: ada)
                refused = nil
            } catch { refused = error as? Failure }
            #expect(refused?.code == .interactionRequired && refused?.result == nil)
            #expect(refused?.message.contains("taro@contoso.example") == true)
            // Kept as what it is.
            #expect(
                try world.snapshot().accounts().map(\.username).sorted() == [
                    "ada@contoso.example", "taro@contoso.example",
                ])
            await application.close()
        }
    }

    // MARK: Back from the page that ends the session

    private enum BrowserBehaviour { case comesBack, stays, givesUp }

    private static func leave(_ world: World, to place: String?, _ behaviour: BrowserBehaviour = .comesBack)
        async throws
        -> (outcome: SignOutOutcome, steps: [Step], opened: String)
    {
        let lab = try world.made(world.provider.issuer, kind: .oidc, client: Directory.labCLI) {
            $0.postLogoutRedirectURI = place
        }
        let account = try await world.signIn(lab, "hedy@lab.example", scopes: ["openid", "profile"]).account
        let steps = Mutex<[Step]>([])
        let opened = Mutex("")
        let agents = UserAgents(
            automatic: { (.browser, "a test") },
            openBrowser: { page throws(BrowserProblem) in
                opened.withLock { $0 = page.text }
                if behaviour == .givesUp { withUnsafeCurrentTask { $0?.cancel() } }
                guard behaviour == .comesBack else { return }
                Task {
                    guard let location = await Socket.get(page.text, userAgent: "curl/8").header("location") else {
                        return
                    }
                    _ = await Socket.get(location)
                }
            })
        let outcome = try await lab.signOut(account, userAgents: agents) { step in steps.withLock { $0.append(step) } }
        await lab.close()
        return (outcome, steps.withLock { $0 }, opened.withLock { $0 })
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A browser that comes back from the end-session page is seen, with its state or without`()
        async throws
    {
        try await World.open { world in
            let (outcome, steps, sent) = try await Self.leave(world, to: "http://localhost")
            #expect(outcome.sessionEnded == .done && steps.last?.detail == "redirect received")
            #expect(steps.contains { $0.outcome == .waiting && $0.detail.contains("redirect") })
            #expect(sent.contains("post_logout_redirect_uri=http%3A%2F%2Flocalhost%3A") && sent.contains("&state="))
            // Opened later, the page must not send the browser where nobody listens any more.
            for later in [outcome.endSessionURL?.text, outcome.endSessionURLWithHint?.reveal()] {
                #expect(later?.contains("post_logout") == false && later?.contains("state=") == false)
            }
            world.provider.bend(Fault(.quirk(.logoutDropsState)))
            let (again, words, _) = try await Self.leave(world, to: "http://localhost")
            #expect(again.sessionEnded == .opened && words.last?.detail.contains("without the expected state") == true)
        }
    }

    @Test func `Without a place to come back to, or one that cannot be had, the page is opened as ever`() async throws {
        try await World.open { world in
            for place in [nil, "http://192.0.2.1", "https://localhost"] {
                let (outcome, steps, sent) = try await Self.leave(world, to: place, .stays)
                #expect(
                    outcome.sessionEnded == .opened && sent.contains("id_token_hint=") && !sent.contains("post_logout"))
                #expect(steps.last?.detail == "page opened")
            }
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Who gives up waiting for the browser has left all the same`() async throws {
        try await World.open { world in
            let leaving = Task { try await Self.leave(world, to: "http://127.0.0.1", .givesUp) }
            let (outcome, _, _) = try await leaving.value
            #expect(outcome.removed == .done && outcome.sessionEnded != .done && outcome.endSessionURL != nil)
        }
    }
}
