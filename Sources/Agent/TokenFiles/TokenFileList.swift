package import CommandSupport
import FoundationEssentials
import Glibc
package import Identity
import SilentCore
import SilentFirst
import StrictJSON
import TokenCache

/// The list of token files that the agent keeps current, stored next to foyer's own store. It contains no secrets.
///
/// Files are written and removed only under the list's lock, so a removed file stays removed and concurrent writers
/// take turns.
package struct TokenFileList: Sendable {
    private let file: StateFile
    let path: String
    private static let format = ListFormat<TokenFile>("tokenFiles", version: nil, maximumBytes: 262_144, most: 64)

    /// - Parameter lockWait: the time to wait for other writers, whose disk may be slow.
    package init(_ environment: ProcessEnvironment, lockWait: Duration = .seconds(5)) {
        path = environment.dataFolder + "/token-files.json"
        file = StateFile(path: path, maximumBytes: Self.format.maximumBytes, lockWait: lockWait)
    }

    /// - Throws: `storeError` for an unreadable list, which is not treated as empty.
    package func files() throws(Failure) -> [TokenFile] {
        let bytes: [UInt8]?
        do { bytes = try file.read() } catch { throw Failure(error) }
        guard let bytes else { return [] }
        guard let files = try? Self.format.entries(bytes) else {
            throw Failure(.storeError, "\(path) is not a token file list", hint: "move it away and add the files again")
        }
        return files
    }

    /// Protects other files from being overwritten by mistake, and anything that is not a regular file, such as a pipe
    /// or device.
    ///
    /// - Parameter replaces: whether a file outside the list may be overwritten.
    /// - Throws: `usage`.
    package func refuseForeign(_ path: String, replaces: Bool) throws(Failure) {
        try Self.refuseForeign(path, replaces: replaces, in: try files())
    }

    private static func refuseForeign(_ path: String, replaces: Bool, in files: [TokenFile]) throws(Failure) {
        var info = stat()
        guard stat(path, &info) == 0 else { return }
        guard isRegular(info) else {
            throw Failure(.usage, "\(path) is not a regular file", hint: "name another file")
        }
        guard !replaces, info.st_size > 0, !files.contains(where: { $0.path == path }) else { return }
        throw Failure(.usage, "\(path) already exists", hint: "name another file, or add --replace")
    }

    private static func isRegular(_ info: stat) -> Bool { info.st_mode & S_IFMT == S_IFREG }

    /// Adds or replaces the file with this path, and writes its token.
    ///
    /// - Parameters:
    ///  - replaces: see ``refuseForeign(_:replaces:)``.
    ///  - isStored: see ``write(_:_:to:isStored:)``.
    /// - Returns: false if the token is no longer in the store; then nothing has changed.
    /// - Throws: `usage`, `storeError`; the list and the file are then unchanged.
    package func add(
        _ new: TokenFile, _ secret: Secret, replaces: Bool, isStored: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        try locked { files throws(Failure) in
            try Self.refuseForeign(new.path, replaces: replaces, in: files)
            let others = files.filter { $0.path != new.path }
            guard others.count < Self.format.most else {
                throw Failure(.usage, "limit of \(Self.format.most) token files reached", hint: "remove one of them")
            }
            guard try isStored() else { return false }
            // In this order, a crash leaves a listed file that the next update writes, not an unlisted token.
            var unwritten = new
            unwritten.last = nil
            try put(others + [unwritten])
            do throws(Failure) { try TokenFile.write(secret, to: new.path) } catch {
                try? put(files)
                throw error
            }
            try? put(others + [new])
            return true
        }
    }

    enum Writing: Hashable, Sendable {
        /// The file's token, which may be a longer-lived one that another process has written in the meantime.
        case done(TokenFile.Outcome)
        /// Not written: the file is no longer in the list.
        case unlisted
        /// Not written: the token is no longer in the store.
        case replaced
    }

    /// Writes and records a token if the file is in the list.
    ///
    /// - Parameters:
    ///  - file: the entry, read from the list before the token was requested.
    ///  - isStored: whether the store has the token. Called under the list's lock, under which a sign-out also removes
    ///    the file. In either order, no token of a signed-out account remains.
    /// - Throws: `storeError`, and errors of `isStored`; the file is then unchanged.
    func write(
        _ secret: Secret, _ outcome: TokenFile.Outcome, to file: TokenFile, isStored: () throws(Failure) -> Bool
    ) throws(Failure) -> Writing {
        try locked { files throws(Failure) in
            guard let listed = files.first(where: file.isSame) else { return .unlisted }
            guard try isStored() else { return .replaced }
            if let last = listed.last, last != file.last, let end = last.expiresOn, let own = outcome.expiresOn,
                end > own, Self.isThere(file.path)
            {
                return .done(last)
            }
            try TokenFile.write(secret, to: file.path)
            try? put(files.noting(outcome, of: file))
            return .done(outcome)
        }
    }

    /// Removes the token and keeps the file in the list until the next sign-in. Has no effect if the file is no longer
    /// in the list.
    ///
    /// - Returns: whether the file existed.
    /// - Throws: `storeError`.
    @discardableResult func removeToken(of file: TokenFile) throws(Failure) -> Bool {
        try locked { files throws(Failure) in
            guard files.contains(where: file.isSame), Self.isThere(file.path) else { return false }
            try Self.unlink(file.path)
            return true
        }
    }

    /// Removes a file, and its entry from the list.
    ///
    /// - Returns: nil if the path is not in the list.
    /// - Throws: `storeError`; the entry is then kept.
    package func remove(_ path: String) throws(Failure) -> TokenFile? {
        try locked { files throws(Failure) in
            guard let found = files.first(where: { $0.path == path }) else { return nil }
            // In this order, a crash does not leave an unlisted token.
            try Self.unlink(path)
            try put(files.filter { $0.path != path })
            return found
        }
    }

    /// Skips missing files, and anything that is not a regular file.
    private static func unlink(_ path: String) throws(Failure) {
        do throws(Failure) { try TokenFile.remove(path) } catch {
            var info = stat()
            if stat(path, &info) == 0 ? isRegular(info) : errno != ENOENT && errno != ENOTDIR { throw error }
        }
    }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// An outcome that cannot be recorded is lost.
    package func note(_ outcome: TokenFile.Outcome, of file: TokenFile) {
        try? locked { files throws(Failure) in
            if files.contains(where: file.isSame) { try put(files.noting(outcome, of: file)) }
        }
    }

    /// - Parameter body: gets the list while its lock is held.
    private func locked<Value>(_ body: ([TokenFile]) throws(Failure) -> Value) throws(Failure) -> Value {
        let result: Result<Value, Failure>
        do throws(StoreError) {
            result = try file.holding {
                do throws(Failure) { return .success(try body(try files())) } catch { return .failure(error) }
            }
        } catch { throw Failure(error) }
        return try result.get()
    }

    private func put(_ files: [TokenFile]) throws(Failure) {
        do throws(StoreError) { try file.put(Self.format.bytes(files)) } catch { throw Failure(error) }
    }
}

extension TokenFile {
    /// Whether both are the same entry, apart from the last outcome. If the file was added again for another account,
    /// it must not get the old account's token.
    fileprivate func isSame(_ other: TokenFile) -> Bool {
        var other = other
        other.last = last
        return other == self
    }
}

extension [TokenFile] {
    fileprivate func noting(_ outcome: TokenFile.Outcome, of file: TokenFile) -> [TokenFile] {
        map { listed in
            guard listed.isSame(file) else { return listed }
            var listed = listed
            listed.last = outcome
            return listed
        }
    }
}
