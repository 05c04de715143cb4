import Identity
import StrictJSON

/// A list of credentials in a part of a store, with the same protection as its tokens. An untrusted or unreadable part
/// is an error and is not overwritten.
struct StorePartList<Entry: JSONStored>: Sendable {
    let cache: TokenCache
    let part: TokenStorePart
    let format: ListFormat<Entry>
    let lockWait: Duration

    func read() throws(StoreError) -> [Entry] {
        let backend = try cache.current.backend
        let file = try backend.name(part)
        guard let content = try backend.read(part), !content.bytes.isEmpty else { return [] }
        guard content.bytes.count <= format.maximumBytes else {
            throw StoreError(.tooLarge(bytes: content.bytes.count), path: file)
        }
        do {
            if let entries = try format.entries(content.bytes) { return entries }
        } catch { throw StoreError(.notJSON(offset: error.offset, what: error.problem.rawValue), path: file) }
        throw StoreError(.notJSON(offset: 0, what: "unknown version"), path: file)
    }

    func change(_ body: (inout [Entry]) -> Void) throws(StoreError) {
        try cache.following { cache throws(StoreError) in
            try cache.backend.prepare()
            try cache.holding([part], wait: lockWait) { () throws(StoreError) in try apply(body) }
        }
    }

    /// Read again, change, write; the caller holds the lock.
    func apply(_ body: (inout [Entry]) -> Void) throws(StoreError) {
        let backend = try cache.current.backend
        var entries = try read()
        body(&entries)
        let bytes = format.bytes(entries)
        guard bytes.count <= format.maximumBytes else {
            throw StoreError(.tooLarge(bytes: bytes.count), path: try backend.name(part))
        }
        try backend.write(bytes, part)
    }
}
