import FoundationEssentials
import Identity
import SilentCore
import SilentFirst
import Synchronization
import Testing
import TokenCache

@testable import Sandbox

/// A decision that is shown while a person looks is made from what was read, as it was then.
@Suite struct SideFilesTests {
    @Test func `What a provider asked to wait for is known without the file that it was read from`() async throws {
        try await World.open { world in
            world.jitter.withLock { $0 = 0 }
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(429, retryAfter: 3000))
            #expect(await application.silent().code == .unavailable)
            // The decisions are made as of a moment, however long the machine takes to get to them.
            let moment = world.time
            let read = SideFiles(of: world.cache, at: moment)
            try FileManager.default.removeItem(atPath: world.store + ".throttle")
            let snapshot = try world.snapshot()
            func failure(beside sideFiles: SideFiles? = nil, at time: Date) -> Failure? {
                application.cached.decision(on: World.wish, from: snapshot, beside: sideFiles, at: time).failure
            }
            #expect(failure(at: moment) == nil)
            #expect(failure(beside: read, at: moment)?.code == .unavailable)
            #expect(failure(beside: read, at: moment.addingTimeInterval(3001)) == nil)
            await application.close()
        }
    }
}
