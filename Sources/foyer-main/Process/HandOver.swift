import CommandSupport
import Console
import Glibc
import Identity
import SilentCore
import TokenCache

/// Receives what `foyer`, the fast path, passes on in addition to the arguments.
enum HandOver {
    /// - Returns: the note, with the lock only if it is valid; nil if started directly. Children inherit neither.
    /// - Throws: `configuration` if the versions differ: both programs follow the same rules only in one build.
    static func check() throws(Failure) -> ExecHandover? {
        guard let text = getenv(Product.handOverVariable).map({ String(cString: $0) }) else { return nil }
        unsetenv(Product.handOverVariable)
        BacktraceSetting.restore()
        var note = ExecHandover(text)
        if note.turn?.lock?.claim() == false { note.turn = nil }
        let restarts = getenv(Product.restartVariable).flatMap { Int(String(cString: $0)) } ?? 0
        unsetenv(Product.restartVariable)
        guard note.version == Product.version else {
            startAgain(after: restarts)
            throw Failure(
                .configuration, "version mismatch: foyer \(note.version), foyer-main \(Product.version)",
                hint: "install both from the same build")
        }
        return note
    }

    /// An upgrade replaces the two programs one after the other, with the disk in between: a process that was started
    /// then waits and starts again, with what is installed by now. Returns after five seconds in all, or if it cannot.
    private static func startAgain(after restarts: Int) {
        guard (0..<mostRestarts).contains(restarts), let foyer = ProgramFile.front else { return }
        usleep(10_000 << UInt32(restarts))
        setenv(Product.restartVariable, String(restarts + 1), 1)
        _ = ProcessGuard.execute(ProcessGuard.arguments, program: foyer)
    }

    /// Each wait is twice as long as the one before.
    private static let mostRestarts = 9
}
