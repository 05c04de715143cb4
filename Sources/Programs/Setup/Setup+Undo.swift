import CommandSupport
import Glibc
package import Identity
import StrictJSON
import TokenCache

extension Setup {
    /// The changes that undo a setup; empty without a record.
    ///
    /// - Throws: `configuration` if the same lines were changed since. Nothing is undone then: the program would keep
    ///   calling a helper that no longer exists.
    package func undoPlan(_ program: SetupProgram) throws(Failure) -> SetupPlan {
        let record = try SetupRecord.read(program, environment)
        var plan = SetupPlan(program: program)
        for link in record.links where !isSetUpByOther(link.path, than: program) {
            let now = linkTarget(link.path)
            if now == link.target {
                plan.links.append(.init(path: link.path, before: now, after: link.before))
            } else if now != nil || access(link.path, F_OK) == 0 {
                plan.notes.append("\(link.path) now belongs to another program, kept")
            }
        }
        var paths: [String] = []
        for change in record.changes where !paths.contains(change.path) { paths.append(change.path) }
        for path in paths {
            let now = try SetupFile(at: path)
            let after = try before(record.changes.filter { $0.path == path }, of: now, program)
            guard after != now.bytes else { continue }
            let isRules = record.changes.first { $0.path == path }?.isRules == true
            plan.files.append(
                .init(
                    now, to: after, own: [], known: knownLines(record, program),
                    isLocked: program != .docker && !isRules))
        }
        return plan
    }

    package func isRecorded(_ program: SetupProgram) throws(Failure) -> Bool {
        !(try SetupRecord.read(program, environment)).isEmpty
    }

    /// Undoes a setup completely or not at all. Returns the undone changes.
    package func undo(_ shown: SetupPlan, wasShown: Bool) throws(Failure) -> SetupPlan {
        let turn = try turn()
        defer { withExtendedLifetime(turn) {} }
        let record = try SetupRecord.read(shown.program, environment)
        let plan = try undoPlan(shown.program)
        if wasShown, !plan.isSameChange(as: shown) { throw Self.changed }
        try carryOut(plan, folders: [])
        for change in record.changes { SetupFile.clearLeftovers(change.path) }
        // Folders that are not empty remain.
        for folder in record.folders.reversed() { rmdir(folder) }
        try SetupRecord().write(shown.program, environment)
        try leave(record.folders.filter { access($0, F_OK) == 0 }, of: shown.program)
        return plan
    }

    /// Passes folders that hold another program's links on to its record; the last undo removes them.
    private func leave(_ folders: [String], of program: SetupProgram) throws(Failure) {
        guard !folders.isEmpty else { return }
        for other in SetupProgram.allCases where other != program {
            guard var record = try? SetupRecord.read(other, environment), !record.isEmpty else { continue }
            record.folders = folders.filter { !record.folders.contains($0) } + record.folders
            return try record.write(other, environment)
        }
    }

    /// The text before changes of one file; the last change is undone first.
    private func before(_ changes: [SetupRecord.Change], of file: SetupFile, _ program: SetupProgram) throws(Failure)
        -> [UInt8]?
    {
        var text = file.bytes
        for change in changes.reversed() {
            guard let now = text else { return nil }
            if SetupFile.fingerprint(now) == change.after {
                text = change.before
            } else if now != change.before {
                do throws(Failure) { text = try without(change.own, now, file.path, program) } catch {
                    throw Failure(
                        .configuration, "\(file.path) changed since: \(error.message); nothing undone",
                        hint: .text(byHand(change.own, file.path, program)))
                }
                // Setup created this file and only white space is left: remove it.
                if change.before == nil, let text, text.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) {
                    return nil
                }
            }
        }
        return text
    }

    /// The text without setup's own lines, after other changes to the file.
    private func without(_ own: [String], _ bytes: [UInt8], _ path: String, _ program: SetupProgram) throws(Failure)
        -> [UInt8]?
    {
        switch program {
        case .git:
            guard let git = GitConfiguration(environment) else { throw Self.isMissing("git") }
            return try git.removed(own, from: bytes)
        case .docker: return try DockerConfiguration.removed(own, from: bytes, path: path)
        case .kubectl:
            let changes = own.map { KubectlChange($0) }
            if case .rule? = changes.first { return try SettingsFile(path).removing(rules: own, from: bytes) }
            guard let kubeconfig = Kubeconfig(environment) else { throw Self.isMissing("kubectl") }
            return try kubeconfig.without(changes, from: bytes)
        case .az, .pip, .uv: return bytes
        }
    }

    private func byHand(_ own: [String], _ path: String, _ program: SetupProgram) -> String {
        let todo =
            switch program {
            case .git: own.map(GitConfiguration.undoCommand)
            case .docker:
                own.filter { $0 != DockerConfiguration.sectionMark }.map { "\"\($0)\" from credHelpers in \(path)" }
            case .kubectl: own.map { KubectlChange($0).undoCommand(in: path) }
            case .az, .pip, .uv: [path]
            }
        return "remove this yourself, then run the command again: " + todo.joined(separator: ", ")
    }

    private func knownLines(_ record: SetupRecord, _ program: SetupProgram) -> [String] {
        let own = record.changes.flatMap(\.own)
        return switch program {
        case .git: GitConfiguration.lines
        case .docker: ["{", "}", "\"credHelpers\": {"] + own.map { "\"\($0)\": \"foyer\"" }
        case .kubectl: own.flatMap { KubectlChange($0).lines }
        case .az, .pip, .uv: []
        }
    }
}
