import Dispatch
import Glibc
import Synchronization
import SystemPackage
import TokenCache

/// Lines typed by the user, or piped by a script, in reply to questions. Standard input is read only while a question
/// waits, so that a text browser can use it in between.
package final class PlainInput: Sendable {
    private let pending = Mutex<(bytes: [UInt8], isAtEnd: Bool)>(([], false))
    private static let mostBytes = 16_384
    package init() {}

    /// Held by the current reader, so that a passphrase is not read as the next line.
    private static let turn = Mutex(())

    package static func withoutReading<Value>(_ body: () -> Value) -> Value { turn.withLock { _ in body() } }

    /// Asks at a terminal, and returns the next line as ``next()`` does. Input typed before the question was written
    /// does not answer it. A script's input is read in any case.
    ///
    /// - Parameter question: written to standard error; may be empty if the question was written otherwise.
    package func answer(to question: String) async -> String? {
        dropTyped()
        if !question.isEmpty { Output.write(question, to: STDERR_FILENO) }
        return await next()
    }

    /// Drops what was typed at a terminal and not read yet.
    package func dropTyped() {
        guard isatty(STDIN_FILENO) == 1 else { return }
        pending.withLock { $0.bytes = [] }
        tcflush(STDIN_FILENO, TCIFLUSH)
    }

    /// The next line without its terminator; nil at the end of input, or if the task is cancelled.
    package func next() async -> String? {
        let waiting = AtomicFlag(true)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { [self] in continuation.resume(returning: read(while: waiting)) }
            }
        } onCancel: {
            waiting.value = false
        }
    }

    private func read(while waiting: AtomicFlag) -> String? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while waiting.value {
            if let line = line() { return line }
            if pending.withLock({ $0.isAtEnd }) { return nil }
            let count: Int? = Self.turn.withLock { _ in
                var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                // The timeout lets a cancelled task stop waiting.
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
                // The last line of a file may have no newline.
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
