import FoundationEssentials
public import Identity
public import SilentFirst
import StrictJSON
import Synchronization
import TokenCache
import Wire

/// A provider for the tests of a program: sign-ins, refusals and refreshes in milliseconds, without a network.
///
/// ```swift
/// let provider = TestProvider()
/// let application = provider.application(configuration)
/// let browser = provider.browser()
/// _ = try await application.acquireTokenSilentFirst(request, userAgents: browser.userAgents)
/// provider.clock.advance(by: 3600)
/// provider.answer(with: .interactionRequired)
/// ```
///
/// It stands for whatever authority an application names, of Entra ID or of OpenID Connect, and checks what a provider
/// checks: PKCE, single use of codes, known refresh tokens. Everything else is the library itself.
public final class TestProvider: Sendable {
    /// The time of the provider and its applications.
    public let clock: TestClock

    struct State {
        var answers: [TestAnswer] = []
        var requests: [TestRequest] = []
        var lifetime = 3600
        var rotates = true
        var issued = TestIssuer()
        var browsers: [TestBrowser] = []
    }

    let state = Mutex(State())

    /// - Parameter clock: for several providers with the same time.
    public init(clock: TestClock = TestClock()) { self.clock = clock }

    /// An application whose requests this provider answers.
    ///
    /// - Parameters:
    ///   - configuration: as in the program; no request reaches its authority.
    ///   - store: in memory by default; name one to test how several applications share it.
    public func application(_ configuration: ClientConfiguration, store: any TokenStore = .inMemory)
        -> PublicClientApplication
    {
        let clock = clock
        let double = NetworkDouble(
            exchange: { [self] request throws(WireError) in try answer(request) },
            uptime: { clock.uptime }, sleep: { try await clock.sleep($0) })
        return PublicClientApplication(
            configuration, cache: TokenCache(store), provider: Provider(configuration.network, double: double),
            now: { clock.now }, jitter: { 0 })
    }

    /// A browser with a person who signs in.
    ///
    /// - Parameters:
    ///   - person: the behavior of the person.
    ///   - method: `browser`, or `device` for a code, which the person enters after the first poll.
    public func browser(_ person: TestBrowser.Person = .signsIn(.ada), method: SignInMethod = .browser) -> TestBrowser {
        let browser = TestBrowser(person, method) { [self] address, person in authorize(address, person) }
        state.withLock { $0.browsers.append(browser) }
        return browser
    }

    /// Sets the answers to the next token requests, in this order; later ones get tokens again.
    public func answer(with answers: TestAnswer...) { state.withLock { $0.answers += answers } }

    /// Everything that was received, oldest first.
    public var requests: [TestRequest] { state.withLock { $0.requests } }

    /// Requests for tokens, oldest first: none for a cached token.
    public var tokenRequests: [TestRequest] {
        requests.filter { if case .token = $0.kind { true } else { false } }
    }

    /// Seconds that new access tokens are valid; an hour by default.
    public var accessTokenLifetime: Int {
        get { state.withLock { $0.lifetime } }
        set { state.withLock { $0.lifetime = newValue } }
    }

    /// Whether a refresh token is invalid once it was used; true by default.
    public var rotatesRefreshTokens: Bool {
        get { state.withLock { $0.rotates } }
        set { state.withLock { $0.rotates = newValue } }
    }

    /// Ends all sessions: every refresh token so far is refused with `invalid_grant`.
    public func revokeRefreshTokens() { state.withLock { $0.issued.refreshTokens = [:] } }
}
