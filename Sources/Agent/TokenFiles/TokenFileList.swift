package import CommandSupport
import FoundationEssentials
import Glibc
package import Identity
import SilentFirst
import StrictJSON
import TokenCache

/// The files with tokens that are kept fresh, beside foyer's own store. No secrets.
///
/// A file is written and removed under the lock of the list alone, so that what has been removed stays away, and of
/// several who write the same file one comes after the other.
package struct TokenFileList: Sendable {
    private let file: StateFile
    private let path: String
    private static let format = ListFormat<TokenFile>("tokenFiles", version: nil, maximumBytes: 262_144, most: 64)

    /// - Parameter lockWait: how long others are waited for, who write their token meanwhile to a disk that may be
    ///   slow.
    package init(_ environment: ProcessEnvironment, lockWait: Duration = .seconds(5)) {
        path = environment.dataFolder + "/token-files.json"
        file = StateFile(path: path, maximumBytes: Self.format.maximumBytes, lockWait: lockWait)
    }

    /// - Throws: `storeError` for a list that cannot be read; it is not taken for an empty one.
    package func files() throws(Failure) -> [TokenFile] {
        let bytes: [UInt8]?
        do { bytes = try file.read() } catch { throw Failure(error) }
        guard let bytes else { return [] }
        guard let files = try? Self.format.entries(bytes) else {
            throw Failure(.storeError, "\(path) is no list of token files", hint: "move it away, and add them again")
        }
        return files
    }

    /// Refuses to write over somebody else's file by mistake, and over what is no file at all, such as a pipe or a
    /// device.
    ///
    /// - Parameter replaces: whether a file that is not in the list may be written over.
    /// - Throws: `usage`.
    package func refuseForeign(_ path: String, replaces: Bool) throws(Failure) {
        try Self.refuseForeign(path, replaces: replaces, in: try files())
    }

    private static func refuseForeign(_ path: String, replaces: Bool, in files: [TokenFile]) throws(Failure) {
        var info = stat()
        guard stat(path, &info) == 0 else { return }
        guard isRegular(info) else {
            throw Failure(.usage, "\(path) is no regular file", hint: "name another file")
        }
        guard !replaces, info.st_size > 0, !files.contains(where: { $0.path == path }) else { return }
        throw Failure(.usage, "\(path) is there already", hint: "name another file, or add --replace")
    }

    private static func isRegular(_ info: stat) -> Bool { info.st_mode & S_IFMT == S_IFREG }

    /// Adds a file, or puts it in the place of that of the same path, and writes its token.
    ///
    /// - Parameters:
    ///   - replaces: as of ``refuseForeign(_:replaces:)``.
    ///   - isStored: as of ``write(_:_:to:isStored:)``.
    /// - Returns: false where the token is not the store's any more, and nothing was done.
    /// - Throws: `usage`, `storeError`; then neither the list nor the file has changed.
    package func add(
        _ new: TokenFile, _ secret: Secret, replaces: Bool, isStored: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        try locked { files throws(Failure) in
            try Self.refuseForeign(new.path, replaces: replaces, in: files)
            let others = files.filter { $0.path != new.path }
            guard others.count < Self.format.most else {
                throw Failure(.usage, "\(Self.format.most) token files are the most", hint: "remove one of them")
            }
            guard try isStored() else { return false }
            // In this order: whoever is killed on the way leaves a file that the next update writes, and no token of
            // which nobody knows.
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

    /// What became of a token that was fetched for a file.
    enum Writing: Hashable, Sendable {
        /// What is in the file now, which is another's token where that was written meanwhile and lives longer.
        case done(TokenFile.Outcome)
        /// Not written, since the file is not in the list any more.
        case unlisted
        /// Not written, since the token is not the store's any more.
        case replaced
    }

    /// Writes a token, and notes that, while the file is in the list.
    ///
    /// - Parameters:
    ///   - file: as it was read from the list before the token was fetched.
    ///   - isStored: whether the store has the token. Asked under the list's lock, under which a sign-out removes the
    ///     file: whatever comes first, no token of somebody who is signed out stays.
    /// - Throws: `storeError`, and what `isStored` throws; then the file is as it was.
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

    /// Removes the token and keeps the file in the list: the next sign-in brings another. Does nothing where the file
    /// is not in the list any more.
    ///
    /// - Returns: whether there was a file.
    /// - Throws: `storeError`.
    @discardableResult func removeToken(of file: TokenFile) throws(Failure) -> Bool {
        try locked { files throws(Failure) in
            guard files.contains(where: file.isSame), Self.isThere(file.path) else { return false }
            try Self.unlink(file.path)
            return true
        }
    }

    /// Removes a file, and takes it off the list.
    ///
    /// - Returns: nil where there is none of that path.
    /// - Throws: `storeError`; then it is in the list still.
    package func remove(_ path: String) throws(Failure) -> TokenFile? {
        try locked { files throws(Failure) in
            guard let found = files.first(where: { $0.path == path }) else { return nil }
            // In this order: whoever is killed between the two leaves no token of which nobody knows.
            try Self.unlink(path)
            try put(files.filter { $0.path != path })
            return found
        }
    }

    /// What is not there, or is no file, is none of ours to remove.
    private static func unlink(_ path: String) throws(Failure) {
        do throws(Failure) { try TokenFile.remove(path) } catch {
            var info = stat()
            if stat(path, &info) == 0 ? isRegular(info) : errno != ENOENT && errno != ENOTDIR { throw error }
        }
    }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// An outcome that cannot be noted is lost.
    package func note(_ outcome: TokenFile.Outcome, of file: TokenFile) {
        try? locked { files throws(Failure) in
            if files.contains(where: file.isSame) { try put(files.noting(outcome, of: file)) }
        }
    }

    /// - Parameter body: gets the list as it is while nobody else changes it.
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
    /// Whether both are the same entry of the list, whatever was noted of it since: another account's token does not
    /// belong into a file that was added again for somebody else.
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
