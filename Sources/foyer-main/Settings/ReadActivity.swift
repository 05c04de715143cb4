import CommandSupport
import FoundationEssentials
import Identity
import TokenCache

/// The time until which the user has seen the failures: seconds since the epoch, in `activity-read` of the state
/// folder. Losing the file only affects a number on the screen.
struct ReadActivity: Sendable {
    private let file: StateFile

    init(_ environment: ProcessEnvironment) {
        file = StateFile(path: environment.stateFolder + "/activity-read", maximumBytes: 64)
    }

    /// Nil if the file is missing or malformed.
    var date: Date? {
        guard let bytes = try? file.read(), let seconds = Double(String(decoding: bytes, as: UTF8.self)) else {
            return nil
        }
        return Date(epochSeconds: seconds)
    }

    /// Keeps the later time, as another interface may have written one.
    func keep(_ date: Date) {
        try? file.change { _ in Array(String(max(date, self.date ?? date).timeIntervalSince1970).utf8) }
    }
}
