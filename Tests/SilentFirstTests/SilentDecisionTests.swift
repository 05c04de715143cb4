import Foundation
import Identity
import SilentCore
import Testing
import TokenCache
import Waiting

@testable import Sandbox
@testable import SilentFirst

/// A situation, what is decided in it, and what each credential says of itself.
struct DecisionRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The case of the outcome, and the reason in it.
    let outcome: String
    /// The findings of the account's credentials, in order.
    let findings: [String]
    /// Prepares the store and gives the application and the request.
    let prepare: @Sendable (World) async throws -> (PublicClientApplication, TokenRequest)

    init(
        _ given: String, _ outcome: String, _ findings: [String],
        _ prepare: @escaping @Sendable (World) async throws -> (PublicClientApplication, TokenRequest)
    ) {
        testDescription = given
        self.outcome = outcome
        self.findings = findings
        self.prepare = prepare
    }
}

extension SilentDecision {
    fileprivate var label: String {
        switch outcome {
        case .serve(_, let serving): "serve \(serving)"
        case .refresh: "refresh"
        case .upgrade: "upgrade"
        case .interaction(let reason): "interaction \(Self.caseName(reason))"
        case .failure(let failure): "failure \(failure.code.rawValue)"
        }
    }

    /// The case without its payload.
    fileprivate static func caseName(_ value: some Any) -> String { String("\(value)".prefix { $0 != "(" }) }

    fileprivate var findingLabels: [String] {
        considered.map { credential in
            switch credential.finding {
            case .served(let serving): "\(credential.kind.rawValue) served \(serving)"
            case .sent(let order): "\(credential.kind.rawValue) sent \(order)"
            case .mismatch(let mismatch): "\(credential.kind.rawValue) \(Self.caseName(mismatch))"
            default: "\(credential.kind.rawValue) \(Self.caseName(credential.finding))"
            }
        }
    }
}

@Suite struct SilentDecisionTests {
    private static let wish = World.wish

    static let rows: [DecisionRow] = [
        DecisionRow("nobody is signed in", "interaction nobodySignedIn", []) { world in (try world.made(), wish) },
        DecisionRow("a fresh token", "serve valid", ["AccessToken served valid", "RefreshToken notNeeded"]) { world in
            let application = try world.made()
            try await world.signIn(application)
            return (application, wish)
        },
        DecisionRow("an expired token", "refresh", ["AccessToken expired", "RefreshToken sent 1"]) { world in
            let application = try world.made()
            try await world.expired(application)
            return (application, wish)
        },
        DecisionRow("four minutes are left", "refresh", ["AccessToken expiresTooSoon", "RefreshToken sent 1"]) {
            world in
            let application = try world.made()
            try await world.signIn(application)
            try world.advance(3360)
            return (application, wish)
        },
        DecisionRow("a new token is demanded", "refresh", ["AccessToken forcedRefresh", "RefreshToken sent 1"]) {
            world in
            let application = try world.made()
            try await world.signIn(application)
            return (application, wish.with { $0.forceRefresh = true })
        },
        DecisionRow("a claims challenge", "refresh", ["AccessToken claimsAsked", "RefreshToken sent 1"]) { world in
            let application = try world.made()
            try await world.signIn(application)
            return (application, wish.with { $0.claims = #"{"access_token":{"acrs":{"value":"c1"}}}"# })
        },
        DecisionRow(
            "a step-up, which no refresh meets", "interaction stepUp",
            ["AccessToken stepUpAsked", "RefreshToken notNeeded"]
        ) { world in
            let application = try world.made()
            try await world.signIn(application)
            return (
                application,
                wish.with {
                    _ = $0.apply(challenge: [#"Bearer error="insufficient_user_authentication", acr_values="mfa""#])
                }
            )
        },
        DecisionRow(
            "a step-up to more scopes", "interaction stepUp", ["AccessToken scopesMissing", "RefreshToken notNeeded"]
        ) { world in
            let application = try world.made()
            try await world.signIn(application)
            return (
                application,
                wish.with { _ = $0.apply(challenge: [#"Bearer error="insufficient_scope", scope="Mail.Read""#]) }
            )
        },
        DecisionRow(
            "a step-up to scopes that a token has", "serve valid",
            ["AccessToken served valid", "RefreshToken notNeeded"]
        ) { world in
            let application = try world.made()
            try await world.signIn(application)
            return (
                application,
                wish.with { _ = $0.apply(challenge: [#"Bearer error="insufficient_scope", scope="User.Read""#]) }
            )
        },
        DecisionRow("a scope that the token lacks", "refresh", ["AccessToken scopesMissing", "RefreshToken sent 1"]) {
            world in
            let application = try world.made()
            try await world.signIn(application)
            return (application, wish.with { $0.scopes = ["Mail.Read"] })
        },
        DecisionRow("another tenant", "refresh", ["AccessToken otherTenant", "RefreshToken sent 1"]) { world in
            let application = try world.made()
            try await world.signIn(application)
            return (application, wish.with { $0.tenant = "f0000000-0000-4000-8000-00000000f001" })
        },
        DecisionRow("no refresh token", "interaction noCredential", ["AccessToken expired"]) { world in
            try world.seed { $0.expiresOn = world.time.addingTimeInterval(-10) }
            return (try world.made(), wish)
        },
        DecisionRow(
            "due for renewal, and nothing to renew it with", "serve notRenewable",
            [
                "AccessToken served notRenewable"
            ]
        ) { world in
            try world.seed { $0.refreshOn = world.time.addingTimeInterval(-10) }
            return (try world.made(), wish)
        },
        DecisionRow("due for renewal", "refresh", ["AccessToken dueForRenewal", "RefreshToken sent 1"]) { world in
            world.provider.bend(
                Fault(.override([JSON.Member(name: "refresh_in", value: .int(60))]), endpoint: "token:device_code"))
            let application = try world.made()
            try await world.signIn(application)
            try world.advance(120)
            return (application, wish)
        },
        DecisionRow("a clock was wrong", "refresh", ["AccessToken storedInFuture", "RefreshToken sent 1"]) { world in
            let application = try world.made()
            try await world.signIn(application)
            try world.seed { $0.cachedAt = world.time.addingTimeInterval(600) }
            return (application, wish)
        },
        DecisionRow("a token of another century", "interaction noCredential", ["AccessToken tooLongLived"]) { world in
            try world.seed { $0.expiresOn = world.time.addingTimeInterval(1_000_000_000) }
            return (try world.made(), wish)
        },
        DecisionRow("the family's refresh token", "refresh", ["AccessToken otherClient", "RefreshToken sent 1"]) {
            world in
            try await world.signIn(world.made(client: Directory.azureCLI))
            return (try world.made(client: Directory.azurePowerShell), wish)
        },
        DecisionRow(
            "known to be outside the family", "interaction noCredential",
            [
                "AccessToken otherClient", "RefreshToken clientNotInFamily",
            ]
        ) { world in
            let account = try await world.signIn(world.made(client: Directory.azureCLI)).account
            try world.cache.markNotInFamily(clientID: Directory.tryOut, environment: "127.0.0.1")
            return (try world.made(), wish.with { $0.account = account })
        },
        DecisionRow(
            "a refresh token of a stranger to the family", "interaction noCredential",
            [
                "AccessToken otherClient", "RefreshToken notOfFamily",
            ]
        ) { world in
            let account = try await world.signIn(world.made()).account
            return (try world.made(client: Directory.azureCLI), wish.with { $0.account = account })
        },
        DecisionRow("signed out here", "interaction signedOut", ["AccessToken signedOut", "RefreshToken signedOut"]) {
            world in
            let account = try await world.signIn(world.made(client: Directory.azureCLI)).account
            let shell = try world.made(client: Directory.azurePowerShell)
            _ = await shell.silent()
            try await shell.remove(account)
            return (shell, wish.with { $0.account = account })
        },
        DecisionRow(
            "at another provider", "interaction otherProvider",
            [
                "AccessToken otherProvider", "RefreshToken otherProvider",
            ]
        ) { world in
            let account = try await world.signIn(world.made()).account
            return (
                try world.made("https://login.microsoftonline.us/organizations"), wish.with { $0.account = account }
            )
        },
        DecisionRow("two accounts and none named", "failure ambiguous", []) { world in
            let application = try world.made()
            try await world.signIn(application)
            try await world.signIn(application, "grace@fabrikam.example")
            return (application, wish)
        },
        DecisionRow("a tenant that cannot be", "failure usage", []) { world in
            let application = try world.made()
            try await world.signIn(application)
            return (application, wish.with { $0.tenant = "a/b" })
        },
        DecisionRow("the provider asked to wait", "refresh", ["AccessToken expired", "RefreshToken throttled"]) {
            world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(429, retryAfter: 30), times: 1)
            _ = await application.silent()
            return (application, wish)
        },
        DecisionRow(
            "the provider asked for the person", "interaction askedByProvider",
            [
                "AccessToken expired", "RefreshToken refused",
            ]
        ) { world in
            let application = try world.made()
            try await world.expired(application)
            world.refuse("interaction_required", times: 1)
            _ = await application.silent()
            return (application, wish)
        },
        DecisionRow(
            "due for renewal while the provider is down", "serve notRenewed",
            [
                "AccessToken served notRenewed", "RefreshToken throttled",
            ]
        ) { world in
            world.provider.bend(
                Fault(.override([JSON.Member(name: "refresh_in", value: .int(60))]), endpoint: "token:device_code"))
            let application = try world.made()
            try await world.signIn(application)
            try world.advance(120)
            world.bend(.status(503, retryAfter: nil), times: 2)
            _ = await application.silent()
            return (application, wish)
        },
        DecisionRow("an ADAL cache's token", "upgrade", ["RefreshToken sent 1"]) { world in
            try world.leave("ada@contoso.example")
            return (try world.made(), wish)
        },
        DecisionRow("a damaged entry beside", "refresh", ["AccessToken damaged", "RefreshToken sent 1"]) { world in
            let application = try world.made()
            try await world.signIn(application)
            let file = URL(fileURLWithPath: world.store)
            let text = try String(contentsOf: file, encoding: .utf8)
            try Data(text.replacing("\"expires_on\"", with: "\"expires_never\"").utf8).write(to: file)
            return (application, wish)
        },
        DecisionRow(
            "a token that is bound to a key, and no proof is wanted", "interaction noCredential",
            [
                "AccessToken otherProofKey"
            ]
        ) { world in
            try world.seed {
                $0.keyID = "thumbprint"
                $0.tokenType = "pop"
            }
            return (try world.made(), wish)
        },
    ]

    @Test(.timeLimit(.minutes(Waiting.minutes)), arguments: rows)
    func `What is decided is told with the reason for each credential, and the silent call does it`(
        row: DecisionRow
    ) async throws {
        try await World.open { world in
            let (application, request) = try await row.prepare(world)
            let file = URL(fileURLWithPath: world.store)
            let before = try? Data(contentsOf: file)
            let sent = world.provider.requests("token:refresh_token")
            let discovered = world.provider.requests("discovery")

            let decision = application.cached.decision(on: request, from: try world.snapshot())
            #expect(decision.label == row.outcome)
            #expect(decision.findingLabels == row.findings)
            #expect((try? Data(contentsOf: file)) == before, "looking writes nothing")
            #expect(!FileManager.default.fileExists(atPath: world.store + ".keys"))
            #expect(
                world.provider.requests("token:refresh_token") == sent
                    && world.provider.requests("discovery") == discovered, "looking asks nobody")

            let result = await application.silent(request)
            switch decision.outcome {
            case .serve(let token, _):
                #expect(result.token?.accessToken == token.secret)
                #expect(decision.failure == nil)
            case .refresh(let candidates), .upgrade(let candidates):
                if let failure = decision.failure {
                    #expect(result.refusal?.code == failure.code)
                } else {
                    #expect(candidates.contains { $0.hold == nil })
                    #expect(world.provider.requests("token:refresh_token") > sent)
                }
            case .interaction, .failure:
                #expect(result.refusal?.code == decision.failure?.code)
                #expect(result.refusal?.message == decision.failure?.message)
            }
            if decision.failure != nil || row.outcome.hasPrefix("serve") {
                #expect(world.provider.requests("token:refresh_token") == sent)
            }
            await application.close()
        }
    }

    @Test func `A key that a proof would need is made by the call that needs it, not by who only looks`() async throws {
        try await World.open { world in
            let application = try world.made()
            try await world.signIn(application)
            let address = try WebAddress("https://api.example.org/")
            let request = Self.wish.with { $0.proof = ResourceRequest(method: "GET", address: address) }
            let decision = application.cached.decision(on: request, from: try world.snapshot())
            #expect(decision.label == "refresh")
            #expect(decision.findingLabels == ["AccessToken otherProofKey", "RefreshToken sent 1"])
            #expect(!FileManager.default.fileExists(atPath: world.store + ".keys"))
            #expect(await application.silent(request).source == .refresh)
            #expect(FileManager.default.fileExists(atPath: world.store + ".keys"))
            await application.close()
        }
    }

    @Test func `Four refresh tokens are tried at most, and each secret once`() async throws {
        try await World.open { world in
            let application = try world.made()
            try world.seed("ada@contoso.example") {
                $0.accessToken = nil
                $0.refreshToken = Secret("old 0")
            }
            // More entries of the same client, as libraries leave them that make a new key for each sign-in.
            let file = URL(fileURLWithPath: world.store)
            var store = try #require(
                JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: [String: [String: Any]]])
            let first = try #require(store["RefreshToken"]?.first)
            for number in 1...6 {
                store["RefreshToken"]?["\(first.key)\(number)"] =
                    first.value.merging(["secret": "old \(min(number, 5))"]) { $1 }
            }
            try JSONSerialization.data(withJSONObject: store).write(to: file)
            let decision = application.cached.decision(on: Self.wish, from: try world.snapshot())
            #expect(
                decision.findingLabels.sorted()
                    == ["RefreshToken duplicate"] + (1...4).map { "RefreshToken sent \($0)" } + [
                        "RefreshToken tooMany", "RefreshToken tooMany",
                    ])
        }
    }
}
