import Dispatch
import Glibc
import Synchronization
import SystemPackage
import TokenCache

/// Lines that a person, or a script in the person's place, types in answer to a question. Standard input is only read
/// while somebody waits, so that a text browser can have it in between.
package final class PlainInput: Sendable {
    private let pending = Mutex<(bytes: [UInt8], isAtEnd: Bool)>(([], false))
    private static let mostBytes = 16_384
    package init() {}

    /// One at a time reads what is typed: while a passphrase is asked for, it is not the next line.
    private static let turn = Mutex(())

    package static func withoutReading<Value>(_ body: () -> Value) -> Value { turn.withLock { _ in body() } }

    /// The next line without its end, or nil at the end of input, or when the calling task is given up.
    package func next() async -> String? {
        let waiting = Atomically(true)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { [self] in continuation.resume(returning: read(while: waiting)) }
            }
        } onCancel: {
            waiting.value = false
        }
    }

    private func read(while waiting: Atomically) -> String? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while waiting.value {
            if let line = line() { return line }
            if pending.withLock({ $0.isAtEnd }) { return nil }
            let count: Int? = Self.turn.withLock { _ in
                var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                // Looks up a few times a second whether the answer is still wanted.
                guard poll(&file, 1, 200) > 0 else { return nil }
                let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
                return count < 0 && Errno.last == .interrupted ? nil : count
            }
            guard let count else { continue }
            pending.withLock { pending in
                if count > 0 { pending.bytes += chunk[..<count] } else { pending.isAtEnd = true }
                if pending.bytes.count > Self.mostBytes { pending.bytes = [] }
            }
        }
        return nil
    }

    private func line() -> String? {
        pending.withLock { pending in
            guard let end = pending.bytes.firstIndex(of: 0x0A) else {
                // The last line of a file may have no end.
                guard pending.isAtEnd, !pending.bytes.isEmpty else { return nil }
                defer { pending.bytes = [] }
                return String(decoding: pending.bytes, as: UTF8.self)
            }
            let line = pending.bytes[..<end]
            pending.bytes.removeSubrange(...end)
            return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
    }
}
