import Foundation
import Testing

/// A fault of each kind that a run under a sanitizer is to find, left out of every other: `Tests/Sanitize/sanitize.py`
/// names one at a time before it runs the rest.
@Suite struct PlantedFaultTests {
    private static func isWanted(_ fault: String) -> Bool {
        ProcessInfo.processInfo.environment["FOYER_PLANTED_FAULT"] == fault
    }

    nonisolated(unsafe) private static var counter = 0

    @Test(.enabled(if: isWanted("race"), "no sanitizer is tried")) func `Two threads count without a lock`() {
        let threads = (0..<2).map { _ in Thread { for _ in 0..<100_000 { Self.counter += 1 } } }
        for thread in threads { thread.start() }
        while !threads.allSatisfy(\.isFinished) { usleep(1000) }
    }

    @Test(.enabled(if: isWanted("overflow"), "no sanitizer is tried")) func `A byte is written behind the end`() {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
        memory.initialize(repeating: 0, count: 8)
        defer { memory.deallocate() }
        memory[8 + Self.counter] = 1
    }

    @Test(.enabled(if: isWanted("leak"), "no sanitizer is tried")) func `Memory is taken and forgotten`() {
        for _ in 0..<100 { UnsafeMutablePointer<UInt8>.allocate(capacity: 1000).initialize(to: 1) }
    }
}
