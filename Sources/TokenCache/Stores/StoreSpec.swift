import Crypto
import Glibc

/// A store's location and protection: `file:PATH`, `encrypted:PATH`, `keyring:NAME`; a bare path is a file.
package enum StoreSpec: Hashable, Sendable {
    case file(path: String)
    /// A file encrypted with its own key.
    case encrypted(path: String)
    case keyring(KeyringItem)

    /// The store types, by the word before the colon.
    package enum Kind: String, Hashable, Sendable, CaseIterable { case file, encrypted, keyring }

    /// The reason a name is invalid (lowercase, no full stop), and a valid form.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let message: String
        package let hint: String
        package var description: String { message }
    }

    static let longest = 4096

    /// Parses strictly: an unknown word before a colon is an error, never part of a file name.
    ///
    /// - Parameters:
    ///   - text: the value of an option, a setting or an environment variable.
    ///   - folder: folder of the signal files of keyring items with a plain name; the library's data folder if nil.
    ///   - label: label of a new keyring item in programs that list a keyring; the library's name if nil.
    ///   - expand: makes a path absolute, including `~`.
    /// - Throws: ``Problem``, with a valid form.
    package init(
        _ text: String, folder: String? = nil, label: String? = nil, expand: (String) -> String = { $0 }
    ) throws(Problem) {
        let examples = "write file:PATH, encrypted:PATH or keyring:NAME; a bare path is a file"
        guard !text.isEmpty else { throw Problem(message: "empty store name", hint: examples) }
        guard text.utf8.count <= Self.longest, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Problem(message: "the store name has control characters or is too long", hint: examples)
        }
        let (kind, rest) = try Self.split(text, examples)
        switch kind {
        case .file, .encrypted:
            guard !rest.isEmpty, !rest.hasSuffix("/") else {
                throw Problem(message: "no path in \"\(text)\"", hint: "write \(kind.rawValue):/PATH/OF/A/FILE")
            }
            self = kind == .file ? .file(path: expand(rest)) : .encrypted(path: expand(rest))
        case .keyring:
            if rest.hasPrefix("/") || rest.hasPrefix("~/") {
                guard !rest.hasSuffix("/") else {
                    throw Problem(
                        message: "no path in \"\(text)\"",
                        hint: "write keyring: and the signal file of the other program")
                }
                self = .keyring(KeyringItem(signal: expand(rest), label: label))
                return
            }
            guard rest.utf8.count <= 100, let first = rest.utf8.first, first != UInt8(ascii: "."),
                rest.utf8.allSatisfy(Self.isNameByte)
            else {
                throw Problem(
                    message: "invalid keyring item name \"\(rest)\"",
                    hint: "write keyring:NAME with letters, digits, ., _ and -")
            }
            let place = folder ?? Self.dataFolder
            self = .keyring(KeyringItem(signal: "\(place)/\(rest).keyring", name: rest, label: label))
        }
    }

    private static func split(_ text: String, _ examples: String) throws(Problem) -> (kind: Kind, rest: String) {
        // A colon after a slash is part of a path.
        guard let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") else { return (.file, text) }
        let word = text[..<colon]
        guard let kind = Kind(rawValue: String(word)) else {
            throw Problem(
                message: "unknown store type \"\(word)\"",
                hint: examples + "; for a file with that name: ./\(text)")
        }
        return (kind, String(text[text.index(after: colon)...]))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static var dataFolder: String {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (value("XDG_DATA_HOME") ?? (value("HOME") ?? "/nonexistent") + "/.local/share") + "/silent-first"
    }

    package var kind: Kind {
        switch self {
        case .file: .file
        case .encrypted: .encrypted
        case .keyring: .keyring
        }
    }

    /// The store's file, or a keyring store's signal file, which is touched on each change. Locks and side files are
    /// named after it.
    package var path: String {
        switch self {
        case .file(let path), .encrypted(let path): path
        case .keyring(let item): item.signal
        }
    }

    package var folder: String { ResolvedPath.folder(of: path) }
}

extension StoreSpec: CustomStringConvertible {
    /// The name that parses to this store.
    package var description: String {
        switch self {
        case .file(let path): "file:" + path
        case .encrypted(let path): "encrypted:" + path
        case .keyring(let item): "keyring:" + item.name
        }
    }
}

/// A Secret Service item that contains a whole cache as text.
///
/// Every program of the session can read its attributes, even while the keyring is locked, so they must not contain
/// usernames.
package struct KeyringItem: Hashable, Sendable {
    /// The user's name for it: a word, or the path of the signal file.
    package var name: String
    /// The file that is touched on each change, and whose `.lockfile` keeps writers apart.
    package var signal: String
    /// The name of the schema, stored in the attribute `xdg:schema`.
    package var schema: String
    package var attributes: [String: String]
    /// The label in programs that list a keyring; not used for searches.
    package var label: String
    /// Whether searches include the schema's name; MSAL's extensions for .NET omit it.
    package var matchesSchema = true
    /// Whether the content is base64, as in MSAL's extensions for .NET.
    package var isBase64 = false
}

extension KeyringItem {
    /// The default item of msal-extensions for Python for a signal file: the schema is the SHA-256 of the path in
    /// hexadecimal, and there are no attributes.
    ///
    /// - Parameters:
    ///   - signal: the absolute path, spelled as in the other program.
    ///   - name: the user's name for it; the path if nil.
    package init(signal: String, name: String? = nil, label: String? = nil) {
        let digest = SHA256.hash(data: Array(signal.utf8)).reduce(into: "") { text, byte in
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        self.init(name: name ?? signal, signal: signal, schema: digest, attributes: [:], label: label ?? "SilentFirst")
    }
}
