import StrictTOML
import Synchronization
import TOMLKit
import Themes

/// A parsed theme file. It may be untrusted, so its size, nesting and names are checked first.
struct ThemeFile: Equatable, Sendable {
    struct RoleChange: Equatable {
        let role: Role
        let change: LookOverride
    }

    static var bundledNames: [String] { BundledThemes.names }
    private static let deepest = 8

    let roles: [RoleChange]
    let extends: String?

    /// The files of the theme, the base first. A file may extend its own name, which continues the search on the path
    /// and then uses the bundled one.
    static func layers(name: String, searchPath: [String], distrust: (String) -> String? = { _ in nil })
        throws(ThemeError)
        -> [ThemeFile]
    {
        var layers: [ThemeFile] = []
        var wanted = name
        var firstFolder = 0
        while true {
            let (path, file, nextFolder) = try find(wanted, searchPath: searchPath, from: firstFolder, distrust)
            layers.append(file)
            guard let base = file.extends else { return layers.reversed() }
            guard layers.count < deepest else { throw .extendsTooDeep(file: path) }
            firstFolder = base == wanted ? nextFolder : 0
            wanted = base
        }
    }

    /// The path to show, the contents, and where a search for a file of the same name continues.
    private static func find(
        _ name: String, searchPath: [String], from firstFolder: Int, _ distrust: (String) -> String?
    ) throws(ThemeError) -> (path: String, file: ThemeFile, next: Int) {
        guard isName(name) else { throw .unusableName(name) }
        for (index, folder) in searchPath.enumerated() where index >= firstFolder {
            let path = "\(folder)/\(name).toml"
            if let bytes = try BoundedFile.read(path) {
                if let why = distrust(path) { throw .notTrusted(file: path, why: why) }
                return (path, try parsed(bytes, path), index + 1)
            }
        }
        // The bundled file comes last: if it extended itself, it would be a cycle.
        guard firstFolder <= searchPath.count else { throw .notFound(name) }
        let path = "bundled theme \(name)"
        if name == "default" { return (path, .standard, searchPath.count + 1) }
        guard let bytes = BundledThemes.file(name) else { throw .notFound(name) }
        return (path, try parsed(bytes, path), searchPath.count + 1)
    }

    /// Parsed files, so that trying a theme again does not parse it again: the TOML library leaks some memory.
    private static let kept = Mutex<[String: (bytes: [UInt8], file: ThemeFile)]>([:])

    private static func parsed(_ bytes: [UInt8], _ path: String) throws(ThemeError) -> ThemeFile {
        if let before = kept.withLock({ $0[path] }), before.bytes == bytes { return before.file }
        let file = try ThemeFile(bytes: bytes, path: path)
        kept.withLock { $0[path] = (bytes, file) }
        return file
    }

    /// Without separators and dots, so a name never leaves its directory.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D
                    || byte == 0x5F
            }
    }

    init(roles: [RoleChange]) {
        self.roles = roles
        extends = nil
    }

    init(bytes: [UInt8], path: String) throws(ThemeError) {
        guard bytes.count <= BoundedFile.largest else { throw .tooLarge(file: path) }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .notText(file: path)
        }
        let lines = LineFinder(text)
        let table: TOMLTable
        do { table = try StrictTOML.read(text) } catch { throw .notTOML(file: path, line: error.line) }

        for key in table.keys.sorted() where !["extends", "palette", "roles", "name"].contains(key) {
            throw .unknownSetting(file: path, line: lines.line(of: key), name: key)
        }
        if let base = table["extends"] {
            guard let name = base.string else {
                throw .wrongValue(file: path, line: lines.line(of: "extends"), role: "extends")
            }
            extends = name
        } else {
            extends = nil
        }
        let palette = try Self.palette(table["palette"], lines: lines, path: path)
        var roles: [RoleChange] = []
        if let section = table["roles"] {
            guard let named = section.table else {
                throw .wrongValue(file: path, line: lines.line(of: "roles"), role: "roles")
            }
            for key in named.keys.sorted() {
                guard let role = Role(rawValue: key) else {
                    throw .unknownRole(file: path, line: lines.line(of: key, in: "roles"), role: key)
                }
                let place = RolePlace(path: path, lines: lines, section: "roles", role: key, palette: palette)
                roles.append(RoleChange(role: role, change: try place.change(named[key])))
            }
        }
        self.roles = roles
    }

    private static func palette(
        _ value: (any TOMLValueConvertible)?, lines: LineFinder, path: String
    ) throws(ThemeError) -> [String: Color] {
        guard let value else { return [:] }
        guard let table = value.table else {
            throw .wrongValue(file: path, line: lines.line(of: "palette"), role: "palette")
        }
        var palette: [String: Color] = [:]
        for key in table.keys.sorted() {
            let place = RolePlace(path: path, lines: lines, section: "palette", role: key, palette: [:])
            palette[key] = try place.color(table[key])
        }
        return palette
    }
}

private struct RolePlace {
    let path: String
    let lines: LineFinder
    let section: String
    let role: String
    let palette: [String: Color]

    private var line: Int { lines.line(of: role, in: section) }

    /// A color alone is the foreground.
    func change(_ value: (any TOMLValueConvertible)?) throws(ThemeError) -> LookOverride {
        guard let table = value?.table else { return LookOverride(foreground: try color(value)) }
        var change = LookOverride()
        for key in table.keys.sorted() {
            switch key {
            case "fg": change.foreground = try color(table[key])
            case "bg": change.background = try color(table[key])
            case "bold": change.bold = try flag(table[key])
            case "underline": change.underline = try flag(table[key])
            case "reverse": change.reverse = try flag(table[key])
            case "dim": change.dim = try flag(table[key])
            default: throw .unknownSetting(file: path, line: line, name: key)
            }
        }
        return change
    }

    func color(_ value: (any TOMLValueConvertible)?) throws(ThemeError) -> Color {
        if let number = value?.int {
            guard let index = UInt8(exactly: number) else {
                throw .unknownColor(file: path, line: line, role: role, value: String(number))
            }
            return .indexed(index)
        }
        guard let text = value?.string else { throw .wrongValue(file: path, line: line, role: role) }
        guard let color = palette[text] ?? Color(text) else {
            throw .unknownColor(file: path, line: line, role: role, value: text)
        }
        return color
    }

    private func flag(_ value: (any TOMLValueConvertible)?) throws(ThemeError) -> Bool {
        guard let flag = value?.bool else { throw .wrongValue(file: path, line: line, role: role) }
        return flag
    }
}

/// TOMLKit does not report positions, so errors use the first line in the section that begins with the name.
private struct LineFinder {
    private let text: String

    init(_ text: String) { self.text = text }

    func line(of key: String, in section: String? = nil) -> Int {
        var isInside = section == nil
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let bare = line.drop { $0 == " " || $0 == "\t" }
            if bare.first == "[" {
                let header = bare.drop { $0 == "[" || $0 == " " }
                if section == nil, Self.begins(header, with: key) { return index + 1 }
                if let section {
                    isInside = Self.begins(header, with: section)
                    if isInside, Self.begins(header.dropFirst(section.count + 1), with: key) { return index + 1 }
                }
            } else if isInside, Self.begins(bare.first == "\"" ? bare.dropFirst() : bare, with: key) {
                return index + 1
            }
        }
        return 1
    }

    private static func begins(_ line: Substring, with key: String) -> Bool {
        guard line.hasPrefix(key) else { return false }
        guard let next = line.dropFirst(key.count).first else { return true }
        return !(next.isLetter || next.isNumber || next == "-" || next == "_")
    }
}
