import Identity
import StrictJSON
import Synchronization

/// An index of a snapshot's entries by home account ID. A list queries every account, and scanning all entries for each
/// takes quadratic time. One account is found faster without an index.
final class OwnerIndex: Sendable {
    private struct Part {
        let section: Section
        var queries = 0
        var index: JSONFieldIndex?
    }

    /// Queries of a section that are answered by a scan. Making the index takes about as long as three.
    static let scans = 8

    private let parts = Mutex<[Part]>([])

    /// - Parameter entries: those of the section, by index into the outline.
    /// - Returns: see ``JSONFieldIndex/candidates(for:)``; nil if all entries should be compared.
    func candidates(_ home: [UInt8], in section: Section, _ outline: JSONOutline, _ entries: Range<Int>) -> [Int]? {
        parts.withLock { parts in
            guard let place = parts.firstIndex(where: { $0.section == section }) else {
                parts.append(Part(section: section, queries: 1))
                return nil
            }
            parts[place].queries += 1
            guard parts[place].queries > Self.scans else { return nil }
            let index =
                parts[place].index
                ?? JSONFieldIndex(
                    outline, entries, field: "home_account_id", canonical: HomeAccountID.canonical)
            parts[place].index = index
            return index.candidates(for: home)
        }
    }
}
