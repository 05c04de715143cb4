import CommandSupport
package import StrictJSON

/// What a setup, or its undoing, would change: nothing has been changed yet.
package struct SetupPlan: Hashable, Sendable {
    struct LinkChange: Hashable {
        let path: String
        /// What the link says before and after; nil for no link.
        let before: String?
        let after: String?
    }

    struct FileChange: Hashable {
        let path: String
        /// Nil for no file.
        let before: [UInt8]?
        let after: [UInt8]?
        /// What of it is setup's, by names that its program knows.
        let own: [String]
        /// How it is shown.
        let lines: [String]
        /// Whether it is locked as its program does it.
        var isLocked = true
    }

    package let program: SetupProgram
    var links: [LinkChange] = []
    var files: [FileChange] = []
    /// Links that are there already and are called by this program, too.
    var sharedLinks: [HelperLink] = []
    /// The same by hand.
    var commands: [String] = []
    /// What will not work as it is.
    package var warnings: [String] = []
    /// What else there is to do or to know.
    package var notes: [String] = []

    package var isEmpty: Bool { links.isEmpty && files.isEmpty }

    /// Whether a change is the same, whatever is said about it.
    package func isSameChange(as other: SetupPlan) -> Bool { links == other.links && files == other.files }

    /// The exact change.
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
