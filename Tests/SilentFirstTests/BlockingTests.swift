import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache

@testable import Sandbox

@Suite struct BlockingTests {
    enum Call: CaseIterable {
        case silent, accounts, current
    }

    private final class Tally: Sendable {
        let count = Mutex(0)
    }

    /// A store that a writer has emptied is looked at again after three seconds, three times: the calls that wait
    /// would take every thread of the cooperative pool.
    @Test(arguments: Call.allCases)
    func `Calls that wait for the store leave the cooperative pool to others`(_ call: Call) async throws {
        try await World.open { world in
            try await world.signIn(world.application())
            let content = try Data(contentsOf: URL(filePath: world.store))
            try Data().write(to: URL(filePath: world.store))
            let ended = Tally()
            try await withThrowingTaskGroup { group in
                for _ in 0..<32 {
                    let application = try world.application(cache: TokenCache(path: world.store, retryPause: 3_000_000))
                    group.addTask {
                        switch call {
                        case .silent:
                            _ = try await application.acquireTokenSilent(TokenRequest(scopes: ["User.Read"]))
                        case .accounts: _ = try await application.allAccounts()
                        case .current: _ = try await application.currentAccount()
                        }
                        ended.count.withLock { $0 += 1 }
                    }
                }
                for _ in 0..<20 {
                    try await Task.sleep(for: .milliseconds(5))
                    await Task.detached {}.value
                }
                #expect(ended.count.withLock { $0 } == 0)
                try content.write(to: URL(filePath: world.store))
                try await group.waitForAll()
            }
        }
    }
}
