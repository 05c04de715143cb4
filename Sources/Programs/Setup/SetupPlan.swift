import CommandSupport
package import StrictJSON

package struct SetupPlan: Hashable, Sendable {
    struct LinkChange: Hashable {
        let path: String
        /// Link targets; nil for no link.
        let before: String?
        let after: String?
    }

    struct FileChange: Hashable {
        let path: String
        /// Nil for no file.
        let before: [UInt8]?
        let after: [UInt8]?
        /// Setup's own parts, as named for its program.
        let own: [String]
        let lines: [String]
        /// Whether it is locked the way its program does.
        var isLocked = true
    }

    package let program: SetupProgram
    var links: [LinkChange] = []
    var files: [FileChange] = []
    /// Existing links that this program also calls.
    var sharedLinks: [HelperLink] = []
    /// Equivalent commands.
    var commands: [String] = []
    /// Things that will not work without a fix.
    package var warnings: [String] = []
    package var notes: [String] = []

    package var isEmpty: Bool { links.isEmpty && files.isEmpty }

    /// Ignores warnings, notes and commands.
    package func isSameChange(as other: SetupPlan) -> Bool { links == other.links && files == other.files }

    package var lines: [String] {
        links.map { link in
            switch (link.before, link.after) {
            case (nil, let after?): "link    \(link.path) -> \(after)"
            case (let before?, let after?): "link    \(link.path) -> \(after), instead of \(before)"
            case (_, nil): "unlink  \(link.path)"
            }
        }
            + files.flatMap { file in
                let word = file.before == nil ? "create  " : file.after == nil ? "remove  " : "change  "
                return [word + file.path] + file.lines.map { "  " + $0 }
            } + commands.map { "as by   \($0)" }
    }

    package var json: JSONValue {
        .array(
            links.map { link in
                JSONValue(
                    ("kind", "link".json), ("path", link.path.json), ("before", link.before.json),
                    ("after", link.after.json))
            }
                + files.map { file in
                    JSONValue(
                        ("kind", "file".json), ("path", file.path.json), ("existed", .bool(file.before != nil)),
                        ("remains", .bool(file.after != nil)), ("lines", .array(file.lines.map(\.json))))
                })
    }
}

extension SetupPlan.FileChange {
    /// - Parameter known: see ``ChangedLines``.
    init(_ file: SetupFile, to after: [UInt8]?, own: [String], known: [String], isLocked: Bool = true) {
        self.init(
            path: file.path, before: file.bytes, after: after, own: own,
            lines: ChangedLines.of(file.bytes, after, known: known), isLocked: isLocked)
    }
}
