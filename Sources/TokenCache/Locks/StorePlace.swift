import Glibc
import SystemPackage

/// The location of a store after a move, as the retired lock file of the former one has it: the store's name and, on
/// lines of their own, what the name of a keyring item leaves out.
struct StorePlace: Equatable {
    /// See ``StoreSpec/description``.
    let name: String
    /// The folder of the keyring's signal file, and the item's label.
    private let folder: String?
    private let label: String?

    private static let longest = 3 * StoreSpec.longest

    init(_ spec: StoreSpec) {
        name = spec.description
        if case .keyring(let item) = spec {
            (folder, label) = (spec.folder, item.label)
        } else {
            (folder, label) = (nil, nil)
        }
    }

    /// - Returns: nil if the file has no location, as the store was not moved.
    init?(in descriptor: Int32) {
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.longest) { buffer, used in
            used = max(0, uninterrupted { pread(descriptor, buffer.baseAddress, Self.longest, 0) })
        }
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let first = lines.first, !first.isEmpty else { return nil }
        name = first
        folder = lines.count > 1 && !lines[1].isEmpty ? lines[1] : nil
        label = lines.count > 2 && !lines[2].isEmpty ? lines[2] : nil
    }

    var text: String { [name, folder, label].compactMap { $0 }.joined(separator: "\n") }

    /// Nil for a name that is not understood.
    var spec: StoreSpec? { try? StoreSpec(name, folder: folder, label: label) }

    func isAt(_ path: String) -> Bool { spec?.path == path }

    static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8.prefix(longest))
        guard uninterrupted({ pwrite(descriptor, bytes, bytes.count, 0) }) == bytes.count else { return }
        _ = uninterrupted { ftruncate(descriptor, off_t(bytes.count)) }
    }
}
