internal import CFuzzer
internal import FoundationEssentials
internal import Identity
internal import StrictJSON

@testable internal import LegacyCaches
@testable import TokenCache
@testable internal import TokenCache

#if canImport(Glibc)
    internal import Glibc
#endif

/// Whom a store is written for.
private enum World {
    static let now = Date(timeIntervalSince1970: 1_795_233_600)
    static let client = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    static let home = "00000000-0000-4000-8000-000000000001.10000000-0000-4000-8000-000000000000"
    static let environment = "login.microsoftonline.com"

    static func record(createsAccount: Bool, _ home: String, _ environment: String, _ client: String) -> TokenRecord {
        TokenRecord(
            clientID: client, homeAccountID: home, environment: environment,
            realm: "10000000-0000-4000-8000-000000000000", localAccountID: "local", username: "ada@example.org",
            accessToken: Secret("fresh access token"), scopes: ["User.Read", "openid"], cachedAt: now,
            expiresOn: now.addingTimeInterval(3600), refreshToken: Secret("fresh refresh token"), familyID: "1",
            idToken: Secret("fresh ID token"), createsAccount: createsAccount)
    }
}

extension FuzzTarget {
    private static let words =
        [
            "AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata", "AccountMetadata",
            "LegacyRefreshToken", "home_account_id", "environment", "client_id", "secret", "realm", "target",
            "expires_on", "cached_at", "family_id", "credential_type", "token_type", "username", "local_account_id",
            "authority_type", "MSSTS", "issuer", "tenantProfiles", "last_modification_time", "<tombstone>", "null",
            "\\ud800", "1795237200", "login.windows.net", "foci-1", "refresh_on", "key_id",
        ].map(\.self) + [World.client, World.environment]

    /// A store is read, gets a token, loses an account: each time all of it can be read again.
    static let cache = FuzzTarget("cache", longest: 8192, words: words) { bytes in
        guard let snapshot = try? CacheSnapshot(bytes, strictly: true, path: "") else {
            _ = try? CacheSnapshot(bytes, path: "")
            return
        }
        look(snapshot)
        let held = snapshot.accounts().prefix(2)
        var people = held.map {
            ($0.homeAccountID, $0.environment, $0.clients.first ?? World.client, $0.issuer)
        }
        people.append((World.home, World.environment, World.client, nil))
        for (home, environment, client, issuer) in people {
            var record = World.record(createsAccount: true, home, environment, client)
            record.issuer = issuer
            record.isEntra = issuer == nil
            if issuer != nil { record.familyID = nil }
            change(snapshot, record)
            record.createsAccount = false
            change(snapshot, record)
            let account = AccountID(homeAccountID: home, environment: environment, issuer: issuer)
            for clientID in [client, nil] {
                var edit = CacheEdit(snapshot)
                _ = clientID.map { edit.forget(account, clientID: $0) } ?? edit.wipe(account)
                guard let text = edit.text else { continue }
                let after = read(text)
                let query = CredentialQuery(
                    homeAccountID: home, environment: environment, issuer: issuer, clientID: clientID ?? client)
                hold(
                    after.accessToken(query, at: World.now, buffer: 0) == nil
                        && after.refreshTokens(query, family: false).isEmpty, "who was signed out has tokens")
            }
        }
        let leftovers = PrunableEntries(in: snapshot, at: World.now)
        hold(leftovers.damaged.allSatisfy { !$0.hasSecret || $0.kind != .refreshToken }, "a refresh token may go")
        var edit = CacheEdit(snapshot)
        edit.remove(Set(leftovers.damaged))
        if let text = edit.text { _ = read(text) }
    }

    private static func change(_ snapshot: CacheSnapshot, _ record: TokenRecord) {
        var edit = CacheEdit(snapshot)
        edit.save(record)
        guard let text = edit.text else {
            hold(!record.createsAccount || record.homeAccountID.isEmpty, "a token is not saved")
            return
        }
        let after = read(text)
        let query = CredentialQuery(
            homeAccountID: record.homeAccountID, environment: record.environment, issuer: record.issuer,
            realms: [record.realm], clientID: record.clientID, scopes: record.scopes)
        let isFound = after.accessToken(query, at: World.now, buffer: 0) != nil
        if record.createsAccount { hold(isFound, "a token that was saved is not found") }
        hold(
            after.undecodableCount <= snapshot.undecodableCount, "what could be read cannot be read after a change")
        // Twice the same is once.
        var again = CacheEdit(after)
        again.save(record)
        if let text = again.text {
            let third = read(text)
            hold(third.credentials().count == after.credentials().count, "the same token again is another one")
        }
    }

    private static func read(_ text: [UInt8]) -> CacheSnapshot {
        do {
            let snapshot = try CacheSnapshot(text, strictly: true, path: "")
            look(snapshot)
            return snapshot
        } catch { fatalError("what was written cannot be read: \(error)") }
    }

    private static func look(_ snapshot: CacheSnapshot) {
        for overview in snapshot.overviews() { _ = overview.standing(at: World.now) }
        for credential in snapshot.credentials() {
            guard let text = MaskedEntry.text(of: credential, in: snapshot) else { continue }
            let secret = credential.secret.reveal()
            hold(
                secret.utf8.count <= 40 || !text.contains(secret) || credential.id.contains(secret)
                    || credential.scopes.description.contains(secret) || credential.clientID.contains(secret),
                "a secret is shown")
        }
        _ = snapshot.familyTokens()
        _ = snapshot.damagedEntries()
        _ = snapshot.currentAccount(clientID: World.client)
        _ = CacheInventory(snapshot, at: World.now)
    }

    /// What a large store is read with, beside what reads all of it.
    static let index = FuzzTarget("index", longest: 8192, words: words) { input in
        guard let size = input.first else { return }
        let bytes = Array(input.dropFirst())
        let descriptor = foyer_fuzz_file()
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else { fatalError("no memory") }
        guard let (index, overviews) = try? StoreIndex.read(descriptor, path: "/", pieceSize: Int(size) * 4 + 1) else {
            return
        }
        guard let snapshot = try? CacheSnapshot(bytes, path: "/") else {
            fatalError("a store is accepted in pieces that is refused as a whole")
        }
        let wanted = snapshot.overviews()
        hold(
            overviews.elementsEqual(wanted) { $0.account.hasSameContent(as: $1.account) }, "other accounts")
        hold(overviews.map(\.consent) == wanted.map(\.consent), "other consent")
        hold(overviews.map(\.lives) == wanted.map(\.lives), "other lives of credentials")
        hold(overviews.map(\.credentials) == wanted.map(\.credentials), "other credentials")
        for overview in wanted {
            let part = index.snapshot(of: overview.account.id)
            hold(
                part.credentials(of: overview.account.id) == snapshot.credentials(of: overview.account.id),
                "other credentials of an account")
        }
    }

    /// What ADAL's libraries wrote, taken over into a store.
    static let legacy = FuzzTarget(
        "legacy", longest: 8192,
        words: [
            "_authority", "_clientId", "userId", "accessToken", "refreshToken", "expiresOn", "isMRRT", "resource",
            "tokenType", "familyName", "oid", "tenantId", "bplist00", "$archiver", "$objects", "$top", "$class",
            "$classname", "NSKeyedArchiver", "ADUserInformation", "ADTokenCacheStoreItem", "\\u0000", "2026-11-23 ",
            "<?xml", "<plist>", "<dict>", "</dict>", ":::", "https://login.microsoftonline.com/common",
        ]
    ) { bytes in
        let cache = LegacyCache(bytes) { _ in 1_795_233_600 }
        for problem in cache.problems { hold(problem.description.utf8.count < 1000, "a problem is a long story") }
        _ = cache.entries.accounts
        _ = [Account]().adding(legacy: cache.entries.accounts)
        if let authority = try? Authority("https://login.microsoftonline.com/common") {
            for entry in cache.entries.prefix(2) {
                _ = cache.entries.find(
                    LegacyQuery(userID: nil, clientID: entry.clientID, authority: entry.authority), aliases: nil)
                _ = entry.isExpired(at: World.now)
            }
            _ = cache.entries.find(LegacyQuery(userID: nil, clientID: World.client, authority: authority))
        }
        var edit = CacheEdit(.empty)
        let intake = edit.takeOver(cache.entries)
        hold(intake.count == cache.entries.count, "an entry was forgotten")
        guard let text = edit.text else { return }
        let snapshot = read(text)
        hold(snapshot.undecodableCount == 0, "what was taken over cannot be read")
        var again = CacheEdit(snapshot)
        _ = again.takeOver(cache.entries)
        if let text = again.text { hold(read(text).text == snapshot.text, "what is there is taken over once more") }
    }

    /// Both kinds of property list, and an archive in one.
    static let propertyList = FuzzTarget(
        "property-list", longest: 4096,
        words: [
            "bplist00", "<?xml", "<!DOCTYPE plist", "<plist version=\"1.0\">", "</plist>", "<dict>", "</dict>", "<key>",
            "</key>", "<string>", "</string>", "<array>", "</array>", "<data>", "</data>", "<integer>", "</integer>",
            "<real>", "<date>", "<true/>", "&amp;", "&#x0;", "&#x1F600;", "<!--", "-->", "<![CDATA[", "CF$UID",
            "$archiver", "$top", "$objects", "$version", "NSKeyedArchiver", "root", "$class", "$classname", "$classes",
            "NS.objects", "NS.keys", "NS.string", "NS.time", "NS.data",
        ]
    ) { bytes in
        let list: PropertyList
        do {
            list =
                try bytes.starts(with: PropertyList.binaryMagic)
                ? PropertyList(binary: bytes)
                : PropertyList(xml: bytes)
        } catch { return }
        hold(list.values.count <= max(PropertyList.maximumValues, 1), "more values than there may be")
        hold(list.values.indices.contains(list.root), "a root that is not there")
        for place in list.values.indices.prefix(2000) {
            for inner in list.array(place) ?? [] { hold(list.values.indices.contains(inner), "an item leads out") }
            _ = list.string(place)
            _ = list.data(place)
            _ = list.number(place)
            _ = list.member("$class", of: place)
        }
        guard let archive = try? KeyedArchive(list) else { return }
        _ = archive.classes(of: archive.root)
        for pair in (archive.pairs(archive.root) ?? []).prefix(50) {
            for object in [pair.key, pair.value] {
                _ = archive.classes(of: object)
                _ = archive.string(object)
                _ = archive.date(object)
                _ = archive.data(object)
                _ = archive.pairs(object)
            }
        }
    }

    /// `azureProfile.json` loses a user, and no other.
    static let azureProfile = FuzzTarget(
        "azure-profile", longest: 4096, words: ["subscriptions", "user", "name", "\u{FEFF}", "[]", "{}", "\\\"", ","]
    ) { bytes in
        guard let profile = try? AzureProfile(bytes, path: "/") else { return }
        guard
            let before = try? JSONValue(
                parsing: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
        else { return }
        let names = (before["subscriptions"]?.array ?? []).compactMap { $0["user"]?["name"]?.string }
        for name in names.prefix(3) where !name.isEmpty {
            guard let text = profile.removing(name) else { fatalError("a user stays") }
            guard let after = try? AzureProfile(text, path: "/") else { fatalError("what is left cannot be read") }
            hold(after.count(of: name) == 0, "a user is still there")
            for other in names where other.asciiLowercased != name.asciiLowercased {
                hold(after.count(of: other) == profile.count(of: other), "another user has gone")
            }
        }
    }
}
