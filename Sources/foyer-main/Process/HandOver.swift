import CommandSupport
import Glibc
import Identity
import SilentFirst
import TokenCache

/// What `foyer`, the small program in front, hands over besides the arguments.
enum HandOver {
    /// - Returns: the note, with the lock only where it is one. Neither reaches a program that is started from now on.
    ///   Nil when this program was started by itself.
    /// - Throws: `configuration` when the two programs are of different versions: they decide by the same rules only
    ///   when they were built together.
    static func check() throws(Failure) -> HandOverNote? {
        guard let text = getenv(Product.handOverVariable).map({ String(cString: $0) }) else { return nil }
        unsetenv(Product.handOverVariable)
        BacktraceSetting.restore()
        var note = HandOverNote(text)
        if note.turn?.lock?.claim() == false { note.turn = nil }
        guard note.version == Product.version else {
            throw Failure(
                .configuration, "foyer is of version \(note.version), and foyer-main of \(Product.version)",
                hint: "install both from the same build")
        }
        return note
    }
}
