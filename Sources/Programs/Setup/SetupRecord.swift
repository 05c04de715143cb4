import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import SilentFirst
import StrictJSON
import TokenCache

/// What setup has changed for one program, so that it can be taken back: a file in foyer's state folder.
struct SetupRecord: Hashable {
    struct Link: Hashable {
        let path: String
        let target: String
        /// What a link of foyer's said there before.
        let before: String?
    }

    /// One change of one file; those of the same file in their order.
    struct Change: Hashable {
        let path: String
        let before: [UInt8]?
        /// The fingerprint of what setup has written.
        let after: String
        let own: [String]

        /// Whether the file is the settings.
        var isRules: Bool { if case .rule? = own.first.map({ KubectlChange($0) }) { true } else { false } }
    }

    var links: [Link] = []
    /// Those that setup has made, outer ones first.
    var folders: [String] = []
    var changes: [Change] = []

    var isEmpty: Bool { links.isEmpty && folders.isEmpty && changes.isEmpty }

    private static let mostItems = 64
    private static let maximumBytes = 8_388_608

    // MARK: The file

    private static func path(_ program: SetupProgram, _ environment: ProcessEnvironment) -> String {
        environment.stateFolder + "/setup-\(program.name).json"
    }

    private static func file(_ program: SetupProgram, _ environment: ProcessEnvironment) -> StateFile {
        StateFile(path: path(program, environment), maximumBytes: maximumBytes)
    }

    /// - Returns: an empty one where there is no file.
    /// - Throws: `storeError`, `invalidInput` for a text that setup has not written.
    static func read(_ program: SetupProgram, _ environment: ProcessEnvironment) throws(Failure) -> SetupRecord {
        let bytes: [UInt8]?
        do throws(StoreError) { bytes = try file(program, environment).read() } catch { throw Failure(error) }
        guard let bytes else { return SetupRecord() }
        guard let record = SetupRecord(bytes, of: program) else {
            throw Failure(
                .invalidInput, "\(path(program, environment)) is no record of a setup",
                hint: "take the setup back by hand, as \"foyer help programs\" shows it, and remove that file")
        }
        return record
    }

    /// An empty one is removed.
    ///
    /// - Throws: `configuration` for one that could not be read again, `storeError`; the one before it stays then.
    func write(_ program: SetupProgram, _ environment: ProcessEnvironment) throws(Failure) {
        let bytes = Array((json.serialized() + "\n").utf8)
        guard SetupRecord(bytes, of: program) == self else {
            throw Failure(
                .configuration, "this could not be taken back, so that nothing was changed",
                hint: "set up less at once, or take back what there is with: foyer setup \(program.name) --undo")
        }
        let file = Self.file(program, environment)
        do throws(StoreError) {
            if isEmpty { try file.remove() } else { try file.change { _ in bytes } }
        } catch { throw Failure(error) }
    }

    // MARK: Its text

    private var json: JSONValue {
        JSONValue(
            ("version", JSONValue(integer: 1)),
            (
                "links",
                .array(
                    links.map {
                        JSONValue(("path", $0.path.json), ("target", $0.target.json), ("before", $0.before.json))
                    })
            ), ("folders", .array(folders.map(\.json))),
            (
                "changes",
                .array(
                    changes.map {
                        JSONValue(
                            ("path", $0.path.json), ("before", $0.before.map { Data($0).base64EncodedString() }.json),
                            ("after", $0.after.json), ("own", .array($0.own.map(\.json))))
                    })
            ))
    }

    /// - Returns: nil for what setup does not write: it is believed that these files are to be changed, so that nothing
    ///   of a damaged record is.
    init?(_ bytes: [UInt8], of program: SetupProgram) {
        guard let value = try? JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: Self.maximumBytes)),
            value["version"]?.integer == 1, let links = value["links"]?.array, let folders = value["folders"]?.array,
            let changes = value["changes"]?.array,
            max(links.count, folders.count, changes.count) <= Self.mostItems
        else { return nil }
        for link in links {
            guard let path = Self.path(link["path"]), let target = Self.path(link["target"]),
                let name = path.split(separator: "/").last, program.helperNames.contains(String(name)),
                let before = Self.optional(link["before"])
            else { return nil }
            self.links.append(Link(path: path, target: target, before: before))
        }
        for folder in folders {
            guard let path = Self.path(folder) else { return nil }
            self.folders.append(path)
        }
        for change in changes {
            guard let path = Self.path(change["path"]), let before = Self.optional(change["before"]),
                let after = change["after"]?.string, let own = change["own"]?.array, own.count <= Self.mostItems * 4
            else { return nil }
            let data = before.map { Data(base64Encoded: $0) }
            if case .some(nil) = data { return nil }
            let names = own.compactMap(\.string)
            guard names.count == own.count, data.map({ ($0?.count ?? 0) <= SetupFile.longest }) ?? true else {
                return nil
            }
            self.changes.append(Change(path: path, before: data?.map { Array($0) }, after: after, own: names))
        }
    }

    init() {}

    /// Absolute, without what would lead elsewhere.
    private static func path(_ value: JSONValue?) -> String? {
        guard let path = value?.string, path.hasPrefix("/"), path.utf8.count <= 4096, !path.utf8.contains(0),
            !path.split(separator: "/").contains("..")
        else { return nil }
        return path
    }

    /// A text or null; the outer nil for anything else.
    private static func optional(_ value: JSONValue?) -> String?? {
        switch value {
        case .string(let text): .some(text)
        case .null: .some(nil)
        default: nil
        }
    }

    // MARK: Adding to it

    /// Notes a change of a file. What setup itself wrote last is not kept: what was before it is.
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
                .configuration, "\(change.path) was changed too often to be taken back",
                hint: "take back what there is first, with --undo")
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
