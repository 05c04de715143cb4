import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache
import Waiting

@testable import Sandbox

@Suite struct BlockingTests {
    enum Call: CaseIterable {
        case silent, accounts, current
    }

    private final class Tally: Sendable {
        let begun = Mutex(0)
        let ended = Mutex(0)
    }

    /// A store that a writer has emptied is looked at again after five seconds, three times: the calls that wait
    /// would take every thread of the cooperative pool.
    @Test(.timeLimit(.minutes(Waiting.minutes)), arguments: Call.allCases)
    func `Calls that wait for the store leave the cooperative pool to others`(_ call: Call) async throws {
        try await World.open { world in
            try await world.signIn(world.application())
            let content = try Data(contentsOf: URL(filePath: world.store))
            try Data().write(to: URL(filePath: world.store))
            let tally = Tally()
            try await withThrowingTaskGroup { group in
                for _ in 0..<32 {
                    let application = try world.application(cache: TokenCache(path: world.store, retryPause: 5_000_000))
                    group.addTask {
                        tally.begun.withLock { $0 += 1 }
                        switch call {
                        case .silent:
                            _ = try await application.acquireTokenSilent(TokenRequest(scopes: ["User.Read"]))
                        case .accounts: _ = try await application.allAccounts()
                        case .current: _ = try await application.currentAccount()
                        }
                        tally.ended.withLock { $0 += 1 }
                    }
                }
                #expect(await eventually { tally.begun.withLock { $0 } == 32 })
                for _ in 0..<20 { await Task.detached {}.value }
                #expect(tally.ended.withLock { $0 } == 0)
                try content.write(to: URL(filePath: world.store))
                try await group.waitForAll()
            }
        }
    }
}
