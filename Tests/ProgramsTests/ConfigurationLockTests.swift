import FoundationEssentials
import Glibc
import Synchronization
import Testing
import Waiting

@testable import Programs

@Suite struct ConfigurationLockTests {
    @Test func `A lock has its mark from its first moment on, so none is left without one`() async throws {
        var template = Array("/tmp/foyer-lock-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/.gitconfig"
        let found = Mutex((seen: 0, unmarked: 0))
        let reader = Task.detached {
            var bytes = [UInt8](repeating: 0, count: 16)
            while !Task.isCancelled {
                let file = open(path + ".lock", O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { continue }
                let isUnmarked = read(file, &bytes, bytes.count) == 0
                found.withLock { $0 = ($0.seen + 1, $0.unmarked + (isUnmarked ? 1 : 0)) }
                close(file)
            }
        }
        // The reader can get its first turn late.
        let isSeen = try await eventually {
            for _ in 0..<20_000 { try ConfigurationLock(path).release() }
            return found.withLock { $0.seen } > 0
        }
        reader.cancel()
        await reader.value
        #expect(isSeen && found.withLock { $0.unmarked } == 0)
    }
}
