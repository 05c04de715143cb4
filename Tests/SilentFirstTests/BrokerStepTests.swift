import FoundationEssentials
import Identity
import SilentCore
import Synchronization
import Testing
import TokenCache

@testable import Sandbox
@testable import SilentFirst

/// The step of a silent call that asks the broker of the machine.
@Suite struct BrokerStepTests {
    private static let wish = TokenRequest(scopes: ["User.Read"])

    /// A broker with an answer, which counts who asked.
    private final class Broker: Sendable {
        let requests = Mutex<[TokenBroker.Request]>([])
        private let answer: TokenBroker.Answer?

        init(_ answer: TokenBroker.Answer?) { self.answer = answer }

        var token: TokenBroker {
            TokenBroker { [self] request throws(TokenBroker.Trouble) in
                requests.withLock { $0.append(request) }
                guard let answer else { throw TokenBroker.Trouble("it does not answer") }
                return answer
            }
        }

        var count: Int { requests.withLock { $0.count } }
    }

    private func application(
        _ world: World, _ use: BrokerUse, _ broker: Broker, client: String = Directory.tryOut
    ) throws -> PublicClientApplication {
        var configuration = PublicClientApplication.Configuration(
            clientID: client, authority: try Authority(world.provider.authority("organizations"), kind: .aad),
            store: world.store, network: .patient)
        configuration.broker = use
        return PublicClientApplication(
            configuration, cache: world.cache, provider: Provider(configuration.network), broker: broker.token,
            now: { world.now })
    }

    /// What a broker would answer with that has the sign-in of the store.
    private func answer(_ world: World, of account: Account) throws -> TokenBroker.Answer {
        let token = try #require(
            try world.snapshot().idTokens(of: account.id, clientID: Directory.tryOut).first)
        return TokenBroker.Answer(
            accessToken: Secret("of-the-broker"), idToken: token.secret, clientInfo: nil, scopes: ["User.Read"],
            expiresOn: world.now.addingTimeInterval(3600))
    }

    private static func refusal(_ code: Int) -> Fault {
        Fault(
            .error("invalid_grant", suberror: nil, codes: [code], claims: nil, description: nil, status: 400),
            endpoint: "token:refresh_token")
    }

    @Test(arguments: [
        (BrokerUse.never, 53000, false), (.device, 53000, true), (.device, 50129, true), (.device, 530_003, true),
        (.device, 70043, false),
    ])
    func `A device that has to prove itself is the broker's where it is trusted`(
        use: BrokerUse, code: Int, isAsked: Bool
    ) async throws {
        try await World.open { world in
            let account = try await world.signIn(try world.application()).account
            let broker = Broker(try answer(world, of: account))
            try world.dropAccessTokens()
            world.provider.bend(Self.refusal(code))
            let application = try application(world, use, broker)
            do throws(Failure) {
                let token = try await application.acquireTokenSilent(Self.wish)
                #expect(isAsked && token.source == .broker && token.accessToken.reveal() == "of-the-broker")
                #expect(token.trail.steps.contains { $0.name == .broker && $0.outcome == .done })
            } catch {
                #expect(!isAsked)
                #expect(error.wantsDevice == (code != 70043))
            }
            #expect(broker.count == (isAsked ? 1 : 0))
            // The sign-in beside it, and what is known of the family, are as they were.
            #expect(try world.refreshTokens(Directory.tryOut).count == 1)
            await application.close()
        }
    }

    @Test func `A broker of full trust comes before refresh tokens, and one without an answer before nobody`()
        async throws
    {
        try await World.open { world in
            let account = try await world.signIn(try world.application()).account
            let (trusted, silent) = (Broker(try answer(world, of: account)), Broker(nil))
            let first = try application(world, .always, trusted)
            #expect(try await first.acquireTokenSilent(Self.wish).source == .cache)
            #expect(trusted.count == 0)
            try world.dropAccessTokens()
            #expect(first.cached.decision(on: Self.wish, from: try world.snapshot()).asksBroker)
            #expect(try await first.acquireTokenSilent(Self.wish).source == .broker)
            #expect(trusted.requests.withLock { $0.first?.account?.homeAccountID } == account.homeAccountID)
            // What it gave is the cache's from now on.
            #expect(try await first.acquireTokenSilent(Self.wish).source == .cache)
            try world.dropAccessTokens()
            let second = try application(world, .always, silent)
            let token = try await second.acquireTokenSilent(Self.wish)
            #expect(token.source == .refresh && silent.count == 1)
            #expect(token.trail.steps.contains { $0.name == .broker && $0.outcome == .failed })
            await first.close()
            await second.close()
        }
    }

    @Test func `A client keeps its place in the family when the broker has answered for it`() async throws {
        try await World.open { world in
            let cli = try world.application(Directory.azureCLI)
            let account = try await world.signIn(cli).account
            let idToken = try #require(
                try world.snapshot().idTokens(of: account.id, clientID: Directory.azureCLI).first)
            let broker = Broker(
                TokenBroker.Answer(
                    accessToken: Secret("of-the-broker"), idToken: idToken.secret, clientInfo: nil, scopes: nil,
                    expiresOn: world.now.addingTimeInterval(3600)))
            try world.dropAccessTokens()
            let application = try application(world, .always, broker, client: Directory.azureCLI)
            #expect(try await application.acquireTokenSilent(Self.wish).source == .broker)
            let membership = try world.snapshot().familyMembership(
                clientID: Directory.azureCLI, environment: "127.0.0.1")
            #expect(membership == .member("1"))
            await application.close()
        }
    }

    @Test func `A token of somebody else, or with an ID token that nobody signed, is not used and not stored`()
        async throws
    {
        try await World.open { world in
            let plain = try world.application()
            let ada = try await world.signIn(plain).account
            let grace = try await world.signIn(plain, "grace@fabrikam.example").account
            var forged = try answer(world, of: ada)
            forged.idToken = Secret(forged.idToken.reveal().dropLast(4) + "AAAA")
            for answer in [try answer(world, of: grace), forged] {
                try world.dropAccessTokens()
                let broker = Broker(answer)
                let application = try application(world, .always, broker)
                var request = Self.wish
                request.account = ada
                let token = try await application.acquireTokenSilent(request)
                #expect(token.source == .refresh && broker.count == 1)
                let tokens = try world.snapshot().credentials(clientID: nil).map { $0.secret.reveal() }
                #expect(!tokens.contains("of-the-broker"))
                await application.close()
            }
        }
    }

    @Test func `Who was signed out of the client stays it, whatever the broker has`() async throws {
        try await World.open { world in
            // A relative keeps the account in the store, so that the mark is needed.
            let account = try await world.signIn(try world.application()).account
            let broker = Broker(try answer(world, of: account))
            try await world.signIn(try world.application(Directory.azureCLI))
            let application = try application(world, .always, broker)
            _ = try world.cache.forget(account.id, clientID: Directory.tryOut)
            var request = Self.wish
            request.account = account
            let failure = await failure { () async throws(Failure) in
                try await application.acquireTokenSilent(request)
            }
            let isMarked = try world.snapshot().isSignedOut(account.id, clientID: Directory.tryOut)
            #expect(!isMarked || failure?.code == .interactionRequired)
            #expect(!isMarked || broker.count == 0)
            await application.close()
        }
    }

    @Test func `A program can bring its own broker`() async throws {
        try await World.open { world in
            let account = try await world.signIn(try world.application()).account
            let broker = Broker(try answer(world, of: account))
            try world.dropAccessTokens()
            var configuration = ClientConfiguration(
                clientID: Directory.tryOut, authority: try Authority(world.provider.authority("organizations")),
                store: world.store, network: .patient)
            configuration.broker = .always
            let application = PublicClientApplication(configuration, broker: broker.token)
            #expect(try await application.acquireTokenSilent(Self.wish).source == .broker)
            await application.close()
        }
    }

    @Test func `A broker's answer has the name of now, and keeps what else is known of the account`() async throws {
        try await World.open { world in
            let home = try world.application()
            let account = try await world.signIn(home).account
            _ = try await home.acquireTokenSilent(Self.wish.with { $0.tenant = Directory.fabrikam.id })
            await home.close()
            let broker = Broker(try answer(world, of: account))
            try world.dropAccessTokens()
            try world.setUsername("ada.byron@contoso.example")
            let application = try application(world, .always, broker)
            let token = try await application.acquireTokenSilent(Self.wish)
            #expect(token.source == .broker && token.account.username == "ada@contoso.example")
            #expect(token.account.tenantProfiles.count == 2)
            let known = try #require(try await application.allAccounts().first)
            #expect(known.username == "ada@contoso.example" && known.tenantProfiles.count == 2)
            #expect(try world.meant("ada.byron@contoso.example") == [known])
            await application.close()
        }
    }
}
