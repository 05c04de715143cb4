import Foundation
import Identity
import StrictJSON
import Testing

@testable import CommandSupport
@testable import Programs

@Suite struct SetupTests {
    private static func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    // MARK: docker

    @Test(arguments: [
        (#"{}"#, "{\n    \"credHelpers\": {\n        \"a.example\": \"foyer\"\n    }\n}"),
        (#"{"x":1}"#, #"{"x":1,"credHelpers":{"a.example":"foyer"}}"#),
        (
            "{\r\n  \"auths\" : { \"q\":{}  },\r\n  \"x\" : 1.50e0 }\n\n",
            "{\r\n  \"auths\" : { \"q\":{}  },\r\n  \"x\" : 1.50e0,\n  \"credHelpers\" : "
                + "{\n    \"a.example\" : \"foyer\"\n  } }\n\n"
        ),
        (
            "{ \"credHelpers\": { \"b\": \"other\" } , \"é\": \"\\u00e9\" }",
            "{ \"credHelpers\": { \"b\": \"other\", \"a.example\": \"foyer\" } , \"é\": \"\\u00e9\" }"
        ),
        ("{\"credHelpers\":{}}", "{\"credHelpers\":{\"a.example\":\"foyer\"}}"),
    ])
    func `A registry is put into the text, and every other byte stays`(before: String, after: String) throws {
        let change = try #require(
            try DockerConfiguration.added(["a.example"], to: Array(before.utf8), path: "/c.json"))
        #expect(Self.text(change.bytes) == after)
        let helpers = try JSONValue(parsing: change.bytes)["credHelpers"]
        #expect(helpers?["a.example"]?.string == "foyer")
        #expect(try DockerConfiguration.added(["a.example"], to: change.bytes, path: "/c.json") == nil)
        let back = try JSONValue(
            parsing: DockerConfiguration.removed(change.own, from: change.bytes, path: "/c.json"))
        #expect(try back == JSONValue(parsing: Array(before.utf8)))
    }

    @Test(arguments: [
        "", "[]", "{", #"{"a":1,}"#, #"{"a":1} x"#, #"{"a":1,"a":2}"#, #"{"credHelpers":[]}"#, "\u{FEFF}{}",
        #"{"credHelpers":{"a.example":"other"}}"#, #"{"credHelpers":{"a.example":"x","a.example":"foyer"}}"#,
        #"{"credHelpers":{"a.example":null}}"#, "{\"a\":\"\u{1}\"}", "// c\n{}",
        String(repeating: #"{"a":"#, count: 100) + "1" + String(repeating: "}", count: 100),
    ])
    func `A text that is no such configuration, or says otherwise, is not changed`(text: String) {
        #expect(throws: Failure.self) {
            _ = try DockerConfiguration.added(["a.example"], to: Array(text.utf8), path: "/c.json")
        }
    }

    @Test func `What somebody else has written since stays when a setup is taken back`() throws {
        let text = #"{"credHelpers":{"a.example":"foyer","b.example":"foyer","c.example":"x"},"new":[1]}"#
        let own = ["a.example", "c.example", DockerConfiguration.sectionMark]
        let back = try DockerConfiguration.removed(own, from: Array(text.utf8), path: "/c.json")
        #expect(Self.text(back) == #"{"credHelpers":{"b.example":"foyer","c.example":"x"},"new":[1]}"#)
    }

    // MARK: What is shown

    @Test func `A line of others is shown without what it says`() {
        let before = "user:\n  token: sekret\n\tpassword = sekret\n{\"auth\": \"sekret\"}\n# sekret\nsekret\n"
        let lines = ChangedLines.of(Array(before.utf8), Array("helper = foyer\n".utf8), known: ["helper = foyer"])
        #expect(lines.contains("+helper = foyer") && lines.contains("-  token: …"))
        #expect(!lines.joined().contains("sekret") && lines.count == 7)
        let line = #"{"auths":{"a":"sekret"},"credHelpers":{"a.example":"foyer"}}"#
        let known = [#""credHelpers":{"a.example":"foyer"}"#]
        #expect(ChangedLines.of([], Array(line.utf8), known: known) == ["+… \(known[0]) …"])
        let many = Array(repeating: "x: sekret\n", count: 5000).joined()
        #expect(ChangedLines.of(nil, Array(many.utf8), known: []).count < 300)
    }

    @Test(arguments: [
        ("    token: sekret", "    token: …"), ("- name: sekret", "- name: …"), ("users:", "users: …"),
        ("  \"auth\": \"sekret\",", "  \"auth\": …"), ("\thelper = sekret", "    helper = …"),
        // A line of a key, or of anything else over several lines.
        ("  c2Vr=", "  …"), ("  c2Vr==", "  …"), ("token=", "…"), ("user==", "…"), ("sekret: x", "…"), ("a:b", "…"),
        ("token:sekret", "…"), ("password=sekret", "…"), ("# token: sekret", "…"), ("sekret:", "…"), (": x", "…"),
        ("- - name: sekret", "…"), ("- {name: sekret}", "…"), ("token sekret: x", "…"), ("-----BEGIN sekret-----", "…"),
    ])
    func `Of a line of others there is a known name at most`(line: String, shown: String) {
        #expect(ChangedLines.of([], Array(line.utf8), known: ["helper = foyer"]) == ["+" + shown])
    }

    // MARK: The record

    private static let change = SetupPlan.FileChange(
        path: "/h/.gitconfig", before: Array("a\n".utf8), after: Array("a\nb\n".utf8), own: ["b"], lines: [])

    private static func world(_ body: (ProcessEnvironment) throws -> Void) throws {
        let home = NSTemporaryDirectory() + "setup-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: home) }
        try body(ProcessEnvironment(workingFolder: "/") { $0 == "HOME" ? home : nil })
    }

    @Test func `A record says after it was written what it said before`() throws {
        try Self.world { environment in
            var record = SetupRecord()
            try record.add(Self.change)
            record.add(.init(path: "/h/bin/git-credential-foyer", target: "/usr/bin/foyer", before: "/old/foyer"))
            record.folders = ["/h/bin"]
            try record.write(.git, environment)
            #expect(try SetupRecord.read(.git, environment) == record)
            #expect(try SetupRecord.read(.docker, environment).isEmpty)
            let path = environment.stateFolder + "/setup-git.json"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try SetupRecord().write(.git, environment)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `A record that could not be read again is not written`() throws {
        try Self.world { environment in
            var record = SetupRecord()
            try record.add(Self.change)
            try record.write(.git, environment)
            let (good, many) = (record, (0..<300).map { "\($0)" })
            let bad: [SetupPlan.FileChange] = [
                .init(path: "/h/../.gitconfig", before: nil, after: [1], own: [], lines: []),
                .init(path: "h/.gitconfig", before: nil, after: [1], own: [], lines: []),
                .init(path: "/h", before: nil, after: [1], own: many, lines: []),
                .init(path: "/" + String(repeating: "x", count: 5000), before: nil, after: [1], own: [], lines: []),
            ]
            for change in bad {
                record = good
                try record.add(change)
                #expect { try record.write(.git, environment) } throws: { ($0 as? Failure)?.code == .configuration }
                #expect(try SetupRecord.read(.git, environment) == good)
            }
        }
    }

    @Test func `A file's path is told without links, also where its folders are not there yet`() throws {
        try Self.world { environment in
            let files = FileManager.default
            let home = environment.home
            try files.createDirectory(atPath: home + "/real/inner", withIntermediateDirectories: true)
            _ = files.createFile(atPath: home + "/real/file", contents: Data("x".utf8))
            try files.createSymbolicLink(atPath: home + "/link", withDestinationPath: "real/inner")
            let real = try SetupFile(at: home + "/real/file").path.dropLast("/file".count)
            for (name, path) in [
                ("/link/new/file", "/inner/new/file"), ("/link/../new", "/new"), ("/real/./a/.././new/b", "/new/b"),
                ("/gone/../real//new", "/new"), ("/link/a/../../b/c", "/b/c"),
            ] {
                let file = try SetupFile(at: home + name)
                #expect(file.path == real + path && file.bytes == nil)
            }
            #expect(try SetupFile(at: home + "/gone/../link/../file").bytes == Array("x".utf8))
        }
    }

    @Test func `Two changes in a row are one, and one in between keeps them apart`() throws {
        var record = SetupRecord()
        try record.add(Self.change)
        try record.add(
            .init(path: Self.change.path, before: Self.change.after, after: [1], own: ["c"], lines: []))
        #expect(record.changes.count == 1 && record.changes[0].own == ["b", "c"])
        #expect(record.changes[0].before == Self.change.before)
        try record.add(.init(path: Self.change.path, before: [2], after: [3], own: ["d"], lines: []))
        #expect(record.changes.count == 2 && record.changes[1].before == [2])
    }

    private static let link = #"{"path":"/h/git-credential-foyer","target":"/b/foyer","before":null}"#
    private static let good = #"{"version":1,"links":[\#(link)],"folders":["/h"],"changes":[]}"#

    @Test(arguments: [
        "", "[]", "{}", good.replacingOccurrences(of: "1,", with: "2,"),
        good.replacingOccurrences(of: "git-credential-foyer", with: "ls"),
        good.replacingOccurrences(of: "/h/git", with: "h/git"),
        good.replacingOccurrences(of: "/h/git", with: "/h/../git"),
        good.replacingOccurrences(of: "\"/h\"", with: "null"),
        good.replacingOccurrences(of: "\"/h\"", with: "\"/a/../..\""),
        good.replacingOccurrences(of: ",\"before\":null", with: ""),
        good.replacingOccurrences(of: "[\(link)]", with: "{}"),
        good.replacingOccurrences(
            of: "[\(link)]", with: "[\(Array(repeating: link, count: 100).joined(separator: ","))]"),
        good.replacingOccurrences(
            of: "\"changes\":[]", with: #""changes":[{"path":"/h","before":"!!","after":"x","own":[]}]"#),
        good.replacingOccurrences(
            of: "\"changes\":[]", with: #""changes":[{"path":"/h","before":null,"after":"x","own":[1]}]"#),
        good.replacingOccurrences(
            of: "\"changes\":[]", with: #""changes":[{"path":"/h","before":null,"own":[]}]"#),
    ])
    func `A record that setup has not written is refused as a whole`(text: String) {
        #expect(SetupRecord(Array(Self.good.utf8), of: .git) != nil)
        #expect(SetupRecord(Array(text.utf8), of: .git) == nil)
        #expect(SetupRecord(Array(Self.good.utf8), of: .docker) == nil)
    }

    // MARK: Links

    @Test func `Nothing but a link to a foyer is taken for one`() throws {
        try Self.world { environment in
            let files = FileManager.default
            let folder = environment.home
            for name in ["foyer", "other", "plain"] {
                _ = files.createFile(atPath: "\(folder)/\(name)", contents: Data())
            }
            try files.createDirectory(atPath: folder + "/old", withIntermediateDirectories: false)
            _ = files.createFile(atPath: folder + "/old/foyer", contents: Data())
            let targets = [
                "ours": "foyer", "again": folder + "/ours", "elsewhere": "old/foyer", "gone": "/gone/foyer",
                "foreign": "other", "nowhere": "/gone/az", "circle": "circle",
            ]
            for (name, target) in targets {
                try files.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: target)
            }
            func place(_ name: String) -> HelperLink.Place {
                HelperLink(path: "\(folder)/\(name)", target: folder + "/foyer").place
            }
            #expect(place("none") == .free && place("ours") == .ours && place("again") == .ours)
            #expect(place("elsewhere") == .stale("old/foyer") && place("gone") == .stale("/gone/foyer"))
            for name in ["plain", "foreign", "nowhere", "circle", "old"] { #expect(place(name) == .foreign, "\(name)") }
            #expect(throws: Failure.self) { try HelperLink.change(folder + "/plain", from: nil, to: "/b/foyer") }
            #expect(throws: Failure.self) { try HelperLink.change(folder + "/foreign", from: "x", to: nil) }
            try HelperLink.change(folder + "/gone", from: "/gone/foyer", to: folder + "/foyer")
            #expect(place("gone") == .ours)
        }
    }

    @Test func `A link that two programs call stays until the last of them is taken back`() throws {
        try Self.world { environment in
            let files = FileManager.default
            let foyer = environment.home + "/foyer"
            _ = files.createFile(atPath: foyer, contents: Data(), attributes: [.posixPermissions: 0o700])
            let setup = Setup(environment, foyer: foyer) { $0 == "keyring" }
            #expect(setup.programs == [.pip, .uv])
            let path = environment.home + "/.local/bin/keyring"
            func isThere() -> Bool { (try? files.destinationOfSymbolicLink(atPath: path)) == foyer }
            for program in setup.programs {
                let plan = try setup.plan(.init(program))
                #expect(plan.isEmpty == (program == .uv))
                _ = try setup.apply(plan, wasShown: true) { () throws(Failure) in try setup.plan(.init(program)) }
                #expect(try isThere() && setup.isRecorded(program))
            }
            _ = try setup.undo(try setup.undoPlan(.pip), wasShown: true)
            #expect(try isThere() && !setup.isRecorded(.pip))
            _ = try setup.undo(try setup.undoPlan(.uv), wasShown: true)
            #expect(!files.fileExists(atPath: environment.home + "/.local/bin"))
        }
    }

    @Test func `What was agreed to is what is done`() throws {
        try Self.world { environment in
            let setup = Setup(environment, foyer: environment.home + "/foyer") { $0 == "keyring" }
            let plan = try setup.plan(.init(.pip))
            var other = plan
            other.links = [.init(path: environment.home + "/.local/bin/keyring", before: nil, after: "/other/foyer")]
            #expect(throws: Failure.self) {
                try setup.apply(plan, wasShown: true) { () throws(Failure) in other }
            }
            #expect(try !setup.isRecorded(.pip))
            #expect(!FileManager.default.fileExists(atPath: environment.home + "/.local/bin"))
        }
    }

    @Test(arguments: ["", "-x", "a b", "a\n", "é", String(repeating: "x", count: 300)])
    func `A user's name cannot be taken for an option`(name: String) {
        #expect(throws: Failure.self) { try Kubeconfig.checked(user: name) }
    }

    @Test(arguments: [
        ("foyer", true), ("foyer --client work", true), ("/usr/bin/git-credential-foyer", true), ("", false),
        ("foyer2", false), ("!foyer", false), ("manager", false), ("store --file foyer", false),
    ])
    func `Git's helper is known by its name`(helper: String, isOurs: Bool) {
        #expect(GitConfiguration.isOurs(helper) == isOurs)
    }
}
