import CommandSupport
import Identity
import Logging
import StrictJSON
import Testing
import TokenCache
import Waiting

@testable import Agent

@Suite struct QuestionsTests {
    private let questions = Questions(
        ProcessEnvironment { _ in nil }, Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })

    private func question(_ account: String) -> Questions.Question {
        Questions.Question(
            key: Permissions.Key(program: "/usr/bin/tool", clientID: "c", account: account, scopes: "User.Read"),
            asker: "tool", client: "work", account: account, display: nil)
    }

    /// The identifiers of what is open, once there are so many.
    private func open(_ count: Int, waiting: Int) async throws -> [String] {
        var all: [JSONValue] = []
        let areOpen = await eventually {
            all = await questions.json(hidesAccounts: false).array ?? []
            return all.count == count && all.compactMap { $0["waiting"]?.integer }.reduce(0, +) == Int64(waiting)
        }
        try #require(areOpen, "not so many questions")
        return all.compactMap { $0["id"]?.string }
    }

    @Test func `Who asks for the same waits for one answer`() async throws {
        async let first = questions.ask(question("ada"))
        async let second = questions.ask(question("ada"))
        let ids = try await open(1, waiting: 2)
        #expect(await questions.answer(ids[0], .once)?.account == "ada")
        #expect(await (first, second) == (.once, .once))
    }

    @Test func `An answer is for the account that the question has shown`() async throws {
        async let ada = questions.ask(question("ada"))
        _ = try await open(1, waiting: 1)
        async let grace = questions.ask(question("grace"))
        let ids = try await open(2, waiting: 2)
        #expect(await questions.answer(ids[0], .once)?.account == "ada")
        #expect(await ada == .once)
        #expect(try await open(1, waiting: 1) == [ids[1]])
        #expect(await questions.answer(ids[1], .refuse)?.account == "grace")
        #expect(await grace == .refuse)
    }
}
