package import FoundationEssentials
import Identity
package import StrictJSON

/// The small file beside the store, `<store>.providers`, that keeps what providers say of themselves, so that the next
/// process need not ask again.
///
/// It holds no credential, and losing it costs a request. What it gives is as old as it says and no more believed than
/// what has just come: whoever reads a document checks it again. But it names the endpoints that tokens are sent to,
/// which may lie anywhere, so it is protected as the tokens are: beside an `encrypted:` store it is sealed under the
/// store's key, and for a keyring nothing is kept.
package struct ProviderStore: Sendable {
    private static let format = ListFormat<StoredDocument>("providers", maximumBytes: 524_288, most: 50)
    /// A provider that says more is asked each time.
    static let maximumDocument = 65_536
    /// Seconds that a document is kept: a day, as long as MSAL keeps it.
    static let lifetime: TimeInterval = 86_400

    /// The store's path.
    private let path: String
    private let backend: StoreBackend
    private let lockWait: Duration

    /// - Parameters:
    ///   - cache: the store whose tokens go to the providers.
    ///   - lockWait: how long another writer is waited for; short, since nothing is lost.
    package init(_ cache: TokenCache, lockWait: Duration = .seconds(1)) {
        path = cache.path
        backend = cache.backend
        self.lockWait = lockWait
    }

    /// Beside a plain file.
    ///
    /// - Parameter path: the store's, absolute.
    package init(path: String, lockWait: Duration = .seconds(1)) {
        self.init(TokenCache(path: path), lockWait: lockWait)
    }

    /// A document that was kept within the last day, with its age in seconds. A file that is missing, of somebody else,
    /// or not to be understood has none; nor do entries from the future (the clock went back).
    ///
    /// - Parameter key: names the question, as `Fingerprint` does.
    package func document(_ key: String, at now: Date) -> (document: JSONObject, age: Int)? {
        guard let entry = read(at: now).first(where: { $0.key == key }) else { return nil }
        return (entry.document, Int(max(0, now.timeIntervalSince(entry.readAt).rounded(.down))))
    }

    /// Keeps a document in place of the one that was there.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func keep(_ document: JSONObject, as key: String, at now: Date) throws(StoreError) {
        let entry = StoredDocument(key: key, readAt: now, document: document)
        guard JSONValue.object(document).serialized().utf8.count <= Self.maximumDocument else { return }
        try change(at: now) { entries in
            entries.removeAll { $0.key == key }
            entries.append(entry)
        }
    }

    /// Forgets a document: what it says did not work.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
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
        guard let file = try? file(), let content = try? FileStore(path: file).read(),
            content.bytes.count <= Self.format.maximumBytes,
            let bytes = try? backend.openBeside(content.bytes), let entries = try? Self.format.entries(bytes)
        else { return [] }
        return entries.filter { $0.readAt.isWithin(Self.lifetime, before: now) }
    }

    private func change(at now: Date, _ body: (inout [StoredDocument]) -> Void) throws(StoreError) {
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
            guard let bytes = try backend.sealBeside(bytes) else { return }
            try FileStore(path: file).write(bytes, at: place)
        }
    }

    /// Beside the file itself, links followed, so that all who use the store find one.
    private func file() throws(StoreError) -> String { try ResolvedPath(path).file + ".providers" }
}
