import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache
import Waiting
import Wire

@testable import Sandbox

@Suite struct InteractiveTests {
    private static let request = TokenRequest(scopes: ["User.Read"])

    /// A browser that follows the provider's redirect to the listener; `curl` is what the sandbox takes for a browser
    /// with a session.
    private static func browser(_ bend: @escaping @Sendable (String) -> [String] = { [$0] }) -> UserAgents {
        UserAgents(
            automatic: { (.browser, "a test") },
            openBrowser: { address throws(BrowserProblem) in
                Task {
                    let reply = await Socket.get(address.text, userAgent: "curl/8")
                    guard let location = reply.header("location") else { return }
                    for target in bend(location) { _ = await Socket.get(target) }
                }
            })
    }

    @Test func `A loopback sign-in ends with a checked token`() async throws {
        try await World.open { world in
            let application = try world.application()
            let token = try await application.acquireToken(Self.request, userAgents: Self.browser())
            #expect(token.source == .interactive)
            #expect(token.trail.steps.map(\.name).suffix(5) == [.browser, .redirect, .redeem, .idToken, .save])
            #expect(try await application.acquireTokenSilent(Self.request).accessToken == token.accessToken)
            await application.close()
        }
    }

    @Test func `The redirect URI and the scopes are those of the server that is asked, not of the client's usual one`()
        async throws
    {
        try await World.open { world in
            let authority = try Authority(world.provider.issuer, kind: .oidc)
            var configuration = try world.application(Directory.labCLI).configuration
            for (defaults, redirect) in [
                (nil, "http://localhost:"), (RequestDefaults(), "http://localhost:"),
                (
                    RequestDefaults(authority: world.provider.issuer, kind: .oidc, server: "gitlab"),
                    "http://127.0.0.1:"
                ),
            ] {
                configuration.defaults = defaults
                let application = PublicClientApplication(
                    configuration, cache: world.cache, provider: Provider(configuration.network),
                    now: { world.now })
                let asked = Mutex<String?>(nil)
                let scopes: ScopeSet = ["openid", "email"]
                _ = try await application.acquireToken(
                    TokenRequest(scopes: scopes, authority: authority, method: .browser), userAgents: Self.browser()
                ) { event in
                    if case .browser(let prompt) = event {
                        asked.withLock { $0 = prompt.redirectURI + " " + prompt.authorizationURL.text }
                    }
                }
                let text = try #require(asked.withLock { $0 })
                #expect(text.hasPrefix(redirect), "\(text)")
                #expect(text.contains("offline_access") == (defaults?.server == nil), "\(text)")
                await application.close()
            }
        }
    }

    @Test func `Strays and a wrong state are sent away and the right answer still counts`() async throws {
        try await World.open { world in
            let strays = Mutex(0)
            let application = try world.application()
            let agents = Self.browser { location in
                let base = String(location.prefix { $0 != "?" })
                return [base + "/favicon.ico", base + "?code=stolen&state=wrong", base, location]
            }
            let token = try await application.acquireToken(Self.request, userAgents: agents) { event in
                switch event {
                case .strayRequest: strays.withLock { $0 += 1 }
                case .strayAnswer: strays.withLock { $0 += 10 }
                default: break
                }
            }
            #expect(token.source == .interactive)
            #expect(strays.withLock { $0 } == 12)
            await application.close()
        }
    }

    @Test func `A pasted word that is no code is told, and the sign-in goes on waiting`() async throws {
        try await World.open { world in
            let application = try world.application()
            let address = Mutex("")
            let refused = Mutex([String]())
            let (lines, sink) = AsyncStream.makeStream(of: String.self)
            let agents = UserAgents(
                automatic: { (.browser, "a test") },
                openBrowser: { _ throws(BrowserProblem) in throw BrowserProblem("there is none") },
                pastedLines: { lines })
            sink.yield("not-a-code")
            let token = try await application.acquireToken(Self.request, userAgents: agents) { event in
                switch event {
                case .browser(let prompt): address.withLock { $0 = prompt.authorizationURL.text }
                case .pastedTextRefused(let why):
                    refused.withLock { $0.append(why) }
                    let page = address.withLock { $0 }
                    Task {
                        let reply = await Socket.get(page, userAgent: "curl/8")
                        if let location = reply.header("location") { sink.yield(location) }
                    }
                default: break
                }
            }
            #expect(token.source == .interactive)
            #expect(refused.withLock { $0 }.count == 1)
            #expect(refused.withLock { $0 }.first?.contains("rejected the code (invalid_grant)") == true)
            await application.close()
        }
    }

    @Test func `Nobody coming back is told as what it is: a page that said no, with what to register`() async throws {
        try await World.open { world in
            let application = try world.application()
            var agents = UserAgents(automatic: { (.browser, "a test") }, openBrowser: { _ throws(BrowserProblem) in })
            agents.patience = .milliseconds(20)
            let asked = agents
            let failure = await failure { () throws(Failure) in
                try await application.acquireToken(Self.request, userAgents: asked)
            }
            #expect(failure?.code == .unavailable)
            let hint = failure?.hint?.description ?? ""
            #expect(hint.contains(Directory.tryOut) && hint.contains("register http://localhost"))
            await application.close()
        }
    }

    @Test func `A provider whose claims request is none can still be signed in at`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try world.advance(4000)
            let refusal = Fault.Kind.error(
                "interaction_required", suberror: nil, codes: [], claims: "{ no JSON", description: nil, status: 400)
            world.provider.bend(Fault(refusal, endpoint: "token:refresh_token"))
            let token = try await application.acquireTokenSilentFirst(Self.request, userAgents: Self.browser())
            #expect(token.source == .interactive)
            await application.close()
        }
    }

    @Test(arguments: [true, false])
    func `What a person pastes stands for the redirect: the address, or the code alone`(whole: Bool) async throws {
        try await World.open { world in
            let (lines, continuation) = AsyncStream.makeStream(of: String.self)
            let agents = UserAgents(
                automatic: { (.browser, "a test") },
                openBrowser: { address throws(BrowserProblem) in
                    Task {
                        let location = await Socket.get(address.text, userAgent: "curl/8").header("location") ?? ""
                        let code = FormEncoding.decode(String(location.split(separator: "?").last ?? ""))?["code"] ?? ""
                        continuation.yield("http://localhost/?code=x&state=wrong")
                        continuation.yield(whole ? location : code)
                    }
                }, pastedLines: { lines })
            let application = try world.application()
            #expect(try await application.acquireToken(Self.request, userAgents: agents).source == .interactive)
            await application.close()
        }
    }

    @Test func `A device sign-in minds slow_down, and a refusal is the person's`() async throws {
        try await World.open { world in
            let application = try world.application()
            world.provider.bend(Fault(.denied, endpoint: "token:device_code"))
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: ["User.Read"], method: .device), userAgents: .deviceCodeOnly)
            }
            #expect(refused?.code == .cancelled)
            world.provider.clearFaults()
            world.provider.bend(Fault(.expired, endpoint: "token:device_code"))
            let expired = await failure { () throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: ["User.Read"], method: .device), userAgents: .deviceCodeOnly)
            }
            #expect(expired?.code == .interactionRequired)
            #expect(try world.snapshot().credentials().isEmpty)
            await application.close()
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Giving up ends a sign-in at once, and the same wish can be made again`()
        async throws
    {
        try await World.open { world in
            let application = try world.application()
            let wish = TokenRequest(scopes: ["User.Read"], method: .device)
            let shown = AsyncStream.makeStream(of: Void.self)
            let waiting = Task {
                await failure { () throws(Failure) in
                    try await application.acquireToken(wish, userAgents: .deviceCodeOnly) { event in
                        if case .deviceCode = event { shown.continuation.yield() }
                    }
                }
            }
            for await _ in shown.stream { break }
            waiting.cancel()
            #expect(await waiting.value?.code == .cancelled)
            #expect(try await world.signIn(application).source == .interactive)
        }
    }

    @Test func `A declined scope is a failure that names both, and what was granted serves silently`() async throws {
        try await World.open { world in
            let application = try world.application()
            do {
                try await world.signIn(application, scopes: ["User.Read", "Mail.Read"], granting: ["User.Read"])
                Issue.record("nothing was declined")
            } catch let failure as Failure {
                #expect(failure.code == .declinedScopes)
                #expect(failure.declinedScopes == ["Mail.Read"] && failure.grantedScopes.contains("User.Read"))
            }
            #expect(try await application.acquireTokenSilent(Self.request).source == .cache)
        }
    }

    @Test(arguments: [true, false])
    func `An account that was made anew gives its name back, unless the one before may still be alive`(isOver: Bool)
        async throws
    {
        try await World.open { world in
            let application = try world.application()
            let before = "00000000-1111-2222-3333-444444444444." + Directory.contoso.id
            try world.put(
                "Ada@contoso.example", home: before, realm: Directory.contoso.id, accessToken: "old",
                refreshToken: Secret("dead"))
            let asked = try #require(try await application.allAccounts().first)
            if !isOver { world.provider.bend(Fault(.status(503, retryAfter: nil), endpoint: "token:refresh_token")) }
            do {
                let token = try await world.signIn(application, account: asked)
                #expect(isOver && token.account.homeAccountID == World.ada)
            } catch let failure as Failure {
                #expect(!isOver && failure.signInProblem == .otherAccount)
            }
            #expect(try await application.allAccounts().count == (isOver ? 1 : 2))
            await application.close()
        }
    }

    @Test func `Another person than the asked one is kept, and nobody is handed their token`() async throws {
        try await World.open { world in
            let application = try world.application()
            let ada = try await world.signIn(application).account
            do {
                try await world.signIn(application, "grace@fabrikam.example", account: ada)
                Issue.record("a stranger's token was handed out")
            } catch let failure as Failure {
                #expect(failure.code == .interactionRequired && failure.signInProblem == .otherAccount)
                #expect(failure.message.contains("grace@fabrikam.example"))
            }
            #expect(try await application.allAccounts().count == 2)
        }
    }

    @Test(arguments: [
        TokenFault.algNone, .hs256WithPublicKey, .badSignature, .wrongIssuer, .wrongAudience, .wrongNonce,
        .missingNonce,
        .missingSub,
    ])
    func `An ID token that fails a check stores nothing`(bend: TokenFault) async throws {
        try await World.open { world in
            world.provider.bend(Fault(.idToken(bend), endpoint: "token:authorization_code"))
            let application = try world.application()
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(Self.request, userAgents: Self.browser())
            }
            #expect(refused?.code == .untrustedResponse)
            #expect(try world.snapshot().credentials().isEmpty)
            await application.close()
        }
    }

    @Test func `Silent first asks once, with whom and what the refusal named`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            let claims = #"{"access_token":{"nbf":{"essential":true}}}"#
            world.provider.bend(
                Fault(
                    .error(
                        "interaction_required", suberror: nil, codes: [50079], claims: claims, description: nil,
                        status: 400),
                    endpoint: "token:refresh_token"))
            try world.advance(4000)
            let opened = Mutex<[String]>([])
            let browser = Self.browser()
            let agents = UserAgents(
                automatic: { (.browser, "a test") },
                openBrowser: { address throws(BrowserProblem) in
                    opened.withLock { $0.append(address.query ?? "") }
                    try await browser.openBrowser(address)
                })
            let token = try await application.acquireTokenSilentFirst(Self.request, userAgents: agents)
            #expect(token.source == .interactive)
            let queries = opened.withLock { $0 }
            #expect(queries.count == 1)
            let fields = FormEncoding.decode(queries.first ?? "") ?? [:]
            #expect(fields["login_hint"] == "ada@contoso.example")
            #expect(fields["claims"] == claims)
            #expect(token.trail.steps.contains { $0.name == .interaction })
            await application.close()
        }
    }

    @Test func `After a removal the next page asks for credentials`() async throws {
        try await World.open { world in
            let cli = try world.application(Directory.azureCLI)
            try await world.signIn(cli)
            let shell = try world.application(Directory.azurePowerShell)
            let account = try await shell.acquireTokenSilent(Self.request).account
            try await shell.remove(account)
            let prompt = Mutex<String?>(nil)
            let agents = UserAgents(
                automatic: { (.browser, "a test") },
                openBrowser: { address throws(BrowserProblem) in
                    prompt.withLock { $0 = FormEncoding.decode(address.query ?? "")?["prompt"] }
                    throw BrowserProblem("seen enough")
                })
            let wish = TokenRequest(scopes: ["User.Read"], account: account)
            let asking = Task {
                await failure { () throws(Failure) in try await shell.acquireToken(wish, userAgents: agents) }
            }
            #expect(await eventually { prompt.withLock { $0 } != nil })
            asking.cancel()
            _ = await asking.value
            #expect(prompt.withLock { $0 } == "login")
            await shell.close()
        }
    }

    @Test func `A plain provider's device grant without an ID token is known by its user info`() async throws {
        try await World.open { world in
            world.provider.bend(Fault(.idToken(.missing), endpoint: "token:device_code"))
            let application = try world.application(Directory.labCLI, oidc: true)
            let token = try await world.signIn(application, "hedy@lab.example", scopes: ["openid", "profile", "email"])
            #expect(token.account.label.hasPrefix("hedy"))
            #expect(world.provider.requests("userinfo") == 1)
        }
    }

    @Test func `Signing out tells its three parts apart`() async throws {
        try await World.open { world in
            let application = try world.application(Directory.labCLI, oidc: true)
            let account = try await world.signIn(application, "hedy@lab.example", scopes: ["openid", "profile"]).account
            let outcome = try await application.signOut(account, userAgents: .deviceCodeOnly)
            #expect(outcome.revoked == .done)
            #expect(outcome.removed == .done)
            #expect(outcome.sessionEnded == .failed("this program cannot open a browser"))
            #expect(outcome.endSessionURL?.path.hasSuffix("/logout") == true)
            #expect(outcome.accessTokensExpire != nil)
            #expect(world.provider.requests("revoke") == 1)
            #expect(try world.snapshot().credentials().isEmpty)
            await application.close()
        }
    }
}
