import FoundationEssentials
import Glibc
import Synchronization
import Testing
import Waiting

@testable import CommandSupport

/// What is noticed of files that other processes change.
@Suite struct FileWatchesTests {
    private final class World {
        let folder: String
        var file: String { folder + "/a/b/file" }

        init() throws {
            var name = Array("/tmp/foyer-watches-XXXXXX".utf8CString)
            folder = try #require(mkdtemp(&name).map { String(cString: $0) })
        }

        deinit { shell("rm -rf '\(folder)'") }

        @discardableResult func shell(_ command: String) -> Int32 {
            system("cd '\(folder)' && { \(command)\n}")
        }
    }

    private static let changes = [
        "echo new > a/b/file", "echo new > a/b/.new && mv a/b/.new a/b/file", "rm a/b/file", "mv a/b/file elsewhere",
        "chmod 600 a/b/file", "touch a/b/file", "rm -rf a", "mv a/b c", "ln -f other a/b/file",
    ]
    private static let creations = [
        "mkdir -p a/b && echo new > a/b/file", "mkdir -p c/b && echo new > c/b/file && mv c a",
        "mkdir -p a/b && ln -s ../../other a/b/file", "mkdir -p c/b && touch c/b/file && ln -s c a",
    ]

    private func isNoticed(_ watches: inout FileWatches, _ world: World) -> Bool { watches.changes() == [world.file] }

    @Test(arguments: changes, [true, false])
    func `A change is noticed once, whether the kernel reports it or the file is compared`(
        change: String, isReported: Bool
    ) throws {
        let world = try World()
        world.shell("mkdir -p a/b && echo old > a/b/file && echo other > other && touch -d @1 a/b/file")
        var watches = isReported ? FileWatches() : FileWatches(descriptor: -1)
        watches.watch(world.file)
        #expect(watches.changes().isEmpty && watches.needsComparison == !isReported)
        #expect(world.shell(change) == 0)
        #expect(isNoticed(&watches, world))
        #expect(watches.changes().isEmpty)
        // Also what is made anew afterwards.
        #expect(world.shell("rm -rf a && mkdir -p a/b") == 0)
        _ = watches.changes()
        #expect(world.shell("echo again > a/b/file") == 0)
        #expect(isNoticed(&watches, world))
    }

    @Test(arguments: creations, [true, false])
    func `A file in a folder that is missing is noticed when it comes`(creation: String, isReported: Bool) throws {
        let world = try World()
        world.shell("echo other > other")
        var watches = isReported ? FileWatches() : FileWatches(descriptor: -1)
        watches.watch(world.file)
        #expect(watches.changes().isEmpty && watches.needsComparison == !isReported)
        #expect(world.shell(creation) == 0)
        #expect(isNoticed(&watches, world))
        #expect(world.shell("echo more >> a/b/file") == 0)
        #expect(isNoticed(&watches, world))
    }

    @Test func `Each folder on the way is enough, however slowly they are made`() throws {
        let world = try World()
        var watches = FileWatches()
        watches.watch(world.file)
        for step in ["mkdir a", "mkdir a/b", "touch a/b/file"] {
            #expect(world.shell(step) == 0)
            #expect(isNoticed(&watches, world), "\(step)")
        }
        // The folders above are no longer watched.
        #expect(world.shell("mkdir b a/c") == 0)
        var waiting = pollfd(fd: watches.descriptor, events: Int16(POLLIN), revents: 0)
        _ = watches.changes()
        #expect(world.shell("mkdir c a/d") == 0)
        #expect(poll(&waiting, 1, 0) == 0)
    }

    @Test func `A link is followed, also to another file`() throws {
        let world = try World()
        world.shell("mkdir -p a/b one two && touch one/file two/file && ln -s ../../one/file a/b/file")
        var watches = FileWatches()
        watches.watch(world.file)
        for step in ["echo new > one/file", "ln -sf ../../two/file a/b/file", "echo new > two/file"] {
            #expect(world.shell(step) == 0)
            #expect(isNoticed(&watches, world), "\(step)")
        }
        #expect(world.shell("echo more > one/file") == 0)
        #expect(watches.changes().isEmpty)
    }

    @Test func `Other files are not noticed`() throws {
        let world = try World()
        world.shell("mkdir -p a/b && echo old > a/b/file")
        var watches = FileWatches()
        watches.watch(world.file)
        #expect(world.shell("touch a/b/file.lockfile a/b/fil a/b/file2; cat a/b/file; mkdir c; rm -r c") == 0)
        #expect(watches.changes().isEmpty)
    }

    @Test func `Nothing is missed where more happens than the kernel keeps`() throws {
        let world = try World()
        world.shell("mkdir -p a/b && echo old > a/b/file")
        var watches = FileWatches()
        watches.watch(world.file)
        let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let limit = try #require(Int(text.prefix { $0.isNumber }))
        for number in 0..<min(limit, 200_000) / 2 + 10 {
            close(open(world.folder + "/a/b/\(number)", O_CREAT | O_WRONLY, 0o600))
        }
        #expect(world.shell("echo new > a/b/file") == 0)
        #expect(isNoticed(&watches, world))
    }

    @Test func `A flood of changes is reported again and again, four times a second at most`() async throws {
        let world = try World()
        world.shell("mkdir -p a/b && echo old > a/b/file")
        let events = SystemEvents()
        events.watch(world.file)
        let count = Mutex(0)
        let file = world.file
        let reader = Task {
            for await changes in events.changes {
                #expect(changes == [.file(file)])
                count.withLock { $0 += 1 }
            }
        }
        let began = ContinuousClock.now
        let areReported = await eventually {
            #expect(rename(world.folder + "/a/b/file", world.folder + "/a/b/other") == 0)
            #expect(rename(world.folder + "/a/b/other", world.folder + "/a/b/file") == 0)
            return count.withLock { $0 } >= 4
        }
        // A busy machine makes it longer, and none shorter.
        let least = Duration.milliseconds(250) * 3
        #expect(areReported && ContinuousClock.now - began >= least)
        events.end()
        await reader.value
    }
}
