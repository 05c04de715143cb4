import Crypto
import Glibc

/// Where a store is, and what protects it: `file:PATH`, `encrypted:PATH`, `keyring:NAME`; a bare path is a file.
package enum StoreSpec: Hashable, Sendable {
    /// A plain file of mode 0600.
    case file(path: String)
    /// A file that is sealed under a key.
    case encrypted(path: String)
    /// An item of the Secret Service.
    case keyring(KeyringItem)

    /// The kinds, by the word before the colon.
    package enum Kind: String, Hashable, Sendable, CaseIterable { case file, encrypted, keyring }

    /// What is wrong with a text: lower case, no full stop; and what to write.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let message: String
        package let hint: String
        package var description: String { message }
    }

    static let longest = 4096

    /// Reads a text strictly: an unknown word before a colon is refused, and never taken for a file of that name.
    ///
    /// - Parameters:
    ///   - text: as in an option, a setting or the environment.
    ///   - folder: where the signal files of keyring items lie whose name is a word; the library's data folder when
    ///     nil.
    ///   - label: what a new keyring item is called in programs that list a keyring; the library's name when nil.
    ///   - expand: makes a path absolute, `~` included.
    /// - Throws: ``Problem``, which says what to write.
    package init(
        _ text: String, folder: String? = nil, label: String? = nil, expand: (String) -> String = { $0 }
    ) throws(Problem) {
        let examples = "write file:PATH, encrypted:PATH or keyring:NAME; a bare path is a file"
        guard !text.isEmpty else { throw Problem(message: "the store has no name", hint: examples) }
        guard text.utf8.count <= Self.longest, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Problem(message: "the name of the store has control characters, or is too long", hint: examples)
        }
        let (kind, rest) = try Self.split(text, examples)
        switch kind {
        case .file, .encrypted:
            guard !rest.isEmpty, !rest.hasSuffix("/") else {
                throw Problem(message: "\"\(text)\" names no file", hint: "write \(kind.rawValue):/PATH/OF/A/FILE")
            }
            self = kind == .file ? .file(path: expand(rest)) : .encrypted(path: expand(rest))
        case .keyring:
            if rest.hasPrefix("/") || rest.hasPrefix("~/") {
                guard !rest.hasSuffix("/") else {
                    throw Problem(
                        message: "\"\(text)\" names no file",
                        hint: "write keyring: and the signal file of the other program")
                }
                self = .keyring(KeyringItem(signal: expand(rest), label: label))
                return
            }
            guard rest.utf8.count <= 100, let first = rest.utf8.first, first != UInt8(ascii: "."),
                rest.utf8.allSatisfy(Self.isNameByte)
            else {
                throw Problem(
                    message: "\"\(rest)\" is no name of a keyring item",
                    hint: "write keyring:NAME, of letters, digits, and . _ - between them")
            }
            let place = folder ?? Self.dataFolder
            self = .keyring(KeyringItem(signal: "\(place)/\(rest).keyring", name: rest, label: label))
        }
    }

    private static func split(_ text: String, _ examples: String) throws(Problem) -> (kind: Kind, rest: String) {
        // What comes after a slash is part of a path.
        guard let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") else { return (.file, text) }
        let word = text[..<colon]
        guard let kind = Kind(rawValue: String(word)) else {
            throw Problem(
                message: "there is no kind of store named \"\(word)\"",
                hint: examples + "; for a file of that name: ./\(text)")
        }
        return (kind, String(text[text.index(after: colon)...]))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    /// `$XDG_DATA_HOME/silent-first`, else the one in the home folder.
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

    /// The file that the store is in, or for a keyring the signal file, which is touched at each change. Locks and side
    /// files are named after it.
    package var path: String {
        switch self {
        case .file(let path), .encrypted(let path): path
        case .keyring(let item): item.signal
        }
    }

    /// The folder of that file.
    package var folder: String { ResolvedPath.folder(of: path) }
}

extension StoreSpec: CustomStringConvertible {
    /// The text that reads as this.
    package var description: String {
        switch self {
        case .file(let path): "file:" + path
        case .encrypted(let path): "encrypted:" + path
        case .keyring(let item): "keyring:" + item.name
        }
    }
}

/// One item of the Secret Service, which holds a whole cache as text.
///
/// The attributes are seen by every program of the session also while the keyring is locked: no name of a person
/// belongs into them.
package struct KeyringItem: Hashable, Sendable {
    /// How a person names it: a word, or the path of the signal file.
    package var name: String
    /// The file that is touched at each change, and whose `.lockfile` keeps writers apart.
    package var signal: String
    /// The name of the schema, kept as the attribute `xdg:schema`.
    package var schema: String
    package var attributes: [String: String]
    /// What programs that list a keyring call it; nothing is looked for by it.
    package var label: String
    /// Whether the schema's name is part of what is looked for; the extensions for .NET leave it out.
    package var matchesSchema = true
    /// Whether the text is written as base64, as the extensions for .NET do.
    package var isBase64 = false
}

extension KeyringItem {
    /// The item that msal-extensions for Python uses for a signal file when its program names neither schema nor
    /// attributes: the schema is the SHA-256 of the path, in hexadecimal digits, and there are no attributes.
    ///
    /// - Parameters:
    ///   - signal: the path, absolute, written as the other program writes it.
    ///   - name: how a person names it; the path when nil.
    package init(signal: String, name: String? = nil, label: String? = nil) {
        let digest = SHA256.hash(data: Array(signal.utf8)).reduce(into: "") { text, byte in
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        self.init(name: name ?? signal, signal: signal, schema: digest, attributes: [:], label: label ?? "SilentFirst")
    }
}
