import Programs

/// The table of ``IdentitySource`` in the reference.
enum IdentitySourceTable {
    static var markdown: String {
        let parts = IdentitySource.Program.allCases.map { program in
            "### \(program.rawValue)\n\n| variable or file | in the command | why | source |\n|---|---|---|---|\n"
                + IdentitySource.all.filter { $0.program == program }.map(row).joined()
        }
        var references: [IdentitySource.Reference] = []
        for source in IdentitySource.all {
            if let reference = source.reference, !references.contains(reference) { references.append(reference) }
        }
        let list = references.map {
            "- \($0.title)\($0.date.map { ", read on \($0)" } ?? ", not read for this table"): <\($0.url)>\n"
        }
        return parts.joined(separator: "\n") + "\n### Sources\n\n" + list.joined()
    }

    private static func row(_ source: IdentitySource) -> String {
        let names = source.names.map { "`\($0)`" }.joined(separator: ", ")
        let condition = source.identity?.option.map { " with \($0)" } ?? ""
        let title = source.reference?.title ?? "<doc:Settings>"
        return "| \(names) | \(source.deed.words)\(condition) | \(source.reason) | \(title) |\n"
    }
}

extension IdentitySource.Deed {
    fileprivate var words: String {
        switch self {
        case .set: "set"
        case .setIfUnset: "set, unless the shell has"
        case .setByOption: "set or removed"
        case .removed: "removed"
        case .replaced(let name): "`\(name)` instead"
        case .kept: "kept"
        }
    }
}
