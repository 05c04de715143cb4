import CommandSupport
import Foundation
import Identity
import Testing

@testable import Agent

@Suite struct TokenFileListTests {
    /// A list and a place for files, in a folder that goes with it.
    private final class Place: Sendable {
        let folder: TemporaryFolder
        let list: TokenFileList
        let token: String

        init(lockWait: Duration = .seconds(5)) throws {
            let folder = try TemporaryFolder("token-files", ProcessEnvironment())
            self.folder = folder
            list = TokenFileList(
                ProcessEnvironment { $0 == "XDG_DATA_HOME" ? folder.path : nil }, lockWait: lockWait)
            token = folder.path + "/tokens/file"
        }

        deinit { folder.remove() }

        var listPath: String { folder.path + "/foyer/token-files.json" }
        var text: String? { try? String(contentsOfFile: token, encoding: .utf8) }

        func file(_ account: String = "ada", at path: String? = nil) -> TokenFile {
            TokenFile(
                path: path ?? token, kind: .accessToken, TokenOptions { $0.client = "work" },
                account: account)
        }
    }

    private func outcome(_ seconds: TimeInterval) -> TokenFile.Outcome {
        TokenFile.Outcome(at: Date(), expiresOn: Date(timeIntervalSince1970: seconds))
    }

    @Test func `What is removed while a token is fetched is not written again`() throws {
        let place = try Place()
        _ = try place.list.add(place.file(), Secret("one"), replaces: false) { true }
        let read = try #require(try place.list.files().first)
        #expect(try place.list.remove(place.token) != nil)
        #expect(try place.list.write(Secret("two"), outcome(2_000_000_000), to: read) { true } == .unlisted)
        place.list.note(outcome(2_000_000_000), of: read)
        #expect(place.text == nil)
        #expect(try place.list.files() == [])
    }

    @Test func `A file that is added again for somebody else gets and loses no token by what began before`() throws {
        let place = try Place()
        _ = try place.list.add(place.file(), Secret("ada's"), replaces: false) { true }
        let read = try #require(try place.list.files().first)
        _ = try place.list.add(place.file("grace"), Secret("grace's"), replaces: false) { true }
        #expect(try place.list.write(Secret("two"), outcome(2_000_000_000), to: read) { true } == .unlisted)
        try place.list.removeToken(of: read)
        #expect(place.text == "grace's")
        #expect(try place.list.files().map(\.account) == ["grace"])
    }

    @Test func `A token that the store has no more is not written, nor added`() throws {
        let place = try Place()
        #expect(try !place.list.add(place.file(), Secret("one"), replaces: false) { false })
        #expect(try place.text == nil && place.list.files() == [])
        _ = try place.list.add(place.file(), Secret("one"), replaces: false) { true }
        let read = try #require(try place.list.files().first)
        #expect(try place.list.write(Secret("two"), outcome(2_000_000_000), to: read) { false } == .replaced)
        #expect(throws: Failure.self) {
            try place.list.write(Secret("two"), outcome(2_000_000_000), to: read) { () throws(Failure) in
                throw Failure(.notFound, "signed out")
            }
        }
        #expect(place.text == "one")
    }

    @Test func `Of two who write at once, the token that lives longest stays`() throws {
        let place = try Place()
        _ = try place.list.add(place.file(), Secret("one"), replaces: false) { true }
        let read = try #require(try place.list.files().first)
        let (late, early) = (outcome(2_000_000_500), outcome(2_000_000_000))
        #expect(try place.list.write(Secret("late"), late, to: read) { true } == .done(late))
        guard case .done(let kept) = try place.list.write(Secret("early"), early, to: read, isStored: { true }) else {
            Issue.record("nothing was written")
            return
        }
        #expect(kept.expiresOn == late.expiresOn && place.text == "late")
        // Who knows of it means to write another one, such as one of a provider that gives less time now.
        let known = try #require(try place.list.files().first)
        #expect(try place.list.write(Secret("early"), early, to: known) { true } == .done(early))
        #expect(place.text == "early")
    }

    @Test func `What cannot be written is not added, and what was listed stays so`() throws {
        let place = try Place()
        _ = try place.list.add(place.file(), Secret("one"), replaces: false) { true }
        let before = try place.list.files()
        // A file is no folder.
        let below = place.token + "/file"
        #expect { _ = try place.list.add(place.file(at: below), Secret("two"), replaces: true) { true } } throws: {
            ($0 as? Failure)?.code == .storeError
        }
        #expect(try place.list.files() == before)
        let foreign = place.folder.path + "/foreign"
        try "precious".write(toFile: foreign, atomically: true, encoding: .utf8)
        #expect { _ = try place.list.add(place.file(at: foreign), Secret("two"), replaces: false) { true } } throws: {
            ($0 as? Failure)?.code == .usage
        }
        #expect(try String(contentsOfFile: foreign, encoding: .utf8) == "precious")
        #expect(try place.list.files() == before)
    }

    @Test func `What cannot be removed stays in the list, and what is gone does not`() throws {
        let place = try Place()
        _ = try place.list.add(place.file(), Secret("one"), replaces: false) { true }
        let folder = place.folder.path + "/tokens"
        // Anybody's: no place to change a file in.
        #expect(chmod(folder, 0o777) == 0)
        #expect { try place.list.remove(place.token) } throws: { ($0 as? Failure)?.code == .storeError }
        #expect(try place.list.files().count == 1)
        #expect(place.text == "one")
        try FileManager.default.removeItem(atPath: place.token)
        #expect(try place.list.remove(place.token) != nil)
        #expect(try place.list.files() == [])
    }

    @Test func `While another has the list nothing is written or removed`() throws {
        let place = try Place(lockWait: .milliseconds(50))
        _ = try place.list.add(place.file(), Secret("one"), replaces: false) { true }
        let read = try #require(try place.list.files().first)
        let lock = open(place.listPath + ".lockfile", O_RDWR | O_CREAT, 0o600)
        #expect(flock(lock, LOCK_EX) == 0)
        #expect { try place.list.write(Secret("two"), outcome(2_000_000_000), to: read) { true } } throws: {
            ($0 as? Failure)?.code == .storeError
        }
        #expect { try place.list.remove(place.token) } throws: { ($0 as? Failure)?.code == .storeError }
        #expect(place.text == "one")
        close(lock)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/tokens") == ["file"])
    }

    @Test func `A list that cannot be read is not made an empty one`() throws {
        let place = try Place()
        _ = try place.list.add(place.file(), Secret("one"), replaces: false) { true }
        let read = try #require(try place.list.files().first)
        try "{".write(toFile: place.listPath, atomically: true, encoding: .utf8)
        place.list.note(outcome(2_000_000_000), of: read)
        #expect(throws: Failure.self) {
            try place.list.write(Secret("two"), outcome(2_000_000_000), to: read) { true }
        }
        #expect(throws: Failure.self) { try place.list.remove(place.token) }
        #expect(try String(contentsOfFile: place.listPath, encoding: .utf8) == "{" && place.text == "one")
    }

    @Test func `Many who write leave nothing behind once it is removed`() async throws {
        let place = try Place(lockWait: .seconds(60))
        _ = try place.list.add(place.file(), Secret("one"), replaces: false) { true }
        let read = try #require(try place.list.files().first)
        let lives = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<6 {
                group.addTask {
                    for round in 0..<8 {
                        let outcome = outcome(2_000_000_000 + TimeInterval(round))
                        let kept = try place.list.write(Secret("\(number) \(round)"), outcome, to: read) { true }
                        if kept == .unlisted { return true }
                    }
                    return false
                }
            }
            group.addTask { try place.list.remove(place.token) != nil }
            var lives: [Bool] = []
            for try await each in group { lives.append(each) }
            return lives
        }
        #expect(lives.contains(true))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/tokens") == [])
        #expect(try place.list.files() == [])
    }
}
