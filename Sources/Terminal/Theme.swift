package struct Look: Hashable, Sendable {
    package var foreground: Color
    package var background: Color
    package var bold = false
    package var underline = false
    package var reverse = false
    package var dim = false
}

/// The appearance of each role. Roles that a theme omits look like its `text`, so a theme can be a single line.
package struct Theme: Equatable, Sendable {
    package let name: String
    private let looks: [RoleLook]

    private struct RoleLook: Equatable {
        let role: Role
        let look: Look
    }

    package static var bundledNames: [String] { ThemeFile.bundledNames }

    /// The appearance of a role; by default that of `text`, then the terminal's.
    package subscript(role: Role) -> Look {
        looks.first { $0.role == role }?.look ?? Look(foreground: .terminal, background: .terminal)
    }

    /// The appearance of a role on the selected row. If the theme sets the selection's background, colored text keeps
    /// its color; otherwise it looks like the selection, with the role's bold and underline.
    ///
    /// - Parameter canFill: whether the terminal can show that background.
    package func selected(_ role: Role, canFill: Bool) -> Look {
        let (look, ground, text) = (self[role], self[.selection], self[.text])
        var result =
            canFill || ground.reverse ? ground : Look(foreground: .terminal, background: .terminal, reverse: true)
        result.bold = result.bold || look.bold
        result.underline = result.underline || look.underline
        guard !result.reverse, look.foreground != text.foreground, look.background == text.background else {
            return result
        }
        result.foreground = look.foreground.onDarkGround
        return result
    }

    /// The theme with this name: from the first directory of `searchPath` with `name.toml`, or else the bundled one.
    ///
    /// - Parameter distrust: returns why a file at a path must not be used; nil if it may.
    package static func load(name: String, searchPath: [String] = [], distrust: (String) -> String? = { _ in nil })
        throws(ThemeError)
        -> Theme
    {
        let layers = try ThemeFile.layers(name: name, searchPath: searchPath, distrust: distrust)
        return Theme(name: name, layers: layers)
    }

    /// Attributes only, for `NO_COLOR`, `--no-color` and terminals without color.
    package static var monochrome: Theme { (try? load(name: "monochrome")) ?? Theme(name: "monochrome", layers: []) }

    /// - Parameter layers: from the base to the requested file.
    init(name: String, layers: [ThemeFile]) {
        self.name = name
        func change(_ role: Role) -> LookOverride? {
            let changes = layers.compactMap { layer in layer.roles.first { $0.role == role }?.change }
            return changes.isEmpty ? nil : changes.reduce(LookOverride()) { $0.changed(by: $1) }
        }
        let text = change(.text) ?? LookOverride()
        let ground = Look(foreground: text.foreground ?? .terminal, background: text.background ?? .terminal)
        looks = Role.allCases.map { RoleLook(role: $0, look: (change($0) ?? text).look(on: ground)) }
    }
}

/// A theme file's entry for a role, all parts optional.
struct LookOverride: Equatable, Sendable {
    var foreground: Color?
    var background: Color?
    var bold: Bool?
    var underline: Bool?
    var reverse: Bool?
    var dim: Bool?

    func changed(by other: LookOverride) -> LookOverride {
        LookOverride(
            foreground: other.foreground ?? foreground, background: other.background ?? background,
            bold: other.bold ?? bold,
            underline: other.underline ?? underline, reverse: other.reverse ?? reverse, dim: other.dim ?? dim)
    }

    func look(on ground: Look) -> Look {
        Look(
            foreground: foreground ?? ground.foreground, background: background ?? ground.background,
            bold: bold ?? false,
            underline: underline ?? false, reverse: reverse ?? false, dim: dim ?? false)
    }
}
