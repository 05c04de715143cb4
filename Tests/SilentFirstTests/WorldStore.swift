import Foundation
import Identity
import SilentFirst
import Synchronization
import Testing

@testable import Sandbox
@testable import TokenCache

// What tests put into a world's store and take out of it, past the application.

extension World {
    var cache: TokenCache { TokenCache(path: store) }

    /// The secrets of a client's refresh tokens, or of everybody's.
    func refreshTokens(_ client: String? = nil) throws -> [Secret] {
        try snapshot().credentials(clientID: client).filter { $0.kind == .refreshToken }.map(\.secret)
    }

    /// Everything but refresh tokens.
    func tokensOfUse() throws -> [CachedCredential] { try snapshot().credentials().filter { $0.kind != .refreshToken } }

    /// Takes the access tokens out of the store's file, as another program might.
    func dropAccessTokens() throws { try drop("AccessToken") }

    /// Takes the ID tokens out of the store's file.
    func forgetIDTokens() throws { try drop("IdToken") }

    private func drop(_ section: String) throws {
        let file = URL(fileURLWithPath: store)
        var content = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: [String: [String: Any]]])
        content[section] = [:]
        try JSONSerialization.data(withJSONObject: content).write(to: file)
    }

    /// Puts tokens into the store as another program would.
    func put(
        _ username: String, home: String, environment: String = "127.0.0.1", realm: String, accessToken: String? = nil,
        cachedAt: Date = Date(), refreshToken: Secret? = nil, createsAccount: Bool = true, redeemed: Secret? = nil
    ) throws {
        try cache.save(
            TokenRecord(
                clientID: Directory.tryOut, homeAccountID: home, environment: environment, realm: realm,
                localAccountID: String(home.prefix { $0 != "." }), username: username,
                accessToken: accessToken.map { Secret($0) },
                scopes: ["User.Read"], cachedAt: cachedAt, expiresOn: cachedAt.addingTimeInterval(3600),
                refreshToken: refreshToken,
                createsAccount: createsAccount, redeemed: redeemed))
    }

    /// An application of the try-out client that comes by another address, such as a recording proxy's.
    ///
    /// - Parameter now: holds its clock still; else it goes with the provider's.
    func application(at address: String, capabilities: [String] = [], now: Date? = nil) throws
        -> PublicClientApplication
    {
        let configuration = PublicClientApplication.Configuration(
            clientID: Directory.tryOut, authority: try Authority(address, kind: .aad), capabilities: capabilities,
            store: store, network: .patient)
        return PublicClientApplication(
            configuration, cache: cache, provider: Provider(configuration.network),
            now: { [provider] in now ?? Date(timeIntervalSince1970: provider.state.with { $0.clock.preciseNow }) },
            jitter: { [self] in jitter.withLock { $0 } })
    }
}

extension TokenRequest {
    /// The same wish with other members set.
    func with(_ change: (inout TokenRequest) -> Void) -> TokenRequest {
        var request = self
        change(&request)
        return request
    }
}
