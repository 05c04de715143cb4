import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache

@testable import Sandbox

/// Signing in, up and back in at External ID without a browser, from the first question to the store.
@Suite struct NativeSignInTests {
    /// A person who answers from what they know and from their mailbox; every question is noted.
    private final class Person: Sendable {
        private let questions = Mutex<[SignInQuestion]>([])
        private let answer: @Sendable (SignInQuestion) -> SignInReply?

        init(_ answer: @escaping @Sendable (SignInQuestion) -> SignInReply?) { self.answer = answer }

        var asked: [SignInQuestion] { questions.withLock { $0 } }

        var agents: UserAgents {
            UserAgents(
                automatic: { (.browser, "a test") },
                openBrowser: { address throws(BrowserProblem) in
                    Task {
                        guard let location = await Socket.get(address.text, userAgent: "curl/8").header("location")
                        else { return }
                        _ = await Socket.get(location)
                    }
                },
                answer: { [self] question in
                    questions.withLock { $0.append(question) }
                    return answer(question)
                })
        }
    }

    private static func application(_ world: World) throws -> PublicClientApplication {
        PublicClientApplication(
            PublicClientApplication.Configuration(
                clientID: Directory.ciamApp, authority: try Authority(world.provider.ciamAuthority, kind: .ciam),
                store: world.store, network: .patient))
    }

    private static func wish(_ hint: String?, prompt: Prompt? = nil) -> TokenRequest {
        TokenRequest(scopes: ["openid", "profile"], method: .native, prompt: prompt, loginHint: hint)
    }

    @Test func `A password signs in; a wrong one is asked for again; the next call needs nobody`() async throws {
        try await World.open { world in
            let application = try Self.application(world)
            let person = Person { question in
                switch question {
                case .username: .text(Secret("chien@shop.example"))
                case .password(_, let problem): .text(Secret(problem == nil ? "wrong" : Directory.password))
                default: nil
                }
            }
            let token = try await application.acquireToken(Self.wish(nil), userAgents: person.agents)
            #expect(token.source == .interactive && token.account.username == "chien@shop.example")
            #expect(person.asked.count == 3 && person.asked.first == .username)
            #expect(token.trail.steps.contains { $0.name == .native && $0.outcome == .done })
            #expect(!token.trail.steps.contains { $0.name == .browser })
            #expect(try await application.acquireTokenSilent(Self.wish(nil)).accessToken == token.accessToken)
            await application.close()
        }
    }

    @Test func `Someone new signs up by a mailed code, and nobody does without asking for it`() async throws {
        try await World.open { world in
            let application = try Self.application(world)
            let mailbox: @Sendable (SignInQuestion) -> SignInReply? = { question in
                switch question {
                case .code: world.provider.codes(mailedTo: "new@shop.example").first.map { .text(Secret($0)) }
                case .newPassword(let problem): .text(Secret(problem == nil ? "short" : "Long-enough-4-all"))
                case .attribute(let name, _, _, _): .text(Secret("a \(name)"))
                default: nil
                }
            }
            let slip = Person(mailbox)
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(Self.wish("new@shop.example"), userAgents: slip.agents)
            }
            #expect(refused?.code == .interactionRequired && slip.asked.isEmpty)
            let person = Person(mailbox)
            let token = try await application.acquireToken(
                Self.wish("new@shop.example", prompt: .create), userAgents: person.agents)
            #expect(token.account.username == "new@shop.example")
            #expect(person.asked.contains(.newPassword(problem: "too short")))
            await application.close()
        }
    }

    @Test func `A forgotten password is set anew by a mailed code, and signs in at once`() async throws {
        try await World.open { world in
            let application = try Self.application(world)
            let person = Person { question in
                switch question {
                case .password: .text(Secret(""))
                case .code: world.provider.codes(mailedTo: "chien@shop.example").first.map { .text(Secret($0)) }
                case .newPassword: .text(Secret("Another-1-of-mine"))
                default: nil
                }
            }
            let token = try await application.acquireToken(Self.wish("chien@shop.example"), userAgents: person.agents)
            #expect(token.account.username == "chien@shop.example" && token.source == .interactive)
            await application.close()
        }
    }

    @Test func `Who gives up half-way leaves nothing behind`() async throws {
        try await World.open { world in
            let application = try Self.application(world)
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(
                    Self.wish("chien@shop.example"), userAgents: Person { _ in nil }.agents)
            }
            #expect(refused?.code == .cancelled)
            #expect(try world.snapshot().credentials().isEmpty)
            await application.close()
        }
    }

    @Test func `The rest in a browser, when the person says so`() async throws {
        try await World.open { world in
            world.provider.answerPages(as: "chien@shop.example")
            let application = try Self.application(world)
            let methods = Mutex<[SignInMethod]>([])
            let token = try await application.acquireToken(
                Self.wish("chien@shop.example"), userAgents: Person { _ in .browser }.agents
            ) {
                event in
                if case .method(let method, _) = event { methods.withLock { $0.append(method) } }
            }
            #expect(methods.withLock { $0 } == [.native, .browser])
            #expect(token.account.username == "chien@shop.example")
            await application.close()
        }
    }
}
