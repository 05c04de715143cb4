import FoundationEssentials
import Identity
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

/// A decision that is shown while a person looks is made from what was read, as it was then.
@Suite struct SideFilesTests {
    @Test func `What a provider asked to wait for is known without the file that it was read from`() async throws {
        try await World.open { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(429, retryAfter: 30))
            #expect(await application.silent().code == .unavailable)
            let read = SideFiles(of: world.cache, at: world.now)
            try FileManager.default.removeItem(atPath: world.store + ".throttle")
            let snapshot = try world.snapshot()
            #expect(application.decision(on: World.wish, from: snapshot).failure == nil)
            #expect(application.decision(on: World.wish, from: snapshot, beside: read).failure?.code == .unavailable)
            try world.advance(31)
            #expect(application.decision(on: World.wish, from: snapshot, beside: read).failure == nil)
            await application.close()
        }
    }
}
