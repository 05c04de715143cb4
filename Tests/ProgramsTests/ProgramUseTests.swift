import FoundationEssentials
import Glibc
import Identity
import StrictJSON
import Testing
import Waiting

@testable import CommandSupport
@testable import Helpers
@testable import Programs

/// The record of what programs were given.
@Suite struct ProgramUseTests {
    private final class Place {
        let folder: String
        let environment: ProcessEnvironment
        var path: String { folder + "/foyer/program-uses.jsonl" }

        init() {
            let base = ProcessEnvironment()["TMPDIR"] ?? "/tmp"
            var name = Array((base + "/foyer-uses.XXXXXX").utf8CString)
            folder = name.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
            environment = ProcessEnvironment(workingFolder: "/") { [folder] in $0 == "XDG_STATE_HOME" ? folder : nil }
        }

        deinit {
            chmod(folder + "/foyer", 0o700)
            for name in Folder.names(in: folder + "/foyer") { remove(folder + "/foyer/" + name) }
            rmdir(folder + "/foyer")
            rmdir(folder)
        }

        func write(_ bytes: [UInt8]) {
            mkdir(folder + "/foyer", 0o700)
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            _ = Glibc.write(file, bytes, bytes.count)
            close(file)
        }

        var size: Int {
            var info = stat()
            return stat(path, &info) == 0 ? Int(info.st_size) : -1
        }
    }

    private static func use(_ number: Int, scopes: [String] = ["https://graph.example.org/.default"]) -> ProgramUse {
        ProgramUse([
            "program": "git", "host": "git.example.org", "client": "work", "clientId": "c", "clientSource": "rule",
            "account": .string("ada\(number)@example.org"), "homeAccountId": "o.t", "tenant": "t",
            "scopes": .array(scopes.map { .string($0) }), "rule": 7, "source": "cache",
            "at": JSONValue(integer: 1_760_000_000 + number),
        ])!
    }

    @Test func `What is noted comes back, the latest first`() {
        let place = Place()
        let uses = ProgramUses(place.environment)
        #expect(uses.read().isEmpty)
        for number in 0..<5 { uses.note(Self.use(number)) }
        #expect(uses.read() == (0..<5).reversed().map { Self.use($0) })
        var info = stat()
        #expect(stat(place.path, &info) == 0 && info.st_mode & 0o777 == 0o600)
    }

    @Test func `It stays short: the latest 200, and a bounded file, however long the texts are`() {
        let place = Place()
        let uses = ProgramUses(place.environment)
        for number in 0..<900 {
            uses.note(Self.use(number, scopes: Array(repeating: String(repeating: "s", count: 200), count: 8)))
        }
        let read = uses.read()
        #expect(read.first == Self.use(899, scopes: Array(repeating: String(repeating: "s", count: 200), count: 8)))
        #expect(read.count <= 200 && read.count > 20)
        #expect(read.map(\.at) == read.map(\.at).sorted(by: >))
        #expect(place.size <= 262_144)
        #expect(Folder.names(in: place.folder + "/foyer").filter { $0.hasSuffix(".new") }.isEmpty)
        let small = Place()
        for number in 0..<450 { ProgramUses(small.environment).note(Self.use(number)) }
        #expect(ProgramUses(small.environment).read().count == 200)
    }

    @Test(arguments: [
        "", "\n\n\n", "[", "{}", "null\n17\n\"x\"", "{\"program\":\"\",\"at\":1}", "{\"program\":\"git\"}",
        "{\"program\":\"git\",\"at\":-1}", "{\"program\":\"git\",\"at\":9223372036854775807}",
        "{\"program\":\"git\",\"at\":99999999999999999999}", "{\"program\":7,\"at\":1}", "\u{1B}]52;c;x\u{7}",
    ])
    func `What is none of ours is read as nothing, and the next note is kept`(text: String) {
        let place = Place()
        place.write(Array(text.utf8))
        let uses = ProgramUses(place.environment)
        #expect(uses.read().isEmpty)
        uses.note(Self.use(1))
        #expect(uses.read() == [Self.use(1)])
    }

    @Test func `A huge file is read from its end alone, and cut by the next note`() {
        let place = Place()
        let line = Self.use(3).json.serialized() + "\n"
        place.write([UInt8](repeating: 0x78, count: 3_000_000) + Array(("\n" + line).utf8))
        let uses = ProgramUses(place.environment)
        #expect(uses.read() == [Self.use(3)])
        uses.note(Self.use(4))
        #expect(uses.read().map(\.at) == [Self.use(4).at, Self.use(3).at])
        #expect(place.size < 262_144)
    }

    @Test func `Texts of others bring no control characters and no lengths along, and a path no query`() throws {
        let evil = "\u{1B}[31mgit\u{202E}\n\"" + String(repeating: "x", count: 5000)
        let use = try #require(
            ProgramUse([
                "program": .string(evil), "host": .string(evil), "path": "a/b?token=SECRET",
                "cluster":
                    "https://ada:SECRET@k.example.org/x?y=SECRET", "client": .string(evil), "account": .string(evil),
                "scopes": .array(Array(repeating: .string(evil), count: 50)), "refused": .string(evil),
                "why": .string(evil), "at": 5,
            ]))
        let text = use.json.serialized()
        #expect(text.utf8.count < 16_384)
        #expect(!text.contains("SECRET") && !text.contains("\\u001b") && !text.contains("\u{202E}"))
        #expect(use.request.path == "a/b" && use.request.cluster == "https://k.example.org/x")
        #expect(use.scopes.count == 8)
    }

    @Test func `Neither a link, nor a folder, nor a pipe in its place is written to`() {
        let place = Place()
        let uses = ProgramUses(place.environment)
        uses.note(Self.use(1))
        remove(place.path)
        let other = place.folder + "/foyer/other"
        symlink(other, place.path)
        uses.note(Self.use(2))
        #expect(access(other, F_OK) != 0 && uses.read().isEmpty)
        remove(place.path)
        mkfifo(place.path, 0o600)
        uses.note(Self.use(3))
        #expect(uses.read().isEmpty)
    }

    @Test func `Half a line of a full disk costs that line alone`() {
        let place = Place()
        let uses = ProgramUses(place.environment)
        place.write(Array((Self.use(1).json.serialized() + "\n{\"program\":\"gi").utf8))
        uses.note(Self.use(2))
        #expect(uses.read() == [Self.use(2), Self.use(1)])
    }

    @Test func `Many that note at once lose nothing, also while the file is made short`() async {
        let place = Place()
        let environment = place.environment
        let scopes = Array(repeating: String(repeating: "s", count: 150), count: 8)
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    // On a busy machine whoever holds the lock may be kept waiting for longer than a helper waits.
                    let uses = ProgramUses(environment, patience: Waiting.end)
                    for number in 0..<60 {
                        uses.note(Self.use(writer * 1000 + number, scopes: scopes))
                    }
                }
            }
        }
        let read = ProgramUses(environment).read()
        #expect(place.size <= 262_144 && read.count > 60 && Set(read).count == read.count)
        // Of each writer that was among the last, the latest are there without a gap.
        for writer in 0..<8 {
            let mine = read.map { Int($0.at) - 1_760_000_000 }.filter { $0 / 1000 == writer }.map { $0 % 1000 }
            #expect(mine == (0..<mine.count).map { 59 - $0 })
        }
    }

    @Test func `The place that a token is for is named as a person would`() throws {
        func target(_ value: JSONValue) throws -> String {
            guard case .object(let object) = value else { return "" }
            let members = object.members + [JSONMember(name: "at", value: 1)]
            return try #require(ProgramUse(.object(JSONObject(members)))).target
        }
        #expect(
            try target(["program": "git", "host": "dev.azure.com", "organization": "contoso"])
                == "dev.azure.com/contoso")
        #expect(try target(["program": "docker", "registry": "c.azurecr.io"]) == "c.azurecr.io")
        #expect(try target(["program": "kubectl", "cluster": "https://k"]) == "https://k")
        #expect(
            try target(["program": "terraform", "scopes": ["https://vault.example/.default"]])
                == "https://vault.example")
        #expect(try target(["program": "id-token", "scopes": ["openid", "User.Read"]]) == "")
    }
}
