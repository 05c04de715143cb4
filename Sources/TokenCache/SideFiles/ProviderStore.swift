package import FoundationEssentials
import Identity
package import StrictJSON

/// Provider metadata, cached in `<store>.providers`. It contains no credentials, and losing it costs a request;
/// documents are validated again on every read, just like new ones. But they name the endpoints that tokens are sent
/// to, on any host, so the file is protected like the tokens: encrypted with the key of an `encrypted:` store, and not
/// kept for a keyring. Next to a plain store, the reader has to check where a document's endpoints are.
package struct ProviderStore: Sendable {
    private static let format = ListFormat<StoredDocument>("providers", maximumBytes: 524_288, most: 50)
    /// Maximum document size, in bytes; larger ones are not cached.
    static let maximumDocument = 65_536
    /// Cache lifetime in seconds: a day, as in MSAL.
    static let lifetime: TimeInterval = 86_400

    private let cache: TokenCache
    private let lockWait: Duration

    /// - Parameter lockWait: how long to wait for another writer; short, as nothing is lost.
    package init(_ cache: TokenCache, lockWait: Duration = .seconds(1)) {
        self.cache = cache
        self.lockWait = lockWait
    }

    /// The cache next to a plain file; the store's path is absolute.
    package init(path: String, lockWait: Duration = .seconds(1)) {
        self.init(TokenCache(path: path), lockWait: lockWait)
    }

    /// Whether only a program with the store's key can have written a document.
    package var isSealed: Bool { (try? cache.current.backend.sealsBeside) ?? false }

    /// A document cached within the last day, with its age in seconds. Nil also for a missing, untrusted or unreadable
    /// file, and for documents from the future (the clock was set back). The key is a `Fingerprint`.
    package func document(_ key: String, at now: Date) -> (document: JSONObject, age: Int)? {
        guard let entry = read(at: now).first(where: { $0.key == key }) else { return nil }
        return (entry.document, Int(max(0, now.timeIntervalSince(entry.readAt).rounded(.down))))
    }

    /// Caches a document, replacing the previous one.
    package func keep(_ document: JSONObject, as key: String, at now: Date) throws(StoreError) {
        let entry = StoredDocument(key: key, readAt: now, document: document)
        guard JSONValue.object(document).serialized().utf8.count <= Self.maximumDocument else { return }
        try change(at: now) { entries in
            entries.removeAll { $0.key == key }
            entries.append(entry)
        }
    }

    /// Removes a document that turned out to be wrong.
    package func forget(_ key: String, at now: Date) throws(StoreError) {
        guard read(at: now).contains(where: { $0.key == key }) else { return }
        try change(at: now) { $0.removeAll { $0.key == key } }
    }

    private struct StoredDocument: JSONRecord {
        var key = ""
        var readAt = Date()
        var document = JSONObject()

        mutating func describe(_ member: inout JSONMembers) {
            member("key", &key, .text(longest: 64))
            member("read_at", &readAt, .time)
            member("document", &document, .object)
        }
    }

    private func read(at now: Date) -> [StoredDocument] {
        guard let backend = try? cache.current.backend, backend.keepsBeside, let file = try? file(),
            let content = try? FileStore(path: file).read(),
            content.bytes.count <= Self.format.maximumBytes,
            let bytes = try? backend.openSideFile(content.bytes), let entries = try? Self.format.entries(bytes)
        else { return [] }
        return entries.filter { $0.readAt.isWithin(Self.lifetime, before: now) }
    }

    private func change(at now: Date, _ body: (inout [StoredDocument]) -> Void) throws(StoreError) {
        let backend = try cache.current.backend
        guard backend.keepsBeside else { return }
        let file = try file()
        let place = try ResolvedPath(file)
        try place.makeFolder()
        try StoreLock.holding(place, wait: lockWait) { () throws(StoreError) in
            var entries = read(at: now)
            body(&entries)
            var bytes = Self.format.bytes(entries)
            while bytes.count > Self.format.maximumBytes, !entries.isEmpty {
                entries.removeFirst()
                bytes = Self.format.bytes(entries)
            }
            guard let bytes = try backend.sealSideFile(bytes) else { return }
            try FileStore(path: file).write(bytes, at: place)
        }
    }

    /// Next to the link's target, so that all users of the store share one file.
    private func file() throws(StoreError) -> String { try ResolvedPath(cache.current.path).file + ".providers" }
}
