import CommandSupport
import Glibc
package import Identity
import Synchronization
import TokenCache

extension Setup {
    static let changed = Failure(
        .configuration, "files changed in the meantime; nothing done", hint: "run it again")

    /// Lets no other setup or undo of this user run; waits ten seconds for one.
    func turn() throws(Failure) -> FileLock {
        guard let turn = InterprocessLock.setup.take(environment, limit: .seconds(10)) else {
            throw Failure(.unavailable, "another foyer setup is running", hint: "wait for it to finish")
        }
        return turn
    }

    /// Applies a plan completely or not at all.
    ///
    /// - Parameters:
    ///   - wasShown: whether the user has agreed to exactly this change.
    ///   - again: computes the plan again while no other setup is running.
    /// - Returns: the applied plan; empty if another setup has already done it.
    /// - Throws: `configuration` or `storeError`, with nothing changed; `unavailable` while another setup is running.
    package func apply(_ shown: SetupPlan, wasShown: Bool, again: () throws(Failure) -> SetupPlan) throws(Failure)
        -> SetupPlan
    {
        let turn = try turn()
        defer { withExtendedLifetime(turn) {} }
        let plan = try again()
        if wasShown, !plan.isEmpty, !plan.isSameChange(as: shown) { throw Self.changed }
        let old = try SetupRecord.read(plan.program, environment)
        for change in old.changes { SetupFile.clearLeftovers(change.path) }
        var record = old
        for link in plan.links { record.add(.init(path: link.path, target: foyer, before: link.before)) }
        // Several programs can share a link: record it for each, so it remains until the last one is undone.
        for link in plan.sharedLinks where isSetUpByOther(link.path, than: plan.program) {
            record.add(.init(path: link.path, target: foyer, before: nil))
        }
        for file in plan.files { try record.add(file) }
        guard record != old || !plan.isEmpty else { return plan }
        let missing = missingFolders(plan)
        record.folders += missing.filter { !record.folders.contains($0) }
        // Written first, so changes interrupted by a power failure can be undone.
        try record.write(plan.program, environment)
        do throws(Failure) {
            try carryOut(plan, folders: missing)
        } catch {
            try? old.write(plan.program, environment)
            throw error
        }
        return plan
    }

    /// Delays terminating signals until all steps are done.
    func carryOut(_ plan: SetupPlan, folders: [String]) throws(Failure) {
        let received = Mutex<Int32?>(nil)
        let watch = Interrupt.watch { number in received.withLock { $0 = number } }
        defer {
            watch.cancel()
            if let number = received.withLock({ $0 }) { Interrupt.end(by: number) }
        }
        try carryOutSteps(plan, folders)
    }

    /// Undoes the completed steps if one fails.
    private func carryOutSteps(_ plan: SetupPlan, _ folders: [String]) throws(Failure) {
        let steps =
            folders.map(SetupStep.folder) + plan.links.map(SetupStep.link)
            + plan.files.map { SetupStep.file($0) }
        for (index, step) in steps.enumerated() {
            do throws(Failure) { try step.carryOut() } catch {
                var failure = error
                for done in steps[..<index].reversed() {
                    do throws(Failure) { try done.undo() } catch {
                        failure.message += "; and it could not be undone: " + error.message
                    }
                }
                throw failure
            }
        }
    }

    /// Missing parent folders of links and files, outer ones first.
    private func missingFolders(_ plan: SetupPlan) -> [String] {
        var missing: [String] = []
        for path in plan.links.map(\.path) + plan.files.map(\.path) {
            var folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
            var above: [String] = []
            while folder.count > 1, access(String(folder), F_OK) != 0 {
                above.append(String(folder))
                folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
            }
            missing += above.reversed().filter { !missing.contains($0) }
        }
        return missing
    }

    func isSetUpByOther(_ link: String, than program: SetupProgram) -> Bool {
        SetupProgram.allCases.contains { other in
            other != program
                && ((try? SetupRecord.read(other, environment))?.links.contains { $0.path == link } ?? false)
        }
    }
}
