import FoundationEssentials
import Identity
import StrictJSON
import SystemPackage
import Testing

@testable import TokenCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct FileTests {
    @Test func `A folder is walked name by name, the longest as a whole, and no further than wanted`() throws {
        let store = try Store()
        let made = (0..<300).map { String(repeating: "n", count: 250) + "\(10000 + $0)" }
        for name in made { close(open(store.folder + "/" + name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }
        var found: [String] = []
        FolderListing.walk(store.folder) { name in
            found.append(name)
            return true
        }
        #expect(Set(found).isSuperset(of: made + [".", ".."]))
        var count = 0
        FolderListing.walk(store.folder) { _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
    }

    @Test(arguments: [
        ("hostile_array", StoreError.Situation.foreign("its JSON is not an object")),
        ("hostile_null", .foreign("its JSON is not an object")),
        ("hostile_empty", .empty), ("hostile_bom", .notJSON(offset: 0, what: "begins with a byte order mark")),
        ("hostile_invalid_utf8", .notJSON(offset: 2333, what: "not UTF-8")),
        ("hostile_truncated", .notJSON(offset: 1500, what: "unexpected end")),
    ])
    func `A file that is no cache is told, and never written`(_ fixture: String, _ expected: StoreError.Situation)
        throws
    {
        let store = try Store(fixture: fixture)
        let before = try store.bytes()
        #expect(situation { _ = try store.cache.read() } == expected)
        #expect(situation { try store.cache.save(World.record()) } == expected)
        #expect(try store.bytes() == before && store.names == ["token_cache.json"])
    }

    @Test func `Entries with fields missing are passed over and kept`() throws {
        let store = try Store(fixture: "hostile_missing_fields")
        #expect(try store.cache.read().credentials().map(\.kind) == [.accessToken, .idToken])
        // An access token without scopes and an expiry time serves nobody.
        #expect(try store.cache.read().accessToken(World.query(), at: World.now, buffer: 300) == nil)
        try store.cache.save(World.record(client: "other", home: "u.t"))
        #expect(try store.json()["AccessToken"]?.object?.members.first?.value["target"] == .some(.null))
    }

    @Test func `Names that come twice are read past where nobody asks, and never written back`() throws {
        let text = "{\"Account\":{},\"Other\":{\"e\":{\"a\":1,\"\\u0061\":2}}}"
        let store = try Store(Array(text.utf8))
        _ = try store.cache.read()
        #expect(situation { try store.cache.save(World.record()) } == .notJSON(offset: 35, what: "duplicate name"))
        #expect(try store.bytes() == Array(text.utf8))
    }

    @Test func `Somebody else's JSON is no store, neither read nor written; an empty object is one`() throws {
        let text = Array(#"{"name":"site","dependencies":{}}"#.utf8)
        let store = try Store(text)
        #expect(situation { _ = try store.cache.read() } == .foreign("it has no token cache sections"))
        #expect(situation { try store.cache.save(World.record()) } == .foreign("it has no token cache sections"))
        #expect(try store.bytes() == text)
        #expect(try Store(Array("{}".utf8)).cache.read().credentials().isEmpty)
    }

    @Test func `A cache whose section is no object is a damaged cache, and nothing to import`() throws {
        let store = try Store(Array(#"{"AccessToken":[],"Account":{}}"#.utf8))
        #expect(situation { _ = try store.cache.read() } == .damaged("its section AccessToken is not an object"))
        #expect(StoreError(.damaged("x"), path: "p").hint?.description.contains("import") == false)
    }

    @Test func `A missing file is an empty store, and its folder is made for us alone`() throws {
        let store = try Store()
        let path = store.folder + "/a/b/cache.json"
        let cache = TokenCache(path: path, lockWait: .milliseconds(200))
        #expect(try cache.read().accounts().isEmpty)
        try cache.save(World.record())
        var info = stat()
        #expect(lstat(store.folder + "/a/b", &info) == 0 && info.st_mode & 0o777 == 0o700)
        #expect(lstat(store.folder + "/a", &info) == 0 && info.st_mode & 0o777 == 0o700)
        #expect(access(path + ".lock", F_OK) == 0, "azd's lock stays")
    }

    @Test func `A file that others can read works, is told of, and is closed by the next write`() throws {
        let store = try Store()
        try store.write(Fixture.bytes("msal_one_account"), mode: 0o644)
        #expect(try store.cache.read().accounts().count == 1)
        #expect(store.cache.warnings().first?.contains("mode 0644") == true)
        let old = umask(0)
        defer { umask(old) }
        try store.cache.save(World.record())
        #expect(store.mode == 0o600 && store.cache.warnings().isEmpty)
    }

    @Test(arguments: [0o620, 0o602, 0o666] as [mode_t])
    func `A file that others can write is not trusted`(_ mode: mode_t) throws {
        let store = try Store()
        try store.write(Fixture.bytes("msal_one_account"), mode: mode)
        #expect(situation { _ = try store.cache.read() } == .writableByOthers(mode: UInt32(mode)))
        #expect(situation { try store.cache.save(World.record()) } == .writableByOthers(mode: UInt32(mode)))
    }

    @Test func `A folder that others can write is not trusted unless it is sticky`() throws {
        let store = try Store(fixture: "msal_one_account")
        chmod(store.folder, 0o777)
        #expect(
            situation { _ = try store.cache.read() }
                == .folderNotTrusted(path: store.folder, why: "writable by others (mode 0777)"))
        chmod(store.folder, 0o1777)
        #expect(try store.cache.read().accounts().count == 1)
        try store.cache.save(World.record())
    }

    @Test func `Somebody else's file is not read`() throws {
        guard geteuid() == 0 else { return }
        let store = try Store(fixture: "msal_one_account")
        chown(store.path, 12345, 12345)
        #expect(situation { _ = try store.cache.read() } == .wrongOwner(uid: 12345))
        chown(store.path, 0, 0)
        chown(store.folder, 12345, 12345)
        #expect(
            situation { _ = try store.cache.read() }
                == .folderNotTrusted(path: store.folder, why: "it belongs to another user (uid 12345)"))
    }

    @Test func `A link of our own is written through, and stays a link`() throws {
        let store = try Store(fixture: "msal_one_account")
        let link = store.folder + "/link.json"
        #expect(symlink("token_cache.json", link) == 0)
        let cache = TokenCache(path: link, lockWait: .milliseconds(200))
        try cache.save(World.record())
        var info = stat()
        #expect(lstat(link, &info) == 0 && FileKind(info) == .link)
        #expect(try store.cache.read().credentials(clientID: World.ownClient).count == 3)
        #expect(store.names == ["link.json", "token_cache.json"])
    }

    @Test func `A link of somebody else, one through an open folder, and a circle are refused`() throws {
        let store = try Store(fixture: "msal_one_account")
        let link = store.folder + "/link.json"
        #expect(symlink("link.json", link) == 0)
        let cache = TokenCache(path: link, lockWait: .milliseconds(200))
        #expect(situation { _ = try cache.read() } == .linkNotTrusted(why: "symbolic link loop"))
        unlink(link)
        #expect(
            mkdir(store.folder + "/open", 0o777) == 0 && chmod(store.folder + "/open", 0o777) == 0
                && mkdir(store.folder + "/open/in", 0o700) == 0)
        try store.write(Fixture.bytes("msal_one_account"), to: store.folder + "/open/in/c.json")
        #expect(symlink(store.folder + "/open/in/c.json", link) == 0)
        #expect(
            situation { _ = try cache.read() }
                == .folderNotTrusted(path: store.folder + "/open", why: "writable by others (mode 0777)"))
        guard geteuid() == 0 else { return }
        lchown(link, 12345, 12345)
        #expect(situation { _ = try cache.read() } == .linkNotTrusted(why: "it belongs to another user"))
    }

    @Test func `Only regular files are stores, and none larger than 64 MiB`() throws {
        let store = try Store()
        #expect(mkfifo(store.path, 0o600) == 0)
        #expect(situation { _ = try store.cache.read() } == .notRegularFile)
        unlink(store.path)
        mkdir(store.path, 0o700)
        #expect(situation { _ = try store.cache.read() } == .notRegularFile)
        rmdir(store.path)
        try store.write(Array("{}".utf8))
        truncate(store.path, (64 << 20) + 1)
        #expect(situation { _ = try store.cache.read() } == .tooLarge(bytes: (64 << 20) + 1))
    }

    @Test func `What dead writers left is swept, whoever has their number now, and what is named otherwise is not`()
        throws
    {
        let store = try Store(fixture: "msal_one_account")
        let dead = try Lock.deadProcess()
        for name in [".tmp.\(dead)", ".tmp.\(getpid())", ".tmp.1", ".tmp.old", ".bak"] {
            try store.write(Array("x".utf8), to: store.path + name)
        }
        try store.cache.save(World.record())
        #expect(store.names == ["token_cache.json", "token_cache.json.bak", "token_cache.json.tmp.old"])
    }

    @Test func `What dead writers left of a side file is swept with the store, and a living one is left alone`() throws
    {
        let store = try Store(fixture: "msal_one_account")
        let left = [".providers", ".throttle", ".keys"].map { "\(store.path)\($0).tmp.1" }
        for path in left { try store.write(Array("x".utf8), to: path) }
        let providers = try ResolvedPath(store.path + ".providers")
        try StoreLock.holding(providers, wait: .zero) { () throws(StoreError) in try store.cache.save(World.record()) }
        #expect(store.names == ["token_cache.json", "token_cache.json.providers.tmp.1"])
        try store.cache.save(World.record(client: World.powerShell))
        #expect(store.names == ["token_cache.json"])
    }

    @Test func `The time of change lies a little ahead, so that every peer loads again`() throws {
        let store = try Store()
        try store.cache.save(World.record())
        var info = stat()
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        #expect(stat(store.path, &info) == 0)
        #expect((0...2).contains(info.st_mtim.tv_sec - now.tv_sec))
    }

    @Test func `A full disk leaves the old file and nothing else`() throws {
        guard geteuid() == 0 else { return }
        let store = try Store()
        let disk = store.folder + "/disk"
        mkdir(disk, 0o700)
        guard mount("none", disk, "tmpfs", 0, "size=16k,mode=700") == 0 else { return }
        defer { umount(disk) }
        let cache = TokenCache(path: disk + "/c.json", lockWait: .milliseconds(200))
        try cache.save(World.record())
        let before = try store.bytes(disk + "/c.json")
        var record = World.record(client: "other")
        record.accessToken = Secret(String(repeating: "A", count: 32_768))
        #expect(situation { try cache.save(record) } == .noSpace)
        #expect(try store.bytes(disk + "/c.json") == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == ["c.json"])
    }

    @Test func `Errors name the path, say what to do, and hold nothing of the content`() throws {
        let situations: [StoreError.Situation] = [
            .notRegularFile, .wrongOwner(uid: 1), .writableByOthers(mode: 0o666),
            .folderNotTrusted(path: "/f", why: "w"),
            .linkNotTrusted(why: "w"),
            .tooLarge(bytes: 1), .notJSON(offset: 1, what: "w"), .foreign("w"), .empty, .locked(pid: 7, name: "az"),
            .locked(pid: nil, name: ""), .noSpace,
            .readOnly, .cancelled, .io(.ioError, operation: "read"), .damaged("w"), .newer(version: 2),
            .wrongPassphrase,
            .passphraseNeeded(why: "w"), .credentials(why: "w"), .keyring(.missing("w")), .keyring(.locked),
            .keyring(.silent),
            .keyring(.refused("w")), .keyring(.tooLarge(bytes: 1)), .occupied, .notVerified, .noStore(why: "w"),
        ]
        for situation in situations {
            let error = StoreError(situation, path: "/p/c.json")
            #expect(
                (error.message.contains("/p/c.json") || error.message.contains("/f")) && !error.message.hasSuffix("."))
            #expect(error.message.first?.isUppercase == false && error.hint?.description.hasSuffix(".") != true)
        }
        #expect(
            StoreError(.locked(pid: 7, name: "az"), path: "/p").mayPass && !StoreError(.noSpace, path: "/p").mayPass)
    }

    /// As root, a write through a link would end a device of the system.
    @Test(arguments: [true, false]) func `A pipe is not replaced or removed, through a link or not`(isLinked: Bool)
        throws
    {
        let store = try Store()
        let pipe = store.folder + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let path = isLinked ? store.folder + "/link" : pipe
        if isLinked { #expect(symlink(pipe, path) == 0) }
        let file = StateFile(path: path, maximumBytes: 100)
        #expect(throws: StoreError(.notRegularFile, path: path)) { try file.put([1]) }
        #expect(throws: StoreError(.notRegularFile, path: path)) { try file.remove() }
        #expect(throws: StoreError(.notRegularFile, path: path)) {
            try FileStore(path: path).write([1], at: try ResolvedPath(path))
        }
        var info = stat()
        #expect(lstat(pipe, &info) == 0 && info.st_mode & S_IFMT == S_IFIFO)
    }
}
