import CommandSupport
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
        guard note.version == Product.version else {
            throw Failure(
                .configuration, "version mismatch: foyer \(note.version), foyer-main \(Product.version)",
                hint: "install both from the same build")
        }
        return note
    }
}
