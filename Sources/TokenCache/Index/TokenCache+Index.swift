import Glibc
package import Identity
import StrictJSON

extension TokenCache {
    /// Whether reading the file takes longer than a frame.
    package var isLarge: Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_size > StoreSize.large
    }

    /// An index of a large store in a plain file, and its accounts; nil if ``read()`` is needed, which reports errors.
    package func index() -> (index: StoreIndex, overviews: [AccountOverview])? {
        index(above: StoreSize.large, pieceSize: 256 << 10)
    }

    func index(above size: Int, pieceSize: Int) -> (index: StoreIndex, overviews: [AccountOverview])? {
        guard case .file(let path) = backend, isWritten,
            let (descriptor, info) = try? FileStore(path: path).opened()
        else { return nil }
        guard Int(info.st_size) > size else {
            close(descriptor)
            return nil
        }
        let found = try? StoreIndex.read(descriptor, path: path, pieceSize: pieceSize)
        // Unsaved tokens are not in the file.
        return isWritten ? found : nil
    }

    /// The size of a large store in a plain file whose every byte is valid; nil if it must be read as a whole.
    func checkedSize(above size: Int = StoreSize.large, pieceSize: Int = 256 << 10) -> Int? {
        guard case .file(let path) = backend, isWritten,
            let (descriptor, info) = try? FileStore(path: path).opened()
        else { return nil }
        defer { close(descriptor) }
        let found = Int(info.st_size)
        var reader = JSONEntryReader(
            sections: Section.allCases.map(\.name), limits: CacheSnapshot.limits, strictly: true, pieceSize: pieceSize)
        guard found > size, let before = StoreIndex.Identity(descriptor), before.size == found,
            (try? reader.read(size: found) { buffer, offset in
                uninterrupted { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
            } _: { _ in
            }) != nil, reader.hasKnownSection || reader.isEmpty,
            StoreIndex.Identity(descriptor) == before, isWritten
        else { return nil }
        return found
    }

    package func isCurrent(_ index: StoreIndex) -> Bool { isWritten && index.isCurrent }

    /// Whether no tokens wait to be written.
    private var isWritten: Bool { UnsavedGrants.shared.records(for: path).isEmpty }
}
