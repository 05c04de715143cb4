import CommandSupport
import Glibc
import Identity
import TokenCache

/// The stores named by settings, options and defaults: their types and the number of their entries.
extension Report {
    private static let mostStores = 12
    /// Reading a larger file takes too long.
    private static let mostBytes: Int64 = 16 << 20
    private static let mostNames = 50

    var stores: ReportValue {
        guard let session else { return .unknown }
        var found: [(by: ReportWord, spec: StoreSpec)] = []
        func add(_ by: ReportWord, _ spec: StoreSpec?) {
            guard let spec, !found.contains(where: { $0.spec == spec }), found.count < Self.mostStores else { return }
            found.append((by, spec))
        }
        let settings = session.settings
        let isNamed = options.store != nil || environment["FOYER_STORE"] != nil
        if isNamed { add(options.store != nil ? "option" : "environment", try? session.storeSpec(nil)) }
        add("settings", settings.store.flatMap { try? session.spec($0) })
        for client in settings.clients { add("client", client.store.flatMap { try? session.spec($0) }) }
        let standard = DefaultStore(environment)
        for spec in [standard.file, standard.sealed, standard.keyring] where access(spec.path, F_OK) == 0 {
            add("default", spec)
        }
        if found.isEmpty { add("default", standard.forReading) }
        for store in settings.stores { add("otherProgram", store.path.flatMap { try? session.spec($0) }) }
        return .list(found.map { store(session, $0.by, $0.spec) })
    }

    private func store(_ session: CommandContext, _ by: ReportWord, _ spec: StoreSpec) -> ReportValue {
        let cache = TokenCache(spec, keys: session.keys).withoutWaiting
        var info = stat()
        let isFile = lstat(spec.path, &info) == 0 && stat(spec.path, &info) == 0
        let (state, counts) = contents(cache, info)
        return ReportValue(
            [
                ("kind", .word(ReportWord(spec.kind))), ("namedBy", .word(by)),
                ("place", .word(place(of: spec))), ("path", included.word(.paths, shown(spec.path)).map { .word($0) }),
                ("exists", .flag(isFile)), ("state", .word(state)),
                ("mode", isFile ? .word(ReportWord(mode: info.st_mode)) : nil),
                ("bytes", isFile && spec.kind != .keyring ? ReportValue(info.st_size) : nil),
            ] + counts)
    }

    /// Never prompts: a store must be open, or the kernel must hold its key.
    private func contents(_ cache: TokenCache, _ info: stat) -> (ReportWord, [(ReportWord, ReportValue?)]) {
        do throws(StoreError) {
            let status = try cache.status()
            guard status.isThere else { return ("does not exist", []) }
            guard status.isOpen else { return ("locked", []) }
            if cache.spec?.kind == .encrypted, !status.hasPassphrase {
                return ("key in systemd-creds, not opened", [])
            }
            guard Int64(info.st_size) <= Self.mostBytes else { return ("too large to count", []) }
            return ("readable", counts(try cache.read()))
        } catch { return (Self.word(error), []) }
    }

    private func counts(_ snapshot: CacheSnapshot) -> [(ReportWord, ReportValue?)] {
        let credentials = snapshot.credentials(clientID: nil)
        let accounts = snapshot.accounts(clientID: nil)
        let clients = Set(credentials.map(\.clientID)).sorted()
        let known = clients.filter { Client.wellKnown($0) != nil }
        func count(_ kind: CachedCredential.Kind) -> ReportValue { ReportValue(credentials.count { $0.kind == kind }) }
        func list(_ kind: ReportInclusion, _ texts: [String]) -> ReportValue? {
            guard included.contains(kind) else { return nil }
            return .list(
                Set(texts).sorted().prefix(Self.mostNames).compactMap { included.word(kind, $0) }.map { .word($0) })
        }
        return [
            ("accounts", ReportValue(accounts.count)), ("accessTokens", count(.accessToken)),
            ("refreshTokens", count(.refreshToken)), ("idTokens", count(.idToken)),
            ("knownClients", .list(known.map { .word(Self.client($0)) })),
            ("otherClients", ReportValue(clients.count - known.count)),
            ("damaged", ReportValue(snapshot.damagedEntries().count)),
            ("usernames", list(.names, accounts.map(\.username))),
            (
                "tenants",
                list(.tenants, accounts.flatMap { $0.tenantProfiles.map(\.tenantID) } + credentials.map(\.realm))
            ),
        ]
    }

    // MARK: Places

    private func place(of spec: StoreSpec) -> ReportWord {
        let standard = DefaultStore(environment)
        if [standard.file, standard.sealed, standard.keyring].contains(spec) { return "default place" }
        return spec.path.hasPrefix(environment.home + "/") ? "in the home folder" : "elsewhere"
    }

    /// A path with the home folder as `~` and without parts that are the user's name.
    func shown(_ path: String) -> String {
        let home = environment.home
        var names = [environment["USER"], environment["LOGNAME"], home.split(separator: "/").last.map(String.init)]
            .compactMap(\.self)
        if let entry = getpwuid(getuid()), let name = entry.pointee.pw_name { names.append(String(cString: name)) }
        return environment.abbreviate(path).split(separator: "/", omittingEmptySubsequences: false)
            .map { names.contains(String($0)) ? "…" : String($0) }.joined(separator: "/")
    }

    private static func word(_ error: StoreError) -> ReportWord {
        switch error.situation {
        case .notRegularFile: "not a regular file"
        case .wrongOwner: "of another user"
        case .writableByOthers: "writable by others"
        case .folderNotTrusted: "in a folder that is not trusted"
        case .linkNotTrusted: "behind a link that is not trusted"
        case .tooLarge: "too large"
        case .notJSON: "not JSON"
        case .foreign: "not a token cache"
        case .empty: "empty"
        case .locked: "being written"
        case .noSpace: "disk full"
        case .readOnly: "read-only"
        case .cancelled: "cancelled"
        case .damaged: "damaged"
        case .newer: "of a later version"
        case .wrongPassphrase: "wrong passphrase"
        case .passphraseNeeded: "locked"
        case .credentials: "systemd-creds failed"
        case .keyring: "the keyring cannot be used"
        case .occupied: "occupied"
        case .notVerified: "not verified"
        case .moved: "moved"
        case .notReplaceable: "not replaceable"
        case .noStore: "not a store"
        case .attached, .io: "cannot be read"
        }
    }
}
