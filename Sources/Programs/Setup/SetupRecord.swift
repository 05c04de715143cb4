import CommandSupport
import FoundationEssentials
import Identity
import StrictJSON
import TokenCache

/// Setup's changes for one program, kept for undo in foyer's state folder.
struct SetupRecord: JSONRecord, Hashable {
    struct Link: JSONRecord, Hashable {
        var path = ""
        var target = ""
        var before: String?

        mutating func describe(_ member: inout JSONMembers) {
            member("path", &path, .path)
            member("target", &target, .path)
            member("before", &before, .orNull(.text))
        }
    }

    /// One change of one file; changes of the same file are in order.
    struct Change: JSONRecord, Hashable {
        var path = ""
        var before: [UInt8]?
        /// Fingerprint of the contents that setup wrote.
        var after = ""
        var own: [String] = []

        var isRules: Bool { if case .rule? = own.first.map({ KubectlChange($0) }) { true } else { false } }

        mutating func describe(_ member: inout JSONMembers) {
            member("path", &path, .path)
            member("before", &before, .orNull(.content))
            member("after", &after, .text)
            member("own", &own, .all(.text, most: SetupRecord.mostItems * 4))
        }
    }

    var links: [Link] = []
    /// Folders that setup created, outer ones first.
    var folders: [String] = []
    var changes: [Change] = []

    var isEmpty: Bool { links.isEmpty && folders.isEmpty && changes.isEmpty }

    init() {}

    private static let mostItems = 64
    private static let maximumBytes = 8_388_608

    // MARK: The file

    private static func path(_ program: SetupProgram, _ environment: ProcessEnvironment) -> String {
        environment.stateFolder + "/setup-\(program.name).json"
    }

    private static func file(_ program: SetupProgram, _ environment: ProcessEnvironment) -> StateFile {
        StateFile(path: path(program, environment), maximumBytes: maximumBytes)
    }

    /// - Returns: an empty record if there is no file.
    /// - Throws: `storeError`; `invalidInput` for contents that setup did not write.
    static func read(_ program: SetupProgram, _ environment: ProcessEnvironment) throws(Failure) -> SetupRecord {
        let bytes: [UInt8]?
        do throws(StoreError) { bytes = try file(program, environment).read() } catch { throw Failure(error) }
        guard let bytes else { return SetupRecord() }
        guard let record = SetupRecord(bytes, of: program) else {
            throw Failure(
                .invalidInput, "\(path(program, environment)) is not a setup record",
                hint: "undo it manually, see \"foyer help programs\", then remove that file")
        }
        return record
    }

    /// Removes the file of an empty record. Throws `configuration` if the record would be unreadable, and keeps the old
    /// one.
    func write(_ program: SetupProgram, _ environment: ProcessEnvironment) throws(Failure) {
        let bytes = Array((json.serialized() + "\n").utf8)
        guard SetupRecord(bytes, of: program) == self else {
            throw Failure(
                .configuration, "nothing changed: this could not be undone later",
                hint: "set up fewer items, or undo with: foyer setup \(program.name) --undo")
        }
        let file = Self.file(program, environment)
        do throws(StoreError) {
            if isEmpty { try file.remove() } else { try file.change { _ in bytes } }
        } catch { throw Failure(error) }
    }

    // MARK: Its text

    private static let version: Int64 = 1

    mutating func describe(_ member: inout JSONMembers) {
        var version = Self.version
        member("version", &version, JSONForm.integer.map({ $0 == Self.version ? $0 : nil }, \.self))
        member("links", &links, .all(.record, most: Self.mostItems))
        member("folders", &folders, .all(.path, most: Self.mostItems))
        member("changes", &changes, .all(.record, most: Self.mostItems))
    }

    /// - Returns: nil unless setup wrote it: undo changes the files that are listed, so a damaged record is rejected
    ///   entirely.
    init?(_ bytes: [UInt8], of program: SetupProgram) {
        guard let value = try? JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: Self.maximumBytes)) else {
            return nil
        }
        self.init(value)
        let names = links.map { String($0.path.split(separator: "/").last ?? "") }
        guard names.allSatisfy(program.helperNames.contains) else { return nil }
    }

    // MARK: Adding to it

    /// Adds a change of a file, merged with setup's own last change so that the original contents are kept.
    mutating func add(_ change: SetupPlan.FileChange) throws(Failure) {
        guard let after = SetupFile.fingerprint(change.after) else { return }
        let earlier = changes.lastIndex { $0.path == change.path }
        if let earlier, changes[earlier].after == SetupFile.fingerprint(change.before) {
            let old = changes[earlier]
            changes[earlier] = Change(
                path: old.path, before: old.before, after: after,
                own: old.own + change.own.filter { !old.own.contains($0) })
        } else {
            changes.append(Change(path: change.path, before: change.before, after: after, own: change.own))
        }
        guard changes.count <= Self.mostItems else {
            throw Failure(
                .configuration, "\(change.path) was changed too often to undo",
                hint: "run --undo first")
        }
    }

    mutating func add(_ link: Link) {
        let earlier = links.firstIndex { $0.path == link.path }
        if let earlier {
            links[earlier] = Link(path: link.path, target: link.target, before: links[earlier].before)
        } else {
            links.append(link)
        }
    }
}

extension JSONForm where Value == String {
    /// An absolute path without `..` or NUL.
    fileprivate static var path: Self {
        text(longest: 4096).map(
            { path in
                let isGood = path.hasPrefix("/") && !path.utf8.contains(0) && !path.split(separator: "/").contains("..")
                return isGood ? path : nil
            }, \.self)
    }
}

extension JSONForm where Value == [UInt8] {
    fileprivate static var content: Self {
        JSONForm<String>.text.map(
            { text in
                Data(base64Encoded: text).flatMap { $0.count <= SetupFile.longest ? Array($0) : nil }
            }, { Data($0).base64EncodedString() })
    }
}
