import Identity

import struct FoundationEssentials.Date

// Caches of ADAL for Objective-C come in three containers: an archive of one item, a whole macOS cache in one archive,
// and items exported from a keychain, each with its own archive. Items before 2.7 have no home account ID.

extension LegacyCache {
    mutating func read(_ list: PropertyList) {
        if KeyedArchive.isOne(list) {
            var item = 0
            readArchive(list, keychain: nil, &item)
            return
        }
        var records: [Int] = []
        switch list[list.root] {
        case .array(let places): records = places
        // Keychain dumps store the generic passwords under a key of their own; a dictionary with data is a single item.
        case .dictionary(let pairs):
            if list.member("v_Data", of: list.root) != nil {
                records = [list.root]
            } else {
                for pair in pairs {
                    // One more than the limit, to detect that there are more. Repeated records count each time.
                    records += (list.array(pair.value) ?? []).prefix(Self.maximumItems + 1 - records.count)
                    if records.count > Self.maximumItems { break }
                }
            }
        case .null, .bool, .integer, .real, .date, .data, .string, .uid, nil: break
        }
        guard !records.isEmpty else {
            problems.append(LegacyProblem(.unknownFormat))
            return
        }
        var item = 0
        for record in records {
            guard item < Self.maximumItems else {
                problems.append(LegacyProblem(.tooMany))
                return
            }
            guard !list.budget.isSpent else {
                problems.append(LegacyProblem(.overused))
                return
            }
            readKeychainItem(record, of: list, &item)
        }
    }

    private mutating func readKeychainItem(_ record: Int, of list: PropertyList, _ item: inout Int) {
        let next = item + 1
        do throws(LegacyProblem.Situation) {
            guard let data = list.data(list.member("v_Data", of: record)) else { throw .missing("data") }
            guard data.starts(with: PropertyList.binaryMagic) else { throw .malformed("data") }
            let archive = try PropertyList(binary: data, budget: list.budget)
            readArchive(archive, keychain: KeychainKey(list, record), &item)
        } catch {
            item = next
            problems.append(LegacyProblem(error, item: next))
        }
    }

    /// - Parameter item: the number of items read so far; updated.
    private mutating func readArchive(_ list: PropertyList, keychain: KeychainKey?, _ item: inout Int) {
        do throws(LegacyProblem.Situation) {
            let archive = try KeyedArchive(list)
            if archive.pairs(archive.root) != nil {
                try readBlob(archive, &item)
            } else {
                item += 1
                add(item: item) { () throws(LegacyProblem.Situation) in
                    try ArchivedItem.entry(archive.root, in: archive, user: keychain?.user, keychain: keychain)
                }
            }
        } catch {
            if keychain != nil { item += 1 }
            problems.append(LegacyProblem(error, item: keychain == nil ? nil : item))
        }
    }

    /// A macOS cache: `version`, and `tokenCache` with `tokens`, a dictionary per user. MSAL rejects the whole cache
    /// for one wrong item; here only that item is rejected.
    private mutating func readBlob(_ archive: KeyedArchive, _ item: inout Int) throws(LegacyProblem.Situation) {
        guard let version = archive.number(archive.value("version", of: archive.root)) else {
            throw .missing("version number")
        }
        guard version <= 1 else { throw .version("unsupported newer version") }
        guard let cache = archive.value("tokenCache", of: archive.root), archive.isA("NSMutableDictionary", cache),
            archive.pairs(cache) != nil
        else { throw .unexpectedClass("its token cache is not a mutable dictionary") }
        guard let tokens = archive.value("tokens", of: cache), archive.isA("NSMutableDictionary", tokens),
            let users = archive.pairs(tokens)
        else { throw .unexpectedClass("its tokens are not in a mutable dictionary") }
        for (key, held) in users {
            guard !archive.isOverused else { throw .overused }
            guard let user = archive.string(key) else {
                item += 1
                problems.append(LegacyProblem(.unexpectedClass("the username is not a string"), item: item))
                continue
            }
            guard archive.isA("NSMutableDictionary", held), let items = archive.pairs(held) else {
                item += 1
                problems.append(
                    LegacyProblem(
                        .unexpectedClass("the user's tokens are not in a mutable dictionary"), item: item))
                continue
            }
            for (key, value) in items {
                guard item < Self.maximumItems else { throw .tooMany }
                guard !archive.isOverused else { throw .overused }
                item += 1
                add(item: item) { () throws(LegacyProblem.Situation) in
                    guard archive.isA("ADTokenCacheKey", key) else {
                        throw .unexpectedClass("its key is not a token cache key")
                    }
                    return try ArchivedItem.entry(value, in: archive, user: user, keychain: nil)
                }
            }
        }
    }
}

/// The attributes of a keychain item, by their raw names.
struct KeychainKey {
    /// The user ID: base64url on iOS, plain on macOS; nil if empty.
    let user: String?
    let authority: String?
    let resource: String?
    let clientID: String?

    init(_ list: PropertyList, _ record: Int) {
        func text(_ name: String) -> String? {
            let place = list.member(name, of: record)
            return list.string(place) ?? list.data(place).flatMap { String(validating: $0, as: UTF8.self) }
        }
        let account = text("acct").flatMap { $0.isEmpty ? nil : $0 }
        user = account.map { $0.contains("@") ? $0 : Self.decoded($0[...]) ?? $0 }
        let parts = (text("svce") ?? "").split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].hasPrefix("MSOpenTech.ADAL.1") else {
            (authority, resource, clientID) = (nil, nil, nil)
            return
        }
        authority = Self.decoded(parts[1])
        // The value for "every resource".
        resource = parts[2] == "CC3513A0-0E69-4B4D-97FC-DFB6C91EE132" ? nil : Self.decoded(parts[2])
        clientID = Self.decoded(parts[3])
    }

    private static func decoded(_ text: Substring) -> String? {
        Base64URL.decodeLeniently(String(text)).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

enum ArchivedItem {
    /// - Parameters:
    ///   - user: the user ID in the container; empty for AD FS responses without an ID token.
    ///   - keychain: supplies values that the item itself lacks.
    static func entry(
        _ object: KeyedArchive.ArchivedObject, in archive: KeyedArchive, user: String?, keychain: KeychainKey?
    ) throws(LegacyProblem.Situation) -> LegacyEntry {
        guard !archive.isA("ADBrokerPRTCacheItem", object) else { throw .brokerToken }
        guard archive.isA("ADTokenCacheStoreItem", object) else {
            throw .unexpectedClass("not a token cache item")
        }
        func text(_ name: String) throws(LegacyProblem.Situation) -> String? {
            guard let member = archive.member(name, of: object) else { return nil }
            guard let text = archive.string(member) else { throw .malformed(name) }
            return text
        }
        guard try text("refreshToken") != "<tombstone>" else { throw .tombstone }
        let clientID = try LegacyFields.clientID(try text("clientId") ?? keychain?.clientID)
        let authority = try LegacyFields.authority(try text("authority") ?? keychain?.authority)
        let refreshToken = try LegacyFields.token(try text("refreshToken"), "refresh token")
        let accessToken = try LegacyFields.token(try text("accessToken"), "access token")
        guard refreshToken != nil || accessToken != nil else { throw .missing("token") }
        let familyID = LegacyFields.family(ofClient: clientID)
        let information = archive.member("userInformation", of: object)
        let claims = LegacyFields.claims(
            ofIDToken: information.flatMap { archive.string(archive.member("rawIdToken", of: $0)) })
        let further = archive.member("additionalServer", of: object)
        let named = information.flatMap { archive.string(archive.member("userId", of: $0)) }
        var userID = LegacyFields.userID(of: claims)
        if userID == nil { userID = try LegacyFields.text(named ?? user, "user name") }
        return LegacyEntry(
            kind: kind(refreshToken != nil, accessToken != nil, isFamily: familyID != nil), authority: authority,
            resource: try LegacyFields.text(try text("resource") ?? keychain?.resource, "resource"), clientID: clientID,
            userID: userID?.asciiLowercased,
            homeAccountID: LegacyFields.homeAccountID(try text("homeAccountId")),
            objectID: claims.string("oid").flatMap(LegacyFields.optional),
            tenantID: claims.string("tid").flatMap(LegacyFields.optional),
            identityProvider: claims.string("idp").flatMap(LegacyFields.optional),
            name: claims.string("name").flatMap(LegacyFields.optional), refreshToken: refreshToken,
            accessToken: accessToken,
            expiresOn: archive.date(archive.member("expiresOn", of: object)).flatMap { Date(epochSeconds: $0) },
            extendedExpiresOn: archive.date(archive.value("extended_expires_on", of: further)).flatMap {
                Date(epochSeconds: $0)
            },
            familyID: LegacyFields.optional(try text("familyId")) ?? familyID, idTokenClaims: claims)
    }

    private static func kind(_ hasRefreshToken: Bool, _ hasAccessToken: Bool, isFamily: Bool) -> LegacyEntry.Kind {
        guard hasRefreshToken else { return .accessTokenOnly }
        if isFamily { return .family }
        return hasAccessToken ? .singleResource : .multiResource
    }
}
