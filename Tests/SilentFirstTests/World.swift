import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import TokenCache
import Waiting

@testable import Sandbox

/// A provider, a store and a clock of their own for one test.
final class World: Sendable {
    let provider: SandboxProvider
    let store: String
    /// The application's clock stands still but for what a test advances it.
    private let start = Date()
    /// Seconds that both clocks are ahead.
    private let ahead = Mutex(0)
    /// Of the waits after a throttled request; half of the longest.
    let jitter = Mutex(0.5)

    private init(_ provider: SandboxProvider, _ store: String) {
        self.provider = provider
        self.store = store
    }

    /// Runs a test in a new world and puts it away afterwards.
    static func open(_ body: (World) async throws -> Void) async throws {
        var options = SandboxProvider.Options()
        options.deviceInterval = 0
        let provider = try await SandboxProvider.start(options)
        let folder = "/tmp/foyer-world-\(UUID().uuidString)"
        let world = World(provider, folder + "/token_cache.json")
        do { try await body(world) } catch {
            await world.close(folder)
            throw error
        }
        await world.close(folder)
    }

    private func close(_ folder: String) async {
        await provider.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func advance(_ seconds: Int) throws {
        ahead.withLock { $0 += seconds }
        try provider.advanceClock(by: seconds)
    }

    func application(
        _ client: String = Directory.tryOut, tenant: String = "organizations", oidc: Bool = false,
        redirectURI: String = "http://localhost",
        capabilities: [String] = [], cache: TokenCache? = nil
    ) throws -> PublicClientApplication {
        let authority =
            try oidc ? Authority(provider.issuer, kind: .oidc) : Authority(provider.authority(tenant), kind: .aad)
        let configuration = PublicClientApplication.Configuration(
            clientID: client, authority: authority, redirectURI: redirectURI, capabilities: capabilities, store: store,
            network: .patient)
        return PublicClientApplication(
            configuration, cache: cache ?? self.cache, provider: Provider(configuration.network),
            now: { [self] in now }, jitter: { [self] in jitter.withLock { $0 } })
    }

    var now: Date { start.addingTimeInterval(TimeInterval(ahead.withLock { $0 })) }

    /// Signs a person in by a device code that is approved on the spot.
    @discardableResult
    func signIn(
        _ application: PublicClientApplication, _ username: String = "ada@contoso.example",
        scopes: ScopeSet = ["User.Read"],
        granting: [String]? = nil, account: Account? = nil
    ) async throws -> AcquiredToken {
        let token = try await application.acquireToken(
            TokenRequest(scopes: scopes, account: account, method: .device), userAgents: .deviceCodeOnly
        ) { [provider] event in
            guard case .deviceCode(let prompt) = event else { return }
            try? provider.approve(userCode: prompt.userCode, username: username, scopes: granting)
        }
        await application.close()
        return token
    }

    func snapshot() throws -> CacheSnapshot { try TokenCache(path: store).read() }
}

extension NetworkSettings {
    /// A provider in the same process, on a busy machine, takes its time.
    static var patient: NetworkSettings { NetworkSettings(timeout: TimeInterval(Waiting.seconds)) }
}

/// Runs a call and gives the failure it ended with, or nil.
func failure<Value>(of body: () async throws(Failure) -> Value) async -> Failure? {
    do throws(Failure) {
        _ = try await body()
        return nil
    } catch { return error }
}

/// A person who must not be asked; remembers whether somebody tried.
final class Guarded: Sendable {
    private let asked = Mutex(0)
    var count: Int { asked.withLock { $0 } }

    var userAgents: UserAgents {
        UserAgents(
            automatic: { [self] in
                asked.withLock { $0 += 1 }
                return (.device, "a test")
            }, openBrowser: { _ throws(BrowserProblem) in throw BrowserProblem("a test") })
    }
}
