import FoundationEssentials
import Identity
import SilentCore
import SilentFirst
import Synchronization
import Testing
import TokenCache
import Waiting
import Wire

@testable import Sandbox

/// What a request says of the interactive leg reaches the provider, and what the person does with it comes back.
@Suite struct InteractiveRequestTests {
    /// Browsers that note which address was opened in which of them, and follow the provider's redirect to the
    /// listener.
    private final class Browsers: Sendable {
        private let notes = Mutex<[(kind: String, fields: [String: String])]>([])

        var opened: [String] { notes.withLock { $0.map(\.kind) } }
        var fields: [String: String] { notes.withLock { $0.last?.fields ?? [:] } }

        func agents(automatic: SignInMethod = .browser, isLeft: Bool = false) -> UserAgents {
            UserAgents(
                automatic: { (automatic, "a test") },
                openBrowser: { [self] address throws(BrowserProblem) in open(address, "system", isLeft) },
                openPrivateWindow: { [self] address throws(BrowserProblem) in open(address, "private", isLeft) },
                openTextBrowser: { [self] address throws(BrowserProblem) in open(address, "text", isLeft) })
        }

        private func open(_ address: WebAddress, _ kind: String, _ isLeft: Bool) {
            notes.withLock { $0.append((kind, FormEncoding.decode(address.query ?? "") ?? [:])) }
            guard !isLeft else { return }
            Task {
                guard let location = await Socket.get(address.text, userAgent: "curl/8").header("location") else {
                    return
                }
                _ = await Socket.get(location)
            }
        }
    }

    @Test
    func `Hints, extra scopes, extra parameters, age and classes go into the authorization request, and into no other`()
        async throws
    {
        try await World.open { world in
            world.provider.answerPages(as: "ada@contoso.example")
            try await world.withProxy { proxy in
                let configuration = PublicClientApplication.Configuration(
                    clientID: Directory.tryOut, authority: try Authority(proxy.baseURL + "/organizations", kind: .aad),
                    store: world.store, network: .patient)
                let application = PublicClientApplication(configuration)
                let browsers = Browsers()
                let wish = TokenRequest(
                    scopes: ["User.Read"], prompt: .selectAccount, loginHint: "ada@contoso.example",
                    domainHint: "contoso.example",
                    extraScopes: ["Mail.Read"], extraQueryParameters: ["dc": "ESTS-PUB"])
                let token = try await application.acquireToken(wish, userAgents: browsers.agents())
                let sent = browsers.fields
                #expect(sent["prompt"] == "select_account" && sent["login_hint"] == "ada@contoso.example")
                #expect(sent["domain_hint"] == "contoso.example" && sent["dc"] == "ESTS-PUB")
                #expect(ScopeSet(parsing: sent["scope"] ?? "").contains("Mail.Read"))
                #expect(sent["code_challenge_method"] == "S256" && sent["state"]?.isEmpty == false)
                let redeemed = try #require(proxy.tokenRequests.last)
                #expect(!ScopeSet(parsing: redeemed.fields["scope"] ?? "").contains("Mail.Read"))
                #expect(redeemed.fields["dc"] == nil)
                #expect(token.scopes.contains("User.Read"))
                await application.close()
            }
        }
    }

    @Test(arguments: ["redirect_uri", "State", "code_challenge", "claims"])
    func `A parameter that the protocol stands on cannot be put in by hand`(name: String) async throws {
        try await World.open { world in
            let application = try world.application()
            let browsers = Browsers()
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: ["User.Read"], extraQueryParameters: [name: "x"]),
                    userAgents: browsers.agents())
            }
            #expect(refused?.code == .usage && refused?.message.contains(name) == true)
            #expect(browsers.opened.isEmpty)
            await application.close()
        }
    }

    @Test(arguments: [
        (SignInMethod.browser, "system"), (.privateWindow, "private"), (.text, "text"), (.automatic, "text"),
    ])
    func `Each method opens its own browser, once, and its life is told in order`(method: SignInMethod, kind: String)
        async throws
    {
        try await World.open { world in
            let application = try world.application()
            let browsers = Browsers()
            let life = Mutex<[UserAgentEvent]>([])
            _ = try await application.acquireToken(
                TokenRequest(scopes: ["User.Read"], method: method), userAgents: browsers.agents(automatic: .text)
            ) { event in
                if case .userAgent(let event) = event { life.withLock { $0.append(event) } }
            }
            #expect(browsers.opened == [kind])
            let told = life.withLock { $0 }
            #expect(told.first == .started(method == .automatic ? .text : method) && told.last == .completed)
            #expect(Set(told).isSuperset(of: [.loaded, .redirected]) && told.count == 4)
            await application.close()
        }
    }

    @Test func `A browser that does not open is told, and the address can be opened by hand`() async throws {
        try await World.open { world in
            let application = try world.application()
            let problems = Mutex<[UserAgentEvent]>([])
            let agents = UserAgents(
                automatic: { (.browser, "a test") },
                openBrowser: { _ throws(BrowserProblem) in throw BrowserProblem("no display") })
            let token = try await application.acquireToken(TokenRequest(scopes: ["User.Read"]), userAgents: agents) {
                event in
                switch event {
                case .userAgent(.failed(let why)): problems.withLock { $0.append(.failed(why)) }
                case .browser(let prompt):
                    Task {
                        guard
                            let location = await Socket.get(prompt.authorizationURL.text, userAgent: "curl/8").header(
                                "location")
                        else {
                            return
                        }
                        _ = await Socket.get(location)
                    }
                default: break
                }
            }
            #expect(token.source == .interactive)
            #expect(problems.withLock { $0 } == [.failed("no display")])
            await application.close()
        }
    }

    @Test func `What was granted of a declined request comes with the failure, and can be used`() async throws {
        try await World.open { world in
            let application = try world.application()
            do {
                try await world.signIn(application, scopes: ["User.Read", "Mail.Read"], granting: ["User.Read"])
                Issue.record("nothing was declined")
            } catch let failure as Failure {
                let result = try #require(failure.result)
                #expect(
                    result.source == .interactive && result.scopes.contains("User.Read")
                        && !result.scopes.contains("Mail.Read"))
                let silent = try await application.acquireTokenSilent(TokenRequest(scopes: ["User.Read"]))
                #expect(
                    silent.accessToken == result.accessToken && silent.account.id.isSamePerson(as: result.account.id))
            }
            await application.close()
        }
    }

    @Test func `A provider that must not ask and would have to is answered by interaction required`() async throws {
        try await World.open { world in
            for error in ["login_required", "consent_required", "interaction_required", "account_selection_required"] {
                let refusal = Failure(OAuthError(error: error))
                #expect(refusal.code == .interactionRequired, "\(error)")
            }
            #expect(Failure(OAuthError(error: "access_denied")).code == .cancelled)
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Giving up while the browser is open leaves nothing in the store`() async throws {
        try await World.open { world in
            let application = try world.application()
            let browsers = Browsers()
            let shown = AsyncStream.makeStream(of: Void.self)
            let waiting = Task {
                await failure { () throws(Failure) in
                    try await application.acquireToken(
                        TokenRequest(scopes: ["User.Read"]), userAgents: browsers.agents(isLeft: true)
                    ) {
                        event in
                        if case .userAgent(.loaded) = event { shown.continuation.yield() }
                    }
                }
            }
            for await _ in shown.stream { break }
            waiting.cancel()
            #expect(await waiting.value?.code == .cancelled)
            #expect(try world.snapshot().credentials().isEmpty)
            #expect(
                try await application.acquireToken(TokenRequest(scopes: ["User.Read"]), userAgents: browsers.agents())
                    .source
                    == .interactive)
            await application.close()
        }
    }

    @Test func `A request that was pushed leaves nothing of itself in the browser's address (RFC 9126)`() async throws {
        try await World.open { world in
            world.provider.answerPages(as: "hedy@lab.example")
            var configuration = PublicClientApplication.Configuration(
                clientID: Directory.labCLI, authority: try Authority(world.provider.issuer, kind: .oidc),
                store: world.store, network: .patient)
            configuration.pushesAuthorizationRequests = true
            let application = PublicClientApplication(configuration)
            let browsers = Browsers()
            let token = try await application.acquireToken(
                TokenRequest(scopes: ["openid", "profile"], loginHint: "hedy@lab.example"),
                userAgents: browsers.agents())
            #expect(token.source == .interactive && token.trail.steps.contains { $0.name == .pushedRequest })
            #expect(Set(browsers.fields.keys) == ["client_id", "request_uri"])
            await application.close()
        }
    }

    @Test func `A sign-in without a browser is for External ID alone`() async throws {
        try await World.open { world in
            let application = try world.application()
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: ["User.Read"], method: .native), userAgents: Browsers().agents())
            }
            #expect(refused?.code == .usage)
            await application.close()
        }
    }
}
