package import CommandSupport
package import Identity
import SilentFirst
import StrictJSON
import TokenCache

/// The files with tokens that are kept fresh, beside foyer's own store. No secrets.
package struct TokenFileList: Sendable {
    private let file: StateFile
    private let path: String
    private static let maximumBytes = 262_144
    private static let mostFiles = 64

    package init(_ environment: ProcessEnvironment) {
        path = environment.dataFolder + "/token-files.json"
        file = StateFile(path: path, maximumBytes: Self.maximumBytes)
    }

    /// - Throws: `storeError` for a list that cannot be read; it is not taken for an empty one.
    package func files() throws(Failure) -> [TokenFile] {
        let bytes: [UInt8]?
        do { bytes = try file.read() } catch { throw Failure(error) }
        guard let bytes else { return [] }
        guard let list = (try? JSONValue(parsing: bytes))?["tokenFiles"]?.array else {
            throw Failure(.storeError, "\(path) is no list of token files", hint: "move it away, and add them again")
        }
        return list.prefix(Self.mostFiles).compactMap(TokenFile.init)
    }

    /// Adds one, or puts it in the place of that of the same path.
    package func add(_ new: TokenFile) throws(Failure) {
        guard try files().count < Self.mostFiles else {
            throw Failure(.usage, "\(Self.mostFiles) token files are the most", hint: "remove one of them")
        }
        try change { files in files.filter { $0.path != new.path } + [new] }
    }

    /// - Returns: nil where there is none of that path.
    package func remove(_ path: String) throws(Failure) -> TokenFile? {
        guard let found = try files().first(where: { $0.path == path }) else { return nil }
        try change { files in files.filter { $0.path != path } }
        return found
    }

    /// An outcome that cannot be noted is lost.
    package func note(_ outcome: TokenFile.Outcome, of path: String) {
        try? change { files in
            files.map { file in
                guard file.path == path else { return file }
                var file = file
                file.last = outcome
                return file
            }
        }
    }

    private func change(_ body: ([TokenFile]) -> [TokenFile]) throws(Failure) {
        do {
            try file.change { bytes in
                let list = bytes.flatMap { try? JSONValue(parsing: $0) }?["tokenFiles"]?.array ?? []
                let files = body(list.compactMap(TokenFile.init))
                return Array((JSONValue(("tokenFiles", .array(files.map(\.json)))).serialized() + "\n").utf8)
            }
        } catch { throw Failure(error) }
    }
}
