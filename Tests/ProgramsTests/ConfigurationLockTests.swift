import FoundationEssentials
import Glibc
import Testing

@testable import Programs

@Suite struct ConfigurationLockTests {
    @Test func `A lock has its mark from its first moment on, so none is left without one`() async throws {
        var template = Array("/tmp/foyer-lock-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/.gitconfig"
        let reader = Task.detached {
            var (seen, unmarked) = (0, 0)
            var bytes = [UInt8](repeating: 0, count: 16)
            while !Task.isCancelled {
                let file = open(path + ".lock", O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { continue }
                seen += 1
                if read(file, &bytes, bytes.count) == 0 { unmarked += 1 }
                close(file)
            }
            return (seen, unmarked)
        }
        for _ in 0..<20_000 { try ConfigurationLock(path).release() }
        reader.cancel()
        let (seen, unmarked) = await reader.value
        #expect(seen > 0 && unmarked == 0)
    }
}
