import Glibc
import Identity
import StrictJSON

/// `azureProfile.json`: subscriptions of Azure CLI's users, linked to the token cache by username only. Remaining
/// content keeps its bytes, including the byte order mark that Azure CLI writes and expects.
package struct AzureProfile: Sendable {
    private static let limits = JSONLimits(maximumBytes: 8 << 20, maximumDepth: 32)
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let path: String
    private let bytes: [UInt8]
    /// The bytes between the brackets of `subscriptions`; empty if there is no list.
    private let list: Range<Int>
    private let pieces: [Range<Int>]
    /// The username of each item, ASCII-lowercased; nil if it has none.
    private let users: [String?]

    /// - Returns: nil if the file is missing or empty.
    /// - Throws: errors of ``FileStore``; `notJSON`; `foreign` for a wrong value, or subscriptions that are not a list.
    package init?(path: String) throws(StoreError) {
        guard let content = try FileStore(path: path).read(), !content.bytes.isEmpty else { return nil }
        try self.init(content.bytes, path: path)
    }

    init(_ bytes: [UInt8], path: String) throws(StoreError) {
        let start = bytes.starts(with: Self.mark) ? Self.mark.count : 0
        let value: JSONValue
        do { value = try JSONValue(parsing: Array(bytes[start...]), limits: Self.limits) } catch {
            throw StoreError(.notJSON(offset: error.offset, what: error.problem.rawValue), path: path)
        }
        guard let object = value.object else { throw StoreError(.foreign("its JSON is not an object"), path: path) }
        self.path = path
        self.bytes = bytes
        guard let subscriptions = object["subscriptions"], subscriptions != .null else {
            (list, pieces, users) = (start..<start, [], [])
            return
        }
        guard let array = subscriptions.array else {
            throw StoreError(.foreign("\"subscriptions\" is not a list"), path: path)
        }
        guard let found = JSONValue.list(named: "subscriptions", in: bytes, from: start, limits: Self.limits) else {
            throw StoreError(.foreign("its subscriptions cannot be matched to accounts"), path: path)
        }
        (list, pieces) = found
        users = array.map { $0["user"]?["name"]?.string?.asciiLowercased }
    }

    /// The number of a user's subscriptions.
    ///
    /// - Parameter names: the user's name now, and earlier ones, which Azure CLI keeps until its next sign-in. They are
    ///   compared without regard to case, as in Azure CLI.
    package func count(of names: [String]) -> Int { users.count { Self.isOne($0, of: names) } }

    private static func isOne(_ user: String?, of names: [String]) -> Bool {
        guard let user, !user.isEmpty else { return false }
        return names.contains { $0.asciiLowercased == user }
    }

    /// The content without a user's subscriptions; nil if they have none. See ``count(of:)``.
    func removing(_ names: [String]) -> [UInt8]? {
        guard count(of: names) > 0, let first = pieces.first, let last = pieces.last else { return nil }
        let kept = zip(pieces, users).filter { !Self.isOne($0.1, of: names) }.map(\.0)
        // The file's own separator between two items.
        let between = pieces.count > 1 ? bytes[first.upperBound..<pieces[1].lowerBound] : []
        var text = Array(bytes[..<list.lowerBound])
        if !kept.isEmpty {
            text += bytes[list.lowerBound..<first.lowerBound] + kept.map { bytes[$0] }.joined(separator: between)
            text += bytes[last.upperBound..<list.upperBound]
        }
        return text + bytes[list.upperBound...]
    }

    /// Removes a user's subscriptions; the caller holds the lock. Returns the new content; nil if unchanged.
    func remove(_ names: [String]) throws(StoreError) -> [UInt8]? {
        guard let text = removing(names) else { return nil }
        // Never write content that could not be read back as a profile.
        _ = try AzureProfile(text, path: path)
        try FileStore(path: path).write(text, at: try ResolvedPath(path))
        return text
    }

    /// Restores the file to the content that was read, if it still holds the result of ``remove(_:)``.
    func putBack(insteadOf text: [UInt8]) throws(StoreError) {
        let store = FileStore(path: path)
        guard try store.read()?.bytes == text else {
            throw StoreError(.foreign("another program has changed it"), path: path)
        }
        try store.write(bytes, at: try ResolvedPath(path))
    }

    /// The number of service principals in Azure CLI's file for them; nothing else is read from it.
    static func principalCount(_ path: String) throws(StoreError) -> Int {
        guard let content = try FileStore(path: path).read() else { return 0 }
        let start = content.bytes.starts(with: mark) ? mark.count : 0
        do { return try JSONValue(parsing: Array(content.bytes[start...]), limits: limits).array?.count ?? 0 } catch {
            return 0
        }
    }
}
