import CommandSupport
import Glibc
import Identity
import SilentFirst
import TokenCache

/// What `foyer`, the small program in front, hands over besides the arguments.
enum HandOver {
    /// - Returns: what it found of the turn to refresh. Neither that nor the lock reaches a program that is started
    ///   from now on.
    /// - Throws: `configuration` when the two programs are of different versions: they decide by the same rules only
    ///   when they were built together.
    static func check() throws(Failure) -> RefreshTurn? {
        guard let text = getenv(Product.handOverVariable).map({ String(cString: $0) }) else { return nil }
        unsetenv(Product.handOverVariable)
        BacktraceSetting.restore()
        let note = HandOverNote(text)
        let turn = note.turn.flatMap { $0.lock?.claim() == false ? nil : $0 }
        guard note.version == Product.version else {
            throw Failure(
                .configuration, "foyer is of version \(note.version), and foyer-main of \(Product.version)",
                hint: "install both from the same build")
        }
        return turn
    }
}
