import Foundation
import Identity
import StrictJSON
import Testing
import Waiting

@testable import TokenCache

/// The small lists that several processes change.
@Suite struct StateListTests {
    private struct Entry: JSONRecord, StateEntry {
        var name = ""
        var note: String?
        var at = Date()

        mutating func describe(_ member: inout JSONMembers) {
            member("name", &name, .text(longest: 8))
            member("note", &note, .text)
            member("at", &at, .time)
        }

        func holds(at now: Date) -> Bool { at.isWithin(60, before: now) }
    }

    /// A list of three entries and 300 bytes.
    private final class Place {
        let path = FileManager.default.temporaryDirectory.path + "/list-\(UUID().uuidString)/state/list.json"
        let now = Date(timeIntervalSince1970: 1_800_000_000)

        deinit {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().deletingLastPathComponent()
            try? FileManager.default.removeItem(at: folder)
        }

        func list(version: Int64? = 1, isNewestFirst: Bool = false, isByName: Bool = false) -> StateList<Entry> {
            let format = ListFormat<Entry>(
                "entries", version: version, maximumBytes: 300, most: 3, isNewestFirst: isNewestFirst,
                isByName: isByName)
            return StateList(path: path, format, lockWait: Waiting.end)
        }

        func add(_ name: String, note: String? = nil, after seconds: TimeInterval = 0) throws {
            let at = now + seconds
            try list().change(at: at) { $0.append(Entry(name: name, note: note, at: at)) }
        }

        func write(_ text: String) throws {
            try list().change(at: now) { $0 = [Entry(name: "x", at: now)] }
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }

        func names(after seconds: TimeInterval = 0) -> [String] { list().read(at: now + seconds).map(\.name) }

        var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    }

    @Test func `What was written is read again, by its owner alone`() throws {
        let place = Place()
        #expect(place.names().isEmpty)
        try place.add("a", note: "b")
        try place.add("b")
        #expect(place.list().read(at: place.now).map(\.note) == ["b", nil])
        let entries = #"[{"name":"a","note":"b","at":1800000000},{"name":"b","at":1800000000}]"#
        #expect(place.text == #"{"version":1,"entries":\#(entries)}"# + "\n")
        let attributes = try FileManager.default.attributesOfItem(atPath: place.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `Of too many entries the newest are kept, on either side`() throws {
        let place = Place()
        for name in ["a", "b", "c", "d"] { try place.add(name) }
        #expect(place.names() == ["b", "c", "d"])
        let list = place.list(isNewestFirst: true)
        try list.change(at: place.now) { $0.insert(Entry(name: "e", at: place.now), at: 0) }
        #expect(place.names() == ["e", "b", "c"])
        let many = ["1", "2", "3", "4"].map { #"{"name":"\#($0)","at":1800000000}"# }.joined(separator: ",")
        try place.write(#"{"version":1,"entries":[\#(many)]}"#)
        #expect(place.names() == ["2", "3", "4"] && list.read(at: place.now).map(\.name) == ["1", "2", "3"])
    }

    @Test func `A text that would be too long is not written, and what was there stays`() throws {
        let place = Place()
        try place.add("a")
        #expect { try place.add("b", note: String(repeating: "x", count: 300)) } throws: { error in
            if case .tooLarge = (error as? StoreError)?.situation { true } else { false }
        }
        #expect(place.names() == ["a"])
    }

    @Test func `Entries that have had their time, or are still to come, are neither read nor written again`() throws {
        let place = Place()
        try place.add("old")
        try place.add("new", after: 30)
        #expect(place.names(after: 30) == ["old", "new"] && place.names(after: 60) == ["new"])
        #expect(place.names(after: 29) == ["old", "new"] && place.names(after: 28) == ["old"])
        try place.add("newer", after: 60)
        #expect(!place.text.contains("old") && place.names(after: 60) == ["new", "newer"])
    }

    @Test(arguments: [
        "", "{", "[]", "7", #"{"entries":[{"name":"a","at":1800000000}]}"#,
        #"{"version":2,"entries":[{"name":"a","at":1800000000}]}"#, #"{"version":1,"entries":7}"#, #"{"version":1}"#,
        #"{"version":1,"entries":[null,7,{},{"name":7,"at":1800000000},{"name":"a"},{"name":"a","at":"x"}]}"#,
        #"{"version":1,"entries":[{"name":"a","at":-1},{"name":"a","at":253402300800}]}"#,
        #"{"version":1,"entries":[{"name":"too long a name","at":1800000000}]}"#,
        #"{"version":1,"entries":[{"name":"a","at":1800000000}]}"# + String(repeating: " ", count: 300),
        String(repeating: "[", count: 299),
    ])
    func `What this program has not written counts as nothing, and the next change takes its place`(text: String)
        throws
    {
        let place = Place()
        try place.write(text)
        #expect(place.names().isEmpty)
        try place.list().change(at: place.now) { _ in }
        #expect(place.text == text)
        try place.add("b")
        #expect(place.names() == ["b"])
    }

    @Test func `A list that cannot be read is not empty: nothing is written, and the reason is told`() throws {
        let place = Place()
        try place.add("a")
        let aside = place.path + ".kept"
        try FileManager.default.moveItem(atPath: place.path, toPath: aside)
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
        #expect(throws: StoreError.self) { try place.add("b") }
        try FileManager.default.removeItem(atPath: place.path)
        // A link to itself is ELOOP, as another failing call would be EIO or EMFILE.
        try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: place.path)
        #expect(throws: StoreError.self) { try place.add("b") }
        try FileManager.default.removeItem(atPath: place.path)
        try FileManager.default.moveItem(atPath: aside, toPath: place.path)
        try place.add("b")
        #expect(place.names() == ["a", "b"])
    }

    @Test func `A member that this version does not know, and one of another form that may be missing, do no harm`()
        throws
    {
        let place = Place()
        try place.write(#"{"new":[],"version":1,"entries":[{"name":"a","note":7,"at":1800000000,"new":{"x":[1]}}]}"#)
        #expect(place.list().read(at: place.now) == [Entry(name: "a", at: place.now)])
    }

    @Test func `A list by name and without a version is an object`() throws {
        struct Count: JSONRecord, StateEntry {
            var name = ""
            var count = 0

            mutating func describe(_ member: inout JSONMembers) {
                member("name", &name, .text)
                member("value", &count, .integer)
            }
        }
        let place = Place()
        for (name, text) in [(nil, #"{"a":1,"b":2}"#), ("counts", #"{"counts":{"a":1,"b":2}}"#)] {
            let list = StateList(
                path: place.path,
                ListFormat<Count>(name, version: nil, maximumBytes: 300, most: 3, isByName: true))
            try list.change { $0 = [Count(name: "a", count: 1), Count(name: "b", count: 2)] }
            #expect(place.text == text + "\n" && list.read().map(\.count) == [1, 2])
        }
    }

    @Test func `A link in its place that anybody could set is refused, and a full list is not lost by it`() throws {
        let place = Place()
        try place.add("a")
        let other = place.path + ".other"
        try FileManager.default.moveItem(atPath: place.path, toPath: other)
        mkfifo(place.path, 0o600)
        #expect(place.names().isEmpty)
        remove(place.path)
        chmod(other, 0o666)
        try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: other)
        #expect(place.names().isEmpty)
    }

    @Test func `Of several that change it at once none loses what another has written`() async throws {
        let path = Place().path
        defer { try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: path + "/../..").path) }
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let format = ListFormat<Entry>("entries", maximumBytes: 65_536, most: 100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<10 {
                        try StateList(path: path, format, lockWait: Waiting.end).change(at: now) {
                            $0.append(Entry(name: "\(writer).\(number)", at: now))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let read = StateList(path: path, format).read(at: now).map(\.name)
        #expect(Set(read).count == 80 && read.count == 80)
        for writer in 0..<8 {
            #expect(read.filter { $0.hasPrefix("\(writer).") } == (0..<10).map { "\(writer).\($0)" })
        }
    }
}
