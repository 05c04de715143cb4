import Console

/// Reasons that a theme cannot be used. Only the incorrect word of a file is quoted, sanitized and cut, as a theme file
/// may be a link to a private file.
package enum ThemeError: Error, Equatable, Sendable {
    case unusableName(String)
    case notFound(String)
    case unreadable(file: String)
    case notAFile(file: String)
    case notTrusted(file: String, why: String)
    case tooLarge(file: String)
    case notText(file: String)
    case notTOML(file: String, line: Int)
    case unknownSetting(file: String, line: Int, name: String)
    case unknownRole(file: String, line: Int, role: String)
    case unknownColor(file: String, line: Int, role: String, value: String)
    case wrongValue(file: String, line: Int, role: String)
    case extendsTooDeep(file: String)

    package var message: String {
        switch self {
        case .unusableName(let name): "\"\(Self.quoted(name))\" is not the name of a theme"
        case .notFound(let name): "unknown theme \"\(Self.quoted(name))\""
        case .unreadable(let file): "\(Self.path(file)): cannot be read"
        case .notAFile(let file): "\(Self.path(file)): not a regular file"
        case .notTrusted(_, let why): SafeText.line(why, limit: 400)
        case .tooLarge(let file): "\(Self.path(file)): larger than 64 KiB"
        case .notText(let file): "\(Self.path(file)): not UTF-8 text"
        case .notTOML(let file, let line): "\(Self.path(file)):\(line): not TOML"
        case .unknownSetting(let file, let line, let name):
            "\(Self.path(file)):\(line): unknown setting \"\(Self.quoted(name))\""
        case .unknownRole(let file, let line, let role):
            "\(Self.path(file)):\(line): unknown role \"\(Self.quoted(role))\""
        case .unknownColor(let file, let line, let role, let value):
            "\(Self.path(file)):\(line): \(Self.quoted(role)): unknown color \"\(Self.quoted(value))\""
        case .wrongValue(let file, let line, let role):
            "\(Self.path(file)):\(line): \(Self.quoted(role)): wrong kind of value"
        case .extendsTooDeep(let file): "\(Self.path(file)): \"extends\" is circular or too deep"
        }
    }

    package var hint: String {
        switch self {
        case .unusableName: "use only letters, digits, \"-\" and \"_\""
        case .notFound: "the bundled themes are " + Theme.bundledNames.joined(separator: ", ")
        case .unreadable, .notAFile: "a theme must be a readable .toml file"
        case .notTrusted: "the theme and its folder must belong to you or root, and not be writable by others"
        case .tooLarge, .notText, .notTOML: "a theme is a short TOML file with [palette] and [roles]"
        case .unknownSetting:
            "allowed: extends, [palette] and [roles]; in a role fg, bg, bold, underline, reverse and dim"
        case .unknownRole: "the roles are " + Role.allCases.map(\.rawValue).joined(separator: ", ")
        case .unknownColor:
            "use default, a name such as bright-blue, a number from 0 to 255, #rrggbb, or a name from [palette]"
        case .wrongValue: "use { fg = \"blue\", bold = true }, or only a color"
        case .extendsTooDeep: "remove an \"extends\""
        }
    }

    private static func quoted(_ text: String) -> String { SafeText.line(text, limit: 32) }
    private static func path(_ text: String) -> String { SafeText.line(text, limit: 200) }
}
